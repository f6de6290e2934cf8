#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle estimate: the tables and the JSON document for small traces, and wrong input told in one line.
. "$(dirname "$0")/lib.sh"

# told NAME REGEX ARGUMENTS...: status 2, and all heddle says is one line on standard error that matches.
told() {
  local name=$1 regex=$2
  shift 2
  "$heddle" estimate "$@" </dev/null >stdout.txt 2>"$work/.output"
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

# says NAME REGEX: the last command that was run succeeded and printed a line that matches.
says() {
  if [ "$status" -eq 0 ] && grep -Eq -- "$2" .output; then ok "$1"; else not_ok "$1" "status $status, or no line matches $2"; fi
}

# The published example: two branches, and three children that are never explored.
cat >two.trace <<'T'
heddle exploration trace 1
AddNode 0 -
Explore 0
Start
AddNode 1 0
AddNode 2 0
AddNode 3 0
Explore 1
Transition 1
AddNode 4 1
AddNode 5 1
Explore 4
Transition 4
AddNode 6 4
Explore 6
Transition 6
Explore 3
End 0.42
Start
Transition 3
AddNode 7 3
AddNode 8 3
Explore 7
Transition 7
AddNode 9 7
Explore 9
Transition 9
End 0.29
T

# orders N TIME: the trace of the N! orders of N threads of one step each, depth first; every execution takes TIME.
orders() {
  awk -v n="$1" -v time="$2" '
    function visit(node, depth, children,   first, i, k) {
      if (!children) { print "End", time; return }
      first = next_node; next_node += children
      for (i = 0; i < children; i++) print "AddNode", first + i, node "\nExplore", first + i
      for (i = 0; i < children; i++) {
        if (i) { print "Start"; for (k = 1; k <= depth; k++) print "Transition", path[k] }
        path[depth + 1] = first + i
        print "Transition", first + i
        visit(first + i, depth + 1, children - 1)
      }
    }
    BEGIN { next_node = 1; print "AddNode 0 -\nExplore 0\nStart"; visit(0, 0, n) }'
}

run "$heddle" estimate two.trace
says "the totals" '^two.trace: 2 branches, 10 nodes, 0\.71 units of time, complete$'
says "eager after the first branch" '^eager +wbe +empty +56\.3 +56\.3 +56\.3 +0\.71 +2$'
says "lazy after the first branch" '^lazy +re +empty +84\.5 +84\.5 +84\.5 +0\.71 +2$'
says "no logarithm through one point" '^lazy +wbe +logarithmic +none +none +none '
says "the forecast" '^after  1 %: 0\.84 units of time \(0\.42 to 4\.[0-9]+\), 2 branches \(1 to 11\.3\)$'
[ "$(grep -Ec '^(oracle|lazy|eager) +(wbe|re) ' .output)" -eq 24 ] && ok "24 techniques" || not_ok "24 techniques"
[ "$(grep -c 'default$' .output)" -eq 1 ] && ok "one default" || not_ok "one default"

sed 1d two.trace >bare.trace
run "$heddle" estimate bare.trace
says "without the version line" '^bare.trace: 2 branches'

orders 6 1 >orders6.trace
run "$heddle" estimate orders6.trace
says "720 orders: known after 1 %" '^lazy +wbe +logarithmic +100\.0 +100\.0 +100\.0 +720 +720$'
says "and by the forecast" '^forecast +100\.0 +100\.0 +100\.0 +720 +720 +default$'

head -n 18 two.trace >half.trace
run "$heddle" estimate half.trace
says "an exploration that is not complete" '1 branch, 7 nodes, .*not complete'
says "its forecast" '^expected in all: 0\.84 units of time .* 2 branches \(1 to 11\.3\)$'

check "a JSON document" "$heddle" estimate --json two.json two.trace
check "what is in it" python3 - <<'P'
import json
d = json.load(open("two.json"))
assert d["command"] == "estimate" and d["trace"] == "two.trace" and d["complete"] is True
assert d["branches"] == 2 and d["nodes"] == 10 and abs(d["time"] - 0.71) < 1e-9
assert len(d["techniques"]) == 24
known, = [t for t in d["techniques"] if (t["strategy"], t["estimator"], t["fit"]) == ("lazy", "wbe", "logarithmic")]
assert known["time"]["accuracy"]["1"] is None
assert abs(known["branches"]["estimate"]["value"] - 2) < 1e-6
assert d["forecast"]["25"]["time"]["known"] is True
assert abs(d["forecast"]["100"]["branches"]["total"]["value"] - 2) < 1e-6
P
"$heddle" estimate --json - two.trace >stdout.json 2>/dev/null
check "JSON on standard output" python3 -c 'import json; json.load(open("stdout.json"))'

# Probes know what the walk does not yet: four say 5000, so after one branch the forecast is near that; and a probe comes
# before the first execution only.
{ head -n 1 half.trace; for i in 1 2 3 4; do echo "Probe 1.220703125 12"; done; sed 1d half.trace; } | sed '1s/1$/2/' >probed.trace
run "$heddle" estimate probed.trace
says "probes are believed" '^expected in all: .*, (4[0-9]{3}|5000)(\.[0-9]*)? branches '
{ sed '1s/1$/2/' two.trace; echo "Probe 1 12"; } >late.trace
told "a probe too late" 'late.trace:[0-9]+: a probe after the first execution' late.trace
sed '2s/.*/Probe x 12/' probed.trace >bad_probe.trace
told "a probe that is none" 'not an event of an exploration trace' bad_probe.trace

# A search whose threads wait in loops, with as many executions as there are orders of entering: each of its probes says
# so, since one that finds a look in vain says nothing, and none of them counts. Two searches make the same ones, as far
# as there is time.
"$heddle" cc -g -O1 "$root/tests/exhaustive/spin.c" -o spin
for i in 1 2; do
  "$heddle" explore --quiet --races ignore -j 1 --record spin$i.trace --json spin.json ./spin -- 0 3
done
check "probes of loops that wait" python3 - <<'P'
import json
search = json.load(open("spin.json"))
said = [[l for l in open(f"spin{i}.trace") if l.startswith("Probe")] for i in (1, 2)]
assert search["complete"] and search["executions"] == 6, search["executions"]
assert min(map(len, said)) >= 3, said
assert all(a == b for a, b in zip(*said)), said
assert all(abs(float(l.split()[1]) * 2 ** int(l.split()[2]) - 6) < 1e-6 for l in said[0]), said[0]
P
# Most probes meet this bug, the first execution of the search does not: it is told when the search comes to it.
cat >lost.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *arg) { x = x + 1; return arg; }
int main(void)
{
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, add, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  assert(x == 3);
  return 0;
}
C
"$heddle" cc -g lost.c -o lost
expect_output "a bug that a probe meets is not told" '^✗ assertion failed: x == 3 .* after [2-9] executions$' "$heddle" explore ./lost

