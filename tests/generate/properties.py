#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Properties under every search: `heddle explore --spec` on programs and specifications nobody wrote.

    tests/generate/properties.py [--programs N] [--seed K] [-j N]   N programs from seed K on (100 from 1)
    tests/generate/properties.py --show SEED                        print the program and its specification
    tests/generate/properties.py --text 'call0:0 ; call1:0' --spec FILE    one program given as text

The programs are the argument of one interpreter, tests/generate/properties.c. Wanted of each:

  model      dfs finds what a model of the program and of its properties says that knows nothing of heddle, where that
             has all the program does: violated properties, deadlocks of it, enforced ones;
  searches   dpor, with two jobs, stopped and resumed, and with --symmetric, finds the same as dfs and is complete; so do
             --equivalence observed and reads-from where they say that they are complete;
  itself     heddle never fails.

A violation ends an execution, so that what comes after it is only found where it does not happen.
HEDDLE names another program to test than build/heddle.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
SOURCE = ROOT / "tests" / "generate" / "properties.c"
MOST = 5000  # executions of dfs: programs with more are skipped
LIMIT = 60   # seconds for one command

for _name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(_name, None)

# ---- specifications ----

# Where an event comes from: (step of the program, its number or None for any, before or after, what binds, point).
SOURCES = [
    (("call0", "block0"), None, "before", "p", "call(call0(..)) && target(p)"),
    (("call1", "block1"), None, "before", "p", "call(call1(..)) && target(p)"),
    (("call1", "block1"), None, "after", "p", "call(call1(..)) && target(p)"),
    (("call0", "block0"), None, "before", "", "call(call0(..))"),
    (("call1", "block1"), None, "after", "", "call(call1(..))"),
    (("result",), 1, "after", "", "call(result(..)) && condition(v == 1)"),
    (("read",), 0, "before", "", "read(x0)"),
    (("write",), 0, "before", "", "write(x0)"),
    (("write", "read"), 1, "before", "", "access(x1)"),
    (("lock", "try"), 0, "before", "", "lock(m0)"),
    (("lock",), 0, "after", "", "lock(m0)"),
    (("unlock",), 0, "before", "", "unlock(m0)"),
    (("unlock",), 1, "after", "", "unlock(m1)"),
    (("mark",), 0, "before", "", 'mark("mark0")'),
    (("mark",), 1, "before", "t", 'mark("mark1") && thread(t)'),
    (("result",), None, "before", "t", "call(result(..)) && thread(t)"),
    (("start",), None, "before", "", "threadStart()"),
    (("finish",), None, "before", "t", "threadEnd() && thread(t)"),
    (("call0", "block0"), None, "before", "", 'call(call0(..)) && threadName("renamed")'),
    (("kill",), None, "before", "p", "call(handled(..)) && target(p)"),
    (("kill",), None, "after", "", "call(handled(..)) && signal(s) && condition(s == 10)"),
]
UNMODELLED = ("rename", "kill", "try")


class Event:
    def __init__(self, name, source, creation=False, blocked=""):
        self.name, self.creation, self.blocked = name, creation, blocked
        self.steps, self.number, self.when, self.binds, self.point = source

    def text(self):
        values = {"p": "void *p", "t": "int t", "": "int s" if "signal" in self.point else ""}[self.binds]
        returning = " returning(int v)" if "v ==" in self.point else ""
        return (f"  {'creation ' * self.creation}event {self.name} {self.when}({values}){returning} : {self.point}"
                f"{self.blocked} {{}}\n")


class Property:
    """A finite automaton, in which who has no arrow fails; other formalisms are for searches alone."""

    def __init__(self, name, parameter, events, enforced, arrows, formula):
        self.name, self.parameter, self.events = name, parameter, events
        self.enforced, self.arrows, self.formula = enforced, arrows, formula

    def text(self):
        head = {"p": "void *p", "t": "int t", "": ""}[self.parameter]
        states = " ".join(f"s{i} [ {' '.join(f'{e} -> s{to}' for e, to in row.items())} ]" for i, row in enumerate(self.arrows))
        return (f"{'enforce ' * self.enforced}{self.name}({head}) {{\n{''.join(e.text() for e in self.events)}"
                f"  {self.formula or 'fsm: ' + states}\n"
                f"  {'@nonfail {}' if self.enforced else '@violation {}' if 'ptltl' in self.formula else '@match {}' if self.formula else '@fail {}'}\n}}\n")

    def is_modelled(self):
        return not self.formula and not any(e.creation or e.blocked or "renamed" in e.point or "kill" in e.steps for e in self.events)


