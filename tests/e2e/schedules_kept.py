#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schedules of tests (heddle_schedule.h): kept under heddle, in every interleaving that they leave, and in free runs with
libheddle-enforce.so; told where they cannot be; each word of the language makes a difference.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
BUILD = os.path.dirname(HEDDLE)
SUBJECTS = os.path.join(ROOT, "tests", "orderings")
INCLUDE = os.path.join(ROOT, "include")

# Three threads come to events; main comes to x, and what must hold there is given with the schedule.
MEETING = """
#include <heddle_schedule.h>
HD_SCHEDULE(meeting, TEXT);
static _Atomic int a, b, c, x, ended;
static void *first(void *arg) { a = 1; HD_EVENT(a); ended = 1; return arg; }
static void *second(void *arg) { b = 1; HD_EVENT(b); return arg; }
static void *third(void *arg) { (void)arg; HD_CHECK(AT_START); c = 1; HD_EVENT(c); return 0; }
int main(void)
{
  pthread_t t[3];
  HD_CREATE(&t[0], "first", first, 0);
  HD_CREATE(&t[1], "second", second, 0);
  HD_CREATE(&t[2], "third", third, 0);
  HD_CHECK(AT_X);
  x = 1;
  HD_EVENT(x);
  HD_CHECK(AFTER_X);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  return 0;
}
"""

# A signal that comes before anybody waits is lost.
SIGNAL = """
#include <heddle_schedule.h>
HD_SCHEDULE(signalled, TEXT);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static void *waiter(void *arg)
{
  HD_EVENT(waits);
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  return arg;
}
int main(void)
{
  pthread_t thread;
  HD_CREATE(&thread, "waiter", waiter, 0);
  HD_EVENT(signals);
  pthread_mutex_lock(&lock);
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
"""

# word: schedule with it, schedule without it, what holds at the start of the third thread, after x.
WORDS = {
    "&&": ("a && b -> x", "a -> x", "1", "a && b"),
    "||": ("a -> x", "a || b -> x", "1", "a"),
    "( )": ("(a || b) && c -> x", "a || b && c -> x", "1", "c"),
    "start@": ("x -> start@third", "x -> end@third", "x", "1"),
    "end@": ("end@first -> x", "a -> x", "1", "ended"),
    "@thread": ("a@first -> x", "a@second -> b", "1", "a"),
}

# Every way a thread can wait for another, each with the call that ends it.
WAITS = {
    "mutex": ("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_lock(&m);", "pthread_mutex_lock(&m);",
              "pthread_mutex_unlock(&m);"),
    "cond": ("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;", "",
             "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
             "pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m);"),
    "timed cond": ("""#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;""", "",
                   "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec += 1000; pthread_mutex_lock(&m); "
                   "pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m);",
                   "pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m);"),
    "semaphore": ("#include <semaphore.h>\nstatic sem_t s;", "sem_init(&s, 0, 0);", "sem_wait(&s);", "sem_post(&s);"),
    "reader": ("static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", "pthread_rwlock_wrlock(&l);",
               "pthread_rwlock_rdlock(&l);", "pthread_rwlock_unlock(&l);"),
    "writer": ("static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", "pthread_rwlock_rdlock(&l);",
               "pthread_rwlock_wrlock(&l);", "pthread_rwlock_unlock(&l);"),
    "barrier": ("static pthread_barrier_t b;", "pthread_barrier_init(&b, 0, 2);", "pthread_barrier_wait(&b);",
                "pthread_barrier_wait(&b);"),
}
WAITING = """
#include <heddle_schedule.h>
%s
HD_SCHEDULE(waiting, "[waits] -> ends_it");
static void *waiter(void *arg) { HD_EVENT(waits); %s return arg; }
int main(void)
{
  pthread_t thread;
  %s
  HD_CREATE(&thread, "waiter", waiter, 0);
  HD_EVENT(ends_it);
  %s
  pthread_join(thread, 0);
  return 0;
}
"""


def case(name, good, detail=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good and detail:
        print("\n".join("    " + line for line in str(detail).splitlines()[-30:]), flush=True)


def run(*command, seconds=120, **environment):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, cwd=TMP,
                              env={**os.environ, "HOME": TMP, **environment})
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode() if isinstance(late.stdout, bytes) else str(late.stdout)


def path(name):
    return os.path.join(TMP, name)


