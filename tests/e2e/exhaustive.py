#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore counted: programs of which it is known how many executions there are.

    tests/e2e/exhaustive.py [--full] [-j N] [NAME...]

  rows      tests/exhaustive/table.txt: dpor runs each class once, dfs each interleaving once. Nothing is abandoned, the
            search says it is complete, no class comes twice, as many classes deadlock and as many final states come out
            as the model says; dfs sees the same classes, the same final states and the same bugs as dpor. With
            --equivalence reads-from as many or fewer executions show the same final states and bugs.
  bounds    with a bound on preemptions, dfs runs just the interleavings that keep it, and dpor of these no more than it
            needs to show the same; --iterative finds a bug with the
            fewest.
  jobs      two processes run the same classes as one.
  locks     tests/exhaustive/locks: locks and loops that wait, correct and broken (-DBROKEN). The search of the correct
            one ends and finds nothing; in the broken one it finds what the comment says, or one of those things.
            tests/exhaustive/structures in the same way: structures without locks. Of some of both it is known how many
            classes three threads have if rounds that fail leave nothing behind.

Without options this is what `make test` has time for; --full takes the large rows too, and more threads and rounds at
some of the locks. With names, only the programs of these names.

HEDDLE names another program to test than build/heddle, KEEP=1 keeps the folder of everything that was built and found.
Exit status 0 whatever the cases said, as tests/run wants it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "exhaustive"
sys.path.insert(0, str(PROGRAMS))
sys.dont_write_bytecode = True
import model  # noqa: E402

HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 300  # seconds for one command
LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # takes half the time of the other one
# A loop that may go on for ever has longer and longer executions: the step limit is where the search gives up on it.
LOCK_OPTIONS = ["--strategy", "dpor", "-j", "1", "--time", "20s", "--max-steps", "2000"]

# Interleavings that have at most so many preemptions; tests/exhaustive/model.py --preemptions.
BOUNDS = [("increments", [2, 1], [2, 4, 6]), ("lockers", [2, 2], [2, 4, 6]), ("abba", [], [2, 6]),
          ("philosophers", [3], [6, 57, 129, 150, 168]), ("causal", [0], [6, 56, 318, 1568, 6092])]
JOBS = [("lockers", [4, 2]), ("fib", [3]), ("philosophers", [5]), ("buffer", [2, 2, 1]), ("phases", [3, 2]),
        ("signals", [2, 2, 1])]

# Classes of three threads at loops that try again: as many as there are without the rounds that fail.
LOOPS = {"structures/sequence_lock": 4, "locks/readers_count": 34, "locks/k42": 192}

# Executions by reads-from where there is a closed formula: of the writes, which came last; where each increment read.
SOURCES = {"writers": lambda n: n, "increments": lambda n, k, kind=0: n ** n if k == 1 and not kind else None,
           "readers": lambda n, kind=0: 2 ** n, "safe_stack": lambda a, b, gives_up=0: 36 if gives_up else None, "last_zero": lambda n: (n + 3) * 2 ** (n - 2),
           "spin": lambda lock, n, k=1: model.factorial(n) if lock in (0, 1, 2, 5, 6) and k == 1 else None}
SOURCES_MOST = 800  # classes of what is compared
# Programs whose posts, read locks or signals commute: some executions by reads-from come twice. And those with updates
# whose order nobody sees: by reads-from, each has its source.
COMMUTING, UPDATES = ("posts", "shelf", "signals"), ("tallies", "series", "increments")

# The environment of the person who runs the tests must not choose what they test.
for name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(name, None)


