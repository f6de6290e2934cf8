#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle migrate on some tests of tests/sleeps (all of them: bench/migrate): what it proposes keeps the verdict, with the code as it is
and with the mistake that the test is to find; what it cannot migrate it says; nothing is changed unasked.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
BUILD = os.path.dirname(os.path.abspath(HEDDLE))
SUBJECTS = os.path.join(ROOT, "tests", "sleeps")

# A rule that each must have: a wait, a wait that must go on, a loop, an alternative.
RULES = {
    "put_blocks": "[beforePut] -> beforeTake",
    "latch": "[beforeLatchWait] -> beforeAtomicLoadN2",
    "produce_slowly": "HD_EVENT_NTH(2, beforePush_2)",
    "signal_wakes_one": "([beforeCondWait@T2] || afterMutexUnlock@T2)",
    "gate_opens": "afterJoin -> beforeEnter2",
    "two_suites": "HD_EVENT(beforeSemWait);\n #ifndef BUG",
}
STAYS = {
    "poll_until_ready": (0, "usleep() stays: it waits by polling"),
    "cache_expires": (3, "usleep() stays: it orders nothing"),
    "lazy_init": (3, "usleep() stays: it is in code that the test calls"),
    "timer_order": (3, "time itself is what it tests"),
}


def case(name, good, detail=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good and detail:
        print("\n".join("    " + line for line in str(detail).splitlines()[-30:]), flush=True)


def run(*command, seconds=120):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, cwd=TMP)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, "it does not end"


def copy(name, ending=".c"):
    return shutil.copy(os.path.join(SUBJECTS, name + ending), TMP)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def ends(source, *flags):
    program = os.path.join(TMP, "program")
    status, text = run("c++" if source.endswith(".cc") else "cc", "-O1", "-w", "-pthread", f"-I{ROOT}/include", *flags, source, "-o", program, "-Wl,--no-as-needed",
                       f"-L{BUILD}", "-lheddle-enforce", f"-Wl,-rpath,{BUILD}")
    return {run(program, seconds=30)[0] != 0 for _ in range(5)} if status == 0 else text


def migrated():
    for name, rule in RULES.items():
        file = copy(name)
        before = text_of(file)
        status, text = run(HEDDLE, "migrate", "--time", "1s", file)
        case(f"{name} is migrated", status == 0 and rule in text and "times as fast" in text, text)
        case(f"{name} is not changed unasked", text_of(file) == before)
        removed = [line for line in text.splitlines() if line.startswith("-") and not line.startswith("---")]
        case(f"{name}: only lines that sleep are changed", removed and all("sleep" in line.lower() for line in removed), removed)
    file = copy("put_blocks")
    status, text = run(HEDDLE, "migrate", "--time", "1s", "--apply", "--quiet", file)
    case("--apply changes it", status == 0 and "usleep" not in text_of(file) and "HD_SCHEDULE(as_slept" in text_of(file), text)
    case("it passes, 5 of 5", ends(file) == {False})
    case("with the mistake it fails, 5 of 5", ends(file, "-DBUG") == {True})


def cxx():
    """Lambdas of threads, chrono, futures: the same, in C++."""
    for name, rule in (("cxx_shared_readers", "afterThread && [beforeSharedLock] -> afterLockShared2"), ("cxx_promise", "[beforeWait] -> afterSetValue2")):
        file = copy(name, ".cc")
        status, text = run(HEDDLE, "migrate", "--time", "1s", "--apply", file)
        case(f"{name} is migrated", status == 0 and rule in text and "sleep_for" not in text_of(file), text)
        case(f"{name}: it passes, 5 of 5", ends(file) == {False})
        case(f"{name}: with the mistake it fails, 5 of 5", ends(file, "-DBUG") == {True})


def staying():
    for name, (wanted, why) in STAYS.items():
        status, text = run(HEDDLE, "migrate", "--time", "1s", copy(name))
        case(f"{name}: what stays is told", status == wanted and why in text, text)


def wrong():
    undecided = os.path.join(TMP, "undecided.c")
    with open(undecided, "w", encoding="utf-8") as file:
        file.write("""
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static _Atomic int x;
static void *set(void *arg) { usleep(1000); x = 1; return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); usleep(1000); assert(x); pthread_join(t, 0); return 0; }
""")
    status, text = run(HEDDLE, "migrate", undecided)
    case("sleeps that do not decide the verdict", status == 3 and "do not decide" in text, text)
    for name, arguments, why in (("no file", [], "needs the source of a test"), ("a program", ["/bin/true"], "is no source file"),
                                 ("nothing there", ["nowhere.c"], "nowhere.c")):
        status, text = run(HEDDLE, "migrate", *arguments)
        case(f"{name}: one line", status == 2 and why in text and len(text.splitlines()) == 1, text)


with tempfile.TemporaryDirectory() as TMP:
    for part in (migrated, cxx, staying, wrong):
        part()
