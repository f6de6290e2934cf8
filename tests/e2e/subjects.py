#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every subject of tests/subjects, with its bug and as its fixed twin, under every sampling strategy.

    tests/e2e/subjects.py [--full] [--compare CC] [-j N] [NAME...]

The bug must be found within 10,000 executions, with the verdict the subject states, by at least two strategies, and
every schedule file that was written must show it again: so many times of so many, and in each way to reset. The twin
must end with status 0 and without a report in 10,000 executions; of one in C, recorded under several schedules, no race is predicted.

Without options this is what `make test` has time for: two of the strategies (others for each subject; all where one of
them finds nothing), four replays of the first find, and the twin under 1,500 executions of one strategy; some with
several processes under fewer, as they say. --full is the whole requirement: every strategy, 100 replays, 10,000 executions;
its last output is a table. A few subjects are built with clang too, if it is there, and want the
same verdicts; --compare CC does so for every subject, with that compiler. With names, only those subjects.

HEDDLE names another program to test than build/heddle, KEEP=1 keeps the folder of everything that was built and found.
Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
STRATEGIES = ("random", "pct", "pos")
RESETS = ("snapshot", "fork", "exec")
RECORDED = (["--strategy", "rr"], ["--strategy", "random", "--seed", "3"])
EXECUTIONS = 10_000
LIMIT = 400  # seconds for one command, however busy the machine is
LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # takes half the time of the other one, which is left to clang
COMPARED = ("aba_stack", "bank_lost_update", "c11_lost_wakeup", "completion_freed", "cxx_atomic_wait",
            "cxx_stale_reference", "double_checked_locking", "futex_mutex", "lazy_init_leak", "message_relaxed",
            "order_violation", "ready_bits_hang", "rwlock_early_unlock")  # also with clang, always

# The environment of the person who runs the tests must not choose what they test.
for name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(name, None)


class Subject:
    """One file of tests/subjects and what the lines at the end of its comment say."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        comment = path.read_text().split("*/")[0]
        field = dict(re.findall(r"^ \* (verdict|also|threads|flags|runs): *(.*)$", comment, re.M))
        self.verdict = field["verdict"]
        self.also = field.get("also", "").split()
        self.flags = field.get("flags", "").split()
        self.runs = int(field.get("runs", EXECUTIONS))
        self.is_cxx = path.suffix == ".cc"

    def build(self, output, fixed, compiler):
        """Compiles one variant; an error message, or None."""
        environment = dict(os.environ)
        linker = [] if compiler else LINKER
        if compiler:
            environment["HEDDLE_CXX" if self.is_cxx else "HEDDLE_CC"] = compiler
        command = [HEDDLE, "c++" if self.is_cxx else "cc", "-O1", "-g", "-pthread",
                   "-std=gnu++17" if self.is_cxx else "-std=gnu17", *linker, *self.flags]
        command += ["-DFIXED"] if fixed else []
        status, text = run(command + [str(self.path), "-o", str(output)], env=environment)
        return None if status == 0 else f"does not compile: {text}"


def run(command, **options):
    """Its exit status and both its streams; status 124 when it ran out of time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT, text=True, errors="replace", check=False, **options)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, f"no end after {LIMIT} s: {late.output or b''!r}"


class Finding:
    """What one strategy found in the buggy variant."""

    def __init__(self, strategy):
        self.strategy = strategy
        self.kinds = []
        self.bug = None      # as in the JSON, the one with the stated verdict
        self.schedule = None
        self.error = None


def search(folder, program, subject, strategy, command):
    """heddle check stops at the first bug that ends an execution and shrinks it; heddle run goes on to the end."""
    out = folder / f"{program.name}-{strategy}-{command}"
    out.mkdir()
    arguments = [HEDDLE, command, "--strategy", strategy, "--seed", "1", "-j", "1", "--json", str(out / "result.json"),
                 "--out", str(out), "--quiet", "--no-page"]
    arguments += ["--runs", str(EXECUTIONS)] if command == "run" else ["--max-executions", str(EXECUTIONS), "--time", "100s"]
    if subject.verdict in ("race", "leak"):
        arguments.append(f"--{subject.verdict}s=fail")
    if subject.verdict == "hang":
        arguments += ["--max-steps", "2000"]  # a hang takes all its steps, whenever it is run
    status, text = run(arguments + [str(program)])
    if status not in (0, 1):
        return None, f"{command}: status {status}: {text}"
    return json.loads((out / "result.json").read_text()), None


