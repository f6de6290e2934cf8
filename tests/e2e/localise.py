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
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int tick;
static int last = -1, switches, taking_turns = 1, wrong;
HD_UNSEEN static void took_step(int me)
{
  if (last == me) {
    taking_turns = 0;
  } else if (last >= 0 && taking_turns) {
    switches++;
    wrong = (switches >= 3 && switches < 6) || switches >= 7;
  }
  last = me;
}
HD_UNSEEN static int is_wrong(void) { return wrong; }
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
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=400, check=False)
    return done.returncode, done.stdout, done.stderr


def build(source, program, *flags, language="c"):
    path = source
    if "\n" in str(source):
        path = program.with_suffix(".cc" if language == "c++" else ".c")
        path.write_text(source)
    status, _, error = run(HEDDLE, "c++" if language == "c++" else "cc", "-O1", "-g", "-pthread", *flags, path, "-o", program)
    if status:
        case(f"{program.name} is built", False, error)
    return path


def schedule(program, blocks):
    """The words for a schedule file without addresses: (thread, operations) each. Nobody recorded it: the program is named."""
    path = program.with_name(f"{program.name}-{'-'.join(f'{thread}{n}' for thread, n in blocks)}.hd")
    path.write_text(f"heddle schedule 1\nprogram {program}\nraces ignore\nthreads main T1 T2\n"
                    + "".join(f"{thread} {n} none\n" for thread, n in blocks) + f"end {len(blocks)}\n")
    return "--program", program, path


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
    status, result, text = localise("--all", *failing)
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
    _, result, _ = localise("--all", "--first", "random", "--runs", 20, *failing)
    found = verdicts(result)
    case("two accounts: at P2 it depends on who goes first", found.get(3) == {"passes", "fails"} and found.get(4) == {"fails"},
         found)
    for trial in ({"strict": True}, {"strict": False}):
        _, result, text = localise(*(["--strict"] if trial["strict"] else []), *failing)
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
    fails = ["Assertion `" in run(HEDDLE, "replay", "--output", "all", *file)[1] for file in (passing, failing, tenth, seventeenth)]
    _, result, _ = localise(*failing)
    ours = result.get("switch", {}).get("number")
    tenth_alone = fails == [False, True, True, False]
    print(f"# differences to a passing run blame {'the switch behind event 10' if tenth_alone else fails}; "
          f"heddle blames switch {ours}, behind event 13")
    case("differences to a passing run blame the wrong switch", tenth_alone and ours == 4, fails)


def ten_blocks(folder):
    program = folder / "blocks"
    build(TEN_BLOCKS, program)
    blocks = [("main", 3), ("T1", 2), ("T2", 2)] + [("T1", 1), ("T2", 1)] * 3 + [("T1", 2), ("T2", 2), ("main", 99)]
    status, result, text = localise("--all", *schedule(program, blocks))
    found = verdicts(result)
    outcomes = "".join("P" if found.get(i + 1) == {"passes"} else "F" for i in range(1, 10))
    case("ten blocks: wrong, healed, wrong again", outcomes == "PPFFFPFFF", (outcomes, found, text))
    case("ten blocks: the seventh switch is to blame, not the third",
         status == 0 and result.get("switch", {}).get("number") == 1 + 7, text)
    low, high = 0, len(outcomes)
    while high - low > 1:
        low, high = (low, (low + high) // 2) if outcomes[(low + high) // 2 - 1] == "F" else ((low + high) // 2, high)
    case("ten blocks: a bisection would have said the third", high == 3, high)


def replays(folder):
    """A schedule file is the same execution each time; another program never passes for it."""
    source, program, out = (LOCALISE / "lottery.c").read_text(), folder / "tickets", folder / "tickets-found"
    build(source, program)
    run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, program)
    seen = {run(HEDDLE, "replay", "--trace-file", "-", "--trace-format", "json", out / "tickets-1.hd")[:2] for _ in range(100)}
    status, trace = next(iter(seen))
    case("100 replays: one verdict and one stream of events",
         len(seen) == 1 and status == 1 and len(json.loads(trace)["steps"]) > 10, (len(seen), status))
    touch = "static _Atomic int touched;\nint main(void)\n"
    for name, changed in (("an operation more", source.replace("int main(void)\n", touch).replace("pthread_create(", "touched++, pthread_create(")),
                          ("other locks", "#define FIXED\n" + source),
                          ("an operation less", source.replace("pthread_join(", "(void)("))):
        build(changed, program)
        status, _, error = run(HEDDLE, "replay", out / "tickets-1.hd")
        case(f"{name}: said to be rebuilt, and it diverges and does not pass",
             changed != source and status == 3 and "rebuilt" in error and "diverged" in error, (status, error))


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
        most = min(max(result.get("shared_variables", 0), 1), result.get("threads", 0))
        trials = [trial["switch"] for trial in result.get("trials", [])]
        case(f"{path.stem}: no switch has more runs than variables or threads",
             all(trials.count(switch) <= most for switch in trials), (most, trials))
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
         status == 0 and small.is_file() and re.search(r"^4 context switches, 1 of them a preemption; before \d+, \d+", text),
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
    status, result, _ = localise(small)
    case("no switch is blamed in another build", status == 3 and not result, (status, result))
    status, _, error = run(HEDDLE, "shrink", "-o", folder / "other.hd", small)
    case("nor is its schedule shrunk", status == 3 and "rebuilt" in error and not (folder / "other.hd").exists(), (status, error))
    case("no file, no answer", run(HEDDLE, "localise", folder / "none.hd")[0] == 2 and run(HEDDLE, "shrink")[0] == 2)


