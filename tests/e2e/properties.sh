#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Properties (--spec, --specs): each program of tests/properties violates its property in some schedule, the fixed one in
# none; violations are replayed, shrunk and told; all searches agree; wrong specifications are refused with their place.
. "$(dirname "$0")/lib.sh"
programs=$root/tests/properties

# The name of the property is the first word of the comment.
for source in "$programs"/*.c; do
  name=$(basename "$source" .c)
  property=$(sed -n 's/^ \* \([A-Za-z]*\): .*/\1/p' "$source" | head -1)
  options=(--specs posix)
  [ "${name#posix_}" != "$name" ] || options=(--spec "$programs/$name.mop")
  "$heddle" cc -g "$source" -o "$name"
  "$heddle" cc -g -DFIXED "$source" -o "${name}_fixed"
  expect_status "$name: found" 1 "$heddle" explore --keep-going --time 60s "${options[@]}" "./$name" # some are bugs without it, too
  cp .output told
  check "$name: told as $property" grep -q "$property is violated" told
  expect_status "$name, fixed: none in any execution" 0 "$heddle" explore --time 120s --races ignore --leaks ignore "${options[@]}" "./${name}_fixed"
  cp .output told
  # A wait that ends for no reason has events of its own, which are not tried.
  check "$name, fixed: all of them were run" grep -Eq '\(complete\)|; not complete: it may make a difference that a wait on a condition ends for no reason[^;]*$' told
done

iteration=("--spec" "$programs/safe_iteration.mop")
expect_status "without the specification there is no bug" 0 "$heddle" explore --time 60s ./safe_iteration
expect_status "explore finds it, too" 1 "$heddle" explore --time 60s "${iteration[@]}" ./safe_iteration
expect_status "and so does dfs" 1 "$heddle" explore --strategy dfs --time 60s "${iteration[@]}" ./safe_iteration
rm -rf heddle-out
"$heddle" check --time 60s "${iteration[@]}" ./safe_iteration >found
tr -s ' \n' ' ' <found >told
check "the events, who and where" grep -q 'reaches event next of SafeIteration.*reaches event modify of SafeIteration' told
check "one preemption is enough" grep -q '1 of them a preemption' told
schedule=$(ls heddle-out/*.hd | head -1)
expect_status "the schedule is replayed with its specification" 1 "$heddle" replay "$schedule"
cp .output told
check "to the same end" grep -q 'SafeIteration is violated' told
expect_status "and shown" 0 "$heddle" show "$schedule"
"$heddle" check --time 60s "${iteration[@]}" --json found.json --sarif found.sarif ./safe_iteration >/dev/null
check "the document names the kind" grep -q '"kind": *"property"' found.json
check "so does SARIF" grep -q '"ruleId": *"property"' found.sarif
expect_output "reads-from does not cover events" 'only --equivalence order covers' \
  "$heddle" explore --equivalence reads-from --time 60s "${iteration[@]}" ./safe_iteration_fixed

echo 'P() { event a before() : call(list_add(..)) {} ere: a b @fail {} }' >wrong.mop
expect_status "a wrong specification" 2 "$heddle" check --spec wrong.mop ./safe_iteration
cp .output told
check "its place and what is wrong" grep -q 'wrong.mop:1:55: there is no event "b"' told
echo 'P() { event a before() : call(list_ad(..)) {} ere: a @fail {} }' >missing.mop
expect_status "a function that is not there" 2 "$heddle" check --spec missing.mop ./safe_iteration
cp .output told
check "is named" grep -q 'missing.mop:1:13: the program has no function "list_ad" for event "a"' told
expect_status "no such file" 2 "$heddle" check --spec nowhere.mop ./safe_iteration
expect_status "no such library" 2 "$heddle" check --specs windows ./safe_iteration

cat >left.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static void unlock(void *unused) { pthread_mutex_unlock(&lock); (void)unused; }
static void *waiter(void *unused)
{
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, NULL);
  for (;;)
    pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(1);
  return unused;
}
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
C
cat >thrown.cc <<'C'
struct list { int count; };
int list_add(list *l) { if (l->count++) throw 1; return 0; }
int main()
{
  list l{0};
  list_add(&l);
  try { list_add(&l); } catch (int) { return 0; }
  return 1;
}
C
# What throws goes by way of _Unwind_RaiseException.
echo 'Thrown() { event add after() : call(list_add(..)) {} ere: add @fail {} }' >thrown.mop
"$heddle" cc -g left.c -o left && "$heddle" c++ -g thrown.cc -o thrown
expect_status "a call that was cancelled: its cleanup runs, and nothing is told" 0 "$heddle" explore --time 60s --specs posix ./left
cp .output told
check "but the verdict is not complete" grep -q 'may be unseen' told
expect_status "a call that was left by an exception: it is caught" 0 "$heddle" explore --time 60s --spec thrown.mop ./thrown
cp .output told
check "and that is not complete, either" grep -q 'may be unseen' told

"$heddle" cc -g -O2 "$programs/safe_iteration.c" -o optimised
sed 's/list_add\*/list_ad*/' "$programs/safe_iteration.mop" >inlined.mop
"$heddle" explore --time 60s --spec inlined.mop ./optimised >told 2>&1
check "what was inlined is not seen, and the verdict says so or it is found" grep -q 'may be unseen\|is violated' told

# Enforced: threads are held back, and what is left is searched. dfs runs each execution that never leaves the property,
# and each that cannot go on without leaving it; dpor sees the same outputs.
cat >order.c <<'C'
#include <pthread.h>
#include <stdio.h>
static char seen[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void note(char c)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 8; i++)
    if (!seen[i]) {
      seen[i] = c;
      break;
    }
  pthread_mutex_unlock(&lock);
}
void put(void) { note('p'); }
void get(void) { note('g'); }
static void *putter(void *unused)
{
  put();
  return unused;
}
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, putter, NULL);
  get();
  get();
  pthread_join(thread, NULL);
  puts(seen);
  return 0;
}
C
cat >put_last.mop <<'M'
enforce PutLast() {
  event get before() : call(get(..)) {}
  event put before() : call(put(..)) {}
  ere: get* put
  @nonfail {} @deadlock { "put came too early" }
}
M
cat >get_first.mop <<'M'
enforce GetFirst() {
  event get before() : call(get(..)) {}
  event put before() : call(put(..)) {}
  fsm: none [ get -> some ] some [ get -> some  put -> done ] done [ get -> done ]
  @nonfail {}
}
M
"$heddle" cc -g order.c -o order
outputs() { # of all executions that end, by the strategy
  rm -f hashes
  "$heddle" explore --keep-going --strategy "$1" --races ignore --hashes hashes --time 60s --spec "$2" ./order >told 2>&1
  cut -d ' ' -f 2,3 hashes | sort -u >"outputs.$1"
}
for spec in put_last get_first; do
  outputs dfs $spec.mop
  outputs dpor $spec.mop
  check "$spec: dpor and dfs end alike" cmp -s outputs.dfs outputs.dpor
  check "$spec: and see all there is" grep -q 'complete' told
