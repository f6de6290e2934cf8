#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody wrote: heddle compared with itself, with another compiler and with the real scheduler.

    tests/e2e/generated.py [--programs N] [--seed K] [--runs R] [--kind clean|wild] [-j N] [SEED...]

Takes N programs of tests/generate/generate.py from seed K on (default: 6 from 1, what `make test` has time for; 40 with FULL=1), or
those of the seeds given, and wants of each:

  same      snapshot, fork and exec give the same trace hash, the same bugs and the same output for the same seed;
  again     the same command twice gives the same hash and output;
  replay    every bug that is reported shows again 5 times of 5 in every way to reset, and none had to be withheld
            because it did not show again;
  compilers gcc and clang builds show the same kinds of bugs and, if the program is clean, end in the same states;
  native    without heddle the program ends, in a state that heddle has seen too, if heddle finds nothing in it;
  clean     nothing is reported on a program that is correct by construction;
  itself    heddle never fails, hangs or says that the program is stuck.

  found     tests/generate/found: small programs in which all this has found something before; each states its verdict,
            must show that and nothing else, and is compared like the others.

One line for each of these groups; below it what failed, with the seed. Where two sides only sample, the side that
misses something samples ten times as much before it counts. A program is printed by tests/generate/generate.py SEED.

HEDDLE names another program to test than build/heddle, KEEP=1 keeps the folder of everything that was built.
Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import collections
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
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
sys.dont_write_bytecode = True
from generate import Generator  # noqa: E402

HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
RESETS = ("snapshot", "fork", "exec")
GROUPS = {
    "same": "snapshot, fork and exec: the same hash, bugs and output",
    "again": "the same command twice: the same hash and output",
    "replay": "every bug replays 5 of 5 in every way to reset",
    "compilers": "gcc and clang: the same bugs, the same final states",
    "native": "without heddle: ends in a state that heddle has seen",
    "clean": "nothing is reported on clean programs",
    "itself": "heddle itself never fails",
}
FOUND = ROOT / "tests" / "generate" / "found"
LIMIT = 400          # seconds for one command of heddle, however busy the machine is
NATIVE_RUNS = 20
NATIVE_LIMIT = 100

for name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(name, None)


