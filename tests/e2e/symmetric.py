#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore --symmetric, on the programs of tests/exhaustive/twins.

  fewer     where nobody can tell the threads apart, fewer executions show the same output and no bug, and the verdict
            says "up to symmetry";
  apart     where somebody can, the search is the whole one: as many executions, the same bugs;
  jobs      two workers run as many as one;
  refused   what it does not go with is told.

Exit status 0 whatever the cases said, as tests/run wants it.
"""
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
TWINS = {"tickets": (6, 1), "lost_update": (36, 6), "lockers": (30, 15)}  # executions of the whole search, and with it
APART = ["who_am_i", "kernel_thread", "result", "own_address", "own_block", "part_of_address", "joined_first", "cancelled", "held_by_name"]
REFUSED = [("--bound", "preemptions=1"), ("--strategy", "dfs"), ("--equivalence", "reads-from"), ("--equivalence", "observed"), ("--iterative",)]


def case(good, what, why=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f" ({why})"), flush=True)


def explore(folder, binary, *options):
    out = pathlib.Path(tempfile.mkdtemp(dir=folder))
    done = subprocess.run([HEDDLE, "explore", "--keep-going", "--races", "ignore", "--json", f"{out}/result.json", "--hashes",
                           f"{out}/hashes", "--out", str(out), "--time", "60s", *options, str(binary)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400, check=False)
    if done.returncode not in (0, 1):
        return {"status": done.returncode, "text": done.stdout + done.stderr}
    result = json.loads((out / "result.json").read_text())
    lines = [line.split() for line in (out / "hashes").read_text().splitlines() if not line.startswith("#")]
    bugs = sorted(bug["kind"] for bug in result["bugs"])
    return {"status": done.returncode, "text": done.stdout + done.stderr, "executions": result["executions"],
            "complete": result["complete"], "bugs": bugs, "outputs": sorted({line[1] for line in lines if line[2] in "-0"})}


def build(folder, name):
    binary = folder / name
    subprocess.run([HEDDLE, "cc", "-g", "-O1", "-pthread", str(ROOT / "tests/exhaustive/twins" / f"{name}.c"), "-o", str(binary)],
                   check=True, timeout=400)
    return binary


def try_twins(folder, name, whole_count, twin_count):
    binary = build(folder, name)
    whole, twins = explore(folder, binary, "-j", "1"), explore(folder, binary, "-j", "1", "--symmetric")
    case(whole.get("executions") == whole_count and whole["complete"], f"{name}: the whole search", whole)
    case(twins.get("executions") == twin_count and twins["complete"], f"{name}: fewer executions", twins)
    case("(complete, up to symmetry)" in twins["text"], f"{name}: the verdict says so", twins)
    case(whole.get("outputs") == twins.get("outputs"), f"{name}: the same outputs", (whole, twins))
    case(explore(folder, binary, "-j", "2", "--symmetric").get("executions") == twin_count, f"{name}: two workers")


def try_apart(folder, name):
    binary = build(folder, name)
    whole, twins = explore(folder, binary, "-j", "1"), explore(folder, binary, "-j", "1", "--symmetric")
    case(bool(whole.get("bugs")), f"{name}: there is a bug", whole)
    case(whole.get("bugs") == twins.get("bugs"), f"{name}: it is found", (whole, twins))
    case(whole.get("executions") == twins.get("executions"), f"{name}: the whole search", (whole, twins))
    two = explore(folder, binary, "-j", "2", "--symmetric")
    case(whole.get("bugs") == two.get("bugs"), f"{name}: it is found by two workers", (whole, two))


with tempfile.TemporaryDirectory() as where:
    for program, counts in TWINS.items():
        try_twins(pathlib.Path(where), program, *counts)
    for program in APART:
        try_apart(pathlib.Path(where), program)
    for other in REFUSED:
        refused = explore(pathlib.Path(where), pathlib.Path(where, "tickets"), "--symmetric", *other)
        case(refused["status"] == 2 and "--symmetric does not go with" in refused["text"], f"refused with {other[0]}", refused)
