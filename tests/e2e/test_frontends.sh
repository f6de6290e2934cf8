#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle test: the examples of all four frameworks, each with a bug and with the bug fixed; the schedule file each
# failing test names; lists, filters, TAP, JUnit and JSON; programs that are none or cannot be listed.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

skip() { printf 'skip - %s: %s\n' "$1" "$2"; }

# line NAME REGEX: the last command that was run printed a line that matches.
line() {
  if grep -Eq -- "$2" "$work/.output"; then ok "$1"; else not_ok "$1" "no line matches $2"; fi
}

# one_line NAME STATUS REGEX ARGUMENTS...: heddle test ends so, and all it says is one line on standard error.
one_line() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  "$heddle" test "$@" </dev/null >stdout.txt 2>.output
  status=$?
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif [ "$(wc -l <.output)" -ne 1 ] || [ -s stdout.txt ]; then
    not_ok "$name" "not exactly one line"
  elif ! grep -Eq "^heddle: .*$regex" .output; then
    not_ok "$name" "does not match $regex"
  else
    ok "$name"
  fi
}

# installed HEADER...: the compilers find them.
installed() {
  local header
  for header; do echo "#include <$header>"; done | c++ -E -x c++ - >/dev/null 2>&1
}

# frontend FRAMEWORK PROGRAM FAILING MESSAGE WHERE OTHER: in the folder FRAMEWORK with PROGRAM and PROGRAM_fixed.
frontend() {
  local framework=$1 program=$2 failing=$3 message=$4 where=$5 other=$6
  cd "$work/$framework" || return
  run "$heddle" test --list "./$program"
  line "$framework: lists the test that fails" "^$failing\$"
  line "$framework: lists the others" "^$other\$"
  run "$heddle" test --json result.json --junit result.xml "./$program"
  [ "$status" -eq 1 ] && ok "$framework: status 1" || not_ok "$framework: status 1" "status $status"
  line "$framework: the story, with the text and the place of the check" "^✗ assertion .*$message"
  line "$framework: it ends at the check" "^ +(main|T[0-9.]+) +${where/./\\.} +fails "
  line "$framework: the line of the test" "^FAILED +$failing +[0-9]+ executions? in [0-9.]+ m?s  assertion .*$message.*, $where"
  line "$framework: the other tests pass" "^ok +$other +[0-9]+ executions? in "
  line "$framework: the summary" '^[0-9]+ tests: [0-9]+ ok, 1 failed; [0-9]+ executions in '
  check "$framework: JSON and JUnit" python3 - "$failing" "$where" <<'P'
import json, sys, xml.etree.ElementTree as ET
d = json.load(open("result.json"))
assert d["command"] == "test" and d["verdicts"]["bug"] == 1 and d["verdicts"]["error"] == 0
t = {test["name"]: test for test in d["tests"]}
bug = t[sys.argv[1]]["bugs"][0]
assert bug["kind"] == "assertion" and bug["where"].endswith(sys.argv[2]) and bug["replayed"] is True
assert all(test["verdict"] in ("passed", "bug") for test in d["tests"])
suite = ET.parse("result.xml").getroot().find("testsuite")
assert suite.get("failures") == "1" and int(suite.get("tests")) == len(d["tests"])
failed = [case for case in suite if case.find("failure") is not None]
assert [case.get("classname") + "." + case.get("name") for case in failed] == [sys.argv[1]]
first, *story = failed[0].find("failure").text.split("\n")
assert first == "heddle replay " + bug["schedule"] and story and sys.argv[2] in failed[0].find("failure").get("message")
P
  local schedule
  schedule=$(sed -n 's/.*"schedule": "\(.*\)".*/\1/p' result.json | head -n 1)
  expect_output "$framework: the schedule replays to the same check" "^✗ assertion .*$message" "$heddle" replay --times 3 "$schedule"
  line "$framework: every time" '^3 of 3 replays show the bug$'
  expect_status "$framework: replay tells it by its status" 1 "$heddle" replay -q "$schedule"
  expect_output "$framework: show tells it too" "^✗ assertion .*$message" "$heddle" show "$schedule"
  expect_status "$framework: the fixed one passes" 0 "$heddle" test "./${program}_fixed"
  line "$framework: all of its tests" '^[0-9]+ tests: [0-9]+ ok, 0 failed; '
  line "$framework: under a thousand schedules" "^ok +$failing +1000 executions in"
  cd "$work" || exit 1
}

