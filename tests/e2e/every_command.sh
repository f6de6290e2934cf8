#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every command once, as somebody uses it, and the ways out of it that free what was held. What the results are is for the
# other tests: here each ends with its status, and in a build with sanitizers (make SANITIZE=1) without a word from them.
. "$(dirname "$0")/lib.sh"

export ASAN_OPTIONS=detect_stack_use_after_return=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1:exitcode=99
searched=$root/tests/exhaustive/locks/after_you.c

# ends STATUS ARGUMENTS...: of heddle.
ends() {
  local wanted=$1
  shift
  run "$heddle" "$@" </dev/null
  if [ "$status" -eq "$wanted" ] && ! grep -Eq 'runtime error:|ERROR: [A-Za-z]*Sanitizer' .output; then
    ok "heddle ${*//"$root/"/}"
  else
    not_ok "heddle ${*//"$root/"/}" "status $status, not $wanted"
  fi
}

cp "$root/examples/bank.c" .
echo 'int main(void) { return nothing; }' >wrong.c
echo 'int main(void) { int x = 0; __asm__ volatile("lock incl %0" : "+m"(x)); return 0; }' >nothing.c
printf 'bank: bank.c\nsearched: %s\n' "$searched" >tests.suite

words() { "$heddle" --help | sed -n "/^$1/,/^$2/s/^  \([a-z+]*\)  .*/\1/p" | grep -v heddle; }
for command in $(words usage 'more help'); do ends 0 "$command" --help; done
for topic in $(words 'more help' 'start here'); do ends 0 help "$topic"; done
ends 2 unheard-of

ends 0 cc -g bank.c -o bank
ends 0 cc -g nothing.c -o nothing
ends 1 check --time 10s ./bank
ends 1 check --time 10s -j2 --explain --json bank.json --sarif bank.sarif bank.c
schedule=heddle-out/bank-1.hd
ends 1 replay "$schedule"
ends 0 show "$schedule"
ends 0 show --run "$schedule"
ends 0 localise "$schedule"
ends 0 shrink "$schedule"
ends 0 schedule "$schedule"

ends 0 explore -j2 "$searched"
ends 0 explore --max-executions 3 --checkpoint state "$searched"
ends 0 explore --resume state "$searched"
ends 0 explore --max-executions 10 --record events "$searched"
ends 0 estimate events
ends 1 suite --time 5s tests.suite

ends 0 record -o bank.trace ./bank
ends 0 convert bank.trace bank.std
ends 0 convert bank.std again.trace
ends 1 predict --from bank.trace ./bank
ends 1 predict --time 10s "$root/tests/predict/connection_pool.c"
ends 1 minimise --time 20s "$root/tests/minimise/account.c"
ends 1 run ./bank
ends 1 lint --no-cache --all --json lint.json --sarif lint.sarif "$root/tests/lint_cases/e_outside.c"
ends 0 lint --no-cache --rules all bank.c
ends 2 test ./bank
ends 0 stress --runs 5 ./nothing
"$heddle" doctor >/dev/null 2>&1
ends $? doctor

# ---- when it goes wrong ----

ends 2 check not-there.c
ends 2 check wrong.c
ends 2 cc -static bank.c
ends 2 cc -fsanitize=address bank.c
HEDDLE_CC=/not/there ends 3 cc bank.c
HEDDLE_CC=musl-gcc ends 2 check bank.c
LDLIBS='-lm -lrt' ends 1 check --time 2s bank.c
ends 2 replay bank.c
ends 2 explore --resume bank.c "$searched"
ends 2 estimate bank.c
ends 2 convert bank.c bank.std2
ends 2 suite bank.c
ends 2 predict --from bank.c ./bank
