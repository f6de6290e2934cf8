#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle replay --gdb: scripted sessions that reach the bug, look at the threads' own stacks, step, switch and go back.

With gcc and clang, on an assertion and a deadlock; on a crash and on C++ with gcc. Every case prints one line `ok - name`
or `not ok - name`, which tests/run counts.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
SUBJECTS = os.path.join(ROOT, "tests", "subjects")
LIMIT = 400


def report(name, good, output=""):
    print(("ok - " if good else "not ok - ") + name, flush=True)
    if not good:
        for line in output.splitlines()[-60:]:
            print("    | " + line, flush=True)
    return good


def run(*arguments, text=None, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("HEDDLE_CC", "HEDDLE_CXX", "CFLAGS", "CXXFLAGS")}
    environment.update(variables)
    done = subprocess.run(arguments, input=text, stdin=None if text is not None else subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT,
                          env=environment, check=False)
    return done.returncode, done.stdout


def record(source, folder, **variables):
    """The schedule file of the first bug of a program."""
    run(HEDDLE, "check", "--time", "20s", "--out", folder, source, **variables)
    name = os.path.splitext(os.path.basename(source))[0]
    path = os.path.join(folder, name + "-1.hd")
    return path if os.path.exists(path) else None


class Script:
    """A session of gdb: commands, and for each what it printed."""

    def __init__(self, schedule, *commands, options=()):
        self.home = tempfile.mkdtemp(dir=".")  # no .gdbinit of whoever runs the tests
        lines = []
        for number, command in enumerate(commands):
            lines += [f"echo @{number}@\\n", command]
        lines += ["echo @end@\\n", "quit", ""]
        self.status, self.all = run(HEDDLE, "replay", "--gdb", *options, schedule, text="\n".join(lines),
                                    HOME=os.path.abspath(self.home), TERM="dumb")
        text = self.all.replace("(gdb) ", "")
        self.start, *rest = re.split(r"@(?:\d+|end)@\n", text)
        self.answers = rest[:-1] if len(rest) == len(commands) + 1 else [""] * len(commands)

    def expect(self, name, *pairs):
        """Each pair is the number of a command (None: the start) and what its output must match."""
        for number, pattern in pairs:
            text = self.start if number is None else self.answers[number]
            if not re.search(pattern, text, re.S | re.M):
                return report(name, False, f"{pattern!r} is not in the output of command {number}:\n{self.all}")
        return report(name, True)


def step_of(answer):
    found = re.search(r"^\[heddle\] step (\d+), switch \d+: next, ", answer, re.M)
    return int(found.group(1)) if found else -1


def test_assertion(compiler, schedule):
    s = Script(schedule, "bt", "heddle threads", "heddle back", "heddle back", "heddle back", "heddle thread main",
               "heddle thread T1 bt", "heddle next-switch", "heddle next-switch", "heddle step", "heddle back", "continue",
               "heddle output")
    s.expect(f"{compiler}: it stands at the failed assertion",
             (None, r"^\[heddle\] the bug, after step \d+, switch \d+: assertion failed: total == 200"),
             (None, r"assert\(total == 200\)"), (0, r"\A#\d+ .* in main \(.*\).*bank\.c:40\n\Z"))
    s.expect(f"{compiler}: threads at the bug", (1, r"^\* 0 +main +bank\.c:40 in main .*runs"), (1, r"T1 +has ended"),
             (1, r"T2 +has ended"))
    s.expect(f"{compiler}: each thread has its own backtrace, without the runtime's frames",
             (5, r"\A#\d+ [^#]* in main \(.*\).*bank\.c:36\n\Z"), (6, r"\A#\d+ [^#]*in transfer [^#]*#\d+ [^#]*in clerk [^#]*\Z"))
    last, before, first, *forth = (step_of(s.answers[n]) for n in (2, 3, 4, 7, 8, 9, 10))
    report(f"{compiler}: back over three switches, forth over two, a step, and back",
           0 < first < before < last and forth[:2] == [before, last] and forth[2] > last and forth[3] == last, s.all)
    s.expect(f"{compiler}: continue comes to the bug again, with its output", (11, r"the bug, after"),
             (12, r"Assertion `total == 200' failed"))


def test_deadlock(compiler, schedule):
    s = Script(schedule, "heddle why", "heddle threads", "heddle thread 1", "heddle thread 2 bt full", "heddle back",
               "heddle back", "heddle next-switch", "heddle next-switch", "bt", "heddle threads", "continue")
    s.expect(f"{compiler}: it stands at the deadlock", (None, r"the bug, .*: deadlock: T1 and T2 wait for each other"))
    s.expect(f"{compiler}: why tells the circle", (0, r"^main waits for the end of T1 \("),
             (0, r"^T1 waits to lock account\[1\]\.lock .*held by T2 since abba_deadlock\.c:29"),
             (0, r"^T2 waits to lock account\[0\]\.lock .*held by T1 since abba_deadlock\.c:29"),
             (0, r"in a circle: T\d → T\d → T\d"))
    s.expect(f"{compiler}: threads tells who holds what",
             (1, r"T1 +abba_deadlock\.c:30 in transfer +waits to lock account\[1\]\.lock\n +holds account\[0\]\.lock, since"),
             (1, r"T2 +abba_deadlock\.c:30 in transfer +waits to lock account\[0\]\.lock\n +holds account\[1\]\.lock, since"))
    s.expect(f"{compiler}: the stacks of both threads", (2, r"transfer \(from=0, to=1.*forth \("),
             (3, r"transfer \(from=1, to=0.*first = 1.*back \("))
    s.expect(f"{compiler}: back twice, forth twice", (4, r"switch 2: next, T\d "), (5, r"switch 1: next, T\d "),
             (6, r"switch 2: next, T\d "), (7, r"the bug, "), (8, r"in transfer "), (9, r"T2 +abba_deadlock\.c:30"))
    s.expect(f"{compiler}: behind the bug is the end", (10, r"the execution is over"))