def run(command):
    """Its exit status and both its streams; status 124 when it ran out of time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, f"no end after {LIMIT} s: {late.output or b''!r}"


class Search:
    """One run of heddle explore: what the JSON says and, if asked for, a line for each execution."""

    def __init__(self, folder, program, args, options):
        self.result, self.lines, self.error = {}, [], None
        with tempfile.TemporaryDirectory(dir=folder) as out:
            command = [HEDDLE, "explore", "--quiet", "--races", "ignore", "--json", f"{out}/result.json", "--hashes",
                       f"{out}/hashes", "--out", out, *options, str(program), "--", *map(str, args)]
            self.command = " ".join(command[1:])
            self.status, self.text = run(command)
            if self.status not in (0, 1):
                self.error = f"status {self.status}: {self.text}"
                return
            try:
                self.result = json.loads(pathlib.Path(out, "result.json").read_text())
                if pathlib.Path(out, "hashes").exists():
                    lines = pathlib.Path(out, "hashes").read_text().splitlines()
                    self.lines = [tuple("-" if w == "0" else w for w in line.split()) for line in lines if not line.startswith("#")]
            except (OSError, ValueError) as why:
                self.error = f"no good result: {why}\n{self.text}"

    def __getitem__(self, key):
        # Some of the programs count how often they wait, which a wait that ends for no reason changes: that is not tried here.
        if key == "complete" and self.result.get("losses") == ["unasked"]:
            return True
        return self.result.get(key)

    @property
    def kinds(self):
        return sorted({bug["kind"] for bug in self["bugs"] or []})

    @property
    def classes(self):
        return {line[0] for line in self.lines}

    @property
    def outcomes(self):
        """Final states of executions that ended well, and the bugs of the others."""
        return {(output if bug == "-" else "", bug) for _, output, bug in self.lines}

    @property
    def finals(self):
        return {output for _, output, bug in self.lines if bug == "-"}

    @property
    def bugs(self):
        return sum(bug != "-" for _, _, bug in self.lines)


class Builder:
    """Compiles what is asked for, once; and what is searched by one worker and by two, by one once."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.made = collections.defaultdict(threading.Lock)
        self.error = {}
        self.searches = {}

    def build(self, source, *flags):
        """The program, and an error message or None."""
        output = self.folder / (source.stem + "".join(f.replace("=", "") for f in flags))
        with self.lock:
            lock = self.made[output]
        with lock:
            if output not in self.error:
                status, text = run([HEDDLE, "cc", "-O1", "-g", "-std=gnu17", "-pthread", "-Wall", "-Wextra", *LINKER, *flags,
                                    str(source), "-o", str(output)])
                self.error[output] = None if status == 0 and not text else f"does not compile: {text}"
        return output, self.error[output]


    def search(self, path, args, strategy):
        """By one worker, to the end."""
        key = (path, tuple(args), strategy)
        with self.lock:
            lock = self.made[key]
        with lock:
            found = self.searches.get(key) or Search(self.folder, path, args, ["--strategy", strategy, "--keep-going", "-j", "1"])
            if (path.name, list(args)) in JOBS:
                self.searches[key] = found
        return found


class Report:
    def __init__(self, name):
        self.name = name
        self.lines = []

    def case(self, good, name, why=""):
        """Something that must hold; why may have more than one line."""
        why = why.strip().splitlines()
        said = f" ({why[0][:200]})" if why and not good else ""
        self.lines.append(f"{'ok' if good else 'not ok'} - {self.name}: {name}{said}")
        if not good and len(why) > 1:
            self.lines += ["    | " + line for line in why[1:20]]
        return good

    def wants(self, name, search, **wanted):
        """Compares facts about a search; all in one case."""
        if search.error:
            return self.case(False, name, f"{search.error}\n{search.command}")
        bad = [f"{what} {got}, not {want}" for what, (got, want) in wanted.items() if got != want]
        return self.case(not bad, name, "; ".join(bad) + f"\n{search.command}")


def test_observed(report, builder, path, program, args, dpor, sources):
    found = Search(builder.folder, path, args, ["--equivalence", "observed", "--keep-going"])
    twice = program in COMMUTING
    report.wants("observed, between the two", found, status=(found.status, dpor.status), complete=(found["complete"], True),
                 twice=(not twice and (found["executions"] or 0) - len(found.classes), 0),
                 more_than_orders=(program not in UPDATES and len(found.classes) > len(dpor.classes), False),
                 fewer_than_sources=(len(found.classes) < len(sources.classes), False), kinds=(found.kinds, dpor.kinds),
                 final_states_differ=(len(found.finals ^ dpor.finals), 0))


def test_sources(report, builder, path, program, args, dpor):
    found = Search(builder.folder, path, args, ["--equivalence", "reads-from", "--keep-going"])
    if found.status == 3:
        report.case("only --equivalence order covers" in found.text, "reads-from does not cover it, and says so", found.text)
        return
    if found.error:
        report.case(False, "reads-from", found.error)
        return
    test_observed(report, builder, path, program, args, dpor, found)
    formula = SOURCES.get(program, lambda *_: None)(*args)
    twice = program in COMMUTING
    report.wants(f"reads-from, {'-' if formula is None else formula} executions", found, status=(found.status, dpor.status),
                 executions=(twice or found["executions"], twice or formula or found["executions"]),
                 complete=(found["complete"], True), twice=(not twice and found["executions"] - len(found.classes), 0),
                 more_than_orders=(program not in UPDATES and len(found.classes) > len(dpor.classes), False), kinds=(found.kinds, dpor.kinds),
                 final_states_differ=(len(found.finals ^ dpor.finals), 0))


