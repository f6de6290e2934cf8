#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The everyday commands on small programs: exit status, files, JSON, output, input, limits, interruption.
. "$(dirname "$0")/lib.sh"

# holds NAME COMMAND...: the case holds if the command succeeds; its output is not looked at.
holds() {
  local name=$1
  shift
  if "$@" >/dev/null 2>&1; then ok "$name"; else not_ok "$name"; fi
}

# told NAME REGEX: the last command that was run said so.
told() {
  if grep -Eq -- "$2" .output; then ok "$1"; else not_ok "$1" "no line matches $2"; fi
}

cat >bank.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int balance = 100;
static void *withdraw(void *amount)
{
  int now = balance;
  balance = now - *(int *)amount;
  return NULL;
}
int main(void)
{
  pthread_t a, b;
  int x = 10, y = 20;
  puts("two withdrawals");
  fflush(stdout);
  pthread_create(&a, NULL, withdraw, &x);
  pthread_create(&b, NULL, withdraw, &y);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(balance == 70);
  return 0;
}
C
sed 's/^static int balance.*/&\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;/
     s/int now = balance;/pthread_mutex_lock(\&lock);\n  &/
     s/return NULL;/pthread_mutex_unlock(\&lock);\n  &/' bank.c >fixed.c
"$heddle" cc -g bank.c -o bank
"$heddle" cc -g fixed.c -o fixed

expect_status "check of a source with a bug" 1 "$heddle" check bank.c </dev/null
told "it tells how it was compiled" '^compiled bank.c \(gcc [0-9]+, instrumented\)'
run "$heddle" check bank.c </dev/null
told "the bug is told" 'assertion failed: balance == 70 .*bank.c:21, after [0-9]+ execution'
holds "schedules are written, the same bug to the same file" test "$(grep -l '^bug *assertion' heddle-out/*.hd)" = heddle-out/bank-1.hd
holds "the program is kept for them" test -x heddle-out/bank-1
expect_status "replay shows it again" 1 "$heddle" replay heddle-out/bank-1.hd
expect_output "and says so" '^the bug shows again' "$heddle" replay heddle-out/bank-1.hd
expect_output "replay 20 times" '^20 of 20 replays show the bug' "$heddle" replay --times 20 heddle-out/bank-1.hd
for reset in snapshot fork exec; do
  expect_status "replay by $reset" 1 "$heddle" replay --reset $reset heddle-out/bank-1.hd
done
expect_output "replay --trace lists the steps" 'T1 .*bank.c:8 .*writes +balance' "$heddle" replay --trace heddle-out/bank-1.hd
expect_status "show" 0 "$heddle" show heddle-out/bank-1.hd
expect_output "show tells what the file says" 'preempted .*bank.c:' "$heddle" show heddle-out/bank-1.hd
expect_output "show --run tells the story" '▸ .*bank.c' "$heddle" show --run heddle-out/bank-1.hd
sed 's/^program.*/program .\/fixed/' heddle-out/bank-1.hd >swapped.hd
expect_status "a schedule for another program" 2 "$heddle" replay swapped.hd

rm -rf heddle-out
expect_status "check of a right program" 0 "$heddle" check --time 1s ./fixed </dev/null
told "it tells what was done" '^no bug in any interleaving \(complete\): [0-9,]+ executions, .* s'
holds "nothing is written" test ! -e heddle-out
expect_status "check of a right source" 0 "$heddle" check --time 1s fixed.c </dev/null
holds "nothing is left of the compiled program" test ! -e heddle-out
expect_status "check of a program given by name only" 0 "$heddle" check --max-executions 10 fixed </dev/null
expect_status "--out" 1 "$heddle" check --out deep/er ./bank </dev/null
holds "the folder is made" test -s deep/er/bank-1.hd

run "$heddle" run --runs 200 --seed 7 -j 1 ./fixed </dev/null
first=$(grep -o 'trace hash .*' .output)
told "run prints the summary" '^200 executions in .* strategy random, seed 7, reset by snapshot'
run "$heddle" run --runs 200 --seed 7 -j 1 ./fixed </dev/null
[ "$first" = "$(grep -o 'trace hash .*' .output)" ] && ok "the same seed, the same hash" || not_ok "the same seed, the same hash"
run "$heddle" run --runs 200 --seed 8 -j 1 ./fixed </dev/null
[ "$first" != "$(grep -o 'trace hash .*' .output)" ] && ok "another seed, another hash" || not_ok "another seed, another hash"
for jobs in 1 2 3; do
  expect_output "run -j $jobs runs as many as asked for" '^301 executions in' "$heddle" run --runs 301 -j $jobs ./fixed </dev/null
done
expect_status "run finds it too" 1 "$heddle" run --strategy pct --runs 2000 ./bank </dev/null
one=$("$heddle" check -j 1 --races ignore ./bank </dev/null 2>&1 | grep -o 'after [0-9]* execution')
two=$("$heddle" check -j 1 --races ignore ./bank </dev/null 2>&1 | grep -o 'after [0-9]* execution')
[ -n "$one" ] && [ "$one" = "$two" ] && ok "check is the same twice" || not_ok "check is the same twice" "$one / $two"

