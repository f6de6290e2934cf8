#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle minimise: the faults of tests/minimise are reduced to a few calls of two threads, the test that is written
compiles and fails alone, and fails no more when the fault is fixed. Every second one of them, unless FULL=1 is set.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
SUBJECTS = os.path.join(ROOT, "tests", "minimise")

# The most threads and calls that may be left; 2 and 5 for the others. A thread less may have a call more: which are left depends on
# the failure that was found.
LARGER = {"airline_tickets": (2, 101), "shop": (2, 101), "stack_aba": (3, 6)}

# Threads wait for each other's signals: without the one that signals, the others wait for ever.
SIGNALS = """
#include <assert.h>
#include <heddle_stress.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int turns, x;
static void begin(void) { }
static void wait_for(unsigned a, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  while (turns <= (int)a)
    pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  x++;
}
static void signal_all(unsigned a, unsigned b)
{
  (void)a, (void)b;
  pthread_mutex_lock(&lock);
  turns++;
  pthread_cond_broadcast(&ready);
  pthread_mutex_unlock(&lock);
}
static void finish(void) { assert(x != 1); }
HD_STRESS(begin, finish, 4, 3, HD_OPERATION(wait_for, 2), HD_OPERATION(signal_all))
"""

# Two locks, in both orders.
ORDERS = """
#include <heddle_stress.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void nothing(void) { }
static void both(unsigned first, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock[first]);
  pthread_mutex_lock(&lock[1 - first]);
  pthread_mutex_unlock(&lock[1 - first]);
  pthread_mutex_unlock(&lock[first]);
}
HD_STRESS(nothing, nothing, 20, 20, HD_OPERATION(both, 2))
"""

failures = 0


def case(name, good, detail=""):
    global failures
    failures += not good
    print("%sok - %s" % ("" if good else "not ", name))
    if not good and detail:
        print("# " + str(detail).strip().replace("\n", "\n# ")[:3000])
    sys.stdout.flush()


def run(command, cwd, **environment):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=400, check=False, env={**os.environ, **environment})
    return done.returncode, done.stdout


def heddle(cwd, *words, **environment):
    return run([HEDDLE, *words], cwd, **environment)


def minimise(cwd, program, *options, arguments=(), **environment):
    """Its status, its text and its document."""
    path = os.path.join(cwd, "result.json")
    status, text = heddle(cwd, "minimise", "--time", "30s", "--jobs", "1", "--json", path, *options, program, "--", *arguments,
                          **environment)
    try:
        with open(path) as file:
            return status, text, json.load(file)
    except (OSError, ValueError):
        return status, text, {}


def build(cwd, source, name, *flags):
    status, text = heddle(cwd, "cc", "-g", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror", *flags, source, "-o", name)
    if status:
        raise RuntimeError(text)


def subject(name, folder):
    """All that is asked of one fault; a list of (case, good, detail)."""
    source = os.path.join(SUBJECTS, name + ".c")
    cwd = os.path.join(folder, "of_" + name)
    os.mkdir(cwd)
    build(cwd, source, "stress")
    build(cwd, source, "twin", "-DFIXED")
    status, text, document = minimise(cwd, "./stress")
    threads, calls = LARGER.get(name, (2, 5))
    after = document.get("after", {"threads": 999, "calls": 999})
    results = [("%s is reduced to %d threads and %d calls" % (name, threads, calls),
                status == 1 and document.get("replayed") and document["complete"] and document["before"]["calls"] == 10000 and
                after["threads"] <= threads and after["calls"] <= calls + threads - after["threads"] and len(document["calls"]) == after["calls"], text)]
    test = document.get("test") or "none.c"
    compiled, said = heddle(cwd, "cc", "-g", "-O1", "-pthread", test, "-o", "reduced")
    found, told = heddle(cwd, "check", "--races", "ignore", "--leaks", "ignore", "--time", "20s", test)
    results.append((name + ": the test that was written compiles and fails alone",
                    compiled == 0 and found == 1 and document.get("failure", {}).get("message", "?") in told, said + told))
    again, told = heddle(cwd, "replay", "--quiet", "--times", "5", document.get("schedule") or "none.hd")
    results.append((name + ": its schedule replays", again == 1, told))
    silent, told = heddle(cwd, "check", "--races", "ignore", "--leaks", "ignore", "--time", "400ms", "-j", "1", test, CFLAGS="-g -O1 -DFIXED")
    twin, said = heddle(cwd, "minimise", "--time", "300ms", "--jobs", "1", "./twin")
    results.append((name + ": the fixed twin is silent", silent == 0 and twin == 0, told + said))
    return results


def subjects(folder):
    names = sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(SUBJECTS, "*.c")))
    case("there are subjects", len(names) >= 16, names)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(subject, name, folder) for name in names[:: 1 if os.environ.get("FULL") else 2]]:
            try:
                for result in done.result():
                    case(*result)
            except (RuntimeError, subprocess.TimeoutExpired, KeyError, OSError) as error:
                case("a subject could be tried", False, error)


