# SPDX-License-Identifier: Apache-2.0
"""Searches against each other and against native runs: what calls.py and forked.py have in common.

A family of programs is an interpreter in C, made with interpreter.h, and a module that makes texts for it from seeds
and says in a class of its own (Case) what is run of a program and what is wanted of the results. Wanted of each:

  proof    no result is seen natively that a search which calls itself complete did not see;
  agree    what any search sees is seen by each that calls itself complete;
  alarm    no bug is reported that no native run shows;
  itself   heddle neither fails nor runs out of time.

To give up with status 3, or with "not complete" and a reason, is right, but no answer: the share of programs with a
proof is printed, and the reasons. So is how many results of searches no native run has shown; most of those are rare,
but one of a program with no time and no signals in it deserves a look. HEDDLE names another program to test than
build/heddle.
"""
import argparse
import collections
import concurrent.futures
import itertools
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
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 200     # seconds for one command, however busy the machine is

for _name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(_name, None)

# ---- programs ----


class Program:
    """Set-up words, then for each thread a list of calls."""

    def __init__(self, setup, threads, family=""):
        self.setup, self.threads, self.family = setup, threads, family

    @classmethod
    def parse(cls, text):
        parts = [part.split() for part in text.split(";")]
        return cls(parts[0], parts[1:], "given")

    def __str__(self):
        return " ; ".join(" ".join(part) for part in [self.setup, *self.threads])

    def names(self):
        return {call.split(":")[0] for thread in self.threads for call in thread}

    def without(self, thread, at):
        threads = [list(t) for t in self.threads]
        del threads[thread][at]
        return type(self)(self.setup, threads, self.family)


def weighed(text):
    """Words and how often each is taken: "3*name" is taken three times as often as "name"."""
    parts = [re.fullmatch(r"(?:(\d+)\*)?(.*)", word).groups() for word in text.split()]
    return [call for _, call in parts], [int(times or 1) for times, _ in parts]


def draw_family(generator, families, couples, couples_weight, wanted):
    """The name of a family, or of one of the couples."""
    names = list(wanted) or [*families, "couples"]
    weights = [families[n].weight if n in families else couples_weight if n == "couples" else 1 for n in names]
    name = generator.choices(names, weights)[0]
    return generator.choice(sorted(couples)) if name == "couples" else name


# ---- what is run ----


