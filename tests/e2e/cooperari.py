#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cooperative testing: the programs of tests/cooperari, controlled and free.

    tests/e2e/cooperari.py [--full] [NAME...]

Every program shows its bug, of the stated kind, within 1000 executions of each strategy that is meant to find it, with 2
and 4 threads; where the bug is impossible nothing fails; the fixed twins are silent with 2, 4 and 8 threads. With abreast
those that need all threads at one place fail with 32 too. The same binary, seed and strategy give the same result byte
for byte, on an idle machine and on a busy one. Reports name what they must. heddle stress counts what shows by chance.

--full: five numbers of threads, and twins under every strategy. With names, only those programs. HEDDLE names another
program to test than build/heddle, KEEP=1 keeps what was built. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 400  # seconds for one command
TRIALS = 1000
ALIKE = ("philosophers", "semaphore")  # need all their threads at the same place at the same time

for name in ("HEDDLE_CC", "CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(name, None)

KINDS = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *lock_it(void *unused) { pthread_mutex_lock(&lock); return unused; }
int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  printf("printed by the program\n");
  if (!strcmp(how, "assertion")) assert(argc == 77);
  if (!strcmp(how, "crash")) *(volatile int *)0 = 1;
  if (!strcmp(how, "exit")) return 3;
  if (!strcmp(how, "spin")) for (volatile int on = 1; on;) ;
  if (!strcmp(how, "sleep")) pause();
  if (!strcmp(how, "talk")) for (int i = 0; i < 100000; i++) puts("a line of many");
  if (!strcmp(how, "input")) return getchar() == 'y' ? 0 : 9;
  if (!strcmp(how, "late")) { usleep(300000); }
  if (!strcmp(how, "deadlock")) {
    pthread_t other;
    pthread_mutex_lock(&lock);
    pthread_create(&other, NULL, lock_it, NULL);
    pthread_join(other, NULL);
  }
  return 0;
}
"""

COUNTER = r"""
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *increment(void *unused)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  x++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return unused;
}
int main(void)
{
  pthread_t thread[2];
  (void)lock;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
"""

SELLERS = r"""
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int stop, sold;
static void *sell(void *unused)
{
  if (atomic_fetch_add(&sold, 1) >= 5)
    atomic_store(&stop, 1);
  return unused;
}
int main(void)
{
  pthread_t seller[253];
  int n = 0;
  for (; !stop; n++) {
    assert(n < 253);
    pthread_create(&seller[n], NULL, sell, NULL);
  }
  for (int i = 0; i < n; i++)
    pthread_join(seller[i], NULL);
  return 0;
}
"""


def case(good, name, why=""):
    """The line of a case, and some of what was said if it is bad."""
    lines = [f"{'ok' if good else 'not ok'} - {name}"]
    if not good and why:
        lines += ["    | " + line for line in str(why).strip().splitlines()[:20]]
    return "\n".join(lines)


def run(command, **options):
    """Its exit status and both its streams; status 124 when it ran out of time."""
    options.setdefault("stdin", subprocess.DEVNULL) if "input" not in options else None
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
                              text=True, errors="replace", check=False, **options)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, f"no end after {LIMIT} s: {late.output or b''!r}"


class Folder:
    """Where everything is built and written."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="heddle-cooperari."))
        self.strategies = [name for name in ("random", "pos", "history")
                           if re.search(rf"\b{name}\b", run([HEDDLE, "run", "--help"])[1])]

    def build(self, source, name, *flags):
        status, text = run([HEDDLE, "cc", "-g", "-O0", "-pthread", "-Wall", "-Wextra", "-Werror", *flags, source, "-o",
                            self.path / name])
        if status:
            raise RuntimeError(f"{name} does not compile: {text}")
        return self.path / name

    def write(self, name, text):
        (self.path / name).write_text(text)
        return self.path / name

    def heddle(self, command, program, *arguments, options=(), **more):
        """Status, text and JSON document of one command, with a folder of its own for what it writes."""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.path))
        words = [HEDDLE, command, "--json", out / "result.json", *options]
        words += ["--out", out / "schedules"] if command != "stress" else []
        status, text = run([*words, program, "--", *arguments], **more)
        result = out / "result.json"
        return status, text, json.loads(result.read_text()) if result.exists() else {"bugs": []}, out