def words(folder):
    """Deadlocks, orders, and bugs that no switch is to blame for."""
    expected = {
        "abba_deadlock": r"T1 locks `account\[0\].lock` at abba_deadlock.c:29 and then wants `account\[1\].lock` at :30; T2 locks "
                         r"`account\[1\].lock` at :29 and then wants `account\[0\].lock` at :30\..*fix: all must take these locks "
                         r"in the same order",
        "philosophers": r"T3 locks `fork_at\[2\]` at :33 and then wants `fork_at\[0\]` at :34",
        "nested_monitor": r"T1 locks `shop` at nested_monitor.c:21 and keeps it while it waits on `delivered` at :28; main needs "
                          r"`shop` at :39\..*fix: `shop` must be unlocked before the wait",
        "lost_wakeup": r"main signals `pistol` at lost_wakeup.c:34 before T1 waits on it at :22",
        "c11_lost_wakeup": r"T1 reads `bread` at c11_lost_wakeup.c:25 and waits on `done` at :29 as if nobody could change it in "
                           r"between; main did, at :43, and its signal at :44 found nobody waiting\..*"
                           r"fix: T1 must not unlock `lock` between the check and the wait",
        "missed_broadcast": r"signals `changed` at missed_broadcast.c:22; that wakes T\d, which only waits again at :40, while main "
                            r"goes on waiting\..*fix: a broadcast",
        "if_not_while": r"T1 reads `loaves` at if_not_while.c:23, waits on `baked` at :25 and goes on at :26 without looking again; "
                        r"T2 has changed it meanwhile, at :27\..*fix: the wait must be in a loop that checks again",
        "cancel_holding_mutex": r"T1 locks `lock` at cancel_holding_mutex.c:30 and ends without unlocking it; main waits for it at :51",
        "rwlock_recursive_read": r"T1 locks `lock` at rwlock_recursive_read.c:30 and again at :19; in between main wants to write, "
                                 r"at :47",
        "rwlock_upgrade": r"from T\d, before it (?:reads cache \(rwlock_upgrade.c:56\)|locks lock \(rwlock_upgrade.c:30\)), to T\d.*T\d writes `readers` at rwlock_upgrade.c:24 and reads it at :37.*"
                          r"fix: T\d unlocks `lock` between the two",
        "ready_bits_hang": r"T\d reads `ready` at ready_bits_hang.c:23 and writes it at :24 as if nobody had written in between",
        "order_violation": r"T1 atomically reads `device` at order_violation.c:21 before main atomically writes it at :36",
        "use_after_free": r"T1 takes the pointer from `current` at use_after_free.c:31; main frees what it points to at :45; T1 uses it "
                          r"at :33\..*fix: (main must wait|T1 must hold a lock)",
        "thread_argument": r"to blame: a switch that is missing",
        "pool_lost_task": r"it passes with this switch: ▸ from main, before it locks lock \(pool_lost_task.c:49\), to T\d",
        "barrier_count": r"no schedule was found that passes",
    }
    for name, pattern in expected.items():
        out = folder / name
        # A hang need not be longer: it is run again and again.
        run(HEDDLE, "check", "-q", "--races", "ignore", "--max-steps", "2000", "--out", out, ROOT / "tests" / "subjects" / f"{name}.c")
        status, text, error = run(HEDDLE, "localise", out / f"{name}-1.hd")
        case(f"{name}: in words", status == 0 and re.search(pattern, " ".join(text.split())), text + error)


