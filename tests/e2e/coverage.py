#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coverage, hotspots, the strategy history and the two detectors of data races, through the command line.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))

INCREMENTS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, ready;
static void *add(void *arg)
{
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  x++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}
static void never(void) { pthread_mutex_lock(&lock); ready = 1; pthread_mutex_unlock(&lock); }
int main(int argc, char **argv)
{
  pthread_t a, b;
  (void)argv;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  if (argc > 7)
    never();
  return 0;
}
"""

# The two accesses of `late` are unordered, as the flag is relaxed, but the second only comes when the first is done: they
# are never pending together.
APART = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
int late;
static void *early(void *arg)
{
  late = 1;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return arg;
}
static void *behind(void *arg)
{
  if (atomic_load_explicit(&flag, memory_order_relaxed))
    late = 2;
  return arg;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, early, NULL);
  pthread_create(&b, NULL, behind, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""

HOTSPOTS = """
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *add(void *arg)
{
  pthread_mutex_lock(&lock);
  int mine = ++x;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (x == 2 && mine == 1) HD_SOMETIMES("overtaken");
#ifdef MISSED
  if (x == 3) HD_SOMETIMES("three");
#endif
#ifdef FORBIDDEN
  if (x == 2 && mine == 1) HD_NEVER("overtaken again");
#endif
#ifdef REQUIRED
  if (x == 1) HD_ALWAYS("alone");
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  HD_ALWAYS("the end");
  return 0;
}
"""


def case(name, holds, why=""):
    print("%s - %s%s" % ("ok" if holds else "not ok", name, "" if holds or not why else " (%s)" % why), flush=True)


def build(name, text, *flags):
    with open(name + ".c", "w") as file:
        file.write(text)
    subprocess.run([HEDDLE, "cc", "-g", "-O1", *flags, name + ".c", "-o", name], check=True, timeout=100)


def heddle(command, program, *options):
    """(exit status, document, output)"""
    done = subprocess.run([HEDDLE, command, "--json", "result.json", *options, "./" + program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
    with open("result.json") as file:
        return done.returncode, json.load(file), done.stdout


def sets_of_points():
    build("increments", INCREMENTS)
    _, result, output = heddle("run", "increments", "--coverage", "--runs", "300", "-j", "1")
    c = result["coverage"]
    # creation and join, twice each; the lock of never() is not reached
    case("calls that synchronise are counted", c["calls"] == {"covered": 4, "total": 6}, str(c["calls"]))
    case("a call that was not reached is named", "not reached: increments.c:17" in output, output)
    case("accesses of shared memory are counted", c["accesses"]["covered"] == 2, str(c["accesses"]))
    # read-write, write-read and write-write of x++ against itself
    pairs = {(p["one"], p["other"]): (p["one_first"], p["other_first"]) for p in c["pair_list"]}
    case("conflicts of x++ with itself: read and write, write and write", c["pairs"] == 2 and len(pairs) == 1, str(c["pair_list"]))
    case("all were seen in both orders", c["both_orders"] == 2, str(c["pair_list"]))
    growth = c["growth"]
    case("growth never falls", all(a["pairs"] <= b["pairs"] and a["points"] <= b["points"] and a["both_orders"] <= b["both_orders"]
                                   for a, b in zip(growth, growth[1:])), str(growth))
    case("growth ends with the totals", growth[-1] == {"executions": 300, "points": c["points"], "pairs": c["pairs"],
                                                       "both_orders": c["both_orders"]}, str(growth[-1]))
    case("and is plotted", "in both orders" in output and "█" in output, output)
    _, two, _ = heddle("run", "increments", "--coverage", "--runs", "300", "-j", "2")
    totals = ("points", "calls", "accesses", "pairs", "both_orders")
    case("two workers cover what one does", all(two["coverage"][key] == c[key] for key in totals), str(two["coverage"]))
    _, without, output = heddle("run", "increments", "--runs", "30")
    case("not without being asked for", "coverage" not in without and "coverage" not in output)
    _, all_of_it, _ = heddle("explore", "increments", "--coverage")
    case("exhaustive search covers everything", all_of_it["coverage"]["both_orders"] == 2, str(all_of_it["coverage"]))
    for reset in ("fork", "exec"):
        _, other, _ = heddle("run", "increments", "--coverage", "--runs", "60", "--reset", reset, "-j", "1")
        _, same, _ = heddle("run", "increments", "--coverage", "--runs", "60", "-j", "1")
        case("the same by %s" % reset, other["coverage"] == same["coverage"], "the documents differ")


def detectors():
    def races(program, detector, runs):
        _, result, _ = heddle("run", program, "--race-detector", detector, "--runs", str(runs), "-j", "1")
        return [b for b in result["bugs"] if b["kind"] == "race"]

    found = races("increments", "pending", 5)
    case("pending accesses: x++ within 5 executions", found and found[0]["detected_by"] == ["pending"], str(found))
    build("locked", INCREMENTS, "-DFIXED")
    case("and none with the lock", not races("locked", "both", 300))
    both = races("increments", "both", 100)
    case("both see x++, in one report", len(both) == 1 and all(b["detected_by"] == ["clocks", "pending"] for b in both), str(both))
    build("apart", APART)
    by_clocks, by_pending = races("apart", "clocks", 300), races("apart", "pending", 300)
    case("unordered, but never at the same time: by clocks alone", len(by_clocks) == 1 and not by_pending, str(by_pending))
    case("who saw it is named", [b["detected_by"] for b in races("apart", "both", 300)] == [["clocks"]])


def hotspots():
    build("spots", HOTSPOTS)
    status, result, output = heddle("check", "spots", "--time", "5s")
    spots = {s["name"]: s for s in result["hotspots"]}
    case("hotspots as expected: nothing is found", status == 0, output)
    case("always is reached in every execution", spots["the end"]["executions"] == result["executions"], str(spots))
    case("sometimes in some", 0 < spots["overtaken"]["executions"] < result["executions"], str(spots))
    build("missed", HOTSPOTS, "-DMISSED")
    status, result, output = heddle("check", "missed", "--time", "5s")
    case("sometimes, but in no execution", status == 1 and '"three"' in output and not result["bugs"], output)
    build("forbidden", HOTSPOTS, "-DFORBIDDEN")
    status, result, output = heddle("check", "forbidden", "--time", "5s")
    bug = result["bugs"][0] if result["bugs"] else {}
    case("never, but reached", status == 1 and bug.get("kind") == "property" and bug["where"] == "forbidden.c:17", str(bug))
    replayed = subprocess.run([HEDDLE, "replay", bug.get("schedule", "none")], stdout=subprocess.DEVNULL, timeout=100)
    case("and replayed", replayed.returncode == 1)
    build("required", HOTSPOTS, "-DREQUIRED")
    status, result, output = heddle("check", "required", "--time", "5s")
    bug = result["bugs"][0] if result["bugs"] else {}
    case("always, but missed", status == 1 and bug.get("kind") == "property" and bug["where"] == "required.c:20", str(bug))
    plain = subprocess.run(["cc", "-pthread", "-I" + os.path.join(ROOT, "include"), "spots.c", "-o", "plain"], timeout=100)
    case("a program without heddle has them too", plain.returncode == 0 and subprocess.run(["./plain"], timeout=100).returncode == 0)


def history():
    _, result, output = heddle("run", "locked", "--strategy", "history", "--runs", "1000")
    case("history ends by itself", 1 < result["executions"] < 100 and "took no new decision" in output, output)
    _, patient, _ = heddle("run", "locked", "--strategy", "history", "--runs", "1000", "--patience", "50")
    case("later with patience", result["executions"] < patient["executions"] < 1000, str(patient["executions"]))
    documents = []
    for jobs in ("1", "2", "2"):
        _, again, _ = heddle("run", "increments", "--strategy", "history", "--runs", "50", "--patience", "50", "-j", jobs,
                             "--seed", "7", "--out", "out-" + jobs)
        documents.append((again["executions"], [(b["key"], b["first_execution"]) for b in again["bugs"]]))
    case("the same seed gives the same executions, whatever the number of workers", documents[0] == documents[1] == documents[2],
         str(documents))
    sizes = {}
    for state in ("pc", "pc+object", "raw"):
        _, result, _ = heddle("run", "locked", "--strategy", "history", "--runs", "5000", "--patience", "200", "--state", state)
        sizes[state] = result["executions"]
    case("states that are told apart take longer", sizes["pc"] <= sizes["raw"], str(sizes))
    status, _, output = heddle("run", "locked", "--strategy", "history", "--state", "pc+objects")
    case("a wrong abstraction is refused", status == 2 and "--state takes pc, pc+object or raw" in output, output)


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as folder:
        os.chdir(folder)
        for part in (sets_of_points, detectors, hotspots, history):
            part()
        os.chdir("/")
    return 0


sys.exit(main())
