#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random calls on files, without heddle and through its overlay (tests/generate/files.c).

    tests/e2e/file_calls.py [--programs N] [--seed S] [--calls N] [-j N] [--show SEED]

Wanted of each program:

  same      one thread: every call has the result and the error it has natively, in each way to put the program back;
  untouched the folder is afterwards as it was before heddle;
  among     two threads: what a native run saw is among what dfs saw, if that came to its end.

As root and, if that is possible, as a user whom the kernel refuses things. Exit status 0 whatever the cases said, as
tests/run wants it.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
PROGRAM = ROOT / "tests" / "generate" / "files.c"
LIMIT = 400  # seconds for one command, however busy the machine is
NOBODY = 65534


def furnish(folder):
    """What is there before the program: in a folder of its own, so that .. leads nowhere else."""
    inner = folder / "in"
    (inner / "real-d" / "e").mkdir(parents=True)
    (inner / "real-a").write_text("the real a\n")
    (inner / "real-b").write_text("the real b, of some length\n")
    (inner / "real-d" / "x").write_text("x")
    (inner / "real-d" / "y").write_text("")
    os.link(inner / "real-a", inner / "real-d" / "z")
    (inner / "real-link").symlink_to("real-d/x")
    (inner / "real-to-d").symlink_to("real-d")
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return inner


def picture(folder):
    """All that can be seen of a folder but the time of the last look."""
    seen = []
    for path in sorted(folder.rglob("*")):
        s = path.lstat()
        text = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        seen.append((str(path), s.st_mode, s.st_nlink, s.st_uid, s.st_gid, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns, text))
    return seen


def command(words, folder, user):
    # The machine's clock is no affair of a test, whoever runs it.
    found = subprocess.run(words, cwd=folder, user=user, group=user, extra_groups=[] if user else None,
                           capture_output=True, timeout=LIMIT, text=True, errors="replace")
    return found.returncode, found.stdout + found.stderr


class Case:
    def __init__(self, seed, args, user, work):
        self.seed, self.args, self.user, self.work = seed, args, user, work
        self.wrong = []

    def folder(self, name):
        folder = self.work / f"{self.seed}-{self.user or 0}-{name}"
        folder.mkdir()
        return folder, furnish(folder)

    def native(self, words):
        folder, inner = self.folder("native")
        _, text = command([str(self.work / "native"), *words], inner, self.user)
        shutil.rmtree(folder)
        return text.removesuffix("==\n").strip()

    def one_thread(self):
        words = [str(self.seed), str(self.args.calls)]
        wanted = self.native(words)
        for reset in ("snapshot", "fork", "exec") if self.seed % 5 == 0 else ("snapshot",):
            folder, inner = self.folder(reset)
            before = picture(folder)
            status, text = command([HEDDLE, "run", "-j1", "--runs", "2", "--reset", reset, "--output", "all",
                                    str(self.work / "program"), "--", *words], inner, self.user)
            got = outputs(text)
            if status or not got or any(one.strip() != wanted for one in got):
                self.wrong.append(("same", reset, differences(wanted, got[0].strip() if got else text)))
            if picture(folder) != before:
                self.wrong.append(("untouched", reset, "the folder is another"))
            shutil.rmtree(folder)

    def two_threads(self):
        words = [str(self.seed), "2", "two"]
        folder, inner = self.folder("two")
        _, text = command([HEDDLE, "explore", "-j1", "--strategy", "dfs", "--time", "5s", "--output", "all",
                           str(self.work / "program"), "--", *words], inner, self.user)
        shutil.rmtree(folder)
        seen = {one.strip() for one in outputs(text)}
        if "(complete)" not in text:
            return
        for _ in range(10):
            wanted = self.native(words)
            if wanted not in seen:
                self.wrong.append(("among", "dfs", wanted))
                return


def outputs(text):
    """What the program printed, an element for each execution."""
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    return "\n".join(lines).split("==")[:-1]


def differences(wanted, got):
    for i, (a, b) in enumerate(zip(wanted.splitlines() + ["(end)"], got.splitlines() + ["(end)"])):
        if a != b:
            return f"line {i + 1}: natively '{a}', here '{b}'"
    return got


def run(seed, args, user, work):
    case = Case(seed, args, user, work)
    try:
        case.one_thread()
        if seed % 4 == 0:
            case.two_threads()
    except subprocess.TimeoutExpired:
        case.wrong.append(("same", "time", "it took too long"))
    return case


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("-j", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        work.chmod(0o777)
        subprocess.run(["cc", "-O1", "-g", "-pthread", str(PROGRAM), "-o", str(work / "native")], check=True)
        subprocess.run([HEDDLE, "cc", "-O1", "-g", "-pthread", str(PROGRAM), "-o", str(work / "program")], check=True)
        users = [None, NOBODY] if os.geteuid() == 0 else [None]
        jobs = [(seed, args, users[seed % len(users)], work) for seed in range(args.seed, args.seed + args.programs)]
        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            cases = list(pool.map(lambda job: run(*job), jobs))
    for group, what in (("same", "one thread: every call as without heddle"),
                        ("untouched", "the folder stays as it was"),
                        ("among", "two threads: a native run is among those of dfs")):
        wrong = [(case.seed, case.user, w) for case in cases for w in case.wrong if w[0] == group]
        print(f"{'not ok' if wrong else 'ok'} - {what} ({args.programs} programs)")
        for seed, user, (_, how, text) in wrong[:8]:
            print(f"# seed {seed} as {'nobody' if user else 'root'}, {how}: {text}")


if __name__ == "__main__":
    sys.exit(main())