def find(folder, program, subject, strategy):
    finding = Finding(strategy)
    for command in ("check", "run"):
        result, finding.error = search(folder, program, subject, strategy, command)
        if finding.error:
            return finding
        finding.kinds = sorted({bug["kind"] for bug in result["bugs"]} | set(finding.kinds))
        for bug in result["bugs"]:
            if bug["kind"] == subject.verdict:
                finding.bug = bug
                finding.schedule = bug["schedule"]
                return finding
        # A bug the subject also has may have ended the search: look past it. A hang would take too long.
        if not result["bugs"] or subject.verdict == "hang":
            return finding
    return finding


def replay(schedule, times, reset=None):
    """How many replays showed the bug, and what was said."""
    command = [HEDDLE, "replay", "--times", str(times)]
    command += ["--reset", reset] if reset else []
    status, text = run(command + [schedule])
    said = re.search(r"^(\d+) of (\d+) replays show the bug", text, re.M)
    shown = int(said.group(1)) if said else int(status == 1 and times == 1)
    return shown if status == 1 or shown < times else 0, text


class Report:
    """The cases of one subject, and its row of the table."""

    def __init__(self, subject):
        self.subject = subject
        self.lines = []
        self.findings = []
        self.replays = {}
        self.twin = []

    def case(self, good, name, why=""):
        self.lines.append(f"{'ok' if good else 'not ok'} - {self.subject.name}: {name}"
                          + (f" ({first_line(why)})" if why and not good else ""))
        if not good and why:
            self.lines += ["    | " + line for line in why.strip().splitlines()[:20]]


def first_line(text):
    return text.strip().splitlines()[0][:160] if text.strip() else ""


def in_turn(turn):
    """The strategies, another one first for each subject."""
    first = turn % len(STRATEGIES)
    return STRATEGIES[first:] + STRATEGIES[:first]


def find_all(folder, program, subject, full, turn):
    """What every strategy finds; where there is less time, two of them, and the third if one of these finds nothing."""
    if full:
        return [find(folder, program, subject, strategy) for strategy in STRATEGIES]
    findings = [find(folder, program, subject, strategy) for strategy in in_turn(turn)[:2]]
    if not all(f.bug for f in findings):
        findings.append(find(folder, program, subject, in_turn(turn)[2]))
    return findings


def check_bug(report, folder, program, full, turn):
    subject = report.subject
    report.findings = find_all(folder, program, subject, full, turn)
    found = [f for f in report.findings if f.bug]
    said = ", ".join(f"{f.strategy}: {f.error or ' '.join(f.kinds) or 'nothing'}" for f in report.findings)
    report.case(len(found) >= 2, f"{subject.verdict} found by two strategies", said)
    strange = {kind for f in report.findings for kind in f.kinds} - {subject.verdict, *subject.also}
    report.case(not strange, "nothing else reported", f"{' '.join(sorted(strange))} too")
    for f in found:
        times = 100 if full else 4 if f == found[0] else 1
        shown, text = replay(f.schedule, times, RESETS[0] if f == found[0] else None)
        report.replays[f.strategy] = f"{shown}/{times}"
        report.case(shown == times, f"{f.strategy}: {times} of {times} replays", f"{shown} of {times}\n{text}")
        report.case(f.bug["replayed"], f"{f.strategy}: replayed before it was reported")
    if found:
        bad = [f"{reset}: not shown\n{text}" for reset in RESETS[1:]  # in the first it was replayed above
               for shown, text in [replay(found[0].schedule, 1, reset)] if shown != 1]
        report.case(not bad, "replays in every other way to reset", "\n".join(bad))


def check_twin(report, folder, program, full, turn):
    for strategy in STRATEGIES if full else in_turn(turn)[:1]:
        executions = EXECUTIONS if full else min(1500, report.subject.runs)
        result = folder / f"{program.name}-{strategy}.json"
        status, text = run([HEDDLE, "run", "--strategy", strategy, "--seed", "1", "-j", "1", "--runs", str(executions),
                            "--json", str(result), "--out", str(folder / f"{program.name}-out"), str(program)])
        data = json.loads(result.read_text()) if result.exists() else {"bugs": [], "executions": 0}
        # A program without any decision to take ends earlier: every execution is the same one.
        silent = status == 0 and not data["bugs"]
        enough = data["executions"] == executions or data["executions"] <= 2
        report.twin.append("silent" if silent else ",".join(sorted({b["kind"] for b in data["bugs"]})) or f"status {status}")
        report.case(silent and enough, f"twin silent, {strategy}, {executions} executions", text)


