#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore --executor socket says what --executor memory says, and nothing is lost on the way.

Programs that end, fail and stand still in every way are explored with both: text, JSON (but for times) and exit status must
be the same. Then what happens to processes meanwhile: the tested one is killed, heddle or its agent is stopped, heddle is
killed, or may open no files any more.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 200  # seconds for one command, however busy the machine is
# Which execution was the first to cover something depends on when a worker hands in.
TIMES = {"seconds", "executions_per_second", "estimate", "progress", "growth", "one_first", "other_first"}

for variable in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(variable, None)

START = "#include <assert.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"

INLINE = {
    "ends_early": "__attribute__((constructor)) static void early(void) { exit(7); } int main(void) { return 0; }",
    "aborts_early": "__attribute__((constructor)) static void early(void) { abort(); } int main(void) { return 0; }",
    "killed_early": "__attribute__((constructor)) static void early(void) { kill(getpid(), SIGKILL); } int main(void) { return 0; }",
    "loops_early": "__attribute__((constructor)) static void early(void) { for (;;) __asm__ volatile(\"\"); } int main(void) { return 0; }",
    "loops": """static void *loop(void *p) { for (;;) __asm__ volatile(""); return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, loop, NULL); pthread_join(t, NULL); return 0; }""",
    # Two orders, in processes that start others: each execution is a fresh one.
    "forks": """static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *p) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return p; }
int main(void)
{
  pthread_t t;
  if (fork() == 0) _exit(0);
  wait(NULL);
  pthread_create(&t, NULL, use, NULL);
  use(NULL);
  pthread_join(t, NULL);
  return 0;
}""",
    "kills_itself": """static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static void *use(void *p)
{
  pthread_mutex_lock(&lock);
  int mine = turn++;
  pthread_mutex_unlock(&lock);
  if (p && !mine) kill(getpid(), SIGKILL);
  return p;
}
int main(void) { pthread_t t; pthread_create(&t, NULL, use, &t); use(NULL); pthread_join(t, NULL); return 0; }""",
    # The first few executions of a search show a race on `told`; the many that follow, in which the second thread comes
    # first, do not. Who loses what it found on the way does not find it again.
    "early_race": """static int came, told;
static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *lock_all(void *p)
{
  for (int i = 0; i < 30; i++) { pthread_mutex_lock(&lock[i % 3]); pthread_mutex_unlock(&lock[i % 3]); }
  return p;
}
static void *tell(void *p) { __atomic_store_n(&came, 1, __ATOMIC_RELAXED); told++; return p; }
static void *look(void *p)
{
  pthread_t other;
  if (__atomic_load_n(&came, __ATOMIC_RELAXED)) { told++; return p; }
  pthread_create(&other, NULL, lock_all, NULL);
  lock_all(NULL);
  pthread_join(other, NULL);
  return p;
}
int main(void)
{
  pthread_t teller, looker;
  pthread_create(&teller, NULL, tell, NULL);
  pthread_create(&looker, NULL, look, NULL);
  pthread_join(teller, NULL);
  pthread_join(looker, NULL);
  return 0;
}""",
    # Six orders: two fail after a moment, the others compute for a third of a second or so. Of two workers the one finds the bug while
    # the other is in the middle of an execution.
    "long_beside_bug": """static int turn;
static void compute(long rounds) { for (long i = 0; i < rounds; i++) __asm__ volatile(""); }
static void *take_turn(void *mine) { *(int *)mine = __atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST); return NULL; }
int main(void)
{
  pthread_t thread[3];
  int mine[3];
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, take_turn, &mine[i]);
  for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
  compute(50000000);
  assert(mine[1] != 1);
  compute(500000000);
  return 0;
}""",
}
FILES = {"scribble": "promptness/scribble.c", "writes_files": "edges/own_asynchronous_io.c"}

#        program, options and arguments
SAME = [("ends_early", [], []),
        ("aborts_early", ["-j", "2"], []),
        ("killed_early", [], []),
        ("loops_early", ["--time", "500ms"], []),
        ("loops", ["--grace", "500ms"], []),
        ("forks", [], []),
        ("forks", ["-j", "2", "--keep-going"], []),
        ("kills_itself", ["--keep-going"], []),
        ("kills_itself", ["-j", "2", "--keep-going"], []),
        ("writes_files", [], []),
        ("scribble", ["--time", "5s"], ["0", "300000", "255"]),
        ("early_race", ["--keep-going", "--max-executions", "200"], []),
        ("early_race", ["--keep-going", "--max-executions", "30", "--reset", "exec", "--coverage"], [])]


def report(good, name, why=""):
    print(f"{'ok' if good else 'not ok'} - {name}{'' if good else f' ({why})'}", flush=True)


def build(folder):
    for name, text in INLINE.items():
        pathlib.Path(folder, f"{name}.c").write_text(START + text + "\n")
    for name, path in FILES.items():
        shutil.copy(ROOT / "tests" / path, pathlib.Path(folder, f"{name}.c"))
    for name in [*INLINE, *FILES]:
        subprocess.run([HEDDLE, "cc", "-O1", "-g", "-std=gnu17", "-pthread", f"{name}.c", "-o", name], cwd=folder, check=True)


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in TIMES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def command(executor, program, options=(), args=()):
    shutil.rmtree("out", ignore_errors=True)
    return [HEDDLE, "explore", "--no-page", "--out", "out", "--json", "result.json", *(["-j", "1"] if "-j" not in options else []),
            "--executor", executor, *options, f"./{program}", "--", *args]


