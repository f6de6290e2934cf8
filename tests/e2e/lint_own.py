#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle lint finds nothing in heddle's own sources, all of them, and would find something. What it read is kept in the build folder, so
that only the first run after a build reads C. Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))


def case(name, good, detail=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good and detail:
        print("\n".join("    " + line for line in str(detail).splitlines()[-40:]), flush=True)


def own_commands():
    """Each source of src once, as it was compiled."""
    with open(os.path.join(os.path.dirname(HEDDLE), "compile_commands.json"), encoding="utf-8") as file:
        rows = json.load(file)
    chosen = {}
    for row in rows:
        path = os.path.relpath(os.path.join(row["directory"], row["file"]), ROOT)
        if path.startswith("src/"):
            chosen.setdefault(path, row)
    return list(chosen.values())


def lint(rows, folder):
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file)
    done = subprocess.run([HEDDLE, "lint", "-q", "-p", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main():
    rows = own_commands()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(os.path.dirname(os.path.abspath(HEDDLE)), "lint-cache")
        case("there are sources", len(rows) > 500, len(rows))
        status, out = lint(rows, folder)
        case("heddle lint finds nothing in heddle", status == 0 and not out, out)
        wrong = os.path.join(ROOT, "tests", "lint_cases", "h_calls.c")
        status, out = lint(rows + [{"directory": ROOT, "file": wrong, "arguments": ["cc", wrong]}], folder)
        case("it would", status == 1 and "h_calls.c" in out, out)


if __name__ == "__main__":
    main()