def predict_twin(report, folder, program):
    for schedule in RECORDED:
        result = folder / f"{program.name}-{schedule[1]}-predicted.json"
        _, text = run([HEDDLE, "predict", "--only-predict", *schedule, "--json", str(result), str(program)], cwd=folder)
        races = [p for p in json.loads(result.read_text())["predictions"] if p["kind"] == "data race"] if result.exists() else [text]
        report.case(not races, f"no race predicted of the twin, {schedule[1]}", str(races))


def test_subject(subject, folder, full, turn):
    report = Report(subject)
    program, twin = folder / f"{subject.path.stem}.bug", folder / f"{subject.path.stem}.fixed"
    error = subject.build(program, False, None) or subject.build(twin, True, None)
    if error:
        report.case(False, "compiles", error)
        return report
    check_bug(report, folder, program, full, turn)
    check_twin(report, folder, twin, full, turn)
    if not subject.is_cxx:
        predict_twin(report, folder, twin)
    return report


def compare_subject(subject, folder, full, turn, compiler):
    """The same verdict, and the same silence, whichever compiler; rows of the table of compilers."""
    report = Report(subject)
    stem = f"{subject.path.stem}.{compiler.replace('+', 'x')}"
    program, twin = folder / f"{stem}-bug", folder / f"{stem}-fixed"
    error = subject.build(program, False, compiler) or subject.build(twin, True, compiler)
    if error:
        report.case(False, f"compiles with {compiler}", error)
        return report
    report.findings = find_all(folder, program, subject, full, turn)
    said = ", ".join(f"{f.strategy}: {f.error or ' '.join(f.kinds) or 'nothing'}" for f in report.findings)
    report.case(sum(f.bug is not None for f in report.findings) >= 2,
                f"{subject.verdict} found by two strategies, with {compiler}", said)
    for strategy in STRATEGIES if full else in_turn(turn)[:1]:
        status, text = run([HEDDLE, "run", "--strategy", strategy, "--seed", "1", "-j", "1", "--runs", "2000", "--out",
                            str(folder / f"{stem}-out"), str(twin)])
        report.twin.append("silent" if status == 0 else f"status {status}")
        report.case(status == 0, f"twin silent, {strategy}, with {compiler}", text)
    return report


def row(report, what):
    first = [str(f.bug["first_execution"]) if f.bug else "-" for f in report.findings] or ["?"] * 3
    least = "/".join(str(f.bug["preemptions"]) if f.bug else "-" for f in report.findings)
    also = sorted({k for f in report.findings for k in f.kinds} - {report.subject.verdict})
    shown = {value for value in report.replays.values()}
    twin = "silent" if set(report.twin) == {"silent"} else "/".join(report.twin)
    return [report.subject.name + what, report.subject.verdict, *first, least, " ".join(sorted(shown)) or "-", twin,
            " ".join(also)]


def print_table(rows):
    rows = [["subject", "verdict", *STRATEGIES, "preemptions", "replays", "twin", "also reported"]] + rows
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    print("\nfirst execution that shows the bug, by strategy; preemptions after shrinking, in the same order")
    for r in rows:
        print("# " + "  ".join(cell.ljust(width) for cell, width in zip(r, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", default=bool(os.environ.get("FULL")), help="100 replays, 10,000 executions with every strategy")
    parser.add_argument("--compare", metavar="CC", help="build every subject with this compiler too")
    parser.add_argument("-j", type=int, default=2, help="subjects at a time")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    paths = sorted(p for p in (ROOT / "tests" / "subjects").iterdir() if p.suffix in (".c", ".cc"))
    paths = [p for p in paths if not options.names or p.name in options.names or p.stem in options.names]
    if not paths:
        sys.exit("no subject of that name")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-subjects."))
    rows = []
    try:
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            subjects = [Subject(p) for p in paths]
            jobs = [(pool.submit(test_subject, s, folder, options.full, i), "") for i, s in enumerate(subjects)]
            compiler = options.compare or ("clang" if shutil.which("clang++") else None)
            for i, s in enumerate(subjects):
                if compiler and (options.compare or s.path.stem in COMPARED):
                    name = compiler + ("++" if s.is_cxx else "")
                    jobs.append((pool.submit(compare_subject, s, folder, options.full, i, name), f" ({compiler})"))
            for job, what in jobs:
                report = job.result()
                print("\n".join(report.lines), flush=True)
                rows.append(row(report, what))
        if options.full or options.compare:
            print_table(rows)
    finally:
        if os.environ.get("KEEP"):
            print(f"# kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
