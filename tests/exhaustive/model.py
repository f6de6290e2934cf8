#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many interleavings and how many classes of them the programs of this folder have, by brute force.

    model.py                    works out every row of table.txt anew and says where the table is wrong
    model.py PROGRAM ARG...     one program: interleavings, classes, deadlocks, final states
    model.py --preemptions PROGRAM ARG...   interleavings by their number of preemptions

Nothing here is shared with heddle: threads are Python generators that yield operations, the interpreter below tries
every enabled thread at every point. Two interleavings are of one class if they order all dependent operations alike;
an operation's vector clock says what it comes after, so the clocks of all operations are the class. Prefixes of one
class lead to the same state and are walked once, which is what makes this fast enough.

What depends on what: a write on reads and writes of the location, a failed compare-and-swap is a read; a relaxed update of
which nobody uses the result is a write, but for others of its kind (add, set bits, turn bits round); operations on one
mutex; on one read-write lock, but for two that are both of readers; waits on a semaphore on its waits and posts; begin
of a wait, signal and broadcast on one condition variable, but for two signals that nobody waits for; operations on one message queue, and on one set of
semaphores; reading from and writing to one channel, and looking at several with what changes one of them; arrivals at a barrier on those of other rounds. A wait is two
operations. The first releases the mutex; the second, which retakes it, comes after its signal and depends on nothing
else of the condition variable. To leave a barrier comes after the arrivals of the round and depends on nothing else.
Which waiter is woken and which thread is the serial one are choices, and part of the class.
"""
import collections
import pathlib
import sys
from math import comb, factorial, prod

sys.setrecursionlimit(10000)
TABLE = pathlib.Path(__file__).with_name("table.txt")

# class of operation -> classes of operations on the same object that it depends on
DEPENDS = {"read": ("write", "add", "bits", "turn"), "write": ("read", "write", "add", "bits", "turn"),
           "add": ("read", "write", "bits", "turn"), "bits": ("read", "write", "add", "turn"),
           "turn": ("read", "write", "add", "bits"), "mutex": ("mutex",), "shared": ("exclusive",),
           "exclusive": ("shared", "exclusive"), "post": ("take",), "take": ("post", "take"), "cond": ("cond", "vain"), "vain": ("cond",),
           "queue": ("queue",), "set": ("set",)}
CLASS = {"read": "read", "write": "write", "rmw": "write", "update": "write", "cas": "write", "await": "read", "await_cas": "write", "await_rmw": "write", "lock": "mutex", "unlock": "mutex",
         "trylock": "mutex", "rdlock": "shared", "wrlock": "exclusive", "post": "post", "semwait": "take",
         "signal": "cond", "broadcast": "cond", "wait": "cond", "send": "queue", "receive": "queue", "semop": "set", "put": "exclusive", "get": "exclusive"}


class Touched(Exception):
    """An object that was taken for private is used by a second thread."""


class State:
    """What a prefix of an execution has led to. Never changed once it is made, but for its own copies."""

    def __init__(self, other):
        self.history = other.history    # per thread: the results of its operations so far
        self.phase = other.phase        # per thread: what a wait is in the middle of, or None
        self.clock = other.clock        # per thread
        self.trace = other.trace        # per thread: the number of its sequence of operations with their clocks
        self.value = dict(other.value)  # of variables, mutexes, ...
        self.seen = dict(other.seen)    # (object, class of operation) -> join of their clocks
        self.last = other.last


class Start:
    def __init__(self, threads):
        nothing = (0,) * threads
        self.history, self.phase, self.clock = ((),) * threads, (None,) * threads, (nothing,) * threads
        self.trace, self.value, self.seen, self.last = nothing, {}, {}, None


def join(a, b):
    return tuple(map(max, a, b)) if b else a


def operated(values, operations):
    """The values of a set of semaphores after all of the operations; None if they would have to wait."""
    for number, change in operations:
        values = put(values, number, values[number] + change)
        if values[number] < 0:
            return None
    return values


def put(sequence, i, value):
    return sequence[:i] + (value,) + sequence[i + 1:]


class Model:
    """threads: functions that make generators; initial: values of variables and semaphores that are not 0;
    eager: operations on an object that only one thread uses are performed at once, which changes no class;
    again: a loop that waits looks at several things anew, so where it would wait for ever for one of them, there is no end."""

    def __init__(self, threads, initial=None, eager=False, again=False):
        self.threads = threads
        self.again = again
        self.initial = initial or {}
        self.eager = eager
        self.shared = set()
        self.restart()

    def restart(self):
        self.user = {}     # object -> the only thread that used it so far
        self.program = {}  # (thread, history) -> its next operation
        self.number = {}   # (number of the operations before, operation, its clock) -> number
        self.walked = {}
        self.ends = {}     # classes: key -> (how it ended, final state)

    # -- what threads do

    def next(self, state, t):
        """The next operation of a thread, None at its end."""
        history = state.history[t]
        if (t, history) not in self.program:
            run = self.threads[t]()
            try:
                op = next(run)
                for value in history:
                    op = run.send(value)
            except StopIteration as end:
                op = ("end", end.value)
            self.program[t, history] = op
        return self.program[t, history]

    def enabled(self, state, t):
        phase, value = state.phase[t], state.value
        if phase:
            if phase[0] == "wake":
                return phase[1] is not None and value.get(phase[3]) is None
            return phase[1] is not None
        op = self.next(state, t)
        kind = op[0]
        if kind == "end":
            return False
        if kind == "lock":
            return value.get(op[1]) is None
        if kind in ("semwait", "get"):
            return value.get(op[1], 0) > 0
        if kind == "send":
            return len(value.get(op[1], ())) < op[4]
        if kind == "receive":
            return len(value.get(op[1], ())) > 0
        if kind == "semop":
            return operated(value[op[1]], op[2]) is not None
        if kind == "await":
            return op[2](value.get(op[1], 0))
        if kind == "await_rmw":
            return op[3](value.get(op[1], 0))
        if kind == "await_cas":
            return value.get(op[1], 0) == op[2]
        if kind == "poll":
            return any(value.get(name, 0) > 0 for name in op[1:])
        if kind == "rdlock":
            return value.get(op[1], (None, ()))[0] is None
        if kind == "wrlock":
            return value.get(op[1], (None, ())) == (None, ())
        return True

    def choices(self, state, t):
        """How many ways there are to perform the next operation of a thread."""
        if state.phase[t]:
            return 1
        op = self.next(state, t)
        if op[0] == "choose":
            return op[1]
        if op[0] == "signal":
            return max(1, len(self.waiters(state, op[1])))
        if op[0] == "barrier" and len(state.value.get(op[1], ())) == op[2] - 1:
            asking = sum(asks for _, asks in state.value.get(op[1], ()) + ((t, op[3:] != (False,)),))
            return asking + (asking < op[2])
        return 1

    @staticmethod
    def waiters(state, cond):
        return [u for u, p in enumerate(state.phase) if p and p[0] == "wake" and p[2] == cond and not p[1]]

    # -- one step

    def step(self, before, t, choice):
        s = State(before)
        s.last = t
        phase = s.phase[t]
        if phase and phase[0] == "wake":
            _, signal, _, mutex = phase
            s.phase = put(s.phase, t, None)
            s.value[mutex] = t
            self.event(s, t, "wake", "mutex", mutex, after=signal)
            return self.result(s, t, None)
        if phase:
            _, (arrivals, serial), name = phase
            s.phase = put(s.phase, t, None)
            self.event(s, t, ("leave", serial), None, name, after=arrivals)
            return self.result(s, t, serial)
        op = self.next(s, t)
        return getattr(self, "do_" + op[0])(s, t, choice, *op[1:])

    def event(self, s, t, tag, kind, name, after=None):
        """Takes note of an operation: its clock is the class's view of it."""
        if self.eager and name is not None and self.user.setdefault(name, t) != t and name not in self.shared:
            self.shared.add(name)
            raise Touched
        clock = join(s.clock[t], after)
        for other in DEPENDS.get(kind, ()):
            clock = join(clock, s.seen.get((name, other)))
        clock = put(clock, t, clock[t] + 1)
        s.clock = put(s.clock, t, clock)
        if kind:
            s.seen[name, kind] = join(clock, s.seen.get((name, kind)))
        key = (s.trace[t], tag, name, clock)
        s.trace = put(s.trace, t, self.number.setdefault(key, len(self.number) + 1))
        return clock

    @staticmethod
    def result(s, t, value):
        s.history = put(s.history, t, s.history[t] + (value,))
        return s

    def do_read(self, s, t, _, x):
        self.event(s, t, "read", "read", x)
        return self.result(s, t, s.value.get(x, 0))

    def do_write(self, s, t, _, x, value):
        self.event(s, t, "write", "write", x)
        s.value[x] = value
        return self.result(s, t, None)

    def do_rmw(self, s, t, _, x, change):
        self.event(s, t, "rmw", "write", x)
        old = s.value.get(x, 0)
        s.value[x] = change(old)
        return self.result(s, t, old)

    def do_update(self, s, t, _, x, kind, by):
        self.event(s, t, "update", kind, x)
        old = s.value.get(x, 0)
        s.value[x] = {"add": old + by, "bits": old | by, "turn": old ^ by}[kind] % 2 ** 32
        return self.result(s, t, None)

    def do_cas(self, s, t, _, x, expected, value):
        found = s.value.get(x, 0)
        self.event(s, t, "cas", "write" if found == expected else "read", x)
        if found == expected:
            s.value[x] = value
        return self.result(s, t, found)

    def do_await(self, s, t, _, x, _wanted):
        return self.do_read(s, t, _, x)

    do_await_cas = do_cas

    def do_await_rmw(self, s, t, _, x, change, _wanted):
        return self.do_rmw(s, t, _, x, change)

    def do_once(self, s, t, _, control):
        first = not s.value.get(control)
        self.event(s, t, ("once", first), "exclusive" if first else "shared", control)
        s.value[control] = 1
        return self.result(s, t, None)

    def do_lock(self, s, t, _, m):
        self.event(s, t, "lock", "mutex", m)
        s.value[m] = t
        return self.result(s, t, None)

    def do_trylock(self, s, t, _, m):
        self.event(s, t, "trylock", "mutex", m)
        free = s.value.get(m) is None
        if free:
            s.value[m] = t
        return self.result(s, t, free)

    def do_unlock(self, s, t, _, m):
        self.event(s, t, "unlock", "mutex", m)
        s.value[m] = None
        return self.result(s, t, None)

    def do_rdlock(self, s, t, _, l):
        self.event(s, t, "rdlock", "shared", l)
        s.value[l] = (None, s.value.get(l, (None, ()))[1] + (t,))
        return self.result(s, t, None)

    def do_wrlock(self, s, t, _, l):
        self.event(s, t, "wrlock", "exclusive", l)
        s.value[l] = (t, ())
        return self.result(s, t, None)

    def do_rwunlock(self, s, t, _, l):
        writer, readers = s.value[l]
        self.event(s, t, "rwunlock", "exclusive" if writer == t else "shared", l)
        s.value[l] = (None, tuple(r for r in readers if r != t))
        return self.result(s, t, None)

    def do_post(self, s, t, _, sem):
        self.event(s, t, "post", "post", sem)
        s.value[sem] = s.value.get(sem, 0) + 1
        return self.result(s, t, None)

    def do_semwait(self, s, t, _, sem):
        self.event(s, t, "semwait", "take", sem)
        s.value[sem] -= 1
        return self.result(s, t, None)

    def do_send(self, s, t, _, queue, message, priority, room):
        self.event(s, t, "send", "queue", queue)
        waiting = s.value.get(queue, ())
        at = sum(1 for _, other in waiting if other >= priority)
        s.value[queue] = waiting[:at] + ((message, priority),) + waiting[at:]
        assert len(s.value[queue]) <= room
        return self.result(s, t, None)

    def do_receive(self, s, t, _, queue):
        self.event(s, t, "receive", "queue", queue)
        (message, _), *rest = s.value[queue]
        s.value[queue] = tuple(rest)
        return self.result(s, t, message)

    def do_semop(self, s, t, _, name, operations):
        self.event(s, t, "semop", "set", name)
        s.value[name] = operated(s.value[name], operations)
        return self.result(s, t, None)

    def do_put(self, s, t, _, channel):
        self.event(s, t, "put", "exclusive", channel)
        s.value[channel] = s.value.get(channel, 0) + 1
        return self.result(s, t, None)

    def do_get(self, s, t, _, channel):
        self.event(s, t, "get", "exclusive", channel)
        s.value[channel] -= 1
        return self.result(s, t, None)

    def do_poll(self, s, t, _, *channels):
        clock = s.clock[t]
        for channel in channels:
            clock = join(clock, s.seen.get((channel, "exclusive")))
        clock = self.event(s, t, "poll", None, None, after=clock)
        for channel in channels:
            s.seen[channel, "shared"] = join(clock, s.seen.get((channel, "shared")))
        return self.result(s, t, tuple(s.value.get(channel, 0) > 0 for channel in channels))

    def do_wait(self, s, t, _, cond, mutex):
        clock = join(s.clock[t], s.seen.get((mutex, "mutex")))
        clock = self.event(s, t, "wait", "cond", cond, after=clock)
        s.seen[mutex, "mutex"] = clock
        s.value[mutex] = None
        s.phase = put(s.phase, t, ("wake", None, cond, mutex))
        return s

    def do_signal(self, s, t, choice, cond):
        waiters = self.waiters(s, cond)
        chosen = waiters[choice] if waiters else None
        clock = self.event(s, t, ("signal", chosen), "cond" if waiters else "vain", cond)
        if waiters:
            s.phase = put(s.phase, chosen, ("wake", clock) + s.phase[chosen][2:])
        return self.result(s, t, None)

    def do_broadcast(self, s, t, _, cond):
        waiters = self.waiters(s, cond)
        clock = self.event(s, t, "broadcast", "cond" if waiters else "vain", cond)
        for u in waiters:
            s.phase = put(s.phase, u, ("wake", clock) + s.phase[u][2:])
        return self.result(s, t, None)

    def do_barrier(self, s, t, choice, name, count, asks=True):
        opened = s.value.get((name, "opened"), None)  # clock of all arrivals of all rounds before
        clock = self.event(s, t, "arrive", None, name, after=opened)
        arrived = s.value.get(name, ()) + ((t, asks),)
        arrivals = join(clock, s.value.get((name, "arrivals")))
        s.value[name, "arrivals"] = arrivals
        s.phase = put(s.phase, t, ("leave", None, name))
        if len(arrived) == count:
            asking = sorted(u for u, asks in arrived if asks)
            serial = asking[choice] if choice < len(asking) else None
            for u, _ in arrived:
                s.phase = put(s.phase, u, ("leave", (arrivals, u == serial), name))
            s.value[name, "opened"] = arrivals
            arrived = ()
        s.value[name] = arrived
        return s

    def do_choose(self, s, t, choice, _):
        self.event(s, t, ("choose", choice), None, None)
        return self.result(s, t, choice)

    # -- all of them

    def key(self, s):
        """Prefixes with the same key are of one class, and in one state: a serial thread that was chosen is not in the
        trace before it leaves."""
        return s.trace, tuple(p[1][1] if p and p[0] == "leave" and p[1] else None for p in s.phase)

    def private(self, s, t):
        """Whether the thread's next operation is on an object nobody else uses."""
        op = self.next(s, t)
        return not s.phase[t] and op[0] in CLASS and op[1] not in self.shared and op[0] != "wait"

    def moves(self, s):
        able = [t for t in range(len(self.threads)) if self.enabled(s, t)]
        if self.eager:
            for t in able:
                if self.private(s, t):
                    return [(t, 0)]
        return [(t, c) for t in able for c in range(self.choices(s, t))]

    def end(self, s, how):
        variables = tuple(sorted((k, v) for k, v in s.value.items() if isinstance(k, str) and isinstance(v, int)))
        results = tuple(self.next(s, t)[1] if self.next(s, t)[0] == "end" else None for t in range(len(self.threads)))
        self.ends[self.key(s)] = how, (variables, results)

    def over(self, s):
        """How the execution ended, or None."""
        if s.last is not None and not s.phase[s.last] and self.next(s, s.last)[0] == "stop":
            return "stopped"
        if not self.moves(s):
            done = all(not s.phase[t] and self.next(s, t)[0] == "end" for t in range(len(self.threads)))
            return "done" if done else "deadlock"
        return None

    def start(self):
        s = Start(len(self.threads))
        s.value = dict(self.initial)
        return State(s)

    def walk(self, s):
        """The number of interleavings from here on; classes are collected in self.ends."""
        key = self.key(s)
        stop = s.last if not s.phase[s.last or 0] and s.last is not None and self.next(s, s.last)[0] == "stop" else None
        key = key + (stop,)
        if key not in self.walked:
            how = self.over(s)
            if how == "deadlock" and self.again:
                self.walked[key] = 0
            elif how:
                self.end(s, how)
                self.walked[key] = 1
            else:
                self.walked[key] = sum(self.walk(self.step(s, t, c)) for t, c in self.moves(s))
        return self.walked[key]

    def count(self):
        while True:
            try:
                interleavings = self.walk(self.start())
                break
            except Touched:
                self.restart()
        return Count(interleavings, len(self.ends), sum(h == "deadlock" for h, _ in self.ends.values()),
                     len({f for h, f in self.ends.values() if h == "done"}))

    def by_preemptions(self):
        """Interleavings by the number of switches away from a thread that could have gone on."""
        walked = {}

        def walk(s):
            key = (self.key(s), s.last)
            if key not in walked:
                total = collections.Counter()
                if self.over(s):
                    total[0] = 1
                else:
                    can_go_on = s.last is not None and self.enabled(s, s.last)
                    for t, c in self.moves(s):
                        cost = int(can_go_on and t != s.last)
                        for k, n in walk(self.step(s, t, c)).items():
                            total[k + cost] += n
                walked[key] = total
            return walked[key]

        return dict(sorted(walk(self.start()).items()))


