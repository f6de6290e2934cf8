#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore --strategy causal: one execution for each maximal causal class.

    tests/e2e/causal.py [NAME...]

  shapes    programs whose classes are known (tests/causal/shapes.c): exactly those, none twice, and every standstill; each
            execution that was planned shows what it was to show, and what need not be run is counted.
  subjects  tests/causal: the bug is found; the fixed twin is complete, without one.
  rows      programs of tests/exhaustive: the final states and the kinds of bugs that dpor sees, and no more classes than
            by reads-from.
  limits    what is not covered is said, and nothing is complete then.
  divided   among workers, some of which are killed: the same classes, none twice.
  turns     --strategy auto, and check, which takes turns too.
  tries     why the execution that shows a bug was chosen, in words.
  options   what does not go together; that a race is predicted and shown.

Exit status 0 whatever the cases said, as tests/run wants it.
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import divided  # noqa: E402
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
SOON = {"bubble_sort": 2, "pool": 2}  # executions to the bug; in the order in which they were found, 9 and 3
ROWS = [("lockers", [3, 2]), ("journal", [2, 2]), ("increments", [3, 1]), ("swaps", [5, 1]), ("buffer", [2, 2]),
        ("readers", [3]), ("once", [4]), ("posts", [2, 2]), ("philosophers", [3]), ("signals", [2, 2, 1]), ("gate", [2, 2])]
UNCOVERED = [("pipes", [3, 1]), ("crossed", [2, 1]), ("phases", [2, 1])]


def planned(found, fails, stands):
    """How many executions were planned and how many of them showed it, beside what is wanted: all but the first one of the
    search are, and a standstill is one more."""
    told = found["planned"] or {"executions": 0, "shown": 0}
    every = told["executions"] if fails else len(found.lines) - 1 + stands
    return (told["executions"], told["shown"]), (every, every)


def test_shapes(builder, wanted):
    path, error = builder.build(SUBJECTS / "shapes.c")
    for args, classes, fails, stands in SHAPES:
        report = exhaustive.Report(f"shapes {args}")
        if not wanted("shapes"):
            continue
        if error:
            report.case(False, "compiles", error)
        else:
            found = exhaustive.Search(builder.folder, path, args.split(), [*CAUSAL, "--keep-going", "-j", "1"])
            report.wants(f"{classes} classes", found, classes=(len(found.lines) - found.bugs, classes),
                         fails=(found.bugs > 0, fails), twice=(len(found.lines) - len(found.classes), 0),
                         stands=("deadlock" in found.kinds, stands), complete=(found["complete"], not fails or found["complete"]),
                         planned=planned(found, fails, stands))
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
            first = min((bug["first_execution"] for bug in found["bugs"] or []), default=None)
            report.wants("the bug", found, kinds=(found.kinds, [KINDS[name]]), complete=(found["complete"], False),
                         first=(first, SOON.get(name, first)))
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


def found_by(builder, command, path, args):
    """Status, text and document of a command, which leaves its pages behind."""
    out = builder.folder / f"found-{path.stem}"
    status, text = exhaustive.run([exhaustive.HEDDLE, *command, "--json", f"{out}.json", "--out", str(out), str(path), "--", *args])
    return status, text, json.loads(pathlib.Path(f"{out}.json").read_text())


# What the execution that shows the bug was to show: a read, a standstill, a race.
TRIES = [("account", [], [], "T2's read of two.sum at account.c:27 sees what was there at first"),
         ("logger", [], [], "T1's read of filter at logger.c:27 sees T2's write at logger.c:36"),
         ("shapes", ["nested"], [], "T1's lock of other at shapes.c:96 waits, and nobody can go on"),
         ("hidden_race", [], ["--races", "fail"], "T1's write of shared at hidden_race.c:15 and T2's write at hidden_race.c:33 come at once")]


