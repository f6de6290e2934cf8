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
  check "$name, fixed: all of them were run" grep -q '(complete)' told
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
check "is named" grep -q 'missing.mop:1:13: the program has no function for event "a"' told
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