Count = collections.namedtuple("Count", "interleavings classes deadlocks finals")

# ---- the programs, operation by operation as the C files have them


def some(n, body, *args):
    return [lambda i=i: body(i, *args) for i in range(n)]


def writers(n):
    def body(i):
        yield "write", "x", i
    return Model(some(n, body))


def swaps(n, kind=0):
    def swapper(i):
        yield "cas", "x", (0, i, 1)[kind], i + 1 if kind == 1 else n + i

    def writer():
        yield "write", "x", 1
    return Model(some(n, swapper) + ([writer] if kind == 2 else []))


def readers(n, kind=0):
    def writer():
        yield "write", "x", 1

    def reader(i):
        return (yield "read", "x")
    return Model([writer] + some(n, reader))


def lockers(n, k, kind=0):
    take, give = [("lock", "unlock"), ("lock", "unlock"), ("semwait", "post"), ("wrlock", "rwunlock")][kind]

    def body(i):
        for _ in range(k):
            yield take, "lock"
            yield give, "lock"
    return Model(some(n, body), {"lock": 1} if kind == 2 else {})


def journal(n, k):
    def body(i):
        for _ in range(k):
            yield "lock", "lock"
            old = yield "read", "journal"
            yield "write", "journal", old * 8 + i + 1
            yield "unlock", "lock"
    return Model(some(n, body))


