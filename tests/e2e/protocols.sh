#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Protocol errors: predicted from a run that passes, brought about, reported; nothing of the kind in the fixed twins.
# Protocols are written, read, edited.
. "$(dirname "$0")/lib.sh"
subjects=$root/tests/predict
connections='conn_*,conn_connect:init'
queues='queue_*,queue_new:new'

for name in closed_early crawler_queue; do
  "$heddle" cc -g "$subjects/$name.c" -o "$name"
  "$heddle" cc -g -DFIXED "$subjects/$name.c" -o "${name}_fixed"
done

expect_status "closed early: confirmed" 1 "$heddle" predict --calls "$connections" --write-protocols conn.txt ./closed_early
tr -s ' \n' ' ' <.output >told
check "the two calls, their object, their order" grep -q 'protocol error: T1 calls conn_output on shared .*main calls conn_close on shared' told
check "in every run" grep -q 'confirmed in 100 of 100 runs' told
expect_output "five quiet connections and one race: what is kept, what is looked at, of one run" \
  '28 calls, 8 different; 1 type, 1 racing; 1 protocol of 4 states; 7 states of orders' \
  "$heddle" predict --only-predict --strategy rr --calls "$connections" ./closed_early
check "the protocol has four states and six edges" bash -c '[ "$(grep -c "^s" conn.txt)" = 6 ] && grep -q "^s3 conn_close s4" conn.txt'
expect_output "fixed: nothing" '^0 predictions' "$heddle" predict --calls "$connections" ./closed_early_fixed
expect_status "crawler queue: confirmed" 1 "$heddle" predict --calls "$queues" --write-protocols queue.txt ./crawler_queue
tr -s ' \n' ' ' <.output >told
check "a page is taken twice" grep -q 'queue_next after queue_next' told
check "the protocol wants queue_size before queue_next" bash -c 'awk "\$2 == \"queue_next\" {from[\$1]} \$2 != \"queue_size\" {other[\$3]}
  END {for (s in from) if (s in other) exit 1}" queue.txt'
expect_output "fixed: nothing" '^0 predictions' "$heddle" predict --calls "$queues" ./crawler_queue_fixed
expect_output "without --calls nothing is known of protocols" '^0 predictions' "$heddle" predict ./closed_early

cat >early.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int conn;
void conn_connect(int *c) { pthread_mutex_lock(&lock); *c = 1; pthread_mutex_unlock(&lock); }
void conn_send(int *c) { pthread_mutex_lock(&lock); assert(*c); pthread_mutex_unlock(&lock); }
static void *child(void *unused) { conn_send(&conn); return unused; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  conn_connect(&conn);
  return pthread_join(t, 0);
}
EOF
"$heddle" cc -g early.c -o early
expect_output "too early: confirmed" 'confirmed in 100 of 100' "$heddle" predict --calls 'conn_*' ./early
tr -s ' \n' ' ' <.output >told
check "and told as such" grep -q 'conn_send before conn_connect' told

# Confirmed is what the object's state does not allow, not two calls in a certain order: here the connection is open again.
for name in reopened asked_first unseen_order; do "$heddle" cc -g "$subjects/$name.c" -o "$name"; done
"$heddle" cc -g -DUNLOCKED "$subjects/reopened.c" -o unlocked
expect_output "open again in between: not confirmed" 'not confirmed in 100 runs' "$heddle" predict --calls 'conn_*' --all ./reopened
tr -s ' \n' ' ' <.output >told
check "the call that would have allowed it is named" grep -q 'T1 calls conn_send .* main calls conn_open .*: conn_send before conn_open' told
check "why" grep -q 'probably an order that is infeasible' told
expect_output "nobody keeps it from being seen closed" 'confirmed in 100 of 100 runs$' "$heddle" predict --calls 'conn_*' ./unlocked
expect_status "and that is a bug" 1 "$heddle" predict --calls 'conn_*' ./unlocked
expect_output "values rule it out" 'not confirmed in 100 runs' "$heddle" predict --calls 'conn_*' --all ./asked_first
expect_output "it happens, and nothing fails" 'confirmed in 100 of 100 runs; probably a sequence that is right' "$heddle" predict --calls 'form_*' ./unseen_order
# A protocol written by hand is not taught by the run.
"$heddle" predict --quiet --only-predict --calls 'form_*' --write-protocols form.txt ./unseen_order
expect_output "by a given protocol it is wrong" 'confirmed in 100 of 100 runs; nothing failed, but the protocol does not allow it$' "$heddle" predict --calls 'form_*' --protocol form.txt ./unseen_order