# built FRAMEWORK: its example is here, made by its own Makefile.
built() {
  cp -r "$root/examples/$1" . && check "$1: the example builds" make -s -C "$1" HEDDLE="$heddle" all
}

# ---- the four ----

built cmocka
frontend cmocka cache_test cache.loads_once_for_two_users '0x2 != 0x1' cache_test.c:65 cache.drops_what_is_not

built check
frontend check pool_test jobs.waits_for_all_jobs "'done == 2' failed: done == 1, 2 == 2" pool_test.c:43 jobs.waits_for_nothing

if installed criterion/criterion.h; then
  built criterion
  frontend criterion settings_test settings.belong_together 'eq\(int, seen.backlog, 16 \* seen.workers\): actual' \
    settings_test.c:39 settings.are_what_was_set
else
  skip "Criterion" "libcriterion-dev is not installed"
fi

if installed gtest/gtest.h; then
  cp -r "$root/examples/googletest" .
  built_with_cmake() {
    CXX="$(dirname "$heddle")/heddle-c++" cmake -S googletest -B googletest/build && cmake --build googletest/build &&
      cp googletest/build/ring_test googletest/build/ring_test_fixed googletest
  }
  check "googletest: the example builds" built_with_cmake
  frontend googletest ring_test Ring.HandsOverWhatWasPushed 'Expected equality of these values: \*value = [0-2], next = [0-2]' \
    ring_test.cc:33 Ring.IsEmptyAtFirst
  run "$heddle" test --output none googletest/ring_test
  if grep -q 'testing::' .output; then not_ok "googletest: its own steps are not told"; else ok "googletest: its own steps are not told"; fi
  built_by_find_package() {
    meson install -C "$(dirname "$heddle")" --no-rebuild --destdir "$work/prefix" &&
      cmake -S googletest -B ctest -DWITH_HEDDLE=ON -DCMAKE_PREFIX_PATH="$work/prefix" && cmake --build ctest
  }
  check "CTest: builds" built_by_find_package
  expect_output "CTest: the failing test" 'FAILED +Ring.HandsOverWhatWasPushed' \
    ctest --test-dir ctest --output-on-failure -L heddle -R '^ring_test$'
  expect_status "CTest: the fixed one passes" 0 ctest --test-dir ctest -L heddle -R '^ring_test_fixed$'
  expect_status "CTest: the schedule replays" 1 "$heddle" replay -q ctest/heddle-out/ring_test/ring_test.Ring.HandsOverWhatWasPushed-1.hd
else
  skip "GoogleTest" "libgtest-dev is not installed"
fi

# ---- TAP ----

"$heddle" test --tap cmocka/cache_test >tap.txt 2>stories.txt
check "TAP" python3 - <<'P'
lines = open("tap.txt").read().splitlines()
assert lines[:2] == ["TAP version 13", "1..3"]
assert [l for l in lines if l.startswith(("ok", "not ok"))] == [
    "ok 1 - cache.keeps_what_is_used", "ok 2 - cache.drops_what_is_not", "not ok 3 - cache.loads_once_for_two_users"]
failed = dict(l.strip().split(": ", 1) for l in lines[lines.index("not ok 3 - cache.loads_once_for_two_users") + 2:-1])
assert failed["message"] == '"assertion failed: 0x2 != 0x1, cache_test.c:65"' and failed["where"] == '"cache_test.c:65"'
assert failed["seed"] == "1" and int(failed["execution"]) >= 1
assert failed["replay"] == '"heddle replay ' + failed["schedule"][1:]
open("schedule", "w").write(failed["schedule"][1:-1])
P
expect_status "TAP: the schedule replays" 1 "$heddle" replay -q "$(cat schedule)"
check "TAP: stories are elsewhere" grep -q '^✗ assertion failed: 0x2 != 0x1' stories.txt
if command -v prove >/dev/null; then
  expect_output "TAP: prove understands it" 'Failed test: +3' prove -e "$heddle test --tap" cmocka/cache_test
