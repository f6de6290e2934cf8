#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All interleavings against one of each class: `heddle explore --strategy dfs` and `dpor` on programs nobody wrote.

    tests/generate/orders.py [--programs N] [--seed K] [-j N] [--sample|--ways]   N programs from seed K on (200 from 1)
    tests/generate/orders.py --causal [--programs N] [--seed K]              only causality beside dpor, and beside dfs where that is short
    tests/generate/orders.py --show SEED...                                  print them
    tests/generate/orders.py --text 'm:n ; ; lock:0 ; lock:0'                one program given as text
    tests/generate/orders.py --shrink SEED|TEXT                              make it small while something differs

The programs are the argument of one interpreter, tests/generate/orders.c, so that only that is compiled. Wanted of each:

  complete   both searches say so, neither abandons an execution;
  outputs    both end in the same set of final states and outputs;
  bugs       both show the same bugs, deadlocks included;
  classes    dpor runs each class of equivalent executions that dfs meets, and runs it once;
  jobs       dpor -j 2 gives the same totals and hashes as -j 1;
  resumed    so does dpor stopped in the middle and resumed;
  sources    --equivalence observed and reads-from, and --strategy causal, show the same outputs and bugs, but for races and
             leaks, or say that they do not cover the program; main reads all shared memory at the end for that;
  kinds      no bug of a kind that the program cannot have;
  model      as many final states, and deadlocks and failures, as a model of the program has that knows nothing of heddle.

