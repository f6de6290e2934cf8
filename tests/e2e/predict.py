#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording, prediction and confirmation through the command line, over the subjects of tests/predict.

What must be predicted of a subject, and what of it is real, stands in its first comment. Every case prints one line `ok - name`
or `not ok - name`, which tests/run counts.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
SUBJECTS = os.path.join(ROOT, "tests", "predict")


def case(name, holds, why=""):
    print("%s - %s%s" % ("ok" if holds else "not ok", name, "" if holds or not why else " (%s)" % why), flush=True)


def call(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
    return done.returncode, done.stdout


def build(name, *flags, out=None):
    source = name if name.endswith(".c") else os.path.join(SUBJECTS, name + ".c")
    subprocess.run([HEDDLE, "cc", "-g", "-pthread", *flags, source, "-o", out or name], check=True, timeout=100)


def predict(program, *options):
    """(exit status, document, output), of one run, or of the one that is named."""
    run = [] if "--from" in options else ["--strategy", "rr"]
    status, output = call(HEDDLE, "predict", "--json", "result.json", *run, *options, "./" + program)
    with open("result.json") as file:
        return status, json.load(file), output


def truths():
    """{name: (predicted, real)} of the subjects about locks."""
    found = {}
    for entry in sorted(os.listdir(SUBJECTS)):
        if entry.endswith(".c"):
            with open(os.path.join(SUBJECTS, entry)) as file:
                text = file.read(4000)
            rows = [re.search(r"^ \* %s: (\d+)$" % key, text, re.M) for key in ("predicted", "real")]
            if all(rows):
                found[entry[:-2]] = tuple(int(row[1]) for row in rows)
    return found


# Subjects about waits and signals: groups predicted, confirmed; the same without annotations; predicted of the twin.
COMMUNICATION = {
    "flag_before_lock": (1, 1, 1, 1, 0),
    "outer_lock": (1, 1, 0, 0, 0),
    "resized_buffer": (1, 1, 0, 0, 1),
    "reader_map": (1, 1, 0, 0, 0),
    "early_stop": (1, 1, 1, 1, 0),
    "told_later": (0, 0, 0, 0, 0),
    "unknown_guard": (0, 0, 0, 0, 0),
}


def communication():
    header = "-I" + os.path.join(ROOT, "include")
    for name, (predicted, real, inferred, inferred_real, of_twin) in COMMUNICATION.items():
        variants = [("", [], predicted, real), (" unannotated", ["-DUNANNOTATED"], inferred, inferred_real),
                    (" twin", ["-DFIXED"], of_twin, 0), (" unannotated twin", ["-DFIXED", "-DUNANNOTATED"], 0, 0)]
        for what, flags, groups, confirmed in variants:
            build(name, header, *flags)
            status, result, output = predict(name, "--runs", "50", "--all")
            found = [p for p in result["predictions"] if p["kind"] == "communication deadlock"]
            case("%s%s: %d predicted" % (name, what, groups), len(found) == groups, output)
            case("%s%s: %d confirmed" % (name, what, confirmed), sum(p["confirmed"] for p in found) == confirmed, output)
            case("%s%s: its status" % (name, what), (status == 0) == (not result["bugs"]), output)
    for name in ("flag_before_lock", "outer_lock", "resized_buffer", "reader_map", "early_stop"):
        build(name, header, "-DDIVERGING")
        _, result, output = predict(name, "--runs", "50")
        found = [p for p in result["predictions"] if p["kind"] == "communication deadlock"]
        case("%s: brought about along another way, too" % name, [p["target"] >= 45 for p in found] == [True], output)
        case("%s: the recorded one cannot be followed" % name, found[0]["diverged"] >= 45 or name == "early_stop", output)
    build("resized_buffer", header)
    status, output = call(HEDDLE, "predict", "--loop-guards", "--only-predict", "./resized_buffer")
    case("both ways to ask a condition", "1 if a condition is asked once, 1 if it is asked again" in output, output)


def several_runs():
    """What one run by rr does not show: its threads never wait, and a condition that nobody told of stays unknown."""
    build("unknown_guard", "-I" + os.path.join(ROOT, "include"))
    status, output = call(HEDDLE, "predict", "./unknown_guard")
    case("unknown_guard: found by one of several runs", status == 1 and "deadlock" in output, output)
    build("race_behind_branch")
    _, output = call(HEDDLE, "predict", "--only-predict", "./race_behind_branch")
    case("race_behind_branch: predicted by one of several runs", "data race: T1 writes value" in output, output)


def deadlocks():
    for name, (predicted, real) in truths().items():
        build(name)
        status, result, output = predict(name, "--runs", "60")
        found = [p for p in result["predictions"] if p["kind"] == "deadlock"]
        case("%s: %d predicted" % (name, predicted), len(found) == predicted, output)
        case("%s: %d confirmed" % (name, real), sum(p["confirmed"] for p in found) == real, output)
        case("%s: reported if it is real" % name, status == (1 if real else 0) and bool(result["bugs"]) == bool(real), output)
        case("%s: outcomes add up" % name,
             all(p["target"] + p["other"] + p["stalled"] + p["completed"] == p["runs"] for p in found), str(found))
        groups = [{b["where"] for b in g["blocked"]} for g in result["analysis"]["communication"]["groups"] if not g["communication"]]
        case("%s: confirmed circles are deadlocks of the trace program, too" % name,
             all(any({party["where"] for party in p["parties"]} <= group for group in groups) for p in found if p["confirmed"]), str(groups))
        with open(os.path.join(SUBJECTS, name + ".c")) as file:
            twin = "FIXED" in file.read()
        if twin:
            build(name, "-DFIXED", out=name + ".fixed")
            status, result, output = predict(name + ".fixed", "--runs", "20")
            case("%s: nothing in the twin" % name, status == 0 and not result["bugs"] and
                 not [p for p in result["predictions"] if p["kind"] == "deadlock"], output)


def effects():
    """Names, contexts and yields do what they are for."""
    def mean(program, key, *options):
        _, result, _ = predict(program, *options)
        values = [p[key] / p["runs"] for p in result["predictions"] if p["kind"] == "deadlock"]
        return sum(values) / len(values)

    case("pair: always, and nobody was held in vain", mean("pair", "target") == 1 and mean("pair", "thrashes") == 0)
    case("decoy: without names the wrong thread is held", mean("pair_decoy", "thrashes") == 0 < mean("pair_decoy", "thrashes", "--names", "trivial"))
    case("yield: without it the chance is lost", mean("pair_yield", "target") == 1 > 0.8 > mean("pair_yield", "target", "--no-yield"))
    case("contexts: without them threads are held at other places",
         mean("caret", "thrashes") == 0 and mean("caret", "thrashes", "--no-contexts") > 1 > mean("caret", "target", "--no-contexts"))
    case("the watchdog ends what nothing else would", mean("spinner", "watchdog") > 0)
    _, first, _ = predict("lists", "--seed", "7")
    _, second, _ = predict("lists", "--seed", "7")
    keys = ("message", "target", "other", "stalled", "completed", "thrashes", "watchdog")
    case("the same seed decides the same",
         [[p[k] for k in keys] for p in first["predictions"]] == [[p[k] for k in keys] for p in second["predictions"]])
    _, result, _ = predict("start_ordered", "--start-order")
    case("creation and join rule it out", not [p for p in result["predictions"] if p["kind"] == "deadlock"])
    _, result, output = predict("lists", "--max-cycle", "1")
    case("a limit is told", "a limit was reached" in output, output)


def names():
    status, _ = call(HEDDLE, "record", "-o", "loop.trace", "--json", "loop.json", "./naming_loop")
    with open("loop.json") as file:
        run = json.load(file)
    index = [tuple(o["origin"]["index"]) for o in run["objects"]]
    places = [index[0][0], index[0][2], index[0][4], index[-1][2]]
    case("the first is [11,1,6,1,3,1]", index[0][1::2] == (1, 1, 1), str(index[0]))
    case("the last is [11,3,7,1,3,5]", index[-1][1::2] == (3, 1, 5) and index[-1][0] == places[0] and index[-1][4] == places[2] and
         places[1] != places[3], str(index[-1]))
    case("k = 1, 2, 3 tell 3, 6, 30 apart", [len({i[:2 * k] for i in index}) for k in (1, 2, 3)] == [3, 6, 30])
    case("by place they are one", len({i[0] for i in index}) == 1)
    call(HEDDLE, "record", "-o", "factory.trace", "--json", "factory.json", "./factory")
    with open("factory.json") as file:
        threads = [t["origin"] for t in json.load(file)["threads"][1:]]
    case("threads from one line: one place, %d names" % len(threads),
         len({t["index"][0] for t in threads}) == 1 and len({tuple(t["index"]) for t in threads}) == len(threads), str(threads))
    seen = set()
    for strategy in ("rr", "random", "pos"):
        call(HEDDLE, "record", "-o", "again.trace", "--json", "again.json", "--strategy", strategy, "--seed", "3", "./factory")
        with open("again.json") as file:
            run = json.load(file)
        seen.add(json.dumps([sorted(json.dumps(t["origin"]) for t in run[key]) for key in ("threads", "objects")]))
    case("and the same ones in other runs", len(seen) == 1, "%d kinds" % len(seen))
    depths_and_schedules()


def depths_and_schedules():
    """What bench/names prints of subjects made for it: different names of locks by depth, and the part that holds."""
    done = subprocess.run([os.path.join(ROOT, "bench", "names"), os.path.dirname(HEDDLE), "--runs", "8", "--only", "naming_loop,lazy_locks,own_locks,factory"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
    rows = {}
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.setdefault(cells[0], []).append([cell.split(",")[0] for cell in cells[1:]])
    expected = {  # there are; no name, place; creators 1 to 5; calls 1 to 5
        "naming_loop": "30 1 1 1 1 1 1 1 3 6 30 30 30",
        "own_locks": "2 1 1 1 2 2 2 2 1 2 2 2 2",
        "factory": "5 1 1 1 1 1 1 1 1 5 5 5 5",
    }
    for name, numbers in expected.items():
        case("%s: names by depth" % name, rows.get(name, [[]])[0] == numbers.split(), done.stdout)
    held = {name: found[1][1:] for name, found in rows.items() if len(found) == 2 and name in ("factory", "own_locks", "lazy_locks")}
    case("names by calls hold", all(held.get(name) == ["1.00"] * 3 for name in ("factory", "own_locks")), done.stdout)
    case("unless the schedule decides on them", held.get("lazy_locks", [""] * 3)[:2] == ["1.00"] * 2 and held["lazy_locks"][2] < "1.00", done.stdout)


def files():
    status, output = call(HEDDLE, "record", "-o", "pair.trace", "./pair")
    case("a run is recorded", status == 0 and "recorded" in output, output)
    status, result, output = predict("pair", "--from", "pair.trace")
    case("and predicted from", status == 1 and len(result["predictions"]) == 1, output)
    status, output = call(HEDDLE, "predict", "--only-predict", "--from", "pair.trace", "./pair")
    case("without trying", status == 0 and "not tried" in output, output)
    with open("pair.trace", "rb") as file:
        whole = file.read()
    for cut in (0, 5, 9, len(whole) // 2, len(whole) - 1):
        with open("cut.trace", "wb") as file:
            file.write(whole[:cut])
        status, output = call(HEDDLE, "predict", "--from", "cut.trace", "./pair")
        case("cut after %d bytes: one clear line" % cut, status in (2, 3) and output.startswith("heddle: cut.trace: ") and
             output.count("\n") == 1, "%d %s" % (status, output))
    damaged = 0
    for at in range(9, len(whole), 7):
        with open("bad.trace", "wb") as file:
            file.write(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        status, output = call(HEDDLE, "predict", "--only-predict", "--from", "bad.trace", "./pair")
        damaged += status not in (0, 2, 3)
    case("damaged anywhere: never worse than an error", damaged == 0, "%d" % damaged)
    status, output = call(HEDDLE, "predict", "--from", "none.trace", "./pair")
    case("a trace that is not there", status in (2, 3) and "none.trace: " in output and "No such file" in output, output)
    status, output = call(HEDDLE, "record", "-o", "no/such/folder/x", "./pair")
    case("a place that cannot be written", status == 2 and "cannot be written" in output, output)
    status, output = call(HEDDLE, "record", "./none")
    case("a program that is not there", status == 2, output)
    status, output = call(HEDDLE, "predict", "--names", "nothing", "./pair")
    case("a wrong abstraction", status == 2 and "--names takes" in output, output)


def conversions():
    """STD and back: the same events, the same predictions; plain is what other tools see of it."""
    for name in ("lists", "factory", "spinner", "server_shutdown"):
        call(HEDDLE, "record", "-o", "one.trace", "./" + name)
        steps = [("one.trace", "one.std"), ("one.std", "two.trace"), ("two.trace", "two.std")]
        good = all(call(HEDDLE, "convert", a, b)[0] == 0 for a, b in steps)
        with open("one.std") as one, open("two.std") as two:
            first, second = one.read(), two.read()
        case("%s: STD and back without loss" % name, good and first == second and "|acq(" in first)
        call(HEDDLE, "convert", "--plain", "one.trace", name + ".plain.std")
        with open(name + ".plain.std") as file:
            case("%s: plain is what is left without comments" % name,
                 file.read() == "".join(line for line in first.splitlines(True) if not line.startswith("#")))
        messages = [sorted(p["message"] for p in predict(name, "--only-predict", "--from", trace)[1]["predictions"])
                    for trace in ("one.trace", "one.std", "two.trace")]
        case("%s: the same predictions" % name, messages[0] == messages[1] == messages[2], str(messages))
    status, output = call(HEDDLE, "convert", "none.trace", "x.std")
    case("nothing to convert", status == 2 and "none.trace" in output and not os.path.exists("x.std"), output)


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as folder:
        os.chdir(folder)
        for part in (deadlocks, several_runs, communication, effects, names, files, conversions):
            part()
        os.chdir("/")
    return 0


sys.exit(main())
