#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which switch is to blame, and shorter schedules, through the command line: heddle localise, heddle shrink, heddle check
--explain.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LOCALISE = ROOT / "tests" / "localise"

for name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(name, None)

# Two accounts; a transfer locks only the one it takes from. Operations of a customer: start 1; deposit: lock 2, read 3,
# write 4, unlock 5; withdrawal 6 to 9; transfer: lock 10, read and write 11, 12, read and write of the other 13, 14, unlock
# 15; end 16.
TWO_ACCOUNTS = """
#include <assert.h>
#include <pthread.h>
static struct account { pthread_mutex_t lock; int amount; } account[2] = {
    {PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};
static void add(struct account *a, int n)
{
  pthread_mutex_lock(&a->lock);
  a->amount += n;
  pthread_mutex_unlock(&a->lock);
}
static void transfer(struct account *from, struct account *to, int n)
{
  pthread_mutex_lock(&from->lock);
  from->amount -= n; /* withdraws */
  to->amount += n; /* arrives */
  pthread_mutex_unlock(&from->lock);
}
static void *first(void *arg)
{
  add(&account[0], 300);
  add(&account[0], -100);
  transfer(&account[0], &account[1], 99);
  return arg;
}
static void *second(void *arg)
{
  add(&account[1], 300);
  add(&account[1], -100);
  transfer(&account[1], &account[0], 99);
  return arg;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(account[0].amount == 300 && account[1].amount == 300);
  return 0;
}
"""

# Two threads take five steps each. As long as they take turns, every switch counts: the state is wrong from the third one on,
# right again at the sixth, wrong from the seventh. What takes a step is not seen by heddle, so each is one operation.
TEN_BLOCKS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int tick;
static int last = -1, switches, taking_turns = 1, wrong;
__attribute__((no_sanitize("thread"), noinline)) static void took_step(int me)
{
  if (last == me) {
    taking_turns = 0;
  } else if (last >= 0 && taking_turns) {
    switches++;
    wrong = (switches >= 3 && switches < 6) || switches >= 7;
  }
  last = me;
}
__attribute__((no_sanitize("thread"), noinline)) static int is_wrong(void) { return wrong; }
static void *first(void *arg)
{
  for (int i = 0; i < 5; i++) {
    atomic_fetch_add(&tick, 1);
    took_step(0);
  }
  return arg;
}
static void *second(void *arg)
{
  for (int i = 0; i < 5; i++) {
    atomic_fetch_add(&tick, 1);
    took_step(1);
  }
  return arg;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(!is_wrong());
  return 0;
}
"""


# A loop that counts is no loop that waits; one that looks at a flag without end is.
LOOPS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int n;
static atomic_int go;
static void *count(void *arg)
{
  for (int i = 0; i < 300; i++)
    n++;
  return arg;
}
static void *wait(void *arg)
{
  while (!go)
    ;
  return count(arg);
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, wait, NULL);
  pthread_create(&b, NULL, count, NULL);
  go = 1;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(n == 600);
  return 0;
}
"""


def case(name, good, detail=""):
    print(f"{'ok' if good else 'not ok'} - {name}" + ("" if good else f": {detail}"), flush=True)