def run(command, limit=LIMIT, **options):
    """Its exit status, standard output and standard error; status 124 when it ran out of time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=limit, check=False, **options)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return 124, late.stdout or b"", f"no end after {limit} s"


def build(folder, source):
    """The interpreter, for heddle and for native runs."""
    built = []
    for compiler, name in (([HEDDLE, "cc"], source.stem), (["cc"], f"{source.stem}-native")):
        path = pathlib.Path(folder) / name
        status, out, err = run([*compiler, "-g", "-O1", "-std=gnu17", "-pthread", str(source), "-o", str(path)], 120)
        if status:
            raise RuntimeError(f"{' '.join(compiler)}: status {status}: {out.decode(errors='replace')}{err}")
        built.append(path)
    return built


MASK = (1 << 64) - 1


def mix(x):
    """mix64() of core/rng.h."""
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & MASK
    return x ^ x >> 31


def hash_of(output):
    """As heddle hashes what an execution printed (leave_line() of worlds/threads/process/loop.c)."""
    value = 0
    for byte in output:
        value = mix(value ^ byte)
    return f"{value:016x}"


class Folder:
    """A folder of its own for a command; no two have the same."""

    numbers = itertools.count()
    lock = threading.Lock()

    def __init__(self, parent):
        with self.lock:
            number = next(self.numbers)
        self.path = pathlib.Path(parent) / f"run{number}"
        (self.path / "here").mkdir(parents=True)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


BLOCKED = b"(blocked)"
DEADLOCK = hash_of(b"")  # an execution that printed nothing


class Native:
    """Native runs: how often each output was seen. A run that blocks, dies or fails has a name in parentheses as output. One that
    blocks may have been slow: only two of them are a deadlock."""

    def __init__(self, binary, program, runs, seed):
        self.outputs, self.hashes = {}, {}
        with Folder(binary.parent) as folder:
            self.status, out, self.error = run([str(binary), "--native", str(runs), str(seed), str(program)], limit=LIMIT + runs * 0.5,
                                               cwd=folder / "here")
        at = 0
        while at < len(out):
            head = re.compile(rb"(\d+) (\d+) ").match(out, at)
            if not head:
                self.status, self.error = 2, f"the runner of native runs says {out[at:at + 80]!r}"
                return
            end = head.end() + int(head[2])
            self.outputs[out[head.end():end]] = int(head[1])
            at = end + 1
        if self.outputs.get(BLOCKED) == 1:
            del self.outputs[BLOCKED]
        self.hashes = {DEADLOCK if output == BLOCKED else hash_of(output): output for output in self.outputs}

    def failures(self):
        return {output for output in self.outputs if output.startswith(b"(")}


def bounds(options):
    """Of searches, beside their time."""
    return ["--max-executions", str(options.executions)] if options.executions else []


class Search:
    """One `heddle explore`."""

    def __init__(self, name, binary, program, arguments, seconds, accepted=()):
        self.name = name
        with Folder(binary.parent) as folder:
            document, hashes = folder / "json", folder / "hashes"
            command = [HEDDLE, "explore", "-j", "1", "--time", f"{seconds}s", "--leaks", "ignore", "--no-page", "--color", "never",
                       "--out", str(folder / "out"), "--json", str(document), "--hashes", str(hashes), *arguments,
                       str(binary), "--", str(program)]
            began = time.monotonic()
            self.status, out, self.error = run(command, cwd=folder / "here")
            self.seconds = time.monotonic() - began
            self.said = out.decode(errors="replace").strip()
            result = json.loads(document.read_text()) if document.exists() else {}
            lines = re.findall(r"(?m)^([0-9a-f]{16}) ([0-9a-f]{16}) ", hashes.read_text() if hashes.exists() else "")
        self.hashes = {output for _, output in lines}
        self.classes = collections.Counter(line[0] for line in lines)
        self.kinds = collections.Counter(bug["kind"] for bug in result.get("bugs", []))
        self.titles = [f"{bug['kind']} ({bug['message']})" for bug in result.get("bugs", [])]
        self.executions = result.get("executions", 0)
        self.abandoned = result.get("blocked_executions", 0)
        right = self.status in (0, 1) and set(self.kinds) <= set(accepted)
        self.complete = bool(result.get("complete")) and right
        cut = "estimate" in self.said or "were not tried" in self.said or self.said.endswith("not complete")
        self.ended = self.status == 0 and not self.kinds and not cut
        self.reset = result.get("reset", "")

    def failed(self):
        """It says something untrue about the program to explain a failure of its own, or has no explanation at all."""
        return self.status not in (0, 1, 3) or any(words in self.error for words in (
            "lost their process", "lost its process", "is damaged", "did not repeat itself", "without finishing one execution",
            "nondeterministic under control"))

    def reason(self):
        """Why it is no proof, in heddle's own words; numbers and places are left out, so that reasons can be counted."""
        lines = (self.said if "not complete" in self.said or self.status == 0 else self.error + "\n" + self.said).strip().splitlines()
        said = next((l for l in lines if "not complete" in l), lines[-1] if lines else "nothing said")
        said = re.sub(r".*not complete:? *", "not complete: ", said)
        return re.sub(r"\d[\d.,]*", "N", re.sub(r"\(at [^)]*\)|\S+\.c:\d+", "", said))[:160]

    def verdict(self):
        if self.complete:
            return f"complete, {self.executions} executions, {len(self.hashes)} results"
        if self.kinds:
            return f"{', '.join(self.titles)[:200]}, after {self.executions} executions"
        return f"status {self.status}, {self.executions} executions: {self.reason()}"