# What was closed is used, and nothing fails: that is no sequence that is right.
cat >quietly.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static int conn;
void conn_open(int *c) { *c = 1; }
void conn_send(int *c) { *c |= 2; }
void conn_close(int *c) { *c = 0; }
static void *child(void *unused) { conn_send(&conn); return unused; }
int main(void)
{
  pthread_t t;
  conn_open(&conn);
  pthread_create(&t, 0, child, 0);
  usleep(100000);
  conn_close(&conn);
  return pthread_join(t, 0);
}
EOF
"$heddle" cc -g quietly.c -o quietly
expect_output "a use after the end is not called right" \
  'confirmed in .*; nothing failed, but nothing was ever called after that in the runs' \
  "$heddle" predict --strategy rr --calls 'conn_*' ./quietly

cat >told_calls.c <<'EOF'
#include <heddle.h>
#include <pthread.h>
static int conn;
static void *child(void *unused) { HD_CALL(conn, &conn, "send"); return unused; }
int main(void)
{
  pthread_t t;
  HD_CALL(conn, &conn, "open");
  pthread_create(&t, 0, child, 0);
  HD_CALL(conn, &conn, "close");
  HD_CALL(conn, &conn, "open");
  pthread_join(t, 0);
  return 0;
}
EOF
"$heddle" cc -g -I"$root/include" told_calls.c -o told_calls
printf 'protocol conn\nshut open on\non send on\non close shut\n' >told.txt
expect_output "calls that the program names itself" 'confirmed in 100 of 100 runs' "$heddle" predict --protocol told.txt ./told_calls

# By hand: whoever may close at any time has nothing to fear.
printf 'protocol conn\na conn_connect a\na conn_output a\na conn_input a\na conn_close a\n' >lax.txt
expect_output "a protocol that allows all" '^0 predictions' "$heddle" predict --calls "$connections" --protocol lax.txt ./closed_early
expect_status "what was written can be given" 1 "$heddle" predict --calls "$connections" --protocol conn.txt --write-protocols conn.dot ./closed_early
expect_output "a graph" '"s3" -> "s4" \[label="conn_close"\]' cat conn.dot
# As properties: what the run taught is looked for in every schedule.
run "$heddle" predict --only-predict --calls "$connections" --write-protocols conn.mop ./closed_early
run "$heddle" predict --only-predict --calls "$queues" --write-protocols queue.mop ./crawler_queue
expect_output "a protocol as a property: found by check" 'conn is violated: event conn_output in state s4' "$heddle" check --time 60s --spec conn.mop ./closed_early
expect_output "and in no execution of the fixed one" '(complete)' "$heddle" explore --races ignore --time 60s --spec conn.mop ./closed_early_fixed
expect_output "one of what a function returns" 'queue is violated: event queue_next in state s5' "$heddle" explore --keep-going --races ignore --time 60s --spec queue.mop ./crawler_queue
expect_output "fixed, too" '(complete)' "$heddle" explore --races ignore --time 60s --spec queue.mop ./crawler_queue_fixed

printf 'protocol conn\na conn_connect\n' >wrong.txt
expect_output "a wrong file" 'line 2: not of the form' "$heddle" predict --calls "$connections" --protocol wrong.txt ./closed_early
expect_output "no file" 'nowhere cannot be read' "$heddle" predict --calls "$connections" --protocol nowhere ./closed_early

expect_output "false positives by cause, and what the subjects say" \
  '^By cause: order infeasible 2, sequence unobserved 1\.$' "$root/bench/protocols" "$(dirname "$heddle")" --runs 20 --free 1
cp .output table
check "of all subjects" grep -q 'as the subjects say: met$' table

run "$heddle" record --calls "$connections" -o run.trace ./closed_early
"$heddle" convert run.trace run.std
"$heddle" convert run.std again.trace
for from in run.trace run.std again.trace; do
  expect_output "from $from" 'conn_output after conn_close' "$heddle" predict --only-predict --calls "$connections" --from "$from" ./closed_early
done