def source(name, text):
    with open(path(name + ".c"), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name + ".c")


def built(name, file, *flags):
    """The program for heddle, and the one for free runs."""
    for command in ([HEDDLE, "cc", "-g", f"-I{INCLUDE}", file, "-o", path(name), *flags],
                    ["cc", "-O1", "-g", "-pthread", f"-I{INCLUDE}", file, "-o", path(name + "_free"), *flags, "-Wl,--no-as-needed",
                     f"-L{BUILD}", "-lheddle-enforce", f"-Wl,-rpath,{BUILD}"]):
        status, text = run(*command)
        if status:
            sys.exit(f"not ok - {name} cannot be built\n{text}")
    return path(name), path(name + "_free")


def explore(program, *options):
    return run(HEDDLE, "explore", "--time", "60s", "--races", "ignore", *options, program)


def queue():
    right, right_free = built("queue", os.path.join(SUBJECTS, "take_with_add.c"))
    stale, stale_free = built("stale", os.path.join(SUBJECTS, "take_with_add.c"), "-DSTALE")
    status, text = explore(right)
    case("the test of the queue holds in every interleaving that keeps its schedule",
         status == 0 and "in any interleaving that keeps its schedule (complete)" in text, text)
    status, text = explore(stale)
    case("its mistake is found", status == 1 and "queue_take(&queue) == 2" in text, text)
    schedule = re.search(r"heddle replay (\S+\.hd)", text)
    status, text = run(HEDDLE, "replay", schedule.group(1)) if schedule else (-1, text)
    case("and shows again", status == 1 and "the bug shows again" in text, text)
    statuses = collections.Counter(run(right_free, seconds=20)[0] for _ in range(30))
    case("free runs pass, 30 of 30", statuses == {0: 30}, statuses)
    statuses = collections.Counter(run(stale_free, seconds=20)[0] for _ in range(30))
    case("with the mistake they fail, 30 of 30", statuses == {1: 30}, statuses)
    status, text = run(right_free, HEDDLE_SCHEDULE_MODE="active")
    case("nothing is told of a run that keeps it", (status, text) == (0, ""), text)


def infeasible():
    program, free = built("infeasible", os.path.join(SUBJECTS, "infeasible.c"))
    held = "main is held before seen"
    why = "it waits for [announced], whose thread is not blocked"
    status, text = explore(program)
    case("a schedule that cannot be followed is told", status == 1 and held in text and why in text and
         "schedule never_blocked cannot be followed" in text, text)
    began = time.monotonic()
    status, text = run(free, seconds=100)
    took = time.monotonic() - began
    case("in a free run soon", status == 1 and held in text and why in text and took < 30, f"{took:.2f} s\n{text}")
    file = source("crossed", """
#include <heddle_schedule.h>
HD_SCHEDULE(crossed, "a -> b, c -> d");
static void *body(void *arg) { HD_EVENT(d); HD_EVENT(a); return arg; }
int main(void) { pthread_t t; HD_CREATE(&t, "other", body, 0); HD_EVENT(b); HD_EVENT(c); pthread_join(t, 0); return 0; }
""")
    program, free = built("crossed", file)
    status, text = explore(program)
    both = ["main is held before b", "it waits for a, which has not happened", "is held before d", "it waits for c, which has not happened"]
    case("threads that wait for each other's events are both told", status == 1 and all(b in text for b in both), text)
    status, text = run(free, seconds=20)
    case("in a free run, too", status == 1 and all(b in text for b in both), text)


def patient():
    """Whoever sleeps, or waits with a timeout, goes on by itself: that is no standstill."""
    for name, wait in (("sleep", "usleep(700000);"),
                       ("timeout", "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec += 1; sem_timedwait(&s, &t);")):
        file = source("patient", """
#include <heddle_schedule.h>
#include <semaphore.h>
#include <time.h>
HD_SCHEDULE(patient, "a -> b");
sem_t s;
static void *body(void *arg) { %s HD_EVENT(a); return arg; }
int main(void) { pthread_t t; HD_CREATE(&t, "t", body, 0); HD_EVENT(b); pthread_join(t, 0); return 0; }
""" % wait)
        status, text = run(built("patient", file)[1], seconds=20)
        case(f"a {name} is no standstill", (status, text) == (0, ""), text)