def run(command, limit=LIMIT, **options):
    """Its exit status, standard output and standard error; status 124 when it ran out of time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=limit, check=False, **options)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace"), f"no end after {limit} s"


FEW_STATES = 300  # final states of a program that two samples can be expected to share
MET_STATES = 40   # that a sample can be expected to meet, all of them


class Result:
    """One `heddle run`."""

    def __init__(self, status, out, err, document):
        self.status, self.err = status, err
        self.hash = "".join(re.findall(r"^trace hash ([0-9a-f]{16})$", out, re.M))
        self.output = program_output(out)
        cut = re.search(r"^    \.\.\. \(([0-9,]+) bytes left out\) \.\.\.$", out, re.M)
        self.shortened = cut and int(cut.group(1).replace(",", "")) + len(self.output)  # bytes of the whole
        self.document = document
        self.bugs = document.get("bugs", [])
        self.reset = document.get("reset")
        self.withheld = re.findall(r"not reported: .*", err) + re.findall(r".*is not reported: .*", err)

    def keys(self):
        """Of the bugs; deadlocks, races and so on are the same if their places are."""
        return sorted((b["kind"], b["where"], b["key"], b["first_execution"]) for b in self.bugs)

    def kinds(self):
        return {b["kind"] for b in self.bugs}

    def fatal(self):
        return [b for b in self.bugs if b["kind"] not in ("race", "leak")]

    def states(self):
        return collections.Counter(re.findall(r"= .*", self.output))


def program_output(text):
    """What --output all printed: the indented lines right after their title."""
    lines = text.splitlines()
    if "  the program's output:" not in lines:
        return ""
    start = lines.index("  the program's output:") + 1
    end = start
    while end < len(lines) and lines[end].startswith("    "):
        end += 1
    return "\n".join(line[4:] for line in lines[start:end])


class Case:
    """One program and all that is compared."""

    def __init__(self, seed, options, folder):
        self.seed, self.options = seed, options
        self.folder = folder / str(seed)
        self.folder.mkdir()
        self.program = Generator(seed, options.kind)
        self.failures = []  # (group, text)
        self.notes = []
        self.source = self.folder / "program.c"
        self.source.write_text(self.program.text)
        self.number = 0

    def fail(self, group, text):
        """The first one of a group and two more: the others would tell the same."""
        if sum(g == group for g, _ in self.failures) < 3:
            self.failures.append((group, text.strip()))

    def build(self, compiler, optimise):
        output = self.folder / f"{compiler}{optimise}"
        if output.exists():
            return output
        status, out, err = run([HEDDLE, "cc", "-g", "-w", optimise, "-std=gnu17", "-pthread", str(self.source), "-lm", "-o",
                                str(output)], env={**os.environ, "HEDDLE_CC": compiler})
        if status:
            self.fail("itself", f"{compiler} {optimise}: status {status}: {out}{err}")
            return None
        return output

    def heddle_run(self, program, runs, *more, strategy="random", seed=None):
        """A `heddle run`; what is wrong with it in itself is noted here."""
        self.number += 1
        out = self.folder / f"out{self.number}"
        document = self.folder / f"{self.number}.json"
        command = [HEDDLE, "run", "--strategy", strategy, "--runs", str(runs), "--seed", str(seed or self.seed), "-j", "1",
                   "--output", "all", "--out", str(out), "--json", str(document), *more, str(program)]
        status, text, err = run(command)
        result = Result(status, text, err, json.loads(document.read_text()) if document.exists() else {})
        shown = " ".join(["heddle", *command[1:8], *more])
        if result.withheld:
            self.fail("replay", f"{result.withheld[0]} ({shown})")
        elif status not in (0, 1) or not result.hash or result.document.get("error"):
            self.fail("itself", f"{shown}: status {status}\n{err}")
        return result

    # ---- the groups ----

    def compare_resets(self, program):
        runs = self.options.runs
        base, other = [self.heddle_run(program, runs, "--reset", reset) for reset in ("snapshot", "exec")]
        self.compare(base, other, "same", f"snapshot and exec, {runs} runs")
        self.compare(base, self.heddle_run(program, runs, "--reset", "snapshot"), "again", "twice")
        more = self.heddle_run(program, runs * 10)
        for strategy in ("pos", "pct"):
            two = [self.heddle_run(program, runs, "--reset", reset, strategy=strategy) for reset in ("snapshot", "fork")]
            self.compare(two[0], two[1], "same", f"snapshot and fork, {strategy}")
        longer = [self.heddle_run(program, runs * 4, "--reset", reset) for reset in ("snapshot", "fork")]
        self.compare(longer[0], longer[1], "same", f"snapshot and fork, {runs * 4} runs")
        return [base, more]

    def compare(self, a, b, group, what):
        if a.hash != b.hash:
            self.fail(group, f"{what}: hashes {a.hash} and {b.hash}")
        if a.keys() != b.keys():
            only = [x for x in a.keys() if x not in b.keys()], [x for x in b.keys() if x not in a.keys()]
            self.fail(group, f"{what}: bugs of one only {only[0]}, of the other only {only[1]}")
        if a.output != b.output:
            x, y = a.output.splitlines(), b.output.splitlines()
            at = next((i for i, pair in enumerate(zip(x, y)) if pair[0] != pair[1]), min(len(x), len(y)))
            self.fail(group, f"{what}: output differs in line {at + 1} of {len(x)} and {len(y)}: "
                             f"{x[at:at + 1]} and {y[at:at + 1]}")

    def replay_bugs(self, results):
        seen = {}
        for result in results:
            for bug in result.bugs:
                seen.setdefault(bug["key"], bug)
        bugs = sorted(seen.values(), key=lambda b: b["kind"] in ("race", "leak"))
        for bug in bugs[:self.options.replays]:
            if not bug["schedule"]:
                self.fail("replay", f"{bug['kind']} at {bug['where']} has no schedule file")
                continue
            for reset in RESETS:
                status, out, err = run([HEDDLE, "replay", "--times", "5", "--reset", reset, bug["schedule"]])
                if status != 1 or "\n5 of 5 replays show the bug" not in out:
                    last = (out.strip().splitlines() or [""])[-1]
                    self.fail("replay", f"{bug['kind']} at {bug['where']}: {bug['message']}: replay --reset {reset}: "
                                        f"status {status}: {last} {err}")

    def sample(self, program, runs, strategies=("random", "pos"), enough=None):
        """Kinds of bugs and final states over executions of some strategies; more states than enough need not be looked for."""
        kinds, states, fatal = set(), collections.Counter(), False
        for strategy in strategies:
            result = self.heddle_run(program, runs, strategy=strategy)
            kinds |= result.kinds()
            fatal |= bool(result.fatal())
            states.update(result.states())
            if result.shortened and self.states_count():
                for more in range(self.parts(result, runs)):
                    if enough and len(states) > enough:
                        break
                    states.update(self.heddle_run(program, self.part, "--races", "ignore", strategy=strategy,
                                                  seed=self.seed * 1000 + more).states())
        return kinds, states, fatal

    def states_count(self):
        """Its final states are compared: they are the same everywhere, and what its memory may do."""
        return self.program.comparable and not self.program.wild

    def parts(self, result, runs):
        """Long output is printed only in part: so many runs whose output is not too long give as many executions."""
        each = max(1, result.shortened // runs)
        self.part = max(1, 14000 // each)
        return min(40, -(-runs // self.part))

    def compare_compilers(self):
        if not shutil.which("clang") or not self.program.portable:
            return
        optimise = self.program.optimise if not self.program.wild else "-O0"
        programs = [self.build(compiler, optimise) for compiler in ("gcc", "clang")]
        if None in programs:
            return
        runs = self.options.samples
        samples = [self.sample(program, runs, enough=FEW_STATES) for program in programs]
        kinds, states = [s[0] for s in samples], [s[1] for s in samples]
        for this, other in ((0, 1), (1, 0)):
            missing = kinds[this] - kinds[other]
            few = max(map(len, states)) <= FEW_STATES  # of thousands, no sample meets all
            often = few and self.states_count() and [s for s, n in states[this].items() if n >= 8 and s not in states[other]]
            if missing or often:
                more = self.sample(programs[other], runs * 10)
                missing -= more[0]
                often = [s for s in often or [] if s not in more[1]]
            if missing:
                self.fail("compilers", f"{('gcc', 'clang')[this]} {optimise} shows {' '.join(sorted(missing))}, "
                                       f"the other does not in {runs * 22} executions")
            if often:
                self.fail("compilers", f"{('gcc', 'clang')[this]} {optimise} ends {states[this][often[0]]} times in "
                                       f"'{often[0]}', the other never in {runs * 22} executions")

    def compare_native(self, program, results):
        if any(r.fatal() for r in results):
            return
        seen = set()
        for r in results:
            seen |= set(r.states())
        sampled, note = False, None
        for _ in range(NATIVE_RUNS):
            status, out, err = run([str(program)], limit=NATIVE_LIMIT)
            state = (re.findall(r"= .*", out) or ["none"])[-1]
            if status == 0 and (state in seen or not self.program.comparable):
                continue
            if not sampled and (status or not self.may_miss(seen)):
                sampled = True
                kinds, states, fatal = self.sample(program, self.options.samples * 5, ("random", "pos", "pct"), MET_STATES)
                if fatal:
                    return
                seen |= set(states)
                if status == 0 and state in seen:
                    continue
            text = f"natively: status {status}, state '{state}' {err.strip()[:200]}; heddle has seen {len(seen)} states"
            if status or not self.may_miss(seen):
                self.fail("native", text)
                return
            note = note or text
        if note:
            self.notes.append(note)

    def may_miss(self, seen):
        """A state that heddle has not seen is no fault: memory is weaker there, or there are too many to meet them all."""
        return self.program.wild or not self.program.ordered_only or len(seen) > MET_STATES

    def test(self):
        program = self.build("gcc", self.program.optimise)
        if not program:
            return self
        results = self.compare_resets(program)
        self.replay_bugs(results)
        self.compare_native(program, results)
        self.compare_compilers()
        if self.program.kind == "clean":
            for bug in {b["key"]: b for r in results for b in r.bugs}.values():
                self.fail("clean", f"{bug['kind']} at {bug['where']}: {bug['message']}")
        if self.options.jobs_too:
            self.compare_jobs(program)
        if not self.failures and not os.environ.get("KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)
        return self

    def compare_jobs(self, program):
        """Workers learn on their own what is shared, so this need not hold: only told."""
        hashes = []
        for jobs in ("1", "2"):
            status, out, _ = run([HEDDLE, "run", "--runs", "400", "-j", jobs, "--seed", str(self.seed), "--races", "ignore",
                                  "--out", str(self.folder / "jobs"), str(program)])
            hashes += re.findall(r"^trace hash ([0-9a-f]{16})$", out, re.M)
        if len(set(hashes)) != 1:
            self.notes.append(f"-j 2 differs from -j 1: {hashes}")


class Found(Case):
    """A program that somebody did write, because a generated one had shown a fault of heddle's."""

    def __init__(self, path, options, folder):
        self.seed, self.options = path.name, options
        self.folder = folder / path.stem
        self.folder.mkdir()
        self.failures, self.notes, self.number = [], [], 0
        self.source = path
        self.verdict = re.search(r"^ \* verdict: (\w+)$", path.read_text(), re.M).group(1)

    def fail(self, group, text):
        self.failures.append((group, text))

    def heddle_run(self, program, runs, *more, strategy="random", seed=1):
        if self.verdict == "hang":
            more = (*more, "--max-steps", "2000")  # a hang takes all its steps, in each run
        return super().heddle_run(program, runs, *more, strategy=strategy, seed=seed)

    def test(self):
        program = self.build("gcc", "-O1")
        if not program:
            return self
        results = [self.heddle_run(program, 40, "--reset", reset) for reset in RESETS]
        for reset, result in zip(RESETS[1:], results[1:]):
            self.compare(results[0], result, "same", f"snapshot and {reset}")
        results.append(self.heddle_run(program, 1000))
        self.replay_bugs(results)
        kinds = set().union(*(r.kinds() for r in results)) or {"none"}
        if kinds != {self.verdict}:
            self.fail("found", f"{' '.join(sorted(kinds))} instead of {self.verdict}")
        return self