def without_heddle(folder):
    source = os.path.join(SUBJECTS, "queue.c")
    status, text = run(["gcc", "-O1", "-pthread", "-DFIXED", "-I" + os.path.join(ROOT, "include"), source, "-o", "free"], folder)
    status, text = run(["./free", "8", "50"], folder) if status == 0 else (status, text)
    case("a stress test runs without heddle", status == 0 and text == "", text)
    whole = run(["./free", "4", "5"], folder, HEDDLE_STRESS_LIST="1")[1].splitlines()
    part = run(["./free", "4", "5"], folder, HEDDLE_STRESS_LIST="1", HEDDLE_STRESS_KEEP="1:0,3-4;3:2")[1].splitlines()
    calls = [line for line in part if line.startswith("call ")]
    case("a part of it makes the same calls", len(calls) == 4 and len(whole) == 24 and set(part) <= set(whole), part)


def kept_of(document):
    """HEDDLE_STRESS_KEEP for the calls that are left."""
    calls = {}
    for call in document["calls"]:
        calls.setdefault(call["thread"], []).append(str(call["call"]))
    return ";".join("%d:%s" % (thread, ",".join(numbers)) for thread, numbers in calls.items())


def under_control(folder):
    """Threads of a free run wait for each other before their first call; nothing of that may be left under heddle."""
    build(folder, os.path.join(SUBJECTS, "queue.c"), "queue")
    document = minimise(folder, "./queue")[2]
    explore = ("explore", "--keep-going", "--races", "ignore", "--leaks", "ignore", "--json", "-", "--quiet")
    driven = heddle(folder, *explore, "./queue", HEDDLE_STRESS_KEEP=kept_of(document))[1]
    alone = heddle(folder, *explore, document["test"])[1]
    driven, alone = (json.loads(text[text.index("{\n"):]) for text in (driven, alone))
    case("the driver adds no step to the calls written out", driven["complete"] and alone["complete"] and
         driven["executions"] == alone["executions"] and driven["steps"] <= alone["steps"], [driven, alone])


def other_failures(folder):
    for name, text in (("signals", SIGNALS), ("orders", ORDERS)):
        with open(os.path.join(folder, name + ".c"), "w") as file:
            file.write(text)
    status, text, document = minimise(folder, "signals.c")
    case("a part whose threads wait for a removed signal is not taken for the failure",
         status == 1 and document["failure"]["kind"] == "assertion" and document["replayed"] and document["seconds"] < 25 and
         sorted(c["operation"] for c in document["calls"]) in (["signal_all", "wait_for"], ["signal_all", "signal_all", "wait_for"]),
         text + json.dumps(document))
    status, text, document = minimise(folder, "orders.c")
    case("a deadlock of many threads is reduced to two", status == 1 and document["failure"]["kind"] == "deadlock" and
         document["after"] == {"threads": 2, "calls": 2}, text)