class Program:
    """One file of tests/cooperari and what the lines at the end of its comment say."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        comment = path.read_text().split("*/")[0]
        field = dict(re.findall(r"^ \* (verdict|impossible): *(.*)$", comment, re.M))
        self.verdict = field["verdict"]
        self.impossible = [int(word) for word in field.get("impossible", "").split()]


# ---- the programs ----

def search(folder, program, binary, threads, strategy):
    """Whether the right bug shows, or nothing where nothing can."""
    options = ["-j", "1", "--strategy", strategy, "--seed", "1", "--patience", TRIALS, "--runs", TRIALS, "--until-bug", "--races", "ignore"]
    status, text, document, _ = folder.heddle("run", binary, threads, options=options)
    kinds = [bug["kind"] for bug in document["bugs"]]
    if threads in program.impossible:
        return case(status == 0 and not kinds, f"{program.name}: {threads} threads cannot fail, {strategy}", text)
    found = status == 1 and kinds == [program.verdict] and document["bugs"][0]["replayed"]
    return case(found, f"{program.name}: {program.verdict} with {threads} threads, {strategy}", f"{kinds}\n{text}")


def twin_is_silent(folder, program, binary, threads, strategy):
    """With races and leaks reported, as they are unless told otherwise."""
    options = ["-j", "1", "--strategy", strategy, "--seed", "1", "--patience", TRIALS, "--runs", TRIALS]
    status, text, document, _ = folder.heddle("run", binary, threads, options=options)
    silent = status == 0 and not document["bugs"] and document["executions"] == TRIALS
    return case(silent, f"{program.name}: twin silent with {threads} threads, {strategy}", text)


def test_program(program, folder, full):
    buggy = folder.build(program.path, program.name)
    fixed = folder.build(program.path, program.name + ".fixed", "-DFIXED")
    lines = [search(folder, program, buggy, n, s) for n in (2, 4) for s in folder.strategies]
    far = (8, 16, 32) if full else (32,)
    lines += [search(folder, program, buggy, n, "abreast") for n in far if program.name in ALIKE]
    counts = (2, 4, 8, 16, 32) if full else (2, 4, 8)
    for i, n in enumerate(counts):
        chosen = [*folder.strategies, "abreast", "pct"]
        for s in chosen if full else (chosen[i % len(folder.strategies)], "abreast"):
            lines.append(twin_is_silent(folder, program, fixed, n, s))
    return lines


# ---- the same again ----

def without_times(document):
    return json.dumps({k: v for k, v in document.items() if k not in ("seconds", "executions_per_second", "estimate", "progress")})


def outcome(folder, binary, strategy):
    """All that must be the same: the document but for times and paths, every schedule file, the hash of all executions."""
    options = ["-j", "1", "--strategy", strategy, "--seed", "7", "--runs", "300"]
    _, text, document, out = folder.heddle("run", binary, "4", options=options)
    schedules = [file.read_text() for file in sorted((out / "schedules").glob("*.hd"))]
    printed = re.search(r"^trace hash \w+", text, re.M)
    return (without_times(document) + "\n".join(schedules) + (printed.group(0) if printed else "no hash")).replace(str(out), "")


def test_repetition(folder):
    lines = []
    for name, strategy in (("semaphore", "random"), ("piper", "pos"), ("two_stage", "abreast")):
        binary = folder.build(ROOT / "tests" / "cooperari" / f"{name}.c", f"{name}.again")
        idle = [outcome(folder, binary, strategy) for _ in range(3)]
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
        try:
            loaded = [outcome(folder, binary, strategy) for _ in range(3)]
        finally:
            for process in busy:
                process.kill()
                process.wait()
        lines.append(case("first_execution" in idle[0] and ".hd" in idle[0], f"{name}: there is something to compare", idle[0]))
        lines.append(case(len(set(idle + loaded)) == 1, f"{name}: the same byte for byte, six times, {strategy}",
                          "\n".join(idle[:1] + loaded[:1])))
    return lines


# ---- what reports must name ----

def lines_in(source, *texts):
    """Numbers of the lines that contain these texts."""
    numbered = list(enumerate(source.read_text().splitlines(), 1))
    return [next(f"{source.name}:{n}" for n, line in numbered if text in line) for text in texts]


def test_reports(folder):
    folder_of = ROOT / "tests" / "cooperari"
    binary = folder.build(folder_of / "philosophers.c", "philosophers.report")
    _, text, document, _ = folder.heddle("check", binary, "3", options=["--max-executions", TRIALS])
    bug = next((bug for bug in document["bugs"] if bug["kind"] == "deadlock"), {"parties": []})
    left, right = lines_in(folder_of / "philosophers.c", "lock(&fork_at[left])", "lock(&fork_at[right])")
    waiters = [party for party in bug["parties"] if party.get("held_since")]
    lines = [case({party["object"] for party in waiters} == {"fork_at[0]", "fork_at[1]", "fork_at[2]"},
                  "philosophers: three locks are named", text),
             case({party["thread"] for party in waiters} == {"T1", "T2", "T3"} == {party["holder"] for party in waiters},
                  "philosophers: three threads, each waits and is waited for", text),
             case({party["where"].split("/")[-1] for party in waiters} == {right} and
                  {party["held_since"].split("/")[-1] for party in waiters} == {left}, "philosophers: both lines", text)]
    source = folder_of / "semaphore.c"
    binary = folder.build(source, "semaphore.report")
    _, text, document, _ = folder.heddle("run", binary, "3", options=["-j", "1", "--runs", TRIALS])
    bug = next((bug for bug in document["bugs"] if bug["kind"] == "deadlock"), {"parties": [], "message": ""})
    wait, test = lines_in(source, "pthread_cond_wait", "if (value == 1)")
    waiter = [p for p in bug["parties"] if p["object"] == "positive" and p["where"].split("/")[-1] == wait]
    lines.append(case(len(waiter) == 1 and waiter[0]["thread"] in bug["message"], "semaphore: the waiter is named", text))
    races = [{p["where"].split("/")[-1] for p in b["parties"] if p["object"] == "value"} for b in document["bugs"]
             if b["kind"] == "race"]
    lines.append(case(any(test in places and len(places) == 2 for places in races),
                      "semaphore: the race on value, with both places", f"{races}\n{text}"))
    return lines


def test_races(folder):
    source = folder.write("counter.c", COUNTER)
    racing, locked = folder.build(source, "counter"), folder.build(source, "counter.fixed", "-DFIXED")
    lines = []
    for strategy in [*folder.strategies, "abreast"]:
        options = ["-j", "1", "--strategy", strategy, "--races", "fail", "--runs"]
        status, text, document, _ = folder.heddle("run", racing, options=[*options, "5"])
        lines.append(case(status == 1 and {bug["kind"] for bug in document["bugs"]} == {"race"},
                          f"x++ races within five trials, {strategy}", text))
        status, text, _, _ = folder.heddle("run", locked, options=[*options, "500"])
        lines.append(case(status == 0, f"with a lock it does not, {strategy}", text))
    return lines


def test_fairness(folder):
    """Who creates threads until one of them says stop must hear of it in time, however gladly abreast lets it create."""
    sellers = folder.build(folder.write("sellers.c", SELLERS), "sellers")
    status, text, _, _ = folder.heddle("run", sellers, options=["-j", "1", "--strategy", "abreast", "--runs", "300"])
    return [case(status == 0, "abreast: those who were created go on although more are created", text)]


# ---- free runs ----

def test_stress_kinds(folder):
    program = folder.build(folder.write("kinds.c", KINDS), "kinds", "-Wno-error")
    place = lines_in(folder.path / "kinds.c", "assert(argc == 77)")[0]
    lines = []
    for how, kind, words in (("assertion", "assertion", "argc == 77"), ("crash", "crash", "SIGSEGV"), ("exit", "exit", "3"),
                             ("spin", "hang", "0.5"), ("sleep", "hang", "0.5"), ("deadlock", "deadlock", "wait")):
        hang = 0.5 if kind == "hang" else 20  # seconds; the others end, however busy the machine is
        start = time.monotonic()
        status, text, document, _ = folder.heddle("stress", program, how, options=["--runs", "3", "--hang", f"{hang}s"])
        bugs, took = document["bugs"], time.monotonic() - start
        good = status == 1 and len(bugs) == 1 and bugs[0]["kind"] == kind and words in bugs[0]["message"]
        good = good and all(bugs[0][mode] == {"count": 3, "first_run": 0} for mode in ("plain", "yields"))
        lines.append(case(good, f"stress: {how} is told as {kind}", f"{bugs}\n{text}"))
        if how == "assertion":
            lines.append(case(bugs and bugs[0]["where"].endswith(place), "stress: the assertion's place", bugs))
        if how == "deadlock":
            lines.append(case(took < 6 * hang / 2, f"stress: six deadlocks are seen before the time to hang ({took:.1f} s)", text))
        lines.append(case("printed by" not in text, f"stress: what the program prints is not mixed in, {how}", text))
    for how in ("", "talk", "late"):
        status, text, document, _ = folder.heddle("stress", program, how, options=["--runs", "2", "--hang", "10s"])
        good = status == 0 and not document["bugs"] and document["plain"]["runs"] == document["yields"]["runs"] == 2
        lines.append(case(good and document["command"] == "stress", f"stress: no bug where there is none ({how or 'returns'})", text))
    status, text, _, _ = folder.heddle("stress", program, "input", options=["--runs", "3"], input="yes\n")
    lines.append(case(status == 0, "stress: every run reads the same input", text))
    status, text, document, _ = folder.heddle("stress", program, "exit", options=["--exit-status", "3", "--runs", "2", "--yield", "0"])
    lines.append(case(status == 0 and "yields" not in document, "stress: --exit-status, and --yield 0 leaves the second kind out", text))
    return lines


def test_stress_programs(folder):
    at = ROOT / "tests" / "cooperari"
    piper, twin = folder.build(at / "piper.c", "piper.free"), folder.build(at / "piper.c", "piper.free.fixed", "-DFIXED")
    wrong = folder.build(at / "wrong_lock.c", "wrong_lock.free")
    status, text, document, _ = folder.heddle("stress", piper, "8", options=["--runs", "100", "--until-bug"])
    lines = [case(status == 1 and [b["kind"] for b in document["bugs"]] == ["deadlock"], "stress: piper deadlocks", text),
             case(all(document[mode]["failed"] <= 1 for mode in ("plain", "yields")), "stress: --until-bug stops", document)]
    status, text, _, _ = folder.heddle("stress", twin, "8", options=["--runs", "20", "-j", "2"])
    lines.append(case(status == 0, "stress: its twin does not", text))
    status, text, document, _ = folder.heddle("stress", wrong, "4", options=["--runs", "300", "--until-bug", "--yield", "30"])
    shown = [bug for bug in document["bugs"] if bug["yields"]["count"]]
    lines.append(case(status == 1 and shown and shown[0]["kind"] == "assertion", "stress: pauses bring out what needs them", text))
    return lines


def children_named(name):
    done = subprocess.run(["pgrep", "-f", name], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.split()


def test_stress_input(folder):
    program = folder.build(folder.write("sleeper.c", KINDS), "sleeper-of-the-test", "-Wno-error")
    lines = []
    for words, why in ((["stress"], "needs one program"), (["stress", folder.path / "missing"], "no such program"),
                       (["stress", "--yield", "101", program], "at most 100"), (["stress", "--runs", "0", program], "from 1 on"),
                       (["stress", "--hang", "x", program], "a time such as"), (["stress", folder.path], "is a folder"),
                       (["stress", folder.path / "sleeper.c"], "not source files"),
                       (["stress", "--strategy", "pos", program], "no option --strategy")):
        status, text = run([HEDDLE, *words])
        lines.append(case(status == 2 and why in text and text.count("\n") == 1, f"stress: refuses, with one line: {why}", text))
    process = subprocess.Popen([HEDDLE, "stress", "--hang", "60s", str(program), "--", "sleep"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + 100
    while not children_named("sleeper-of-the-test sleep") and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=100)[0]
    lines.append(case(process.returncode == 3 and "interrupted" in text, "stress: Ctrl-C ends it, with status 3", text))
    lines.append(case(not children_named(f"^{program} sleep"), "stress: and the program with it"))
    return lines


def test_table(folder):
    status, text = run([ROOT / "bench" / "cooperari", pathlib.Path(HEDDLE).parent, "--seeds", "2", "--only", "clean", "--threads",
                        "8", "--strategies", "random,abreast,free"])
    rows = [line for line in text.splitlines() if line.startswith("| Clean |")]
    return [case(status == 0 and len(rows) == 4 and "published random" in text, "the table is made", text)]


def guarded(test, *arguments):
    """A test that breaks is one bad case, with the reason."""
    try:
        return test(*arguments)
    except Exception as error:  # whatever it is, the other tests go on
        return [case(False, f"{test.__name__} {arguments[0] if arguments else ''}", f"{type(error).__name__}: {error}")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", default=bool(os.environ.get("FULL")), help="five numbers of threads, twins under every strategy")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    programs = [Program(path) for path in sorted((ROOT / "tests" / "cooperari").glob("*.c"))
                if not options.names or path.stem in options.names]
    folder = Folder()
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(guarded, test_program, program, folder, options.full) for program in programs]
            others = () if options.names else (test_repetition, test_reports, test_races, test_fairness, test_stress_kinds,
                                               test_stress_programs, test_stress_input, test_table)
            jobs += [pool.submit(guarded, test, folder) for test in others]
            for job in jobs:
                print("\n".join(job.result()), flush=True)
    finally:
        if os.environ.get("KEEP"):
            print(f"# kept in {folder.path}")
        else:
            shutil.rmtree(folder.path, ignore_errors=True)


if __name__ == "__main__":
    main()