# Accesses of different size to the same memory, by main before there is any switch; a thief of the last item, which main does
# not expect, and what becomes of it, which it should; a last reference that is dropped before somebody takes another one.
NAMES = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static struct entry { const char *name; int value; struct entry *next; } *table[2], fresh = {"two", 2, NULL};
static void *update(void *arg)
{
  *table[1] = fresh; /* whole */
  return arg;
}
int main(void)
{
  pthread_t a;
  struct entry *e = calloc(1, sizeof *e);
  table[1] = e;
  pthread_create(&a, NULL, update, NULL);
  assert(e->value == 2); /* part */
  pthread_join(a, NULL);
  free(e);
}
"""
DEQUE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int top, bottom = 1, done;
static void *steal(void *arg)
{
  int t = top;
  if (t < bottom && atomic_compare_exchange_strong(&top, &t, t + 1)) /* takes */
    done++;
  return arg;
}
int main(void)
{
  pthread_t thief;
  pthread_create(&thief, NULL, steal, NULL);
  bottom = 0;
  if (top <= 0) /* looks */
    done++;
  pthread_join(thief, NULL);
  assert(done == 1);
}
"""
REFERENCES = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static struct config { atomic_int references; int timeout; } *_Atomic current;
static void drop(struct config *c)
{
  if (atomic_fetch_sub(&c->references, 1) == 1) /* drops */
    free(c); /* frees */
}
static void *reader(void *arg)
{
  struct config *c = current;
  c->references++; /* takes */
  drop(c);
  return arg;
}
int main(void)
{
  pthread_t a;
  struct config *c = calloc(1, sizeof *c);
  c->references = 1;
  current = c;
  pthread_create(&a, NULL, reader, NULL);
  drop(c);
  pthread_join(a, NULL);
}
"""


TWO_IN_A_LINE = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static struct entry { int *name, *value; } *e;
static void *count(void *arg)
{
  ++*e->value; /* counts */
  return arg;
}
int main(void)
{
  pthread_t a, b;
  e = malloc(sizeof *e);
  e->name = calloc(1, sizeof(int)), e->value = calloc(1, sizeof(int));
  pthread_create(&a, NULL, count, NULL);
  pthread_create(&b, NULL, count, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(*e->value == 2);
}
"""


JOINS_LOCKED = """
#include <pthread.h>
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
  pthread_mutex_lock(&state); /* needs */
  pthread_mutex_unlock(&state);
  return arg;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&state); /* locks */
  pthread_join(t, NULL); /* joins */
  pthread_mutex_unlock(&state);
}
"""
LEAVES_LOCK = """
#include <cassert>
#include <map>
#include <mutex>
#include <thread>
static std::map<int, int> squares;
static std::mutex lock;
static int square(int n)
{
  {
    std::lock_guard<std::mutex> held(lock); /* takes */
    auto known = squares.find(n);
    if (known != squares.end())
      return known->second;
  } /* leaves */
  std::lock_guard<std::mutex> held(lock); /* again */
  assert(!squares.count(n));
  return squares[n] = n * n;
}
int main()
{
  std::thread a(square, 3), b(square, 3);
  a.join();
  b.join();
}
"""
TWO_DECLARED = """
#include <pthread.h>
#include <stdlib.h>
struct item { int used; };
static struct item *items[2];
static void *use(void *arg)
{
  items[1]->used = 1; /* uses */
  return arg;
}
int main(void)
{
  pthread_t t;
  struct item *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
  items[0] = first, items[1] = second;
  pthread_create(&t, NULL, use, NULL);
  free(second); /* frees */
  pthread_join(t, NULL);
  free(first);
}
"""