def run(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def build(source, program, *flags):
    path = source
    if "\n" in str(source):
        path = program.with_suffix(".c")
        path.write_text(source)
    status, _, error = run(HEDDLE, "cc", "-O1", "-g", "-pthread", *flags, path, "-o", program)
    if status:
        case(f"{program.name} is built", False, error)
    return path


def schedule(program, blocks):
    """A schedule file without addresses: (thread, operations) each."""
    path = program.with_name(f"{program.name}-{'-'.join(f'{thread}{n}' for thread, n in blocks)}.hd")
    path.write_text(f"heddle schedule 1\nprogram {program}\nraces ignore\nthreads main T1 T2\n"
                    + "".join(f"{thread} {n} none\n" for thread, n in blocks) + f"end {len(blocks)}\n")
    return path


def localise(*arguments):
    """Its status, its document and its text."""
    status, out, error = run(HEDDLE, "localise", "--json", "-", *arguments)
    try:
        return status, json.loads(out), error
    except ValueError:
        return status, {}, error + out


def line_of(text, mark):
    return next(i for i, line in enumerate(text.splitlines(), 1) if mark in line)


def verdicts(result):
    found = {}
    for trial in result.get("trials", []):
        found.setdefault(trial["switch"], set()).add(trial["verdict"])
    return found


def two_accounts(folder):
    program = folder / "accounts"
    build(TWO_ACCOUNTS, program)
    # Switches P1 … P4 behind events 5, 10, 13 and 17 are ours 2 … 5: main goes first.
    failing = schedule(program, [("main", 3), ("T1", 9), ("T2", 9), ("T1", 4), ("T2", 7), ("T1", 3), ("main", 99)])
    status, result, text = localise("--all", failing)
    case("two accounts: the third switch between the customers is to blame",
         status == 0 and result.get("switch", {}).get("number") == 4, text)
    patterns = result.get("patterns", [])
    arrives, withdraws = line_of(TWO_ACCOUNTS, "arrives"), line_of(TWO_ACCOUNTS, "withdraws")
    lines = [int(event["where"].split(":")[1]) for event in patterns[0]["events"]] if patterns else []
    case("two accounts: R W W on account[1].amount, at its three lines",
         len(patterns) == 1 and patterns[0]["number"] == 4 and patterns[0]["events"][0]["object"] == "account[1].amount"
         and lines == [arrives, withdraws, arrives] and patterns[0]["confirmed"], result)
    case("two accounts: told in a sentence", re.search(
        rf"T1 reads `account\[1\].amount` at accounts.c:{arrives} and writes it at :{arrives} as if nobody had written in\s+"
        rf"between; T2\s+did, at\s+:{withdraws}\.", text), text)
    found = verdicts(result)
    case("two accounts: P4 and P3 fail, P2 passes",
         found.get(5) == {"fails"} and found.get(4) == {"fails"} and found.get(3) == {"passes"}, found)
    _, result, _ = localise("--all", "--first", "random", "--runs", 20, failing)
    found = verdicts(result)
    case("two accounts: at P2 it depends on who goes first", found.get(3) == {"passes", "fails"} and found.get(4) == {"fails"},
         found)
    for trial in ({"strict": True}, {"strict": False}):
        _, result, text = localise(*(["--strict"] if trial["strict"] else []), failing)
        case(f"two accounts: the same pattern{' when strict' if trial['strict'] else ''}",
             [pattern["number"] for pattern in result.get("patterns", [])] == [4], text)
    differences(program, failing)


def differences(program, failing):
    """A search in the differences to a passing run blames another switch, which makes no wrong state."""
    # The passing run switches behind events 5, 11, 13, 16; the failing one behind 5, 10, 13, 17. What one switch of the failing
    # one makes of the passing one:
    passing = schedule(program, [("main", 3), ("T1", 9), ("T2", 11), ("T1", 3), ("T2", 3), ("T1", 4), ("T2", 2), ("main", 99)])
    tenth = schedule(program, [("main", 3), ("T1", 9), ("T2", 9), ("T1", 4), ("T2", 4), ("T1", 3), ("T2", 3), ("main", 99)])
    seventeenth = schedule(program, [("main", 3), ("T1", 9), ("T2", 11), ("T1", 3), ("T2", 5), ("T1", 4), ("main", 99)])
    fails = ["Assertion `" in run(HEDDLE, "replay", "--output", "all", file)[1] for file in (passing, failing, tenth, seventeenth)]
    _, result, _ = localise(failing)
    ours = result.get("switch", {}).get("number")
    tenth_alone = fails == [False, True, True, False]
    print(f"# differences to a passing run blame {'the switch behind event 10' if tenth_alone else fails}; "
          f"heddle blames switch {ours}, behind event 13")
    case("differences to a passing run blame the wrong switch", tenth_alone and ours == 4, fails)


def ten_blocks(folder):
    program = folder / "blocks"
    build(TEN_BLOCKS, program)
    blocks = [("main", 3), ("T1", 2), ("T2", 2)] + [("T1", 1), ("T2", 1)] * 3 + [("T1", 2), ("T2", 2), ("main", 99)]
    status, result, text = localise("--all", schedule(program, blocks))
    found = verdicts(result)
    outcomes = "".join("P" if found.get(i + 1) == {"passes"} else "F" for i in range(1, 10))
    case("ten blocks: wrong, healed, wrong again", outcomes == "PPFFFPFFF", (outcomes, found, text))
    case("ten blocks: the seventh switch is to blame, not the third",
         status == 0 and result.get("switch", {}).get("number") == 1 + 7, text)


def subjects(folder):
    """Each subject as check finds it: the report names the variable that the subject's comment does."""
    for path in sorted(LOCALISE.glob("*.c")):
        blame = re.search(r"^ \* blame: (.*)$", path.read_text(), re.M).group(1)
        document, out = folder / "explained.json", folder / f"{path.stem}-out"
        status, _, error = run(HEDDLE, "check", "-q", "--explain", "--races", "ignore", "--json", document, "--out", out, path)
        bugs = json.loads(document.read_text())["bugs"] if status == 1 else []
        result = bugs[0].get("blame", {}) if bugs else {}
        if blame == "fails-serially":
            good = result.get("verdict") == blame and result.get("passes_with_switches", 0) > 0
        else:
            letters, variables = (part.split("|") for part in blame.rsplit(" ", 1))
            good = result.get("patterns") and all(
                pattern["pattern"] in letters and pattern["events"][0]["object"] in variables for pattern in result["patterns"])
        case(f"{path.stem}: {blame}", good, (status, error, result.get("verdict"), result.get("patterns")))
        status, text, error = run("env", "CFLAGS=-DFIXED", HEDDLE, "check", "--races", "fail", "--time", "2s", "--out", out, path)
        case(f"{path.stem}: nothing in the twin", status == 0, text + error)


def loops(folder):
    program, out = folder / "loops", folder / "loops-out"
    build(LOOPS, program)
    run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, program)
    status, result, text = localise("--all", out / "loops-1.hd")
    case("loops that count and loops that wait", status == 0 and [pattern["number"] for pattern in result["patterns"]] == [4]
         and not {"cut"} & set().union(*verdicts(result).values()), text)


