#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Calls of functions named with --calls are operations: found by pattern, with their objects, in every mode and by both
# compilers, and nothing about the functions changes.
. "$(dirname "$0")/lib.sh"
subjects=$root/tests/predict
list='item_*,item_new:new,item_never:new,item_add:2'

# calls FILE.hd: how many calls the schedule makes
calls() { "$heddle" replay --trace "$1" | grep -c ' calls '; }

# 1 + 2 + 2 × 21 creations, 1 + 2 + 2 × 21 frees, 4 other calls a thread
wanted=98
for compiler in gcc clang; do
  for options in -O0 -O2 '-O1 -fcf-protection=full'; do
    # shellcheck disable=SC2086
    HEDDLE_CC=$compiler run "$heddle" cc $options -DFAILS=1 "$subjects/arguments.c" -o arguments
    for reset in snapshot fork exec; do
      rm -rf heddle-out
      expect_output "$compiler $options, $reset: arguments and results stay" 'ended with exit status 1' \
        "$heddle" run --strategy random --runs 5 -j1 --reset "$reset" --calls "$list" ./arguments
      check "$compiler $options, $reset: every call is told" test "$(calls heddle-out/arguments-1.hd)" = $wanted
    done
  done
done

"$heddle" cc "$subjects/closed_early.c" -o closed_early
"$heddle" cc -DFIXED "$subjects/closed_early.c" -o closed_early_fixed
"$heddle" cc "$subjects/crawler_queue.c" -o crawler_queue
"$heddle" cc -DFIXED "$subjects/crawler_queue.c" -o crawler_queue_fixed
expect_status "closed early: the child goes first in an ordinary run" 0 "$heddle" run --runs 1 --strategy rr --calls 'conn_*' ./closed_early
expect_status "closed early: fails" 1 "$heddle" check --quiet --calls 'conn_*' ./closed_early
expect_output "the trace names function and object" 'T1 .* calls +conn_output on shared' "$heddle" replay --trace heddle-out/closed_early-1.hd
expect_output "the schedule file names the list" '^calls +"?conn_\*' cat heddle-out/closed_early-1.hd
expect_output "fixed: complete" 'complete' "$heddle" explore --calls 'conn_*' ./closed_early_fixed
expect_status "crawler queue: passes in an ordinary run" 0 "$heddle" run --runs 1 --strategy rr --calls 'queue_*,queue_new:new' ./crawler_queue
expect_status "crawler queue: fails" 1 "$heddle" check --quiet --calls 'queue_*,queue_new:new' ./crawler_queue
expect_output "what a creator returns is the object" 'calls +queue_new on \*q' "$heddle" replay --trace heddle-out/crawler_queue-1.hd
expect_output "fixed: complete" 'complete' "$heddle" explore --calls 'queue_*,queue_new:new' ./crawler_queue_fixed

cat >told.c <<'EOF'
#include <heddle.h>
#include <pthread.h>
static int object;
static void *use(void *unused) { HD_CALL(thing, &object, "use"); return unused; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, use, 0);
  HD_CALL(thing, &object, "end");
  pthread_join(t, 0);
  return 1;
}
EOF
"$heddle" cc told.c -o told
expect_status "a program can tell of its calls itself" 1 "$heddle" check --quiet ./told
expect_output "with names" 'T1 .* calls +use on object' "$heddle" replay --trace heddle-out/told-1.hd
check "and by itself it runs as ever" bash -c './told; [ $? = 1 ]'

cat >poll.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
int queue_size(int *q) { pthread_mutex_lock(&lock); int n = *q; pthread_mutex_unlock(&lock); return n; }
void queue_add(int *q) { pthread_mutex_lock(&lock); ++*q; pthread_mutex_unlock(&lock); }
static void *wait(void *unused) { while (!queue_size(&count)); return unused; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, wait, 0);
  queue_add(&count);
  return pthread_join(t, 0);
}
EOF
"$heddle" cc poll.c -o poll
expect_output "a loop that waits is one, with calls in it too" 'complete' "$heddle" explore --time 20s --calls 'queue_*' ./poll

expect_output "no such function" 'has no function "connn_\*"' "$heddle" run --calls 'connn_*' ./closed_early
expect_output "one that cannot be watched" '_start was not compiled by heddle cc' "$heddle" run --calls _start ./closed_early
expect_output "a wrong item" 'is not of the form' "$heddle" run --calls 'conn_*:often' ./closed_early
