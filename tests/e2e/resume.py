#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search that is resumed is the search that was begun, or it is refused.

The options come from the list heddle is made from (`heddle help settings`): each one that explore takes is changed and a
checkpoint resumed with it. What changes the meaning of a search must be refused by name; all else must lead to the same
end. Then everything else a search is about: program, libraries, arguments, input, environment, folder; and the file itself.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))

# The shared word is on main's stack: where that begins matters.
WRITERS = """
#include <pthread.h>
#include <stdatomic.h>
void touch(atomic_int *x) { *x += 1; }
static void *writer(void *x) { touch(x); return NULL; }
int main(void)
{
  atomic_int x = 0;
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, writer, &x);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 0;
}
"""
EXECUTIONS = 24

# It fails in some order, but only for one input, argument or variable.
CHOOSY = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static atomic_int x;
static void *add(void *arg) { int old = x; x = old + 1; return arg; }
int main(int argc, char **argv)
{
  char text[16] = "";
  pthread_t t[2];
  ssize_t n = read(0, text, sizeof text - 1);
  const char *variable = getenv("CHOICE");
  int bad = (n > 0 && text[0] == 'b') || (argc > 1 && *argv[1] == 'b') || (variable && *variable == 'b');
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, add, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(!bad || x == 2);
  return 0;
}
"""

# It fails in the order of one execution, and takes its time.
ONCE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_long x;
static int disorder[6];
static void *write_in_turn(void *me)
{
  disorder[(long)me] = atomic_exchange(&x, (long)me) != (long)me - 1;
  return NULL;
}
int main(void)
{
  pthread_t t[5];
  for (long i = 0; i < 5; i++) pthread_create(&t[i], NULL, write_in_turn, (void *)(i + 1));
  for (int i = 0; i < 5; i++) pthread_join(t[i], NULL);
  for (long i = 0; i < 60000000; i++) __asm__ volatile("");
  assert(disorder[1] || disorder[2] || disorder[3] || disorder[4] || disorder[5]);
  return 0;
}
"""