jobs, resumed and sources for one program of four, with --ways for each; with --settled, where some class may come twice
when a search is divided, the same outputs and bugs are enough. Programs with more interleavings than --max-executions
are skipped and counted. So are those that end, while other threads are alive, inside a step that dfs takes at once, since
dfs then says that it is not complete; of these dpor must still run no class twice, abandon nothing and show all that dfs
shows. A program that differs is made small and written to --found, with what differed. --sample runs `heddle run` instead and wants only that heddle does not fail
and finds no bug of a wrong kind. HEDDLE names another program to test than build/heddle.
"""
import argparse
import collections
import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
SOURCE = ROOT / "tests" / "generate" / "orders.c"
NOT_OF_ORDERS = {"unasked", "overtaking"}  # losses that no search of orders can help: waits are not repeated, races not told
MAX_EXECUTIONS = 100000  # of dfs: above it a program is skipped
LIMIT = 40              # seconds for one command, which searches for half of them at most

for _name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(_name, None)

# ---- programs ----

# Scheduling points of a step that is not one; an upper bound is enough.
COST = {"add": 2, "wait": 2, "twait": 2, "waitfor": 4, "once": 3, "bar": 2, "new": 3, "drop": 3, "use": 2, "change": 2,
        "fwait": 3, "ftimed": 3, "await": 2, "awaity": 3, "awaitn": 2, "awaite": 2, "casl": 3, "casa": 2, "tryl": 2,
        "stryl": 2, "twaitfor": 5, "skip": 0, "check": 0, "check2": 0, "keep": 0,
        "end": 0, "choose": 1, "event": 1, "quit": 3, "ru": 1, "rm": 1, "fill": 1}


# Steps that are tried again until something has changed.
LOOPS = {"await", "awaity", "awaitn", "awaite", "casl", "casa", "tryl", "stryl", "twaitfor"}


class Program:
    """Set-up words, then for main and each thread a list of steps."""

    def __init__(self, setup, sections):
        self.setup, self.sections = setup, sections

    @classmethod
    def parse(cls, text):
        parts = [part.split() for part in text.split(";")]
        return cls(parts[0], parts[1:])

    def __str__(self):
        return " ; ".join(" ".join(part) for part in [self.setup, *self.sections]).replace("  ", " ")

    def names(self):
        return {step.split(":")[0] for section in self.sections for step in section}

    def flags(self):
        """Arguments for heddle. Data races are told for few programs: each is replayed and made small, which takes long."""
        letters = "".join(word[2:] for word in self.setup if word[0] == "o")
        steps = ["--max-steps", "12000"]  # of loops that never end
        return ["--races", "report" if "r" in letters else "ignore", *["--spurious"] * ("s" in letters), *steps]

    def without_step(self, thread, at):
        sections = [list(s) for s in self.sections]
        del sections[thread][at]
        return Program(self.setup, sections)

    def without_thread(self, thread):
        def renamed(step):
            name, _, number = step.partition(":")
            if name not in ("spawn", "join", "tryjoin", "timedjoin", "cancel"):
                return step
            n = int(number)
            return None if n == thread else f"{name}:{n - (n > thread)}"
        sections = [[s for s in map(renamed, section) if s] for i, section in enumerate(self.sections) if i != thread]
        return Program(self.setup, sections)

    def interleavings(self, cap):
        """How many there are if nothing ever blocks but start and join, or a number above cap."""
        return count_interleavings(self, cap)

    def is_beyond(self):
        """It has locks whose readers wait for waiting writers, which the dependence relation does not cover."""
        return any(word[0] == "l" and "w" in word for word in self.setup)

    def waits_in_loops(self):
        return bool(self.names() & LOOPS)

    def may_divide_badly(self):
        """Data choices, polled ends, ends and failures while others run: divided among workers, a class may be run twice there,
        or shows more or less of what others did before."""
        return self.waits_in_loops() or bool(self.names() & {
            "choose", "signal", "bcast", "wait", "twait", "waitfor", "check", "check2", "quit", "end", "cancel", "tryjoin", "timedjoin",
            "fwake", "bar", "use", "change"})

    def possible_kinds(self):
        """Of bugs: a report of any other kind is a false alarm."""
        names, kinds = self.names(), set()
        if names & {"check", "check2"}:
            kinds.add("assertion")
        if names & {"r", "w", "add", "waitfor", "twaitfor", "rb", "wb", "rs", "ws", "ri", "wi", "rl", "wl", "ru", "wu", "rm", "fill", "ab",
                    "ai", "quit"}:
            kinds.add("race")
        if names & {"use", "change"}:
            kinds |= {"memory", "race"}
        if names & {"lock", "wait", "waitfor", "sw", "rd", "wr", "spin", "bar", "fwait", "once"}:
            kinds.add("deadlock")
        spurious = any(word[0] == "o" and "s" in word for word in self.setup)
        if names & {"await", "awaity", "awaite", "casa", "tryl", "stryl", "twaitfor"} or ("waitfor" in names and spurious):
            kinds.add("hang")
        if "quit" in names or "keep" in names:
            kinds.add("leak")
        return kinds


def count_interleavings(program, cap):
    """Start, end and join of a thread are taken at once by heddle, so they do not count."""
    threads = len(program.sections)
    lengths, creator, joins = [0] * threads, {}, {}
    for t, section in enumerate(program.sections):
        for step in section:
            name, _, number = step.partition(":")
            if name == "spawn":
                lengths[t] += 1
                creator.setdefault(int(number), (t, lengths[t]))
            elif name == "join":
                joins.setdefault((t, lengths[t] + 1), []).append(int(number))
            else:
                lengths[t] += COST.get(name, 1)

    def possible(state, t):
        if state[t] == lengths[t] or (t in creator and state[creator[t][0]] < creator[t][1]):
            return False
        return all(c >= threads or state[c] == lengths[c] for c in joins.get((t, state[t] + 1), ()))

    @functools.lru_cache(maxsize=None)
    def count(state):
        total, moved = 0, False
        for t in range(threads):
            if possible(state, t):
                moved = True
                total += count(state[:t] + (state[t] + 1,) + state[t + 1:])
                if total > cap:
                    return total
        return total if moved else 1

    return count((0,) * threads)


class Generator:
    """Adds snippets of a few features to random threads as long as the number of interleavings stays in bounds."""

    FEATURES = {"plain": 8, "mixed": 4, "atomic": 7, "mutex": 8, "cond": 6, "sem": 5, "rwlock": 5, "spin": 3, "barrier": 3,
                "once": 3, "tryjoin": 2, "choose": 3, "yield": 2, "spawn": 3, "await": 3, "swaps": 6, "attempts": 3, "block": 4, "futex": 4,
                "branch": 5, "check": 3, "keep": 1, "quit": 0.3, "cancel": 1.2}

    def __init__(self, seed):
        self.random = random.Random(f"orders {seed}")
        r = self.random
        self.threads = r.choices((2, 3, 4), (60, 35, 5))[0]
        names = list(self.FEATURES)
        self.features = set(r.choices(names, [self.FEATURES[n] for n in names], k=r.choice((2, 2, 3, 3, 4, 5))))
        if not self.features & {"plain", "mixed", "atomic", "mutex", "sem", "rwlock"}:
            self.features.add(r.choice(("plain", "atomic", "mutex")))
        self.features = sorted(self.features)
        self.setup = [f"m:{''.join(r.choices('nreb', (6, 2, 2, 1), k=2))}", f"l:{''.join(r.choices('dw', (3, 1), k=2))}",
                      f"s:{''.join(r.choices('012', (4, 4, 1), k=2))}", f"b:{r.choice('22233')}{r.choice('23')}"]
        self.small = r.random() < 0.7  # few objects: more of the steps depend on each other
        self.program = Program(self.setup, [[] for _ in range(self.threads + 1)])
        if "spawn" in self.features:
            parent = r.randrange(1, self.threads) if r.random() < 0.9 else 0
            self.program.sections[parent].append(f"spawn:{self.threads}")
        cap = int(10 ** r.uniform(*{2: (1.5, 4), 3: (2.5, 4.3), 4: (3, 4.5)}[self.threads]))
        misses, self.times = 0, collections.Counter()
        while misses < 8:
            larger = Program(self.setup, [list(s) for s in self.program.sections])
            self.grow(larger)
            if larger.interleavings(cap) <= cap and max(map(len, larger.sections)) <= 24:
                self.program = larger
            else:
                misses += 1
        used = {step.split(":")[0] for section in self.program.sections for step in section}
        letters = {"m": {"lock", "try", "timed", "unlockx", "tryl"}, "l": {"rd", "wr", "tryrd", "trywr", "timedrd", "timedwr"},
                   "s": {"sw", "stry", "stimed", "post", "sget", "stryl"}, "b": {"bar"}}
        self.program.setup = [word for word in self.setup if used & letters[word[0]]]
        flags = "s" * (bool(used & {"wait", "twait", "waitfor", "twaitfor"}) and r.random() < 0.15) + "r" * (r.random() < 0.1)
        self.program.setup += [f"o:{flags}"] * bool(flags)

    def object(self, most=2):
        return 0 if self.small and self.random.random() < 0.85 else self.random.randrange(most)

    def grow(self, program):
        r = self.random
        feature = r.choice(self.features)
        self.times[feature] += 1
        if self.times[feature] > {"check": 3, "keep": 1, "branch": 4, "quit": 1, "tryjoin": 2}.get(feature, 99):
            feature = r.choice(("plain", "atomic"))
        steps = getattr(self, f"add_{feature}")()
        main_only = any(s.split(":")[0] in ("tryjoin", "timedjoin", "quit", "cancel") for s in steps)
        room = [1 / (1 + sum(COST.get(s.split(":")[0], 1) for s in section)) for section in program.sections[1:]]
        t = 0 if main_only or r.random() < 0.1 else r.choices(range(1, self.threads + 1), room)[0]
        section = program.sections[t]
        if r.random() < 0.3 and section:  # in between, so that critical sections nest and overlap
            at = r.randrange(len(section) + 1)
            section[at:at] = steps
        else:
            section += steps

    def body(self):
        """What a critical section guards: mostly a little."""
        return self.add_plain() if self.random.random() < 0.7 else []

    def add_plain(self):
        r, at = self.random, self.object(3)
        return [r.choice((f"r:{at}", f"w:{at},{r.randrange(1, 4)}", f"w:{at},{r.randrange(1, 4)}", f"add:{at},1"))]

    def add_mixed(self):
        r = self.random
        half = r.random() < 0.6
        size = lambda n: r.randrange(n // 2 if half else n)  # noqa: E731
        return [r.choice((f"rb:{size(16)}", f"wb:{size(16)}", f"rs:{size(8)}", f"ws:{size(8)}", f"ri:{size(4)}",
                          f"wi:{size(4)}", f"rl:{size(2)}", f"wl:{size(2)}", "ru", "wu", "rm",
                          f"fill:{r.randrange(8)},{r.randrange(1, 9)}", f"ab:{size(16)}", f"ai:{size(4)}"))]

    def add_atomic(self):
        r, at = self.random, self.object(3)
        value = r.randrange(1, 3)
        return [r.choice((f"ld:{at}", f"st:{at},{value}", f"fa:{at},1", f"xc:{at},{value}", f"addx:{at},{value}",
                          f"orx:{at},{value}",
                          f"cas:{at},{r.randrange(2)},{value}", f"ldx:{at}", f"stx:{at},{value}"))]

    def add_mutex(self):
        r, m = self.random, self.object()
        take = r.choices((f"lock:{m}", f"try:{m}", f"timed:{m}"), (6, 2, 2))[0]
        kind = self.setup[0][2 + m]
        if kind in "er" and r.random() < 0.15:
            return [f"unlockx:{m}"]
        if r.random() < 0.2:
            other = 1 - m
            return [take, f"lock:{other}", *self.body(), f"unlock:{m}", f"unlock:{other}"]
        if kind != "n" and r.random() < 0.15:
            return [take, f"lock:{m}", f"unlock:{m}"]
        return [take, *self.body(), *([f"unlock:{m}"] if r.random() < 0.9 else [])]

    def add_cond(self):
        r, c = self.random, self.object()
        kind = r.randrange(9)
        if kind == 8:
            return [f"lock:{c}", f"twaitfor:{c},{c},{3 + c},1", *self.body(), f"unlock:{c}"]
        if kind == 0:
            return [f"lock:{c}", f"wait:{c},{c}", f"unlock:{c}"]
        if kind == 1:
            return [f"lock:{c}", f"twait:{c},{c}", f"unlock:{c}"]
        if kind in (2, 3):
            return [f"lock:{c}", f"waitfor:{c},{c},{3 + c},1", *self.body(), f"unlock:{c}"]
        if kind in (4, 5):
            return [f"lock:{c}", f"add:{3 + c},1", r.choice((f"signal:{c}", f"bcast:{c}")), f"unlock:{c}"]
        return [r.choice((f"signal:{c}", f"bcast:{c}"))]

    def add_sem(self):
        r, s = self.random, self.object()
        return [r.choice((f"sw:{s}", f"post:{s}", f"post:{s}", f"stry:{s}", f"stimed:{s}", f"sget:{s}"))]

    def add_rwlock(self):
        r, l = self.random, self.object()
        take = r.choice(("rd", "rd", "wr", "wr", "tryrd", "trywr", "timedrd", "timedwr"))
        return [f"{take}:{l}", *self.body(), *([f"rwun:{l}"] if r.random() < 0.9 else [])]

    def add_spin(self):
        r, s = self.random, self.object()
        return [r.choice((f"spin:{s}", f"spin:{s}", f"spintry:{s}")), *self.body(), f"spinun:{s}"]

    def add_barrier(self):
        return [f"bar:{self.object()}"]

    def add_once(self):
        return [f"once:{self.object()}"]

    def add_tryjoin(self):
        return [f"{self.random.choice(('tryjoin', 'tryjoin', 'timedjoin', 'join'))}:{self.random.randrange(1, self.threads + 1)}"]

    def add_choose(self):
        return [f"choose:{self.random.choice((2, 2, 3))}"]

    def add_yield(self):
        return [self.random.choice(("yield", "yield", "sleep", "event"))]

    def add_spawn(self):
        return self.add_plain()

    def add_await(self):
        r = self.random
        at = 4 + self.object()  # flags of their own, that only rise
        return [r.choice((f"st:{at},1", f"st:{at},1", f"await:{at},1", f"awaity:{at},1", f"awaitn:{at},1,2"))]

    def add_swaps(self):
        """Loops around a compare-and-swap: updates, a lock, a flag that rises and falls."""
        r, at = self.random, self.object()
        return r.choice(([f"casl:{at},{r.randrange(1, 3)}"], [f"casl:{at},{r.randrange(1, 3)}"],
                         [f"casa:{4 + at},0,1", *self.body(), f"st:{4 + at},0"], [f"casa:{4 + at},1,2"],
                         [f"st:{4 + at},{r.randrange(3)}"], [f"awaite:{4 + at},{r.randrange(3)}"], [f"cas:{at},0,1"]))

    def add_attempts(self):
        """Attempts that are made again and again."""
        r, at = self.random, self.object()
        return r.choice(([f"tryl:{at}", *self.body(), f"unlock:{at}"], [f"lock:{at}", *self.body(), f"unlock:{at}"],
                         [f"stryl:{at}"], [f"post:{at}"], [f"post:{at}"]))

    def add_block(self):
        r, at = self.random, self.object()
        return [r.choices((f"new:{at}", f"drop:{at}", f"use:{at}", f"change:{at}"), (4, 4, 1, 1))[0]]

    def add_futex(self):
        r, at = self.random, self.object()
        return [r.choice((f"fwait:{at},0", f"ftimed:{at},0", f"fwake:{at},{r.choice((1, 1, 2))}", f"fwake:{at},1",
                          f"st:{at},1"))]

    def add_branch(self):
        r = self.random
        modulo = r.choice((2, 2, 3))
        return [f"skip:{modulo},{r.randrange(modulo)},{r.choice((1, 1, 2))}", *self.add_plain()]

    def add_check(self):
        r = self.random
        modulo = r.choice((3, 5, 7, 11))
        return [f"{r.choice(('check', 'check2'))}:{modulo},{r.randrange(modulo)}"]

    def add_keep(self):
        return ["keep", "end"] if self.random.random() < 0.5 else ["keep"]

    def add_cancel(self):
        return ["testcancel"] if self.random.random() < 0.5 else [f"cancel:{self.random.randrange(1, self.threads + 1)}"]

    def add_quit(self):
        return ["quit"]


OBJECT_OF = {name: kind for kind, names in {
    "x": "r w add", "mix": "rb wb rs ws ri wi rl wl ru wu rm fill ab ai",
    "atomic": "ld st fa xc cas ldx stx addx orx await awaity awaitn awaite casl casa fwait ftimed fwake", "mutex": "lock try timed tryl", "cond": "wait "
    "twait waitfor twaitfor signal bcast", "sem": "sw stry stryl stimed post sget", "rwlock": "rd wr tryrd trywr timedrd timedwr",
    "spin": "spin spintry", "bar": "bar", "once": "once", "block": "new drop use change"}.items() for name in names.split()}


def meetings(program):
    """Objects that two threads use."""
    users = collections.defaultdict(set)
    for t, section in enumerate(program.sections):
        for step in section:
            name, _, numbers = step.partition(":")
            if name in OBJECT_OF:
                kind = OBJECT_OF[name]
                users[kind, "" if kind == "mix" else numbers.split(",")[0]].add(t)
    return sum(len(threads) > 1 for threads in users.values())


def generate(seed):
    """Of a few, the first in which threads have to do with each other, but for one of ten."""
    if random.Random(f"alone {seed}").random() < 0.1:
        return Generator(seed).program
    for again in range(20):
        program = Generator(f"{seed}.{again}").program
        if meetings(program):
            break
    return program


# ---- what must come out, by a model that knows nothing of heddle ----


class Unknown(Exception):
    """The model does not have that."""


EBUSY, EAGAIN, EDEADLK, ETIMEDOUT, EPERM = 16, 11, 35, 110, 1
U32 = 0xffffffff


class State:
    """All there is at one moment. Threads are lists: see THREAD."""

    __slots__ = ("x", "mix", "atomics", "block", "once", "once_by", "mutex", "cond", "sem", "rw", "spin", "bar", "futex", "thread")

    def clone(self):
        new = State()
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(new, name, [list(item) if isinstance(item, list) else item for item in value])
        return new

    def key(self):
        return tuple(tuple(tuple(i) if isinstance(i, list) else i for i in getattr(self, name)) for name in self.__slots__)


# fields of a thread: what it is at, its accumulator, locks held, children by state, 0 not there 1 runs 2 ended
PC, PHASE, ACC, TEMP, HELD, READS, WRITES, SPINS, KEEP, LIFE, CHILD, CANCELLED = range(12)


class Model:
    """Reachable final states of a program: all of its interleavings, but each state only once."""

    def __init__(self, program):
        self.program = program
        kinds = {word[0]: word[2:] for word in program.setup}
        names = program.names()
        if "s" in kinds.get("o", "") or names & {"quit", "use", "change"}:
            raise Unknown
        self.targets = {int(step[7:]) for section in program.sections for step in section if step.startswith("cancel:")}
        if any(step.split(":")[0] in ("spawn", "join") for t in self.targets if t < len(program.sections)
               for step in program.sections[t]):
            raise Unknown  # whether a join of a thread that has ended is cancelled is up to the implementation
        self.kind = (kinds.get("m", "") + "nnnn")[:4]
        if "b" in self.kind or "w" in kinds.get("l", ""):
            raise Unknown
        self.parties = [int(c) for c in kinds.get("b", "")] + [0] * 4
        self.steps = [[(n, [int(i) for i in v.split(",")] if v else []) for n, _, v in (s.partition(":") for s in section)]
                      for section in program.sections]
        threads = len(program.sections)
        spawned = {v[0] for section in self.steps for n, v in section if n == "spawn"}
        s = State()
        s.x, s.mix, s.atomics, s.block, s.once, s.once_by = [0] * 6, [0] * 16, [0] * 6, [None] * 4, [0] * 4, [-1] * 4
        s.mutex, s.rw, s.spin = [[-1, 0] for _ in range(4)], [[-1] for _ in range(4)], [-1] * 4
        s.cond, s.futex = [[] for _ in range(4)], [[] for _ in range(6)]
        s.sem = [int(c) for c in kinds.get("s", "")]
        s.sem += [0] * (4 - len(s.sem))
        s.bar = [[] for _ in range(4)]
        s.thread = [[0, 0, t, 0, (0,) * 4, (0,) * 4, (0,) * 4, (0,) * 4, 0, int(t not in spawned),
                     tuple(int(t == 0 and c not in spawned and c > 0) for c in range(threads)), 0] for t in range(threads)]
        self.finals, self.deadlock, self.assertion, self.states = set(), False, False, 0
        self.explore(s)

    def explore(self, first, most=20000):
        seen, stack = {first.key()}, [first]
        while stack:
            state = stack.pop()
            if state.thread[0][LIFE] == 2:
                self.finals.add((tuple(state.x), tuple(state.mix), tuple(state.atomics), tuple(state.block),
                                 tuple(v >> 2 for v in state.once), tuple(state.sem), state.thread[0][ACC]))
                continue
            moved = False
            for t, thread in enumerate(state.thread):
                if thread[LIFE] != 1:
                    continue
                after = self.move(state, t)
                if after is None:
                    continue
                moved = True
                for new in after:
                    key = new.key()
                    if key not in seen:
                        seen.add(key)
                        stack.append(new)
            self.deadlock |= not moved
            if len(seen) > most:
                raise Unknown
        self.states = len(seen)

    def move(self, state, t):
        """The states after the next step of the thread; None if it is blocked; [] if the program ends by it."""
        s = state.clone()
        me = s.thread[t]
        steps = self.steps[t]
        while me[PC] < len(steps):  # what concerns no other thread goes along with the step after it
            name, v = steps[me[PC]]
            if name == "skip":
                me[PC] += 1 + (v[2] if me[ACC] % v[0] == v[1] else 0)
            elif name in ("check", "check2"):
                if me[ACC] % v[0] == v[1]:
                    self.assertion = True
                    return []
                me[PC] += 1
            elif name in ("keep", "yield", "event") or (name == "sleep" and t not in self.targets):
                me[KEEP] |= name == "keep"
                me[PC] += 1
            elif name == "end":
                me[PC] = len(steps)
            else:
                return self.perform(s, t, me, name, v)
        return self.finish(s, t, me)

    @staticmethod
    def put(me, field, at, value):
        me[field] = me[field][:at] + (value,) + me[field][at + 1:]

    @staticmethod
    def take_in(me, value):
        me[ACC] = (me[ACC] * 31 + value) & U32

    def finish(self, s, t, me):
        for i in range(4 if not me[KEEP] else 0):
            if me[HELD][i]:
                self.unlock(s, t, me, i)
                return [s]
            if me[READS][i] or me[WRITES][i]:
                self.unlock_rw(s, t, me, i)
                return [s]
            if me[SPINS][i]:
                self.put(me, SPINS, i, 0)
                s.spin[i] = -1
                return [s]
        for child, there in enumerate(me[CHILD]):
            if there == 1:
                return [s] if self.join(s, me, child) else None
        me[LIFE] = 2
        return [s]

    def join(self, s, me, child):
        if s.thread[child][LIFE] != 2:
            return False
        self.put(me, CHILD, child, 2)
        self.take_in(me, s.thread[child][ACC])
        return True

    def unlock(self, s, t, me, i):
        self.put(me, HELD, i, me[HELD][i] - 1)
        s.mutex[i][1] -= 1
        if not s.mutex[i][1]:
            s.mutex[i][0] = -1

    def unlock_rw(self, s, t, me, i):
        if me[WRITES][i]:
            self.put(me, WRITES, i, 0)
            s.rw[i][0] = -1
        else:
            self.put(me, READS, i, me[READS][i] - 1)
            s.rw[i].remove(t)

    def lock(self, s, t, me, i, how):
        owner = s.mutex[i][0]
        error = 0
        if owner == t and how != "try" and self.kind[i] == "e":
            error = EDEADLK
        elif owner >= 0 and not (owner == t and self.kind[i] == "r"):
            if how == "lock":
                return None
            error = EBUSY if how == "try" else ETIMEDOUT
        if not error:
            s.mutex[i] = [t, s.mutex[i][1] + 1]
            self.put(me, HELD, i, me[HELD][i] + 1)
        self.take_in(me, error % 7)
        return [s]

    def lock_rw(self, s, t, me, i, name):
        owner, readers = s.rw[i][0], s.rw[i][1:]
        write = name.endswith("wr")
        error = 0
        if name.startswith("try"):
            error = EBUSY if owner >= 0 or (write and readers) else 0
        elif owner == t:
            error = EDEADLK
        elif owner >= 0 or (write and readers):
            if not name.startswith("timed"):
                return None
            error = ETIMEDOUT
        if not error and write:
            s.rw[i][0] = t
            self.put(me, WRITES, i, 1)
        elif not error:
            s.rw[i] = [owner, *sorted([*readers, t])]
            self.put(me, READS, i, me[READS][i] + 1)
        self.take_in(me, error % 7)
        return [s]

    def bytes_of(self, name, v):
        """Where in the mixed bytes, and how many."""
        size = {"b": 1, "s": 2, "i": 4, "l": 8, "u": 4}[name[-1]]
        return (6 if name[-1] == "u" else v[0] * size), size

    def mixed(self, s, me, name, v):
        if name == "fill":
            s.mix[v[0]:v[0] + v[1]] = [me[ACC] & 127] * v[1]
            return [s]
        if name == "rm":
            low, high = (int.from_bytes(bytes(s.mix[at:at + 8]), "little") for at in (0, 8))
            self.take_in(me, ((low + 3 * high) * 0x9e3779b97f4a7c15 & (1 << 64) - 1) >> 40)
            return [s]
        at, size = self.bytes_of(name, v)
        value = int.from_bytes(bytes(s.mix[at:at + size]), "little")
        if name[0] == "w":
            factor = {"ws": 259, "wi": 0x1010101, "wl": 0x2010301, "wu": 0x1030201}.get(name, 1)
            new = me[ACC] + 3 if name == "wb" else (me[ACC] * factor) & U32
            new = new * 0x100000001 if name == "wl" else new
            s.mix[at:at + size] = list((new & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
        elif name == "ab":
            self.take_in(me, value)
            s.mix[at] = (value + 1) & 255
        else:
            self.take_in(me, (value * 0x9e3779b97f4a7c15 & (1 << 64) - 1) >> 40 if name == "rl" else value)
        return [s]

    def atomic(self, s, me, name, v):
        at, old = v[0], s.atomics[v[0]]
        if name in ("ld", "ldx", "fa", "xc"):
            value = me[ACC] * 7 + (v[1] if len(v) > 1 else 0)
            self.take_in(me, old)
            if name in ("fa", "xc"):
                s.atomics[at] = (old + v[1] if name == "fa" else value) & U32
        elif name in ("addx", "orx"):
            s.atomics[at] = (old + v[1] if name == "addx" else old | v[1]) & U32
        elif name == "cas":
            self.take_in(me, 1000 if old == v[1] else old)
            s.atomics[at] = v[2] if old == v[1] else old
        else:
            s.atomics[at] = v[1] if name == "st" else (me[ACC] * 7 + v[1]) & U32
        return [s]

    def wait(self, s, t, me, name, v):
        """Begins to wait, or wakes up: waiters are kept as thread * 2 + signalled."""
        c, m = v[0], v[1]
        if me[PHASE] == 0:
            if me[HELD][m] != 1:
                me[PC] += 1
                return [s]
            again = name in ("waitfor", "twaitfor")
            if again and s.x[v[2]] >= v[3]:
                me[PC] += 1
                return [s]
            me[PHASE] = 2 if again else 1
            if again:
                return [s]
        if me[PHASE] in (1, 2) and t * 2 not in s.cond[c] and t * 2 + 1 not in s.cond[c]:
            s.cond[c] = sorted([*s.cond[c], t * 2])
            s.mutex[m] = [-1, 0]
            me[PHASE] = 3
            return [s]
        signalled = t * 2 + 1 in s.cond[c]
        ends = name == "twait" or (name == "twaitfor" and s.x[v[2]] >= v[3])  # to wake up and wait again changes nothing
        if s.mutex[m][0] >= 0 or not (signalled or ends or me[CANCELLED]):
            return None
        s.cond[c].remove(t * 2 + signalled)
        s.mutex[m] = [t, 1]
        if me[CANCELLED] and not signalled:
            return self.die(s, me)
        me[PHASE] = 0
        if name in ("wait", "twait"):
            me[PC] += 1
            self.take_in(me, 0 if signalled else ETIMEDOUT)
        return [s]

    @staticmethod
    def signal(s, c, everyone):
        asleep = [w for w in s.cond[c] if not w & 1]
        if everyone or not asleep:
            s.cond[c] = sorted({w | 1 for w in s.cond[c]})
            return [s]
        after = []
        for w in asleep:
            new = s.clone()
            new.cond[c] = sorted([*(o for o in s.cond[c] if o != w), w | 1])
            after.append(new)
        return after

    def futex(self, s, t, me, name, v):
        a = v[0]
        if name == "fwake":
            return self.futex_wake(s, t, a, v[1])
        if me[PHASE] == 0:
            if s.atomics[a] != v[1]:
                self.take_in(me, 100 + EAGAIN)
                me[PC] += 1
            else:
                s.futex[a] = sorted([*s.futex[a], t * 2])
                me[PHASE] = 1
            return [s]
        woken = t * 2 + 1 in s.futex[a]
        if not woken and name == "fwait":
            return None
        s.futex[a].remove(t * 2 + woken)
        self.take_in(me, 0 if woken else 100 + ETIMEDOUT)
        me[PHASE] = 0
        me[PC] += 1
        return [s]

    def futex_wake(self, s, t, a, most):
        after = []
        asleep = [w for w in s.futex[a] if not w & 1]
        number = min(most, len(asleep))
        for chosen in itertools.combinations(asleep, number):
            new = s.clone()
            new.futex[a] = sorted(w | 1 if w in chosen else w for w in s.futex[a])
            self.take_in(new.thread[t], number)
            new.thread[t][PC] += 1
            after.append(new)
        return after

    def barrier(self, s, t, me, b):
        """Phases: 0 comes, 1 waits, 2 goes, 3 goes and is the one told so."""
        if me[PHASE] == 1:
            return None
        if me[PHASE] > 1:
            self.take_in(me, me[PHASE] - 2)
            me[PHASE] = 0
            me[PC] += 1
            return [s]
        me[PHASE] = 1
        s.bar[b] = sorted([*s.bar[b], t])
        if len(s.bar[b]) < self.parties[b]:
            return [s]
        after = []
        for serial in s.bar[b]:
            new = s.clone()
            for other in s.bar[b]:
                new.thread[other][PHASE] = 3 if other == serial else 2
            new.bar[b] = []
            after.append(new)
        return after

    def do_once(self, s, t, me, o):
        """once[o]: value * 4 + 0 never, 1 runs, 2 done."""
        phase, value = s.once[o] & 3, s.once[o] >> 2
        if me[PHASE] == 0:
            if phase == 1:
                return None
            me[PHASE] = 1 if phase == 0 else 2
            s.once[o] = value * 4 + (1 if phase == 0 else 2)
        elif me[PHASE] == 1:
            s.once[o] = (value + 1) * 4 + 2
            me[PHASE] = 2
        else:
            self.take_in(me, value)
            me[PHASE] = 0
            me[PC] += 1
        return [s]

    @staticmethod
    def die(s, me):
        me[ACC], me[LIFE] = U32, 2  # PTHREAD_CANCELED
        return [s]

    def perform(self, s, t, me, name, v):
        if me[CANCELLED] and name in ("testcancel", "sleep", "sw", "stimed"):
            return self.die(s, me)
        if name in ("wait", "twait", "waitfor", "twaitfor"):
            return self.wait(s, t, me, name, v)
        if name in ("fwait", "ftimed", "fwake"):
            return self.futex(s, t, me, name, v)
        if name == "bar":
            if not self.parties[v[0]]:
                raise Unknown
            return self.barrier(s, t, me, v[0])
        if name == "once":
            return self.do_once(s, t, me, v[0])
        if name == "add":
            if me[PHASE] == 0:
                me[TEMP], me[PHASE] = s.x[v[0]], 1
                return [s]
            s.x[v[0]] = (me[TEMP] + v[1]) & U32
            me[TEMP] = me[PHASE] = 0
            me[PC] += 1
            return [s]
        if name == "awaitn":
            me[PHASE] += 1
            there = s.atomics[v[0]] >= v[1]
            if there or me[PHASE] == v[2]:
                self.take_in(me, int(there))
                me[PHASE] = 0
                me[PC] += 1
            return [s]
        if name == "casl":
            found = s.atomics[v[0]]
            if me[PHASE] and found == me[TEMP]:
                s.atomics[v[0]] = (found * 3 + v[1]) & U32
                self.take_in(me, found)
                me[TEMP] = me[PHASE] = 0
                me[PC] += 1
            else:
                me[TEMP], me[PHASE] = found, 1
            return [s]
        me[PC] += 1
        return self.perform_at_once(s, t, me, name, v)

    def perform_at_once(self, s, t, me, name, v):
        i = v[0] if v else 0
        if name == "r":
            self.take_in(me, s.x[i])
        elif name == "w":
            s.x[i] = (me[ACC] * 7 + v[1]) & U32
        elif name in OBJECT_OF and OBJECT_OF[name] == "mix":
            return self.mixed(s, me, name, v)
        elif name in ("ld", "st", "fa", "xc", "cas", "ldx", "stx", "addx", "orx"):
            return self.atomic(s, me, name, v)
        elif name in ("await", "awaity"):
            return [s] if s.atomics[i] >= v[1] else None
        elif name == "awaite":
            return [s] if s.atomics[i] == v[1] else None
        elif name == "casa":
            if s.atomics[i] != v[1]:
                return None
            s.atomics[i] = v[2]
        elif name == "tryl":
            return self.lock(s, t, me, i, "try") if s.mutex[i][0] < 0 or (s.mutex[i][0] == t and self.kind[i] == "r") else None
        elif name in ("lock", "try", "timed"):
            return self.lock(s, t, me, i, name)
        elif name == "unlock":
            if me[HELD][i]:
                self.unlock(s, t, me, i)
        elif name == "unlockx":
            if self.kind[i] != "n":
                self.take_in(me, 0 if me[HELD][i] else EPERM)
                if me[HELD][i]:
                    self.unlock(s, t, me, i)
        elif name in ("signal", "bcast"):
            return self.signal(s, i, name == "bcast")
        elif name in ("sw", "stry", "stimed", "stryl"):
            if name in ("sw", "stryl") and not s.sem[i]:
                return None
            if name in ("stry", "stimed"):
                self.take_in(me, int(not s.sem[i]))
            s.sem[i] -= s.sem[i] > 0
        elif name == "post":
            s.sem[i] += 1
        elif name == "sget":
            self.take_in(me, s.sem[i])
        elif name in ("rd", "wr", "tryrd", "trywr", "timedrd", "timedwr"):
            return self.lock_rw(s, t, me, i, name)
        elif name == "rwun":
            if me[READS][i] or me[WRITES][i]:
                self.unlock_rw(s, t, me, i)
        elif name in ("spin", "spintry"):
            free = s.spin[i] < 0
            if not free and name == "spin":
                return None
            if free:
                s.spin[i] = t
                self.put(me, SPINS, i, 1)
            if name == "spintry":
                self.take_in(me, 0 if free else EBUSY)
        elif name == "spinun":
            if me[SPINS][i]:
                self.put(me, SPINS, i, 0)
                s.spin[i] = -1
        elif name == "spawn":
            if i < len(s.thread) and not me[CHILD][i]:
                if s.thread[i][LIFE]:
                    raise Unknown
                s.thread[i][LIFE] = 1
                self.put(me, CHILD, i, 1)
        elif name in ("join", "tryjoin", "timedjoin"):
            if i < len(s.thread) and me[CHILD][i] == 1 and not self.join(s, me, i):
                if name == "join":
                    return None
                self.take_in(me, 1)
                self.take_in(me, 0)
        elif name == "cancel":
            if i < len(s.thread) and me[CHILD][i] == 1:
                s.thread[i][CANCELLED] = int(s.thread[i][LIFE] == 1)
        elif name in ("testcancel", "sleep"):
            pass
        elif name == "choose":
            after = []
            for value in range(v[0]):
                new = s.clone()
                self.take_in(new.thread[t], value)
                after.append(new)
            return after
        elif name == "new":
            s.block[i] = me[ACC]
        elif name == "drop":
            if s.block[i] is not None:
                self.take_in(me, s.block[i])
            s.block[i] = None
        else:
            raise Unknown(name)
        return [s]


# ---- heddle ----


def run(command, limit=LIMIT, **options):
    """Its exit status, standard output and standard error; status 124 when it ran out of time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=limit, check=False, **options)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace"), f"no end after {limit} s"


