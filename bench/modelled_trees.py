# SPDX-License-Identifier: Apache-2.0
"""Exploration traces shaped like those of the dissertation that the estimators are from: tests of request handlers,
explored by plain dynamic partial order reduction (source sets and sleepers, but no witnesses: some executions
end early, with nobody left but sleepers).

A test is a list of threads, a thread a list of steps (object, changes it). write() explores
it completely and writes the trace; it returns the number of executions.
"""
import random


def scheduling(requests, rounds=1, local=3):
    """Requests for one scheduler, with steps of their own before and after: every order counts."""
    return [([("own %d" % r, True)] * local + [("scheduler", True)]) * rounds + [("own %d" % r, True)] * local
            for r in range(requests)]


def resource(users, pool, rounds=1):
    """Users who take a resource of a pool and give it back; who looks first at which is fixed."""
    threads = []
    for user in range(users):
        steps = []
        for turn in range(rounds):
            which = "resource %d" % ((user + turn) % pool)
            steps += [("own %d" % user, True), ("pool", False), (which, True), (which, True)]
        threads.append(steps + [("pool", True)])
    return threads


def store(users, front_ends, back_ends, seed, requests=2):
    """Users of a key-value store: a front end takes the request, a back end answers it; half of them change something."""
    draw = random.Random(seed)
    threads = []
    for user in range(users):
        steps = []
        for request in range(requests):
            steps += [("own %d" % user, True), ("front %d" % ((user + request) % front_ends), True),
                      ("back %d" % draw.randrange(back_ends), draw.random() < 0.5)]
        threads.append(steps)
    return threads


def tasks(workers, rounds, seed):
    """Workers that take tasks from their own queue or a neighbour's, and now and then look at or set a common status."""
    draw = random.Random(seed)
    threads = []
    for worker in range(workers):
        steps = []
        for _ in range(rounds):
            steps += [("queue %d" % ((worker + draw.randrange(2)) % workers), True), ("own %d" % worker, True)]
            if draw.random() < 0.4:
                steps.append(("status", draw.random() < 0.5))
        threads.append(steps)
    return threads


def pipeline(stages, items):
    """Stages that hand items on through queues of two ends."""
    return [[step for item in range(items) for step in (("queue %d" % stage, True), ("own %d" % stage, True),
                                                        ("queue %d" % (stage + 1), True))] for stage in range(stages)]


def as_arguments(threads):
    """The test as handlers.c takes it."""
    letter = {}
    for steps in threads:
        for name, _ in steps:
            letter.setdefault(name, chr(ord("a") + len(letter)))
    assert len(letter) <= 26
    return ["".join(letter[name].upper() if changes else letter[name] for name, changes in steps) for steps in threads]


def depends(a, b):
    return a[0] == b[0] and (a[1] or b[1])


