#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle schedule: bugs pinned as tests that fail without heddle, and pass once they are mended; what cannot be pinned is told;
nothing of the user's is changed unasked. bench/pins does the same with more bugs and many more runs.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
BUILD = os.path.dirname(os.path.abspath(HEDDLE))
SUBJECTS = os.path.join(ROOT, "tests", "subjects")
RUNS = 5
failed = False

# A wait that ends for no reason would save it.
NOT_PROVED = ("c11_lost_wakeup",)

# subject: how a failing run ends; None: by a signal
PINS = {
    "bank_lost_update": "Assertion `balance == 50' failed",  # a statement is taken apart
    "abba_deadlock": "fails: nobody can go on",  # a deadlock fails
    "order_violation": None,
    "c11_lost_wakeup": "fails: nobody can go on",  # threads of threads.h
}

# Only what is read the third time matters: the event is that of the third time.
LOOP = """
#include <assert.h>
#include <pthread.h>
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg)
{
  for (int i = 0; i < 3; i++) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    int seen = shared;
    if (i == 2)
      shared = seen + 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
  }
  return arg;
}
int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], 0, add, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], 0);
  assert(shared == 2);
  return 0;
}
"""

RACE = """
#include <pthread.h>
static int hits;
static void *hit(void *arg) { hits = 1; return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, hit, 0); hits = 2; pthread_join(t, 0); return 0; }
"""


# Without heddle it fails, too, but by something else.
OTHER = """
#include <assert.h>
#include <pthread.h>
static int shared;
static void *add(void *arg)
{
  int seen = shared;
  shared = seen + 1;
  return arg;
}
int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], 0, add, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], 0);
#ifndef __SANITIZE_THREAD__
  assert(shared == 99);
#endif
  assert(shared == 2);
  return 0;
}
"""


def ok(good, name, more=""):
    global failed
    failed |= not good
    print(f"{'ok' if good else 'not ok'} - {name}" + (f": {more}" if not good and more else ""))


def run(command, folder, limit=120):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, check=False)
    return done.returncode, done.stdout


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def build(folder, source, program, *flags):
    return run(["cc", "-g", "-O1", "-w", "-pthread", "-I" + os.path.join(ROOT, "include"), *flags, source, "-o", program,
                "-Wl,--no-as-needed", "-L" + BUILD, "-lheddle-enforce", "-Wl,-rpath," + BUILD], folder)


def check_twins(folder, name, wanted):
    """The patched source fails with the bug, and passes without."""
    for program, flags in (("broken", []), ("fixed", ["-DFIXED"])):
        status, text = build(folder, name + ".c", program, *flags)
        ok(status == 0, f"{name}: {program} compiles with the ordinary compiler", text)
        ends = [run(["./" + program], folder) for _ in range(RUNS)]
        if program == "fixed":
            ok(all(status == 0 for status, _ in ends), f"{name}: mended, it passes", repr(ends))
        else:
            good = all(status != 0 and (wanted in text if wanted else status < 0) for status, text in ends)
            ok(good, f"{name}: with the bug, it fails without heddle", repr(ends))


def pins_subject(folder, name, wanted):
    shutil.copy(os.path.join(SUBJECTS, name + ".c"), folder)
    before = read(folder, name + ".c")
    run([HEDDLE, "check", "-q", name + ".c"], folder)
    status, text = run([HEDDLE, "schedule", "-o", "pin.patch", f"heddle-out/{name}-1.hd"], folder)
    ok(status == 0 and "fails in 20 of 20 free runs" in text, f"{name}: it is pinned", text)
    every = "in all interleavings that heddle tried" if name in NOT_PROVED else "in every interleaving that keeps it"
    ok(every in text, f"{name}: and heddle says of how many that is true", text)
    ok(read(folder, name + ".c") == before, f"{name}: the source is as it was")
    status, text = run(["patch", "-p1", "-i", "pin.patch"], folder)
    ok(status == 0, f"{name}: patch takes what was written", text)
    check_twins(folder, name, wanted)


def counts_in_loops(folder):
    write(folder, "loop.c", LOOP)
    run([HEDDLE, "check", "-q", "loop.c"], folder)
    status, text = run([HEDDLE, "schedule", "--apply", "heddle-out/loop-1.hd"], folder)
    ok(status == 0, "a loop: it is pinned, and the source changed as asked for", text)
    ok(re.search(r"HD_EVENT_NTH\(3, add_has_read_shared_3rd\)", read(folder, "loop.c")), "a loop: its event is that of the third time",
       read(folder, "loop.c"))
    check_twins(folder, "loop", "Assertion `shared == 2' failed")


def refuses(folder):
    write(folder, "race.c", RACE)
    run([HEDDLE, "check", "-q", "race.c"], folder)
    status, text = run([HEDDLE, "schedule", "heddle-out/race-1.hd"], folder)
    ok(status == 3 and text.count("\n") == 1 and "cannot be pinned: a data race has no outcome of its own" in text,
       "a race alone cannot be pinned, in one line", text)
    write(folder, "notes.txt", "mine\n")
    status, text = run([HEDDLE, "schedule", "-o", "notes.txt", "heddle-out/loop-1.hd"], folder)
    ok(status == 2 and read(folder, "notes.txt") == "mine\n", "a file that heddle did not write is not overwritten", text)
    status, text = run([HEDDLE, "schedule", "absent.hd"], folder)
    ok(status == 2 and text.count("\n") == 1, "a file that is not there is told in one line", text)


def counts_only_its_bug(folder):
    write(folder, "other.c", OTHER)
    run([HEDDLE, "check", "-q", "--races", "ignore", "other.c"], folder)
    status, text = run([HEDDLE, "schedule", "heddle-out/other-1.hd"], folder)
    ok(status == 3 and "fails in 0 of 20 free runs" in text, "a run that fails by another bug does not count", text)


def main():
    for name, wanted in PINS.items():
        with tempfile.TemporaryDirectory() as folder:
            pins_subject(folder, name, wanted)
    with tempfile.TemporaryDirectory() as folder:
        counts_in_loops(folder)
        counts_only_its_bug(folder)
        refuses(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