# Bugs that a failure of a native run shows: its name in parentheses and the kinds of reports it stands for.
SHOWN_BY = {"(blocked)": {"deadlock", "hang"}, "(signal": {"crash", "signal", "memory", "abort", "assertion"}, "(exit": {"exit"}}


class Case:
    """A program, what was run of it, and what is wrong. A family of programs says with which searches (search_names(), search())."""

    def __init__(self, name, program, binaries, options):
        self.name, self.program, self.binaries, self.options = name, program, binaries, options
        self.differences, self.searches, self.native = [], {}, None

    def test(self):
        self.native = Native(self.binaries[1], self.program, self.options.runs, self.name if isinstance(self.name, int) else 1)
        if self.native.status:
            self.differ("itself", f"native runs: status {self.native.status}: {self.native.error[:200]}")
            return self
        for name in self.search_names():
            self.searches[name] = self.search(name)
        for search in self.searches.values():
            self.judge(search)
        self.compare()
        return self

    def differ(self, group, text):
        self.differences.append((group, text))

    def shown(self, kind):
        """A native run has failed in such a way, or may do so without anybody's fault."""
        return any(kind in kinds and output.decode(errors="replace").startswith(start)
                   for output in self.native.failures() for start, kinds in SHOWN_BY.items())

    def judge(self, search):
        if search.failed():
            self.differ("itself", f"{search.name}: status {search.status}: {(search.error or search.said)[-300:]}")
        for kind in search.kinds:
            if not self.shown(kind):
                self.differ("alarm", f"{search.name}: {search.verdict()}")
        missed = self.not_seen_by(search) if search.complete else []
        if missed:
            times = sum(self.native.outputs[output] for output in missed)
            self.differ("proof", f"{search.name}: {search.verdict()}; natively in {times} of {sum(self.native.outputs.values())} runs also "
                                 f"{missed[0].decode(errors='replace').strip()}")

    def gap(self):
        """What a native run shows and a search has not seen that came to its end but does not call itself complete: no fault, but of
        interest for whoever wants it to be complete."""
        for search in self.searches.values():
            if search.ended and not search.complete and self.not_seen_by(search):
                return f"{search.name}: {search.verdict()}; not seen {self.not_seen_by(search)[0].decode(errors='replace').strip()}"
        return None

    def doubt(self):
        """A deadlock that native runs do not show: rare, or none."""
        if any(DEADLOCK in s.hashes for s in self.searches.values()) and DEADLOCK not in self.native.hashes:
            return "a deadlock that no native run has shown"
        return None

    def not_seen_by(self, search):
        return sorted((o for h, o in self.native.hashes.items() if h not in search.hashes), key=lambda o: -self.native.outputs[o])

    def compare(self):
        for one, other in itertools.permutations(self.searches.values(), 2):
            more = other.hashes - one.hashes
            if one.complete and more:
                self.differ("agree", f"{one.name} is complete ({one.executions} executions) without {len(more)} of the "
                                     f"{len(other.hashes)} results of {other.name}: {self.printed(more)}")

    def printed(self, hashes):
        """Some of these results, as far as a native run has printed them."""
        return ", ".join(self.native.hashes[h].decode(errors="replace").strip() if h in self.native.hashes else h for h in sorted(hashes)[:3])

    def proved(self):
        return bool(self.searches) and all(s.complete for s in self.searches.values())

    def unseen(self):
        """Results of complete searches that no native run has shown."""
        return set().union(*(s.hashes for s in self.searches.values() if s.complete)) - set(self.native.hashes)

    def groups(self):
        return {group for group, _ in self.differences}

    def may_shrink_to(self, case):
        return bool(self.groups() & case.groups())

    def shrink(self):
        """The smallest program found, by leaving out calls one after the other, with something of the same kind wrong."""
        smallest, again = self, bool(self.differences)
        while again:
            again = False
            for thread, at in [(t, at) for t, calls in enumerate(smallest.program.threads) for at in range(len(calls))]:
                case = type(self)(self.name, smallest.program.without(thread, at), self.binaries, self.options).test()
                if self.may_shrink_to(case):
                    smallest, again = case, True
                    break
        return smallest


