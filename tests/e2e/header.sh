#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The public header from cmocka, from Check and from a plain main; with heddle linked, without it, and under the command
# line.
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