def make_property(r, name, words):
    parameter = r.choice(("", "", "p", "p", "t"))
    pool = [s for s in SOURCES if s[3] in ("", parameter) and (set(s[0]) & words or r.random() < 0.1)]
    if parameter and not any(s[3] for s in pool):
        parameter, pool = "", [s for s in pool if not s[3]]
    pool = pool or [SOURCES[3]]
    enforced = r.random() < 0.25
    if enforced:  # nobody can be held in a handler
        pool = [s for s in pool if "kill" not in s[0]] or [SOURCES[3]]
    chosen = r.sample(pool, min(len(pool), r.randint(1, 4)))
    if not any(s[3] for s in chosen):
        parameter = ""
    marks_creation = parameter and r.random() < 0.3
    events = []
    for i, source in enumerate(chosen):
        blocked = f' && threadBlocked({r.choice((1, 2, 3))})' if enforced and r.random() < 0.25 else ""
        events.append(Event(f"e{i}", source, bool(marks_creation and source[3] and r.random() < 0.7), blocked))
    states = r.randint(1, 3)
    arrows = [{e.name: r.randrange(states) for e in events if r.random() < (0.75 if i else 0.9)} for i in range(states)]
    formula = ""
    if r.random() < 0.25 and not enforced:
        names = [e.name for e in events]
        pick = lambda: r.choice(names)  # noqa: E731
        formula = r.choice((f"ere: ({pick()} | {pick()})* {pick()} {pick()}", f"ptltl: {pick()} => <*> {pick()}",
                            f"ptltl: [*] ({pick()} => (*) {pick()})", f"ere: {pick()} ~(epsilon) {pick()}",
                            f"cfg: S -> {pick()} S {pick()} | {pick()} {pick()}"))
    return Property(name, parameter, events, enforced, arrows, formula)


def generate(seed):
    r = random.Random(f"properties {seed}")
    threads = r.choice((1, 2, 2, 2, 3))
    kinds = r.sample(["call0", "call1", "call0", "call1", "block0", "block1", "renew", "result", "read", "write", "lock", "try", "post",
                      "wait", "mark", "rename", "kill"], r.randint(2, 5))
    sections = [[] for _ in range(threads + 1)]
    renews = r.randrange(threads + 1)
    for _ in range(r.randint(3, 9 - threads)):
        kind = r.choice(kinds)
        t = r.randrange(threads + 1) if r.random() < 0.4 else r.randint(1, threads)
        n = r.randrange(2) if r.random() < 0.4 else 0
        if kind in ("rename", "kill"):
            sections[0].append(f"{kind}:{r.randint(1, threads)}")
            continue
        if kind == "renew":
            t = renews
        sections[t].append(f"{kind}:{n}")
        if kind in ("lock", "try"):
            inner = r.choice(("call0:0", "write:0", "read:0", ""))
            sections[t] += [inner] * bool(inner) + [f"unlock:{n}"] * (r.random() < 0.8)
    words = {step.split(":")[0] for section in sections for step in section} | {"start", "finish"}
    if words & {"lock", "try"}:
        words.add("unlock")
    properties = [make_property(r, f"P{i}", words) for i in range(r.choice((1, 1, 2, 3)))]
    return " ; ".join(" ".join(s) for s in sections), properties


# ---- what must come out ----


class Unknown(Exception):
    """The model does not have that."""


