# SPDX-License-Identifier: Apache-2.0
"""More programs for model.py, operation by operation as the C files have them, and their closed formulas.

Threads that main starts while others run wait for a semaphore of their own, which changes no class. A loop that only
waits is one operation ("await", "await_cas"), possible when what it looks for is there: turns in vain are no events.
"""
from math import comb, factorial, prod

from model import Model, orders, some


def ring(n, kind=0):
    def body(i):
        if kind:
            found = yield "read", f"x{i}"
            yield "write", f"x{(i + 1) % n}", 1
            return found
        yield "write", f"x{i}", 1
        return (yield "read", f"x{(i + 1) % n}")
    return Model(some(n, body))


def chain(n):
    def body(i):
        found = yield "read", f"x{i}"
        yield "write", f"x{i + 1}", 1
        return found
    return Model(some(n, body), eager=True)


def matrix(r, v):
    def writer(i):
        yield "write", f"x{i}", 1

    def reader(i):
        found = []
        for k in range(v):
            found.append((yield "read", f"x{k}"))
        return tuple(found)
    return Model(some(v, writer) + some(r, reader))


def series(n, k, kind=0):
    def body(i):
        for v in range(k):
            if kind == 0:
                yield "write", f"x{v}", i
            elif kind == 1:
                yield "update", f"x{v}", "add", 1
            elif kind == 2:
                yield "rmw", f"x{v}", lambda old: i
            else:
                yield from under(f"lock{v}")
    return Model(some(n, body))


def race(m, k):
    def writer():
        for i in range(m):
            yield "write", "x", i + 1

    def reader():
        found = 0
        for _ in range(k):
            found = found * 8 + (yield "read", "x")
        return found
    return Model([writer, reader])


# ---- threads that take mutexes, and some that main starts later


def under(lock, *operations):
    """What one of the operations found, of those made with the lock held."""
    found = None
    yield "lock", lock
    for operation in operations:
        got = yield operation
        found = got if operation[0] in ("read", "rmw") else found
    yield "unlock", lock
    return found


def later(name, body):
    """A thread that main starts and waits for."""
    def started():
        yield "semwait", f"start {name}"
        value = yield from body()
        yield "post", f"end {name}"
        return value
    return started


def pairs(k):
    def body(i):
        yield from under(f"own{i // 2}")
        if i % 2 == 0:
            yield from under("common")
    return Model(some(2 * k, body))


def poke(n, k):
    def work(i):
        yield from under(f"worker{i}", ("write", f"done{i}", 1))

    def choose():
        for i in range(1, n):
            yield from under("choice", ("write", "i", i))

    def look():
        i = yield from under("choice", ("read", "i"))
        return (yield from under(f"worker{i}", ("rmw", f"done{i}", lambda old: 0)))

    def main():
        for i in range(k):
            for step in ("post", "start chooser"), ("post", "start looker"), ("semwait", "end chooser"), ("semwait", "end looker"):
                yield step[0], f"{step[1]}{i}"
    extra = [later(f"{name}{i}", body) for i in range(k) for name, body in (("chooser", choose), ("looker", look))]
    return Model(some(n, work) + [main] + extra, eager=True)


def dispatcher(s, r):
    def serve(i):
        return (yield from under(f"server{i}", ("read", f"requests{i}")))

    def choose():
        for i in range(s):
            yield from under("choice", ("write", "i", i))

    def main():
        for k in range(r):
            yield "post", f"start chooser{k}"
            i = yield from under("choice", ("read", "i"))
            yield from under(f"server{i}", ("rmw", f"requests{i}", lambda old: old + 1))
            yield "semwait", f"end chooser{k}"
    return Model(some(s, serve) + [main] + [later(f"chooser{k}", choose) for k in range(r)], eager=True)


