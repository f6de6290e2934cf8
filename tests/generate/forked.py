#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches against each other and against native runs, on programs of two processes that nobody wrote.

    tests/generate/forked.py [--programs N] [--seed S] [-j N] [--runs N]      N programs from seed S on (200 from 1)
    tests/generate/forked.py --show SEED...                                   print them
    tests/generate/forked.py --text 'pipe:1 ; send:0 ; ; recv:0 ;'            one program given as text, told at length
    tests/generate/forked.py --shrink SEED|TEXT                               make it small while something is wrong
    tests/generate/forked.py --family NAME...                                 only programs of these families

A program is a parent and a child of one or two threads each, with a few calls on what both have: memory, locks in it,
pipes, sockets, files, queues, signals, timers, the child's end. It is the argument of one interpreter,
tests/generate/forked.c. Its result is what it prints; a deadlock is a result too. Each program is searched through by
`dpor`, by two workers that divide the search, and by `dfs`, which is bounded where it takes too long, and run natively.
What is wanted of each is told in differential.py; and besides, the divided search must count as many executions as the
other, unless it had to abandon some, where a wait turned out not to be possible that was supposed to be.
"""
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import differential  # noqa: E402

ALWAYS = ["--keep-going", "--races", "ignore"]
SEARCHES = {"dpor": [], "divided": ["-j", "2"], "dfs": ["--strategy", "dfs"], "bounded": ["--strategy", "dfs", "--bound", "preemptions=1"]}

# ---- programs ----


class Family:
    """Set-ups, one of which is taken, and calls of any process, the parent and the child; a/b is a choice, a+b are calls in
    this order, and "3*name" is taken three times as often."""

    def __init__(self, weight, setups, bodies):
        self.weight, self.setups = weight, setups.split("|")
        self.calls = {who: differential.weighed(bodies.get("any", "") + " " + bodies.get(who, "")) for who in ("parent", "child")}


def read_families(text):
    """A line "name, weight: set-ups" each, then lines "who: calls" that are set in."""
    families = {}
    for name, weight, setups, body in re.findall(r"(?m)^(\w.*), (\d+):(.*)\n((?: .*\n)+)", text):
        families[name] = Family(int(weight), setups, dict(re.findall(r"(?m)^ +(\w+): (.*)$", body)))
    return families


FAMILIES = read_families("""
memory, 4:
    any: 2*get:0/1 2*put:0/1,1/2 2*inc:0/1 aget:0/1 aput:0/1,3 2*add:0/1 cas:0,4
other memory, 4: segment | object | memfd
    any: 2*peek:0/1 2*poke:0/1,1/2 2*bump:0/1 get:0 add:0
locks, 5:
    any: 3*locked:0/1,0/1 2*try:0/1 lock:0+put:0,5+unlock:0 lock:1+get:0+unlock:1 get:0 inc:1 add:0 tryfor:0
robust locks, 5: mortal robust
    any: 2*take:1+give 2*trytake take:0+give take:1 add:0
    parent: terminate:0/1 waitpid:0/1
    child: 2*take:1+exit:3 exit:4 take:1+add:0
readers and writers, 3: rwlock
    any: 3*reading:0/1 3*writing:0/1 tryreading trywriting add:0
spinning, 2: spin
    any: 3*spun:0/1 2*tryspin add:0
conditions, 4: condition
    any: 3*announce:0/1,0/1 2*awaitfor:0/1 locked:0,0 add:0 get:0
semaphores, 4: sem:0 | sem:1 | sem:2 | named:0 | named:1
    any: 3*post 3*trydown value add:0 trydown+post downfor
semaphore sets, 4: semset:0 | semset:1 | semset:2
    any: 3*semop:1,1 3*semop:-1,1 2*semop:-1/1,2 semop:-2,1 semop:0,1 semvalue semset:0/2
    child: semop:1,2
