#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Races and atomicity violations predicted from one run, over the subjects of tests/predict that tell the truth about them.

What check finds in a subject (`verdict:`), and what must be predicted of it (`foretold:`, races being pairs of lines), stands
in its first comment. Of a fixed twin nothing is predicted. That it is the same with the twins of tests/subjects is for
tests/e2e/subjects.py, which builds them. Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import glob
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))


def case(name, holds, why=""):
    print("%s - %s%s" % ("ok" if holds else "not ok", name, "" if holds or not why else " (%s)" % why), flush=True)


def call(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
    return done.returncode, done.stdout


def comment_of(path):
    with open(path) as file:
        return file.read().split("*/")[0]


def build(path, program, *flags):
    more = re.search(r"flags: (.*)", comment_of(path))
    subprocess.run([HEDDLE, "cc", "-g", "-w", "-pthread", *flags, *(more.group(1).split() if more else []), path, "-o", program],
                   check=True, timeout=100)


def predictions(program):
    """{kind: the predictions of it}"""
    call(HEDDLE, "predict", "--only-predict", "--strategy", "rr", "--json", "result.json", "./" + program)
    with open("result.json") as file:
        found = json.load(file)["predictions"]
    os.remove("result.json")
    return {kind: [p for p in found if p["kind"] == kind] for kind in ("data race", "atomicity violation")}


def places(found):
    return {tuple(sorted(party["where"] for party in p["parties"])) for p in found}


def foretold(path, name):
    """What a run says; what check says."""
    races, proven, violations = map(int, re.search(r"foretold: races=(\d+) proven=(\d+) atomicity=(\d+)", comment_of(path)).groups())
    verdict = re.search(r"verdict: (\w+)", comment_of(path))[1]
    build(path, name)
    found = predictions(name)
    case("%s: %d races predicted" % (name, races), len(places(found["data race"])) == races, str(found))
    case("%s: %d proven" % (name, proven), len(places(p for p in found["data race"] if p["sound"])) == proven, str(found))
    case("%s: %d violations predicted" % (name, violations), len(places(found["atomicity violation"])) == violations, str(found))
    build(path, name + ".fixed", "-DFIXED")
    found = predictions(name + ".fixed")
    case("%s: nothing in the twin" % name, not any(found.values()), str(found))
    for program, expected in ((name, verdict != "none"), (name + ".fixed", False)):
        status, output = call(HEDDLE, "check", "--races", "fail", "--time", "2s", "./" + program)
        case("%s: check agrees" % program, status == int(expected), output)


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as folder:
        os.chdir(folder)
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "predict", "*.c"))):
            if "foretold:" in comment_of(path):
                foretold(path, os.path.basename(path)[:-2])


if __name__ == "__main__":
    main()
