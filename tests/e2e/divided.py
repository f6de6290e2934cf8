#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore divided: the number of classes depends neither on -j, nor on hand-ins, checkpoints or the way to reset.

    tests/e2e/divided.py [-j N] [NAME...]

Programs with a known number of classes (tests/exhaustive), those with loops that wait (tests/exhaustive/locks) and some
that nobody wrote (tests/generate/orders.py) are explored in one go; then stopped after every few executions and resumed
from the checkpoint, with one worker and with two, which share what the checkpoint has left; with two workers at once, over
shared memory and over sockets; over sockets while workers and tested processes are killed; and some in forked and in fresh
processes. All must be complete with as many executions, and as many abandoned: none, but for threads that come back to
where all of them were. And it must cost next to nothing: programs whose trees of witnesses have a leaf for every class need
no more processor time with two workers, or with checkpoints, than with one. The division of searches without the rest of
heddle is tested in tests/unit/test_division.c; on more machines than there are it is simulated (tests/unit/simulate_division.c).

HEDDLE names another program to test than build/heddle. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "exhaustive"
sys.path[:0] = [str(PROGRAMS), str(ROOT / "tests" / "generate")]
sys.dont_write_bytecode = True
import model  # noqa: E402
import orders  # noqa: E402

HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 120  # seconds for one command
CLASSES = range(6, 400)  # of the row of the table that is taken
LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # takes half the time of the other one
GENERATED = 12 if os.environ.get("FULL") else 5
STOPS = 3  # so often a search is stopped and resumed
COSTS = (("readers", 12),)
DEARER = 1.5  # times, of the processor time of the best of so many runs: half a second, on a machine that does other things, too
ROUNDS = 2
KILLED = 6  # processes at most in one search

for name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(name, None)


class Program:
    def __init__(self, name, source, args=(), options=(), classes=None, resets=False, abandons=False):
        self.name, self.source, self.args, self.options = name, source, [str(a) for a in args], list(options)
        self.classes, self.resets, self.abandons = classes, resets, abandons
        self.binary = None

    def build(self, folder):
        self.binary = folder / self.name.replace(" ", "-").replace("/", "-")
        done = subprocess.run([HEDDLE, "cc", "-O1", "-g", "-std=gnu17", "-pthread", *LINKER, str(self.source), "-o", str(self.binary)],
                              capture_output=True, text=True, check=False)
        return done.stdout + done.stderr if done.returncode else None


def descendants(pid):
    found = []
    with contextlib.suppress(OSError):
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


class Killer(threading.Thread):
    """Kills processes of a search while it runs."""
    killed = 0  # in all

    def __init__(self, search):
        super().__init__()
        self.search, self.seed = search, random.Random(search.pid)

    def run(self):
        left = KILLED
        while left and self.search.poll() is None:
            victims = descendants(self.search.pid)
            time.sleep(self.seed.random() * 0.03)
            if victims and self.search.poll() is None:
                with contextlib.suppress(OSError):
                    os.kill(self.seed.choice(victims), signal.SIGKILL)
                    left -= 1
                    Killer.killed += 1


def run(command, killing):
    """(what it printed, status)"""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as search:
        killer = Killer(search) if killing else None
        try:
            if killer:
                killer.start()
            return search.communicate(timeout=LIMIT)[0], search.returncode
        finally:
            search.kill()
            if killer:
                killer.join()


def explore(program, out, *options, limit=None, killing=False):
    """(executions, all of them, abandoned), or what went wrong. A resumed search that found a bug before is never called
    complete, since its result does not show that bug; it says so, and came to its end if it stopped short of the limit. So did one that only did not
    try waits that end for no reason, which some programs count."""
    command = [HEDDLE, "explore", "--quiet", "--keep-going", "--races", "ignore", "--json", f"{out}/result.json", "--out",
               str(out), *program.options, *options, str(program.binary), "--", *program.args]
    try:
        said, status = run(command, killing)
        if status not in (0, 1):
            return f"status {status}: {said.strip()[-200:]}"
        result = json.loads(pathlib.Path(out, "result.json").read_text())
        ended = "found_before" in result and limit is not None and result["executions"] < limit
        ended |= result.get("losses") == ["unasked"] and (limit is None or result["executions"] < limit)
        return result["executions"], result["complete"] or ended, result["blocked_executions"]
    except subprocess.TimeoutExpired:
        return f"no end after {LIMIT} s"
    except (OSError, ValueError) as why:
        return f"no good result: {why}"


def explore_in_parts(program, out, executions, jobs):
    """Stopped after every few executions."""
    checkpoint, step, limit, went_on = f"{out}/checkpoint", executions // (STOPS + 1) + 1, 0, []
    while True:
        limit += step
        is_now = explore(program, out, "-j", str(jobs), "--max-executions", str(limit), *(went_on or ["--checkpoint", checkpoint]),
                         limit=limit)
        went_on = ["--resume", checkpoint]
        if isinstance(is_now, str) or is_now[1] or limit > 3 * executions:
            return is_now
        limit = max(limit, is_now[0])


