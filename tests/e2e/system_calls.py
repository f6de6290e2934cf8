#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches against native runs, on programs of system calls that nobody wrote (tests/generate/calls.py says how).

    tests/e2e/system_calls.py [--programs N] [--seed S] [--runs N] [-j N]

Thirty generated programs (FULL=1: 120), each run natively forty times (a hundred); a line for each thing wanted of them, and one for each
program in tests/generate/found_calls, in which a fault was found before. Such a file has the program in its first line,
then comments. The long run is tests/generate/calls.py --programs 1000. Exit status 0 whatever the cases said, as
tests/run wants it.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "generate"))
sys.dont_write_bytecode = True
import calls  # noqa: E402
import differential  # noqa: E402

GROUPS = {
    "proof": "no native run shows a result that a complete search did not see",
    "agree": "dpor, dfs and the fresh process: what any sees is seen by each that is complete",
    "alarm": "no bug that no native run shows",
    "itself": "heddle itself never fails",
}

if __name__ == "__main__":
    parser = differential.arguments(__doc__.splitlines()[0], runs=100 if os.environ.get("FULL") else 40, seconds=1)
    parser.set_defaults(programs=120 if os.environ.get("FULL") else 30)
    differential.print_case("every system call heddle knows is made by a program or left out for a reason", " ".join(calls.missing()))
    differential.test_wanted(calls.KIND, GROUPS, "found_calls", 3, parser.parse_args())
