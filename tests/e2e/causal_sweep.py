#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The search by causality on every program of the repository that has a bug, and on its twin: beside dpor.

    tests/e2e/causal_sweep.py [-j N] [--every N] [--first N] [--time TIME] [--table] [FOLDER|FOLDER/NAME...]

Each program of the folders below is explored by dpor, by causality and by both in turns, as it is and, where it has a twin,
with -DFIXED. Wanted of causality, and of turns:

  proof    it does not say "complete" where dpor finds a bug that it has not found, of the kinds it speaks of (all but races and
           leaks), nor where the program's own comment tells of one;
  alarm    it tells of no kind of bug in a twin, nor of one that a complete search by dpor has not found;
  outputs  where dpor is complete, it has printed nothing that dpor has not;
  reason   what it does not cover is named.

Without options this is what `make test` has time for: one program of a few hundred. FULL=1 takes all of them. --table prints a
line for each program, too. HEDDLE names another program to test than build/heddle. Exit
status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 200  # seconds for one command, however busy the machine is
FOLDERS = ("causal", "sampling", "stories", "subjects", "processes", "properties", "assembly", "edges", "changed", "localise",
           "exhaustive/locks", "exhaustive/structures", "exhaustive/twins", "generate/found")
FEW = 300  # programs, of which one is taken where there is less time
WAYS = ("dpor", "causal", "auto")
UNSPOKEN = {"race", "leak"}  # causality says nothing about these
GROUPS = {"proof": "no proof of a program with a bug", "alarm": "no bug that is not there",
          "outputs": "what is printed is what dpor sees", "reason": "what is not covered is named", "itself": "heddle itself never fails"}

# The environment of the person who runs the tests must not choose what they test.
for variable in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(variable, None)


def run(command, folder):
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=LIMIT, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, f"no end after {LIMIT} s"


class Answer:
    """What one search said."""

    def __init__(self, way, binary, options, seconds):
        with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
            hashes = [] if way == "auto" else ["--hashes", "hashes"]
            began = time.monotonic()
            self.status, self.text = run([HEDDLE, "explore", "--strategy", way, "-j", "1", "--keep-going", "--quiet", "--no-page", "--time", seconds,
                                          "--grace", "2s", "--leaks", "ignore", "--races", "ignore", "--json", "answer.json", *hashes, *options,
                                          str(binary)], folder)
            self.seconds = time.monotonic() - began
            at = pathlib.Path(folder)
            document = json.loads((at / "answer.json").read_text()) if (at / "answer.json").exists() else {}
            lines = (at / "hashes").read_text().splitlines() if (at / "hashes").exists() else []
        self.outputs = {line.split()[1] for line in lines if line[0] != "#"}
        self.kinds = {bug["kind"] for bug in document.get("bugs", [])} - UNSPOKEN
        self.complete = bool(document.get("complete"))
        self.executions = document.get("executions", 0)
        self.losses = document.get("losses", [])
        self.equivalence = document.get("equivalence")

    def __str__(self):
        said = ", ".join(sorted(self.kinds)) or "no bug"
        end = "complete" if self.complete else " ".join(self.losses) or f"status {self.status}"
        return f"{said}, {end}, {self.executions} executions, {self.seconds:.1f} s"