PLAIN = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *arg) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return arg; }
int main(void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, use, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return 0;
}
"""

USES = """
int step(int x);
int main(void) { return step(0); }
"""


def case(name, good, why=""):
    print(f"{'ok' if good else 'not ok'} - {name}" + ("" if good else f" ({why})"), flush=True)


def run(*words, text="", env=None, cwd=None):
    return subprocess.run([HEDDLE, *words], input=text, capture_output=True, text=True, env=env, cwd=cwd, timeout=400)


def compile_c(source, name, *flags):
    with open(name + ".c", "w", encoding="utf-8") as f:
        f.write(source)
    subprocess.run([HEDDLE, "cc", "-g", name + ".c", "-o", name, *flags], check=True, timeout=400)


def make_repository(source):
    """The folder, with another version of the source before."""
    git = ["git", "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    with open(source, encoding="utf-8") as f:
        text = f.read()
    with open(source, "a", encoding="utf-8") as f:
        f.write("/* before */\n")
    for words in (["init", "-q"], ["add", source], ["commit", "-qm", "before"]):
        subprocess.run([*git, *words], check=True)
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)


def settings():
    rows = []
    for line in run("help", "settings").stdout.splitlines():
        if "\t" not in line:  # what the table is
            continue
        name, kind, values, initial, scope, commands, why = line.split("\t")
        rows.append(dict(name=name, kind=kind, values=values.split("|"), initial=initial, scope=scope,
                         commands=commands.split(","), why=why))
    return rows


def begin(program="./writers", *options, executions=8, **more):
    """A checkpoint of a search that has begun and is not at its end."""
    done = run("explore", "-q", "-j", "1", "--max-executions", str(executions), "--checkpoint", "begun", *options, program,
               **more)
    assert done.returncode == 0, done.stderr
    return "begun"


def resume(*options, program="./writers", **more):
    """Resumes a copy, so that the checkpoint can be used again."""
    shutil.copy(os.path.join(more.get("cwd") or ".", "begun"), "state")
    return run("explore", "--resume", os.path.abspath("state"), *options, program, **more)


def refused(done, words):
    return done.returncode == 2 and "cannot be used: " in done.stderr and words in done.stderr and \
        "complete" not in done.stdout


def completes(done, document):
    if not os.path.exists(document):
        return False
    with open(document, encoding="utf-8") as f:
        data = json.load(f)
    return done.returncode == 0 and data["complete"] and data["executions"] == EXECUTIONS and not data["bugs"]


# ---- every option ----


def other_value(row):
    """A value that is not the default, or None: the kind is not known here."""
    if row["kind"] == "FLAG":
        return []
    by_name = {"--strategy": "dfs", "--calls": "touch", "--bound": "preemptions=7", "--build": "true",
               "--suppressions": "some.supp", "--baseline": "baseline",
               "--spec": "some.mop", "--specs": "posix", "--changed": "HEAD"}
    by_kind = {"NUMBER": "77", "POSITIVE": "77", "DURATION": "77s", "SIZE": "77M", "EXIT_STATUS": "77", "NAMES": "NOBODY",
               "TEXT": "other-file"}
    if row["kind"] == "CHOICE":
        return [[v for v in row["values"] if v != row["initial"]][-1]]
    value = by_name.get(row["name"]) or by_kind.get(row["kind"])
    return [value] if value else None


def change_meaning(row, value):
    begin()
    done = resume(row["name"], *value)
    if row["name"] in NOT_WITH_RESUME:
        case(f"{row['name']} is refused with a checkpoint", done.returncode == 2 and
             NOT_WITH_RESUME[row["name"]] in done.stderr, done.stderr)
        return
    case(f"{row['name']} changes the meaning and is refused", refused(done, row["name"]),
         f"status {done.returncode}: {done.stdout}{done.stderr}")


# Options that do not go with a checkpoint at all, or end the search by themselves.
NOT_WITH_RESUME = {"--record": "without --resume", "--equivalence": "does not go with checkpoints",
                   "--cluster": "does not go with --checkpoint", "--env-pass": "goes with --cluster"}
# Options that are about another kind of search than the usual one.
OF = {"--iterative": ["--bound", "preemptions=1"], "--order": ["--strategy", "dfs"]}


def change_how(row, value):
    name = row["name"]
    begin("./writers", *OF.get(name, []))
    if name in NOT_WITH_RESUME:
        done = resume(name, *value)
        case(f"{name} is refused with a checkpoint", done.returncode == 2 and NOT_WITH_RESUME[name] in done.stderr,
             done.stderr)
        return
    if name in ("--help", "--all-options"):
        case(f"{name} runs nothing", resume(name).stdout.startswith("usage: "))
        return
    if name == "--resume":
        done = run("explore", "--resume", "begun", "--json", "end.json", "./writers")
        case("--resume goes on", completes(done, "end.json"), done.stdout + done.stderr)
        return
    if name in OF:
        done = resume(*OF[name], name, *value)
        case(f"{name}: it goes on, as {row['why']}", done.returncode == 0 and "(complete):" in done.stdout,
             done.stdout + done.stderr)
        return
    if name == "--max-executions":
        value = ["9"]
        done = resume(name, *value)
        case("--max-executions ends it earlier", done.returncode == 0 and "complete)" not in done.stdout, done.stdout)
        done = run("explore", "--resume", "state", "--json", "end.json", "./writers")
        case("and what is left can be resumed", completes(done, "end.json"), done.stdout + done.stderr)
        return
    json_file = "other-file" if name == "--json" else "end.json"
    with_json = [] if name == "--json" else ["--json", json_file]
    done = resume(name, *value, *with_json)
    case(f"{name}: the same end, as {row['why']}", completes(done, json_file),
         f"status {done.returncode}: {done.stdout}{done.stderr}")
    for path in ("other-file", json_file):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)


def every_option():
    rows = settings()
    with open("some.mop", "w", encoding="utf-8") as f:
        f.write("Once() { event begins before() : threadStart() {} ere: begins* @fail {} }\n")
    with open("some.supp", "w", encoding="utf-8") as f:
        f.write("race:nowhere\n")
    run("bugs", "--write-baseline", "baseline")
    case("there are settings", len(rows) > 60, str(len(rows)))
    for row in rows:
        value = other_value(row)
        if value is None:
            case(f"{row['name']} has a value to try", False, row["kind"])
        elif "explore" not in row["commands"]:
            done = resume(row["name"], *value)
            case(f"{row['name']} is not for explore", done.returncode == 2 and "has no option" in done.stderr, done.stderr)
        elif row["scope"] == "meaning":
            change_meaning(row, value)
        else:
            change_how(row, value)
    return rows


def all_are_listed(rows):
    overview = run("--help").stdout
    commands = [c for c in re.findall(r"^  ([a-z+]+) {2,}", overview, re.M) if c not in ("cc", "c++")]
    case("commands are known", "explore" in commands and "minimise" in commands, str(commands))
    with open(os.path.join(os.path.dirname(HEDDLE), "docs", "heddle.1"), encoding="utf-8") as f:
        man = f.read().replace("\\-", "-")
    for command in commands:
        options = set(re.findall(r"^  (?:    |-., )(--[a-z-]+)", run(command, "--all-options").stdout, re.M))
        listed = {row["name"] for row in rows if command in row["commands"]}
        case(f"all options of {command} are in the list", options == listed, str(options ^ listed))
    missing = [row["name"] for row in rows if not re.search(re.escape(row["name"]) + r"(?![a-z-])", man)]
    case("all are in the manual", not missing, str(missing))


# ---- what the program is, and what it is given ----


def program_and_input():
    env = dict(os.environ, CHOICE="a")
    begin("./choosy", executions=1, text="a", env=env)
    same = dict(program="./choosy", text="a", env=env)
    done = resume(**same)
    case("the same goes on", done.returncode == 0 and "complete)" in done.stdout, done.stdout + done.stderr)
    done = resume(**dict(same, text="b"))
    case("another standard input", refused(done, "another standard input"), done.stdout + done.stderr)
    done = resume(**dict(same, text=""))
    case("no standard input", refused(done, "another standard input"), done.stdout + done.stderr)
    shutil.copy("begun", "state")
    done = run("explore", "--resume", "state", "./choosy", "--", "b", text="a", env=env)
    case("other arguments", refused(done, "other arguments"), done.stdout + done.stderr)
    done = resume(**dict(same, program=os.path.abspath("choosy")))
    case("the program by another name", refused(done, "other arguments"), done.stdout + done.stderr)
    done = resume(**dict(same, env=dict(env, CHOICE="b")))
    case("another variable is named", refused(done, "differs in CHOICE (--env-ignore CHOICE"), done.stdout + done.stderr)
    done = resume(**dict(same, env={k: v for k, v in env.items() if k != "CHOICE"}))
    case("a missing one, too", refused(done, "differs in CHOICE"), done.stdout + done.stderr)
    done = resume(**dict(same, env=dict(env, NEW="1", NEWER="2")))
    case("new ones, too", refused(done, "differs in NEW and NEWER"), done.stdout + done.stderr)
    done = resume("--env-ignore", "CHOICE", "--env-ignore", "NEW", **dict(same, env=dict(env, CHOICE="c", NEW="1")))
    case("--env-ignore leaves them out", done.returncode == 0 and "complete)" in done.stdout, done.stdout + done.stderr)
    with open("begun", encoding="utf-8") as f:
        text = f.read()
    case("the file has no values", "CHOICE" in text and env["PATH"] not in text and "CHOICE=a" not in text)
    for name in ("_", "SHLVL", "OLDPWD", "HEDDLE_CC"):
        done = resume(**dict(same, env=dict(env, **{name: "other"})))
        case(f"{name} is not the program's", done.returncode == 0 and "complete)" in done.stdout, done.stdout + done.stderr)
    os.mkdir("elsewhere")
    shutil.copy("begun", "elsewhere/begun")
    shutil.copy("choosy", "elsewhere/choosy")
    done = resume(**dict(same, cwd="elsewhere"))
    case("another folder", refused(done, "ran in the folder " + os.getcwd()), done.stdout + done.stderr)
    compile_c(CHOOSY.replace("x == 2", "x >= 1"), "choosy")
    case("another build of the program", refused(resume(**same), "another build of it"))


def ignored_for_good():
    env = dict(os.environ, NOISE="1")
    begin("./writers", "--env-ignore", "NOISE", env=env)
    done = resume("--max-executions", "12", env=dict(env, NOISE="2"))
    case("a checkpoint remembers what is ignored", done.returncode == 0, done.stderr)
    done = run("explore", "--resume", "state", "--json", "end.json", "./writers", env=dict(env, NOISE="3"))
    case("and its successor does", completes(done, "end.json"), done.stdout + done.stderr)


def libraries():
    def build(value):
        with open("step.c", "w", encoding="utf-8") as f:
            f.write(f"int step(int x) {{ return x * {value}; }}\n")
        subprocess.run([HEDDLE, "cc", "-g", "-shared", "-fPIC", "step.c", "-o", "libstep.so"], check=True, timeout=400)

    build(1)
    compile_c(USES, "uses", "-L.", "-lstep", "-Wl,-rpath," + os.getcwd())
    run("explore", "-q", "--checkpoint", "begun", "./uses")
    done = resume(program="./uses")
    case("the same libraries", done.returncode == 0, done.stdout + done.stderr)
    build(2)
    done = resume(program="./uses")
    case("another build of a library", refused(done, "libstep.so"), done.stdout + done.stderr)


# ---- where the stack begins ----


def stack():
    env = dict(os.environ)
    compile_c("#include <stdio.h>\nint main(int c, char **v) { printf(\"at %p %p\\n\", (void *)&c, (void *)v); return 0; }\n",
              "where")
    places = set()
    for size in (0, 1, 2, 7, 8, 15, 16, 17, 100, 5000, 30000):
        more = {f"V{i}": "x" * (size // 3) for i in range(size % 5)}
        done = run("run", "--runs", "1", "--output", "all", "./where", env=dict(env, BIG="x" * size, **more))
        places.update(re.findall(r"at 0x\w+ 0x\w+", done.stdout))
    case("the stack begins at one address, whatever the environment", len(places) == 1, str(places))
    begin(env=env)
    done = resume("--env-ignore", "BIG", "--json", "end.json", env=dict(env, BIG="x" * 20001))
    case("a variable that is ignored may be large", completes(done, "end.json"), done.stdout + done.stderr)
    done = resume("--env-ignore", "BIG", "--env-ignore", "BIGGER", env=dict(env, BIG="x" * 60000, BIGGER="x" * 60000))
    case("or it is refused", refused(done, "take another room"), done.stdout + done.stderr)


# ---- the file ----


def damage():
    begin()
    with open("begun", "rb") as f:
        good = f.read()

    def is_refused(data):
        with open("state", "wb") as f:
            f.write(data)
        done = run("explore", "--resume", "state", "./writers")
        with open("state", "rb") as f:
            return done.returncode == 2 and "cannot be used: " in done.stderr and f.read() == data

    step = max(1, len(good) // 40)
    places = [*range(0, 64, 7), *range(64, len(good), step), len(good) - 1]
    bad = [at for at in places if not is_refused(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])]
    case(f"a changed byte is refused, at {len(places)} places", not bad, str(bad))
    case("a missing byte is refused", is_refused(good[:-1]) and is_refused(good[:100] + good[101:]))
    case("another byte is refused", is_refused(good + b"\n") and is_refused(good[:100] + b" " + good[100:]))
    case("an empty file is refused", is_refused(b""))
    os.mkfifo("pipe")
    done = run("explore", "--resume", "pipe", "./writers")
    case("a pipe is refused", done.returncode == 2 and "not a regular file" in done.stderr, done.stderr)


# ---- what is known from before ----


def lost_before():
    """No memory access of this program is seen; whoever resumes it when all is done runs nothing that would tell."""
    with open("plain.c", "w", encoding="utf-8") as f:
        f.write(PLAIN)
    subprocess.run(["gcc", "plain.c", "-o", "plain", "-pthread"], check=True, timeout=400)
    for name, words in (("a loss is told", ["--checkpoint", "begun"]), ("and stays one when resumed", ["--resume", "begun"])):
        done = run("explore", "--json", "end.json", *words, "./plain")
        with open("end.json", encoding="utf-8") as f:
            data = json.load(f)
        case(name, "not built with heddle cc" in done.stdout and not data["complete"] and "complete)" not in done.stdout,
             done.stdout + done.stderr)


def found_before():
    compile_c(CHOOSY, "choosy")
    for detail, options in (("", ["-k"]), (" while one was looked for", [])):
        done = run("explore", "-k", "--checkpoint", "begun", "./choosy", text="b")
        assert done.returncode == 1, done.stdout
        done = resume(*options, "--json", "end.json", program="./choosy", text="b")
        with open("end.json", encoding="utf-8") as f:
            data = json.load(f)
        case("a bug found before is not forgotten" + detail,
             done.returncode == 1 and "before the search was resumed" in done.stdout and not data["complete"] and
             data.get("found_before") is True and "complete)" not in done.stdout, done.stdout + done.stderr)


def holds_untold():
    try:
        with open("killed", encoding="utf-8") as f:
            return "\nuntold 1\n" in f.read()
    except OSError:
        return False


def found_and_killed():
    """Who is killed has told nothing of what it found; that is in the checkpoint."""
    compile_c(ONCE, "once")
    search = subprocess.Popen([HEDDLE, "explore", "-j", "1", "-k", "--checkpoint", "killed", "./once"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while search.poll() is None and not holds_untold():
        time.sleep(0.02)
    search.kill()
    said = search.communicate()[0]
    if "assertion failed" in said:
        print("ok - a bug that was not told yet is told # SKIP the search was over before")
        return
    done = run("explore", "-j", "1", "-k", "--resume", "killed", "./once")
    case("a bug that was not told yet is told by who goes on",
         done.returncode == 1 and "assertion failed" in done.stdout and "before the search" not in done.stdout and
         re.search(r"searched 120 executions.*; complete$", done.stdout, re.MULTILINE), said + done.stdout + done.stderr)
    done = run("explore", "-k", "--resume", "killed", "./once")
    case("and once it is told, no more", done.returncode == 1 and "assertion failed" not in done.stdout and "before the search" in done.stdout,
         done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as work:
        os.chdir(work)
        compile_c(WRITERS, "writers")
        compile_c(CHOOSY, "choosy")
        make_repository("writers.c")
        begin()
        all_are_listed(every_option())
        program_and_input()
        ignored_for_good()
        libraries()
        stack()
        damage()
        lost_before()
        found_before()
        found_and_killed()
        os.chdir("/")


if __name__ == "__main__":
    main()
