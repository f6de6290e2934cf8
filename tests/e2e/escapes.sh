#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a terminal would act on never comes through: names of files, folders and tests with escape sequences, in every
# subcommand that prints them, and in what is read from files that others wrote.
. "$(dirname "$0")/lib.sh"

odd=$'\033]0;own\007\033[31m\302\233m' # a title, a colour, and CSI as one character

# quiet NAME ARGUMENTS...: whatever it says, no control character but the end of a line.
quiet() {
  local name=$1
  shift
  run timeout -k 5 300 "$heddle" "$@" </dev/null
  # U+0080 to U+009F are the second set of them; their second byte is one of 80 … 9f after c2
  if [ ! -s .output ]; then
    not_ok "$name" "it says nothing (status $status)"
  elif LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' .output; then
    not_ok "$name" "$(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' .output | head -n 3 | cat -v)"
  else
    ok "$name"
  fi
}

mkdir "in$odd" && cd "in$odd" || exit 1
ln -s "$work/.output" .output
program=./p$odd source=s$odd.c
cp "$root/examples/bank.c" "$source"
"$heddle" cc -g "$source" -o "$program" || exit 1

quiet "check a source, with coverage and the switch to blame" check --coverage --explain --out "out$odd" "$source"
quiet "check a program" check --out "out$odd" "$program"
schedule=out$odd/p$odd-1.hd
quiet "replay" replay --output all "$schedule"
quiet "show" show "$schedule"
quiet "show --run --trace" show --run --trace "$schedule"
quiet "localise" localise "$schedule"
quiet "shrink" shrink -o "small$odd.hd" "$schedule"
quiet "explore with all its files" explore -j 1 --races ignore --record "r$odd" --hashes "h$odd" --checkpoint "c$odd" --out "out$odd" "$program"
quiet "estimate" estimate "r$odd"
quiet "estimate --allocate" estimate --allocate "r$odd" "r$odd"
quiet "record" record -o "t$odd" "$program"
quiet "convert" convert "t$odd" "t$odd.std"
quiet "convert what is no trace" convert "$source" "x$odd"
quiet "predict" predict --time 10s --out "out$odd" "$program"
quiet "stress" stress --runs 20 "$program"
quiet "a program that is not there" check "none$odd"
quiet "a command that is not there" "none$odd"
quiet "an option that is not there" check "--none$odd" x
HEDDLE_CC=none$odd quiet "heddle cc" cc -c "$source"

cp "$root/tests/minimise/harness.h" .
cp "$root/tests/minimise/account.c" "a$odd.c"
quiet "minimise" minimise --time 20s --out "out$odd" "a$odd.c"

printf 'a test%s: %s\nanother: %s\n' "$odd" "./p$odd" "./none$odd" >"tests$odd.suite"
quiet "suite" suite --time 3s --out "out$odd" "tests$odd.suite"
quiet "suite --tap" suite --tap --time 3s --junit "j$odd.xml" --out "out$odd" "tests$odd.suite"

# A schedule file from elsewhere: its words are not to be trusted.
cp "$schedule" forged.hd
python3 - forged.hd <<'P'
import re, sys
path = sys.argv[1]
text = open(path, "rb").read()
odd = rb'\x1b]0;own\x07\x1b[31m'
text = re.sub(rb'(?m)^(bug +\S+ +\S+) .*$', rb'\1 "it fails ' + odd.replace(b"\\", b"\\\\") + rb'" "w' + odd.replace(b"\\", b"\\\\") + rb'"', text)
text = re.sub(rb'(?m)^(program +).*$', rb'\1"/bin/x' + odd.replace(b"\\", b"\\\\") + rb'"', text)
open(path, "wb").write(text)
P
quiet "show of a forged schedule" show forged.hd
quiet "replay of a forged schedule" replay forged.hd
quiet "replay of a forged schedule, its program named" replay --program "$program" forged.hd
quiet "minimise of a forged schedule" minimise forged.hd
