#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sampling that learns: what rff, surw, period, novel and reversals find and tell, and the corpus that rff keeps from run to run.
. "$(dirname "$0")/lib.sh"
programs=$root/tests/sampling

"$heddle" cc -g -O1 -DN=20 "$programs/reorder.c" -o reorder -pthread || exit 1
"$heddle" cc -g -O1 -DN=3 -DFIXED "$programs/reorder.c" -o fixed -pthread || exit 1
"$heddle" cc -g -O1 -DFIXED "$programs/safe_stack.c" -o long -pthread || exit 1

for strategy in rff surw period novel reversals; do
  expect_status "$strategy finds it" 1 "$heddle" check -j 1 --strategy $strategy --max-executions 20000 --time 100s --out "by-$strategy" ./reorder
  expect_status "$strategy is silent about the twin" 0 "$heddle" check -j 1 --strategy $strategy --max-executions 2000 --time 100s --out twin ./fixed
done
says='^no bug found in 2,000 executions \(.*, period schedules: all of at most [0-9]+ segments?, [0-9,]+ of [0-9,]+ with one more\)'
run "$heddle" check -j 1 --strategy period --max-executions 2000 --time 100s ./fixed
if grep -Eq "$says" .output; then ok "period says how far it came"; else not_ok "period says how far it came"; fi

# One of these is found by a constraint, and not by the sampling below it.
told=
for seed in 1 2 3 4 5 6 7 8 9; do
  "$heddle" check -j 1 --strategy rff --seed $seed --max-executions 20000 --time 100s --out "seed-$seed" ./reorder >.output 2>&1
  grep -Eq "^  tries    .*(read of|'s) .*reorder.c:[0-9]+ (sees|does not see) (what was there at first|.* at .*reorder.c:[0-9]+)" .output && told=1 && break
done
if [ "$told" ]; then ok "what was tried is told in words"; else not_ok "what was tried is told in words"; fi
sentence=$(sed -n 's/^  tries    //p' .output)
"$heddle" check -q -j 1 --strategy rff --seed "$seed" --max-executions 20000 --time 100s --out again --json again.json ./reorder >/dev/null 2>&1
if [ "$sentence" ] && grep -qF "\"$sentence\"" again.json && grep -qF "\"$sentence\"" "seed-$seed"/reorder-1.html; then
  ok "the same in JSON and on the page"
else
  not_ok "the same in JSON and on the page"
fi

run "$heddle" check -v -j 1 --strategy rff --max-executions 100 --time 100s --out told ./fixed
if grep -Eq '^[0-9]+ schedules? showed what no shorter one does:' .output && grep -Eq '^  tries    .* sees ' .output; then
  ok "what is tried is told on request where nothing fails"
else
  not_ok "what is tried is told on request where nothing fails"
fi

# Seven preemptions are the least by which it can be had.
"$heddle" cc -g -O1 "$programs/safe_stack.c" -o stack -pthread || exit 1
expect_status "what needs many switches in a row is found" 1 "$heddle" check -j 1 --strategy novel --seed 105 --max-executions 20000 --time 100s --out stack-out ./stack
if grep -q '^  bug  ' .output && ! grep -q 'a counter is changed and tested' .output; then ok "an index is no counter"; else not_ok "an index is no counter"; fi
run "$heddle" shrink --time 20s stack-out/stack-1.hd
preemptions=$(sed -n 's/.*switches, \([0-9]*\) of them preemptions; before.*/\1/p' .output)
if [ "${preemptions:-99}" -ge 7 ] && [ "$preemptions" -le 14 ]; then ok "it is shrunk to few preemptions"; else not_ok "it is shrunk to few preemptions" "$preemptions"; fi

# main() does not wait for its threads, and what goes wrong does so at their end.
cat >unjoined.c <<'C'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, done;
static void *add(void *p)
{
  pthread_mutex_lock(&lock);
  sum += 2;
  done++;
  pthread_mutex_unlock(&lock);
  return p;
}
static void *look(void *p)
{
  pthread_mutex_lock(&lock);
  if (done == 3)
    assert(sum == 4);
  pthread_mutex_unlock(&lock);
  return p;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, look, NULL);
  for (int i = 0; i < 3; i++)
    pthread_create(&t, NULL, add, NULL);
  return 0;
}
C
"$heddle" cc -g -O1 unjoined.c -o unjoined -pthread || exit 1
expect_status "the end of the program comes last, too" 1 "$heddle" run -q -j 1 --until-bug --strategy pos --runs 500 --out end ./unjoined
expect_status "and by reversals" 1 "$heddle" run -q -j 1 --until-bug --strategy reversals --runs 100 --out end ./unjoined

# Eight bugs: who shares the work finds all that one does alone.
cat >several.c <<'C'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum, ready, value;
static void *one(void *p)
{
  int before = sum;
  sum = before + 1;
  ready = 1;
  value = 7;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return p;
}
static void *other(void *p)
{
  int before = sum;
  sum = before + 1;
  if (ready)
    assert(value == 7);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return p;
}
int main(void)
{
  pthread_t s, t;
  pthread_create(&s, NULL, one, NULL);
  pthread_create(&t, NULL, other, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
  assert(sum == 2);
}
C
"$heddle" cc -g -O1 several.c -o several -pthread || exit 1
keys() {
  "$heddle" run -q -j "$1" --strategy rff --keep-going --runs 1000 --out "workers-$1" --json several.json ./several >/dev/null 2>&1
  grep -o '"key": *"[0-9a-f]*"' several.json | sort
}
one=$(keys 1)
two=$(keys 2)
if [ "$(wc -l <<<"$one")" -eq 8 ] && [ "$one" = "$two" ]; then ok "two workers find the same"; else not_ok "two workers find the same" "$one and $two"; fi

# ---- the corpus ----

corpus=by-rff/corpus/reorder
if [ "$(head -1 $corpus)" = "heddle corpus 1" ]; then ok "there is a corpus"; else not_ok "there is a corpus"; fi
expect_status "the next run goes on from it" 1 "$heddle" check -j 1 --strategy rff --max-executions 20000 --time 100s --out by-rff ./reorder

refused() {
  run "$heddle" check -j 1 --strategy rff --max-executions 10 --time 100s --out by-rff ./reorder
  if [ "$status" -eq 2 ] && [ "$(wc -l <.output)" -eq 1 ] && grep -q "^heddle: $corpus cannot be used: $2" .output; then ok "$1"; else not_ok "$1" "status $status"; fi
}
cp $corpus kept
printf 'x' >>$corpus
refused "a damaged corpus is refused" "it is damaged"
sed '1s/1/2/' kept >$corpus
refused "that of a newer heddle is refused" "version 2 was made by a newer heddle"
head -c 1000 /dev/zero >$corpus
refused "what is no corpus is refused" "it is not a corpus"
rm $corpus && mkfifo $corpus
refused "what is no file is refused" ""
rm $corpus

# Killed in the middle of a long search, when it has saved something.
"$heddle" run -q -j 1 --strategy rff --time 300s --out killed ./long >/dev/null 2>&1 &
pid=$!
for _ in $(seq 600); do [ -s killed/corpus/long ] && break; sleep 0.1; done
kill -9 $pid
wait $pid 2>/dev/null
if [ "$(head -1 killed/corpus/long)" = "heddle corpus 1" ]; then ok "it was saved before the end"; else not_ok "it was saved before the end"; fi
expect_status "a corpus survives kill -9" 0 "$heddle" run -q -j 1 --strategy rff --runs 200 --out killed ./long
