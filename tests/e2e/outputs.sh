#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Nothing of the user's is destroyed: no file that heddle did not write is replaced, whatever option names it; no input and
# no program; no link is followed out of its folder; and what cannot be put in its place after a search is kept.
. "$(dirname "$0")/lib.sh"

cp "$root/examples/bank.c" bank.c
"$heddle" cc -g bank.c -o bank || exit 1
cat >fine.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *a) { pthread_mutex_lock(&lock); n++; pthread_mutex_unlock(&lock); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return n - 2; }
C
"$heddle" cc -g fine.c -o fine || exit 1
"$heddle" record -q -o fine.trace ./fine || exit 1
"$heddle" check -q --out out ./bank >/dev/null
"$heddle" explore -q --record fine.course ./fine || exit 1
schedule=out/bank-1.hd
test -s "$schedule" || exit 1
printf 'fine: ./fine\n' >fine.suite

# kept NAME FILE ARGUMENTS...: refused in one line with status 2 before anything runs, and the file is as it was.
kept() {
  local name=$1 file=$2 before after
  shift 2
  cp "$file" .before
  before=$(md5sum <"$file") files=$(ls . out | md5sum)
  run timeout -k 5 300 "$heddle" "$@" </dev/null
  after=$(md5sum <"$file")
  if [ "$before" != "$after" ]; then
    not_ok "$name" "the file was changed"
    cp "$work/.before" "$file"
  elif [ "$status" -ne 2 ] || [ "$(wc -l <.output)" -ne 1 ]; then
    not_ok "$name" "status $status, or not one line"
  elif ! grep -q '^heddle: .*not overwritten\|^heddle: .*cannot be written\|^heddle: .*both write\|^heddle: .*is a folder' .output; then
    not_ok "$name" "it does not say why"
  elif [ "$files" != "$(ls . out | md5sum)" ]; then
    not_ok "$name" "it left something behind"
  else
    ok "$name"
  fi
}

# A file of every kind that somebody else wrote, under every option that names an output.
echo 'int precious;' >precious.c
echo '{"name": "precious", "heddle": {"version": 1}}' >precious.json
printf '<!doctype html>\n<html><body>my thesis</body></html>\n' >precious.html
printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites/>\n' >precious.xml
echo '{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": {"name": "other"}}}]}' >precious.sarif
echo 'digraph "mine" {}' >precious.dot
printf 'protocol conn\nnew open opened\n' >precious.txt
printf 'T0|acq(L1)|1\n' >precious.std
cp bank precious
for file in precious precious.c precious.json precious.html precious.xml precious.sarif precious.std precious.dot precious.txt; do
  kept "check --json $file" $file check --json $file ./fine
  kept "check --sarif $file" $file check --sarif $file ./fine
  kept "suite --junit $file" $file suite --junit $file fine.suite
  kept "explore --checkpoint $file" $file explore --checkpoint $file ./fine
  kept "explore --record $file" $file explore --record $file ./fine
  kept "explore --hashes $file" $file explore --hashes $file ./fine
  kept "record -o $file" $file record -o $file ./fine
  kept "convert to $file" $file convert fine.trace $file
  kept "shrink -o $file" $file shrink -o $file $schedule
  kept "schedule -o $file" $file schedule -o $file $schedule
  kept "predict --write-protocols $file" $file predict --calls 'f*' --write-protocols $file ./fine
  kept "replay --trace-file $file" $file replay --trace-file $file $schedule
  kept "show --run --html $file" $file show --run --html $file $schedule
  kept "stress --json $file" $file stress --runs 2 --json $file ./fine
  kept "estimate --json $file" $file estimate --json $file fine.course
done
kept "convert --plain does not replace even its own" precious.std convert --plain fine.trace precious.std

# What the command reads, though heddle wrote it, or wrote nothing yet.
kept "convert onto itself" fine.trace convert fine.trace fine.trace
kept "convert onto itself by another name" fine.trace convert fine.trace ./out/../fine.trace
ln fine.trace hard.trace
kept "convert onto itself by a hard link" fine.trace convert fine.trace hard.trace
kept "record onto the program" fine record -o fine ./fine
kept "checkpoint onto the program" fine explore --checkpoint fine ./fine
kept "shrink onto itself" $schedule shrink -o $schedule $schedule
kept "JSON onto the schedule" $schedule replay --json $schedule $schedule
kept "JSON onto the source" bank.c check --json bank.c bank.c
kept "two outputs of one name" bank.c check --json both --sarif ./both ./fine
kept "onto a folder" bank.c check --json out ./fine
kept "into no folder" bank.c check --json nowhere/x.json ./fine