run "$heddle" check --json result.json ./bank </dev/null
holds "the JSON document" python3 -c '
import json
d = json.load(open("result.json"))
assert d["command"] == "check" and d["program"] == "./bank" and d["executions"] > 0, d
b = d["bugs"][0]
assert b["kind"] == "assertion" and b["replayed"] and b["where"] == "bank.c:21", b
open(b["schedule"]).close()'
run "$heddle" check --json result.json --max-executions 20 ./fixed </dev/null
holds "it is written anew" python3 -c 'import json; assert json.load(open("result.json"))["bugs"] == []'
"$heddle" check --json - --max-executions 20 ./fixed </dev/null 2>/dev/null >stdout.json
holds "--json - leaves standard output to the document" python3 -c 'import json; json.load(open("stdout.json"))'
run "$heddle" check --quiet --max-executions 20 ./fixed </dev/null
[ ! -s .output ] && ok "--quiet is quiet" || not_ok "--quiet is quiet"

expect_output "the output of the failing execution" '^    two withdrawals' "$heddle" check ./bank </dev/null
"$heddle" check --output none ./bank </dev/null >none.txt 2>&1
holds "--output none" test "$(grep -c 'two withdrawals' none.txt)" -eq 0
"$heddle" run --runs 3 --output all ./fixed </dev/null >all.txt 2>&1
holds "--output all" test "$(grep -c 'two withdrawals' all.txt)" -eq 3

cat >args.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
  char line[64] = "";
  if (!fgets(line, sizeof line, stdin))
    strcpy(line, "nothing\n");
  printf("%d arguments, the last %s, input %s", argc - 1, argv[argc - 1], line);
  return argc > 2 ? atoi(argv[2]) : 0;
}
C
"$heddle" cc -g args.c -o args
run "$heddle" run --runs 2 ./args -- one 3 <<<hello
[ "$status" -eq 1 ] && ok "a wrong exit status is a bug" || not_ok "a wrong exit status is a bug"
told "arguments and input arrive" '2 arguments, the last 3, input hello'
expect_status "the input is there at the replay" 1 "$heddle" replay heddle-out/args-1.hd </dev/null
told "the same" '2 arguments, the last 3, input hello'
expect_status "--exit-status" 0 "$heddle" run --runs 2 --exit-status 3 ./args -- one 3 </dev/null
expect_status "--exit-status any" 0 "$heddle" run --runs 2 --exit-status any ./args -- one 3 </dev/null
expect_output "one thread is noted" 'only one thread was ever seen' "$heddle" check --max-executions 5 ./args -- x </dev/null

gcc -g fixed.c -o plain
expect_output "no instrumentation is noted" 'build with heddle cc' "$heddle" check --max-executions 5 ./plain </dev/null

# Changed after the recording.
rm -rf heddle-out
"$heddle" check --races ignore ./bank </dev/null >/dev/null 2>&1
cp fixed bank
run "$heddle" replay heddle-out/bank-1.hd
case $status in 0 | 3) ok "a rebuilt program passes or diverges" ;; *) not_ok "a rebuilt program passes or diverges" "status $status" ;; esac
expect_output "that it was rebuilt is said" '^heddle: ./bank was rebuilt since' "$heddle" replay heddle-out/bank-1.hd
run "$heddle" replay --force heddle-out/bank-1.hd
holds "not with --force" test -z "$(grep rebuilt .output)"

# Limits and interruption.
cat >forever.c <<'C'
int main(void)
{
  for (volatile int i = 0;; i = 0)
    ;
}
C
gcc -g forever.c -o forever
run timeout 200 "$heddle" check --grace 1s ./forever </dev/null
[ "$status" -eq 3 ] && ok "a loop without scheduling points" || not_ok "a loop without scheduling points" "status $status"
told "it is told where" 'thread main is stuck at .*forever.c:[0-9]+.* in a loop without scheduling points'
start=$(date +%s%N)
run "$heddle" check --strategy random --time 1s ./fixed </dev/null
took=$((($(date +%s%N) - start) / 1000000))
[ "$took" -lt 30000 ] && ok "--time ends it" || not_ok "--time ends it" "$took ms"
"$heddle" check --strategy random --time 60s ./fixed </dev/null >.output 2>&1 &
child=$!
for _ in $(seq 2000); do [ -n "$(cat /proc/$child/task/$child/children 2>/dev/null)" ] && break || sleep 0.05; done
sleep 1
kill -INT $child # a shell's background job ignores it
kill -TERM $child
wait $child
status=$?
[ "$status" -eq 3 ] && ok "interrupted with nothing found" || not_ok "interrupted with nothing found" "status $status"
told "it says how far it came" 'interrupted after [0-9,]+ executions'
