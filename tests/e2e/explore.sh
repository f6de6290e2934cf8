#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle explore as a person meets it: what it says, all cores, workers that are killed, checkpoints, bounds, limits. How
# many executions there are is counted in exhaustive.py.
. "$(dirname "$0")/lib.sh"

# number FILE KEY: a number of the JSON document.
number() { sed -n "s/^  \"$2\": \([0-9.a-z]*\),\{0,1\}$/\1/p" "$1"; }

# counts NAME FILE EXECUTIONS: a complete search with so many executions, none abandoned.
counts() {
  local is
  is="$(number "$2" executions) $(number "$2" blocked_executions) $(number "$2" complete)"
  if [ "$is" = "$3 0 true" ]; then ok "$1"; else not_ok "$1" "$is, not $3 0 true"; fi
}

cat >writers.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void *writer(void *value) { x = (int)(long)value; return NULL; }
int main(int argc, char **argv)
{
  pthread_t t[16];
  int n = argc > 1 ? atoi(argv[1]) : 3;
  for (long i = 0; i < n; i++) pthread_create(&t[i], NULL, writer, (void *)i);
  for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
  return 0;
}
C
cat >lost.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *arg) { int old = x; x = old + 1; return arg; }
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(x == 2);
  return 0;
}
C
cat >again.c <<'C'
#include <sys/resource.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
/* Their sum is measured; how it is divided is guessed from the clock's ticks, and may be all of one for long. */
static unsigned ticks(void) { struct rusage used; getrusage(RUSAGE_SELF, &used); return used.ru_utime.tv_usec + used.ru_stime.tv_usec; }
static void *work(void *arg) { if (ticks() & 1) x++; else y++; x++; y++; return arg; }
int main(void)
{
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
C
cat >interrupted.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int ran;
static pthread_t first;
static void leave(int signal) { (void)signal; pthread_exit(NULL); }
static void *send(void *arg) { pthread_kill(first, SIGUSR1); return arg; }
static void *run(void *arg) { ran = 1; return arg; }
static void look(void) { assert(ran); }
int main(void)
{
  pthread_t a, b;
  first = pthread_self();
  atexit(look);
  signal(SIGUSR1, leave);
  pthread_create(&a, NULL, send, NULL);
  pthread_create(&b, NULL, run, NULL); /* not if the signal comes before */
  pthread_join(b, NULL);
  pthread_join(a, NULL);
  return 0;
}
C
for p in writers lost again interrupted; do "$heddle" cc -g $p.c -o $p; done

# ---- what it says ----

for strategy in dpor dfs; do
  expect_output "$strategy: a signal comes before a thread is created" '^✗ assertion failed: ran ' "$heddle" explore --strategy $strategy ./interrupted
done

expect_output "it says complete" '^no bug in any interleaving \(complete\): 6 executions, ' "$heddle" explore ./writers
expect_status "status 0" 0 "$heddle" explore ./writers
expect_output "source files are compiled" 'complete\): 6 executions' "$heddle" explore writers.c
expect_status "a bug: status 1" 1 "$heddle" explore ./lost
run "$heddle" explore ./lost
told() { if grep -Eq "$2" "$work/.output"; then ok "$1"; else not_ok "$1" "no line matches $2"; fi; }
told "it is told" 'assertion failed: x == 2'
told "with its schedule" 'replay   heddle replay heddle-out/lost-[0-9]+.hd'
run "$heddle" explore --iterative ./lost
told "--iterative says how many preemptions" '^found with 1 preemption; no execution with fewer shows a bug'
sed -e '1i #include <sys/random.h>' -e 's/^  pthread_t a, b;/  char c;\n  getrandom(\&c, 1, 0);\n&/' lost.c >drawn.c
"$heddle" cc -g drawn.c -o drawn
run "$heddle" explore --iterative ./drawn
told "a loss does not end --iterative" '^no bug found with at most 0 preemptions: .*; not complete: it draws random numbers'
told "but makes it say less" '^found with 1 preemption; no execution that was seen with fewer shows a bug'
run "$heddle" explore --bound preemptions=0 ./lost
told "a bound is a proof for what is within it only" \
  '^no bug with at most 0 preemptions \(complete within this bound\): 2 executions .*; those with more were not tried'
run "$heddle" explore --max-executions 100 -j 1 ./writers -- 8
told "nor is a limit" '^no bug found in 100 executions \(.*\), about [0-9.]+ % .*of an estimated [0-9,]+'
run "$heddle" explore --time 300ms ./writers -- 12
told "nor the end of the time" '^no bug found in [0-9,]+ executions .*of an estimated'
expect_status "breadth first with dpor" 2 "$heddle" explore --strategy dpor --order bfs ./writers
"$heddle" cc -g "$root/tests/exhaustive/increments.c" -o increments
for order in dfs bfs; do
  for row in 2:6 3:90 4:2,520; do
    expect_output "$order: ${row%:*} threads that read and write, ${row#*:} interleavings" "complete\\): ${row#*:} executions" \
      "$heddle" explore --strategy dfs --order $order --races ignore ./increments -- "${row%:*}" 1
  done
done
# Three searches: at once; bound by bound; bound by bound with a checkpoint after each few executions.
run "$heddle" explore --bound preemptions=2 --keep-going -j 1 --races ignore ./increments -- 3 1
grep 'at most 2' "$work/.output" | grep -Eo '[0-9]+ executions' >at_once
run "$heddle" explore --iterative -j 1 --races ignore ./increments -- 3 1
grep 'at most 2' "$work/.output" | grep -Eo '[0-9]+ executions' >by_bounds
if cmp -s at_once by_bounds; then ok "--iterative: bound 2 goes on from bound 1"; else not_ok "--iterative: bound 2 goes on from bound 1"; fi
grep -Eo '[0-9]+ executions' "$work/.output" | tail -1 >all_bounds
run "$heddle" explore --iterative -j 1 --checkpoint bounds --max-executions 9 --races ignore ./increments -- 3 1
run "$heddle" explore --iterative -j 2 --resume bounds --races ignore ./increments -- 3 1
grep -Eo '[0-9]+ executions' "$work/.output" | tail -1 >resumed_bounds
if cmp -s all_bounds resumed_bounds; then ok "--iterative goes on from a checkpoint"; else not_ok "--iterative goes on from a checkpoint"; fi
expect_status "no such bound" 2 "$heddle" explore --bound switches=1 ./writers
expect_status "no such strategy here" 2 "$heddle" explore --strategy pct ./writers
for _ in 1 2 3 4 5; do # it may be lucky, and find the same ticks everywhere
  run "$heddle" explore ./again
  [ "$status" -eq 3 ] && break
done
[ "$status" -eq 3 ] && ok "a program that does not repeat itself: status 3" || not_ok "a program that does not repeat itself: status 3" "status $status"
told "and what it is" 'the program does not do the same under the same schedule'

# ---- all cores ----

for jobs in 1 2 3; do
  "$heddle" explore -q -j $jobs --json j$jobs.json --hashes j$jobs.hashes ./writers -- 7
  counts "7! executions by $jobs" j$jobs.json 5040
  [ "$(grep -v '^#' j$jobs.hashes | cut -d' ' -f1 | sort -u | wc -l)" -eq 5040 ] && ok "no class twice by $jobs" || not_ok "no class twice by $jobs"
done
for jobs in 1 2; do
  sort j$jobs.hashes >j$jobs.sorted
done
cmp -s j1.sorted j2.sorted && ok "the same executions" || not_ok "the same executions"
for reset in fork exec; do
  "$heddle" explore -q -j 2 --reset $reset --json reset.json ./writers -- 4
  counts "in $reset mode" reset.json 24
done

# Workers are killed one after the other; with one, nobody hands in unless it is asked to since others were lost.
for jobs in 1 2; do
  "$heddle" explore -q -j $jobs --json killed.json ./writers -- 8 >killed.txt 2>&1 &
  search=$!
  for _ in $(seq 8); do
    sleep 0.3
    victim=$(pgrep -P $search | shuf -n 1)
    [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
  done
  wait $search
  counts "$jobs at work, up to eight killed: the same total" killed.json 40320
done

# ---- checkpoints ----

"$heddle" explore -q -j 2 --checkpoint state --json whole.json ./writers -- 7
counts "with a checkpoint" whole.json 5040
"$heddle" explore -q --resume state --json resumed.json ./writers -- 7
counts "resumed when all was done" resumed.json 5040
rm -f state
"$heddle" explore -q -j 2 --checkpoint state ./writers -- 9 >/dev/null 2>&1 &
search=$!
for _ in $(seq 2000); do
  grep -q '^executions [1-9]' state 2>/dev/null && break
  sleep 0.05
done
sleep 0.2
workers=$(pgrep -P $search)
kill -9 $search $workers 2>/dev/null
wait $search 2>/dev/null
before=$(sed -n 's/^executions //p' state)
"$heddle" explore -q -j 2 --resume state --json resumed.json ./writers -- 9
counts "all killed after $before executions, then resumed: the same total" resumed.json 362880
[ "$before" -gt 0 ] && ok "what was done before counts" || not_ok "what was done before counts"
"$heddle" explore -q -j 2 --time 300ms --checkpoint first ./writers -- 8
cp first early
"$heddle" explore -q -j 1 --resume early --time 200ms ./writers -- 8
"$heddle" explore -q -j 3 --resume early --json resumed.json ./writers -- 8
counts "stopped by time, resumed by others" resumed.json 40320
expect_status "a checkpoint of other arguments" 2 "$heddle" explore --resume first ./writers -- 7
expect_output "is told" 'it is of another program, or of another build of it' "$heddle" explore --resume first ./lost
head -c 600 first >"cut"
expect_output "a checkpoint that is cut short" '^heddle: --resume: cut cannot be used: ' "$heddle" explore --resume cut ./writers -- 8
cp first damaged # wherever it was killed
printf q | dd of=damaged bs=1 seek=$(($(stat -c %s first) / 2)) conv=notrunc status=none
expect_status "a damaged one" 2 "$heddle" explore --resume damaged ./writers -- 8
echo hello >other
expect_output "another file" 'it is not a checkpoint$' "$heddle" explore --resume other ./writers -- 8
expect_status "a missing one" 2 "$heddle" explore --resume nowhere ./writers -- 8
expect_status "a folder that is not there" 2 "$heddle" explore --checkpoint nowhere/state ./writers -- 3
run "$heddle" explore --checkpoint full --resume early ./writers -- 8
[ -e full ] && ok "a checkpoint may go to another file" || not_ok "a checkpoint may go to another file"

# ---- check ends with it ----

expect_output "check says complete" '^no bug in any interleaving \(complete\)' "$heddle" check ./writers
run "$heddle" check -j 1 --time 3s ./increments -- 4 3 2 # too many for causality, too
told "or how far it came, not counting samples" '^no bug found in [0-9,]+ executions \(.*\): samples, and about [0-9.]+ % of an estimated'

# ---- main waits too ----

cat >await.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *raise_it(void *arg) { flag = 1; return arg; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, raise_it, NULL);
  while (!flag)
    ;
  return pthread_join(t, NULL);
}
C
for level in 0 1 2; do
  "$heddle" cc -g -O$level await.c -o await
  expect_output "main waits in a loop for what nobody shares yet, -O$level" 'complete\)' "$heddle" explore ./await
  expect_status "the same by sampling, -O$level" 0 "$heddle" run --strategy rr --runs 10 ./await
done