done
expect_status "get* put: it can stand" 1 "$heddle" explore --time 60s --spec put_last.mop ./order
tr -s ' \n' ' ' <.output >told
check "told as an enforced deadlock" grep -q 'enforced deadlock: PutLast holds back who would violate it: put came too early' told
check "who is held, and where" grep -q 'main is held before get of PutLast at order.c:.*: it waits for PutLast to allow it' told
schedule=$(ls -t heddle-out/*.hd | head -1)
expect_status "which is replayed" 1 "$heddle" replay "$schedule"
expect_status "one that can always be kept is no bug" 0 "$heddle" explore --races ignore --time 60s --spec get_first.mop ./order
expect_output "and all is searched" '(complete)' "$heddle" explore --races ignore --time 60s --spec get_first.mop ./order
sed 's/enforce GetFirst/GetFirst/; s/@nonfail/@fail/' get_first.mop >checked.mop
expect_status "without enforce it is" 1 "$heddle" explore --races ignore --time 60s --spec checked.mop ./order

cat >wrong.mop <<'M'
P() { event a before() : read(nothing.at) {} ere: a @fail {} }
M
expect_output "a variable that is not there" 'wrong.mop:1:31: the program has no variable "nothing.at"' \
  "$heddle" check --spec wrong.mop ./order

# What decides which events there are is seen by the searches, or said to be unseen.
cat >named.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
void use(void) {}
static void *worker(void *unused) { use(); return unused; }
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_setname_np(thread, "worker");
  pthread_join(thread, NULL);
  return 0;
}
C
cat >named.mop <<'M'
P() {
  event use before() : call(use(..)) && threadName("worker") {}
  event joined after() : call(pthread_join(..)) {}
  ere: joined @match { "it was used without its name" }
}
M
sed 's/ere: joined/ere: use/' named.mop >with_name.mop
"$heddle" cc -g named.c -o named
for strategy in dfs dpor; do
  expect_status "$strategy: a thread that runs before it is named" 1 "$heddle" explore --strategy $strategy --time 60s --spec named.mop ./named
  expect_status "$strategy: and after that" 1 "$heddle" explore --strategy $strategy --time 60s --spec with_name.mop ./named
done
cat >reused.c <<'C'
#include <pthread.h>
#include <stdlib.h>
void use(void *p) { (void)p; }
void closed(void *p) { (void)p; }
static void *user(void *p) { use(p); return NULL; }
int main(void)
{
  pthread_t thread;
#ifdef MUCH
  free(malloc(65 << 20));
#endif
  void *p = malloc(2000);
  pthread_create(&thread, NULL, user, p);
  closed(p);
  free(p);
  free(malloc(2000));
  pthread_join(thread, NULL);
  return 0;
}
C
cat >reused.mop <<'M'
P(void *p) {
  event closed before(void *p) : call(closed(..)) && target(p) {}
  event use before(void *p) : call(use(..)) && target(p) {}
  ere: use closed use @match {}
}
M
"$heddle" cc -g reused.c -o reused && "$heddle" cc -g -DMUCH reused.c -o reused_much
expect_output "addresses are given out once" '(complete)' "$heddle" explore --time 60s --spec reused.mop ./reused
expect_output "where they are given out again, it is not complete" 'not complete: its properties tell objects by their addresses' \
  "$heddle" explore --time 60s --spec reused.mop ./reused_much

# Events that cannot come are said, and a property without any is no proof.
cat >idle.mop <<'M'
Half() { event use before() : call(use(..)) {} event open before() : call(fopen(..)) {} event other before() : call(use(..)) && threadName("other") {} ere: open use other @match {} }
Idle() { event back after() : call(rewinddir(..)) {} ere: back @match {} }
M
for command in "check --time 60s --max-executions 500" explore "run --max-executions 3" "explore -j 2 --executor socket"; do
  # shellcheck disable=SC2086
  "$heddle" $command --spec idle.mop ./named >told 2>&1
  check "$command: an event that never came" grep -q 'idle.mop:1: event open of Half came in no execution' told
  check "$command: that never comes, though it could" grep -q 'idle.mop:1: event other of Half came in no execution' told
  check "$command: each is told once" test "$(grep -c 'event open' told)" -eq 1
  check "$command: a property that says nothing" grep -q 'idle.mop:2: Idle was not checked: none of its events came in any execution$' told
  check "$command: that is no proof" bash -c '! grep -q "(complete)" told'
done
"$heddle" cc -O2 -g0 named.c -o undescribed
expect_output "functions that may be inlined, for all that is known" 'may be unseen' "$heddle" explore --time 60s --spec with_name.mop ./undescribed

# Which events are to blame, and what would mend it.
expect_output "by sources is told as people say it" 'searched .* by observed' "$heddle" explore --equivalence observed ./safe_iteration_fixed
told() { tr -s ' \n' ' ' <.output >told; }
expect_status "events around another thread's" 1 "$heddle" explore "${iteration[@]}" ./safe_iteration && told
check "the bug names them" grep -q 'bug events come in an order that a property does not allow: main reaches `[a-z]*` at safe_iteration.c:[0-9]* and `next` at :[0-9]*; T1 reaches `modify` at :[0-9]* in between, and SafeIteration does not allow that' told
check "and a lock around them" grep -q 'fix one lock, held from `[a-z]*` (safe_iteration.c:[0-9]*) to `next`' told
check "the story names the object" grep -q 'reaches event modify of SafeIteration on list' told
expect_status "who is held" 1 "$heddle" explore --spec put_last.mop ./order && told
check "after what" grep -q 'bug an event came after which a property lets another one never come: main is held before `get` at order.c:[0-9]*, since PutLast does not allow it after `put` of T1 at :' told
check "what would mend it" grep -q 'fix let T1 wait with `put` until main is past `get`' told
for name in safe_iteration login marks locks accesses exclusion; do
  expect_status "$name: explained" 1 "$heddle" check --time 30s --explain --races ignore --leaks ignore --json found.json --spec "$programs/$name.mop" "./$name" && told
  check "$name: what is to blame" grep -q 'to blame: ' told
  check "$name: made small" grep -q '"preemptions": [01],' found.json
done
check "events of two threads that may come in one order only" grep -q 'main reaches `bm` at exclusion.c:[0-9]* and then T1 reaches `bh` at :[0-9]*, which Exclusion does not allow' told
