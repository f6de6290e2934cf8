#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is found beside what: the bug that ends an execution is found and told first, whatever else shows on the way to it
# (tests/findings). Data races and leaks that are only reported end no search; an exit status that no schedule changes is
# told last; executions that were cut prove nothing.
. "$(dirname "$0")/lib.sh"

build() { "$heddle" cc -g -O1 -pthread -I "$root/include" "${@:3}" "$root/tests/findings/$2.c" -o "$1" || exit 1; }

# json FILE EXPRESSION: prints what python makes of the document d.
json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print($2)" "$1"; }

# says NAME FILE EXPRESSION VALUE
says() {
  local is
  is=$(json "$2" "$3")
  if [ "$is" = "$4" ]; then ok "$1"; else not_ok "$1" "$3 is $is, not $4"; fi
}

kinds='" ".join(b["kind"] for b in d["bugs"])'

# ---- data races ----

build rare rare_beside_race
build rare-fixed rare_beside_race -DFIXED
expect_status "a race ends no search: status" 1 "$heddle" check --time 15 -j1 --no-page --json rare.json ./rare
says "the assertion is found and told first" rare.json 'd["bugs"][0]["kind"]' assertion
expect_status "--races ignore: status" 1 "$heddle" check --time 15 --no-page --races ignore --json ignored.json ./rare
says "--races ignore: nothing is said of races" ignored.json "$kinds" "assertion"
build line same_line
build line-fixed same_line -DFIXED
expect_status "--races ignore: what a run foretells is not tried" 0 "$heddle" check --time 1 -j1 --races ignore ./line
expect_status "one variable, one line: status" 1 "$heddle" check --time 3 --no-page --json line.json ./line
says "one variable, one line: one report" line.json "$kinds" "race"
expect_status "the fixed twin is proved right" 0 "$heddle" check --time 5 --json fixed.json ./line-fixed
says "the fixed twin: complete" fixed.json 'd["complete"]' True
expect_status "the fixed twin of the rare one passes" 0 "$heddle" check --time 1 -j1 ./rare-fixed

build flood flood_of_races
build flood-fixed flood_of_races -DFIXED
for seed in 1 2 3; do
  expect_status "a hundred races, seed $seed: status" 1 \
    "$heddle" check --time 4 -j1 --strategy random --no-page --seed $seed --json flood.json ./flood
  says "a hundred races, seed $seed: the assertion comes first" flood.json 'd["bugs"][0]["kind"]' assertion
done
expect_status "a hundred races: replayed" 1 "$heddle" replay heddle-out/flood-1.hd
expect_status "the fixed twin of the flood passes" 0 "$heddle" check --time 1 -j1 ./flood-fixed

# ---- exit statuses ----

build status always_status
build status-fixed always_status -DFIXED
build status-early always_status -DEARLY
for command in check explore; do
  expect_status "$command: a constant status hides no bug" 1 "$heddle" $command --time 5 --no-page --json s.json ./status
  says "$command: the bug is told first" s.json 'd["bugs"][0]["kind"]' assertion
  expect_status "$command: a constant status alone" 1 "$heddle" $command --time 5 --no-page --json s.json ./status-fixed
  says "$command: it is told, once" s.json "$kinds" exit
  expect_output "$command: with the way out" 'whatever the schedule; .*--exit-status any' \
    "$heddle" $command --time 5 --no-page ./status-fixed
  expect_status "$command: which helps" 0 "$heddle" $command --time 5 --exit-status any ./status-fixed
  expect_status "$command: schedules differ" 1 "$heddle" $command --time 5 --no-page --json s.json ./status-early
  says "$command: then it is a bug like others" s.json 'd["bugs"][0]["message"]' "the program ended with exit status 7"
done
run "$heddle" run --strategy random --runs 50 --no-page --json s.json ./status
says "run: the constant status comes last" s.json "$kinds" "assertion exit"
expect_status "a constant status is replayed" 1 "$heddle" replay heddle-out/status-fixed-1.hd

# ---- numbers ----

says "JSON counts executions from 1" rare.json 'min(b["first_execution"] for b in d["bugs"]) >= 1' True
run "$heddle" check --strategy rr --no-page --json s.json ./status-early
run "$heddle" check --strategy random --no-page --json s.json ./status-early
after=$(grep -Eo 'after [0-9]+ execution' .output | grep -Eo '[0-9]+')
says "text and JSON agree" s.json 'd["bugs"][0]["first_execution"]' "$after"
expect_status "--pct-depth 40 is 40" 1 "$heddle" check --strategy pct --pct-depth 40 --time 5 --no-page ./status
expect_output "--pct-depth 101 is refused" 'pct-depth takes at most 100' "$heddle" check --pct-depth 101 ./status

# ---- executions that were cut ----

build never never_assumed
build ever never_assumed -DFIXED
for command in check explore; do
  rm -f cut.json
  expect_status "$command: no execution meets the assumption" 3 "$heddle" $command --time 1 -j1 --json cut.json ./never
  expect_output "$command: it says so" 'no execution meets its assumptions' "$heddle" $command --time 1 -j1 ./never
  if grep -q 'more --time' .output; then not_ok "$command: time was not the cause"; else ok "$command: time was not the cause"; fi
  says "$command: JSON does not say complete" cut.json 'd["complete"], d["executions"], d["cut_executions"] > 0' \
    "False 0 True"
done
expect_status "some executions meet it" 0 "$heddle" explore --json cut.json ./ever
says "those that do not are counted" cut.json 'd["complete"], d["executions"] > 0, d["cut_executions"] > 0' \
  "True True True"
build endless counts_for_ever
few="--max-executions 10"
for command in check run; do
  [ $command = check ] || few="--runs 10"
  # shellcheck disable=SC2086 # words
  expect_output "$command: executions without end name the option" 'no execution came to its end: .*--max-steps' \
    "$heddle" $command --time 10 $few -j1 --json endless.json ./endless
  says "$command: and are no bug" endless.json 'd["complete"], len(d["bugs"]), d["cut_executions"] > 0' "False 0 True"
done
