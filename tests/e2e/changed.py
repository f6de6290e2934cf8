#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What was changed comes first (--changed), through the command line, in repositories that are made for it: which code points five
changes have, that nothing is left out, how a build of several files is known again, and what is said of bad input.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HEDDLE = os.environ.get("HEDDLE", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "heddle"))

QUEUE = """\
#include <assert.h>
#include <pthread.h>

struct queue {
  pthread_mutex_t lock;
  int head, total;
};
static struct queue q = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void note(struct queue *to)
{
  to->total = to->total + 1;
}

static void *push(void *unused)
{
  pthread_mutex_lock(&q.lock);
  q.head++;
  note(&q);
  pthread_mutex_unlock(&q.lock);
  return unused;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, push, NULL);
  pthread_create(&b, NULL, push, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(q.head == 2);
}
"""

LOCK = "  pthread_mutex_lock(&q.lock);\n"
UNLOCK = "  pthread_mutex_unlock(&q.lock);\n"
FIELDS = ["*:*:*:q", "*:*:*:queue.head", "*:*:*:queue.lock", "*:*:*:queue.total"]

# name: (the new version, its points)
CHANGES = {
    "a lock that was removed": (
        QUEUE.replace(LOCK, "").replace(UNLOCK, ""),
        ["queue.c:push:17:*", "queue.c:push:18:*", "queue.c:push:19:*", *FIELDS]),
    "a critical section that was narrowed": (
        QUEUE.replace("  note(&q);\n" + UNLOCK, UNLOCK + "  note(&q);\n"),
        ["queue.c:push:17:*", "queue.c:push:18:*", "queue.c:push:19:*", "queue.c:push:20:*", *FIELDS]),
    "a new write of a field": (
        QUEUE.replace(LOCK, "  q.total = 0;\n" + LOCK),
        ["queue.c:push:17:*", "*:*:*:q", "*:*:*:queue.total"]),
    "a function that is called": (
        QUEUE.replace("to->total + 1", "1 + to->total"),
        ["queue.c:note:12:*", "*:*:*:queue.total"]),
    "only a comment": (QUEUE.replace("int main", "/* begins here */\nint main"), []),
}


def check(name, good, why=""):
    print(("ok - " if good else "not ok - ") + name + ("" if good else f": {why}"), flush=True)


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=heddle", "-c", "user.email=heddle@localhost", "-c", "commit.gpgsign=false",
                    "-c", "init.defaultBranch=main", *words], check=True, stdout=subprocess.DEVNULL)


def write(folder, **files):
    for name, text in files.items():
        pathlib.Path(folder, name.replace("_", ".")).write_text(text, encoding="utf-8")


def repository(place, name, **files):
    folder = os.path.join(place, name)
    os.mkdir(folder)
    git(folder, "init", "-q")
    write(folder, **files)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "before")
    return folder