def producers(n, workers=0, digits=1):
    workers = workers or n

    def work(i):
        done = 0
        for _ in range(2):
            done += (yield from under(f"worker{i}", ("rmw", f"tasks{i}", lambda old: max(0, old - 1)))) > 0
        return done

    def produce(i):
        for _ in range(digits):
            common = yield from under("number", ("rmw", "common", lambda old: old * n + i))
        to = (common * n + i) % workers
        yield from under(f"worker{to}", ("rmw", f"tasks{to}", lambda old: old + 1))
    return Model(some(workers, work) + some(n, produce), eager=True)


def sigma(n):
    def main():
        for i in range(n):
            yield "write", "index", i
            yield "post", f"start{i}"

    def setter(i):
        yield "semwait", f"start{i}"
        at = yield "read", "index"
        yield "write", f"element{at}", 1
    return Model([main] + some(n, setter), eager=True)


def parker(k, late=0):
    def sleeper():
        times = 0
        while not (yield "read", "done"):
            yield "lock", "lock"
            while not (yield "read", "permit"):
                yield "wait", "given", "lock"
            yield "write", "permit", 0
            yield "unlock", "lock"
            times += 1
        return times

    def waker():
        for i in range(k):
            if i == k - 1:
                yield "write", "done", 1
            yield "lock", "lock"
            yield "write", "permit", 1
            if not late:
                yield "signal", "given"
            yield "unlock", "lock"
            if late:
                yield "signal", "given"
    return Model([sleeper, waker])


# ---- loops that wait


def awaits(kind, n):
    def equals(value):
        return lambda found: found == value

    def waiter(i):
        if kind == 1:
            yield "await", f"x{i}", equals(1)
            yield "write", f"x{i + 1}", 1
        elif kind == 2:
            for _ in range(n):
                yield "await", "x0", equals(i)
                yield "write", "x0", 1 - i
        elif kind == 4:
            yield "rmw", "x0", lambda old: old + 1
            yield "await", "x0", equals(n)
        elif kind == 5:
            yield "await", f"x{i + 1}", equals(1)
            yield "write", "x0", i
        elif kind == 6:
            yield "await", "x0", lambda found: found != 0
        else:
            yield "await", "x0", equals(1)

    def setter():
        for i in range(1, n + 1) if kind == 5 else (0,):
            yield "write", f"x{i}", 1

    def second_setter():
        yield "await", "x0", equals(1)
        yield "write", "x0", 2

    def putter():
        for i in range(n):
            yield "await", "x1", lambda taken: i - taken != 2
            yield "write", f"x{2 + i % 2}", i + 1
            yield "write", "x0", i + 1

    def taker():
        total = 0
        for i in range(n):
            yield "await", "x0", lambda put: put != i
            total += yield "read", f"x{2 + i % 2}"
            yield "write", "x1", i + 1
        return total
    threads = [putter, taker] if kind == 3 else some(2 if kind == 2 else n, waiter)
    threads += [setter] if kind not in (2, 3, 4) else []
    return Model(threads + ([second_setter] if kind == 6 else []))


def once(n):
    def body(i):
        yield "once", "control"
    return Model(some(n, body))


def spin(lock, n, k=1):
    def take_turns(i):  # ticket
        ticket = yield "rmw", "next", lambda old: old + 1
        yield "await", "serving", lambda now: now == ticket
        yield "write", "serving", ticket + 1

    def exchange(i):
        yield "await_cas", "word", 0, 1
        yield "write", "word", 0

    def look_first(i):
        yield "await", "word", lambda found: found == 0
        yield "await_cas", "word", 0, 1
        yield "write", "word", 0

    def queue(i):
        yield "write", f"next{i}", 0
        yield "write", f"waits{i}", 1
        before = yield "rmw", "tail", lambda old: i + 1
        if before:
            yield "write", f"next{before - 1}", i + 1
            yield "await", f"waits{i}", lambda found: found == 0
        after = yield "read", f"next{i}"
        if not after:
            if (yield "cas", "tail", i + 1, 0) == i + 1:
                return
            after = yield "await", f"next{i}", lambda found: found != 0
        yield "write", f"waits{after - 1}", 0

    def behind(mine):
        yield "write", f"waits{mine}", 1
        before = yield "rmw", "tail", lambda old: mine
        yield "await", f"waits{before}", lambda found: found == 0
        yield "write", f"waits{mine}", 0
        return before

    def places(i):
        ticket = (yield "rmw", "next", lambda old: old + 1) % n
        yield "await", f"place{ticket}", lambda found: found == 1
        yield "write", f"place{ticket}", 0
        yield "write", f"place{(ticket + 1) % n}", 1

    bodies = [take_turns, exchange, exchange, look_first, queue, behind, places]

    def body(i):
        for _ in range(k):
            after = yield from bodies[lock](i)
            i = after if lock == 5 else i
    return Model(some(n, body), {"tail": n} if lock == 5 else {"place0": 1} if lock == 6 else {}, eager=True)


