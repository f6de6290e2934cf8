#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs at the edges of what heddle controls, tests/edges, each with its true verdict.

    tests/e2e/edges.py [-j N] [--time TIME] [NAME...]

The first comment of a program tells its truth, found by reasoning and by running it natively, and ends with fields:

    verdict: noproof    it has a bug: found, or at least never called complete
             find       it has a bug, and check finds it
             found      it has a bug, and explore finds it too
             quiet      it is correct: no bug is told; status 0, or 3 where heddle says that it cannot tell
             complete   it is correct and small: explore proves it
             outside    it waits for somebody outside the program: no bug is told, status 3
    kind: KIND          what a bug is told as (default of find and found: assertion); KIND or KIND, where it depends on which comes first
    expect-text: WORDS  a sentence that check or explore must print
    options: OPTIONS    for check and explore
    flags: FLAGS        for the compiler; build: cc means that the program is built without heddle cc

Each is built, checked and explored, for a short time unless the search ends by itself with what is to be told, every third one
by as many workers as there are cores, the others by one; exit status, text and JSON must all say what is true. With names,
only those programs. HEDDLE names another program to test than build/heddle, KEEP=1 keeps the folder of everything
that was built. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 200  # seconds for one command, however busy the machine is
GRACE = "2s"  # a program that gets stuck need not be waited for longer
FULL = bool(os.environ.get("FULL"))
QUIET = "1500"  # executions of a correct program: samples by all strategies, and then some of the search
PROOF = re.compile(r"\(complete\)|in any interleaving(?! of its calls)|every schedule is the same|never meet")
ALARM = re.compile(r"^✗", re.M)
LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # takes half the time of the other one

# The environment of the person who runs the tests must not choose what they test.
for variable in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(variable, None)


class Answer:
    """What one command said: exit status, both streams, JSON."""

    def __init__(self, status, text, document):
        self.status = status
        self.text = text
        self.kinds = [bug["kind"] for bug in document.get("bugs", [])]
        self.complete = bool(document.get("complete"))
        self.has_json = bool(document)

    def fatal(self):
        return [kind for kind in self.kinds if kind != "race"]

    def is_proof(self):
        return not self.kinds and (self.complete or bool(PROOF.search(self.text)))

    def __str__(self):
        said = ", ".join(self.kinds[:3]) or "no bug"
        return f"status {self.status}, {said}{', complete' if self.complete else ''}"