def test_row(builder, full, program, args, stated):
    interleavings, classes, deadlocks, finals = stated
    report = Report(" ".join(map(str, [program, *args])))
    path, error = builder.build(PROGRAMS / f"{program}.c")
    if error:
        report.case(False, "compiles", error)
        return report
    dpor = builder.search(path, args, "dpor")
    known = "-" if classes is None else classes
    classes = len(dpor.classes) if classes is None else classes
    report.wants(f"dpor, {known} classes", dpor, executions=(dpor["executions"], classes),
                 blocked=(dpor["blocked_executions"], 0), complete=(dpor["complete"], True),
                 classes=(len(dpor.classes), classes), lines=(len(dpor.lines), classes))
    report.wants("dpor, what comes out", dpor, status=(dpor.status, int(deadlocks > 0)),
                 bugs=(dpor.kinds, ["deadlock"] if deadlocks else []), deadlocks=(dpor.bugs, deadlocks),
                 final_states=(len(dpor.finals), finals))
    if classes <= SOURCES_MOST:
        test_sources(report, builder, path, program, args, dpor)
    # What has no number of interleavings in the table may still be small enough to be compared.
    if interleavings is None or (interleavings > 20_000 and not full):
        return report
    dfs = builder.search(path, args, "dfs")
    report.wants(f"dfs, {interleavings} interleavings", dfs, executions=(dfs["executions"], interleavings),
                 blocked=(dfs["blocked_executions"], 0), complete=(dfs["complete"], True),
                 lines=(len(dfs.lines), interleavings))
    report.wants("dfs sees what dpor sees", dfs, status=(dfs.status, dpor.status), kinds=(dfs.kinds, dpor.kinds),
                 classes=(len(dfs.classes), classes), classes_dpor_missed=(len(dfs.classes - dpor.classes), 0),
                 classes_dfs_missed=(len(dpor.classes - dfs.classes), 0),
                 outcomes_differ=(len(dfs.outcomes ^ dpor.outcomes), 0))
    return report


def test_bound(builder, program, args, counts):
    report = Report(" ".join(map(str, [program, *args])))
    path, error = builder.build(PROGRAMS / f"{program}.c")
    if error:
        report.case(False, "compiles", error)
        return report
    whole = sum(getattr(model, program)(*args).by_preemptions().values())
    for bound, count in enumerate(counts):
        dfs = Search(builder.folder, path, args,
                     ["--strategy", "dfs", "--keep-going", "-j", "1", "--bound", f"preemptions={bound}"])
        report.wants(f"dfs, at most {bound} preemptions, {count} interleavings", dfs,
                     executions=(dfs["executions"], count), complete=(dfs["complete"], count == whole))
        dpor = Search(builder.folder, path, args, ["--keep-going", "-j", "1", "--bound", f"preemptions={bound}"])
        report.wants(f"dpor, at most {bound} preemptions: as dfs, in no more executions", dpor,
                     missed=(len(dfs.outcomes - dpor.outcomes), 0), more=(max(0, dpor["executions"] - count), 0))
    return report


def test_fewest(builder, program, args, kind, fewest):
    """--iterative: all that has no preemption first, then all that has one, ..."""
    report = Report(" ".join(map(str, [program, *args])))
    path, error = builder.build(PROGRAMS / f"{program}.c")
    if error:
        report.case(False, "compiles", error)
        return report
    for strategy in ("dfs", "dpor"):
        search = Search(builder.folder, path, args, ["--strategy", strategy, "--iterative", "-j", "1"])
        report.wants(f"{strategy} --iterative finds the {kind} with {fewest} preemptions", search, status=(search.status, 1),
                     bugs=([(b["kind"], b["preemptions"]) for b in search["bugs"] or []], [(kind, fewest)]))
    dpor = Search(builder.folder, path, args, ["--strategy", "dpor", "-j", "1"])
    report.wants(f"dpor finds the {kind}", dpor, status=(dpor.status, 1), bugs=(dpor.kinds, [kind]),
                 replayed=([b["replayed"] for b in dpor["bugs"] or []], [True]))
    return report


def test_jobs(builder, program, args):
    report = Report(" ".join(map(str, [program, *args])))
    path, error = builder.build(PROGRAMS / f"{program}.c")
    if error:
        report.case(False, "compiles", error)
        return report
    for strategy in ("dpor", "dfs"):
        if strategy == "dfs" and program == "philosophers":
            continue
        one = builder.search(path, args, strategy)
        two = Search(builder.folder, path, args, ["--strategy", strategy, "--keep-going", "-j", "2"])
        if one.error:
            report.case(False, f"{strategy} with -j 1", one.error)
            continue
        same = collections.Counter(one.lines) == collections.Counter(two.lines)
        report.wants(f"{strategy} with -j 2 as with -j 1", two, executions=(two["executions"], one["executions"]),
                     complete=(two["complete"], True), blocked=(two["blocked_executions"], 0), same_lines=(same, True))
    return report