# ---- the command ----


class Totals:
    def __init__(self):
        self.programs = self.proved = self.unseen = self.results = self.runs = self.executions = self.bugs = 0
        self.wrong, self.reasons, self.families = [], collections.Counter(), collections.Counter()
        self.proofs, self.by_search, self.gaps = collections.Counter(), collections.Counter(), []
        self.started = time.monotonic()

    def add(self, case):
        self.programs += 1
        self.wrong += [case] if case.differences else []
        self.families[case.program.family] += 1
        if case.proved() and not case.differences:
            self.proved += 1
            self.proofs[case.program.family] += 1
        self.runs += sum(case.native.outputs.values())
        if case.searches:
            self.add_searches(case, case.searches.values())

    def add_searches(self, case, searches):
        self.by_search.update(s.name for s in searches if s.complete)
        self.gaps += [case.name] if case.gap() else []
        self.unseen += len(case.unseen())
        self.results += len(set().union(*(s.hashes for s in searches)))
        self.executions += sum(s.executions for s in searches)
        self.bugs += any(s.kinds for s in searches) and not case.differences
        open_ones = [s for s in searches if not s.complete and not s.kinds and not s.failed()]
        if open_ones:
            self.reasons[f"{' '.join(s.name for s in open_ones)}: {open_ones[0].reason()}"] += 1

    def lines(self):
        share = 100 * self.proved / max(1, self.programs)
        lines = [f"{self.programs} programs, {self.runs} native runs, {self.executions} executions, {time.monotonic() - self.started:.0f} s",
                 f"{len(self.wrong)} wrong; proved by all searches {self.proved} ({share:.0f} %), called complete by "
                 f"{', '.join(f'{name} {n}' for name, n in self.by_search.items())}",
                 f"with a bug that native runs show or may show {self.bugs}; given up {sum(self.reasons.values())}, of which "
                 f"{len(self.gaps)} came to an end without a result that a native run shows",
                 f"results of searches: {self.results}, of which no native run has shown {self.unseen}"]
        lines += [f"given up: {n} times: {reason}" for reason, n in self.reasons.most_common(12)]
        none = sorted(f for f in self.families if not self.proofs[f])
        return lines + ([f"without a single proof: {', '.join(none)}"] if none else [])


class Kind:
    """A kind of programs: the interpreter's source, generate(seed, families), and the classes of its programs and cases."""

    def __init__(self, source, generate, program, case, runs):
        self.source, self.generate, self.program, self.case, self.runs = ROOT / "tests" / "generate" / source, generate, program, case, runs

    def given(self, text, families=()):
        return self.generate(int(text), families) if text.isdigit() else self.program.parse(text)


def test_all(kind, seeds, binaries, options, done=lambda case: None):
    totals = Totals()

    def one(seed):
        return kind.case(seed, kind.generate(seed, options.family), binaries, options).test()
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for case in pool.map(one, seeds):
            totals.add(case)
            done(case)
    return totals


def tell(case, verbose=True):
    print(f"{'wrong' if case.differences else 'right'}: {case.program}")
    for group, text in case.differences:
        print(f"  {group}: {text}")
    for search in case.searches.values():
        print(f"  {search.name}: {search.verdict()}" + (f" ({search.reset})" if search.reset else ""))
    for word in filter(None, (case.gap(), case.doubt())):
        print(f"  to be looked at: {word}")
    if verbose:
        for h, output in sorted(case.native.hashes.items(), key=lambda pair: -case.native.outputs[pair[1]]):
            seen = " ".join(s.name for s in case.searches.values() if h in s.hashes)
            print(f"  {case.native.outputs[output]:5} {output.decode(errors='replace').strip()}  [{seen}]")
        print(f"  {len(case.unseen())} results that no native run has shown")