PUBLISHED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready;
static int slot[4];
static void *fill(void *arg)
{
  for (int i = 0; i < 2; i++) {
    ready = i + 1;
    slot[i] = i + 1; /* fills */
  }
  return arg;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, fill, NULL);
  for (int i = 0; i < 2; i++)
    if (ready > i)
      assert(slot[i] == i + 1); /* reads */
  pthread_join(t, NULL);
}
"""


RIGHT_WAIT = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n, total;
static void *take(void *p)
{
  pthread_mutex_lock(&m);
  while (!n)
    pthread_cond_wait(&c, &m);
  n--;
  pthread_mutex_unlock(&m);
  int old = total; /* looks */
  total = old + 1; /* writes */
  return p;
}
static void *put(void *p)
{
  pthread_mutex_lock(&m);
  n++;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return p;
}
int main(void)
{
  pthread_t t[4];
  pthread_create(&t[0], 0, take, 0);
  pthread_create(&t[1], 0, take, 0);
  pthread_create(&t[2], 0, put, 0);
#ifndef TOO_FEW
  pthread_create(&t[3], 0, put, 0);
#else
  pthread_create(&t[3], 0, take, 0);
#endif
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], 0);
  assert(total == 2);
}
"""


def right_waits(folder):
    """A loop around a wait that is as it should be is not blamed, however it was compiled."""
    for level in ("-O0", "-O1", "-O2"):
        program, out = folder / f"right{level}", folder / f"right{level}-found"
        build(RIGHT_WAIT, program, level)
        run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, program)
        _, text, error = run(HEDDLE, "localise", out / f"{program.name}-1.hd")
        case(f"right wait, {level}: what is not under the lock is blamed",
             re.search(r"reads `total` at \S+ and writes it at", " ".join(text.split())) and "while, not if" not in text, text + error)
    program, out = folder / "few", folder / "few-found"
    build(RIGHT_WAIT, program, "-DTOO_FEW")
    run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, program)
    _, text, error = run(HEDDLE, "localise", out / "few-1.hd")
    _, told, _ = run(HEDDLE, "show", "--run", out / "few-1.hd")
    case("right wait, too few items: no false advice", "wait" in told and "fix:" not in text and "was lost" not in told, text + told + error)


def names(folder):
    """What is meant is named, what is expected is no pattern, and what is freed is no write."""
    expected = (
        ("names", NAMES, lambda at: rf"main reads `e->value` at names.c:{at('part')} before T1 writes `\*e` at :{at('whole')}"),
        ("two", TWO_IN_A_LINE, lambda at: rf"reads `\*e->value` at two.c:{at('counts')} and writes it at :{at('counts')}"),
        ("joins", JOINS_LOCKED, lambda at: rf"main locks `state` at joins.c:{at('locks')} and keeps it while it waits for the end of T1 "
                                           rf"at :{at('joins')}; T1 needs `state` at :{at('needs')}"),
        ("leaves", LEAVES_LOCK, lambda at: rf"T(\d) reads `squares` at leaves.cc:{at('takes') + 1} and again at :{at('again') + 1} as if nobody could "
                                           rf"write in between; T\d did, at :{at('again') + 2}\..*fix: T\1 unlocks `lock` between the two"),
        ("declared", TWO_DECLARED, lambda at: rf"main frees `\*second` at declared.c:{at('frees')}, and then T1 writes it at "
                                              rf":{at('uses')}.*fix: main must wait for the end of T1"),
        ("deque", DEQUE, lambda at: rf"main atomically reads `top` at deque.c:{at('looks')} before T1 atomically updates it at "
                                    rf":{at('takes')}"),
        ("published", PUBLISHED, # which of the two variables it is told by depends on the failing run
         lambda at: rf"T1 writes `ready` at published.c:{at('fills') - 1} before it writes `slot\[\d\]` at :{at('fills')}; main sees the first at "
                    rf":{at('reads') - 1} and reads the other at :{at('reads')}.*fix: T1 must write `ready` last"),
        ("references", REFERENCES, lambda at: rf"main frees `\*c` at references.c:{at('frees')}, and then T1 atomically updates it at "
                                              rf":{at('takes')}.*fix: T1 must be counted before main can drop the last reference"),
    )
    for name, source, pattern in expected:
        out = folder / f"{name}-found"
        build(source, folder / name, language="c++" if "std::" in source else "c")
        run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, folder / name)
        _, text, error = run(HEDDLE, "localise", out / f"{name}-1.hd")
        pattern = pattern(lambda mark, source=source: line_of(source, f"/* {mark} */"))
        case(f"{name}: in words", re.search(pattern, " ".join(text.split())), text + error)