# Searches that end with the time, watched on a terminal: what is shown does not jump, and what is told at the end is an
# interval that says something, or that nothing is known yet. Of 11! orders each probe says how many there are; of the
# updates that a reader sees or not, probes say nothing.
cat >watch.py <<'P'
import os, pty, re, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    said += data
os.waitpid(pid, 0)
text = said.decode()
number = lambda word: float(word.replace(",", ""))
shown = [number(n) for n in re.findall(r"% of about ([0-9.,e+]+)", text)]
assert all(a / 3 < b < a * 3 for a, b in zip(shown, shown[1:])), shown
told = re.search(r"of an estimated ([0-9.,e+]+) \(([0-9.,e+]+) to ([0-9.,e+]+)\)", text)
if told:
    total, low, high = map(number, told.groups())
    assert low <= total <= high <= 150 * low, told.group()
    print("estimated", total, "shown", len(shown), "last", shown[-1] if shown else 0)
else:
    assert "how many there are is not known yet" in text, text
    print("unknown")
P
for program in writers tallies; do "$heddle" cc -g -O1 "$root/tests/exhaustive/$program.c" -o $program; done
for seconds in 2 8 30; do # until there is an estimate
  run python3 watch.py "$heddle" explore --races ignore -j 1 --time ${seconds}s ./writers -- 11
  grep -q '^unknown$' .output || break