def heddle(folder, *words):
    done = subprocess.run([HEDDLE, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def build(folder, source="queue.c", program="queue"):
    subprocess.run([HEDDLE, "cc", "-g", "-O1", source, "-o", program, "-pthread"], cwd=folder, check=True)


def explore(folder, *words):
    status, said = heddle(folder, "explore", "-j1", "--races", "ignore", "--no-page", "--json", "told.json", *words, "./queue")
    if status not in (0, 1):
        return {"error": said}
    return json.loads(pathlib.Path(folder, "told.json").read_text(encoding="utf-8"))


def points(place):
    folder = repository(place, "points", queue_c=QUEUE)
    for name, (text, expected) in CHANGES.items():
        write(folder, queue_c=text)
        build(folder)
        told = explore(folder, "--changed", "HEAD", "--max-executions", "1").get("changed", {})
        check("points of " + name, told.get("points") == expected, f"{told} instead of {expected}")
    status, said = heddle(folder, "check", "--changed", "HEAD", "--no-page", "--max-executions", "1", "queue.c")
    check("a source that check compiles", status == 0 and "nothing that this program is made of" in said, said)
    write(folder, queue_c=QUEUE)
    git(folder, "mv", "queue.c", "renamed.c")
    build(folder, "renamed.c")
    told = explore(folder, "--changed", "HEAD", "--max-executions", "1").get("changed", {})
    check("a file that was renamed has none", told.get("points") == [], str(told))
    git(folder, "mv", "renamed.c", "queue.c")
    moved = QUEUE.replace("  q.head++;\n", "  q.head++;\n  q.head += 0;\n")
    git(folder, "mv", "queue.c", "renamed.c")
    write(folder, renamed_c=moved)
    build(folder, "renamed.c")
    told = explore(folder, "--changed", "HEAD", "--max-executions", "1").get("changed", {})
    check("a file that was renamed and changed", told.get("points") == [*(f"renamed.c:push:{line}:*" for line in range(17, 22)), *FIELDS], str(told))


def nothing_left_out(place):
    folder = repository(place, "all", queue_c=QUEUE)
    write(folder, queue_c=QUEUE.replace("to->total + 1", "1 + to->total"))
    build(folder)
    for strategy in (["--strategy", "dfs"], ["--strategy", "dpor"], ["--strategy", "dfs", "--bound", "preemptions=1"],
                     ["--strategy", "dpor", "--bound", "preemptions=1"]):
        plain = explore(folder, *strategy)
        for heuristic in ("LA", "LOS", "FS"):
            told = explore(folder, *strategy, "--changed", "HEAD", "--heuristic", heuristic)
            same = all(plain.get(key) == told.get(key) for key in ("executions", "complete", "losses"))
            check(f"{' '.join(strategy)}, {heuristic}: as many executions, the same verdict", same and "executions" in plain,
                  f"{plain} and {told}")
    pathlib.Path(folder, "left.state").unlink(missing_ok=True)
    explore(folder, "--strategy", "dfs", "--changed", "HEAD", "--max-executions", "7", "--checkpoint", "left.state")
    rest = explore(folder, "--strategy", "dfs", "--changed", "HEAD", "--resume", "left.state")
    two = explore(folder, "--strategy", "dfs", "--changed", "HEAD", "-j2")
    one = explore(folder, "--strategy", "dfs")
    check("resumed: as many", one["executions"] == rest.get("executions") and rest.get("complete"), str(rest))
    check("two workers run as many", one["executions"] == two.get("executions") and two.get("complete"), str(two))


# The fault is found at once, and the change is elsewhere.
DOWNLOAD = """\
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines, total;

static void note(void)
{
  pthread_mutex_lock(&lock);
  lines++;
  pthread_mutex_unlock(&lock);
}

static void *get(void *unused)
{
  note();
  note();
  total += 2;
  return unused;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, get, NULL);
  pthread_create(&b, NULL, get, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(total == 4);
}
"""


def change_elsewhere(place):
    folder = repository(place, "elsewhere", queue_c=DOWNLOAD)
    write(folder, queue_c=DOWNLOAD.replace("lines++", "lines += 1"))
    build(folder)
    dfs = ["--strategy", "dfs", "--changed", "HEAD", "--heuristic"]
    plain = explore(folder, *dfs, "BASIC")
    told = explore(folder, *dfs, "MA")
    check("a change elsewhere costs little", plain.get("bugs") and told.get("bugs") and
          told["executions"] <= 1.1 * plain["executions"] + 10, f"{plain.get('executions')} and {told.get('executions')}")


def builds(place):
    makefile = "prog: main.o part.o\n\t$(CC) $^ -o $@ -pthread\n%.o: %.c\n\t$(CC) -Iinclude -DSTEP=1 -g -c $< -o $@\n"
    header = "void add(void);\nextern int sum;\n"
    part = '#include "part.h"\nint sum;\nvoid add(void)\n{\n  sum += STEP;\n}\n'
    main = ('#include "part.h"\n#include <assert.h>\n#include <pthread.h>\nstatic void *run(void *p)\n{\n  add();\n  return p;\n}\n'
            "int main(void)\n{\n  pthread_t t;\n  pthread_create(&t, 0, run, 0);\n  add();\n  pthread_join(t, 0);\n"
            "  assert(sum == 2);\n}\n")
    other = main.replace('#include "part.h"\n', "static int sum;\nstatic void add(void)\n{\n  sum += 1;\n}\n")
    folder = repository(place, "make", Makefile=makefile, main_c=main, part_c=part, other_c=other)
    os.mkdir(os.path.join(folder, "include"))
    write(os.path.join(folder, "include"), part_h=header)
    write(folder, part_c=part.replace("sum += STEP", "sum = sum + STEP"))
    subprocess.run(["make", "-s", f"CC={HEDDLE} cc"], cwd=folder, check=True)
    status, said = heddle(folder, "check", "--changed", "HEAD", "--no-page", "./prog")
    check("a build by make is known again", status == 1 and "first looked at: part.c:5 (add)" in said and "and uses of sum" in said, said)
    build(folder, "other.c", "other")
    write(folder, all_suite="other: ./other\nprog: ./prog\n")
    for words, first in ((["--changed", "HEAD"], "prog"), ([], "other")):
        status, said = heddle(folder, "suite", *words, "--no-page", "--time", "20s", "all.suite")
        told = [line[:-1] for line in said.splitlines() if line in ("other:", "prog:")]
        check(f"a suite, {words}: {first} is the first", status == 1 and told[:1] == [first], said)
    status, said = heddle(folder, "run", "--changed", "HEAD", "--strategy", "random", "--runs", "200", "--no-page", "./prog")
    check("samples", status == 1, said)
    subprocess.run(["gcc", "-g", "-DSTEP=1", "-Iinclude", "main.c", "part.c", "-o", "plain", "-pthread"], cwd=folder, check=True)
    status, said = heddle(folder, "check", "--changed", "HEAD", "./plain")
    check("a program that nobody knows how to compile", status == 2 and "how" in said and said.count("\n") == 1, said)
    commands = [{"directory": folder, "file": name, "command": f"gcc -g -DSTEP=1 -Iinclude {name}"} for name in ("main.c", "part.c")]
    pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
    status, said = heddle(folder, "check", "--changed", "HEAD", "--no-page", "./plain")
    check("and one whose commands are in compile_commands.json", "first looked at: part.c:5 (add)" in said, said)


def bad_input(place):
    folder = repository(place, "bad", queue_c=QUEUE)
    build(folder)
    for revision, expected in (("-v", "is no revision"), ("--output=x", "is no revision"), ("nowhere", "has no revision"),
                               ("HEAD; touch x", "has no revision"), ("", "takes a name")):
        status, said = heddle(folder, "check", "--changed", revision, "./queue")
        check(f'the revision "{revision}"', status == 2 and expected in said and said.count("\n") == 1, said)
    check("nothing of it was run", not os.path.exists(os.path.join(folder, "x")))
    for words in (["--iterative"], ["--order", "bfs"], ["--equivalence", "reads-from"]):
        status, said = heddle(folder, "explore", "--changed", "HEAD", *words, "./queue")
        check("not with " + words[0], status == 2 and "does not go with" in said, said)
    outside = os.path.join(place, "outside")
    os.mkdir(outside)
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": place}
    done = subprocess.run([HEDDLE, "check", "--changed", "HEAD", os.path.join(folder, "queue")], cwd=outside, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment, check=False)
    check("no repository", done.returncode == 2 and "not in the work tree" in done.stdout and done.stdout.count("\n") == 1, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as place:
        for part in (points, nothing_left_out, change_elsewhere, builds, bad_input):
            part(os.path.realpath(place))
    return 0


if __name__ == "__main__":
    sys.exit(main())