def outcomes():
    program, free = built("outcomes", os.path.join(SUBJECTS, "outcomes.c"))
    wanted = {"first_wins": "saw 1, left 1", "second_wins": "saw 2, left 2", "between": "saw 1, left 2"}
    status, text = run(free)
    case("one test, three schedules, three outcomes, in their order", (status, text.splitlines()) == (0, list(wanted.values())), text)
    for name, outcome in wanted.items():
        status, text = run(free, HEDDLE_SCHEDULE=name)
        case(f"{name} alone in a free run", (status, text.strip()) == (0, outcome), text)
        status, text = run(HEDDLE, "run", "--runs", "20", "--output", "all", "--schedule", name, program)
        lines = set(re.findall("saw .*", text))
        case(f"{name} alone under heddle", status == 0 and lines == {outcome}, text)
    status, text = run(HEDDLE, "explore", "--output", "all", program)
    case("heddle keeps each of them", status == 0 and set(re.findall("saw .*", text)) == set(wanted.values()) and
         "that keeps one of its schedules (complete)" in text, text)
    status, text = explore(program, "--schedule", "nobody")
    case("a schedule that the test does not have", status == 3 and "the test has no schedule nobody" in text, text)
    status, text = run(free, HEDDLE_SCHEDULE="nobody")
    case("nor has the free run", status == 2 and "the test has no schedule nobody" in text, text)
    status, text = run(free, HEDDLE_SCHEDULE_MODE="passive")
    case("passive mode tells only of rules that there are", status == 0 and
         all(re.match(r"saw|heddle: schedule (first_wins|second_wins|between) is not kept: .* came to it before", line)
             for line in text.splitlines()), text)


def passive():
    """Two orders that the program itself keeps, and one that it never does."""
    file = source("passive", """
#include <heddle_schedule.h>
HD_SCHEDULE(passive, "late -> early, early -> late2, early && late -> last");
int main(void) { HD_EVENT(early); HD_EVENT(late); HD_EVENT(late2); HD_EVENT(last); return 0; }
""")
    _, free = built("passive", file)
    status, text = run(free, HEDDLE_SCHEDULE_MODE="passive")
    expected = "heddle: schedule passive is not kept: late -> early; main came to it before late, which has not happened\n"
    case("passive mode tells exactly what is not kept", (status, text) == (0, expected), text)


def words():
    file = source("meeting", MEETING)
    for word, (right, wrong, start, after) in WORDS.items():
        for text, good in ((right, True), (wrong, False)):
            flags = [f'-DTEXT="{text}"', f"-DAT_START=({start})", "-DAT_X=1", f"-DAFTER_X=({after})"]
            program, free = built("meeting", file, *flags)
            status, said = explore(program)
            case(f"{word}: {text} {'is enough' if good else 'is not'}",
                 status == 0 and "complete" in said if good else status == 1 and "assertion failed" in said, said)
            statuses = {run(free, seconds=20)[0] for _ in range(5)} if good else {0}
            case(f"{word}: {text} in free runs", statuses == {0}, statuses)
    file = source("signalled", SIGNAL)
    program, free = built("signalled", file, '-DTEXT="[waits] -> signals"')
    status, said = explore(program)
    case("[ ]: no signal is lost", status == 0 and "complete" in said, said)
    statuses = {run(free, seconds=20)[0] for _ in range(20)}
    case("[ ]: nor in free runs", statuses == {0}, statuses)
    program, free = built("signalled", file, '-DTEXT="waits -> signals"')
    status, said = explore(program)
    case("[ ]: without it, one is", status == 1 and "deadlock" in said, said)


def waits():
    for name, (declare, before, wait, end) in WAITS.items():
        program, free = built("waiting", source("waiting", WAITING % (declare, wait, before, end)))
        status, said = explore(program, "--sleeps", "exact") # else it may be over before anybody looks
        case(f"blocked on a {name}", status == 0 and "complete" in said and "never happened" not in said, said)
        statuses = {run(free, seconds=20)[0] for _ in range(5)}
        case(f"blocked on a {name} in free runs", statuses == {0}, statuses)


def wrong_texts():
    for text, where in (("a -> b -> c", "line 1, column 8: expected `,`, another ordering or the end, found `->`"),
                        ("a -> b,\\nb -> a", "line 1, column 1: b would have to happen before itself")):
        file = source("wrong", f'#include <heddle_schedule.h>\nHD_SCHEDULE(wrong, "{text}");\nint main(void) {{ return 0; }}\n')
        program, free = built("wrong", file)
        status, said = explore(program)
        case(f"{text}: heddle says where", status == 3 and "wrong.c:2: in schedule wrong, " + where in said, said)
        status, said = run(free)
        case(f"{text}: so do free runs", status == 2 and "wrong.c:2: in schedule wrong, " + where in said, said)