messages of System V, 4: messages
    any: 3*msgsnd:1/2 2*msgrcv:0/1/2,1 msgrcv:-2,1 msgcount add:0
message queues, 4: queue:1 | queue:1,1 | queue:1 signals:1,1
    any: 3*mqsend:0/1/2 3*mqrecv mqcount mqrecvfor add:0
notified, 2: queue:1 signals:1,1
    any: 2*mqsend:0 2*mqnotify:0/0/1 mqrecv handled:0/1
pipes, 6: pipe:1 | sockets:1 | pipe:1 pipe:1 | fifo:1 | sockets:1,1 | sockets:1,2 | udp:1
    any: 4*send:0 3*recv:0 poll:0/1 available:0 3*close:0/1 add:0 sendtwo:0 recvtwo:0
full pipes, 2: pipe:1 full | pipe:1 full epoll
    any: 3*drain:0 3*send:0 poll:0/1 recv:0 close:0/1 available:0
halves, 3: sockets:1 | sockets:1,1
    any: 3*shutdown:0/1,0/1/2 2*send:0 2*recv:0 poll:0/1 close:0/1
several at once, 4: pipe:1 pipe:1 epoll | pipe:1 epoll:1 | sockets:1 epoll:1 | pipe:1 pipe:1 | event:0,1 pipe:1
    any: 3*send:0 recv:0 2*pollall:0 close:0/1 add:0
epoll, 5: pipe:1 epoll | pipe:1 epoll:1 | sockets:1 epoll | fifo:1 epoll:1 | pipe:1 pipe:1 epoll
    any: 3*send:0 2*recv:0 3*epwait:0 epdel:0 epadd:0 epmod:0,0/1 close:0/1
callers, 4: listen:0,1 | listen:1,1 | listen:2,1
    any: 2*callers 2*accept+hear:1 3*connect+talk connect+hang connect+finish accept add:0
ends, 5: | signals:1,1 | ends:0 | ends:1 | ends:2 | ends:0,1
    any: put:0,3 add:0 get:0
    parent: 3*wait 2*waitpid:0/1 2*look:0/1 probe waitgroup:0/1 handled:0 get:3
    child: add:0 put:0,5 parent
stops, 2: | signals:1,1
    any: add:0 get:0
    parent: 3*stop 2*waitstop waitpid:1
    child: add:0 put:0,5
signals, 5: signals:0,0 | signals:0,1 | signals:1,0 | signals:1,1
    any: 3*kill killself 2*block:0/1 pending probe handled:0/1 get:2 put:2,1 queue:1 killthread
    parent: waitpid:1
blocked signals, 5: signals:1,1 blocked | signals:1,1 blocked signalfd
    any: 3*kill 2*queue:1/2 2*fetch:0 block:0 pending handled:0/1 killself
read signals, 2: signals:1,1 blocked signalfd
    any: 3*kill 3*sigread queue:1 fetch:0 pending
files, 5: file | file:1 | file apart | file:1 apart
    any: 3*read:1/2 3*write pread:0/3,1/2 pwrite:0/3/5 seek:0/2 where truncate:0/2/6 size flag:0/1
names, 4: file
    any: 2*excl:1/2 2*unlink:1/2/0 2*rename:0/1,1/2 link:0,1 2*there:0/1/2 lowest
ranges, 4: file | file apart
    any: 4*range:0/1/2 2*rangeget:1/2 pwrite:0 pread:0,1 ofd:0/1/2
locks of files, 4: file | file apart
    any: 4*flock:0/1/2 pwrite:0 pread:0,1 2*ofd:0/2
deaths, 5: mortal | mortal pipe:1 | mortal file | mortal ends:0 | mortal ends:1
    any: 2*add:0/1 inc:0 put:0,2 aget:1
    parent: 3*terminate:0/1 2*waitpid:1 wait probe look:1
    child: 3*exit:3/4
