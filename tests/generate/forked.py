#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches against each other and against native runs, on programs of two processes that nobody wrote.

    tests/generate/forked.py [--programs N] [--seed S] [-j N] [--runs N]      N programs from seed S on (200 from 1)
    tests/generate/forked.py --show SEED...                                   print them
    tests/generate/forked.py --text 'pipe:1 ; send:0 ; ; recv:0 ;'            one program given as text, told at length
    tests/generate/forked.py --shrink SEED|TEXT                               make it small while something is wrong
    tests/generate/forked.py --family NAME...                                 only programs of these families

A program is a parent and a child of one or two threads each, with a few calls on what both have: memory, locks and
semaphores in it, pipes, a file, signals, the child's end. It is the argument of one interpreter, tests/generate/forked.c.
Its result is what it prints; a deadlock is a result too. Each program is searched through by `dpor` and by `dfs`, which
has a bound where four threads are too many for it, and run natively. Wanted of each:

  proof    no result is seen natively that a search which calls itself complete did not see;
  agree    what any search sees is seen by each that calls itself complete;
  alarm    no bug is reported but deadlocks;
  itself   heddle neither fails nor runs out of time.

A native run that does not end within two seconds may have been slow: only two of them are a deadlock. HEDDLE names
another program to test than build/heddle.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import calls  # noqa: E402

SOURCE = calls.ROOT / "tests" / "generate" / "forked.c"
ALWAYS = ["--keep-going", "--races", "ignore"]
SEARCHES = {"dpor": [], "dfs": ["--strategy", "dfs"], "bounded": ["--strategy", "dfs", "--bound", "preemptions=1"]}
DEADLOCK = calls.hash_of(b"")  # an execution that printed nothing

# ---- programs ----


class Family:
    """Set-ups, one of which is taken, and calls of any process, the parent and the child; a/b is a choice, a+b are calls in
    this order, and "3*name" is taken three times as often."""

    def __init__(self, weight, setups, bodies):
        self.weight, self.setups = weight, setups.split("|")
        self.calls = {who: self.weighed(bodies.get("any", "") + " " + bodies.get(who, "")) for who in ("parent", "child")}

    @staticmethod
    def weighed(text):
        words = []
        for word in text.split():
            times, call = re.fullmatch(r"(?:(\d+)\*)?(.*)", word).groups()
            words += [call] * int(times or 1)
        return words


def read_families(text):
    """A line "name, weight: set-ups" each, then lines "who: calls" that are set in."""
    families = {}
    for name, weight, setups, body in re.findall(r"(?m)^(\w.*), (\d+):(.*)\n((?: .*\n)+)", text):
        families[name] = Family(int(weight), setups, dict(re.findall(r"(?m)^ +(\w+): (.*)$", body)))
    return families


FAMILIES = read_families("""
memory, 6:
    any: 2*get:0/1 2*put:0/1,1/2 2*inc:0/1 aget:0/1 aput:0/1,3 2*add:0/1 cas:0,4
locks, 6:
    any: 3*locked:0/1,0/1 2*try:0/1 lock:0+put:0,5+unlock:0 lock:1+get:0+unlock:1 get:0 inc:1 add:0
semaphores, 5: sem:0 | sem:1 | sem:2
    any: 3*post 3*trydown value add:0 trydown+post
pipes, 7: pipe:1 | sockets:1 | pipe:1 pipe:1
    any: 4*send:0 3*recv:0 poll:0/1 available:0 3*close:0/1 add:0
ends, 6: | signals:1,1
    any: put:0,3 add:0 get:0
    parent: 3*wait 2*waitpid:0/1 2*look:0/1 probe
    child: add:0 put:0,5 parent
signals, 6: signals:0,0 | signals:0,1 | signals:1,0 | signals:1,1
    any: 3*kill killself 2*block:0/1 pending probe handled:0/1 get:2 put:2,1
    parent: waitpid:1
files, 6: file | file:1
    any: 3*read:1/2 3*write pread:0/3,1/2 pwrite:0/3/5 seek:0/2 where truncate:0/2/6 size
ranges, 3: file
    any: 4*range:0/1/2 2*rangeget:1/2 pwrite:0 pread:0,1
deaths, 6: mortal | mortal pipe:1 | mortal file
    any: 2*add:0/1 inc:0 put:0,2 aget:1
    parent: 3*terminate:0/1 2*waitpid:1 wait probe look:1
    child: 3*exit:3/4
deaths among pipes, 3: mortal pipe:1 | mortal sockets:1
    any: 2*send:0 recv:0 close:0/1
    parent: 2*terminate:0/1 waitpid:1 wait poll:0/1
    child: 2*exit:3/4
spawns, 4: | signals:1,1
    any: 2*spawn:5/6 add:1 aget:1
    parent: wait waitpid:1 look:1
    child: 2*wait parent
all, 5: pipe:1 file signals:1,1 sem:1
    any: send:0 recv:0 close:0/1 write read:1 pwrite:0 kill handled:0/1 post trydown add:0 locked:0,1 get:0
    parent: waitpid:0/1
""")