def notes():
    file = source("noted", """
#include <heddle_schedule.h>
HD_SCHEDULE(noted, "again -> seen, seen -> mispelt");
static void *body(void *arg) { HD_EVENT(again); HD_EVENT(again); return arg; }
int main(void) { pthread_t t; HD_CREATE(&t, "t", body, 0); HD_EVENT(seen); pthread_join(t, 0); HD_EVENT(misspelt); return 0; }
""")
    program, free = built("noted", file)
    expected = ["schedule noted: mispelt never happened", "schedule noted: again happened more than once"]
    for name, (status, said) in {"heddle": explore(program), "a free run": run(free)}.items():
        case(f"{name} notes what never happened, and what did twice", status == 0 and all(e in said for e in expected), said)


def ends():
    file = source("ends", """
#include <heddle_schedule.h>
HD_SCHEDULE(ends, "end@exits && end@cancelled -> seen, a -> go_on");
static void *exits(void *arg) { pthread_exit(arg); }
static void *cancelled(void *arg) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&m); for (;;) pthread_cond_wait(&c, &m); return arg; }
int main(void)
{
  pthread_t t[2];
  HD_CREATE(&t[0], "exits", exits, 0);
  HD_CREATE(&t[1], "cancelled", cancelled, 0);
  pthread_cancel(t[1]);
  HD_EVENT(seen);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
""")
    program, free = built("ends", file)
    status, said = explore(program)
    case("threads that exit or are cancelled end", status == 0 and "complete" in said, said)
    status, said = run(free, seconds=20)
    case("in free runs, too", status == 0, said)


def ended():
    """A thread that was to be blocked and has ended never will be: told at once, though somebody else sleeps and could go on."""
    file = source("ended", """
#include <heddle_schedule.h>
HD_SCHEDULE(ended, "[gone] -> seen");
static void *emitter(void *arg) { HD_EVENT(gone); return arg; }
static void *sleeper(void *arg) { sleep(600); return arg; }
int main(void) { pthread_t t[2]; HD_CREATE(&t[0], "emitter", emitter, 0); HD_CREATE(&t[1], "sleeper", sleeper, 0);
  HD_EVENT(seen); pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }
""")
    _, free = built("ended", file)
    status, text = run(free, seconds=60)
    case("a thread that was to be blocked has ended: told at once", status == 1 and
         "cannot be followed: a thread that was to be blocked has ended" in text and
         "main is held before seen: it waits for [gone], whose thread is not blocked" in text, text)
    file = source("held", """
#include <heddle_schedule.h>
HD_SCHEDULE(held, "[first] -> second, second -> third");
static void *other(void *arg) { HD_EVENT(first); HD_EVENT(third); return arg; }
int main(void) { pthread_t t; HD_CREATE(&t, "other", other, 0); HD_EVENT(second); pthread_join(t, 0); return 0; }
""")
    program, free = built("held", file)
    for name, (status, text) in {"heddle": explore(program), "a free run": run(free, seconds=60)}.items():
        case(f"{name}: who is held is not blocked", status == 1 and "it waits for [first], whose thread is not blocked" in text, text)


FORMULA = """
#include <heddle_schedule.h>
#include <assert.h>
#include <semaphore.h>
static sem_t s;
static _Atomic int started, waits;
HD_FORMULA(rich, TEXT);
static void *taker(void *arg) { HD_EVENT(begins); started = 1; waits = 1; sem_wait(&s); waits = 0; HD_EVENT(taken); return arg; }
int main(void)
{
  pthread_t t;
  HD_CREATE(&t, "taker", taker, 0);
  int before = started;
  HD_EVENT(put);
  assert(HOLDS || before < 0);
  sem_post(&s);
  HD_EVENT(end_of_put);
  pthread_join(t, 0);
  return 0;
}
"""


