#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The parsers of files on mangled input (tests/fuzz/fuzz.c): none may crash, hang or take much memory. RUNS inputs for each
# (20,000); make SANITIZE=1 fuzz is the long run. What an input did is left in the folder of the test (KEEP=1).
. "$(dirname "$0")/lib.sh"

fuzz=${heddle%/*}/tests/fuzz/fuzz
runs=${RUNS:-20000}
seed=${SEED:-1}
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export MALLOC_PERTURB_=165

# ---- files as heddle writes them ----

mkdir schedules traces texts mixed automata suites estimates checkpoints identities frontiers properties
cp "$root/examples/bank.c" .
searched=$root/tests/exhaustive/locks/after_you.c
"$heddle" cc -g bank.c -o bank
"$heddle" check --time 10s ./bank >/dev/null 2>&1
cp heddle-out/*.hd schedules/
"$heddle" record -o traces/bank.trace ./bank >/dev/null 2>&1
"$heddle" convert traces/bank.trace traces/bank.std >/dev/null 2>&1
"$heddle" convert --plain traces/bank.trace traces/plain.std >/dev/null 2>&1
"$heddle" explore --record estimates/bank.events --max-executions 3 "$searched" >/dev/null 2>&1
"$heddle" explore --max-executions 3 --checkpoint checkpoints/one "$searched" >/dev/null 2>&1
sed -n '/^parts/,/^executions/p' checkpoints/one >identities/one
sed -n '/^0 /,$p' checkpoints/one >frontiers/one
cat >automata/one <<'END'
# a connection
protocol conn
new  conn_open   open
open conn_send   open
open conn_close  shut
protocol file
0 fopen 1
1 fclose 2
END
cat >suites/one <<'END'
# tests
bank: bank.c -- 2 "an argument" 'another one'
queue: ./queue
END
cat >texts/one <<'END'
heddle-trace 1 text
origin L1 11*1 6*1 3*1 11 5
main create T1 @ 10
T1 mutex-lock L1 @ 15
T1 cond-wait cv L1 @ 20 stack=12,7
T1 cond-wake cv L1 @ 20 cause=4
T1 read x @ bank.c:22 value=3 length=4
T1 write x+4 @ bank.c:23 order=5 hidden
T1 mutex-trylock L2 failed
T1 call c conn.send @ 30
T1 mutex-unlock L1 @ 15
main cond-guard-signal cv L1 @ 31
main predicate p @ 31 value=0
main guard-end p @ 33
main sem-init s value=1
main sem-wait s @ 40
T2 rwlock-rdlock R @ 41
T2 rwlock-unlock R @ 42
T2 barrier-arrive B @ 43
T2 barrier-leave B @ 43
T2 atomic-rmw x @ 44 order=4
main join T1 @ 50
END
cp texts/one mixed/text
"$heddle" convert texts/one mixed/binary >/dev/null 2>&1
cp traces/bank.trace mixed/
cp "$root"/tests/properties/*.mop "$root/src/language/posix.mop" properties/

# ---- each parser ----

for pair in schedule:schedules trace:traces trace-text:texts automaton:automata suite:suites estimate:estimates \
  checkpoint:checkpoints identity:identities frontier:frontiers predict:mixed property:properties; do
  parser=${pair%%:*} files=("${pair##*:}"/*)
  if [ ! -s "${files[0]}" ]; then
    not_ok "$parser: there is a file to begin with"
    continue
  fi
  run timeout 3600 "$fuzz" "$parser" "$runs" "$seed" "$work/$parser.input" "${files[@]}"
  if [ "$status" -eq 0 ]; then
    ok "$parser: $runs inputs"
    sed 's/^/    /' .output
  else
    not_ok "$parser: $runs inputs" "status $status"
    head -c 400 "$parser.input" | od -c | head -n 12 | sed 's/^/    | /'
  fi
done
