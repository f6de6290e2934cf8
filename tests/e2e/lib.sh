# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Common helpers of the shell tests; sourced, never run. A test starts with
#
#     . "$(dirname "$0")/lib.sh"
#
# and then finds: $heddle (the program under test), $root (the source tree), $work (an empty folder of its own, the
# current one, removed at the end). Every case prints one line `ok - name` or `not ok - name`, which tests/run counts;
# the script ends with status 0 whatever its cases said, and a script that dies is a failure of its own.
# HEDDLE in the environment names another program to test. KEEP=1 keeps the folder.

set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # used by the tests
heddle=${HEDDLE:-$root/build/heddle}
work=$(mktemp -d "${TMPDIR:-/tmp}/heddle-test.XXXXXX")
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$work" || exit 1

# The environment of the person who runs the tests must not choose what they test.
unset HEDDLE_CC HEDDLE_CXX CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LD_PRELOAD DESTDIR PREFIX MAKEFLAGS MFLAGS MAKELEVEL

# Schedule files are signed with a key of this test's own.
export XDG_STATE_HOME=$work/.state

ok() { printf 'ok - %s\n' "$1"; }

# not_ok NAME [WHY]: a failed case, with the output of the last `run` if there is one.
not_ok() {
  printf 'not ok - %s%s\n' "$1" "${2:+ ($2)}"
  if [ -s "$work/.output" ]; then sed 's/^/    | /' "$work/.output" | tail -n 40; fi
}

# run COMMAND...: runs it, keeps its output (both streams) in $output and its exit status in $status.
run() {
  "$@" >"$work/.output" 2>&1
  status=$?
  # shellcheck disable=SC2034
  output=$(cat "$work/.output")
}

# check NAME COMMAND...: the case holds if the command succeeds.
check() {
  local name=$1
  shift
  run "$@"
  if [ "$status" -eq 0 ]; then ok "$name"; else not_ok "$name" "status $status"; fi
}

# expect_status NAME STATUS COMMAND...
expect_status() {
  local name=$1 wanted=$2
  shift 2
  run "$@"
  if [ "$status" -eq "$wanted" ]; then ok "$name"; else not_ok "$name" "status $status, not $wanted"; fi
}

# expect_output NAME REGEX COMMAND...: the extended regular expression matches a line of the output, whatever the status.
expect_output() {
  local name=$1 regex=$2
  shift 2
  run "$@"
  if grep -Eq -- "$regex" "$work/.output"; then ok "$name"; else not_ok "$name" "no line matches $regex"; fi
}

# instrumented FILE: it calls the hooks of the thread sanitizer's instrumentation.
instrumented() { nm "$1" | grep -Eq ' U __tsan_(read|write)'; }

# first_needed FILE: the shared library its dynamic section names first; the one whose symbols win.
first_needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | head -n 1; }
