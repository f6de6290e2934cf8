#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle suite: tests that end in every way there is, by each policy; TAP, JUnit and JSON; wrong lists told in one line.
. "$(dirname "$0")/lib.sh"

# told NAME REGEX ARGUMENTS...: status 2, and all heddle says is one line on standard error that matches.
told() {
  local name=$1 regex=$2
  shift 2
  "$heddle" suite "$@" </dev/null >stdout.txt 2>"$work/.output"
  status=$?
  if [ "$status" -ne 2 ]; then
    not_ok "$name" "status $status, not 2"
  elif [ "$(wc -l <"$work/.output")" -ne 1 ] || [ -s stdout.txt ]; then
    not_ok "$name" "not exactly one line"
  elif ! grep -Eq "^heddle: .*$regex" "$work/.output"; then
    not_ok "$name" "does not match $regex"
  else
    ok "$name"
  fi
}

# line NAME REGEX: the last command that was run printed a line that matches.
line() {
  if grep -Eq -- "$2" .output; then ok "$1"; else not_ok "$1" "no line matches $2"; fi
}

mkdir programs
# N threads write one variable: N! executions.
cat >programs/writers.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int last;
static void *writer(void *number)
{
  atomic_store(&last, (int)(long)number);
  return NULL;
}
int main(int argc, char **argv)
{
  pthread_t thread[16];
  long n = argc > 1 ? atoi(argv[1]) : 3;
  for (long i = 0; i < n; i++)
    pthread_create(&thread[i], NULL, writer, (void *)i);
  for (long i = 0; i < n; i++)
    pthread_join(thread[i], NULL);
  return argc > 2 ? atoi(argv[2]) : 0;
}
C
cat >programs/locks.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *both(void *first)
{
  pthread_mutex_lock(&lock[first != NULL]);
  pthread_mutex_lock(&lock[first == NULL]);
  pthread_mutex_unlock(&lock[first == NULL]);
  pthread_mutex_unlock(&lock[first != NULL]);
  return NULL;
}
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, both, NULL);
  both(OTHER);
  return pthread_join(thread, NULL);
}
C
cat >programs/race.c <<'C'
#include <pthread.h>
static int x;
static void *writer(void *p)
{
  x++;
  return p;
}
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  x++;
  return pthread_join(thread, NULL);
}
C
"$heddle" cc -g programs/writers.c -o programs/writers
"$heddle" cc -g -DOTHER=lock programs/locks.c -o programs/abba
"$heddle" cc -g -DOTHER=NULL programs/locks.c -o programs/abab
cat >programs/all.suite <<'S'
# name: program arguments

few: writers 4
  many : ./writers 7   # 5040
abba: abba
abab: abab
too many: "writers" -- 13
S

# ---- how tests end, by each policy ----

for policy in shortest coverage round-robin; do
  rm -rf heddle-out
  run "$heddle" suite --time 1500ms --policy $policy --json $policy.json programs/all.suite
  [ "$status" -eq 1 ] && ok "$policy: a bug is status 1" || not_ok "$policy: a bug is status 1" "status $status"
  line "$policy: all of few" '^few +complete +24 +24 +[0-9.]+$'
  line "$policy: the bug" '^abba +bug +[0-9]+ .* deadlock: '
  line "$policy: its story" '^✗ deadlock: main and T1 wait for each other'
  line "$policy: the right twin" '^abab +complete +2 +2 '
  line "$policy: the large one" '^too many +incomplete [<0-9. ]+ % +[0-9]+ '
  line "$policy: the summary" "^5 tests: .* 1 bug, .*executions in [0-9.]+ s of 1\.5 s \($policy\)$"
  if [ -s heddle-out/abba-1.hd ]; then ok "$policy: the schedule"; else not_ok "$policy: the schedule"; fi