def distinct(n):
    def body(i):
        yield "lock", f"lock{i}"
        yield "unlock", f"lock{i}"
    return Model(some(n, body))


def increments(n, k, kind=0):
    def body(i):
        for _ in range(k):
            if kind == 2:
                yield "rmw", "x", lambda old: old + 1
            elif kind == 3:
                yield "update", "x", "add", 1
            else:
                old = yield "read", "x"
                yield "write", "x", old + 1
    return Model(some(n, body))


def tallies(n, r, kind=0):
    def updater(i):
        bit = 16 << i
        how = [("add", bit), ("bits", bit | 1), ("turn", bit) if i % 2 else ("add", -bit)][kind]
        yield ("update", "x") + how

    def reader(i):
        return (yield "read", "x")
    return Model(some(n, updater) + some(r, reader))


def last_zero(n):
    def searcher():
        i = n
        while (yield "read", f"a{i}") != 0:
            i -= 1
        return i

    def setter(i):
        old = yield "read", f"a{i}"
        yield "write", f"a{i + 1}", old + 1
    return Model([searcher] + some(n, setter), eager=True)


def indexer(n):
    def body(i):
        for m in range(1, 5):
            w = m * 11 + i
            h = w * 7 % 128
            while (yield "cas", f"table{h}", 0, w) != 0:
                h = (h + 1) % 128
        return h
    return Model(some(n, body), eager=True)