def test_tries(builder, name, args, options, sentence):
    """Why the execution was chosen: on the terminal, in the document, on the page."""
    report = exhaustive.Report(f"tries {name}")
    path, error = builder.build(SUBJECTS / f"{name}.c")
    text, bug = error, {}
    if not error:
        _, text, found = found_by(builder, ["explore", *CAUSAL, *options], path, args)
        bug = (found["bugs"] or [{}])[0]
    page = pathlib.Path(bug["page"]).read_text() if bug.get("page") else ""
    report.case(f"  tries    {sentence}\n" in text, "on the terminal", text)
    report.case(bug.get("tries", [None])[0] == sentence, "in JSON", str(bug.get("tries")))
    report.case(f'"tries":["{sentence}"' in page, "on the page", str(bug.get("page")))
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


def test_unanswered(builder):
    """A question with too many states is given up, which is counted in steps and not in time: the same everywhere."""
    report = exhaustive.Report("unanswered")
    path, error = builder.build(exhaustive.PROGRAMS / "file_system.c")
    found = exhaustive.Search(builder.folder, path, [18], CAUSAL) if not error else None
    report.case(not error and not found["complete"] and found["losses"] == ["unanswered"], "it is no proof", error or found.text)
    report.case(not error and 0 < found["asking_seconds"], "the time to ask is told", error or found.text)
    return report


# Threads that meet where no value shows it: in files, though one of them creates the other; in what libc keeps for all.
UNSEEN = [("subjects/file_truncated_reader", CAUSAL, "--strategy dpor"), ("edges/libc_date_told_at_the_end", CAUSAL, "--strategy dpor"),
          ("edges/state_environ", CAUSAL, "--strategy dpor"), ("edges/libc_date_before_zone", CAUSAL, "--strategy dpor"),
          ("edges/detach_or_join", CAUSAL, "--strategy dpor"), ("stories/split_words", CAUSAL, "--strategy dpor"),
          ("stories/split_words", ["--equivalence", "reads-from"], "--equivalence order"),
          ("stories/split_words", ["--equivalence", "observed"], "--equivalence order")]


def test_unseen(builder):
    report = exhaustive.Report("unseen")
    for name, options, loss in UNSEEN:
        path, error = builder.build(exhaustive.ROOT / "tests" / f"{name}.c")
        found = exhaustive.Search(builder.folder, path, [], options) if not error else None
        said = not error and (found["losses"] or f"it does what only {loss} covers" in found.text)  # after an execution, or before
        report.case(said and not found["complete"], f"{name} is not covered by {options[1]}",
                    error or found.text)
    return report


# Where a step without a rule is, and what it is.
NAMED = [("stories/door_bell", r"\(channel-send at \S*door_bell\.c:45\)"),
         ("stories/inherited_lock", r"\(create at \S*inherited_lock\.c:48: it creates a process\)"),
         ("edges/libc_date_told_at_the_end", r"\(write at \S*libc_date_told_at_the_end\.c:16: what it writes comes with a later step\)")]


def test_named(builder):
    report = exhaustive.Report("named")
    for name, words in NAMED:
        path, error = builder.build(exhaustive.ROOT / "tests" / f"{name}.c")
        found = exhaustive.Search(builder.folder, path, [], CAUSAL) if not error else None
        report.case(not error and re.search(f"only --strategy dpor covers {words}", found.text), f"{name}: what is not covered", error or found.text)
    return report


def test_freed(builder):
    """An object in a block that is freed: no value tells whether it comes before or after that."""
    report = exhaustive.Report("freed")
    for name in ("freed_after_post", "freed_with_semaphore", "freed_large_block"):
        path, error = builder.build(exhaustive.ROOT / "tests" / "edges" / f"{name}.c")
        found = exhaustive.Search(builder.folder, path, [], CAUSAL) if not error else None
        report.case(not error and found.kinds == ["memory"], f"{name} is found", error or found.text)
    return report


def test_library(builder):
    """What functions of the libraries read before they write it: whoever is first of those that take turns."""
    report = exhaustive.Report("library")
    path, error = builder.build(exhaustive.ROOT / "tests" / "edges" / "call_rand_by_turns.c")
    found = exhaustive.Search(builder.folder, path, [], CAUSAL) if not error else None
    report.case(not error and found.kinds == ["assertion"], "call_rand_by_turns is found", error or found.text)
    return report


