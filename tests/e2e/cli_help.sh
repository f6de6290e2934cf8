#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Help, version, and wrong commands and options: one clear line, status 2, with the nearest right name.
. "$(dirname "$0")/lib.sh"

# one_line NAME STATUS REGEX COMMAND...: that status, and all that is printed is one line from heddle that matches.
one_line() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run "$@" </dev/null
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif [ "$(wc -l <"$work/.output")" -ne 1 ]; then
    not_ok "$name" "not one line"
  elif ! grep -Eq "^heddle: .*$regex" "$work/.output"; then
    not_ok "$name" "does not match $regex"
  else
    ok "$name"
  fi
}

expect_status "--help" 0 "$heddle" --help
expect_output "--help lists check" '^  check +find' "$heddle" --help
expect_output "--help tells the exit status" '^  3  heddle could not do it' "$heddle" --help
expect_status "help" 0 "$heddle" help
expect_output "--version" '^heddle [0-9]+\.[0-9]+' "$heddle" --version
expect_status "no command" 2 "$heddle"
for command in check run explore suite test stress predict record convert estimate replay show bugs localise shrink schedule cc c++; do
  expect_status "help $command" 0 "$heddle" help "$command"
  expect_output "$command --help has an example" '^example:' "$heddle" "$command" --help
  expect_output "$command --help tells the exit status" '^exit status:' "$heddle" "$command" --help
done
expect_output "defaults are in the help" '--max-steps N .*default 100000' "$heddle" check --all-options
run "$heddle" replay --all-options
if grep -q -- "--max-steps" .output; then not_ok "replay lists only what it takes"; else ok "replay lists only what it takes"; fi

one_line "unknown command" 2 'chekc.*did you mean check' "$heddle" chekc
one_line "unknown command, nothing near" 2 'xyzzy.*--help' "$heddle" xyzzy
one_line "unknown first option" 2 'no option "--frobnicate"' "$heddle" --frobnicate
one_line "help of an unknown command" 2 'did you mean replay' "$heddle" help replya
one_line "unknown option" 2 'no option --tiem; did you mean --time' "$heddle" check --tiem 3s ./x
one_line "unknown option with a value" 2 'no option --sed; did you mean --seed' "$heddle" run --sed=4 ./x
one_line "an option of another command" 2 'no option --times' "$heddle" check --times 3 ./x
one_line "value missing" 2 '--time needs a value' "$heddle" check --time
one_line "value missing before --" 2 '--seed needs a value' "$heddle" run --seed -- x
one_line "value for a flag" 2 '--quiet takes no value' "$heddle" check --quiet=yes ./x
one_line "wrong time" 2 '--time takes a time' "$heddle" check --time soon ./x
one_line "no time at all" 2 '--time takes a time' "$heddle" check --time 0s ./x
one_line "negative number" 2 '--runs takes a number' "$heddle" run --runs -5 ./x
one_line "number with a tail" 2 '--runs takes a number' "$heddle" run --runs 5x ./x
one_line "number too large" 2 '--seed takes a number' "$heddle" run --seed 99999999999999999999 ./x
one_line "zero jobs" 2 '--jobs takes a number from 1' "$heddle" check -j 0 ./x
one_line "too many jobs" 2 '--jobs takes at most' "$heddle" check -j5000 ./x
one_line "wrong size" 2 '--memory takes a size' "$heddle" check --memory lots ./x
one_line "wrong reset" 2 '--reset takes auto, snapshot, fork or exec' "$heddle" check --reset magic ./x
one_line "wrong races" 2 '--races takes ignore, report or fail' "$heddle" check --races=loud ./x
one_line "wrong output" 2 '--output takes none, failing or all' "$heddle" check --output some ./x
one_line "wrong colour" 2 '--color takes auto, always or never' "$heddle" check --color red ./x
one_line "wrong exit status" 2 '--exit-status takes a status' "$heddle" check --exit-status 256 ./x
one_line "wrong strategy" 2 'no strategy "rndom"; did you mean random' "$heddle" run --strategy rndom ./x
one_line "strategy replay" 2 'heddle replay FILE.hd' "$heddle" run --strategy replay ./x
one_line "option after the program" 2 '--time comes after ./x' "$heddle" check ./x --time 3s
one_line "two programs" 2 '"./y" is one too many.*after --' "$heddle" run ./x ./y
one_line "no program" 2 'check needs a program' "$heddle" check
one_line "no program, and no arguments" 2 'run needs a program' "$heddle" run --
one_line "a command that is not there" 2 'no-such-command: no such program' "$heddle" run -- no-such-command a b
one_line "no schedule file" 2 'replay needs a schedule file' "$heddle" replay
one_line "two schedule files" 2 'replay takes one schedule file' "$heddle" replay a.hd b.hd
one_line "arguments for replay" 2 'in the schedule file' "$heddle" replay a.hd -- x
one_line "run takes no sources" 2 'takes a program, not source files' "$heddle" run x.c