# Calls that block: the set-ups, what the parent does, what the child does, and what either may do besides in its second
# thread.
COUPLES = {
    "pipe waits": ("pipe | sockets", "send:0 send:0", "recv:0 recv:0", "send:0 available:0 poll:0"),
    "pipe ends": ("pipe", "close:0 send:0 close:1", "close:1 recv:0 recv:0", "add:0 poll:0"),
    "pipe breaks": ("pipe:1", "close:0 send:0 send:0", "close:0", "add:0 poll:1"),
    "semaphore waits": ("sem:0 | sem:1", "post", "down add:0", "post trydown value add:0"),
    "child is awaited": ("", "wait get:0 get:1", "put:0,3 inc:1", "add:0 waitpid:1 put:1,4"),
    "two locks": ("", "lock:0 lock:1 unlock:1 unlock:0", "lock:1 lock:0 unlock:0 unlock:1", ""),
    "two locks in order": ("", "lock:0 lock:1 inc:0 unlock:1 unlock:0", "lock:0 lock:1 get:0 unlock:0 unlock:1", "try:1"),
    "signal interrupts": ("signals:1,0 sem:0 | signals:1,1 sem:0", "kill post", "down", "value handled:1 block:1"),
    "signal interrupts a read": ("signals:1,0 pipe | signals:0,1 pipe", "kill send:0", "recv:0", "handled:1 available:0"),
    "signal interrupts a wait": ("signals:1,0 | signals:1,1", "wait", "kill", "handled:0 get:0"),
    "ranges wait": ("file", "rangewait:2 pwrite:0 range:0", "rangewait:1/2 pread:0,1 range:0", "rangeget:1"),
    "answer": ("pipe pipe", "send:0 recv:1", "recv:0 send:1", "available:0 poll:2 add:0"),
    "spawned are awaited": ("", "spawn:5 wait wait", "add:1", "aget:1 add:0"),
    "child dies in its wait": ("mortal sem:0 | mortal pipe", "terminate:0/1 wait", "down", "add:0 post"),
}
COUPLES_WEIGHT = 22


class Program(calls.Program):
    def second_threads(self):
        return sum(bool(self.threads[t]) for t in (1, 3))


class Generator:
    def __init__(self, seed, families=()):
        self.random = random.Random(f"forked {seed}")
        names = list(families) or [*FAMILIES, "couples"]
        weights = [FAMILIES[n].weight if n in FAMILIES else COUPLES_WEIGHT if n == "couples" else 1 for n in names]
        name = self.random.choices(names, weights)[0]
        if name == "couples":
            name = self.random.choice(sorted(COUPLES))
        self.program = self.couple(name) if name in COUPLES else self.independent(name)

    def call(self, text):
        """One call or some that belong together, with choices made."""
        return [re.sub(r"[^:,]+(/[^,]+)+", lambda m: self.random.choice(m[0].split("/")), word) for word in text.split("+")]

    def some(self, words, most):
        """Calls, up to so many."""
        made = []
        while len(made) < most:
            made += self.call(self.random.choice(words))
        return made

    def independent(self, name):
        r, family = self.random, FAMILIES[name]
        lengths = r.choice(((2, 0, 2, 0), (3, 0, 2, 0), (2, 0, 3, 0), (1, 1, 1, 0), (1, 0, 1, 1), (1, 1, 2, 0), (2, 0, 1, 1), (1, 1, 1, 1)))
        threads = [self.some(family.calls["parent" if t < 2 else "child"], n) if n else [] for t, n in enumerate(lengths)]
        return Program(r.choice(family.setups).split(), threads, name)

    def couple(self, name):
        r = self.random
        setups, parent, child, besides = COUPLES[name]
        threads = [[c for word in part.split() for c in self.call(word)] for part in (parent, "", child, "")]
        if besides and r.random() < 0.7:
            threads[r.choice((1, 3))] = self.call(r.choice(besides.split()))
        return Program(r.choice(setups.split("|")).split(), threads, name)


def generate(seed, families=()):
    return Generator(seed, families).program


# ---- what is run ----


class Search(calls.Search):
    def __init__(self, name, binary, program):
        super().__init__(name, binary, program, ALWAYS + SEARCHES[name])
        self.complete = self.whole and self.status in (0, 1) and set(self.kinds) <= {"deadlock"}


