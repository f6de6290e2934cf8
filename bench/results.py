# SPDX-License-Identifier: Apache-2.0
"""The page of results, bench/RESULTS.md: of each area what was seen last; what was seen before is in the history of the file.

An area is a section: its title, a line that says when, with which revision and on what machine, its tables, and its goals as
lines that begin with "- " and end with "met" or "missed". Recording an area puts the new section in the place of the old one, and
makes the list of all areas at the top of the page again.
"""
import datetime
import os
import platform
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "RESULTS.md")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def revision():
    done = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return "revision " + done.stdout.strip() if done.returncode == 0 else "no revision known"


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return "%s, %d cores, Linux %s, %s" % (model, len(os.sched_getaffinity(0)), platform.release().split("-")[0],
                                          " ".join(platform.libc_ver()))


def heading(title, *sentences):
    """The first lines of a section."""
    return ["## " + title, "", " ".join(["%s, %s. %s." % (now(), revision(), machine()), *sentences]), ""]


def goal(text, met):
    return "- %s: %s" % (text, "met" if met else "**missed**")


# ---- the page ----

def sections_of(text):
    """What stands before the first section, and {title: lines}."""
    before, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return before, {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip("\n") for part in parts}


def row_of(title, body):
    """The line of an area in the list at the top."""
    seen = re.search(r"(\d{4}-\d\d-\d\d)(?: \d\d:\d\d UTC)?(?:, (?:recorded with )?revision ([\w-]+))?", body)
    met = len(re.findall(r"^- .*: met$", body, re.MULTILINE))
    missed = re.findall(r"^- (.*): \*\*missed\*\*$", body, re.MULTILINE)
    goals = ["%d met" % met] if met else []
    goals += ["**missed:** " + "; ".join(missed)] if missed else []
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    return "| [%s](#%s) | %s | %s | %s |" % (title, anchor, seen.group(1) if seen else "", seen.group(2) or "" if seen else "",
                                            ", ".join(goals) or "none set")


def page(before, sections):
    words = before.split("\n| area |", 1)[0].rstrip("\n")
    rows = ["| area | seen | revision | goals |", "| --- | --- | --- | --- |"] + [row_of(*one) for one in sections.items()]
    parts = [words, "\n".join(rows)] + ["## %s\n\n%s" % (title, body.lstrip("\n")) for title, body in sections.items()]
    return "\n\n".join(parts) + "\n"


def record(lines):
    """Takes a section, from its heading on, into the page."""
    with open(PAGE) as file:
        before, sections = sections_of(file.read())
    _, new = sections_of("\n".join(lines))
    sections.update(new)
    with open(PAGE, "w") as file:
        file.write(page(before, sections))
