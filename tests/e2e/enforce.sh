#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle enforce and heddle spec: programs of tests/enforce are right with their specification and mostly not without it;
# deadlocks are told with who is held where; an order is found; handlers are called; the compiled form needs no heddle.
. "$(dirname "$0")/lib.sh"
programs=$root/tests/enforce
library=$(dirname "$(readlink -f "$heddle")")
build() { cc -O1 -g -fno-inline -fpatchable-function-entry=5 -pthread "$@"; }
enforce() { timeout 300 "$heddle" enforce "$@"; }

cat >partly.c <<'C'
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
void enter(int who) { __asm__ volatile("" : : "r"(who)); }
void leave(int who) { __asm__ volatile("" : : "r"(who)); }
static void *held(void *unused) { enter(2); leave(2); return unused; }
int main(void)
{
  pthread_t thread;
  struct stat told = {0};
  enter(1);
  pthread_create(&thread, NULL, held, NULL);
  while (fstat(STDERR_FILENO, &told) == 0 && !told.st_size) /* runs on until something is said */
    usleep(100000);
  leave(1);
  pthread_join(thread, NULL);
  return 0;
}
C
cat >alone.mop <<'EOS'
enforce Alone() {
  event in before() : call(enter(..)) {}
  event out before() : call(leave(..)) {}
  fsm: free [ in -> busy ] busy [ out -> free ]
  @nonfail {}
}
EOS
build partly.c -o partly
enforce --spec alone.mop ./partly >partly.told 2>&1 & # takes its time

for name in guard_iteration hash_or_modify philosophers two_workers rendezvous get_then_put two_lists reused_address logger crowd; do
  build -I"$root/include" "$programs/$name.c" -o "$name"
done
for name in guard_iteration hash_or_modify hash_or_modify_srs philosophers two_workers rendezvous logger logger_cfg crowd; do
  program=${name%_srs}
  program=${program%_cfg}
  wrong=0
  for _ in 1 2 3; do enforce --spec "$programs/$name.mop" "./$program" >>told 2>&1 || wrong=$((wrong + 1)); done
  check "$name: right, 3 of 3" test "$wrong" -eq 0
done
check "all events of the crowd can come" test -z "$(grep -m1 'never comes' told)"

expect_status "five philosophers with forks alone: status 3" 3 enforce --spec "$programs/philosophers_forks.mop" ./philosophers -- 1000 2000
cp .output told
check "it is an enforced deadlock" grep -q 'enforced deadlock' told
check "five threads, each with event, object and state" test "$(grep -c 'is held before acquire of Fork(f = 0x.*) in state busy' told)" -eq 5
check "main with whom it waits for" grep -q 'main is blocked in pthread_join() for thread 2' told
check "and what the specification says" grep -q 'Fork: every philosopher has one fork' told
expect_status "get* put: letting the put through is a deadlock" 3 enforce --spec "$programs/get_then_put.mop" ./get_then_put
expect_output "with --explore an order is found" 'keeps the property: get .thread 3., get .thread 3., get .thread 3., put .thread 2.' \
  enforce --explore --spec "$programs/get_then_put.mop" ./get_then_put
expect_output "another list delays nobody" 'adds to b was held 0 times' enforce --verbose --spec "$programs/guard_iteration.mop" ./two_lists
expect_status "an address that is used again is another object" 0 enforce --spec "$programs/guard_iteration.mop" ./reused_address
expect_output "passive: told, and nobody is held" 'HashOrModify is violated' enforce --passive --spec "$programs/hash_or_modify.mop" ./hash_or_modify

cat >crossed.c <<'C'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void mark(void) { usleep(50000); }
static void *other(void *unused) { pthread_mutex_lock(&b); mark(); pthread_mutex_lock(&a); return unused; }
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_mutex_lock(&a);
  mark();
  pthread_mutex_lock(&b);
  return 0;
}
C
echo 'enforce Marks() { event m before() : call(mark(..)) {} ere: m* @nonfail {} }' >marks.mop
build crossed.c -o crossed
expect_status "a deadlock of the program: status 3" 3 enforce --spec marks.mop ./crossed
cp .output told
check "it is the program's" grep -q 'deadlock of the program' told
check "mutexes have owners" grep -q 'main is blocked in pthread_mutex_lock(0x.*), which thread 2 has' told