class Explorer:
    def __init__(self, threads, out, most):
        self.threads, self.out, self.most = threads, out, most
        self.position = [0] * len(threads)
        self.way = []       # (thread, step, clock)
        self.accesses = {}  # by object: places in the way
        self.clocks = [[[0] * len(threads)] for _ in threads]
        self.nodes = []  # [first child's number, enabled, done, backtrack, number by thread]
        self.numbers, self.executions, self.blocked = 1, 0, 0
        self.fresh = False
        self.draw = random.Random(1)

    def enabled(self):
        return [t for t, steps in enumerate(self.threads) if self.position[t] < len(steps)]

    def schedule(self, depth, thread):
        node = self.nodes[depth]
        if thread not in node["todo"] and thread not in node["done"] and thread not in node["asleep"]:
            node["todo"].append(thread)
            self.out.append("Explore %d" % node["number"][thread])

    def open(self, parent):
        enabled = self.enabled()
        number = {}
        for thread in enabled:
            number[thread] = self.numbers
            self.out.append("AddNode %d %d" % (self.numbers, parent))
            self.numbers += 1
        self.nodes.append({"enabled": enabled, "number": number, "todo": [], "done": [], "asleep": self.sleepers()})

    def step(self, thread, position):
        return self.threads[thread][position]

    def sleepers(self):
        """Who was explored further up and depends on nothing since."""
        if not self.nodes:
            return set()
        above, (thread, step, _) = self.nodes[-1], self.way[-1]
        return {t for t in above["asleep"] | set(above["done"])
                if t != thread and not depends(self.step(t, self.position[t]), step)}

    def first(self):
        return [t for t in self.nodes[-1]["enabled"] if t not in self.nodes[-1]["asleep"]]

    def races(self, thread, accesses, clock):
        """Steps of others that depend on the one that the thread takes, with nothing in between that orders the two."""
        known, found = self.clocks[thread][-1], []
        changes = self.step(thread, self.position[thread])[1]
        for earlier in reversed(accesses):
            other, (_, changed), seen = self.way[earlier]
            ordered = seen[other] <= known[other] or any(self.way[f][2][other] >= seen[other] for f in found)
            if other != thread and (changes or changed) and not ordered:
                found.append(earlier)
        for earlier in found:
            self.reverse(earlier, thread, clock)

    def reverse(self, earlier, thread, clock):
        """One of those who can begin what leads to the step without the earlier one goes first there, unless one does or
        sleeps."""
        other, _, seen = self.way[earlier]
        kept, begin = [], []
        for t, _, c in self.way[earlier + 1:] + [(thread, None, clock)]:
            if c is not clock and c[other] >= seen[other]:
                continue
            if all(k != t and c[k] < before[k] for k, before in kept):
                begin.append(t)
            kept.append((t, c))
        node = self.nodes[earlier]
        if not any(t in node["todo"] or t in node["done"] or t in node["asleep"] for t in begin):
            self.schedule(earlier, thread if thread in begin else begin[0])

    def clock(self, thread, accesses, changes):
        """What happens before the step: accesses before the last change happen before that."""
        clock = self.clocks[thread][-1]
        for earlier in reversed(accesses):
            changed = self.way[earlier][1][1]
            if changes or changed:
                clock = list(map(max, clock, self.way[earlier][2]))
            if changed:
                break
        clock = list(clock)
        clock[thread] = self.position[thread] + 1
        return clock

    def take(self, thread):
        step = self.step(thread, self.position[thread])
        accesses = self.accesses.setdefault(step[0], [])
        clock = self.clock(thread, accesses, step[1])
        self.races(thread, accesses, clock)
        accesses.append(len(self.way))
        self.clocks[thread].append(clock)
        self.way.append((thread, step, clock))
        self.position[thread] += 1

    def back(self):
        thread, step, _ = self.way.pop()
        self.accesses[step[0]].pop()
        self.clocks[thread].pop()
        self.position[thread] -= 1

    def run(self):
        self.out += ["AddNode 0 -", "Explore 0", "Start"]
        self.open(0)
        self.schedule(0, self.nodes[0]["enabled"][0])
        while self.nodes:
            node = self.nodes[-1]
            if not node["todo"]:
                if not node["done"]:
                    self.executions += 1
                    self.blocked += bool(node["enabled"])
                    self.out.append("End %.6f" % (len(self.way) * self.draw.uniform(0.9, 1.1)))
                    if self.executions > self.most:
                        return
                    self.fresh = True
                self.nodes.pop()
                if self.nodes:
                    self.back()
                continue
            thread = node["todo"].pop(0)
            node["done"].append(thread)
            if self.executions and self.fresh:
                self.out.append("Start")
                for depth, (t, _, _) in enumerate(self.way):
                    self.out.append("Transition %d" % self.nodes[depth]["number"][t])
                self.fresh = False
            self.out.append("Transition %d" % node["number"][thread])
            self.take(thread)
            self.open(node["number"][thread])
            if self.first():
                self.schedule(len(self.nodes) - 1, self.first()[0])


def write(threads, path, most=100000):
    out = []
    explorer = Explorer(threads, out, most)
    explorer.run()
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")
    return explorer.executions
