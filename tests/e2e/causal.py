#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore --strategy causal: one execution for each maximal causal class.

    tests/e2e/causal.py [NAME...]

  shapes    programs whose classes are known (tests/causal/shapes.c): exactly those, none twice, and every standstill.
  subjects  tests/causal: the bug is found; the fixed twin is complete, without one.
  rows      programs of tests/exhaustive: the final states and the kinds of bugs that dpor sees, and no more classes than
            by reads-from.
  limits    what is not covered is said, and nothing is complete then.
  options   what does not go together; that a race is predicted and shown.

Exit status 0 whatever the cases said, as tests/run wants it.
"""
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import exhaustive  # noqa: E402

SUBJECTS = exhaustive.ROOT / "tests" / "causal"
CAUSAL = ["--strategy", "causal"]

# Arguments: classes that end well, whether some fail, and whether there is a standstill.
SHAPES = [("writers", 1, False, False), ("counter 2", 3, False, False), ("counter 3", 13, False, False),
          ("counter 4", 75, False, False), ("airline 2 1", 7, False, False), ("airline 2 1 locked", 2, False, False),
          ("airline 3 2", 76, False, False), ("airline 3 2 locked", 6, False, False), ("account", 51, False, False),
          ("account locked", 14, False, False), ("filter", 2, True, False), ("filter once", 2, False, False),
          ("nested", 1, False, True), ("motivating", 99, True, False), ("motivating fixed", 30, False, False)]
KINDS = {"airline": "assertion", "account": "assertion", "allocation": "assertion", "bubble_sort": "assertion",
         "lang": "assertion", "pool": "assertion", "appenders": "crash", "event_buffer": "crash", "logger": "crash"}
ROWS = [("lockers", [3, 2]), ("journal", [2, 2]), ("increments", [3, 1]), ("swaps", [5, 1]), ("buffer", [2, 2]),
        ("readers", [3]), ("once", [4]), ("posts", [2, 2]), ("philosophers", [3]), ("signals", [2, 2, 1]), ("gate", [2, 2])]
UNCOVERED = [("pipes", [3, 1]), ("crossed", [2, 1]), ("phases", [2, 1])]


def test_shapes(builder, wanted):
    path, error = builder.build(SUBJECTS / "shapes.c")
    for args, classes, fails, stands in SHAPES:
        report = exhaustive.Report(f"shapes {args}")
        if not wanted("shapes"):
            continue
        if error:
            report.case(False, "compiles", error)
        else:
            found = exhaustive.Search(builder.folder, path, args.split(), [*CAUSAL, "--keep-going"])
            report.wants(f"{classes} classes", found, classes=(len(found.lines) - found.bugs, classes),
                         fails=(found.bugs > 0, fails), twice=(len(found.lines) - len(found.classes), 0),
                         stands=("deadlock" in found.kinds, stands), complete=(found["complete"], not fails or found["complete"]))
        yield report


def test_subject(builder, name):
    report = exhaustive.Report(name)
    for flags in ([], ["-DFIXED"]):
        path, error = builder.build(SUBJECTS / f"{name}.c", *flags)
        if error:
            report.case(False, "compiles", error)
            continue
        found = exhaustive.Search(builder.folder, path, [], CAUSAL)
        if flags:
            report.wants("fixed", found, complete=(found["complete"], True), kinds=(found.kinds, []))
        else:
            report.wants("the bug", found, kinds=(found.kinds, [KINDS[name]]), complete=(found["complete"], False))
    return report


def test_race(builder):
    """One class; the race is between two accesses that the lock orders in the execution that stands for it."""
    report = exhaustive.Report("hidden_race")
    for flags in ([], ["-DFIXED"]):
        path, error = builder.build(SUBJECTS / "hidden_race.c", *flags)
        if error:
            report.case(False, "compiles", error)
            continue
        found = exhaustive.Search(builder.folder, path, [], [*CAUSAL, "--races", "fail"])
        report.wants("fixed" if flags else "the race", found, kinds=(found.kinds, [] if flags else ["race"]))
    return report


def test_row(builder, program, args):
    report = exhaustive.Report(" ".join(map(str, [program, *args])))
    path, error = builder.build(exhaustive.PROGRAMS / f"{program}.c")
    if error:
        report.case(False, "compiles", error)
        return report
    dpor, sources, causal = (exhaustive.Search(builder.folder, path, args, [*options, "--keep-going", "-j", "1"])
                             for options in (["--strategy", "dpor"], ["--equivalence", "reads-from"], CAUSAL))
    report.wants("as dpor, in no more executions than reads-from", causal, status=(causal.status, dpor.status),
                 complete=(causal["complete"], True), kinds=(causal.kinds, dpor.kinds),
                 final_states_differ=(len(causal.finals ^ dpor.finals), 0),
                 more_than_sources=(len(causal.lines) > len(sources.lines), False),
                 twice=(len(causal.lines) - len(causal.classes), 0))
    return report


def test_uncovered(builder, program, args):
    report = exhaustive.Report(" ".join(map(str, [program, *args])))
    path, error = builder.build(exhaustive.PROGRAMS / f"{program}.c")
    found = exhaustive.Search(builder.folder, path, args, CAUSAL) if not error else None
    report.case(not error and "only --strategy dpor covers" in found.text and "(complete" not in found.text,
                "causality does not cover it, and says so", error or found.text)
    return report


def test_options(builder):
    report = exhaustive.Report("options")
    path, error = builder.build(SUBJECTS / "account.c")
    for options in (["-j", "2"], ["--bound", "preemptions=1"], ["--equivalence", "reads-from"], ["--order", "bfs"],
                    ["--symmetric"]):
        found = exhaustive.Search(builder.folder, path, [], [*CAUSAL, *options])
        lines = found.text.strip().splitlines()
        report.case(not error and found.status == 2 and len(lines) == 1 and "causal does not go with" in lines[0] or
                    "does not go with --strategy causal" in lines[0], f"one line for {options[0]}", found.text)
    return report


def main():
    names = sys.argv[1:]

    def wanted(name):
        return not names or name in names

    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-causal."))
    builder = exhaustive.Builder(folder)
    try:
        for report in test_shapes(builder, wanted):
            print("\n".join(report.lines), flush=True)
        tests = [(test_subject, name) for name in KINDS] + [(test_row, *row) for row in ROWS]
        tests += [(test_uncovered, *row) for row in UNCOVERED] + [(test_options,), (test_race,)] * wanted("options")
        for test, *rest in tests:
            if not rest or wanted(rest[0]):
                print("\n".join(test(builder, *rest).lines), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
