#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files of every version that heddle has written (tests/formats) are read, or refused with the reason; those of a newer heddle
# are refused in one line that says so; and what heddle writes now is among them.
. "$(dirname "$0")/lib.sh"
formats=$root/tests/formats

"$heddle" cc -g "$root/examples/bank.c" -o bank || exit 1
"$heddle" cc -g -I"$root/include" "$root/tests/predict/pair.c" -o pair || exit 1
"$heddle" cc -g -I"$root/include" "$root/tests/predict/closed_early.c" -o closed_early || exit 1
"$heddle" cc -g "$root/tests/exhaustive/writers.c" -o writers || exit 1

# How each format is read: the file is the last argument.
schedule() { "$heddle" replay --program ./bank "$1"; }
recorded() { "$heddle" predict --only-predict --from "$1" ./pair; }
exploration() { "$heddle" estimate "$1"; }
protocols() { "$heddle" predict --calls 'conn_*,conn_connect:init' --only-predict --protocol "$1" ./closed_early; }
properties() { "$heddle" check --no-page --time 60s --spec "$1" ./closed_early; }
checkpoint() { "$heddle" explore --resume "$1" ./writers -- 3; }

# says NAME REGEX COMMAND...
says() {
  local name=$1 regex=$2
  shift 2
  "$@" >.output 2>&1
  if grep -Eq -- "$regex" .output; then ok "$name"; else not_ok "$name" "no line matches $regex"; fi
}

says "schedule 1" '^the bug shows again$' schedule "$formats/schedule-1.hd"
says "recorded run 1" 'deadlock: T1 wants second \(pair.c:27\)' recorded "$formats/run-1.trace"
says "recorded run in the STD form 1" 'deadlock: T1 wants second \(pair.c:27\)' recorded "$formats/run-1.std"
says "exploration trace 1" '2 branches, 23 nodes, .* complete$' exploration "$formats/exploration-1.trace"
says "exploration trace 2" '2 branches, 23 nodes, .* complete$' exploration "$formats/exploration-2.trace"
says "exploration trace 3" '2 branches, 23 nodes, .* complete$' exploration "$formats/exploration-3.trace"
says "protocols 1" 'conn_output after conn_close$' protocols "$formats/protocols-1.txt"
says "properties 1" 'conn is violated: event conn_output in state s4' properties "$formats/properties-1.mop"
# A checkpoint belongs to one build of the program and of heddle; that it says so shows that it was read.
says "checkpoint 6" 'cannot be used: it is of another program, or of another build of it$' checkpoint "$formats/checkpoint-6"

# refused NAME OF-WHOM FORMAT FILE: in one line.
refused() {
  "$3" "$4" >.output 2>&1
  if [ "$(wc -l <.output)" -eq 1 ] && grep -Eq "^heddle: .*version [0-9]+ was made by $2 heddle; this one reads version [0-9]+$" .output; then
    ok "$1"
  else
    not_ok "$1"
  fi
}

for old in 1 2 3 4 5; do refused "checkpoint $old" "an older" checkpoint "$formats/checkpoint-$old"; done

