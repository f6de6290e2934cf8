#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches within bounds, through the command line, on programs nobody wrote (tests/generate/orders.py makes them).

    tests/e2e/bounds.py [--programs N] [--seed K] [--bounds N] [SEED...]

Of each program, for some of the bounds of 0 to 3 preemptions or delays (--bounds 8: for all), it is wanted that

  found     dpor shows every output, bug and deadlock that dfs shows within the bound,
  fewer     in no more executions;
  jobs      with two workers it runs the same executions;
  resumed   so it does in two parts, with a checkpoint between them;
  bound     and if it begins with bound 0 and goes on from there (--iterative), also resumed;
  breadth   dfs breadth first (--order bfs) runs the same interleavings.

Programs are new in each run: the seed of the first one is printed. With loops that wait, what a switch costs is found
out on the way, so there dpor may show and run more. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
sys.dont_write_bytecode = True
import orders  # noqa: E402

FEW = 1500  # interleavings of a program
BOUNDS = [f"{what}={k}" for k in range(4) for what in ("preemptions", "delays")]
GROUPS = {
    "found": "dpor shows what dfs shows within the bound",
    "fewer": "dpor runs no more executions",
    "jobs": "-j 2: the same",
    "resumed": "resumed: the same",
    "bound": "bound by bound: the same",
    "breadth": "dfs breadth first: the same interleavings",
    "itself": "heddle itself never fails",
}


class Case:
    def __init__(self, seed, binary):
        self.seed, self.binary, self.program = seed, binary, orders.generate(seed)
        self.waits = self.program.waits_in_loops()
        self.wrong = []
        self.counts = [0, 0]

    def explore(self, strategy, *more):
        search = orders.Search(self.binary, self.program, "explore", "--strategy", strategy, "--keep-going", "--time", "20s",
                               *self.program.flags(), *(more if "-j" in more else ("-j", "1", *more)))
        failure = search.failure()
        if failure and not ("--resume" in more and search.status in (0, 1)):  # a bug that was told before is told no more
            self.wrong.append(("itself", f"{strategy} {' '.join(more)}: {failure}"))
        return search

    def same(self, group, search, lines, *others):
        """Executions are told apart by their classes, outputs and bugs."""
        found = sorted(line for s in (search, *others) for line in s.lines)
        if found != sorted(lines) and not self.waits:
            self.wrong.append((group, f"{len(found)} executions instead of {len(lines)}"))
        elif {line[1:] for line in found} != {line[1:] for line in lines}:
            self.wrong.append((group, "other outputs or bugs"))

    def in_two_parts(self, lines, *how):
        state = self.binary.parent / "state"
        first = self.explore("dpor", *how, "--checkpoint", str(state), "--max-executions", str(1 + len(lines) // 2))
        second = self.explore("dpor", *how, "--resume", str(state))
        state.unlink(missing_ok=True)
        return second, first

    def within(self, bound, more):
        dfs = self.explore("dfs", "--bound", bound)
        dpor = self.explore("dpor", "--bound", bound)
        if self.wrong:
            return
        self.counts = [self.counts[0] + len(dfs.lines), self.counts[1] + len(dpor.lines)]
        missed = {line[1:] for line in dfs.lines} - {line[1:] for line in dpor.lines}
        if missed:
            self.wrong.append(("found", f"{bound}: {len(missed)} are missed, such as {' '.join(sorted(missed)[0])}"))
        if len(dpor.lines) > len(dfs.lines) and not self.waits:
            self.wrong.append(("fewer", f"{bound}: {len(dpor.lines)}, dfs {len(dfs.lines)}"))
        if more:
            self.same("jobs", self.explore("dpor", "--bound", bound, "-j", "2"), dpor.lines)
            self.same("resumed", *self.at(self.in_two_parts(dpor.lines, "--bound", bound), dpor.lines))
            breadth = self.explore("dfs", "--bound", bound, "--order", "bfs")
            self.same("breadth", breadth, dfs.lines)

    @staticmethod
    def at(parts, lines):
        return parts[0], lines, *parts[1:]

    def bound_by_bound(self):
        whole = self.explore("dpor", "--iterative")
        full = self.explore("dpor")
        if self.wrong or not whole.document.get("complete"):
            return
        missed = {line[1:] for line in full.lines} - {line[1:] for line in whole.lines}
        if missed:
            self.wrong.append(("bound", f"{len(missed)} outputs or bugs are missed without a bound"))
        self.same("bound", *self.at(self.in_two_parts(whole.lines, "--iterative"), whole.lines))

    def test(self, bounds):
        for i, bound in enumerate(bounds):
            if not self.wrong:
                self.within(bound, i == 0)
        if not self.wrong:
            self.bound_by_bound()
        return self


def small_seeds(first, count):
    while count:
        if 20 <= orders.generate(first).interleavings(FEW) <= FEW:
            count -= 1
            yield first
        first += 1


def print_case(name, differences):
    print(f"{'not ok' if differences else 'ok'} - {name}", flush=True)
    for text in differences[:5]:
        print(f"    | {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=4, help="how many")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first one")
    parser.add_argument("--bounds", type=int, default=2, help="how many of each")
    parser.add_argument("seeds", type=int, nargs="*")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-bounds."))
    try:
        binary = orders.build(folder)
        cases = [Case(seed, binary).test(random.Random(seed).sample(BOUNDS, arguments.bounds))
                 for seed in arguments.seeds or small_seeds(arguments.seed, arguments.programs)]
        for group, title in GROUPS.items():
            print_case(f"{title}, {len(cases)} programs",
                       [f"seed {c.seed}: {text}: {c.program}" for c in cases for g, text in c.wrong if g == group])
        print(f"# from seed {arguments.seed} on; executions: dfs {sum(c.counts[0] for c in cases)}, dpor {sum(c.counts[1] for c in cases)}")
    except RuntimeError as error:
        print_case("the interpreter of generated programs builds", [str(error)])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
