#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The public header from cmocka, from Check and from a plain main; with heddle linked, without it, and under the command
# line. Then whole tests of cmocka and Check that are explored.
. "$(dirname "$0")/lib.sh"
tests=$root/tests/header

check "cmocka: all verdicts as expected" bash -c '"$0" cc "$1/cmocka.c" -o cmocka -lcmocka && ./cmocka' "$heddle" "$tests"
check "Check: both tests pass" bash -c '"$0" cc "$1/check.c" -o check $(pkg-config --cflags --libs check) && ./check' "$heddle" "$tests"
check "plain main: the bug is found" bash -c '"$0" cc "$1/plain.c" -o plain && [ "$(./plain)" = "failed assertion" ]' "$heddle" "$tests"
check "the same with clang" bash -c 'HEDDLE_CC=clang "$0" cc "$1/plain.c" -o plain2 && [ "$(./plain2)" = "failed assertion" ]' "$heddle" "$tests"
check "without heddle the body runs once" bash -c 'cc -I"$1/../../include" "$1/plain.c" -o alone && [ "$(./alone)" = "passed " ]' "$heddle" "$tests"
check "as C++ the header compiles" bash -c 'echo "#include <heddle.h>
int main() { hd_yield(); return hd_choose(3); }" > t.cc && c++ -Wall -Wextra -Werror -I"$1/../../include" t.cc -o t && ./t' "$heddle" "$tests"
check "under heddle check the program itself is explored" bash -c '"$0" check --quiet --races=ignore plain; [ $? = 1 ]' "$heddle" "$tests"

wrapped() { "$heddle" cc -Wall -Wextra -Werror "$tests/wrapped_$1.c" -o "wrapped_$1" "${@:2}"; }
read -ra libcheck <<<"$(pkg-config --cflags --libs check)"
check "HD_CMOCKA_TEST: compiles" wrapped cmocka -lcmocka
expect_output "HD_CMOCKA_TEST: a failed check fails the test, told with place and execution" \
  'ERROR: assertion failed: 0x1 != 0x2, .*wrapped_cmocka.c:41 \(execution [0-9]+ of [0-9]+\)' ./wrapped_cmocka
expect_output "HD_CMOCKA_TEST: the right body passes" '\[       OK \] adds_up' env CMOCKA_MESSAGE_OUTPUT=STDOUT ./wrapped_cmocka
expect_status "HD_CMOCKA_TEST: one test failed" 1 ./wrapped_cmocka
expect_output "HD_CMOCKA_TEST: whatever cmocka's output is" '0x1 != 0x2' env CMOCKA_MESSAGE_OUTPUT=TAP ./wrapped_cmocka
check "HD_CHECK_TEST: compiles" wrapped check "${libcheck[@]}"
for fork in yes no; do
  expect_output "HD_CHECK_TEST, CK_FORK=$fork: a failed check fails the test, told with place and execution" \
    "loses_an_update:0: assertion 'counter == 2' failed: counter == 1, 2 == 2, .*wrapped_check.c:36 \(execution" \
    env CK_FORK=$fork ./wrapped_check
  expect_output "HD_CHECK_TEST, CK_FORK=$fork: the other one passes" '^50%: Checks: 2, Failures: 1' env CK_FORK=$fork ./wrapped_check
done
alone() { cc -Wall -Wextra -Werror -I"$root/include" "$tests/wrapped_$1.c" -o "alone_$1" "${@:2}" && "./alone_$1"; }
check "HD_CMOCKA_TEST: without heddle it is the plain test" alone cmocka -lcmocka
check "HD_CHECK_TEST: without heddle it is the plain test" alone check "${libcheck[@]}"