def inputs(folder):
    source = os.path.join(SUBJECTS, "account.c")
    build(folder, source, "account")
    heddle(folder, "run", "--until-bug", "--races", "ignore", "--leaks", "ignore", "--max-steps", "1000000", "--jobs", "1",
           "--out", "found", "./account", "--", "20", "20")  # of the whole test, making the schedule short takes half a minute
    files = sorted(glob.glob(os.path.join(folder, "found", "*.hd")))
    status, text, document = minimise(folder, files[0] if files else "none.hd")
    case("a schedule file is made smaller", status == 1 and document["after"]["threads"] == 2 and document["after"]["calls"] <= 5,
         text)
    status, text, document = minimise(folder, source, arguments=("20", "30", "5"))
    case("source files, another size and another seed", status == 1 and document["before"] == {"threads": 20, "calls": 600} and
         document["after"]["threads"] <= 2, text)
    status, text, document = minimise(folder, "./account", "--lookahead", "0", "--retries", "0", "--lookahead-scope", "trace")
    case("one schedule a candidate, without lookahead", status == 1 and document["lookahead"] == 0 and document["retries"] == 0 and
         document["scope"] == "trace" and document["after"]["calls"] < 100, text)
    status, text, document = minimise(folder, "./account", "--retries", "0")
    case("with one schedule a candidate two threads and two calls are left", status == 1 and
         document["after"] == {"threads": 2, "calls": 2}, text)
    status, text = heddle(folder, "minimise", os.path.join(ROOT, "examples", "bank.c"))
    case("a program that is no stress test is refused", status == 2 and "heddle_stress.h" in text, text)
    status, text, document = minimise(folder, "./account", arguments=("300", "2"))
    case("a test that is too large is refused", status == 2 and "at most" in text, text)


CXX = """
#include <cassert>
#include <map>
#include <mutex>
#include <heddle_stress.h>
static std::mutex lock;
static std::map<unsigned, unsigned> *map;
static void make() { map = new std::map<unsigned, unsigned>; }
static bool has(unsigned key) { std::lock_guard<std::mutex> guard(lock); return map->count(key); }
static void put(unsigned key, unsigned value) { std::lock_guard<std::mutex> guard(lock); (*map)[key] = value; }
static void drop(unsigned key, unsigned) { std::lock_guard<std::mutex> guard(lock); map->erase(key); }
static void look(unsigned key, unsigned)
{
  if (!has(key))
    return;
  std::lock_guard<std::mutex> guard(lock);
  assert(map->count(key));
}
static void check() { assert(map->size() <= 5); }
HD_STRESS(make, check, 10, 10, HD_OPERATION(put, 5, 9), HD_OPERATION(drop, 5), HD_OPERATION(look, 5))
"""

PARTS = {
    "counter.h": "void counter_add(int n); int counter_value(void);",
    "counter.c": "#include \"counter.h\"\nstatic int value; void counter_add(int n) { value += n; } int counter_value(void) { return value; }",
    "counter_test.c": """
#include "counter.h"
#include <assert.h>
#include <heddle_stress.h>
#include <stdatomic.h>
static atomic_int sum;
static void begin(void) { }
static void add(unsigned n, unsigned b) { (void)b; counter_add((int)n + 1); sum += (int)n + 1; }
static void end(void) { assert(counter_value() == sum); }
HD_STRESS(begin, end, 10, 10, HD_OPERATION(add, 10))
"""}


def languages(folder):
    """The reduced test is in the language of the whole one, and goes with its other files."""
    with open(os.path.join(folder, "cache.cc"), "w") as file:
        file.write(CXX)
    status, text, document = minimise(folder, "cache.cc")
    case("a test in C++", status == 1 and document["test"].endswith("-reduced.cc") and document["after"]["threads"] == 2 and
         document["after"]["calls"] <= 4 and document["bug"]["replayed"], text)
    for name, content in PARTS.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(content + "\n")
    path = os.path.join(folder, "parts.json")
    status, text = heddle(folder, "minimise", "--json", path, "counter_test.c", "counter.c")
    with open(path) as file:
        document = json.load(file)
    case("a test of two files", status == 1 and document["after"] == {"threads": 2, "calls": 2} and document["bug"]["replayed"], text)
    status, text = heddle(folder, "check", "--explain", "--races", "fail", "--json", path, os.path.join(SUBJECTS, "account.c"))
    with open(path) as file:
        bug = json.load(file)["bugs"][0]
    case("a race of a stress test is one of its smallest part", status == 1 and bug["kind"] == "race" and
         bug["minimised"]["bug"]["kind"] == "race" and bug["minimised"]["bug"]["where"] == bug["where"], text)


