#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of a few atomic accesses nobody wrote, as heddle explores them and as two models do.

    tests/generate/litmus.py [--programs N] [--seed K]

A thread is a text of steps of two characters: what (w r relaxed, p a release and acquire, W R sequentially consistent, x an exchange,
f a fence) and the number of a variable. One model interleaves steps; the other has a buffer of stores for each thread, as x86-64 has. What
heddle prints over all its executions must be what the first one gives; and if the second one gives more, heddle must not say
"complete". How many programs lose the word without need is told. Exit status 0 if nothing was untrue.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
VARIABLES = 3
LIMIT = 120  # seconds for one program


def draw(rng):
    """Texts of two or three threads."""
    threads = rng.choice((2, 2, 3))
    most = 4 if threads == 2 else 3
    variables = rng.choice((2, 2, 3))
    return ["".join(rng.choice("wwwwrrrrppaaWRxf") + str(rng.randrange(variables)) for _ in range(rng.randint(1, most)))
            for _ in range(threads)]


def outcomes(program, buffered):
    """What the loads of all threads find and what is in memory at the end, over all executions."""
    steps = [[(text[i], int(text[i + 1])) for i in range(0, len(text), 2)] for text in program]
    start = ((0,) * len(steps), ((),) * len(steps), (0,) * VARIABLES, tuple((0,) * len(s) for s in steps))
    seen, left, ends = {start}, [start], set()
    while left:
        state = left.pop()
        following = list(successors(steps, state, buffered))
        if not following:
            ends.add((state[3], state[2]))
        for after in following:
            if after not in seen:
                seen.add(after)
                left.append(after)
    return ends


def successors(steps, state, buffered):
    at, buffers, memory, found = state
    for t, own in enumerate(steps):
        if buffers[t]:
            (variable, value), rest = buffers[t][0], buffers[t][1:]
            yield at, put(buffers, t, rest), put(memory, variable, value), found
        if at[t] == len(own):
            continue
        what, variable = own[at[t]]
        value = 10 * (t + 1) + at[t]
        on = put(at, t, at[t] + 1)
        if what in "wp" and buffered:
            yield on, put(buffers, t, buffers[t] + ((variable, value),)), memory, found
        elif what in "wpW":
            if not buffers[t]:
                yield on, buffers, put(memory, variable, value), found
        elif what == "f":
            if not buffers[t]:
                yield on, buffers, memory, found
        elif what == "x":
            if not buffers[t]:
                yield on, buffers, put(memory, variable, value), learn(found, t, at[t], memory[variable])
        else:
            newest = [v for x, v in buffers[t] if x == variable]
            yield on, buffers, memory, learn(found, t, at[t], newest[-1] if newest else memory[variable])


def put(values, i, value):
    return (*values[:i], value, *values[i + 1:])


def learn(found, t, i, value):
    return put(found, t, put(found[t], i, value))


def as_text(end):
    found, memory = end
    return " ".join(str(v) for values in (*found, memory) for v in values)


class Explored:
    """What heddle says of a program."""

    def __init__(self, binary, folder, program):
        answer = folder / "answer.json"
        command = [HEDDLE, "explore", "-j1", "--no-page", "--time", "100s", "--output", "all", "--json", str(answer), "--out", str(folder / "out"),
                   str(binary), "--", *program]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False, cwd=folder)
        document = json.loads(answer.read_text()) if answer.exists() else {}
        answer.unlink(missing_ok=True)
        self.failed = None if done.returncode == 0 and document else f"status {done.returncode}: {done.stdout}{done.stderr}"
        self.complete = document.get("complete", False)
        self.losses = document.get("losses", [])
        self.outputs = {line.strip() for line in done.stdout.splitlines() if re.fullmatch(r"[\d ]+", line)}


def untrue(binary, folder, program):
    """What is untrue of what heddle says, or None; whether it withheld the word; and whether it had to."""
    plain = {as_text(end) for end in outcomes(program, False)}
    more = {as_text(end) for end in outcomes(program, True)} - plain
    said = Explored(binary, folder, program)
    withheld = not said.complete
    if said.failed:
        return said.failed, withheld, bool(more)
    if said.outputs != plain:
        return f"{len(plain ^ said.outputs)} final states differ", withheld, bool(more)
    if said.complete and more:
        return f"complete, but buffers give {min(more)}", withheld, True
    if withheld and said.losses != ["overtaking"]:
        return f"losses {said.losses}", withheld, bool(more)
    return None, withheld, bool(more)


def build(folder):
    binary = folder / "litmus"
    subprocess.run([HEDDLE, "cc", "-g", "-O1", "-pthread", str(ROOT / "tests" / "generate" / "litmus.c"), "-o", str(binary)], check=True)
    return binary


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    bad = needed = idle = 0
    with tempfile.TemporaryDirectory(prefix="heddle-litmus.") as name:
        folder = pathlib.Path(name)
        binary = build(folder)
        rng = random.Random(options.seed)
        for _ in range(options.programs):
            program = draw(rng)
            wrong, withheld, more = untrue(binary, folder, program)
            needed += more
            idle += withheld and not more
            if wrong:
                bad += 1
                print(f"{' '.join(program)}: {wrong}", flush=True)
    print(f"seed {options.seed}: {options.programs} programs, {needed} with more executions than interleavings, {idle} more without the word, "
          f"{bad} untrue")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