deaths among pipes, 3: mortal pipe:1 | mortal sockets:1 | mortal pipe:1 epoll
    any: 2*send:0 recv:0 close:0/1
    parent: 2*terminate:0/1 waitpid:1 wait poll:0/1
    child: 2*exit:3/4
deaths with locks, 3: mortal file | mortal file apart | mortal semset:1 | mortal messages
    any: add:0
    parent: 2*waitpid:1 terminate:1 wait
    child: 2*exit:3/4
spawns, 4: | signals:1,1 | ends:0
    any: 2*spawn:5/6 add:1 aget:1 vfork:7
    parent: wait waitpid:1 look:1
    child: 2*wait parent
copies, 4: | atfork
    any: 3*own 3*copy:5 add:0
    parent: wait
other programs, 3: pipe:1 | signals:1,1
    any: 2*start:5/6 add:1 aget:1 wait
becomes, 2: mortal pipe:1
    any: add:0 send:0
    parent: recv:0 waitpid:1 poll:0
    child: 3*become:5
clocks, 4: alarms | alarms:1
    any: 3*itimer:1 itimer:0 2*handled:0/1 2*nap:1/3 timer add:0
timer descriptors, 3: timerfd:1
    any: 2*tfdset:0/1 3*tfdread tfdpoll:0/2 nap:1 add:0
events, 4: event:0,1 | event:1,1 | event:2,2 | event:3,2
    any: 3*evread 3*evwrite:1/2 evpoll add:0
all, 4: pipe:1 file signals:1,1 sem:1
    any: send:0 recv:0 close:0/1 write read:1 pwrite:0 kill handled:0/1 post trydown add:0 locked:0,1 get:0
    parent: waitpid:0/1
