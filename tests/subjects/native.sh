#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the subjects without heddle: both variants compile without a warning with gcc and clang at -O0 and -O2; the
# fixed twin passes RUNS times, under ThreadSanitizer and under valgrind; every header comment is complete.
#
#   tests/subjects/native.sh [NAME.c ...]      all of them by default; RUNS=200, status 1 if anything failed
#
# ThreadSanitizer does not know the threads of C11: those are compiled with c11_as_pthread.h in front for its run.

cd "$(dirname "$0")" || exit 2
[ $# -gt 0 ] || set -- *.c *.cc
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  echo "$subject: $*"
  failed=1
}

# field NAME: its value in the comment at the top
field() { sed -n "/\*\//q;s/^ \* $1: *//p" "$subject"; }

# build COMPILER OUTPUT FLAGS...: any output of the compiler is a complaint
build() {
  compiler=$1 output=$2
  shift 2
  log=$($compiler $standard -g -Wall -Wextra -pthread "$@" "$subject" -o "$output" 2>&1)
  [ $? -eq 0 ] && [ -z "$log" ] || complain "$compiler $*: $log"
}

for subject; do
  case $subject in
    *.cc) gcc=g++ clang=clang++ standard=-std=gnu++17 ;;
    *) gcc=gcc clang=clang standard=-std=gnu17 ;;
  esac
  standard="$standard $(field flags)"

  case $(field verdict) in
    assertion | crash | deadlock | race | memory | leak | hang | exit | property) ;;
    *) complain "verdict is missing or unknown" ;;
  esac
  case $(field threads) in [2-4]) ;; *) complain "threads is missing or not 2 to 4" ;; esac
  grep -q "^| $subject | $(field verdict) |" README.md || complain "is not in README.md with its verdict"

  for compiler in $gcc $clang; do
    for level in -O0 -O2; do
      build $compiler "$work/buggy" $level
      build $compiler "$work/fixed" $level -DFIXED
      i=0
      while [ $i -lt $((${RUNS:-200} / 4)) ]; do
        timeout 10 "$work/fixed" || { complain "fixed twin ($compiler $level) failed with status $?"; break; }
        i=$((i + 1))
      done
    done
  done

  shim=
  case $subject in c11_*) shim="-include c11_as_pthread.h" ;; esac
  for compiler in $gcc $clang; do
    build $compiler "$work/tsan" -O1 -DFIXED -fsanitize=thread $shim
    for i in 1 2 3 4 5; do
      timeout 20 "$work/tsan" 2>"$work/log" || { complain "ThreadSanitizer ($compiler): $(cat "$work/log")"; break; }
    done
  done

  build $gcc "$work/fixed" -O0 -DFIXED
  timeout 60 valgrind -q --fair-sched=yes --leak-check=full --errors-for-leak-kinds=all --error-exitcode=9 \
    "$work/fixed" 2>"$work/log" || complain "valgrind: $(cat "$work/log")"
done
[ $failed -eq 0 ] && echo "$# subjects: all as they should be"
exit $failed