# One side of each race holds a lock that the other one does not.
RACE = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
  pthread_mutex_lock(&lock);
  n++; /* one */
  pthread_mutex_unlock(&lock);
  return arg;
}
int main(void)
{
  pthread_t a;
  pthread_create(&a, NULL, count, NULL);
#ifdef OTHER
  pthread_mutex_lock(&other);
#endif
  n = 7; /* another */
#ifdef OTHER
  pthread_mutex_unlock(&other);
#endif
  pthread_join(a, NULL);
}
"""


def races(folder):
    """The two accesses, the locks that were held, and what would order them."""
    one, another = line_of(RACE, "/* one */"), line_of(RACE, "  n = 7; /* another */")
    for flag, locks, fix in (("PLAIN", "no lock", "main must take `lock` too"),
                             ("OTHER", "`other`", "`(lock|other)` and `(lock|other)` do not exclude each other")):
        program, out = folder / f"race-{flag}", folder / f"race-{flag}-found"
        build(RACE, program, f"-D{flag}")
        run(HEDDLE, "check", "-q", "--races", "fail", "--out", out, program)
        status, text, error = run(HEDDLE, "localise", out / f"race-{flag}-1.hd")
        text = " ".join(text.split())
        sides = (rf"T1 (reads|writes) (`n`|it) at (race-{flag}.c)?:{one}, holding `lock`",
                 rf"main writes (`n`|it) at (race-{flag}.c)?:{another}, holding {locks}")
        case(f"a race, {flag}: both sides with their locks", status == 0 and all(re.search(side, text) for side in sides),
             text + error)
        case(f"a race, {flag}: what would order them", re.search(f"fix: .*{fix}", text), text)
        _, text, _ = run(HEDDLE, "show", "--run", out / f"race-{flag}-1.hd")
        case(f"a race, {flag}: the story tells the locks", f"holding {locks.strip('`')}" in text and "holding lock" in text, text)


def interruptions(folder):
    """Ctrl-C ends it with what is known, and a terminal shows that it works."""
    import pty
    import signal
    program, out = folder / "slow", folder / "slow-found"
    build(LOOPS.replace("300", "3000").replace("600", "6000"), program)
    run(HEDDLE, "check", "-q", "--races", "ignore", "--time", "5s", "--out", out, program)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([HEDDLE, "localise", "--all", "--first", "random", "--runs", "60000", out / "slow-1.hd"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    seen = b""
    while b"executions" not in seen and process.poll() is None:
        seen += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=30)[0]
    os.close(ours)
    case("long work shows itself on a terminal", b"which switch is to blame" in seen, seen)
    case("Ctrl-C leaves what is known", "to blame: " in text and process.returncode in (0, 3), (process.returncode, text))


def pages(folder):
    program, out, page = folder / "paged", folder / "paged-found", folder / "paged.html"
    build(TWO_ACCOUNTS, program)
    run(HEDDLE, "check", "-q", "--races", "ignore", "--out", out, program)
    status, text, error = run(HEDDLE, "localise", "--html", page, out / "paged-1.hd")
    case("localise --html writes the page with the blame", status == 0 and '"role":"fix"' in page.read_text(), text + error)
    status, text, error = run(HEDDLE, "localise", "--html", "-", out / "paged-1.hd")
    case("and to standard output nothing but it", status == 0 and text.startswith("<!doctype html>"), text[:200] + error)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        two_accounts(folder)
        ten_blocks(folder)
        replays(folder)
        loops(folder)
        schedules(folder)
        words(folder)
        names(folder)
        right_waits(folder)
        races(folder)
        interruptions(folder)
        pages(folder)
        subjects(folder)


main()
