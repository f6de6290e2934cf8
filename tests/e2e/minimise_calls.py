#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle minimise --calls: the programs of tests/ordinary, which know nothing of heddle, are reduced to a few calls of a few
threads; nothing is left out whose result somebody uses, what is left replays, and the fixed twins are silent.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
SUBJECTS = os.path.join(ROOT, "tests", "ordinary")

# file: pattern, threads that are left, calls at most, how often each operation must be among them, what stays and why.
PROGRAMS = {
    "list_count.c": ("list_*", 2, 2, {"list_add": 2}, {}),
    "ring.c": ("ring_*", 3, 6, {"ring_is_full": 3, "ring_put": 3}, {"ring_is_full": "its result is used"}),
    "accounts.c": ("bank_*", 2, 2, {"bank_transfer": 2}, {}),
    "counter_locks.c": ("counter_*", 2, 8, {"counter_add": 8}, {"counter_lock": "lock", "counter_unlock": "lock"}),
    "forks.c": ("table_*", 2, 2, {"table_eat": 2}, {}),
    "snapshot.c": ("stats_*", 2, 2, {"stats_add": 1, "stats_get": 1}, {"stats_get": "fill in", "T6": "asks for its result"}),
    "cache.cpp": ("Cache::*", 2, 5, {"Cache::use": 1, "Cache::drop": 1}, {}),
}

