#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches against native runs, on programs of two processes that nobody wrote (tests/generate/forked.py says how).

    tests/e2e/process_calls.py [--programs N] [--seed S] [--runs N] [-j N]

Twenty-five generated programs, each run natively a hundred times; a line for each thing wanted of them, and one for each
program in tests/generate/found_forked, in which a fault was found before. The long run is tests/generate/forked.py
--programs 1000. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import pathlib
import shutil
import signal
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
sys.dont_write_bytecode = True
import calls  # noqa: E402
import forked  # noqa: E402

FOUND = ROOT / "tests" / "generate" / "found_forked"
GROUPS = {
    "proof": "no native run shows a result that a complete search did not see",
    "agree": "what dpor or dfs sees is seen by the other if it is complete",
    "alarm": "no bug but deadlocks",
    "itself": "heddle itself never fails",
}
ENOUGH = 0.5  # of the programs have a complete search, or the comparison says little


def print_case(name, bad):
    print(f"{'not ok' if bad else 'ok'} - {name}{f' ({bad[:300]})' if bad else ''}", flush=True)


def found_before(binaries, options):
    calls.SEARCH = 2
    for path in sorted(FOUND.glob("*.txt")):
        program = forked.Program.parse(path.read_text().splitlines()[0])
        case = forked.Case(path.stem, program, binaries, options).test()
        print_case(f"found before: {path.stem}", "; ".join(f"{group}: {text}" for group, text in case.differences))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=25, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("--runs", type=int, default=100, help="native ones of each program")
    parser.add_argument("-j", type=int, default=1, help="programs at a time")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-forked."))
    try:
        calls.SEARCH = 0.6
        binaries = calls.build(folder, forked.SOURCE)
        options = calls.default_options(runs=arguments.runs, j=arguments.j)
        totals = forked.test_all(range(arguments.seed, arguments.seed + arguments.programs), binaries, options)
        for group, title in GROUPS.items():
            bad = [case for case in totals.wrong if group in case.groups()]
            print_case(f"{title}, {totals.programs} programs from seed {arguments.seed}",
                       f"seeds {' '.join(str(case.name) for case in bad)}" if bad else "")
            for case in bad[:5]:
                print(f"    | seed {case.name}: {case.program}")
                print("\n".join(f"    |   {text}" for g, text in case.differences if g == group))
        few = totals.proved < ENOUGH * totals.programs
        print_case("most of them are searched completely", f"{totals.proved} of {totals.programs}" if few else "")
        found_before(binaries, options)
        print("\n".join(f"# {line}" for line in totals.lines()))
    except RuntimeError as error:
        print_case("the interpreter of generated programs builds", str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