def test(program, folder, turn):
    """Every way; where there is less time, each program stops and resumes, and has its workers at sockets, in one of the two ways."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        whole = explore(program, out, "-j", "1")
        if isinstance(whole, str) or not whole[1] or (whole[2] and not program.abandons) or program.classes not in (None, whole[0]):
            yield False, f"{program.name}: in one go", f"{whole}, known are {program.classes}"
            return
        ways = [("two workers", explore(program, out, "-j", "2"))]
        for way in range(2) if os.environ.get("FULL") else [turn % 2]:
            ways += [(f"stopped and resumed, -j {way + 1}", explore_in_parts(program, out, whole[0], way + 1)),
                     (f"over sockets{', killed' if way else ''}",
                      explore(program, out, "-j", "2", "--executor", "socket", killing=way == 1))]
        for reset in ("fork", "exec") if program.resets else ():
            ways.append((f"--reset {reset}, two workers", explore(program, out, "-j", "2", "--reset", reset)))
        bad = [f"{way}: {got}" for way, got in ways if got != whole]
        yield not bad, f"{program.name}: {whole[0]} executions, however divided", "; ".join(bad)


def processor_time(program, out, options):
    command = [HEDDLE, "explore", "--quiet", "--races", "ignore", "--out", str(out), *options, str(program.binary), "--",
               *program.args]
    search = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(search.pid, 0)
    search.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime if search.returncode == 0 else float("inf")


def test_cost(name, size, folder):
    program = Program(f"{name} {size}", PROGRAMS / f"{name}.c", [size])
    error = program.build(folder)
    if error:
        yield False, f"{program.name}: compiles", error
        return
    ways = {"one worker": ["-j", "1"], "two workers": ["-j", "2"],
            "checkpoints": ["-j", "1", "--checkpoint", f"{folder}/{name}.checkpoint"]}
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for way, options in ways.items():
            best[way] = min(best[way], processor_time(program, folder, options))
    for way in ("two workers", "checkpoints"):
        told = f"{best[way]:.2f} s, with one worker {best['one worker']:.2f} s"
        yield best[way] < DEARER * best["one worker"], f"{program.name}: {way} cost next to nothing", told


def simulate():
    """The classes are as many on simulated machines, with messages that are lost, and four of them are faster than one."""
    tool = pathlib.Path(HEDDLE).parent / "tests" / "unit" / "simulate_division"
    speed = {}
    for workers, loss in ((1, 0), (4, 0), (4, 0.1)):
        done = subprocess.run([tool, f"workers={workers}", "threads=6", f"loss={loss}"], capture_output=True, text=True, check=False)
        words = done.stdout.split()
        said = dict(zip(words[::2], words[1::2]))
        speed[workers, loss] = float(said.get("speed-up", 0))
        good = said.get("executions") == "720" and (loss == 0) == (said.get("lost") == "0")
        yield good, f"simulated: {workers} workers, loss {loss}", done.stdout + done.stderr
    yield 0.95 < speed[1, 0] <= 1 and speed[4, 0] > 1.2, "simulated: four workers are faster than one", str(speed)


def chosen_programs():
    """The largest row of each program that is small enough, and the loops that wait."""
    rows = {}
    for when, program, args, stated in model.parse_table():
        if when == "quick" and stated[1] in CLASSES and stated[1] > rows.get(program, [0, 0])[1]:
            rows[program] = args, stated[1]
    for program, (args, classes) in rows.items():
        yield Program(program, PROGRAMS / f"{program}.c", args, classes=classes, resets=program in ("lockers", "signals"))
    for source in sorted((PROGRAMS / "locks").glob("*.c")):
        yield Program(f"locks/{source.stem}", source, options=["--max-steps", "2000"], resets=source.stem == "ticket",
                      abandons=source.stem == "two_mutexes")


def generated_programs(folder):
    """Those that dpor has something to do with, and is complete with."""
    binary = orders.build(folder)
    found, seed = 0, 0
    while found < GENERATED:
        seed += 1
        text = orders.generate(seed)
        if not 200 <= text.interleavings(1000) <= 1000 or "twaitfor" in str(text):  # which go round as often as they like
            continue
        flags = [flag for flag in text.flags() if flag not in ("--races", "report", "ignore", "fail")]
        program = Program(f"generated {seed}", orders.SOURCE, [str(text)], options=flags)
        program.binary = binary
        with tempfile.TemporaryDirectory(dir=folder) as out:
            whole = explore(program, out, "-j", "1")
        if isinstance(whole, str) or (whole[1] and whole[0] >= 20):
            found += 1
            yield program


def run_one(program, folder, turn):
    error = None if program.binary else program.build(folder)
    if error:
        return [(False, f"{program.name}: compiles", error)]
    return list(test(program, folder, turn))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-divided."))
    try:
        programs = [p for p in [*chosen_programs(), *generated_programs(folder)]
                    if not arguments.names or any(name in p.name for name in arguments.names)]
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            for cases in pool.map(lambda turn, p: run_one(p, folder, turn), range(len(programs)), programs):
                for good, name, why in cases:
                    print(f"{'ok' if good else 'not ok'} - {name}{'' if good else f' ({why})'}", flush=True)
        for name, size in COSTS:
            for good, case, why in test_cost(name, size, folder) if not arguments.names or name in arguments.names else ():
                print(f"{'ok' if good else 'not ok'} - {case}{'' if good else f' ({why})'}", flush=True)
        for good, case, why in () if arguments.names else simulate():
            print(f"{'ok' if good else 'not ok'} - {case}{'' if good else f' ({why})'}", flush=True)
        print(f"{'ok' if Killer.killed else 'not ok'} - processes were killed meanwhile, {Killer.killed} of them")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