class Case(calls.Case):
    def test(self):
        binary, native = self.binaries
        self.native = calls.Native(native, self.program, self.options.runs, self.name if isinstance(self.name, int) else 1)
        if self.native.status:
            self.differ("itself", f"native runs: status {self.native.status}: {self.native.error[:200]}")
            return self
        names = ("dpor", "bounded" if self.program.second_threads() == 2 else "dfs")
        self.searches = {name: Search(name, binary, self.program) for name in names}
        for search in self.searches.values():
            self.judge(search)
        self.compare()
        return self

    def shown(self, kind):
        return kind == "deadlock"

    def results(self):
        """Of native runs: how often each was seen, by its hash and as it was printed."""
        seen = {}
        for output, times in self.native.outputs.items():
            if output != b"(blocked)":
                seen[calls.hash_of(output)] = (output, times)
            elif times > 1:
                seen[DEADLOCK] = (output, times)
        return seen

    def not_seen_by(self, search):
        return sorted((output for h, (output, _) in self.results().items() if h not in search.hashes),
                      key=lambda output: -self.native.outputs[output])

    def compare(self):
        for one in self.searches.values():
            for other in self.searches.values():
                more = other.hashes - one.hashes
                if one.complete and more:
                    self.differ("agree", f"{one.name} is complete ({one.executions} executions) without {len(more)} of the "
                                         f"{len(other.hashes)} results of {other.name}: {self.printed(more)}")

    def printed(self, hashes):
        """Some of these results, as far as a native run has printed them."""
        seen = self.results()
        return ", ".join(seen[h][0].decode(errors="replace").strip() if h in seen else h for h in sorted(hashes)[:3])

    def proved(self):
        return any(s.complete for s in self.searches.values())

    def unseen(self):
        return set().union(*(s.hashes for s in self.searches.values() if s.complete)) - set(self.results())


# ---- the command ----


class Totals:
    def __init__(self):
        self.programs = self.proved = self.both = self.results = self.unseen = self.runs = self.executions = self.deadlocks = 0
        self.wrong, self.reasons, self.families, self.proofs = [], collections.Counter(), collections.Counter(), collections.Counter()
        self.started = time.monotonic()

    def add(self, case):
        self.programs += 1
        self.wrong += [case] if case.differences else []
        self.families[case.program.family] += 1
        searches = case.searches.values()
        if not searches:
            return
        self.runs += sum(case.native.outputs.values())
        self.executions += sum(s.executions for s in searches)
        self.both += case.searches["dpor"].complete and "dfs" in case.searches and case.searches["dfs"].complete
        self.deadlocks += any(DEADLOCK in s.hashes for s in searches)
        if case.proved():
            self.proved += 1
            self.proofs[case.program.family] += 1
            self.results += len(set().union(*(s.hashes for s in searches)))
            self.unseen += len(case.unseen())
        else:
            self.reasons[case.searches["dpor"].reason()] += 1

    def lines(self):
        lines = [f"{self.programs} programs, {self.runs} native runs, {self.executions} executions, {time.monotonic() - self.started:.0f} s",
                 f"{len(self.wrong)} wrong; {self.proved} with a complete search, {self.both} with a complete dpor and a complete dfs, "
                 f"{self.deadlocks} with a deadlock",
                 f"results of complete searches: {self.results}, of which no native run has shown {self.unseen}"]
        lines += [f"skipped: {n} times: {reason}" for reason, n in self.reasons.most_common(12)]
        none = sorted(f for f in self.families if not self.proofs[f])
        return lines + ([f"without a single proof: {', '.join(none)}"] if none else [])


def test_all(seeds, binaries, options, done=lambda case: None):
    totals = Totals()
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for case in pool.map(lambda seed: Case(seed, generate(seed, options.family), binaries, options).test(), seeds):
            totals.add(case)
            done(case)
    return totals


def tell(case):
    calls.tell(case)
    for h, (output, times) in sorted(case.results().items(), key=lambda pair: -pair[1][1]):
        print(f"  {times:5} {output.decode(errors='replace').strip()}  [{' '.join(s.name for s in case.searches.values() if h in s.hashes)}]")
    print(f"  {len(case.unseen())} results that no native run has shown")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("-j", type=int, default=1, help="programs at a time")
    parser.add_argument("--runs", type=int, default=200, help="native runs of each")
    parser.add_argument("--family", nargs="+", default=[], metavar="NAME", help="only these; \"couples\" are those that block")
    parser.add_argument("--show", nargs="+", metavar="SEED", help="print programs")
    parser.add_argument("--text", action="append", help="this program")
    parser.add_argument("--shrink", metavar="SEED|TEXT", help="make this one small")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.show:
        for seed in options.show:
            print(f"{seed}: {generate(int(seed), options.family)}")
        return 0
    folder = tempfile.mkdtemp(prefix="heddle-forked.")
    try:
        binaries = calls.build(folder, SOURCE)
        for text in options.text or []:
            tell(Case(1, Program.parse(text), binaries, options).test())
        if options.shrink:
            whole = generate(int(options.shrink), options.family) if options.shrink.isdigit() else Program.parse(options.shrink)
            tell(Case(1, whole, binaries, options).test().shrink())
        if options.text or options.shrink:
            return 0

        def done(case):
            if case.differences:
                print(f"# seed {case.name} ({case.program.family}): {case.program}", flush=True)
            for group, text in case.differences:
                print(f"#   {group}: {text}", flush=True)
        totals = test_all(range(options.seed, options.seed + options.programs), binaries, options, done)
        print("\n".join(totals.lines()))
        return 1 if totals.wrong else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