def test_lock(builder, source, flags):
    report = Report(" ".join([f"{source.parent.name}/{source.stem}", *flags]))
    verdicts = re.search(r"^ \* broken: (.*)$", source.read_text(), re.M).group(1).split()
    right, error = builder.build(source, *flags)
    broken, broken_error = builder.build(source, *flags, "-DBROKEN")
    if error or broken_error:
        report.case(False, "compiles", error or broken_error)
        return report
    search = Search(builder.folder, right, [], LOCK_OPTIONS)
    report.wants("correct: the search ends and finds nothing", search, status=(search.status, 0),
                 bugs=(search.kinds, []), complete=(search["complete"], True))
    round_again = source.stem == "two_mutexes"  # there executions end where they come back to what they had before
    abandoned = min(search["blocked_executions"], 1) if round_again else search["blocked_executions"]
    report.wants("correct: nothing abandoned, no class twice", search, blocked=(abandoned, int(round_again)),
                 classes=(len(search.classes), search["executions"]))
    dfs = Search(builder.folder, right, [], [*LOCK_OPTIONS, "--strategy", "dfs", "--max-executions", "50000" if os.environ.get("FULL") else "10000"])
    if dfs["complete"]:
        report.wants("correct: dfs sees what dpor sees", dfs, status=(dfs.status, 0),
                     outcomes=(dfs.outcomes, search.outcomes))
        # How often a loop is run in vain is up to heddle, so this is told but not demanded.
        if dfs.classes != search.classes:
            counts = f"{len(dfs.classes)} classes with dfs, {len(search.classes)} with dpor"
            report.lines.append(f"# {report.name}: {counts}")
    search = Search(builder.folder, broken, [], LOCK_OPTIONS)
    told = search.kinds if len(search.kinds) == 1 and search.kinds[0] in verdicts else verdicts
    report.wants(f"broken: {' or '.join(verdicts)} found", search, status=(search.status, 1), bugs=(search.kinds, told),
                 replayed=([b["replayed"] for b in search["bugs"] or []], [True]))
    return report


def test_loop(builder, name, classes):
    report = Report(f"{name} with three threads")
    path, error = builder.build(PROGRAMS / f"{name}.c", "-DTHREADS=3", "-DQUIET")
    if error:
        report.case(False, "compiles", error)
        return report
    search = Search(builder.folder, path, [], [*LOCK_OPTIONS, "--races", "ignore"])
    report.wants("rounds that fail are no steps", search, status=(search.status, 0), complete=(search["complete"], True),
                 executions=(search["executions"], classes))
    return report


def tests(options, builder):
    """Functions that make reports, the long ones of the table first."""
    wanted = lambda name: not options.names or name in options.names  # noqa: E731
    rows = [(program, args, stated) for when, program, args, stated in model.parse_table()
            if wanted(program) and (when == "quick" or options.full)]
    rows.sort(key=lambda r: -max(r[2][0] or 0, r[2][1] or 0))
    for program, args, stated in rows:
        yield test_row, builder, options.full, program, args, stated
    for program, args, counts in BOUNDS:
        if wanted(program):
            yield test_bound, builder, program, args, counts
    for program, args, kind, fewest in (("abba", [], "deadlock", 1), ("causal", [0], "assertion", 4),
                                        ("signals", [1, 1, 1], "deadlock", 0)):
        if wanted(program):
            yield test_fewest, builder, program, args, kind, fewest
    for program, args in JOBS:
        if wanted(program):
            yield test_jobs, builder, program, args
    for folder in ("locks", "structures"):
        for source in sorted((PROGRAMS / folder).glob("*.c")):
            if wanted(source.stem) or folder in options.names:
                yield test_lock, builder, source, []
    for name, classes in LOOPS.items():
        if wanted(name.split("/")[1]) or name.split("/")[0] in options.names:
            yield test_loop, builder, name, classes
    if options.full:
        for source, flags in (("test_and_set", ["-DTHREADS=3"]), ("test_test_and_set", ["-DTHREADS=3"]),
                              ("ticket", ["-DTHREADS=3"]), ("mcs", ["-DTHREADS=3"]), ("mcs", ["-DROUNDS=2"]),
                              ("test_and_set", ["-DROUNDS=2"]), ("ticket", ["-DROUNDS=2"]),
                              ("peterson", ["-DROUNDS=2"]), ("dekker", ["-DROUNDS=2"])):
            if wanted(source) or "locks" in options.names:
                yield test_lock, builder, PROGRAMS / "locks" / f"{source}.c", flags


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", default=bool(os.environ.get("FULL")), help="the large rows too, more threads at the locks")
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-exhaustive."))
    try:
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            jobs = [pool.submit(*test) for test in tests(options, Builder(folder))]
            for job in jobs:
                print("\n".join(job.result().lines), flush=True)
    finally:
        if os.environ.get("KEEP"):
            print(f"# kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