def build(folder):
    """The interpreter, or what the compiler said."""
    program = pathlib.Path(folder) / "orders"
    status, out, err = run([HEDDLE, "cc", "-g", "-O1", "-std=gnu17", "-pthread", str(SOURCE), "-o", str(program)])
    if status:
        raise RuntimeError(f"heddle cc: status {status}: {out}{err}")
    return program


class Search:
    """One `heddle explore`, or one `heddle run` with a strategy that samples."""

    numbers = iter(range(1 << 62))
    numbers_lock = threading.Lock()

    def __init__(self, binary, program, *arguments):
        with self.numbers_lock:
            number = next(self.numbers)
        folder = binary.parent / f"search{number}"
        folder.mkdir()
        document, hashes = folder / "json", folder / "hashes"
        command = [HEDDLE, *arguments, "--no-page", "--out", str(folder / "out"), "--json", str(document)]
        if arguments[0] == "explore":
            command += ["--hashes", str(hashes)]
        self.status, self.out, self.err = run([*command, str(binary), "--", str(program)])
        try:
            self.document = json.loads(document.read_text())
        except (OSError, ValueError):
            self.document = {}
        lines = hashes.read_text().split("\n") if hashes.exists() else []
        self.lines = [tuple(line.split()) for line in lines if line and not line.startswith("#")]
        shutil.rmtree(folder, ignore_errors=True)
        self.bugs = self.document.get("bugs", [])
        self.executions = self.document.get("executions")
        self.seconds = self.document.get("seconds", 0)
        self.blocked = self.document.get("blocked_executions")
        self.complete = self.document.get("complete")
        losses = self.document.get("losses", [])
        if set(losses) & NOT_OF_ORDERS and "the time was up" not in self.out + self.err:
            self.document["losses"] = [loss for loss in losses if loss not in NOT_OF_ORDERS]
            limited = any(str(word).isdigit() and int(word) <= (self.executions or 0)
                          for option, word in zip(command, command[1:]) if option == "--max-executions")
            self.complete = not self.document["losses"] and not limited
        self.classes = collections.Counter(line[0] for line in self.lines)
        self.outputs = {line[1] for line in self.lines}
        self.keys = {line[2] for line in self.lines}
        self.finals = {line[1] for line in self.lines if line[2] in ("0", "-")}  # of executions without a bug
        self.told = {bug["key"] for bug in self.bugs}
        self.kinds = {bug["kind"] for bug in self.bugs}

    def failure(self):
        if self.status not in (0, 1) or not self.document or self.document.get("error"):
            said = (self.err + self.out).strip().splitlines()
            return f"status {self.status}: {said[-1] if said else self.document.get('error', 'nothing said')}"
        withheld = re.search(r".*not reported: .*", self.err)
        if withheld:
            return withheld.group(0)
        return "" if (self.status == 1) == bool(set(self.kinds) - {"race", "leak"}) or self.kinds & {"race", "leak"} \
            else f"status {self.status} with bugs of kinds {sorted(self.kinds)}"


