#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of a few atomic accesses against models with and without buffers of stores (tests/generate/litmus.py says how).

Classic ones by name, then generated ones: 100, always the same, or with FULL=1 2,000 that are drawn anew. Exit status 0 whatever the cases
said, as tests/run wants it.
"""
import os
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
sys.dont_write_bytecode = True
import litmus  # noqa: E402

# Name, program, and whether heddle may say "complete".
CLASSIC = (("store buffers", "w0r1 w1r0", False), ("store buffers, sequentially consistent", "W0R1 W1R0", True),
           ("store buffers with fences", "w0f0r1 w1f0r0", True), ("with a fence in one thread", "w0f0r1 w1r0", False),
           ("with exchanges", "x0r1 x1r0", True), ("messages", "w0p1 a1r0", True), ("load buffers", "r0w1 r1w0", True),
           ("a load of what it stored", "w0r0r1 w1r1r0", False), ("three in a ring", "w0r1 w1r2 w2r0", False),
           ("a chain of three", "w0r1 w1p2 a2r0", False), ("writes to four readers", "w0 w1 r0r1 r1r0", True))


def main():
    full = bool(os.environ.get("FULL"))
    seed = random.SystemRandom().randrange(1 << 30) if full else 1
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="heddle-litmus.") as name:
        folder = pathlib.Path(name)
        binary = litmus.build(folder)
        for title, text, proved in CLASSIC:
            wrong, withheld, more = litmus.untrue(binary, folder, text.split())
            good = not wrong and withheld != proved and more != proved
            print(f"{'ok' if good else 'not ok'} - {title}: {'complete' if proved else 'no proof'}" + ("" if good else f" ({wrong})"), flush=True)
        found = []
        for _ in range(2000 if full else 100):
            program = litmus.draw(rng)
            wrong, _withheld, _more = litmus.untrue(binary, folder, program)
            if wrong:
                found.append(f"    | {' '.join(program)}: {wrong}")
        print(f"{'not ok' if found else 'ok'} - generated programs: final states, and the word only where buffers give no more (seed {seed})")
        print("\n".join(found[:20]))


if __name__ == "__main__":
    main()