""")

# Calls that block: the set-ups, what the parent does, what the child does, and what either may do besides in its second
# thread.
COUPLES = {
    "pipe waits": ("pipe | sockets | fifo | udp | sockets:0,1", "send:0 send:0", "recv:0 recv:0", "send:0 available:0 poll:0"),
    "pipe ends": ("pipe | fifo", "close:0 send:0 close:1", "close:1 recv:0 recv:0", "add:0 poll:0"),
    "pipe breaks": ("pipe:1 | fifo:1", "close:0 send:0 send:0", "close:0", "add:0 poll:1"),
    "pipe is full": ("pipe full", "send:0", "drain:0", "poll:1 available:0 drain:0"),
    "pipe is polled": ("pipe | sockets | fifo | udp", "send:0", "poll:0,-1 recv:0", "available:0 send:0 add:0"),
    "pipes are polled": ("pipe pipe | pipe sockets", "send:1", "pollall:-1", "send:0 add:0 recv:0"),
    "pipe is polled for a while": ("pipe:1 | sockets:1", "send:0", "poll:0,1 recv:0", "recv:0 add:0"),
    "epoll waits": ("pipe epoll | pipe epoll:1 | sockets epoll", "send:0", "epwait:-1 recv:0", "send:0 epmod:0,0 available:0"),
    "semaphore waits": ("sem:0 | sem:1 | named:0", "post", "down add:0", "post trydown value add:0"),
    "two semaphore waits": ("sem:0 | named:0", "post post", "down", "down post"),
    "set of semaphores waits": ("semset:0", "semop:1,0", "semop:-1,0", "semop:1,1 semop:-1,0 semvalue"),
    "set of semaphores waits for zero": ("semset:1", "semop:-1,0", "semop:0,0 add:0", "semvalue semop:1,1"),
    "undone at the end": ("semset:1", "semop:-1,0", "semop:-1,2 add:0", "semvalue semop:1,1"),
    "message is awaited": ("messages", "msgsnd:1 msgsnd:2", "msgrcv:2,0 msgrcv:0,1", "msgrcv:1,0 msgcount"),
    "queue waits": ("queue | queue:0,1", "mqsend:1 mqsend:2", "mqrecv mqrecv", "mqcount mqsend:0 mqrecv"),
    "queue is full": ("queue:0,1", "mqsend:1 mqsend:2 mqrecv", "mqrecv", "mqcount"),
    "event waits": ("event:0 | event:1", "evwrite:2", "evread", "evread evwrite:1 evpoll"),
    "timer is awaited": ("timerfd", "tfdset:1", "tfdread", "tfdpoll:0 tfdset:1 add:0"),
    "child is awaited": ("", "wait get:0 get:1", "put:0,3 inc:1", "add:0 waitpid:1 put:1,4"),
    "child is awaited twice": ("", "wait", "add:0", "wait look:0 waitgroup:0"),
    "two locks": ("", "lock:0 lock:1 unlock:1 unlock:0", "lock:1 lock:0 unlock:0 unlock:1", ""),
    "two locks in order": ("", "lock:0 lock:1 inc:0 unlock:1 unlock:0", "lock:0 lock:1 get:0 unlock:0 unlock:1", "try:1"),
    "dead owner": ("mortal robust", "take:1 give", "take:1 exit:3", "trytake take:1+give"),
    "dead owner is not put right": ("mortal robust", "take:0 give take:1", "take:1 exit:3", ""),
    "killed owner": ("mortal robust", "terminate:1 take:1 give", "take:1 add:0 give", "trytake"),
    "condition": ("condition", "await:0", "announce:0,0/1", "announce:0,1 await:0 add:1"),
    "condition of two": ("condition", "await:0", "announce:0,1", "await:0"),
    "barrier": ("barrier:2", "meet get:0", "inc:0 meet", "add:1"),
    "barrier of three": ("barrier:3", "inc:0 meet", "meet get:0", "meet"),
    "writers wait": ("rwlock", "writing:0 reading:0", "writing:0", "reading:0 trywriting"),
    "signal interrupts": ("signals:1,0 sem:0 | signals:1,1 sem:0", "kill post", "down", "value handled:1 block:1"),
    "signal interrupts a read": ("signals:1,0 pipe | signals:0,1 pipe", "kill send:0", "recv:0", "handled:1 available:0"),
    "signal interrupts a wait": ("signals:1,0 | signals:1,1", "wait", "kill", "handled:0 get:0"),
    "signal interrupts a set": ("signals:1,1 semset:0", "kill semop:1,1", "semop:-1,0", "handled:1"),
    "signal is awaited": ("signals:1,1 blocked", "kill", "fetch:1", "pending kill handled:1"),
    "signal ends a pause": ("signals:1,1 blocked", "kill", "suspend handled:1", "pending add:0"),
    "end is awaited": ("ends:0,1", "ended wait", "add:0", "handled:0 add:0"),
    "end interrupts": ("ends:0 sem:0", "allow down", "post", "handled:0 value"),
    "alarm interrupts": ("alarms sem:0 | alarms pipe", "itimer:1 post", "down", "handled:0 nap:1"),
    "alarm interrupts a nap": ("alarms", "itimer:1 nap:3", "add:0", "handled:0 add:0"),
    "ranges wait": ("file | file apart", "rangewait:2 pwrite:0 range:0", "rangewait:1/2 pread:0,1 range:0", "rangeget:1"),
    "ranges end": ("file", "rangewait:2 add:0", "rangewait:2 add:0", "rangeget:1"),
    "locks of files wait": ("file apart", "flockwait:2 pwrite:0 flock:0", "flockwait:1/2 pread:0,1 flock:0", "flock:1 add:0"),
    "locks of descriptions wait": ("file apart", "ofdwait:2 pwrite:0 ofd:0", "ofdwait:1/2 pread:0,1 ofd:0", "ofd:1 add:0"),
    "fifo is opened": ("path", "open:1 say", "open:0 listen", "add:0"),
    "connection": ("listen:0 | listen:1 | listen:2", "accept hear:0", "connect talk", "callers add:0"),
    "two connections": ("listen:0 | listen:1", "accept hear:0", "connect talk", "connect+talk"),
    "talk": ("listen:0 | listen:1", "accept talk hear:0", "connect hear:0 talk", "callers"),
    "hung up": ("listen:0 | listen:1", "accept hear:0 hear:0", "connect talk hang", "add:0"),
    "answer": ("pipe pipe", "send:0 recv:1", "recv:0 send:1", "available:0 poll:2 add:0"),
    "spawned are awaited": ("", "spawn:5 wait wait", "add:1", "aget:1 add:0"),
    "other program is awaited": ("pipe", "start:5 recv:0 wait", "add:1", "aget:1 send:0"),
    "child dies in its wait": ("mortal sem:0 | mortal pipe | mortal semset:0", "terminate:0/1 wait", "add:0", "add:0"),
    "lock is copied": ("", "copy:5 wait", "own", "own"),
}
COUPLES_WEIGHT = 75
LENGTHS = ((2, 0, 2, 0), (3, 0, 2, 0), (2, 0, 3, 0), (1, 1, 1, 0), (1, 0, 1, 1), (1, 1, 2, 0), (2, 0, 1, 1), *4 * [(1, 1, 1, 1)], (2, 1, 1, 1),
           (1, 1, 2, 1))


class Generator:
    def __init__(self, seed, families=()):
        self.random = random.Random(f"forked {seed}")
        name = differential.draw_family(self.random, FAMILIES, COUPLES, COUPLES_WEIGHT, families)
        self.program = self.couple(name) if name in COUPLES else self.independent(name)

    def call(self, text):
        """One call or some that belong together, with choices made."""
        return [re.sub(r"[^:,]+(/[^,]+)+", lambda m: self.random.choice(m[0].split("/")), word) for word in text.split("+")]

    def some(self, calls, most):
        """Calls, up to so many; those that belong together count as one, if they are the only ones."""
        made = []
        while len(made) < most:
            made += self.call(self.random.choices(*calls)[0])
        return made

    def independent(self, name):
        r, family = self.random, FAMILIES[name]
        threads = [self.some(family.calls["parent" if t < 2 else "child"], n) if n else [] for t, n in enumerate(r.choice(LENGTHS))]
        return differential.Program(r.choice(family.setups).split(), threads, name)

    def couple(self, name):
        r = self.random
        setups, parent, child, besides = COUPLES[name]
        threads = [[c for word in part.split() for c in self.call(word)] for part in (parent, "", child, "")]
        for t in r.choice(((1,), (3,), (1, 3), (1, 3), ())) if besides else ():
            threads[t] = self.call(r.choice(besides.split()))
        return differential.Program(r.choice(setups.split("|")).split(), threads, name)


def generate(seed, families=()):
    return Generator(seed, families).program


class Case(differential.Case):
    def search_names(self):
        """A bounded search is made only if dfs has not come to its end."""
        yield from ("dpor", "divided", "dfs")
        if not self.searches["dfs"].complete:
            yield "bounded"

    def search(self, name):
        return differential.Search(name, self.binaries[0], self.program, [*ALWAYS, *SEARCHES[name], *differential.bounds(self.options)], self.options.seconds, {"deadlock"})

    def shown(self, kind):
        return kind == "deadlock"

    def compare(self):
        super().compare()
        one, other = self.searches["dpor"], self.searches["divided"]
        if one.complete and other.complete and one.executions != other.executions and not other.abandoned:
            self.differ("agree", f"{one.executions} executions, {other.executions} where the search is divided")

    def proved(self):
        return bool(self.searches) and all(self.searches[name].complete for name in ("dpor", "divided", "dfs"))


KIND = differential.Kind("forked.c", generate, differential.Program, Case, 200)

if __name__ == "__main__":
    sys.exit(differential.main(KIND, __doc__.splitlines()[0]))
