#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everyday programs, tests/stories, each with a bug whose story must name the mistake and its remedy.

    tests/e2e/stories.py [NAME...]

The first comment of a program has a `tell:` line for each line of the story (a regular expression) that must be there;
line breaks count as blanks. Data races are not looked for, unless an `options:` line says otherwise. Of the twin, with
-DFIXED, nothing may be told. Every case prints one line `ok - name` or
`not ok - name`, which tests/run counts.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))

for variable in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(variable, None)


def check(program, folder, options, flags=""):
    environment = dict(os.environ, CPPFLAGS=flags)
    result = subprocess.run([HEDDLE, "check", "--time", "5s", *options, "--out", folder, program],
                            env=environment, capture_output=True, text=True, timeout=120, check=False)
    return result.returncode, result.stdout + result.stderr


def case(name, good, output):
    print(("ok - " if good else "not ok - ") + name)
    if not good:
        print("\n".join("    | " + line for line in output.splitlines()), flush=True)


def main():
    wanted = sys.argv[1:]
    for program in sorted((ROOT / "tests" / "stories").iterdir()):
        if wanted and program.stem not in wanted:
            continue
        text = program.read_text()
        expected = re.findall(r"^ \* tell: (.*)$", text, re.MULTILINE)
        options = " ".join(re.findall(r"^ \* options: (.*)$", text, re.MULTILINE) or ["--races ignore"]).split()
        with tempfile.TemporaryDirectory() as folder:
            status, text = check(program, folder, options)
            missing = [line for line in expected if not re.search(line, " ".join(text.split()))]
            case(f"{program.name}: told", status == 1 and expected and not missing, f"missing: {missing}\n{text}")
            status, text = check(program, folder, options, "-DFIXED")
            case(f"{program.name}: nothing is told of the twin", status == 0, text)


main()