def file_system(n):
    def body(i):
        yield "lock", f"inode_lock{i}"
        b = i * 2 % 26
        while True:
            yield "lock", f"block_lock{b}"
            if not (yield "read", f"busy{b}"):
                yield "write", f"busy{b}", 1
                yield "write", f"inode{i}", b + 1
                yield "unlock", f"block_lock{b}"
                break
            yield "unlock", f"block_lock{b}"
            b = (b + 1) % 26
        yield "unlock", f"inode_lock{i}"
    return Model(some(n, body), eager=True)


def fib(k):
    def add(to, other):
        for _ in range(k):
            a = yield "read", to
            b = yield "read", other
            yield "write", to, a + b
    return Model([lambda: add("i", "j"), lambda: add("j", "i")], {"i": 1, "j": 1})


def philosophers(n):
    def body(i):
        left, right = f"fork{i}", f"fork{(i + 1) % n}"
        yield "lock", left
        yield "lock", right
        yield "unlock", right
        yield "unlock", left
    return Model(some(n, body))


def buffer(p, c, late=0):
    def hand_over(to):
        if not late:
            yield "signal", to
        yield "unlock", "lock"
        if late:
            yield "signal", to

    def producer(i):
        yield "lock", "lock"
        while (yield "read", "item") != 0:
            yield "wait", "not_full", "lock"
        yield "write", "item", i + 1
        yield from hand_over("not_empty")

    def consumer(i):
        seen = 0
        for _ in range(p // c):
            yield "lock", "lock"
            while (got := (yield "read", "item")) == 0:
                yield "wait", "not_empty", "lock"
            seen = seen * 8 + got
            yield "write", "item", 0
            yield from hand_over("not_full")
        return seen
    return Model(some(p, producer) + some(c, consumer))


def rendezvous(k):
    def body(i):
        for _ in range(k):
            yield "post", f"here{i}"
            yield "semwait", f"here{1 - i}"
    return Model(some(2, body))


def posts(n, w):
    def poster(i):
        yield "post", "sem"

    def waiter(i):
        yield "semwait", "sem"
    return Model(some(w, waiter) + some(n, poster))


def mail(n, m, room, system_v=0):
    def sender(i):
        for _ in range(m):
            yield "send", "queue", i + 1, 0 if system_v else i + 1, room

    def receiver(i):
        everything = 0
        for _ in range(n * m):
            everything = everything * 8 + (yield "receive", "queue")
        return everything
    return Model(some(n, sender) + some(1, receiver))


def crossed(m, room):
    def body(i):
        for _ in range(m):
            yield "send", f"queue{i}", 0, 0, room
        for _ in range(m):
            yield "receive", f"queue{1 - i}"
    return Model(some(2, body))


def forks(n, at_once=0):
    def philosopher(i):
        left, right = i, (i + 1) % n
        if at_once:
            yield "semop", "forks", ((left, -1), (right, -1))
        else:
            yield "semop", "forks", ((left, -1),)
            yield "semop", "forks", ((right, -1),)
        yield "semop", "forks", ((left, 1), (right, 1))
    return Model(some(n, philosopher), {"forks": (1,) * n})
def pipes(n, p):
    def writer(i):
        yield "rmw", f"pipe{i % p}", lambda old: old * 10 + i + 1
    return Model(some(n, writer))


def stream(k, kind=0):
    def writer():
        for _ in range(k):
            yield "put", "channel"

    def reader():
        for _ in range(k):
            yield "get", "channel"
    return Model([writer, reader])


def polls(n, r):
    def writer(i):
        yield "put", f"pipe{i}"

    def waiter(i):
        return (yield ("poll",) + tuple(f"pipe{k}" for k in range(n)))
    return Model(some(n, writer) + some(r, waiter))


def phases(n, rounds, asking=None):
    """Who does not ask whether it is the serial thread is one with all others who do not."""
    def body(i):
        serial = 0
        for _ in range(rounds):
            asks = asking is None or i < asking
            told = yield "barrier", "barrier", n, asks
            serial = serial * 2 + (told if asks else 0)
        return serial
    return Model(some(n, body))


def shelf(r, w):
    def reader(i):
        yield "rdlock", "lock"
        yield "rwunlock", "lock"

    def writer(i):
        yield "wrlock", "lock"
        yield "rwunlock", "lock"
    return Model(some(r, reader) + some(w, writer))


def signals(w, s, kind=0):
    def waiter(i):
        yield "lock", "lock"
        yield "wait", "cond", "lock"
        yield "unlock", "lock"

    def signaller(i):
        if kind % 2 == 0:
            yield "lock", "lock"
        yield "signal" if kind < 2 else "broadcast", "cond"
        if kind % 2 == 0:
            yield "unlock", "lock"
    return Model(some(w, waiter) + some(s, signaller))


def gate(w, kind=0):
    def waiter(i):
        waits = 0
        yield "lock", "lock"
        while not (yield "read", "open"):
            waits += 1
            yield "wait", "cond", "lock"
        yield "unlock", "lock"
        return waits

    def opener():
        if kind < 2:
            yield "lock", "lock"
        yield "write", "open", 1
        if kind == 1:
            yield "unlock", "lock"
        yield "broadcast", "cond"
        if kind == 0:
            yield "unlock", "lock"
    return Model(some(w, waiter) + [opener])


def causal(kind=0):
    def t1():
        for _ in range(2):
            yield "lock", "lock"
            yield "write", "x", 1
            yield "write", "y", 1
            yield "unlock", "lock"

    def t2():
        for _ in range(2):
            yield "lock", "lock"
            yield "write", "x", 0
            yield "unlock", "lock"
            if (yield "read", "x") > 0:
                old = yield "read", "y"
                yield "write", "y", old + 1
                yield "write", "x", 2

    def t3():
        errors = 0
        for _ in range(2):
            if (yield "read", "x") > 1:
                if (yield "read", "y") == 3:
                    errors += 1
                    if kind == 0:
                        yield ("stop",)
                else:
                    yield "write", "y", 2
        return errors
    return Model([t1, t2, t3])


def abba():
    def body(i):
        a, b = ("a", "b") if i == 0 else ("b", "a")
        yield "lock", a
        yield "lock", b
        yield "unlock", b
        yield "unlock", a
    return Model(some(2, body))


def attempts(n):
    def body(i):
        got = yield "trylock", "lock"
        if got:
            yield "unlock", "lock"
        return got
    return Model(some(n, body))


SHAPES = [["Wx1 Ry", "Wy1 Rx"], ["Rx Wy1", "Ry Wx1"], ["Wx1 Wy1", "Ry Rx"], ["Wx1 Wy2", "Wy1 Wx2"],
          ["Wx1", "Wx2", "Rx Rx"], ["Wx1", "Wy1", "Rx Ry", "Ry Rx"], ["Wx1", "Rx Wy1", "Ry Rx"]]


def litmus(shape):
    def body(i):
        got = []
        for op in SHAPES[shape][i].split():
            if op[0] == "W":
                yield "write", op[1], int(op[2])
            else:
                got.append((yield "read", op[1]))
        return tuple(got)
    return Model(some(len(SHAPES[shape]), body))


def family():
    return writers(3)


def sequence(n):
    def body():
        for i in range(n):
            old = yield "read", "x"
            yield "write", "x", old * 8 + i
    return Model([body])


def stack(n, kind=0):
    def learning(i):  # the compare-and-swap says what it found
        top = yield "read", "top"
        while True:
            found = yield "cas", "top", top, i + 1
            if found == top:
                return top
            top = found

    def body(i):
        while True:
            top = yield "read", "top"
            if (yield "cas", "top", top, i + 1) == top:
                break
            # what the nodes below are is in the order of the pushes
        return top
    return Model(some(n, learning if kind else body))


def dice(n, k):
    def body(i):
        return (yield "choose", k)
    return Model(some(n, body))


# ---- the closed formulas: program -> (interleavings, classes); None where there is none

def orders(n, k):
    return factorial(n * k) // factorial(k) ** n


def rotations(n):
    """1, 2, 5, 14, 43, 144, 523, 2048, 8597, ...: no proof, but brute force agrees up to 8."""
    return sum((n - i) ** (i + 1) - (n - 1 - i) ** (i + 1) for i in range(n))


def openings(w):
    """Some of the waiters come before the opener, in any order, then all of them pass in any order."""
    return factorial(w) * sum(factorial(w) // factorial(w - j) for j in range(w + 1))


FORMULA = {
    "writers": lambda n: (factorial(n), factorial(n)),
    "readers": lambda n, kind=0: (factorial(n + 1), 2 ** n),
    "swaps": lambda n, kind=0: (factorial(n + (kind == 2)), (n, rotations(n), n * 2 ** (n - 1) + 1)[kind]),
    "lockers": lambda n, k, kind=0: (orders(n, k), orders(n, k)),
    "journal": lambda n, k: (None, orders(n, k)),
    "distinct": lambda n: (orders(n, 2), 1),
    "tallies": lambda n, r, kind=0: (factorial(n + r), 2 ** n if r == 1 and kind < 2 else None),
    "increments": lambda n, k, kind=0: (orders(n, k), orders(n, k) if kind == 2 else 1) if kind >= 2 else
    (orders(n, 2 * k), factorial(n) ** 2 if k == 1 else None),
    "last_zero": lambda n: (None, 2 ** (n - 2) * (n + 3)),
    "indexer": lambda n: (None, 8 ** max(0, n - 11)),
    "file_system": lambda n: (None, 2 ** max(0, n - 13)),
    "fib": lambda k: (orders(2, 3 * k), sum(comb(2 * k, 2 * i) * comb(2 * i, i) for i in range(k + 1))),
    "philosophers": lambda n: (None, 2 ** n - 1),
    "pipes": lambda n, p: (factorial(n), prod(factorial(len(range(i, n, p))) for i in range(p))),
    "stream": lambda k, kind=0: (comb(2 * k, k) // (k + 1),) * 2,
    "polls": lambda n, r: (None, 2 ** n - 1 if r == 1 else None),
    "rendezvous": lambda k: (None, 3 ** (k - 1)),
    "crossed": lambda m, room: (None, 3 ** (m - 1) if m == room else None),
    "attempts": lambda n: (None, 2 ** (n - 1) * factorial(n)),
    "gate": lambda w, kind=0: (None, openings(w) if kind < 2 else None),
    "stack": lambda n, kind=0: (None, factorial(n) * 2 ** comb(n, 2) if kind else None),
    "posts": lambda n, w: (None, 2 ** n - 1 if w == 1 else None),
    "phases": lambda n, rounds, asking=None: (None, (n if asking is None else min(n, asking + 1)) ** rounds),
    "shelf": lambda r, w: (None, factorial(w) * (w + 1) ** r),
    "abba": lambda: (6, 3),
    "family": lambda: (None, 6),
    "sequence": lambda n: (1, 1),
    "dice": lambda n, k: (None, k ** n),
}


def parse_table():
    """Rows of table.txt: (when, program, args, [interleavings, classes, deadlocks, finals] with None for -)."""
    for line in TABLE.read_text().splitlines():
        line = line.split("#")[0].split()
        if line:
            when, program, *args = line[:-4]
            yield when, program, [int(a) for a in args], [None if f == "-" else int(f) for f in line[-4:]]


def programs():
    """What can be counted: the functions above, and those of families.py, which has been made from them."""
    import families
    return {**globals(), **vars(families)}, {**FORMULA, **families.FORMULA}


def check_table():
    wrong = 0
    models, formulas = programs()
    for when, program, args, stated in parse_table():
        formula = formulas[program](*args) if program in formulas else (None, None)
        counts = "".join("." if f is None or f == s else "F" for f, s in zip(formula, stated) if s is not None)
        how = "formula" if formula[1] is not None else ""
        if when != "formula":
            count = models[program](*args).count()
            counts += "".join("." if s is None or s == c else "M" for c, s in zip(count, stated))
            how += (", " if how else "") + f"model {tuple(count)}"
        good = "F" not in counts and "M" not in counts
        wrong += not good
        print(f"{'ok' if good else 'WRONG'}  {program} {' '.join(map(str, args))}  {stated}  {how}", flush=True)
    return wrong


def main():
    if len(sys.argv) == 1:
        sys.exit(1 if check_table() else 0)
    names = sys.argv[1:]
    preemptions = names[0] == "--preemptions"
    program, *args = names[preemptions:]
    model = programs()[0][program](*map(int, args))
    print(model.by_preemptions() if preemptions else model.count())


if __name__ == "__main__":
    main()
