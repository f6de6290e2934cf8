#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of several processes, tests/processes, each with a bug and, with -DFIXED, without it.

    tests/e2e/processes.py [NAME...]

The first comment of a program has a `tell:` line for each sentence or step (a regular expression) that the story of its
bug must have. Of the twin neither check nor predict may tell anything; `twin: complete` says that explore proves it.
Then the other commands over some of them: logs, viewers, gdb, coverage, recorded runs. Every case prints one line
`ok - name` or `not ok - name`, which tests/run counts.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
PROGRAMS = ROOT / "tests" / "processes"
LIMIT = 400

for variable in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(variable, None)


def case(name, good, output=""):
    lines = [("ok - " if good else "not ok - ") + name]
    if not good:
        lines += ["    | " + line for line in output.splitlines()[-50:]]
    print("\n".join(lines), flush=True)
    return good


def run(*arguments, folder, text=None):
    try:
        done = subprocess.run([HEDDLE, *map(str, arguments)], input=text, stdin=None if text else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT,
                              cwd=folder, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, f"no end after {LIMIT} s: {late.output!r}"


class Program:
    def __init__(self, path, folder):
        comment = path.read_text().split("*/")[0]
        self.path, self.name, self.folder = path, path.stem, folder
        self.tells = re.findall(r"^ \* tell: *(.*)$", comment, re.M)
        self.complete = " * twin: complete" in comment

    def build(self, fixed):
        program = f"{self.name}{'-fixed' if fixed else ''}"
        flags = ["-DFIXED"] if fixed else []
        status, text = run("cc", "-g", "-O1", "-pthread", *flags, self.path, "-o", program, folder=self.folder)
        return f"./{program}" if status == 0 else case(f"{self.name}: it compiles", False, text)

    def test_bug(self):
        program = self.build(False)
        status, text = run("check", "--time", "20s", "-j", "1", program, folder=self.folder)
        case(f"{self.name}: found", status == 1, text)
        flat = re.sub(r"\n {8}(?=\S)", " ", text)  # sentences are broken
        missing = [t for t in self.tells if not re.search(t.replace("\\s+", " "), flat)]
        case(f"{self.name}: told in the program's words", not missing, f"missing: {missing}\n{text}")

    def test_twin(self):
        program = self.build(True)
        if self.complete:
            status, text = run("explore", "--time", "30s", "-j", "1", program, folder=self.folder)
            good = status == 0 and ("(complete)" in text or "every schedule is the same" in text)
            case(f"{self.name}: the twin is proved", good, text)
        else:
            status, text = run("run", "--runs", "150", "-j", "1", program, folder=self.folder)
            case(f"{self.name}: nothing is told of the twin", status == 0 and "✗" not in text, text)
        status, text = run("predict", "--time", "10s", program, folder=self.folder)
        case(f"{self.name}: nothing is predicted of the twin", status == 0 and "0 predictions" in text, text)

    def test(self):
        self.test_bug()
        self.test_twin()


# ---- other commands ----

def test_logs(folder):
    run("show", "--run", "--trace-file", "jobs.json", "heddle-out/jobs-1.hd", folder=folder)
    log = json.loads((folder / "jobs.json").read_text())
    processes = {p["name"]: p for p in log["processes"]}
    case("log: processes with where they began", list(processes) == ["main", "P1", "P2"] and
         processes["P1"]["forked_by"] == "main" and re.match(r"jobs\.c:\d+$", processes["P1"]["forked_at"]), str(processes))
    received = [s for s in log["steps"] if "sent_at" in s]
    sends = {s["step"]: s for s in log["steps"] if s["operation"] == "channel-send"}
    case("log: who sent what is received", len(received) == 4 and
         all(sends[s["sent_at"]]["thread"] == s["from"] != s["thread"] for s in received), str(received))
    run("show", "--run", "--trace-file", "jobs.perfetto.json", "heddle-out/jobs-1.hd", folder=folder)
    events = json.loads((folder / "jobs.perfetto.json").read_text())["traceEvents"]
    tracks = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    case("viewer: a track for each process", set(tracks) == {1, 2, 3} and tracks[2].startswith("P1 is a child of main"), str(tracks))
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    across = [e for e in events if e["ph"] == "f" and starts[e["id"]]["pid"] != e["pid"] and starts[e["id"]]["name"] == "channel-send"]
    case("viewer: arrows for messages between processes", len(across) == 4, str(across))
    status, text = run("show", "heddle-out/same_address-1.hd", folder=folder)
    case("show: the turns of all processes", status == 0 and re.search(r"^ +P1\.1 +\d+ ", text, re.M), text)


def test_signal(folder):
    """A handler's steps say so, and who sent the signal."""
    (folder / "handled.c").write_text(HANDLED)
    run("check", "--time", "10s", "-j", "1", "handled.c", folder=folder)
    _, text = run("show", "--run", "heddle-out/handled-1.hd", folder=folder)
    case("signals: the handler and the sender", re.search(r"main +handled\.c:\d+ +\S.* seen .*in the handler of SIGUSR1, from P1", text), text)


HANDLED = """
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int seen;
static void *look(void *arg) { assert(!seen); return arg; }
static void on_signal(int n) { seen = n; }
int main(void)
{
  pthread_t t;
  signal(SIGUSR1, on_signal);
  pid_t child = fork();
  if (child == 0) {
    kill(getppid(), SIGUSR1);
    _exit(0);
  }
  pthread_create(&t, NULL, look, NULL);
  pthread_join(t, NULL);
  while (waitpid(child, NULL, 0) < 0)
    ;
}
"""


def test_recorded(folder):
    run("record", "-o", "same.trace", "./same_address", folder=folder)
    run("convert", "same.trace", "same.std", folder=folder)
    text = (folder / "same.std").read_text()
    case("record: each process has its own memory", "text=P1's%20count" in text, text)
    status, text = run("predict", "--strategy", "rr", "--time", "10s", "./same_address", folder=folder)
    case("predict: races of the process that has them, and no others",
         status == 1 and "P1's count" in text and not re.search(r"[○●].*(?:main|T\d) ", text), text)
    status, text = run("run", "--runs", "100", "--coverage", "./same_address-fixed", folder=folder)
    case("coverage: no pairs of memory that two processes have at one address",
         status == 0 and re.search(r"\b4 pairs of conflicting operations", text), text)
    status, text = run("localise", "heddle-out/same_address-1.hd", folder=folder)
    case("localise: over processes", status == 0 and re.search(r"to blame: switch \d of \d, from P1\.\d", text) and
         "P1's count" in text, text)


FILES = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
  int lock, fd = open("/tmp/heddle-count", O_CREAT | O_RDWR | O_TRUNC, 0600);
  if (fd < 0)
    abort();
  pid_t child = fork();
  while ((lock = open("/tmp/heddle-lock", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
    usleep(10);
  close(lock);
  unlink("/tmp/heddle-lock");
  if (child)
    waitpid(child, NULL, 0);
}
"""


def test_files(folder):
    """What one process holds of a file is not another one's, whatever number it has there."""
    (folder / "files.c").write_text(FILES)
    status, text = run("explore", "--reset", "fork", "--max-executions", "300", "-j", "1", "files.c", folder=folder)
    case("files: there in every execution", status == 0 and "not reported" not in text, text)


def gdb(schedule, *commands, folder):
    lines = [word for number, command in enumerate(commands) for word in (f"echo @{number}@\\n", command)]
    text = "\n".join(lines + ["echo @end@\\n", "quit", ""])
    _, output = run("replay", "--gdb", schedule, folder=folder, text=text)
    start, *answers = re.split(r"@(?:\d+|end)@\n", output.replace("(gdb) ", ""))
    return start, answers + [""] * len(commands), output


def test_gdb(folder):
    start, answers, text = gdb("heddle-out/same_address-1.hd", "heddle threads", "heddle processes", "heddle process main",
                               "print count", "heddle process P1", "print count", "heddle back", "heddle threads", "run",
                               folder=folder)
    case("gdb: it stands in the process that fails", "the bug, " in start and re.search(r"^\* 1 +P1 ", answers[0], re.M), text)
    case("gdb: processes and where they began",
         re.search(r"^\* P1 +forked by main at same_address\.c:\d+; inferior 2", answers[1], re.M), text)
    case("gdb: each process has its own memory", re.search(r"= 0\n", answers[3]) and re.search(r"= 1\n", answers[5]), text)
    case("gdb: back to another process", re.search(r"next, P1(\.\d)? ", answers[6]) and
         re.search(r"^  0 +main ", answers[7], re.M) and re.search(r"P1\.1 ", answers[7]), text)
    case("gdb: run comes to the bug again", "the bug, " in answers[8], text)
    start, answers, text = gdb("heddle-out/jobs-1.hd", "heddle why", "heddle process P2", "print jobs", folder=folder)
    case("gdb: who waits, in all processes", all(f"{who} waits to read from" in answers[0] for who in ("main", "P1", "P2")), text)
    case("gdb: descriptors have the numbers they always have", "= {3, 4}" in answers[2], text)


def main():
    with tempfile.TemporaryDirectory(prefix="heddle-processes-") as name:
        folder = pathlib.Path(name)
        os.environ["HOME"] = name  # no .gdbinit
        wanted = sys.argv[1:]
        programs = [Program(p, folder) for p in sorted(PROGRAMS.glob("*.c")) if not wanted or p.stem in wanted]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(p.test) for p in programs]:
                done.result()
        if wanted:
            return
        test_logs(folder)
        test_signal(folder)
        test_recorded(folder)
        test_files(folder)
        if shutil.which("gdb"):
            test_gdb(folder)


main()