# Links.
mkdir -p inside away
cp precious.json away/theirs.json
"$heddle" check -q --json away/ours.json ./fine
ln -s ../away/theirs.json inside/theirs.json
ln -s ../away/ours.json inside/ours.json
ln -s ../away/new.json inside/new.json
ln -s near.json inside/link.json
kept "a link to somebody's file" away/theirs.json check --json inside/theirs.json ./fine
kept "a link out of its folder, to a file of ours" away/ours.json check --json inside/ours.json ./fine
kept "a link out of its folder, to nothing" bank.c check --json inside/new.json ./fine
holds() { if "${@:2}"; then ok "$1"; else not_ok "$1"; fi; }
holds "nothing was made there" test ! -e away/new.json
"$heddle" check -q --json inside/near.json ./fine
run "$heddle" check -q --json inside/link.json ./fine
holds "a link within its folder is followed" test "$status" -eq 0 -a -L inside/link.json
mkdir linked && cp precious.html away/index.html && ln -s ../away/index.html linked/index.html
run "$heddle" check --out linked ./bank
holds "index.html in the output folder is not followed out of it" cmp -s precious.html away/index.html
holds "the bug is told all the same" test "$status" -eq 1
mkdir theirs && cp precious.html theirs/index.html
run "$heddle" check --out theirs ./bank
holds "somebody's index.html stays" cmp -s precious.html theirs/index.html
mkdir empty
run "$heddle" check --out empty fine.c
holds "an empty folder of the user's stays" test "$status" -eq 0 -a -d empty

# What heddle wrote, and what is empty, is replaced.
again() {
  local name=$1
  shift
  "$heddle" "$@" </dev/null >/dev/null 2>&1
  run timeout -k 5 300 "$heddle" "$@" </dev/null
  if [ "$status" -lt 2 ]; then ok "again: $name"; else not_ok "again: $name" "status $status"; fi
}
again "JSON and SARIF" check --json w.json --sarif w.sarif ./bank
again "JUnit" suite --time 2s --junit w.xml fine.suite
again "checkpoint, course, hashes" explore -j 1 --checkpoint w.state --record w.course --hashes w.hashes ./fine
again "trace" record -o w.trace ./fine
again "STD" convert w.trace w.std
again "and back" convert w.std back.trace
again "protocols" predict --calls 'f' --write-protocols w.protocols ./fine
again "graphs" predict --calls 'f' --write-protocols w.dot ./fine
again "properties" predict --calls 'f' --write-protocols w.mop ./fine
again "shrink" shrink -o w.hd $schedule
again "trace log" replay --trace-file w.log $schedule
again "trace log in JSON" replay --trace-file w.log.json $schedule
again "trace log for Chrome" replay --trace-file w.chrome.json $schedule
again "page" show --run --html w.html $schedule
again "page of localise" localise --html w2.html --json w2.json $schedule
again "stress" stress --runs 2 --json w3.json ./fine
again "estimate" estimate --json w4.json fine.course
again "resumed" explore --resume w.state ./fine
for odd in *.[A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9]; do
  case $odd in fine.course | w.course | w.hashes | fine.suite) ;; *.??????) [ -e "$odd" ] && not_ok "no temporary file is left" "$odd" ;; esac
done
empty=$(mktemp "$work/XXXXXX.json")
run "$heddle" check -q --json "$empty" ./fine
holds "an empty file is replaced" test "$status" -eq 0 -a -s "$empty"
chmod 640 w.json
"$heddle" check -q --json w.json ./fine
holds "permissions stay" test "$(stat -c %a w.json)" = 640

# What is not a regular file is written directly.
"$heddle" record -q -o /dev/stdout ./fine >piped.trace
run "$heddle" convert -q piped.trace piped.std
holds "record to /dev/stdout" test "$status" -eq 0
"$heddle" check -q --json /dev/stdout ./fine | python3 -m json.tool >/dev/null && ok "/dev/stdout, a pipe" || not_ok "/dev/stdout, a pipe"
"$heddle" check -q --json /dev/stdout ./fine >direct.json
python3 -m json.tool direct.json >/dev/null && ok "/dev/stdout, a file" || not_ok "/dev/stdout, a file"
run "$heddle" check -q --json /dev/null --sarif /dev/null ./fine
holds "/dev/null, twice" test "$status" -eq 0 -a -c /dev/null
mkfifo fifo
(timeout 200 cat fifo >fifo.json) &
run timeout 200 "$heddle" record -q -o fifo ./fine
wait $!
holds "a named pipe" test "$status" -eq 0 -a -s fifo.json -a -p fifo

# What got in the way during the search: the result is kept, and it is said where.
cat >meanwhile.c <<'C'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  if (argc > 2 && !strcmp(argv[1], "rmdir"))
    rmdir(argv[2]);
  else if (argc > 2) {
    FILE *f = fopen(argv[2], "w");
    if (f)
      fputs("mine\n", f), fclose(f);
  }
  return 0;
}
C
"$heddle" cc -g meanwhile.c -o meanwhile || exit 1
mkdir gone
run env TMPDIR="$work" "$heddle" check --files real --max-executions 1 --json gone/x.json ./meanwhile -- rmdir "$work/gone"
where=$(sed -n 's/.*; it is in //p' .output)
holds "the folder went away: kept elsewhere" test "$status" -eq 3 -a -s "$where"
python3 -m json.tool "$where" >/dev/null && ok "whole" || not_ok "whole"
run "$heddle" check --files real --max-executions 1 --json late.json ./meanwhile -- write "$work/late.json"
where=$(sed -n 's/.*; it is in //p' .output)
holds "a file came into its place: it stays" test "$(cat late.json)" = mine
holds "the result is beside it" test "$status" -eq 3 -a -s "$where"
