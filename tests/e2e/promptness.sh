#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# It ends when it is told to, whatever it is doing: commands in their worst cases with --time and with Ctrl-C (how soon is
# measured by bench/promptness; here only a hard limit counts), programs that write over heddle's own memory, and files that
# would keep it waiting.
. "$(dirname "$0")/lib.sh"

"$root/bench/promptness" --heddle "$heddle" --time "$(if [ -n "${FULL:-}" ]; then echo 0.5; else echo 0.25; fi)" --cases 50

# ends NAME STATUS REGEX COMMAND...: within 100 s, with that status, and says so in one of its lines.
ends() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run timeout -s KILL 100 "$@"
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif ! grep -Eq -- "$regex" .output; then
    not_ok "$name" "no line matches $regex"
  else
    ok "$name"
  fi
}

# ---- a program that writes over what it shares with heddle ----

"$heddle" cc -g -O1 -pthread "$root/tests/promptness/scribble.c" -o scribble || exit 1
for command in check explore predict run; do
  values=255
  if [ $command = check ] || [ -n "${FULL:-}" ]; then values='255 127 1'; fi
  for value in $values; do
    for where in "0 300000" "8 19000" "20000 300000"; do
      # shellcheck disable=SC2086
      ends "$command: $value over $where" 3 'wrote over memory that it shares with heddle' \
        "$heddle" $command --time 5 ./scribble -- $where $value
    done
  done
done
for where in "68719476736 65536" "66571993088 65536" "67645734912 65536" "53687091200 65536" "43000000000 65536"; do
  for command in check ${FULL:+explore predict}; do
    # shellcheck disable=SC2086
    run timeout -s KILL 100 "$heddle" $command --time 2 ./scribble -- $where 127
    if [ "$status" -le 3 ]; then ok "$command: scribbled far behind the block ($where)"; else
      not_ok "$command: scribbled far behind the block ($where)" "status $status"
    fi
  done
done

# ---- files that would keep it waiting ----

mkfifo pipe
head -c 3000000 /dev/zero | tr '\0' 'x' >line
ends "a pipe is no schedule" 2 'pipe is a pipe' "$heddle" replay pipe
ends "nor one to show" 2 'pipe is a pipe' "$heddle" show pipe
ends "nor a list of tests" 2 'pipe is a pipe' "$heddle" suite pipe
ends "nor an exploration trace" 2 'pipe is a pipe' "$heddle" estimate pipe
ends "nor a run" 2 'pipe: the file is a pipe' "$heddle" predict --from pipe ./scribble
ends "nor one to convert" 2 'pipe: the file is a pipe' "$heddle" convert pipe other
ends "nor a protocol" 3 'pipe is a pipe' "$heddle" predict --protocol pipe ./scribble
ends "nor a checkpoint" 2 'not a regular file' "$heddle" explore --resume pipe ./scribble
ends "nor a program" 2 'not a regular file' "$heddle" check pipe
ends "a device is no list of tests" 2 '/dev/zero is a device' "$heddle" suite /dev/zero
ends "nor an exploration trace" 2 '/dev/zero is a device' "$heddle" estimate /dev/zero
ends "a line without end is no test" 2 'line:1: this line is too long' "$heddle" suite line
ends "nor of an exploration trace" 2 'line:1: .*a line without end' "$heddle" estimate line

# ---- one access of four gigabytes ----

printf 'heddle-trace 1 text\nmain create T1 @ 1\nmain create T2 @ 2\n' >huge.trace
for i in 1 2 3 4 5 6; do
  printf 'T%d write x%d @ %d length=4294967295\n' $((i % 2 + 1)) "$i" $((i + 10)) >>huge.trace
done
printf 'T1 free x1 @ 30 length=4294967295\n' >>huge.trace
cat >memory.py <<'P'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print("megabytes:", "few" if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 500000 else "many")
sys.exit(status)
P
ends "it is analysed in half a gigabyte" 0 'megabytes: few' \
  python3 memory.py "$heddle" predict --from huge.trace --only-predict ./scribble
