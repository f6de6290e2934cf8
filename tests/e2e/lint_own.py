#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle lint finds nothing in heddle's own sources, all of them, and would find something. What it read is kept in the build folder
by what read it, so that sources are read again when they or the reader changed. Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import glob
import hashlib
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# those that are on, and others that this program keeps to
RULES = ("unbounded-threads,unsafe-in-handler,local-to-detached,wait-outside-loop,wait-without-mutex,unlocked-predicate,lock-kept,locked-pointer,"
         "double-checked-locking,sleep-to-wait,one-thread-function")
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
    done = subprocess.run([HEDDLE, "lint", "-q", "--rules", RULES, "-p", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def check_reader():
    """Facts belong to the reader that this heddle has: its sources are part of their keys."""
    sources = sorted(glob.glob(os.path.join(ROOT, "src", "lint", "syntax*.[ch]"))) + sorted(
        path for name in ("compile_meaning", "translation_unit") for path in glob.glob(os.path.join(ROOT, "src", "frontend", name + ".[ch]")))
    text = b"".join(open(path, "rb").read() for path in sources)
    with open(HEDDLE, "rb") as file:
        case("facts have the reader's sources in their keys", hashlib.sha256(text).hexdigest()[:16].encode() in file.read())


def main():
    check_reader()
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