class Model:
    """All interleavings, each state once. A thread is a list of moves: a synchronisation, or what is one event to each
    of the properties that it is one to."""

    def __init__(self, text, properties):
        if any(word in text for word in UNMODELLED) or not all(p.is_modelled() for p in properties):
            raise Unknown
        self.properties = properties
        self.moves = [self.moves_of(t, section.split()) for t, section in enumerate(text.split(";"))]
        self.found, self.states = set(), set()
        threads = len(self.moves)
        # where each is, who has each mutex, semaphores, which blocks there are, states of monitors by value
        first = ((0,) * threads, (-1, -1), (0, 0), (0, 0), tuple(((None, 0),) for _ in properties))
        self.explore(first)

    def happenings(self, t, step, n, when):
        """What the step is to the properties: enforced ones read it at once, then come the others."""
        here = [(i, e) for i, p in enumerate(self.properties) for e in p.events
                if step in e.steps and e.number in (None, n) and e.when == when]
        moves, group = [], []
        for i, e in here:
            if not self.properties[i].enforced:
                continue
            if any(i == j for j, _ in group):
                moves.append(("events", step, n, group))
                group = []
            group.append((i, e))
        moves += [("events", step, n, group)] * bool(group)
        return moves + [("events", step, n, [(i, e)]) for i, e in here if not self.properties[i].enforced]

    def moves_of(self, t, words):
        moves, held = [], set()
        if t:
            moves += self.happenings(t, "start", 0, "before")
        for word in words + ["unlock:0", "unlock:1"] + ["finish:0"] * (t > 0):
            step, _, number = word.partition(":")
            n = int(number)
            if (step == "lock" and n in held) or (step == "unlock" and n not in held):
                continue
            held = held | {n} if step == "lock" else held - {n} if step == "unlock" else held
            moves += self.happenings(t, step, n, "before")
            if step in ("lock", "unlock", "post", "wait", "renew"):
                moves.append((step, n))
            moves += self.happenings(t, step, n, "after")
        return moves

    def explore(self, first):
        stack = [first]
        self.states.add(first)
        while stack:
            state = stack.pop()
            able = False
            held = set()
            for t in range(len(self.moves)):
                after = self.move(state, t, held)
                if after is None:
                    continue
                able = True
                if after and after not in self.states:
                    self.states.add(after)
                    stack.append(after)
            if not able and any(at < len(m) for at, m in zip(state[0], self.moves)):
                self.found.add("enforced deadlock" if held else "deadlock")
            if len(self.states) > 50000:
                raise Unknown

    def move(self, state, t, held):
        """The state after it; None: it cannot go on; (): that is the end."""
        at, mutex, sem, blocks, monitors = state
        if t == 0 and at[0] == len(self.moves[0]):
            return None  # it joins: if others cannot go on, nor can it
        if at[t] == len(self.moves[t]):
            return None
        at_next = at[:t] + (at[t] + 1,) + at[t + 1:]
        kind, *rest = self.moves[t][at[t]]
        if kind == "events":
            return self.read(state, t, at_next, *rest, held)
        n = rest[0]
        put = lambda seq, value: seq[:n] + (value,) + seq[n + 1:]  # noqa: E731
        if kind == "lock":
            return None if mutex[n] >= 0 else (at_next, put(mutex, t), sem, blocks, monitors)
        if kind == "unlock":
            return at_next, put(mutex, -1), sem, blocks, monitors
        if kind == "post":
            return at_next, mutex, put(sem, sem[n] + 1), blocks, monitors
        if kind == "wait":
            return None if not sem[n] else (at_next, mutex, put(sem, sem[n] - 1), blocks, monitors)
        return at_next, mutex, sem, put(blocks, blocks[n] + 1), monitors

    def read(self, state, t, at_next, step, n, group, held):
        at, mutex, sem, blocks, monitors = state
        new = list(monitors)
        for i, e in group:
            value = None
            if e.binds == "p":
                value = ("block", n, blocks[n]) if step.startswith("block") else ("object", n)
            elif e.binds == "t":
                value = ("thread", t)
            known = dict(new[i])
            if value is not None:
                known.setdefault(value, known[None])
            for v in known:
                if value is None or v == value:
                    known[v] = self.properties[i].arrows[known[v]].get(e.name, -1)
            if -1 in known.values():
                if self.properties[i].enforced:
                    held.add(t)
                    return None
                self.found.add(self.properties[i].name)
                return ()
            new[i] = tuple(sorted(known.items(), key=str))
        return at_next, mutex, sem, blocks, tuple(new)


# ---- heddle ----