def explore(executor, program, options, args):
    """(status, text, JSON), without times"""
    pathlib.Path("result.json").unlink(missing_ok=True)
    try:
        done = subprocess.run(command(executor, program, options, args), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {LIMIT} s"
    document = None
    with contextlib.suppress(OSError, ValueError):
        document = without_times(json.loads(pathlib.Path("result.json").read_text()))
    text = re.sub(r"[\u2581-\u2588]+", "GROWTH", done.stdout.decode(errors="replace"))
    return done.returncode, re.sub(r"\([\d,]+/s\)", "RATE", re.sub(r"[\d.]+ (m?s|min)\b", "TIME", text)), document


def test_same():
    for program, options, args in SAME:
        memory, socket = (explore(executor, program, options, args) for executor in ("memory", "socket"))
        report(memory == socket, f"the same: {' '.join([program, *options])}", f"{memory} over memory, {socket} over a socket")


def children(pid):
    with contextlib.suppress(OSError):
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def name_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return None


def below(pid):
    """All that descend from it."""
    return [found for child in children(pid) for found in [child, *below(child)]]


def wait_until(what, seconds=LIMIT):
    """What it says as soon as that is true."""
    end = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


@contextlib.contextmanager
def running(executor, program, *options):
    """A search, and how to know the process it tests."""
    with subprocess.Popen(command(executor, program, options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as search:
        try:
            yield search, lambda: [pid for pid in below(search.pid) if name_of(pid) == program]
        finally:
            search.kill()


def said(search):
    """(status, text); None: it has no end."""
    try:
        text = search.communicate(timeout=LIMIT)[0]
        return search.returncode, text
    except subprocess.TimeoutExpired:
        return None, "no end"


def test_tested_process_killed():
    for executor in ("memory", "socket"):
        with running(executor, "early_race", "--keep-going", "--time", "2s") as (search, tested):
            wait_until(tested)
            time.sleep(1)  # it has found the race, and is past the executions that show it
            for pid in tested():
                os.kill(pid, signal.SIGKILL)
            status, text = said(search)
            report(status == 1 and "data race on told" in text, f"{executor}: a bug outlives the process that showed it", text)


def test_bug_beside():
    for executor in ("memory", "socket"):
        with running(executor, "long_beside_bug", "-j", "2") as (search, _):
            status, text = said(search)
            report(status == 1 and "lost" not in text, f"{executor}: who is told to stop has time for its execution", text)


def test_heddle_stopped():
    for executor in ("memory", "socket"):
        with running(executor, "early_race", "-j", "1", "--keep-going", "--races", "ignore", "--time", "5s") as (search, tested):
            wait_until(tested)
            time.sleep(0.5)
            workers = children(search.pid)
            search.send_signal(signal.SIGSTOP)
            time.sleep(3)
            search.send_signal(signal.SIGCONT)
            time.sleep(0.2)
            same = children(search.pid) == workers
            status, text = said(search)
            report(same and status == 0, f"{executor}: heddle stopped for 3 s loses no worker", text)


def test_agent_stopped():
    with running("socket", "early_race", "--keep-going", "--races", "ignore", "--time", "2s") as (search, tested):
        wait_until(tested)
        for pid in children(search.pid):
            os.kill(pid, signal.SIGSTOP)
        everybody = below(search.pid)
        begun = time.monotonic()
        status, text = said(search)
        report(status is not None and time.monotonic() - begun < 60, "socket: an agent that is stopped is not waited for", text)
        report(wait_until(lambda: not any(name_of(pid) for pid in everybody)), "socket: and ends, with all it started")


def test_heddle_killed():
    for executor in ("memory", "socket"):
        for reset in ("snapshot", "fork", "exec"):
            with running(executor, "early_race", "-j", "2", "--keep-going", "--races", "ignore", "--reset", reset) as (search, tested):
                wait_until(lambda tested=tested: len(tested()) > 1)
                everybody = below(search.pid)
                search.kill()
                search.wait()
                gone = wait_until(lambda everybody=everybody: not any(name_of(pid) == "early_race" for pid in everybody), 5)
                report(gone, f"{executor}, {reset}: nothing outlives heddle")


def test_no_more_files():
    for executor in ("memory", "socket"):
        with running(executor, "early_race", "--keep-going", "--races", "ignore") as (search, tested):
            wait_until(tested)
            time.sleep(0.5)  # it has found out how to run the program
            victims = tested()
            resource.prlimit(search.pid, resource.RLIMIT_NOFILE, (3, 3))
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            status, text = said(search)
            report(status == 3 and "too few open files" in text, f"{executor}: a worker that cannot be replaced is told of",
                   f"status {status}: {text}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="heddle-executors.")
    try:
        build(folder)
        os.chdir(folder)
        test_same()
        test_tested_process_killed()
        test_bug_beside()
        test_heddle_stopped()
        test_agent_stopped()
        test_heddle_killed()
        test_no_more_files()
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