cat >handled.c <<'C'
#include <heddle_property.h>
#include <stdio.h>
void on_close(const struct hd_property_event *e) { printf("%s %s %s %s=%lld\n", e->property, e->event, e->thread, e->name[0], e->value[0]); }
void item_close(int item) { printf("close %d\n", item); }
int main(void) { item_close(7); item_close(7); return 0; }
C
cat >handled.mop <<'EOS'
Once(int item) {
  event close before(int item) : call(item_close(..)) && target(item) {}
  fsm: open [ close -> closed ] closed [ ]
  @fail { "closed twice" call on_close }
}
EOS
build -I"$root/include" handled.c -o handled
expect_output "a handler in C, by its name" 'Once close main item=7' enforce --spec handled.mop ./handled
sed 's/call on_close/call on_closing/' handled.mop >missing.mop
expect_output "one that is not there" 'no function "on_closing", which a handler calls' enforce --spec missing.mop ./handled
if [ -e /usr/lib/x86_64-linux-gnu/liblua5.4.so.0 ]; then
  sed 's/call on_close/lua { print("lua " .. property .. " " .. item) }/' handled.mop >scripted.mop
  expect_output "a handler in Lua" 'lua Once 7' enforce --spec scripted.mop ./handled
else
  ok "a handler in Lua: skipped, liblua5.4-0 is not installed"
fi
"$heddle" spec -o linked.c handled.mop
build -I"$root/include" handled.c linked.c -o linked -L"$library" -lheddle-enforce -Wl,-rpath,"$library"
expect_output "linked into the program, without heddle" 'Once close main item=7' ./linked
expect_status "a pattern needs the program" 2 "$heddle" spec -o pattern.c "$root/tests/properties/safe_iteration.mop"

cat >signalled.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
void enter(int who) { __asm__ volatile("" : : "r"(who)); }
void leave(int who) { __asm__ volatile("" : : "r"(who)); }
static atomic_int handled;
static sigjmp_buf out;
static void on_signal(int n) { (void)n; enter(2); handled++; leave(2); }
static void on_jump(int n) { (void)n; siglongjmp(out, 1); }
static void *held(void *unused) { enter(3); leave(3); return unused; }
int main(void)
{
  pthread_t thread;
  struct sigaction now, action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR1, NULL, &now);
  signal(SIGUSR2, on_jump);
  if (now.sa_handler != on_signal || now.sa_flags & SA_SIGINFO || signal(SIGUSR2, on_jump) != on_jump)
    return 1;
  if (!sigsetjmp(out, 1))
    raise(SIGUSR2); /* left by a jump: from here on it is in no handler */
  enter(1);
  pthread_create(&thread, NULL, held, NULL); /* is held until 1 leaves */
  raise(SIGUSR1);
  usleep(50000);
  pthread_kill(thread, SIGUSR1); /* also where it is held */
  while (handled < 2)
    usleep(1000);
  leave(1);
  pthread_join(thread, NULL);
  printf("%d handled\n", handled);
  return 0;
}
C
build signalled.c -o signalled
expect_status "handlers of signals: nobody is held in them" 0 enforce --spec alone.mop ./signalled
cp .output told
check "they are done" grep -q '2 handled' told
check "what was not seen is told" grep -q 'cannot be held in the handler of a signal, before in of Alone' told

cat >pure.c <<'C'
int look(int what) { return what + 1; }
void enter(int who) { __asm__ volatile("" : : "r"(who)); }
int main(void) { look(3); enter(1); return 0; }
C
cat >pure.mop <<'EOS'
enforce P() {
  event in before() : call(enter(..)) {}
  event looks before() : call(look(..)) {}
  event locks before() : call(pthread_rwlock_wrlock(..)) {}
  ere: (in|looks|locks)*
  @nonfail {}
}
EOS
build pure.c -o pure
expect_status "events that never come: no error" 0 enforce --spec pure.mop ./pure
cp .output told
check "calls that the compiler left out" grep -q 'pure.mop:1: event looks of P never comes: nothing in ./pure calls look' told
check "a library's function that is not called" grep -q 'event locks of P never comes' told
check "nothing else" test "$(grep -c 'never comes' told)" -eq 2

