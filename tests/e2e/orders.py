#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All interleavings against one of each class, on programs nobody wrote (tests/generate/orders.py says how).

    tests/e2e/orders.py [--programs N] [--seed K] [-j N]

Explores 60 small generated programs (FULL=1: 400) with dfs and with dpor and compares; a line for each thing wanted of them, and one
for each program in tests/generate/found_orders, in which a fault was found before. Such a file has the program in its
first line, then comments. The long run, for thousands of programs, is
tests/generate/orders.py --programs 5000. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
sys.dont_write_bytecode = True
import orders  # noqa: E402

FOUND = ROOT / "tests" / "generate" / "found_orders"
FEW = 1000  # interleavings of a program, so that there is time for all of them
MOST = 20_000  # executions of those that turn out to have more; not of those found before, which must be complete
GROUPS = {
    "complete": "dfs and dpor: complete, and no execution abandoned",
    "outputs": "dfs and dpor: the same final states and outputs",
    "bugs": "dfs and dpor: the same bugs and deadlocks",
    "classes": "dpor: each class of equivalent executions once",
    "jobs": "dpor -j 2: the same as -j 1",
    "resumed": "dpor stopped and resumed: the same",
    "sources": "reads-from: the same final states, outputs and bugs, where it covers the program",
    "model": "dfs: the final states, deadlocks and failures of an independent model",
    "kinds": "no bug of a kind the programs cannot have",
    "itself": "heddle itself never fails",
}


def small_seeds(first, count):
    seeds = []
    while len(seeds) < count:
        if orders.generate(first).interleavings(FEW) <= FEW:
            seeds.append(first)
        first += 1
    return seeds


def print_case(name, differences):
    why = f" ({'; '.join(differences)[:300]})" if differences else ""
    print(f"{'not ok' if differences else 'ok'} - {name}{why}", flush=True)


def found_before(binary):
    for path in sorted(FOUND.glob("*.txt")):
        program = orders.Program.parse(path.read_text().splitlines()[0])
        case = orders.Case(path.stem, program, binary, orders.default_options(), all_ways=True).test()
        said = [f"{group}: {what}" for group, what in case.differences] + ["too many interleavings"] * case.too_many
        print_case(f"found before: {path.stem}", said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=400 if os.environ.get("FULL") else 60, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    orders.LIMIT = 400  # what a search may take is bounded by executions, which are as many on a busy machine
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-orders."))
    try:
        binary = orders.build(folder)
        options = orders.default_options(j=arguments.j, max_executions=MOST)
        totals = orders.explore_all(small_seeds(arguments.seed, arguments.programs), binary, options)
        for group, title in GROUPS.items():
            bad = [case for case in totals.differing if group in case.groups()]
            print_case(f"{title}, {totals.programs} programs", [f"seeds {' '.join(str(c.name) for c in bad)}"] if bad else [])
            for case in bad[:5]:
                print(f"    | seed {case.name}: {case.program}")
                print("\n".join(f"    |   {text}" for g, text in case.differences if g == group))
        found_before(binary)
        print("\n".join(f"# {line}" for line in totals.lines()))
    except RuntimeError as error:
        print_case("the interpreter of generated programs builds", [str(error)])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
