# SPDX-License-Identifier: Apache-2.0
"""What the tables about prediction share: subjects and how they are built, times, runs without control, tables."""
import json
import os
import subprocess
import time

import results

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SUBJECTS = os.path.join(ROOT, "tests", "predict")
INCLUDE = "-I" + os.path.join(ROOT, "include")


# ---- subjects ----

def source_of(name):
    return os.path.join(SUBJECTS, name + ".c")


def lines_of(name):
    with open(source_of(name)) as file:
        return sum(1 for line in file if line.strip() and not line.strip().startswith(("/*", "*", "//")))


def build(heddle, folder, name, *flags, out=None):
    """The program for heddle, and NAME.plain, which nobody instruments."""
    program = out or name
    subprocess.run([heddle, "cc", "-g", "-pthread", INCLUDE, *flags, source_of(name), "-o", program], cwd=folder, check=True, timeout=100)
    subprocess.run(["gcc", "-g", "-O1", "-pthread", INCLUDE, *flags, source_of(name), "-o", program + ".plain"], cwd=folder, check=True,
                   timeout=100)


# ---- runs ----

def seconds_of(command, cwd=None, times=5):
    """The shortest of some; a run that hangs is no measure."""
    best = float("inf")
    for _ in range(times):
        start = time.monotonic()
        try:
            subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=2)
            best = min(best, time.monotonic() - start)
        except subprocess.TimeoutExpired:
            pass
    return best


def told(heddle, folder, *command):
    """The JSON that a command of heddle writes, and what it says beside it."""
    path = os.path.join(folder, "result.json")
    if os.path.exists(path):
        os.remove(path)
    done = subprocess.run([heddle, command[0], "--json", "result.json", *command[1:]], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if not os.path.exists(path):
        raise SystemExit("bench: status %d of: heddle %s\n%s" % (done.returncode, " ".join(command), done.stdout))
    with open(path) as file:
        return json.load(file), done.stdout


def document(heddle, folder, *command):
    return told(heddle, folder, *command)[0]


def free_failures(heddle, folder, program, runs, kinds=None):
    """How many of so many runs without control failed, perhaps only in these ways: left alone, and with threads that pause by chance."""
    found = []
    for path, how, options in ((program + ".plain", "plain", ["--yield", "0"]), (program, "yields", [])):
        result = document(heddle, folder, "stress", "--runs", str(runs), *options, "./" + path)
        found.append(sum(bug[how]["count"] for bug in result["bugs"] if not kinds or bug["kind"] in kinds))
    return found


# ---- tables ----

def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "|".join([" --- "] + [" ---: "] * (len(head) - 1)) + "|"] + \
           ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def milliseconds(seconds):
    return "%.2f" % (seconds * 1000)


def load():
    """A sentence for whoever reads times."""
    others = os.getloadavg()[0] - 1
    return "The machine was shared: %.1f other processes ran on average in the last minute." % others if others >= 0.1 else \
        "The machine was idle otherwise."


def heading(title, *sentences):
    return results.heading(title, load(), *sentences)


def publish(text, keep):
    """Prints; if it is to be kept, puts it in its place in bench/RESULTS.md."""
    print("\n".join(text), flush=True)
    if keep:
        results.record(text)