def schedules(folder):
    """What heddle shrink writes, and what it refuses."""
    program, out = folder / "lottery", folder / "found"
    build(LOCALISE / "lottery.c", program)
    run(HEDDLE, "run", "-q", "--runs", 500, "--races", "ignore", "--out", out, program)
    whole, small = out / "lottery-1.hd", out / "lottery-1-small.hd"
    status, text, error = run(HEDDLE, "shrink", whole)
    case("shrink writes FILE-small.hd and says what it removed",
         status == 0 and small.is_file() and re.search(r"^4 context switches, 1 of them preemptions; before \d+, \d+", text),
         text + error)
    status, text, _ = run(HEDDLE, "replay", "--times", 100, small)
    case("the shrunk schedule shows the bug 100 times of 100", status == 1 and "100 of 100" in text, text)
    status, _, _ = run(HEDDLE, "shrink", "-o", folder / "again.hd", small)
    case("what is small stays as it is",
         status == 0 and (folder / "again.hd").read_text().split("# thread")[1] == small.read_text().split("# thread")[1])
    _, first, _ = localise(whole)
    case("the same answer each time", all(localise(whole)[1] == first for _ in range(3)) and first.get("verdict") == "switch")
    # Another program under the same schedule: never a verdict about the bug that was recorded.
    build(LOCALISE / "lottery.c", program, "-DFIXED")
    case("another build is refused", localise(small)[0] == 2 and run(HEDDLE, "shrink", small)[0] == 2)
    status, result, _ = localise("--force", small)
    case("nor is a switch blamed in it by force", status == 3 and not result, (status, result))
    case("no file, no answer", run(HEDDLE, "localise", folder / "none.hd")[0] == 2 and run(HEDDLE, "shrink")[0] == 2)


def words(folder):
    """Deadlocks, orders, and bugs that no switch is to blame for."""
    expected = {
        "abba_deadlock": r"T[12] locks `account\[[01]\].lock` at abba_deadlock.c:29 before T[12] does, at :30",
        "lost_wakeup": r"main signals `pistol` at lost_wakeup.c:34 before T1 waits on it at :22",
        "order_violation": r"T1 atomically reads `device` at order_violation.c:21 before main atomically writes it at :36",
        "use_after_free": r"frees it\s+in\s+between,\s+at :45",
        "thread_argument": r"to blame: a switch that is missing",
        "barrier_count": r"no schedule was found that passes",
    }
    for name, pattern in expected.items():
        out = folder / name
        run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, ROOT / "tests" / "subjects" / f"{name}.c")
        status, text, error = run(HEDDLE, "localise", out / f"{name}-1.hd")
        case(f"{name}: in words", status == 0 and re.search(pattern, text), text + error)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        two_accounts(folder)
        ten_blocks(folder)
        loops(folder)
        schedules(folder)
        words(folder)
        subjects(folder)


main()