class Program:
    def __init__(self, path, fixed):
        self.path, self.fixed = path, fixed
        text = path.read_text()
        comment = text.split("*/")[0]
        self.field = dict(re.findall(r"^ \* (verdict|options|flags|build): *(.*)$", comment, re.M))
        self.name = f"{path.relative_to(ROOT / 'tests')}{' fixed' if fixed else ''}"
        self.differences = []
        self.answers = {}

    def options(self):
        options = self.field.get("options", "").split() if self.path.parent.name in ("edges", "stories") else []
        if self.path.parent.name == "properties":
            mop = self.path.with_suffix(".mop")
            options += ["--spec", str(mop)] if mop.exists() else ["--specs", "posix"]
        return [word for word in options if not word.startswith("-j")]

    def flags(self):
        broken = "exhaustive" in self.path.parts or self.path.parent.name == "assembly"
        flags = [] if self.fixed == broken else ["-DBROKEN" if broken else "-DFIXED"]
        return [*flags, *(["-DLOCK=1"] if self.path.parent.name == "assembly" else []), *self.field.get("flags", "").split()]

    def build(self, output):
        is_cxx = self.path.suffix == ".cc"
        compiler = ["cc"] if self.field.get("build") == "cc" else [HEDDLE, "c++" if is_cxx else "cc"]
        command = [*compiler, "-I", str(ROOT / "include"), "-w", "-g", "-O1", "-pthread", *self.flags(), str(self.path), "-o", str(output), "-lrt", "-ldl", "-lm"]
        if is_cxx:
            command.insert(len(compiler), "-std=gnu++20")
        status, text = run(command, output.parent)
        return None if status == 0 else text

    def test(self, work, seconds):
        folder = pathlib.Path(tempfile.mkdtemp(dir=work))
        error = self.build(folder / "program")
        if error:
            self.differ("itself", f"does not compile: {error[-300:]}")
        else:
            self.answers = {way: Answer(way, folder / "program", self.options(), seconds) for way in WAYS}
            self.judge()
        shutil.rmtree(folder, ignore_errors=True)
        return self

    def differ(self, group, text):
        self.differences.append((group, text))

    def judge(self):
        dpor = self.answers["dpor"]
        for way in WAYS[1:]:
            answer = self.answers[way]
            missed = dpor.kinds - answer.kinds
            if answer.status not in (0, 1, 3):
                self.differ("itself", f"{way}: status {answer.status}: {answer.text[-300:]}")
            if answer.complete and (missed or (self.field.get("verdict") in ("noproof", "find", "found") and not answer.kinds and not dpor.complete)):
                self.differ("proof", f"{way}: {answer}; dpor: {dpor}")
            if answer.kinds - dpor.kinds and (dpor.complete or self.fixed or self.field.get("verdict") in ("quiet", "complete")):
                self.differ("alarm", f"{way}: {answer}; dpor: {dpor}")
        causal = self.answers["causal"]
        if dpor.complete and causal.outputs - dpor.outputs:
            self.differ("outputs", f"{len(causal.outputs - dpor.outputs)} outputs that dpor has not seen: {causal}; dpor: {dpor}")
        if "only --strategy dpor covers" in causal.text and not re.search(r"covers \(.* at .*\)|covers: ", causal.text):
            self.differ("reason", f"{causal}: {causal.text.strip()[-200:]}")

    def line(self):
        both = all(self.answers[w].complete for w in WAYS[:2]) if self.answers else False
        more = f" ({len(self.answers['dpor'].outputs - self.answers['causal'].outputs)} outputs only by dpor)" if both else ""
        wrong = "".join(f"\n    {group}: {text}" for group, text in self.differences)
        return f"{self.name:<44} " + " | ".join(f"{way}: {a}" for way, a in self.answers.items()) + more + wrong


def programs(names):
    for folder in FOLDERS:
        at = ROOT / "tests" / folder
        for path in sorted([*at.glob("*.c"), *at.glob("*.cc")]):
            name = f"{folder}/{path.stem}"
            if names and not any(name == n or folder == n or n.endswith("*") and name.startswith(n[:-1]) for n in names):
                continue
            text = path.read_text()
            yield Program(path, False)
            if "FIXED" in text or "BROKEN" in text:
                yield Program(path, True)


def drawn(all_of, arguments):
    if arguments.every:
        return all_of[arguments.first::arguments.every]
    if os.environ.get("FULL") or arguments.names:
        return all_of
    return all_of[::FEW]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    parser.add_argument("--time", default="2s" if os.environ.get("FULL") else "1s", help="for each search")
    parser.add_argument("--every", type=int, help="only every so many, ")
    parser.add_argument("--first", type=int, default=0, help="from that on")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-causal-sweep."))
    wrong, complete = collections.defaultdict(list), collections.Counter()
    try:
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            for program in pool.map(lambda p: p.test(work, arguments.time), drawn(list(programs(arguments.names)), arguments)):
                for group, text in program.differences:
                    wrong[group].append(f"{program.name}: {text}")
                complete.update(way for way, answer in program.answers.items() if answer.complete)
                complete["programs"] += 1
                if arguments.table:
                    print(program.line(), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    for group, words in GROUPS.items():
        print(f"{'not ok' if wrong[group] else 'ok'} - {words} ({complete['programs']} programs)")
        for line in wrong[group]:
            print("    | " + line.replace("\n", "\n    | "))
    print("#", ", ".join(f"{name} {n}" for name, n in complete.items()))


if __name__ == "__main__":
    main()