def formulas():
    """What orderings cannot say: when put happens the taker is blocked, or has not begun."""
    file = source("formula", FORMULA)
    with_text = lambda text, holds="1": built("formula", file, f'-DTEXT="{text}"', f"-DHOLDS=({holds})")
    for holds, text, good in (("waits", "put && [taker] -> put", True), ("waits", "begins -> put", False),
                              ("waits || !before", "(put && [taker] -> put) || !(begins -> put)", True),
                              ("waits || !before", "begins -> end_of_put", False)):
        program, free = with_text(text, holds)
        for strategy in "dfs", "dpor":
            status, said = explore(program, "--strategy", strategy)
            case(f"{text}: {holds} {'always' if good else 'not always'}, by {strategy}", status == 0 and "that keeps its schedule (complete)" in said
                 if good else status == 1 and "assertion failed" in said, said)
        statuses = collections.Counter(run(free, seconds=60)[0] for _ in range(10)) if good else {0: 10}
        case(f"{text}: in free runs", statuses == {0: 10}, statuses)
    program, free = with_text("!(taken -> end_of_put)")
    status, said = explore(program, "--strategy", "dfs")
    case("an order can be forbidden", status == 0 and "complete" in said, said)
    status, said = explore(program)
    case("by a search that leaves out orders of what is independent, too", status == 0 and "(complete)" in said, said)
    statuses = collections.Counter(run(free, seconds=60)[0] for _ in range(10))
    case("in free runs, too", statuses == {0: 10}, statuses)
    program, free = with_text("([taker] -> put), (begins -> put)", "waits")
    status, said = explore(program, "--strategy", "dfs")
    case("heddle sees who is blocked when nothing happens", status == 0 and "complete" in said, said)
    status, said = run(free)
    case("free runs say that they do not", status == 2 and "asks who is blocked when no event happens" in said and len(said.splitlines()) == 1, said)
    program, free = with_text("never -> put")
    for name, (status, said) in {"heddle": explore(program, "--strategy", "dfs"), "a free run": run(free, seconds=60)}.items():
        case(f"{name}: a formula that cannot be followed", status == 1 and "schedule rich cannot be followed" in said and
             "main is held before put" in said and "it waits for never -> put to hold" in said, said)
    program, free = with_text("!(never -> never2)")
    status, said = explore(program, "--strategy", "dfs")
    case("one that does not hold at the end is noted", status == 0 and "schedule rich: it held at the end of 0 of" in said, said)
    status, said = run(free, seconds=60)
    case("and fails a free run", status == 1 and "schedule rich is not kept: it does not hold at the end" in said, said)
    _, free = with_text("taken -> put")
    status, said = run(free, seconds=60, HEDDLE_SCHEDULE_MODE="passive")
    case("passive mode tells when it is lost", status == 0 and
         "schedule rich is not kept: main came to put, and too early for taken -> put to hold" in said, said)


SIDE = """
#include <heddle_schedule.h>
#include <assert.h>
static int x, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void set(int to) { pthread_mutex_lock(&m); x = to; pthread_mutex_unlock(&m); }
static void *other(void *arg)
{
  set(1);
  if (arg) {
    EVENT(was_set) EVENT(set_again) set(2);
  }
  return arg;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, other, &x);
  EVENT(look) pthread_mutex_lock(&m);
  seen = x;
  pthread_mutex_unlock(&m);
  EVENT(looked) assert(seen == 1);
  pthread_join(t, 0);
  return 0;
}
"""
BETWEEN = """# in between
schedule between:
  was_set -> look, looked -> set_again

side.c:11 was_set
side.c:11 set_again
side.c:19 look
side.c:22 looked
"""


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as out:
        out.write(text)
    return path(name)