def found_ones(options, folder):
    programs = sorted(FOUND.glob("*.c"))
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        cases = list(pool.map(lambda path: Found(path, options, folder).test(), programs))
    for case in cases:
        said = [f"{group}: {text}" for group, text in case.failures]
        print(f"{'not ok' if said else 'ok'} - found before: {case.seed}, {case.verdict}"
              + (f" ({said[0].splitlines()[0][:160]})" if said else ""))
        for text in said:
            print("\n".join("    | " + line for line in text.splitlines()[:8]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=40 if os.environ.get("FULL") else 6, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("--runs", type=int, default=60, help="executions in each way to reset")
    parser.add_argument("--samples", type=int, default=1000, help="executions of each strategy and compiler")
    parser.add_argument("--replays", type=int, default=4, help="bugs of a program to replay")
    parser.add_argument("--kind", choices=("clean", "wild"))
    parser.add_argument("--jobs-too", action="store_true", help="tell where -j 2 differs from -j 1")
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    parser.add_argument("seeds", nargs="*", type=int)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    seeds = options.seeds or range(options.seed, options.seed + options.programs)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-generated."))
    failed = {group: [] for group in GROUPS}
    started, notes, broken = time.monotonic(), [], False
    try:
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            for case in pool.map(lambda seed: Case(seed, options, folder).test(), seeds):
                for group, text in case.failures:
                    failed[group].append((case, text))
                    if options.programs > 100 or options.seeds:  # it takes long: tell at once too
                        print(f"# seed {case.seed} {group}: {text}", flush=True)
                notes += [f"# seed {case.seed} ({case.program.kind}): {text}" for text in case.notes]
        if not options.seeds:
            found_ones(options, folder)
        for group, title in GROUPS.items():
            bad = sorted({case.seed for case, _ in failed[group]})
            broken |= bool(bad)
            print(f"{'not ok' if bad else 'ok'} - {title}, {len(seeds)} programs" +
                  (f" (seeds {' '.join(map(str, bad))})" if bad else ""))
            for case, text in failed[group][:20]:
                print("\n".join(f"    | seed {case.seed}: {line}" for line in text.splitlines()[:12]))
        print("\n".join(notes[:50] + [f"# {len(seeds)} programs in {time.monotonic() - started:.0f} s"]))
    finally:
        if os.environ.get("KEEP"):
            print(f"# kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