def safe_stack(a, b, gives_up=0):
    def take():
        while True:
            if not gives_up:
                yield "await", "left", lambda found: found > 1
            elif (yield "read", "left") <= 1:
                return -1
            mine = yield "read", "top"
            if not gives_up:
                after = yield "await_rmw", f"next{mine}", lambda old: -1, lambda old: old != -1
            else:
                after = yield "rmw", f"next{mine}", lambda old: -1
                if after == -1:
                    return -1
            if (yield "cas", "top", mine, after) == mine:
                yield "rmw", "left", lambda old: old - 1
                return mine
            yield "rmw", f"next{mine}", lambda old: after

    def give_back(mine):
        old = yield "read", "top"
        while True:
            yield "write", f"next{mine}", old
            found = yield "cas", "top", old, mine
            if found == old:
                break
            old = found
        yield "rmw", "left", lambda old: old + 1

    def body(times):
        mine = taken = 0
        for i in range(times):
            if i % 2 == 0:
                mine = yield from take()
                if mine == -1:
                    break
                taken = taken * 4 + mine + 1
            else:
                yield from give_back(mine)
        return taken
    return Model([lambda: body(a), lambda: body(b)], {"left": 3, "next0": 1, "next1": 2, "next2": -1}, again=True)


def spin_formula(lock, n, k=1):
    if lock == 4:
        return None, {2: 6, 3: 66, 4: 1080, 5: 23640}.get(n) if k == 1 else None
    if lock == 3:
        return None, factorial(n) ** 2 if k == 1 else None
    return None, orders(n, k)


# Of producers; Nguyen, Rodriguez, Sousa, Coti, Petrucci, CAV 2018. The formulas of poke and dispatcher are made from theirs.
PUBLISHED = {(2, 5, 2): 60, (3, 5, 2): 2958, (4, 5, 2): 314064}

FORMULA = {
    "sigma": lambda n: (None, prod(range(1, 2 * n, 2))),
    "producers": lambda n, workers=0, digits=1: (None, factorial(n) * 3 ** n if digits == 1 and workers in (0, n)
                                                 else PUBLISHED.get((n, workers, digits))),
    "parker": lambda k, late=0: (None, None if late else 3 ** k),
    "poke": lambda n, k: (None, {1: 2 * n, 2: 4 * n ** 2 - n, 3: 8 * n ** 3 - 6 * n ** 2 - 2 * n + 4}.get(k)),
    "dispatcher": lambda s, r: (None, {1: 2 * s + 2, 2: 4 * s ** 2 + 7 * s + 2}.get(r)),
    "ring": lambda n, kind=0: (None, 2 ** n - 1),
    "chain": lambda n: (None, 2 ** (n - 1)),
    "matrix": lambda r, v: (None, 2 ** (r * v)),
    "series": lambda n, k, kind=0: (None, 1 if kind == 1 else factorial(n) ** k),
    "race": lambda m, k: (comb(m + k, m),) * 2,
    "pairs": lambda k: (None, 2 ** k * factorial(k)),
    "awaits": lambda kind, n: (None, (1, 1, 1, 3 ** (n - 1), factorial(n), factorial(n), 2 ** n)[kind]),
    "once": lambda n: (None, n),
    "spin": spin_formula,
}