def arguments(title, runs, seconds):
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--programs", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("-j", type=int, default=1, help="programs at a time")
    parser.add_argument("--runs", type=int, default=runs, help="native runs of each")
    parser.add_argument("--seconds", type=float, default=seconds, help="for each search")
    parser.add_argument("--executions", type=int, help="of each search, which are as many on a busy machine")
    parser.add_argument("--family", nargs="+", default=[], metavar="NAME", help="only these; \"couples\" are those that block")
    return parser


def main(kind, title, add_arguments=lambda parser: None, other_command=lambda options: False):
    parser = arguments(title, kind.runs, 5)
    parser.add_argument("--show", nargs="+", metavar="SEED", help="print programs")
    parser.add_argument("--text", action="append", help="this program")
    parser.add_argument("--verbose", action="store_true", help="with --text: print what native runs printed")
    parser.add_argument("--shrink", metavar="SEED|TEXT", help="make this one small")
    parser.add_argument("--small", action="store_true", help="make each program small with which something is wrong")
    add_arguments(parser)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for seed in options.show or []:
        print(f"{seed}: {kind.generate(int(seed), options.family)}")
    if options.show or other_command(options):
        return 0
    folder = tempfile.mkdtemp(prefix=f"heddle-{kind.source.stem}.")
    try:
        return test_as_told(kind, options, build(folder, kind.source))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_as_told(kind, options, binaries):
    def case_of(text):
        return kind.case(int(text) if text.isdigit() else 1, kind.given(text, options.family), binaries, options).test()

    def done(case):
        for word in filter(None, (case.gap(), case.doubt())):
            print(f"# seed {case.name} ({case.program.family}): {case.program}\n#   to be looked at: {word}", flush=True)
        if case.differences:
            shown = case.shrink() if options.small else case
            print(f"# seed {case.name} ({case.program.family}): {shown.program}", flush=True)
            for group, text in shown.differences:
                print(f"#   {group}: {text}", flush=True)
    for text in options.text or []:
        tell(case_of(text), options.verbose)
    if options.shrink:
        tell(case_of(options.shrink).shrink())
    if options.text or options.shrink:
        return 0
    totals = test_all(kind, range(options.seed, options.seed + options.programs), binaries, options, done)
    print("\n".join(totals.lines()))
    return 1 if totals.wrong else 0


# ---- as a part of the tests ----


def print_case(name, bad):
    print(f"{'not ok' if bad else 'ok'} - {name}{f' ({bad[:300]})' if bad else ''}", flush=True)


def test_found(kind, found, binaries, options):
    """Programs in which a fault was found before: a file each, whose first line is the program."""
    for path in sorted((ROOT / "tests" / "generate" / found).glob("*.txt")):
        case = kind.case(path.stem, kind.program.parse(path.read_text().splitlines()[0]), binaries, options).test()
        print_case(f"found before: {path.stem}", "; ".join(f"{group}: {text}" for group, text in case.differences))


def test_wanted(kind, groups, found, found_seconds, options, enough=0.0):
    """A line for each thing wanted of some programs, and one for each program in the folder found."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix=f"heddle-{kind.source.stem}.")
    try:
        binaries = build(folder, kind.source)
        totals = test_all(kind, range(options.seed, options.seed + options.programs), binaries, options)
        for group, title in groups.items():
            bad = [case for case in totals.wrong if group in case.groups()]
            print_case(f"{title}, {totals.programs} programs from seed {options.seed}",
                       f"seeds {' '.join(str(case.name) for case in bad)}" if bad else "")
            for case in bad[:5]:
                print(f"    | seed {case.name}: {case.program}")
                print("\n".join(f"    |   {text}" for g, text in case.differences if g == group))
        if enough:
            few = totals.by_search["dpor"] < enough * totals.programs
            print_case("enough of them are searched completely", f"{totals.by_search['dpor']} of {totals.programs}" if few else "")
        options.seconds = found_seconds
        test_found(kind, found, binaries, options)
        print("\n".join(f"# {line}" for line in totals.lines()))
    except RuntimeError as error:
        print_case("the interpreter of generated programs builds", str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
