#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches against native runs, on programs of two processes that nobody wrote (tests/generate/forked.py says how).

    tests/e2e/process_calls.py [--programs N] [--seed S] [--runs N] [-j N]

Eight generated programs (FULL=1: 32), each run natively forty times (a hundred); a line for each thing wanted of them, and one for each
program in tests/generate/found_forked, in which a fault was found before. Such a file has the program in its first line,
then comments. The long run is tests/generate/forked.py --programs 1000. Exit status 0 whatever the cases said, as
tests/run wants it.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "generate"))
sys.dont_write_bytecode = True
import differential  # noqa: E402
import forked  # noqa: E402

GROUPS = {
    "proof": "no native run shows a result that a complete search did not see",
    "agree": "what dpor, divided or not, or dfs sees is seen by each that is complete",
    "alarm": "no bug but deadlocks",
    "itself": "heddle itself never fails",
}
ENOUGH = 0.2  # of the programs have a complete search, or the comparison says little

if __name__ == "__main__":
    parser = differential.arguments(__doc__.splitlines()[0], runs=100 if os.environ.get("FULL") else 40, seconds=60)
    parser.set_defaults(programs=32 if os.environ.get("FULL") else 8, executions=300)
    differential.test_wanted(forked.KIND, GROUPS, "found_forked", 60, parser.parse_args(), ENOUGH)