def explore(binary, folder, text, options, statuses=(0, 1)):
    """The result as JSON; raises RuntimeError where heddle fails."""
    command = [HEDDLE, "explore", "-k", "-q", "--plain", "--no-page", "--races", "ignore", "--leaks", "ignore", "--json", "result.json",
               "--spec", "spec.mop", *options, binary, "--", text]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)
    if result.returncode not in statuses:
        raise RuntimeError(f"status {result.returncode}: {result.stderr.strip()[:200]}")
    return json.loads((pathlib.Path(folder) / "result.json").read_text())


def found_by(result):
    """Names of properties that are violated, and kinds of what else was found."""
    found = set()
    for bug in result["bugs"]:
        name = bug["message"].split(" ")[0].rstrip(":")
        if bug["kind"] == "property":
            found.add("enforced deadlock" if name == "enforced" else name)
        else:
            found.add(bug["kind"])
    return found


WAYS = {
    "dpor": ["-j", "1"],
    "two jobs": ["-j", "2"],
    "symmetric": ["-j", "1", "--symmetric"],
    "observed": ["-j", "1", "--equivalence", "observed"],
    "reads-from": ["-j", "1", "--equivalence", "reads-from"],
}


def resumed(binary, folder, text):
    """Stopped after a few executions, and resumed; what was found before that is told no more."""
    first = explore(binary, folder, text, ["-j", "1", "--checkpoint", "state", "--max-executions", "3"])
    if first["complete"] or first["losses"]:
        return found_by(first)
    return found_by(first) | found_by(explore(binary, folder, text, ["-j", "1", "--resume", "state"], (0, 1)))


def test(binary, text, spec, model=None):
    """Pairs of what was wanted and what differs; None: too many interleavings."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "spec.mop").write_text(spec)
        try:
            all_of = explore(binary, folder, text, ["--strategy", "dfs", "-j", "1", "--max-executions", str(MOST)])
            if not all_of["complete"] and not all_of["losses"]:
                return None
            wanted, differences = found_by(all_of), []
            if model and all_of["complete"] and model.found != wanted:
                differences.append(("model", f"dfs: {sorted(wanted)}, model: {sorted(model.found)}"))
            for way, options in WAYS.items():
                may_lose = way in ("observed", "reads-from")
                result = explore(binary, folder, text, options, (0, 1, 3) if may_lose else (0, 1))
                found = found_by(result)
                if result["complete"] != all_of["complete"] and not (may_lose and not result["complete"]):
                    differences.append(("searches", f"{way}: complete {result['complete']} {result['losses']}"))
                if found != wanted and result["complete"]:
                    differences.append(("searches", f"dfs: {sorted(wanted)}, {way}: {sorted(found)}"))
                if found - wanted:
                    differences.append(("searches", f"only {way}: {sorted(found - wanted)}"))
            found = resumed(binary, folder, text)
            if found != wanted:
                differences.append(("searches", f"dfs: {sorted(wanted)}, resumed: {sorted(found)}"))
            return differences
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
            return [("itself", str(error))]


def compile_interpreter(folder):
    binary = pathlib.Path(folder) / "properties"
    subprocess.run([HEDDLE, "cc", "-g", "-O1", str(SOURCE), "-o", str(binary)], check=True)
    return str(binary)


def test_seed(binary, seed):
    text, properties = generate(seed)
    try:
        model = Model(text, properties)
    except Unknown:
        model = None
    return test(binary, text, "".join(p.text() for p in properties), model), model is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--show", type=int)
    parser.add_argument("--text")
    parser.add_argument("--spec")
    options = parser.parse_args()
    if options.show is not None:
        text, properties = generate(options.show)
        print(text, *(p.text() for p in properties), sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        binary = compile_interpreter(folder)
        if options.text:
            differences = test(binary, options.text, pathlib.Path(options.spec).read_text())
            print(differences)
            return bool(differences)
        seeds = range(options.seed, options.seed + options.programs)
        skipped = modelled = wrong = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for seed, (differences, had_model) in zip(seeds, pool.map(lambda s: test_seed(binary, s), seeds)):
                skipped += differences is None
                modelled += had_model
                wrong += bool(differences)
                for group, what in differences or []:
                    print(f"{seed}: {group}: {what}", flush=True)
        print(f"{len(seeds)} programs, {modelled} with a model, {skipped} skipped, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