def one_of(these, others):
    return " ".join(sorted(these - others)[:3]) or "none"


def compare(dfs, dpor):
    """What differs, as (group, text)."""
    found = []
    for name, search in (("dfs", dfs), ("dpor", dpor)):
        if not search.complete:
            found.append(("complete", f"{name} is not complete"))
        if search.blocked and search is dpor:
            found.append(("complete", f"{name} abandons {search.blocked} executions"))
        if len(search.lines) != search.executions:
            found.append(("complete", f"{name} counts {search.executions} executions and hashes {len(search.lines)}"))
    if dfs.outputs != dpor.outputs:
        found.append(("outputs", f"{len(dfs.outputs)} outputs of dfs, {len(dpor.outputs)} of dpor; of dfs only: "
                                 f"{one_of(dfs.outputs, dpor.outputs)}, of dpor only: {one_of(dpor.outputs, dfs.outputs)}"))
    if dfs.keys != dpor.keys or dfs.kinds != dpor.kinds:
        found.append(("bugs", f"of dfs only: {one_of(dfs.keys | dfs.kinds, dpor.keys | dpor.kinds)}, "
                              f"of dpor only: {one_of(dpor.keys | dpor.kinds, dfs.keys | dfs.kinds)}"))
    if dpor.executions != len(dpor.classes):
        found.append(("classes", f"dpor runs {dpor.executions} executions of {len(dpor.classes)} classes"))
    if set(dfs.classes) != set(dpor.classes):
        found.append(("classes", f"{len(dfs.classes)} classes of dfs, {len(dpor.classes)} of dpor; "
                                 f"{len(set(dfs.classes) - set(dpor.classes))} of dfs only, "
                                 f"{len(set(dpor.classes) - set(dfs.classes))} of dpor only"))
    return found


