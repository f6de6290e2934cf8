#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a generated program small: leaves out operations and threads as long as a command still says yes.

    tests/generate/reduce.py SEED COMMAND [--kind clean|wild]

COMMAND is run by the shell with the program's source as $1, in a folder of its own; it says yes with status 0. For
example, with $HEDDLE the program to test:

    reduce.py 15 '$HEDDLE cc -g -O1 -w -pthread $1 -o p && $HEDDLE run --runs 60 -j 1 ./p 2>&1 | grep -q "not reported"'

Prints the small program, and on standard error the list for generate.py --omit.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from generate import Generator  # noqa: E402


def holds(text, command):
    with tempfile.TemporaryDirectory(prefix="heddle-reduce.") as folder:
        source = pathlib.Path(folder) / "program.c"
        source.write_text(text)
        done = subprocess.run(["bash", "-c", command, "bash", str(source)], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return done.returncode == 0


def drop_lines(text, command):
    """After whole operations, single lines: declarations and functions nobody needs any more."""
    lines = text.splitlines()
    size = 8
    while size:
        at = 0
        while at < len(lines):
            shorter = lines[:at] + lines[at + size:]
            if holds("\n".join(shorter) + "\n", command):
                lines = shorter
            else:
                at += size
        size //= 2
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed")
    parser.add_argument("command")
    parser.add_argument("--kind", choices=("clean", "wild"))
    parser.add_argument("--lines", action="store_true", help="then leave out single lines too")
    o = parser.parse_args()

    def program(omit):
        return Generator(o.seed, o.kind, omit=omit).text

    whole = Generator(o.seed, o.kind)
    if not holds(whole.text, o.command):
        sys.exit("the command does not say yes to the whole program")
    omit = []
    for t in whole.workers + [whole.main]:
        for candidate in [f"{t.index}."] if t is not whole.main else []:
            if holds(program(omit + [candidate]), o.command):
                omit.append(candidate)
    changed = True
    while changed:
        changed = False
        for name in re.findall(r"/\* (\d+\.\d+) \*/", program(omit)):
            if holds(program(omit + [name]), o.command):
                omit.append(name)
                changed = True
    print("--omit", ",".join(omit), file=sys.stderr)
    text = program(omit)
    print(drop_lines(text, o.command) if o.lines else text, end="")


if __name__ == "__main__":
    main()