done
says "the line of a search does not jump, and is right" '^estimated (39|40)[0-9]{6}\.0 shown [1-9][0-9]* last (39|40)[0-9]{6}\.0$'
run python3 watch.py "$heddle" explore --races ignore -j 1 --time 1s ./tallies -- 18 2
says "an interval that says nothing is not told" '^(estimated|unknown)'

# What heddle records, it reads, whatever a search may be about: data choices, who is woken, waiting loops.
for program in dice signals spin; do "$heddle" cc -g -O1 "$root/tests/exhaustive/$program.c" -o $program; done
recorded() {
  local name=$1 branches=$2
  shift 2
  "$heddle" explore --quiet --keep-going --races ignore -j 1 --record own.trace --json own.json "$@" >/dev/null 2>&1
  run "$heddle" estimate own.trace
  says "$name" "^own.trace: $branches branches, .* complete\$"
  says "$name, to the end" "^forecast .* $branches  default\$"
}
recorded "a trace with data choices" 81 ./dice -- 4 3
recorded "a trace with lost wake-ups" 72 ./signals -- 2 2 0
recorded "a trace with loops that wait" 36 ./spin -- 3 3

# ---- allocation ----

orders 3 1 >small.trace
orders 4 1 >middle.trace
run "$heddle" estimate --allocate orders6.trace middle.trace small.trace
says "time to complete one test" '^1 +0\.44 +0\.44 +0\.44 +0\.44 +0\.[0-9]+ +0\.33$'
says "time to complete all" '^3 +1\.00 +1\.00 +1\.00 +1\.00 +1\.00 +1\.00$'
says "coverage by round robin, and evenly" '^small.trace +10\.00 +1\.[0-9]+ '
[ "$(grep -c '^mean ' .output)" -eq 2 ] && ok "two tables" || not_ok "two tables"

# ---- wrong use ----

told "no file" 'needs an exploration trace'
told "two files" 'one trace, or several with --allocate' two.trace bare.trace
told "one file to allocate" 'two traces or more' --allocate two.trace
told "allocate and JSON" 'no JSON' --allocate --json x.json two.trace bare.trace
told "an unknown option" 'no option --alocate; did you mean --allocate' --alocate two.trace
told "a missing file" 'nothing.trace cannot be read: No such file' nothing.trace
told "a folder" 'is a folder' .
echo precious >precious.txt
told "JSON onto another file" 'not overwritten' --json precious.txt two.trace
mkfifo pipe
told "a pipe" 'is a pipe' pipe
expect_output "help" '^usage: heddle estimate' "$heddle" estimate --help

# ---- wrong traces ----

: >empty.trace
told "an empty file" 'empty.trace:.*empty' empty.trace
told "another file" 'precious.txt:1: .*not an exploration trace' precious.txt
head -c 2000 /dev/urandom >noise.trace
told "noise" 'noise.trace:[0-9]+: ' noise.trace
sed '1s/1/4/' two.trace >version.trace
told "another version" 'version.trace:1: version 4 was made by a newer heddle' version.trace
head -n 20 two.trace >cut.trace
told "cut short in an execution" 'cut.trace:20: .*cut short' cut.trace
head -c -1 two.trace >line.trace
told "cut short in a line" 'line.trace:28: .*cut short' line.trace
sed 's/^Transition 9/Transition 99/' two.trace >unknown.trace
told "an unknown node" 'unknown.trace:27: .*no node 99' unknown.trace
sed 's/^Explore 3//' two.trace >blank.trace
told "an empty line" 'blank.trace:17: .*not an event' blank.trace
told "one trace of several is wrong" 'cut.trace:20: .*cut short' --allocate two.trace cut.trace
told "one trace of several is not complete" 'half.trace: .*not complete' --allocate two.trace half.trace
lines=$(wc -l <two.trace)
for ((n = 1; n < lines; n++)); do
  head -n "$n" two.trace >cut.trace
  "$heddle" estimate cut.trace >.output 2>&1
  status=$?
  [ "$n" -eq 18 ] || echo "$status $(grep -c '^heddle: cut.trace:' .output) $(wc -l <.output)"
done | sort -u >cuts.txt
[ "$(cat cuts.txt)" = "2 1 1" ] && ok "cut after any line" || not_ok "cut after any line" "$(tr '\n' ';' <cuts.txt)"