def compare_partly(dfs, dpor, beyond):
    """The same if dfs does not claim to have seen all. beyond: dpor need not either, nor if the program failed before a thread
    that it had created ever ran."""
    found = []
    if (not dpor.complete and not beyond and dpor.document.get("losses") != ["before-end"]) or dpor.blocked:
        found.append(("complete", f"dpor is {'' if dpor.complete else 'not '}complete and abandons {dpor.blocked}"))
    if dpor.executions != len(dpor.classes):
        found.append(("classes", f"dpor runs {dpor.executions} executions of {len(dpor.classes)} classes"))
    for group, few, many in (("outputs", dfs.outputs, dpor.outputs), ("bugs", dfs.keys, dpor.keys)):
        if few - many and not beyond:
            found.append((group, f"of dfs only, which is not complete: {one_of(few, many)}"))
    return found


class Case:
    """One program and what came of it."""

    def __init__(self, name, program, binary, options, all_ways=False):
        self.name, self.program, self.all_ways = name, program, all_ways
        self.binary, self.options = binary, options
        self.differences, self.skipped, self.too_many = [], False, False  # too_many: why it was skipped
        self.interleavings = self.classes = self.executions = 0
        self.kinds = set()
        self.covered = []  # by reads-from and the like

    def explore(self, strategy, *more):
        search = Search(self.binary, self.program, "explore", "--strategy", strategy, "--keep-going", "--time", f"{LIMIT // 2}s",
                        "--max-executions", str(self.options.max_executions), *self.program.flags(),
                        *(more if "-j" in more else ("-j", "1", *more)))
        failure = search.failure()
        if failure and not ("--resume" in more and search.status in (0, 1)):  # a bug that was told before is told no more
            self.differences.append(("itself", f"{' '.join((strategy, *more))}: {failure}"))
        return search

    def wrong_kinds(self, *searches):
        kinds = set().union(*(search.kinds for search in searches))
        self.kinds = kinds
        wrong = kinds - self.program.possible_kinds()
        if wrong:
            said = [f"{b['kind']}: {b['message']}" for s in searches for b in s.bugs if b["kind"] in wrong]
            self.differences.append(("kinds", said[0]))

    def test(self):
        if self.options.sample:
            return self.test_samples()
        if self.options.causal:
            return self.test_causality()
        dfs = self.explore("dfs")
        if self.differences:
            return self
        if not dfs.complete and (dfs.executions >= self.options.max_executions or dfs.seconds > LIMIT // 2 - 1):
            self.skipped = self.too_many = True
            return self
        dpor = self.explore("dpor")
        if self.differences:
            return self
        self.skipped = not dfs.complete
        self.differences = compare(dfs, dpor) if dfs.complete else compare_partly(dfs, dpor, self.program.is_beyond())
        self.wrong_kinds(dfs, dpor)
        self.interleavings, self.classes, self.executions = dfs.executions, len(dfs.classes), dpor.executions
        if not self.skipped:
            self.compare_model(dfs)
        if self.all_ways:
            self.compare_ways(dfs if dfs.complete else dpor, dpor)
        return self

    def test_causality(self):
        dfs = self.explore("dfs", "--max-executions", str(min(2000, self.options.max_executions)))
        all_there_is = dfs if dfs.complete else self.explore("dpor")
        self.skipped = not all_there_is.complete or not self.has_sources()
        self.too_many = self.skipped and not all_there_is.complete
        self.interleavings = dfs.executions or 0
        self.wrong_kinds(all_there_is)
        if not self.skipped and not self.differences:
            self.compare_equivalence(all_there_is, Program([*self.program.setup, "p:1"], self.program.sections), ("--strategy", "causal"))
        return self

    def same(self, group, whole, *parts):
        """Executions are told apart by their classes, outputs and bugs."""
        lines = [line for part in parts for line in part.lines]
        last = parts[-1]
        strict = not (self.options.settled and self.program.may_divide_badly())
        if last.complete != whole.complete and "found_before" not in last.document:
            self.differences.append((group, f"complete is {last.complete} instead of {whole.complete}"))
        elif strict and (sorted(lines) != sorted(whole.lines) or last.blocked != whole.blocked):
            self.differences.append((group, f"{len(lines)} executions, {last.blocked} abandoned, instead of {len(whole.lines)}, {whole.blocked}"))
        elif {line[1:] for line in lines} != {line[1:] for line in whole.lines}:
            self.differences.append((group, "other outputs or bugs"))

    def compare_ways(self, all_there_is, dpor):
        state = self.binary.parent / f"state{self.name}"
        self.same("jobs", dpor, self.explore("dpor", "-j", "2"))
        first = self.explore("dpor", "--checkpoint", str(state), "--max-executions", str(1 + len(dpor.lines) // 2))
        parts = [first] if first.complete else [first, self.explore("dpor", "--resume", str(state))]
        state.unlink(missing_ok=True)
        self.same("resumed", dpor, *parts)
        if dpor.complete:
            self.compare_sources(all_there_is)

    def has_sources(self):
        program = self.program
        if program.names() >= {"cancel", "spawn"}:
            return False  # threads that nobody joins may still run when main reads
        # A loop that wakes up by itself has ever longer executions there.
        return "twaitfor" not in program.names() and not any(word[0] == "o" and "s" in word for word in program.setup)

    def compare_sources(self, all_there_is):
        if not self.has_sources():
            return
        read = Program([*self.program.setup, "p:1"], self.program.sections)
        for options in (("--equivalence", "observed"), ("--equivalence", "reads-from"), ("--strategy", "causal")):
            self.compare_equivalence(all_there_is, read, options)

    def compare_equivalence(self, all_there_is, read, options):
        equivalence = options[1]
        sources = Search(self.binary, read, "explore", *options, "-j", "1", "--keep-going", "--time", f"{LIMIT // 2}s",
                         "--leaks", "ignore", *self.program.flags())
        losses = sources.document.get("losses", [])
        late = sources.status == 124 or (sources.status in (0, 1) and not sources.complete and not losses)
        if late or sources.status == 3 or sources.document.get("error") or \
                {"equivalence", "causality", "unanswered", "too-long"} & set(losses):
            return  # there was no time, or it cannot say
        failure = sources.failure()
        if failure:
            self.differences.append(("itself", f"{equivalence}: {failure}"))
            return
        # What others could do before a failure is not tried, nor each number of turns of a loop that waits.
        partly = bool(losses) and set(losses) <= {"before-end", "loop"}
        self.covered += [equivalence] * (not partly)
        if not sources.complete and not partly:
            self.differences.append(("sources", f"{equivalence} not complete: {'; '.join(losses)}"))
        outputs = [s.finals if equivalence == "causal" else s.outputs for s in (all_there_is, sources)]  # it does not count standstills
        if outputs[1] - outputs[0] or (outputs[0] - outputs[1] and not partly):
            self.differences.append(("sources", f"outputs of orders only: {one_of(*outputs)}, of {equivalence} only: {one_of(*reversed(outputs))}"))
        if partly:
            return
        others = {"race", "leak"}
        keys = [s.told if equivalence == "causal" else s.keys for s in (all_there_is, sources)]
        if sources.kinds - others != all_there_is.kinds - others or \
                (keys[0] != keys[1] and not (sources.kinds | all_there_is.kinds) & others):
            bugs = [keys[0] | all_there_is.kinds, keys[1] | sources.kinds]
            self.differences.append(("sources", f"bugs of orders only: {one_of(*bugs)}, of {equivalence} only: {one_of(*reversed(bugs))}"))

    def compare_model(self, search):
        try:
            model = Model(self.program)
        except Unknown:
            return
        outputs = {line[1] for line in search.lines if line[2] in ("0", "-")}
        if len(outputs) != len(model.finals):
            self.differences.append(("model", f"{len(outputs)} final states of dfs, {len(model.finals)} of the model"))
        for kind, there in (("assertion", model.assertion), ("deadlock", model.deadlock)):
            if there != bool(self.kinds & ({kind, "hang"} if kind == "deadlock" else {kind})):
                self.differences.append(("model", f"{kind}: {'only' if there else 'not'} in the model"))

    def test_samples(self):
        search = Search(self.binary, self.program, "run", "--runs", "2000", "-j", "1", *self.program.flags())
        failure = search.failure()
        if failure:
            self.differences.append(("itself", failure))
        self.wrong_kinds(search)
        self.interleavings = search.executions or 0
        return self

    def groups(self):
        return {group for group, _ in self.differences}

    def again(self, program):
        return Case(self.name, program, self.binary, self.options, self.all_ways).test()

    def shrink(self, seconds=60):
        """The smallest one found that still differs in one of the same ways."""
        end, best, groups = time.monotonic() + seconds, self, self.groups()
        changed = True
        while changed and time.monotonic() < end:
            changed = False
            p = best.program
            smaller = [p.without_thread(t) for t in range(len(p.sections) - 1, 0, -1)]
            smaller += [p.without_step(t, i) for t, s in enumerate(p.sections) for i in range(len(s))]
            smaller += [Program(p.setup[:i] + p.setup[i + 1:], p.sections) for i in range(len(p.setup))]
            for candidate in smaller:
                if len(candidate.sections) < 2 or time.monotonic() > end:
                    continue
                case = self.again(candidate)
                if case.groups() & groups:
                    best, changed = case, True
                    break
        return best


# ---- the command ----


class Totals:
    def __init__(self):
        self.programs = self.skipped = self.too_many = self.interleavings = self.classes = self.executions = 0
        self.covered = collections.Counter()
        self.differing = []
        self.kinds = collections.Counter()
        self.started = time.monotonic()

    def add(self, case):
        self.programs += 1
        self.skipped += case.skipped
        self.too_many += case.too_many
        self.interleavings += case.interleavings
        self.classes += case.classes
        self.executions += case.executions
        self.covered.update(case.covered)
        self.kinds.update(case.kinds)
        if case.differences:
            self.differing.append(case)

    def lines(self):
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(self.kinds.items())) or "none"
        return [f"{self.programs} programs, {self.skipped} skipped ({self.too_many} too large), {self.interleavings} interleavings, "
                f"{self.classes} classes, {self.executions / max(1, self.classes):.4f} executions per class",
                *[f"{n} covered by {equivalence}" for equivalence, n in sorted(self.covered.items())],
                f"programs with bugs: {kinds}; {len(self.differing)} differ; {time.monotonic() - self.started:.0f} s"]


def explore_all(seeds, binary, options, done=lambda case: None):
    totals = Totals()

    def one(seed):
        return Case(seed, generate(seed), binary, options, all_ways=options.ways or seed % 4 == 0).test()
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for case in pool.map(one, seeds):
            totals.add(case)
            done(case)
    return totals


def write_found(folder, case, small):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed{case.name}.txt"
    lines = [str(small.program)]
    lines += [f"# {group}: {text}" for group, text in small.differences]
    lines += [f"# from seed {case.name}: {case.program}", *(f"#   {g}: {t}" for g, t in case.differences)]
    path.write_text("\n".join(lines) + "\n")
    return path


def default_options(**changes):
    options = argparse.Namespace(max_executions=MAX_EXECUTIONS, sample=False, causal=False, settled=True, ways=False, j=2)
    vars(options).update(changes)
    return options


def tell(case):
    print(f"{'differs' if case.differences else 'skipped' if case.skipped else 'same'}: {case.program}\n"
          f"  {case.interleavings} interleavings, {case.classes} classes, {case.executions} executions of dpor")
    for group, text in case.differences:
        print(f"  {group}: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("-j", type=int, default=2, help="programs at a time")
    parser.add_argument("--max-executions", type=int, default=MAX_EXECUTIONS, help="skip programs with more")
    parser.add_argument("--sample", action="store_true", help="heddle run instead of heddle explore")
    parser.add_argument("--causal", action="store_true", help="only causality beside dpor and dfs")
    parser.add_argument("--settled", action="store_true", help="where classes may come twice in a divided search, only outputs and bugs")
    parser.add_argument("--ways", action="store_true", help="of each, also divided, resumed and by reads-from")
    parser.add_argument("--show", nargs="+", metavar="SEED", help="print programs")
    parser.add_argument("--text", action="append", help="this program")
    parser.add_argument("--shrink", metavar="SEED|TEXT", help="make this one small")
    parser.add_argument("--found", type=pathlib.Path, default=ROOT / "build" / "found_orders",
                        help="folder for programs that differ")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.show:
        for seed in options.show:
            print(f"{seed}: {generate(seed)}")
        return 0
    folder = tempfile.mkdtemp(prefix="heddle-orders.")
    try:
        binary = build(folder)
        if options.shrink:
            whole = generate(int(options.shrink)) if options.shrink.isdigit() else Program.parse(options.shrink)
            tell(Case("shrink", whole, binary, options, all_ways=True).test().shrink(300))
            return 0
        if options.text:
            for text in options.text:
                tell(Case("text", Program.parse(text), binary, options, all_ways=True).test())
            return 0

        def done(case):
            if not case.differences:
                return
            print(f"# seed {case.name}: {'; '.join(f'{g}: {t}' for g, t in case.differences)}", flush=True)
            path = write_found(options.found, case, case.shrink())
            print(f"#   {path}: {path.read_text().splitlines()[0]}", flush=True)
        totals = explore_all(range(options.seed, options.seed + options.programs), binary, options, done)
        print("\n".join(totals.lines()))
        return 1 if totals.differing else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