sed '1s/1/2/' "$formats/schedule-1.hd" >new.hd
sed '1s/T1/T2/' "$formats/run-1.trace" >new.trace
sed '1s/1/2/' "$formats/run-1.std" >new.std
sed '1s/1/12/' "$formats/exploration-1.trace" >new.course
sed '1s/1/2/' "$formats/protocols-1.txt" >new.txt
sed '1s/6/99999999999999999999/' "$formats/checkpoint-6" >new.checkpoint
refused "a newer schedule" "a newer" schedule new.hd
refused "a newer recorded run" "a newer" recorded new.trace
refused "a newer one in the STD form" "a newer" recorded new.std
refused "a newer exploration trace" "a newer" exploration new.course
refused "newer protocols" "a newer" protocols new.txt
refused "a newer checkpoint" "a newer" checkpoint new.checkpoint
bugs() { mkdir -p of-bugs && cp "$1" of-bugs/bugs.txt && "$heddle" bugs --list --out of-bugs; }
baseline() { "$heddle" check --baseline "$1" --max-executions 1 ./bank; }
says "bugs 1" '^✗ bank-1 +assertion failed: total == 200  bank.c:41$' bugs "$formats/bugs-1.txt"
says "baseline 1" '^no other bug|execution' baseline "$formats/baseline-1.txt"
sed '1s/1/2/' "$formats/bugs-1.txt" >new-bugs.txt
sed '1s/1/2/' "$formats/baseline-1.txt" >new-baseline.txt
refused "a newer list of bugs" "a newer" bugs new-bugs.txt
refused "a newer baseline" "a newer" baseline new-baseline.txt
# What the baseline knows is found again, and nothing else is. It is in a folder of its own, as keys have paths.
cat >of-lint.c <<'END'
#include <pthread.h>
#include <sys/socket.h>
extern void *work(void *argument);
void serve(int port)
{
  pthread_t thread;
  for (;;) {
    int peer = accept(port, 0, 0);
    pthread_create(&thread, 0, work, &peer);
  }
}
END
lint_of() { "$heddle" lint -q --no-cache "$@" of-lint.c; }
lint_baseline() { lint_of --baseline "$1"; }
if lint_of >.output 2>&1; then not_ok "what the baseline of lint has is found"; else ok "what the baseline of lint has is found"; fi
if lint_baseline "$formats/lint-baseline-2.txt" >.output 2>&1; then ok "baseline of lint 2"; else not_ok "baseline of lint 2"; fi
refused "baseline of lint 1" "an older" lint_baseline "$formats/lint-baseline-1.txt"
sed '1s/2/3/' "$formats/lint-baseline-2.txt" >new-lint-baseline.txt
refused "a newer baseline of lint" "a newer" lint_baseline new-lint-baseline.txt
# A corpus of another build of the program is read, and not taken.
corpus() { mkdir -p of-corpus/corpus && cp "$1" of-corpus/corpus/bank && "$heddle" run --races ignore --strategy rff --runs 1 --out of-corpus ./bank; }
says "corpus 1" '^1 execution in .* strategy rff' corpus "$formats/corpus-1"
sed '1s/1/2/' "$formats/corpus-1" >new-corpus
refused "a newer corpus" "a newer" corpus new-corpus

# begins NAME BYTES OLD NEW: a new version would need a file of its own here.
begins() { if cmp -sn "$2" "$3" "$4"; then ok "$1 is written as it is here"; else not_ok "$1 is written as it is here"; fi; }

"$heddle" check -q --races ignore ./bank >/dev/null 2>&1
"$heddle" record -q -o now.trace ./pair
"$heddle" convert -q now.trace now.std
"$heddle" explore -q --record now.course --json now.json ./writers -- 2
"$heddle" explore -q -j 1 --max-executions 2 --checkpoint now.checkpoint ./writers -- 3
"$heddle" predict -q --only-predict --calls 'conn_*,conn_connect:init' --write-protocols now.txt ./closed_early
begins "a schedule" 18 "$formats/schedule-1.hd" heddle-out/bank-1.hd
begins "a list of bugs" 15 "$formats/bugs-1.txt" heddle-out/bugs.txt
"$heddle" bugs --list --write-baseline now-baseline.txt >/dev/null
begins "a baseline" 19 "$formats/baseline-1.txt" now-baseline.txt
lint_of --write-baseline now-lint-baseline.txt >/dev/null
begins "a baseline of lint" "$(wc -c <"$formats/lint-baseline-2.txt")" "$formats/lint-baseline-2.txt" now-lint-baseline.txt
begins "a recorded run" 8 "$formats/run-1.trace" now.trace
begins "the STD form" 15 "$formats/run-1.std" now.std
begins "an exploration trace" 27 "$formats/exploration-3.trace" now.course
begins "a checkpoint" 20 "$formats/checkpoint-6" now.checkpoint
"$heddle" run -q -j 1 --races ignore --strategy rff --runs 5 --out now-corpus ./bank >/dev/null 2>&1
begins "a corpus" 16 "$formats/corpus-1" now-corpus/corpus/bank
begins "a list of protocols" 21 "$formats/protocols-1.txt" now.txt
"$heddle" predict --only-predict --calls 'conn_*,conn_connect:init' --write-protocols now.mop ./closed_early >/dev/null 2>&1
begins "properties of protocols" 22 "$formats/properties-1.mop" now.mop