def side_files():
    """Schedules beside the test, which stays as it is."""
    file = source("side", re.sub(r"EVENT\(\w+\) ", "", SIDE))
    check = lambda *more: run(HEDDLE, "explore", "--races", "ignore", file, *more)
    status, said = check()
    case("without its file the test fails", status == 1 and "seen == 1" in said, said)
    write("side.schedule", BETWEEN)
    status, said = check()
    case("with it, events come to source lines", status == 0 and "that keeps its schedule (complete)" in said and
         "never happened" not in said, said)
    os.rename(path("side.schedule"), path("other.schedule"))
    status, said = check("other.schedule")
    case("the file may be named", status == 0 and "that keeps its schedule (complete)" in said, said)
    said = [run(HEDDLE, "cc", "-g", "-c", "side.c", "other.schedule"), run(HEDDLE, "cc", "side.o", "-o", "side_built"), explore(path("side_built"))]
    case("heddle cc places events", [status for status, _ in said] == [0, 0, 0] and "that keeps its schedule (complete)" in said[2][1], said)
    place = path("a_folder_for_temporary_files_" + 80 * "x")
    os.mkdir(place)
    status, said = run(HEDDLE, "cc", "-g", "-c", "side.c", "other.schedule", TMPDIR=place)
    case("wherever temporary files are, and leaves none there", status == 0 and not os.listdir(place), said)
    write("other.schedule", BETWEEN.replace("was_set -> look, ", ""))
    status, said = check("other.schedule")
    case("a failing test is told by its own name and lines", status == 1 and re.search(r"\bside\.c:22\b", said) and "heddle-cc-" not in said, said)
    for text, why in (("side.c:8 a\n", "other.schedule:1:1: side.c:8: no statement begins there; the next one does on line 9"),
                      ("schedule s: a -> b\nelsewhere.c:9 a\n", "other.schedule:2:1: elsewhere.c is no source that is compiled here"),
                      ("schedule s:\n a -> b -> c\n", "other.schedule:2:9: expected `,`, another ordering or the end, found `->`"),
                      ("a -> b\n", "other.schedule:1:1: expected `schedule NAME:`")):
        write("other.schedule", text)
        status, said = check("other.schedule")
        name = text.strip().splitlines()[-1].strip()
        case(f"{name}: where it is wrong", status == 2 and why in said and len(said.splitlines()) == 1, said)
        status, said = run(HEDDLE, "cc", "-c", "side.c", "other.schedule")
        case(f"{name}: heddle cc says so", status == 2 and why in said and len(said.splitlines()) == 1, said)
    _, free = built("free_side", source("free_side", re.sub(r"EVENT\((\w+)\)", r"HD_EVENT(\1);", SIDE)))
    write("free_side_free.schedule", "schedule between: was_set -> look, looked -> set_again\n")
    statuses = collections.Counter(run(free, seconds=60) for _ in range(10))
    case("a free run keeps the schedules beside the program", statuses == {(0, ""): 10}, statuses)
    status, said = run(free, HEDDLE_SCHEDULES=path("other.schedule"))
    case("or those of a file that is named, and says what is wrong", status == 2 and "other.schedule:1:1: expected `schedule NAME:`" in said, said)
    write("other.schedule", BETWEEN)
    status, said = run(free, HEDDLE_SCHEDULES=path("other.schedule"))
    case("what cannot be placed in a free run is told", status == 0 and
         "other.schedule:7: look cannot be placed at side.c:19 while the test runs: heddle cc does that" in said, said)


def sanitized():
    """The library itself, and a test, under ThreadSanitizer."""
    sources = [os.path.join(ROOT, "src", "enforce", f) for f in sorted(os.listdir(os.path.join(ROOT, "src", "enforce"))) if f.endswith(".c")]
    sources += [os.path.join(ROOT, "src", f) for f in ("language/order_parse.c", "language/order_check.c", "language/order_file.c", "core/ordering.c", "core/formula.c", "core/without_libc.c", "core/system_library.c",
                                                    "core/monitor.c", "core/monitor_chart.c", "core/monitor_word.c", "core/property_code.c",
                                                    "core/property_instances.c", "core/property_happening.c", "core/property_pack.c",
                                                    "watch/patches.c", "watch/watch_entry.S")]
    status, text = run("cc", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-g", "-fsanitize=thread", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{ROOT}/src", f"-I{INCLUDE}",
                       *sources, "-o", path("libheddle-enforce.so"), "-ldl", "-lpthread")
    if status:
        case("the library can be built with ThreadSanitizer", False, text)
        return
    for name in ("take_with_add", "outcomes"):
        run("cc", "-fsanitize=thread", "-g", f"-I{INCLUDE}", os.path.join(SUBJECTS, name + ".c"), "-o", path("tsan"))
        results = [run(path("tsan"), seconds=30, LD_PRELOAD=path("libheddle-enforce.so")) for _ in range(5)]
        case(f"{name}: ThreadSanitizer has nothing to say", all(s == 0 and "WARNING" not in t for s, t in results), results)


with tempfile.TemporaryDirectory() as TMP:
    for part in (queue, infeasible, patient, outcomes, passive, words, waits, wrong_texts, notes, ends, ended, formulas, side_files, sanitized):
        part()