def test_loop(builder):
    """A loop that waits has no last class: the search comes to an end, finds the bug, and proves nothing."""
    report = exhaustive.Report("waiting_loop")
    for flags, kinds in (([], ["assertion"]), (["-DFIXED"], [])):
        path, error = builder.build(SUBJECTS / "waiting_loop.c", *flags)
        if error:
            report.case(False, "compiles", error)
            continue
        found = exhaustive.Search(builder.folder, path, [], [*CAUSAL, "--keep-going"])
        report.wants("fixed" if flags else "the bug", found, kinds=(found.kinds, kinds), complete=(found["complete"], False),
                     loop=("loop" in found["losses"], True), ends=(found["executions"] < 100, True))
    return report


def test_turns(builder):
    """dpor and causality in turns: whoever comes to the end first."""
    report = exhaustive.Report("turns")
    path, error = builder.build(exhaustive.PROGRAMS / "lockers.c")
    wrong, error_of_wrong = builder.build(SUBJECTS / "account.c")
    if error or error_of_wrong:
        report.case(False, "compiles", error or error_of_wrong)
        return report
    auto = ["explore", "--strategy", "auto", "--races", "ignore"]
    status, text, few = found_by(builder, auto, path, ["3", "2"])
    report.case((status, few["complete"], few.get("equivalence"), few["executions"]) == (0, True, None, 90),
                "few interleavings are all explored", text)
    status, text, many = found_by(builder, auto, path, ["5", "4"])
    report.case((status, many["complete"], many.get("equivalence")) == (0, True, "causality") and "complete, by causality" in text,
                "many are not, but all that steps see", text)
    status, text, bad = found_by(builder, auto, wrong, [])
    report.case((status, bad["complete"], len(bad["bugs"])) == (1, False, 1), "a bug ends it", text)
    status, text, checked = found_by(builder, ["check", "--time", "3s"], path, ["5", "4"])
    report.case((status, checked["complete"], checked.get("equivalence")) == (0, True, "causality") and "did not show" in text,
                "check does the same where they are too many, and goes on with samples", text)
    return report


def test_divided(builder):
    """The classes of one worker, none twice, whoever runs them and whoever is killed."""
    report = exhaustive.Report("divided")
    path, error = builder.build(SUBJECTS / "shapes.c")
    if error:
        report.case(False, "compiles", error)
        return report
    for size, classes, jobs in ((5, 541, 2), (5, 541, 4), (6, 4683, 2)):
        found = exhaustive.Search(builder.folder, path, ["counter", size], [*CAUSAL, "-j", str(jobs)])
        report.wants(f"counter {size}, {jobs} workers", found, classes=(len(found.classes), classes), twice=(len(found.lines), classes),
                     executions=(found["executions"], classes), complete=(found["complete"], True))
    out = builder.folder / "killed.json"
    text, status = divided.run([exhaustive.HEDDLE, "explore", *CAUSAL, "-j", "2", "--quiet", "--races", "ignore", "--json", str(out), str(path),
                                "--", "counter", "6"], True)
    found = json.loads(out.read_text()) if status == 0 else {}
    report.case((found.get("complete"), found.get("executions")) == (True, 4683), "the same with workers that are killed", text)
    return report


def test_options(builder):
    report = exhaustive.Report("options")
    path, error = builder.build(SUBJECTS / "account.c")
    for options in (["--bound", "preemptions=1"], ["--equivalence", "reads-from"], ["--order", "bfs"],
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
        for row in TRIES * wanted("tries"):
            print("\n".join(test_tries(builder, *row).lines), flush=True)
        tests = [(test_subject, name) for name in KINDS] + [(test_row, *row) for row in ROWS]
        tests += [(test_uncovered, *row) for row in UNCOVERED] + [(test_options,), (test_race,), (test_unseen,), (test_unanswered,), (test_named,), (test_freed,), (test_library,), (test_loop,)] * wanted("options")
        tests += [(test_turns,)] * wanted("turns") + [(test_divided,)] * wanted("divided")
        for test, *rest in tests:
            if not rest or wanted(rest[0]):
                print("\n".join(test(builder, *rest).lines), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