# What is told of it has the name of a thread; the source has an odd name.
MISUSE = """
#include <heddle_stress.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int busy;
static void nothing(void) { }
static void enter(unsigned a, unsigned b)
{
  (void)a, (void)b;
  if (!busy) {
    pthread_mutex_lock(&lock);
    busy = 1;
  }
}
static void leave(unsigned a, unsigned b)
{
  (void)a, (void)b;
  if (busy) {
    busy = 0;
    pthread_mutex_unlock(&lock);
  }
}
HD_STRESS(nothing, nothing, 8, 8, HD_OPERATION(enter), HD_OPERATION(leave))
"""


def odd_ones(folder):
    name = 'an "odd" name.c'
    with open(os.path.join(folder, name), "w") as file:
        file.write(MISUSE)
    status, text, document = minimise(folder, name)
    case("a failure that names its thread, in a file with an odd name", status == 1 and document["bug"]["replayed"] and
         document["bug"]["kind"] == document["failure"]["kind"], text + json.dumps(document.get("failure")))
    status, text = run([os.path.join(folder, "free"), "-1"], folder)
    case("numbers that make no sense are refused", status == 2 and "must be below" in text, text)


def pipeline(folder):
    """Found, shrunk, minimised, blamed: one command, one document, every schedule of it replays."""
    for name, pattern, cell in (("account", "R W W", "account["), ("string_buffer", "R W R", "buffer[")):
        out, path = os.path.join(folder, "all_of_" + name), os.path.join(folder, "all.json")
        status, text = heddle(folder, "check", "--explain", "--races", "ignore", "--out", out, "--json", path,
                              os.path.join(SUBJECTS, name + ".c"))
        with open(path) as file:
            bug = json.load(file)["bugs"][0]
        reduced = bug.get("minimised", {})
        blame = reduced.get("bug", {}).get("blame", {})
        case("check --explain: %s is found, reduced and blamed" % name,
             status == 1 and reduced["before"]["calls"] == 10000 and reduced["after"]["threads"] == 2 and
             reduced["after"]["calls"] <= 5 and blame["verdict"] == "switch" and blame["patterns"][0]["pattern"] == pattern and
             cell in blame["patterns"][0]["sentence"] and "are left of 100 threads" in text and "to blame: switch" in text, text)
        schedules = [bug["schedule"], reduced["bug"]["schedule"]]
        case("check --explain: both schedules of %s replay" % name, len(set(schedules)) == 2 and
             all(heddle(folder, "replay", "--quiet", "--times", "3", schedule)[0] == 1 for schedule in schedules), schedules)
        case("check --explain: the schedule of %s was shrunk" % name, reduced["bug"]["preemptions"] <= 2, text)
        status, text = heddle(folder, "check", "--explain", "--races", "ignore", "--time", "1s", "--out", out,
                              os.path.join(SUBJECTS, name + ".c"), CFLAGS="-g -O1 -DFIXED")
        case("check --explain: the fixed %s is silent" % name, status == 0, text)


def other_ways(folder):
    source = os.path.join(SUBJECTS, "airline_tickets.c")
    build(folder, source, "tickets", "-DTICKETS=20u")
    status, text, document = minimise(folder, "./tickets", CFLAGS="-g -O1 -DTICKETS=20u")
    case("what needs twenty calls before it keeps them", status == 1 and 21 <= document["after"]["calls"] <= 22, text)
    build(folder, os.path.join(SUBJECTS, "vector.c"), "vector")
    for reset in ("fork", "exec"):
        status, text, document = minimise(folder, "./vector", "--reset", reset, arguments=("6", "6"))
        case("with --reset " + reset, status == 1 and document["after"]["threads"] == 2 and document["after"]["calls"] <= 5, text)


def comparison(folder):
    build(folder, os.path.join(SUBJECTS, "stack_lost.c"), "stack")
    status, text, document = minimise(folder, "./stack", "--how", "random", "--runs", "20")
    case("parts at random, free", status in (0, 1) and document["how"] == "random" and document["runs"] <= 20, text)
    status, text, document = minimise(folder, "./stack", "--how", "uncontrolled", "--time", "3s")
    case("the same parts, free", status in (0, 1) and document["how"] == "uncontrolled" and document["test"] is None, text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for part in (without_heddle, under_control, other_failures, inputs, languages, odd_ones, pipeline, other_ways, comparison, subjects):
            try:
                part(folder)
            except (RuntimeError, subprocess.TimeoutExpired, KeyError, OSError) as error:
                case(part.__name__ + " could be tried", False, repr(error))
    sys.exit(1 if failures else 0)


main()
