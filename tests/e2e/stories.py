#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everyday programs, tests/stories, each with a bug whose story must name the mistake and its remedy.

    tests/e2e/stories.py [NAME...]

The first comment of a program has a `tell:` line for each line of the story (a regular expression) that must be there;
line breaks count as blanks. Data races are not looked for, unless an `options:` line says otherwise. Of the twin, with
-DFIXED, nothing may be told, in 2,000 executions (FULL=1: for five seconds). Every case prints one line `ok - name` or
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


TWIN = ["--time", "5s"] if os.environ.get("FULL") else ["--time", "60s", "--max-executions", "2000"]


def check(program, folder, options, flags=""):
    environment = dict(os.environ, CPPFLAGS=flags)
    result = subprocess.run([HEDDLE, "check", *options, "--out", folder, program],
                            env=environment, capture_output=True, text=True, timeout=400, check=False)
    return result.returncode, result.stdout + result.stderr


def case(name, good, output):
    print(("ok - " if good else "not ok - ") + name)
    if not good:
        print("\n".join("    | " + line for line in output.splitlines()), flush=True)


RACES = """
#include <pthread.h>
static int count, total;
static void *one(void *x) { count++; total += 2; return x; }
static void *two(void *x) { count--; return x; }
static void *three(void *x) { count = 7; total = 1; return x; }
int main(void)
{
  pthread_t t[3];
  pthread_create(&t[0], 0, one, 0);
  pthread_create(&t[1], 0, two, 0);
  pthread_create(&t[2], 0, three, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  return 0;
}
"""


def races(folder):
    """Races are told by variable; a source that is newer than its program is told, once, and not if it is older."""
    source, program = pathlib.Path(folder, "races.c"), pathlib.Path(folder, "races")
    source.write_text(RACES)
    subprocess.run([HEDDLE, "cc", "-g", "-O1", "-pthread", source, "-o", program], check=True)
    command = [HEDDLE, "run", "--time", "60s", "--races", "report", "--runs", "300", "--out", folder, program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    told = [line for line in result.stdout.splitlines() if line.startswith(("✗ data race on ", "  also "))]
    case("races on one variable are told together, both sides with their places",
         len([line for line in told if line.startswith("✗ data race on count")]) == 1 and
         len([line for line in told if line.startswith("✗ data race on total")]) == 1 and
         re.search(r"also +T\d \w+ it at races\.c:\d+, T\d \w+ it at races\.c:\d+ +\S+races-\d+\.hd", result.stdout), result.stdout)
    first = next((i for i, line in enumerate(told) if line.startswith("✗ data race on total")), 0)
    case("and none of another comes between them", told and all("also" in line for line in told[1:first]) and first > 1, "\n".join(told))
    case("a source that is older is not told of", "was changed after" not in result.stdout, result.stdout)
    later = program.stat().st_mtime + 10
    os.utime(source, (later, later))
    result = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    case("a source that is newer than the program is told once",
         result.stdout.count("races.c was changed after the program was built") == 1, result.stdout)


def main():
    wanted = sys.argv[1:]
    if not wanted or "races" in wanted:
        with tempfile.TemporaryDirectory() as folder:
            races(folder)
    for program in sorted((ROOT / "tests" / "stories").iterdir()):
        if wanted and program.stem not in wanted:
            continue
        text = program.read_text()
        expected = re.findall(r"^ \* tell: (.*)$", text, re.MULTILINE)
        options = " ".join(re.findall(r"^ \* options: (.*)$", text, re.MULTILINE) or ["--races ignore"]).split()
        with tempfile.TemporaryDirectory() as folder:
            status, text = check(program, folder, ["--time", "60s", *options])
            missing = [line for line in expected if not re.search(line, " ".join(text.split()))]
            case(f"{program.name}: told", status == 1 and expected and not missing, f"missing: {missing}\n{text}")
            status, text = check(program, folder, [*TWIN, *options], "-DFIXED")
            case(f"{program.name}: nothing is told of the twin", status == 0, text)


main()