def test_break_ahead(schedule):
    s = Script(schedule, "heddle break 14", "heddle goto 5", "continue")
    s.expect("continue goes from one place to the break ahead", (0, r"stops before step 14"), (1, r"\[heddle\] step 5, "),
             (2, r"\[heddle\] step 1[45], "))


def test_places(schedule):
    s = Script(schedule, "heddle step", "heddle break 14", "heddle break", "continue", "heddle goto 5", "run", "heddle break -14",
               "run", "heddle thread 9", "heddle goto x", "break transfer", "run", "heddle threads", "heddle thread T2",
               "delete", "continue", options=("--step", "9"))
    s.expect("--step stops before that step", (None, r"^\[heddle\] step 9, switch \d+: next, T\d "),
             (0, r"^\[heddle\] step 1\d, "))
    s.expect("break stands there in every run", (2, r"\Astep 14\n\Z"), (3, r"\[heddle\] step 1[45], "),
             (4, r"\[heddle\] step 5, "), (5, r"\[heddle\] step 1[45], "), (7, r"the bug, "))
    s.expect("wrong arguments are told in a line", (8, r"\Athere is no thread \"9\"; heddle threads lists them\n\Z"),
             (9, r"\Aheddle goto takes the number of a step.*\n\Z"))
    s.expect("breakpoints of gdb itself hold, and tell the thread", (11, r"Breakpoint 1, transfer .*\[heddle\] T1, after"),
             (12, r"^\* 1 +T1 +bank\.c:1[89] in transfer"), (13, r"T2 has not started yet; it begins in clerk|in transfer"), (15, r"the bug, "))


def test_crash(schedule):
    s = Script(schedule, "bt", "heddle back", "heddle threads")
    s.expect("a crash: it stands where the program did", (None, r"the bug, .*null pointer.*null_after_check\.c:24"),
             (0, r"in monitor "), (1, r"next, T1 "), (2, r"main .*waits for the end of T1"))


def test_ended(schedule):
    s = Script(schedule, "heddle threads", "heddle back")
    s.expect("a thread that has ended, with the lock that it kept", (0, r"T\d +has ended\n +holds lock, since"),
             (0, r"waits to lock lock"), (1, r"switch \d+: next, "))


def test_cxx(schedule):
    s = Script(schedule, "heddle why", "heddle thread T1")
    s.expect("C++: the user's own line and names", (None, r"folder::merge .*cxx_deadlock\.cc:2\d"),
             (0, r"T1 waits to lock [ab]\.lock of main \(cxx_deadlock\.cc:26 in folder::merge\), held by T2"),
             (1, r"in folder::merge"))


def test_wrong_use(schedule):
    status, output = run(HEDDLE, "replay", "--step", "3", schedule)
    report("--step without --gdb is an error", status == 2 and "--gdb" in output and output.count("\n") == 1, output)
    status, output = run(HEDDLE, "replay", "--gdb", "--times", "2", schedule)
    report("--gdb with what it cannot do is an error", status == 2 and output.count("\n") == 1, output)
    status, output = run(HEDDLE, "replay", "--gdb", schedule, PATH="/nonexistent")
    report("without gdb, one line says what to install",
           status == 3 and output == "heddle: gdb is not installed; on Debian: apt install gdb\n", output)
    status, output = run(HEDDLE, "--start-for-debugger")
    report("the word for gdb is of no use to people", status == 2 and output.count("\n") == 1, output)


def main():
    if not shutil.which("gdb"):
        report("gdb is there", False, "apt install gdb")
        return
    bank, abba = os.path.join(ROOT, "examples", "bank.c"), os.path.join(SUBJECTS, "abba_deadlock.c")
    for compiler in ("gcc", "clang"):
        folder = compiler + "-out"
        asserts, deadlocks = (record(source, folder, HEDDLE_CC=compiler) for source in (bank, abba))
        if not report(f"{compiler}: schedules were recorded", asserts and deadlocks):
            continue
        test_assertion(compiler, asserts)
        test_deadlock(compiler, deadlocks)
    test_break_ahead("gcc-out/bank-1.hd")
    test_places("gcc-out/bank-1.hd")
    test_wrong_use("gcc-out/bank-1.hd")
    test_crash(record(os.path.join(SUBJECTS, "null_after_check.c"), "gcc-out"))
    test_ended(record(os.path.join(SUBJECTS, "spin_error_path.c"), "gcc-out"))
    test_cxx(record(os.path.join(SUBJECTS, "cxx_deadlock.cc"), "gcc-out"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        main()
        os.chdir("/")
    sys.exit(0)
