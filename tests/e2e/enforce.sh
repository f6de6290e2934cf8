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

for name in guard_iteration hash_or_modify philosophers two_workers rendezvous get_then_put two_lists reused_address logger; do
  build "$programs/$name.c" -o "$name"
done
for name in guard_iteration hash_or_modify hash_or_modify_srs philosophers two_workers rendezvous logger logger_cfg; do
  program=${name%_srs}
  program=${program%_cfg}
  wrong=0
  for _ in 1 2 3; do enforce --spec "$programs/$name.mop" "./$program" >>told 2>&1 || wrong=$((wrong + 1)); done
  check "$name: right, 3 of 3" test "$wrong" -eq 0
done

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