done
expect_status "the schedule replays" 1 "$heddle" replay heddle-out/abba-1.hd
check "JSON" python3 - <<'P'
import json
for policy in "shortest", "coverage", "round-robin":
    d = json.load(open(policy + ".json"))
    assert d["command"] == "suite" and d["policy"] == policy and d["budget"] == 1.5 and not d["interrupted"]
    t = {test["name"]: test for test in d["tests"]}
    assert [test["name"] for test in d["tests"]] == ["few", "many", "abba", "abab", "too many"]
    assert sum(d["verdicts"].values()) == 5 and d["verdicts"]["bug"] == 1
    assert t["few"]["verdict"] == "complete" and t["few"]["complete"] and t["few"]["share"] == 1
    assert t["few"]["executions"] == t["few"]["estimate"]["executions"] == 24 and t["few"]["args"] == ["4"]
    assert t["abba"]["bugs"][0]["kind"] == "deadlock" and t["abba"]["bugs"][0]["replayed"] is True
    assert t["too many"]["args"] == ["13"] and t["too many"]["verdict"] == "incomplete"
    assert 0 < t["too many"]["share"] < 1 and all(test["slices"] for test in d["tests"])
turns = [test["slices"] for test in d["tests"] if test["verdict"] == "incomplete"]
assert max(turns) - min(turns) <= 1, turns
P

# ---- other forms ----

"$heddle" suite --time 1s --tap --junit report.xml programs/all.suite >tap.txt 2>.output
[ $? -eq 1 ] && ok "TAP: status" || not_ok "TAP: status"
line "TAP: stories go to standard error" '^✗ deadlock'
check "TAP" python3 - <<'P'
import re
text = open("tap.txt").read().splitlines()
assert text[:2] == ["TAP version 13", "1..5"]
points = [l for l in text if re.match(r"(not )?ok ", l)]
assert points[0] == "ok 1 - few" and points[2] == "not ok 3 - abba" and points[3] == "ok 4 - abab", points
assert re.fullmatch(r"not ok 5 - too many # TODO incomplete .* %", points[4]), points
assert all(l.startswith("  ") for l in text[2:] if l not in points)
assert text.count("  ---") == text.count("  ...") == 5
P
check "JUnit" python3 - <<'P'
import xml.etree.ElementTree as ET
suite = ET.parse("report.xml").getroot().find("testsuite")
assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "1", "0")
case = {c.get("name"): c for c in suite}
assert len(case["few"]) == 1 and case["few"].find("system-out").text == "executions: 24, estimated: 24"
assert case["abba"].find("failure").get("type") == "deadlock"
assert case["abba"].find("failure").text.startswith("heddle replay heddle-out/abba-")
assert case["too many"].find("skipped").get("message").startswith("incomplete")
P
"$heddle" suite --json - --time 300ms programs/all.suite >stdout.json 2>/dev/null
check "JSON on standard output" python3 -c 'import json; json.load(open("stdout.json"))'
"$heddle" suite --quiet --time 300ms programs/all.suite >.output 2>&1
[ "$(wc -l <.output)" -eq 2 ] && ok "--quiet: only the bug" || not_ok "--quiet: only the bug"

# ---- programs that cannot be run, and the status ----

printf 'none: nothing\nfew: writers\nbad <&"\037> #: writers 2 9\n' >programs/odd.suite
run "$heddle" suite --tap --junit odd.xml --json odd.json programs/odd.suite
[ "$status" -eq 1 ] && ok "a bug counts more than an error" || not_ok "a bug counts more than an error" "status $status"
line "what is missing" '^heddle: programs/nothing: no such program'
line "which test it was" '^heddle: the test "none" could not be run'
line "TAP: an error" '^not ok 1 - none$'
line "TAP: an odd name" '^not ok 3 - bad <&"\\x1f> \\#$'
check "odd names in XML and JSON" python3 - <<'P'
import json, xml.etree.ElementTree as ET
suite = ET.parse("odd.xml").getroot().find("testsuite")
assert [c.get("name") for c in suite] == ["none", "few", 'bad <&"\\x1f> #']
assert suite[0].find("error").get("message") == "programs/nothing: no such program or source file"
assert suite[2].find("failure").get("type") == "exit"
d = json.load(open("odd.json"))
assert [t["verdict"] for t in d["tests"]] == ["error", "complete", "bug"]
assert d["tests"][0]["error"] and d["tests"][0]["executions"] == 0
P
head -n 2 programs/odd.suite >programs/missing.suite
expect_status "a program is missing" 3 "$heddle" suite programs/missing.suite
printf 'few: writers 3\n' >programs/right.suite
expect_status "nothing found" 0 "$heddle" suite programs/right.suite
echo "few: $work/programs/writers 2 9" >programs/nine.suite
expect_status "another exit status is right" 0 "$heddle" suite --exit-status 9 programs/nine.suite
expect_status "without reduction" 0 "$heddle" suite --strategy dfs programs/right.suite
printf 'from source: race.c\n' >programs/source.suite
rm -rf heddle-out
expect_status "a source with a race" 1 "$heddle" suite programs/source.suite
line "it is told" '^from source +bug .* data race on x'
if [ -x heddle-out/race-1 ] && [ -s heddle-out/race-1.hd ]; then ok "its program is kept"; else not_ok "its program is kept"; fi
rm -rf heddle-out
expect_status "races do not matter" 0 "$heddle" suite --races ignore programs/source.suite
if [ ! -e heddle-out ]; then ok "nothing is left behind"; else not_ok "nothing is left behind"; fi
echo 'a + b' | expect_status "standard input is not the tests'" 0 "$heddle" suite programs/right.suite