# A thread that is held for ever while others run, and one that waits for its mutex; another property leaves a thread out.
cat >partial.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ended;
void get(void) { __asm__ volatile(""); }
void put(void) { __asm__ volatile(""); }
void end_it(const void *event) { ended = 1; (void)event; }
static void *other(void *unused)
{
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void *getter(void *unused)
{
  pthread_t behind;
  pthread_mutex_lock(&lock);
  pthread_create(&behind, NULL, other, NULL);
  while (*(volatile int *)&lock != 2) /* until somebody really waits for it, as glibc notes in its first word */
    usleep(1000);
  get();
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void)
{
  pthread_t a;
  put();
  pthread_create(&a, NULL, getter, NULL);
  pthread_setname_np(a, "getter");
  for (int i = 0; !ended && i < 20000; i++)
    usleep(1000);
  return 7;
}
C
cat >partial.mop <<'EOS'
enforce PutLast() {
  event get before() : call(get(..)) {}
  event put before() : call(put(..)) {}
  ere: get* put
  @nonfail {} @deadlock { call end_it }
}
EOS
cat >left_out.mop <<'EOS'
enforce PutLast() {
  event get before() : call(get(..)) && !threadName("main") {}
  event put before() : call(put(..)) && !threadName("main") {}
  ere: get* put
  @nonfail {} @deadlock { call end_it }
}
EOS
build partial.c -o partial
expect_status "some are held for ever while others run: the handler is called, and the program goes on" 7 enforce --spec partial.mop ./partial
cp .output told
check "told once" test "$(grep -c 'enforced deadlock of some threads, while others run: whatever comes, PutLast does not allow it' told)" -eq 1
check "who is held, and who waits behind it" bash -c 'grep -q "is held before get of PutLast in state" told && grep -q "is blocked in pthread_mutex_lock(.*), which .* has" told'
sed 's/for (int i = 0; !ended && i < 20000; i++)/pthread_join(a, NULL);\n  for (int i = 0; i < 1; i++)/' partial.c >let_go.c
build let_go.c -o let_go
expect_status "a thread that the events leave out by its name" 7 enforce --spec left_out.mop ./let_go


# Only who waits for the mutex of a held thread has the event that would let that one go; it has none where anybody may have it.
cat >circle.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ended, waits;
void fill(void) { __asm__ volatile(""); }
void drain(void) { __asm__ volatile(""); }
void end_it(const void *event) { ended = 1; (void)event; }
static void *filler(void *unused)
{
  pthread_setname_np(pthread_self(), "filler");
  while (!waits) /* until somebody has the lock */
    usleep(1000);
  pthread_mutex_lock(&lock);
  fill();
  pthread_mutex_unlock(&lock);
  return unused;
}
static void *drainer(void *unused)
{
  pthread_mutex_lock(&lock);
  waits = 1;
  while (*(volatile int *)&lock != 2)
    usleep(1000);
  drain();
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, filler, NULL);
  pthread_create(&b, NULL, drainer, NULL);
  for (int i = 0; !ended && i < LIMIT; i++)
    usleep(1000);
  if (!ended)
    fill();
  return ended ? 7 : 8;
}
C
circle_spec() {
  printf '%s\n' 'enforce Filled() {' "  event fill before() : call(fill(..)) $1 {}" '  event drain before() : call(drain(..)) {}' \
    '  ere: (fill drain)*' '  @nonfail {} @deadlock { call end_it }' '}'
}
circle_spec '&& threadName("filler")' >circle.mop
circle_spec '' >anybody.mop
build -DLIMIT=20000 circle.c -o circle
build -DLIMIT=1000 circle.c -o helped
expect_status "a circle of a mutex and a property, while main runs" 7 enforce --spec circle.mop ./circle
cp .output told
check "who is held, for whom, and who waits" bash -c 'grep -q "is held before drain of Filled" told && grep -q "filler is blocked in pthread_mutex_lock(.*), which thread .* has" told'
expect_status "an event that main may have, too: nothing is told" 8 enforce --spec anybody.mop ./helped
check "nothing is" bash -c '! grep -q deadlock .output'

if build -fsanitize=thread "$programs/philosophers.c" -o sanitized 2>.output; then
  expect_status "a program with ThreadSanitizer: a deadlock" 3 enforce --spec "$programs/philosophers_forks.mop" ./sanitized -- 1000 2000
  "$heddle" spec -o linked.c "$programs/philosophers_forks.mop"
  build -fsanitize=thread -I"$root/include" "$programs/philosophers.c" linked.c -o linked -L"$library" -lheddle-enforce -Wl,-rpath,"$library"
  expect_output "a sanitizer in front of the library" 'another library stands between' ./linked
fi
if build -fsanitize=address "$programs/two_lists.c" -o sanitized 2>.output; then
  expect_status "a program with AddressSanitizer" 0 enforce --spec "$programs/guard_iteration.mop" ./sanitized
fi

wait
check "who is held for long while others run is told" grep -q 'thread 2 is held before in of Alone in state busy' partly.told
