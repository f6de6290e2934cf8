#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the plain stateless searches must show: depth first, breadth first, and bound after bound (--iterative).

  whole       of 2, 3 and 4 threads that increment a counter, both orders run 6, 90 and 2,520 interleavings and see the
              same final values;
  bounds      with --iterative the interleavings come in the order of their preemptions, 6, 50, 262 with 0, 1, 2 of
              them on tests/exhaustive/causal.c (those with 3 and 4 are counted by exhaustive.py);
  replayed    a failing schedule fails in 100 of 100 replays;
  deadlock    two locks taken in two orders: by depth first search, and with one preemption but not with none;
  wake-up     a signal that comes before the wait: a deadlock, told with the thread that waits;
  divergence  a program that asks the processor's clock what to do is never called complete, and one that draws random
              numbers without asking anybody (rdrand) is told not to repeat itself;
  rate        at least 500 interleavings of the counter a second, as heddle tells them.

Exit status 0 whatever the cases said, as tests/run wants it.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
INCREMENTS = {2: 6, 3: 90, 4: 2520}
EXACT = [6, 50, 262]  # interleavings of causal 0 with so many preemptions
RATE = 500
DIVERGES = """
#include <pthread.h>
#include <stdatomic.h>
#include <immintrin.h>
static atomic_int x;
static void *body(void *arg)
{
  unsigned n = 0;
#ifdef CLOCK
  n = (unsigned)(__rdtsc() >> 4);
#else
  __builtin_ia32_rdrand32_step(&n);
#endif
  for (n = n % 8 + 1; n; n--)
    atomic_store(&x, (int)n);
  return arg;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, body, NULL);
  pthread_create(&b, NULL, body, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""


def case(good, what, why=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f" ({why})"), flush=True)


class Searcher:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def build(self, source, *flags):
        binary = self.folder / source.stem
        subprocess.run([HEDDLE, "cc", "-g", "-O1", "-std=gnu17", "-pthread", *flags, str(source), "-o", str(binary)], check=True, timeout=400)
        return binary

    def run(self, *command):
        return subprocess.run([HEDDLE, *map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200,
                              check=False, cwd=self.folder)

    def explore(self, binary, *options, arguments=()):
        """Status, what was printed, the result, and for each execution its class and its output, in their order."""
        done = self.run("explore", "--races", "ignore", "--leaks", "ignore", "-j", "1", "--strategy", "dfs", "--json", "result.json",
                        "--hashes", "hashes", "--out", "out", *options, binary, "--", *arguments)
        result = json.loads((self.folder / "result.json").read_text()) if done.returncode in (0, 1) else {}
        lines = (self.folder / "hashes").read_text().splitlines() if result else []
        return done.returncode, done.stdout + done.stderr, result, [line.split()[:2] for line in lines if not line.startswith("#")]


def try_whole(s):
    binary = s.build(ROOT / "tests/exhaustive/increments.c")
    rate = 0
    for threads, count in INCREMENTS.items():
        values = []
        for order in ("dfs", "bfs"):
            _, _, result, seen = s.explore(binary, "--order", order, arguments=(threads, 1))
            values.append({output for _, output in seen})
            case(result.get("executions") == count and result["complete"], f"{threads} threads, {order}: {count} interleavings", result)
            rate = max(rate, result.get("executions_per_second", 0) if threads == 4 else 0)
        case(values[0] == values[1] and len(values[0]) == threads, f"{threads} threads: the same {threads} final values", values)
    case(rate >= RATE, f"at least {RATE} interleavings a second", rate)


def try_bounds(s):
    binary = s.build(ROOT / "tests/exhaustive/causal.c")
    _, _, _, course = s.explore(binary, "--iterative", "--max-executions", sum(EXACT), arguments=(0,))
    case(len(course) == sum(EXACT), "--iterative goes on until it is told to stop", len(course))
    for k in range(len(EXACT)):
        _, _, result, seen = s.explore(binary, "--bound", f"preemptions={k}", arguments=(0,))
        case(result.get("executions") == sum(EXACT[:k + 1]), f"{EXACT[k]} interleavings with {k} preemptions", result)
        case(sorted(course[:sum(EXACT[:k + 1])]) == sorted(seen), f"with --iterative they come before those with {k + 1}")


def try_deadlock(s):
    binary = s.build(ROOT / "tests/subjects/abba_deadlock.c", f"-I{ROOT}/tests/subjects")
    status, text, _, _ = s.explore(binary)
    case(status == 1 and "deadlock" in text, "depth first search finds the deadlock of two locks", text)
    case(s.explore(binary, "--bound", "preemptions=0")[0] == 0, "with no preemption there is none")
    status, text, _, _ = s.explore(binary, "--bound", "preemptions=1")
    case(status == 1 and "deadlock" in text, "with one there is", text)
    schedule = re.search(r"replay +heddle replay (\S+)", text)
    replayed = s.run("replay", "--times", 100, schedule[1]) if schedule else None
    case(replayed and replayed.returncode == 1 and re.search(r"100 of 100|100/100|100 times", replayed.stdout), "it is replayed 100 times of 100",
         replayed and replayed.stdout[-300:])


def try_wake_up(s):
    binary = s.build(ROOT / "tests/subjects/lost_wakeup.c", f"-I{ROOT}/tests/subjects")
    status, text, _, _ = s.explore(binary)
    case(status == 1 and "deadlock" in text, "a wake-up that is lost is a deadlock", text)
    case("deadlock: T1 waits on pistol" in text, "the thread that waits is named", text)


def try_divergence(s):
    source = s.folder / "diverges.c"
    source.write_text(DIVERGES)
    _, text, result, _ = s.explore(s.build(source, "-DCLOCK", "-mrdrnd"))
    case(not result.get("complete") and re.search("not complete: |did not repeat itself", text), "a program that asks the clock is not called complete", text)
    if "rdrand" not in pathlib.Path("/proc/cpuinfo").read_text():
        return
    status, text, result, _ = s.explore(s.build(source, "-mrdrnd"), "--time", "10s")
    case(not result.get("complete") and "did not repeat itself" in text, "one that does not repeat itself is told", (status, text[-400:]))


with tempfile.TemporaryDirectory(prefix="heddle-stateless.") as place:
    searcher = Searcher(place)
    for attempt in (try_whole, try_bounds, try_deadlock, try_wake_up, try_divergence):
        attempt(searcher)