class Program:
    """One file of tests/edges and the fields of its comment."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        comment = path.read_text().split("*/")[0]
        self.field = dict(re.findall(r"^ \* (verdict|kind|expect-text|options|flags|build): *(.*)$", comment, re.M))
        self.verdict = self.field["verdict"]
        self.kind = self.field.get("kind")

    def build(self, output):
        """Compiles it; an error message, or None."""
        is_cxx = self.path.suffix == ".cc"
        compiler = ["cc"] if self.field.get("build") == "cc" else [HEDDLE, "c++" if is_cxx else "cc"]
        command = [*compiler, "-w", "-g", "-O1", "-pthread", *LINKER, *self.field.get("flags", "").split(), str(self.path)]
        done = subprocess.run([*command, "-o", str(output)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        return None if done.returncode == 0 else f"does not compile: {done.stderr}"

    def ends(self, command):
        """Whether a search that says what is true ends by itself: with a proof, or with a bug that ends an execution."""
        if self.verdict == "complete":
            return True
        return (self.verdict == "found" or (self.verdict, command) == ("find", "check")) and self.kind not in ("race", "leak")

    def wrong(self, command, answer):
        """What is untrue in that answer, or None."""
        if answer.status not in (0, 1, 3):
            return "no verdict"
        if answer.has_json and (answer.status == 1) != bool(answer.kinds):
            return "exit status and JSON contradict each other"
        if bool(ALARM.search(answer.text)) != bool(answer.kinds):
            return "text and JSON contradict each other"
        return getattr(self, "wrong_" + self.verdict)(command, answer)

    def is_told(self, answer):
        return any(kind in answer.kinds for kind in (self.kind or "assertion").split(" or "))

    def wrong_noproof(self, _command, answer):
        if answer.is_proof():
            return "a false proof"
        if self.kind and answer.fatal() and not self.is_told(answer):
            return f"another bug than {self.kind}"
        return None

    def wrong_find(self, command, answer):
        if command == "check" and not self.is_told(answer):
            return f"{self.kind or 'assertion'} not found"
        return "a false proof" if answer.is_proof() else None

    def wrong_found(self, _command, answer):
        return None if self.is_told(answer) else f"{self.kind or 'assertion'} not found"

    def wrong_quiet(self, _command, answer):
        return "a false alarm" if answer.kinds else None

    def wrong_complete(self, command, answer):
        if answer.kinds:
            return "a false alarm"
        if answer.status != 0 or (command == "explore" and not answer.complete):
            return "not proved"
        return None

    def wrong_outside(self, _command, answer):
        if answer.kinds:
            return "a false alarm"
        return None if answer.status == 3 else "not said that it waits for the outside"


# For a search that ends by itself, and for one that said nothing untrue, but not what it should: the machine may be busy.
PATIENT = ["--time", "20s", "--grace", "10s"]
MISSING = ("not found", "not proved", "waits for the outside")  # how that ends, of what wrong() says


def ask(command, options, time, folder):
    """Runs check or explore in a folder of its own."""
    folder.mkdir()
    line = [HEDDLE, command, "--json", "answer.json", "--color", "never", "--no-page", "--grace", GRACE, "--time", time]
    try:
        done = subprocess.run([*line, *options, "../program"], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, errors="replace",
                              check=False)
    except subprocess.TimeoutExpired:
        return Answer(124, f"no end after {LIMIT} s", {})
    written = folder / "answer.json"
    return Answer(done.returncode, done.stdout, json.loads(written.read_text()) if written.exists() else {})


def commands(program, workers):
    """Where there is less time, one command alone is asked of two programs of three: check where explore has no other answer to give, and
    explore where check ends with the same search, after samples that take most of its time."""
    if not workers or program.field.get("expect-text") or FULL:
        return ["check", "explore"]
    return {"find": ["check"], "quiet": ["check"], "outside": ["check"], "complete": ["explore"]}.get(program.verdict, ["check", "explore"])


def limits(program, command):
    """A search that can end by itself is waited for; where no bug is to be told, there are enough executions."""
    if program.ends(command):
        return PATIENT[:2]
    return ["--max-executions", QUIET] if program.verdict == "quiet" and not FULL else []


def examine(program, workers, time, work):
    """The lines of one program's cases."""
    folder = work / program.name.replace(".", "_")
    folder.mkdir()
    error = program.build(folder / "program")
    if error:
        return [f"not ok - {program.name} ({error})"]
    lines, texts = [], ""
    for command in commands(program, workers):
        options = workers + program.field.get("options", "").split() + limits(program, command)
        answer = ask(command, options, time, folder / command)
        if (program.wrong(command, answer) or "").endswith(MISSING):  # there may have been no time
            answer = ask(command, [*options, *PATIENT], time, folder / (command + " again"))
        texts += answer.text
        wrong = program.wrong(command, answer)
        name = f"{program.name} is {program.verdict} for {command}"
        lines.append(f"not ok - {name} ({wrong}: {answer})\n{answer.text}" if wrong else f"ok - {name}")
    words = program.field.get("expect-text")
    if words:
        lines.append(f"{'ok' if words in texts else 'not ok'} - {program.name} is told “{words}”")
    return lines


def main():
    parser = argparse.ArgumentParser(description="programs at the edges of what heddle controls")
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    parser.add_argument("--time", default="200ms", help="for each search")
    parser.add_argument("names", nargs="*", help="only these programs, or beginnings of names")
    arguments = parser.parse_args()
    paths = sorted([*(ROOT / "tests" / "edges").glob("*.c"), *(ROOT / "tests" / "edges").glob("*.cc")])
    programs = [Program(path) for path in paths
                if not arguments.names or any(path.name.startswith(name) for name in arguments.names)]
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-edges."))
    try:
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            workers = [["-j", "1"] if i % 3 else [] for i in range(len(programs))]
            for lines in pool.map(lambda program, workers: examine(program, workers, arguments.time, work), programs, workers):
                print("\n".join(lines), flush=True)
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