fi

# ---- limits, filters, options ----

expect_output "--filter: one test" '^1 test: 1 ok' "$heddle" test --filter '*drops*' cmocka/cache_test
expect_output "--max-executions" 'loads_once_for_two_users +70 executions' "$heddle" test -j1 --max-executions 70 --filter '*two*' cmocka/cache_test_fixed
expect_output "--time" 'loads_once_for_two_users +[0-9]{3,} executions in [234][0-9]{2} ms' "$heddle" test --time 300ms --filter '*two*' cmocka/cache_test_fixed
expect_output "--strategy and --seed are written down" '^found-by +random seed 5 ' bash -c '"$0" test -q --strategy random --seed 5 --filter "*two*" --out seeded cmocka/cache_test; cat seeded/*.hd' "$heddle"
run "$heddle" test -q cmocka/cache_test_fixed
[ "$status" -eq 0 ] && [ ! -s .output ] && ok "--quiet: nothing to say" || not_ok "--quiet: nothing to say"
expect_output "without heddle cc: it says so" '^heddle: only calls are scheduling points' \
  bash -c 'cc -g cmocka/cache.c cmocka/cache_test.c -o plain -lcmocka && "$0" test plain' "$heddle"

# ---- tests that need more than a function call ----

cat >more.c <<'C'
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
START_TEST(dies) { abort(); } END_TEST
START_TEST(crashes) { ck_assert(0 == *(volatile int *)NULL); } END_TEST
START_TEST(says_why) { ck_assert_msg(1 + 1 == 3, "it is %d", 2); } END_TEST
int main(void)
{
  TCase *tests = tcase_create("more");
  tcase_add_test_raise_signal(tests, dies, 6);
  tcase_add_test(tests, crashes);
  tcase_add_test(tests, says_why);
  Suite *suite = suite_create("more");
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed;
}
C
read -ra libcheck <<<"$(pkg-config --cflags --libs check)"
"$heddle" cc -g more.c -o more "${libcheck[@]}"
run "$heddle" test more
line "a test that is to die is skipped" '^skipped +more.dies +it is to die'
line "a crash" '^FAILED +more.crashes .* access through a null pointer'
line "a message with its expression" "^FAILED +more.says_why .* assertion '1 \+ 1 == 3' failed: it is 2, more.c:6"
line "after a failing test the others are run" '^3 tests: 0 ok, 2 failed, 1 skipped;'

# ---- wrong use ----

one_line "no program" 2 'needs a program'
one_line "a missing program" 2 'no such program' ./gone
one_line "a source file" 2 'not source files' more.c
one_line "a program without tests" 2 'made with none of cmocka, Check, Criterion and GoogleTest; heddle check' /bin/true
one_line "no test matches" 2 'no test of cmocka/cache_test matches "Nothing\.\*"; heddle test --list' --filter 'Nothing.*' cmocka/cache_test
one_line "an unknown strategy" 2 'no strategy "luck"' --strategy luck cmocka/cache_test
one_line "two documents on standard output" 2 'both need standard output' --tap --json - cmocka/cache_test
one_line "JUnit onto a program" 2 'not overwritten' --junit cmocka/cache_test cmocka/cache_test
cc -g more.c -o static "${libcheck[@]}"
one_line "Check that heddle cc did not link" 2 'link it with heddle cc, or check it as a whole' static
cat >crash.c <<'C'
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
static void nothing(void **state) { (void)state; }
int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing)};
  if (argc > 1)
    return argv[1][0] == 'n' ? 0 : *(volatile int *)NULL;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
C
"$heddle" cc -g crash.c -o crash -lcmocka
expect_status "arguments are the program's" 0 "$heddle" test crash
one_line "a crash while listing" 3 'crash failed while its tests were listed: access through a null pointer .*, crash.c:11 ' crash -- yes
one_line "a program that runs no tests" 2 'crash names no test' crash -- no