# ---- Ctrl-C ----

printf 'few: writers\ntoo many: writers 13\n' >programs/long.suite
expect_status "interrupted: status" 3 timeout --preserve-status -s INT 3 "$heddle" suite programs/long.suite
line "interrupted: what is complete" '^few +complete'
line "interrupted: what is not" '^too many +incomplete'
line "interrupted: it says so" '^heddle: interrupted'

# ---- searches that prove nothing ----

cp "$root/tests/findings/never_assumed.c" programs/
"$heddle" cc -g -pthread -I "$root/include" programs/never_assumed.c -o programs/never || exit 1
gcc -g -pthread programs/writers.c -o programs/unseen || exit 1
printf 'never: never\nunseen: unseen 2\nseen: writers 2\n' >programs/less.suite
expect_status "no execution meets the assumption: status" 3 "$heddle" suite --time 10 --json less.json programs/less.suite
line "it says so" '^heddle: .*/never: no execution meets its assumptions'
line "it is no proof" '^never +error +0 '
line "nor is a search that does not see memory" '^unseen +incomplete .* it was not built with heddle cc'
line "the other is" '^seen +complete +2 '
check "JSON of all three" python3 - <<'P'
import json
t = {test["name"]: test for test in json.load(open("less.json"))["tests"]}
assert [t[name]["complete"] for name in ("never", "unseen", "seen")] == [False, False, True]
assert t["unseen"]["losses"] == ["memory"] and not t["seen"]["losses"]
P

# ---- wrong use ----

told "no file" 'takes one file'
told "two files" 'takes one file' programs/all.suite programs/odd.suite
told "arguments" 'in the suite file' programs/all.suite -- 3
told "a missing file" 'gone.suite cannot be read: No such file' gone.suite
told "a folder" 'is a folder' programs
told "an unknown policy" 'round-robin, shortest or coverage, not "best"' --policy best programs/all.suite
told "an unknown strategy" 'strategy' --strategy pct programs/all.suite
told "two documents on standard output" 'both need standard output' --tap --json - programs/all.suite
told "JUnit onto the list" 'not overwritten' --junit programs/all.suite programs/all.suite
told "JUnit onto a folder" 'is a folder' --junit programs programs/all.suite
told "JUnit to standard output" 'takes a file' --junit - programs/all.suite
: >empty.suite
told "an empty list" 'empty.suite:1: there is no test' empty.suite
printf '# nothing\n\nwriters 3\n' >bad.suite
told "no name" 'bad.suite:3: no test: a line is name:' bad.suite
printf ': writers 3\n' >bad.suite
told "an empty name" 'bad.suite:1: the test has no name' bad.suite
printf 'a: x\nb:   # nothing\n' >bad.suite
told "no program" 'bad.suite:2: a program is missing' bad.suite
printf 'a: x\nb: y\na: z\n' >bad.suite
told "a name twice" 'bad.suite:3: there is a test of this name' bad.suite
printf 'a: x "1 2\n' >bad.suite
told "an open quote" 'bad.suite:1: a quote is not closed' bad.suite
printf 'a: x\0y\n' >bad.suite
told "no text" 'bad.suite:1: this is not text' bad.suite
expect_output "help" '^usage: heddle suite' "$heddle" suite --help