# Fails whoever runs first: leaving something out would say nothing.
ALWAYS = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int x;
__attribute__((noinline)) void add_one(void) { x++; }
static void *work(void *arg) { add_one(); return arg; }
int main(void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(x == 3);
}
"""

# A call that calls another of the pattern is one part; one that throws is over then.
NESTED = """
#include <cassert>
#include <pthread.h>
#include <stdexcept>
static int x, sum;
[[gnu::noinline]] void op_inner(int n) { if (n == 2) throw std::runtime_error("two"); int seen = x; x = seen + 1; }
[[gnu::noinline]] void op_outer(int n) { op_inner(n); __atomic_add_fetch(&sum, 1, __ATOMIC_SEQ_CST); }
static void *work(void *arg)
{
  for (int i = 0; i < 5; i++)
    try { op_outer(i); } catch (std::runtime_error &) { }
  return arg;
}
int main()
{
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], nullptr, work, nullptr);
  for (int i = 0; i < 4; i++) pthread_join(t[i], nullptr);
  assert(x == sum);
}
"""

# A race is minimised like any other failure; the calls have all kinds of arguments.
ARGUMENTS = """
#include <pthread.h>
#include <assert.h>
enum level { LOW, HIGH };
static int seen, told;
static const char *const texts[] = {"first"};
__attribute__((noinline)) void log_put(enum level l, const char *text, double weight, long n, unsigned char c, void *any)
{
  (void)l, (void)text, (void)weight, (void)n, (void)c, (void)any;
  int before = seen;
  seen = before + 1;
  __atomic_add_fetch(&told, 1, __ATOMIC_SEQ_CST);
}
static void *work(void *arg) { for (int i = 0; i < 4; i++) log_put(HIGH, texts[0], 1.5, -7, 'x', &seen); return arg; }
int main(void)
{
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  assert(seen == told);
  return 0;
}
"""

failures = 0


def case(name, good, detail=""):
    global failures
    failures += not good
    print("%sok - %s" % ("" if good else "not ", name))
    if not good and detail:
        print("# " + str(detail).strip().replace("\n", "\n# ")[:3000])
    sys.stdout.flush()


def heddle(cwd, *words, **environment):
    done = subprocess.run([HEDDLE, *words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=400, check=False, env={**os.environ, **environment})
    return done.returncode, done.stdout


def minimise(cwd, calls, *words):
    """Its status, its text and its document."""
    path = os.path.join(cwd, "result.json")
    status, text = heddle(cwd, "minimise", "--time", "60s", "--jobs", "1", "--json", path, "--calls", calls, *words)
    try:
        with open(path) as file:
            return status, text, json.load(file)
    except (OSError, ValueError):
        return status, text, {}


def build(cwd, source, name, *flags, **environment):
    command = "c++" if source.endswith(".cpp") else "cc"
    status, text = heddle(cwd, command, "-g", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror", *flags, source, "-o", name,
                          **environment)
    if status:
        raise RuntimeError(text)


def write(cwd, name, text):
    with open(os.path.join(cwd, name), "w") as file:
        file.write(text)
    return name


def names_of(document):
    return [call["operation"] for call in document.get("calls", [])]


def subject(name, folder):
    """All that is asked of one program; a list of (case, good, detail)."""
    calls, threads, most, needed, stays = PROGRAMS[name]
    cwd = os.path.join(folder, "of_" + name)
    os.mkdir(cwd)
    shutil.copy(os.path.join(SUBJECTS, name), cwd)
    build(cwd, name, "stress")
    build(cwd, name, "twin", "-DFIXED")
    status, text, document = minimise(cwd, calls, "./stress")
    made, after = names_of(document), document.get("after", {"threads": 99, "calls": 99})
    good = status == 1 and document["complete"] and document["replayed"] and after["threads"] == threads
    good = good and after["calls"] == len(made) <= most and all(made.count(word) >= times for word, times in needed.items())
    results = [("%s is reduced to %d threads and %d calls" % (name, threads, most), good, text + json.dumps(document))]
    results.append((name + ": threads, calls and places are told", all(call["name"] in text and call["text"] in text and
                    call["where"].startswith(name + ":") and call["where"] in text for call in document["calls"]), text))
    told = {stay["what"]: stay["why"] for stay in document.get("stays", [])}
    results.append((name + ": what stays is told, and why", told.keys() == stays.keys() and
                    all(why in told[what] for what, why in stays.items()), json.dumps(document.get("stays"))))
    again, said = heddle(cwd, "replay", "--quiet", "--times", "5", document.get("schedule") or "none.hd")
    results.append((name + ": its schedule replays", again == 1 and "-reduced-1.hd" in (document.get("schedule") or ""), said))
    silent, said = heddle(cwd, "minimise", "--time", "1s", "--calls", calls, "./twin")
    results.append((name + ": the fixed twin is silent", silent == 0 and "no failure found" in said, said))
    return results


def subjects(folder):
    case("every program is tried", sorted(PROGRAMS) == sorted(os.listdir(SUBJECTS)), os.listdir(SUBJECTS))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(subject, name, folder) for name in sorted(PROGRAMS)]:
            try:
                for result in done.result():
                    case(*result)
            except (RuntimeError, subprocess.TimeoutExpired, KeyError, OSError) as error:
                case("a program could be tried", False, repr(error))


def one_line(status, text, wanted):
    return status == wanted and text.count("\n") == 1 and text.startswith("heddle: ")


def refusals(folder):
    build(folder, os.path.join(SUBJECTS, "accounts.c"), "accounts")
    for pattern, words in (("money_*", 'no function "money_*"'), ("bank_*:often", "is not of the form"), ("", "takes a name")):
        status, text = heddle(folder, "minimise", "--calls", pattern, "./accounts")
        case("the pattern %r is told in one line" % pattern, one_line(status, text, 2) and words in text, text)
    status, text = heddle(folder, "minimise", "--calls", "main", "./accounts")
    case("functions that no thread calls", status == 3 and "no thread that main starts calls any of main" in text, text)
    status, text = heddle(folder, "minimise", "--calls", "bank_*", "--how", "random", "./accounts")
    case("free runs are for stress tests", one_line(status, text, 2) and "--how" in text, text)
    status, text = heddle(folder, "minimise", "./accounts")
    case("without --calls it is no stress test, and what to do is told", one_line(status, text, 2) and "--calls" in text, text)
    build(folder, os.path.join(ROOT, "tests", "minimise", "account.c"), "stress", "-I" + os.path.join(ROOT, "tests", "minimise"))
    status, text = heddle(folder, "minimise", "--calls", "*", "./stress")
    case("the calls of a stress test are known", one_line(status, text, 2) and "without --calls" in text, text)
    write(folder, "always.c", ALWAYS)
    status, text, document = minimise(folder, "add_*", "always.c")
    case("what fails in every order is not made smaller", status == 3 and "one after the other" in text and
         document["schedule"] is None, text)


def files(folder):
    """From a schedule file and from sources, with other compilers; damaged files."""
    build(folder, os.path.join(SUBJECTS, "accounts.c"), "bank")
    status, text = heddle(folder, "check", "--races", "ignore", "--out", "found", "./bank")
    whole = os.path.join(folder, "found", "bank-1.hd")
    with open(whole) as file:
        before = file.read()
    status, text, document = minimise(folder, "bank_*", "--out", "found", whole)
    with open(whole) as file:
        case("a schedule file is made smaller, and stays", status == 1 and document["after"] == {"threads": 2, "calls": 2} and
             document["schedule"].endswith("-reduced-1.hd") and file.read() == before, text)
    with open(os.path.join(folder, document["schedule"])) as file:
        part = file.read()
    kept = [line for line in part.splitlines() if line.startswith("kept ")]
    case("the schedule file says what is left", len(kept) == 1 and "calls     bank_*\n" in part and "8 7 " in kept[0], part)
    for name, text in (("more.hd", part.replace(" 8 7 ", " 1 1 ")), ("none.hd", part.replace("calls     bank_*\n", "")),
                       ("odd.hd", part.replace(kept[0], "kept      8 7 T1"))):
        status, said = heddle(folder, "replay", "--program", "./bank", write(folder, name, text))
        case("a damaged part is told: " + name, status == 2 and said.count("\n") <= 2 and "heddle: " in said, said)
    status, text = heddle(folder, "minimise", "--calls", "bank_*", document["schedule"])
    case("a part is not made smaller", one_line(status, text, 2) and "part already" in text, text)
    for command in ("shrink", "localise"):
        status, text = heddle(folder, command, document["schedule"])
        case("heddle %s of a part" % command, status in (0, 1), text)
    shutil.copy(os.path.join(SUBJECTS, "list_count.c"), folder)
    for flags in ("-g -O0", "-g -O2"):
        status, text = heddle(folder, "minimise", "--calls", "list_*", "--json", "other.json", "list_count.c", CFLAGS=flags)
        with open(os.path.join(folder, "other.json")) as file:
            document = json.load(file)
        case("from a source, compiled with " + flags, status == 1 and names_of(document) == ["list_add", "list_add"], text)
    build(folder, "list_count.c", "stripped")
    subprocess.run(["strip", "-g", "stripped"], cwd=folder, check=True)
    status, text, document = minimise(folder, "list_*", "./stripped")
    case("without debug information only threads are left out", status == 1 and document["after"]["threads"] == 2 and
         {stay["what"] for stay in document["stays"]} == {"list_add", "list_has"} and "(-g)" in text, text)
    if shutil.which("clang"):
        build(folder, "list_count.c", "by_clang", HEDDLE_CC="clang")
        status, text, document = minimise(folder, "list_*", "./by_clang")
        case("compiled by clang", status == 1 and names_of(document) == ["list_add", "list_add"], text)


def calls(folder):
    write(folder, "nested.cpp", NESTED)
    status, text, document = minimise(folder, "op_*", "nested.cpp")
    case("a call in a call is a part of it, and one that throws is over", status == 1 and document["before"]["calls"] == 20 and
         names_of(document) == ["op_outer", "op_outer"], text)
    write(folder, "arguments.c", ARGUMENTS)
    status, text, document = minimise(folder, "log_*", "arguments.c")
    case("arguments as the source would write them", status == 1 and document["after"] == {"threads": 2, "calls": 2} and
         document["calls"][0]["text"] == "log_put(HIGH, \"first\", …, -7, 'x', &seen)", text)


ONE_AT_A_TIME = """
OneAtATime(struct list *l) {
  event begin before(struct list *l) : call(list_add(..)) && target(l) {}
  event end after(struct list *l) : call(list_add(..)) && target(l) {}
  fsm: idle [ begin -> busy ] busy [ end -> idle ]
  @fail { "two additions at once" }
}
"""


def properties(folder):
    """What is left out has no events; what is left violates the property still, with its own specification."""
    write(folder, "one.mop", ONE_AT_A_TIME)
    build(folder, "list_count.c", "listed")
    status, text = heddle(folder, "minimise", "--calls", "list_*", "--spec", "one.mop", "--json", "property.json", "./listed")
    with open(os.path.join(folder, "property.json")) as file:
        document = json.load(file)
    case("a violated property is kept", status == 1 and names_of(document) == ["list_add", "list_add"] and
         document["after"]["threads"] == 2 and text.count("OneAtATime is violated: two additions at once") == 2, text)
    status, text = heddle(folder, "replay", document["schedule"])
    case("and what is left replays with it", status == 1 and "OneAtATime is violated" in text, text)
    status, text = heddle(folder, "check", "--spec", "one.mop", "--out", "whole", "./listed")
    status, text = heddle(folder, "minimise", "--calls", "list_*", "whole/listed-1.hd")
    case("from a schedule file, which knows its specification", status == 1 and "2 threads, 2 calls are left" in text and
         text.count("OneAtATime is violated") == 2, text)
    shutil.copy(os.path.join(ROOT, "tests", "minimise", "queue.c"), folder)
    shutil.copy(os.path.join(ROOT, "tests", "minimise", "harness.h"), folder)
    write(folder, "queue.mop", ONE_AT_A_TIME.replace("struct list *l", "").replace("list_add", "dequeue").replace(" && target(l)", ""))
    status, text = heddle(folder, "minimise", "--spec", "queue.mop", "queue.c", "--", "4", "6")
    case("a stress test, too", status == 1 and "2 threads, 2 calls are left" in text and "fails in another way" not in text and
         text.count("OneAtATime is violated") == 2, text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for part in (refusals, files, calls, properties, subjects):
            try:
                part(folder)
            except (RuntimeError, subprocess.TimeoutExpired, KeyError, OSError, IndexError) as error:
                case(part.__name__ + " could be tried", False, repr(error))
    sys.exit(1 if failures else 0)


main()
