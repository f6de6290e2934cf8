#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every primitive, every outcome. Builds the programs of tests/primitives with gcc, and those whose primitives the compiler
# has a hand in with clang too, runs each of their cases
# under many schedules, judges them, and prints the matrix of function and outcome. What has to be in the matrix is
# declared in tests/primitives/matrix.txt; every function that the runtime takes over needs a row there, and so does every
# interface of tests/primitives/interfaces.txt, which must be taken over and have a model.
#
#   PRIMITIVES="mutex cond"   only these programs (then without the matrix)
#   COMPILERS="gcc"           only with this compiler
#   RUNS=200                  executions of each case, by all strategies in turns; by random alone with gcc where clang does that
#   --full                    every program with both compilers: a call of a function of libc is the same from both, so that
#                             of most programs the second build shows only what the first one does
. "$(dirname "$0")/lib.sh"

primitives=$root/tests/primitives
compilers=${COMPILERS:-gcc clang}
# Atomics, thread-local variables, unwinding, calls that are replaced: what a compiler makes in its own way.
by_compiler=' c11 cancel cxx exit futex malloc once signal spin stdio tsd '
full=${1:-${FULL:+--full}}
runs=${RUNS:-160}
library=$(dirname "$heddle")/libheddle.so
[ -f "$library" ] || library=$(dirname "$heddle")/../lib/heddle/libheddle.so

# build COMPILER SOURCE: leaves COMPILER/NAME and the list of its cases
build() {
  local name=${2##*/} driver=cc standard=-std=gnu17 cxx=g++
  if [ "$1" = clang ]; then cxx=clang++; fi
  if [[ $name == *.cc ]]; then driver=c++ standard='-std=gnu++20 -fsized-deallocation'; fi # as g++ has it by itself
  name=${name%.*}
  mkdir -p "$1"
  # shellcheck disable=SC2086 # options are words
  HEDDLE_CC=$1 HEDDLE_CXX=$cxx "$heddle" $driver $standard -g -O1 -Wall -Wextra -pthread "$2" -o "$1/$name" >"$1/$name.log" 2>&1 &&
    "$1/$name" >"$1/$name.cases"
}

# by_both NAME
by_both() { [ "$full" = --full ] || [[ $by_compiler == *" $1 "* ]]; }

# run_cases COMPILER NAME: everything there is to judge goes to standard output
run_cases() {
  local case verdict outcomes options text strategy=portfolio
  if [ "$1" = gcc ] && [[ $compilers == *clang* ]] && by_both "$2"; then strategy=random; fi
  while IFS='|' read -r case verdict outcomes options text; do
    printf '@case|%s|%s|%s|%s|%s|%s\n' "$1" "$2" "$case" "$verdict" "$outcomes" "$text"
    echo "@run|$strategy"
    # shellcheck disable=SC2086 # options are words
    timeout -k 2 200 "$heddle" run -j1 -q --strategy $strategy --runs "$runs" --grace 1s $options --output all --json - "$1/$2" \
      -- "$case" </dev/null 2>&1
    echo "@status|$?"
  done < <(tr '\t' '|' <"$1/$2.cases")
}

# The work is cut in two: one process for each core.
shard() {
  local i=0 compiler source name
  for source in "${sources[@]}"; do
    name=${source##*/}
    name=${name%.*}
    for compiler in $compilers; do
      if [ "$compiler" != gcc ] && [ -z "${COMPILERS:-}" ] && ! by_both "$name"; then continue; fi
      i=$((i + 1))
      [ $((i % 2)) -eq "$1" ] || continue
      if build "$compiler" "$source"; then
        [ ! -s "$compiler/$name.log" ] || sed "s/^/@warning|/" "$compiler/$name.log"
        run_cases "$compiler" "$name"
      else
        printf '@broken|%s|%s\n' "$compiler" "$name"
        cat "$compiler/$name.log"
      fi
    done
  done
}

sources=()
for name in ${PRIMITIVES:-}; do sources+=("$primitives/$name".c*); done
[ ${#sources[@]} -gt 0 ] || sources=("$primitives"/*.c "$primitives"/*.cc)

shard 0 >results.0 2>&1 &
shard 1 >results.1 2>&1
wait

# What the runtime takes over, but for the hooks of memory accesses and of calls whose result nobody uses, the functions
# that are only ranges of accesses, and what it takes over from test frameworks and for them (test_frontends.sh);
# getauxval() is only noted (tests/edges/chance_auxiliary.c).
hooks='__tsan_.*|hd_.*|__heddle_(asm|idle|atomic.*|barrier_wait)|__libc_start_main|getauxval'
ranges='mem(chr|cmp|cpy|move|set)|stpcpy|str(cat|r?chr|n?cmp|n?cpy|n?len|str)'
frameworks='.*HEDDLE_TESTS|(__wrap_)?_(tcase_add_test|ck_assert_failed)|mkstemp|unlink'
nm -D --defined-only "$library" | awk 'toupper($2) != "B" { print $3 }' |
  grep -Evx "$hooks|$ranges|$frameworks" >exported

awk -f "$primitives/code.awk" "$root"/src/worlds/threads/*/*.c >code

awk -v partial="${PRIMITIVES:-}${COMPILERS:-}" -v tests="$root/tests/e2e" -f "$primitives/judge.awk" "$primitives/matrix.txt" exported \
  "$primitives/interfaces.txt" code results.0 results.1
