#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Properties under every search, on programs and specifications nobody wrote (tests/generate/properties.py says how).

    tests/e2e/property_searches.py [--programs N] [--seed K]

A line for each thing wanted of them. The long run, for hundreds of programs, is
tests/generate/properties.py --programs 500. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
sys.dont_write_bytecode = True
import properties  # noqa: E402

GROUPS = {
    "model": "dfs: the violations and deadlocks of an independent model",
    "searches": "dpor in all its ways: the same as dfs, and complete",
    "itself": "heddle itself never fails",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1050)
    options = parser.parse_args()
    differences = {group: [] for group in GROUPS}
    tested = 0
    with tempfile.TemporaryDirectory() as folder:
        binary = properties.compile_interpreter(folder)
        for seed in range(options.seed, options.seed + options.programs):
            found, _ = properties.test_seed(binary, seed)
            tested += found is not None
            for group, what in found or []:
                differences[group].append(f"{seed}: {what}")
    for group, name in GROUPS.items():
        why = f" ({'; '.join(differences[group])[:300]})" if differences[group] else ""
        print(f"{'not ok' if why else 'ok'} - {name}{why}")
    print(f"{'ok' if tested else 'not ok'} - some of the programs are small enough")
    return 0


if __name__ == "__main__":
    sys.exit(main())
