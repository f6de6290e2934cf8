#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches against native runs, on programs of system calls that nobody wrote.

    tests/generate/calls.py [--programs N] [--seed S] [-j N] [--runs N]      N programs from seed S on (200 from 1)
    tests/generate/calls.py --show SEED...                                   print them
    tests/generate/calls.py --text 'files ; mkdir:1 ; rmdir:1' [--verbose]   one program given as text
    tests/generate/calls.py --shrink SEED|TEXT                               make it small while something is wrong
    tests/generate/calls.py --family NAME...                                 only programs of these families
    tests/generate/calls.py --missing                                        system calls heddle knows that no program makes

A program is two threads with two or three calls each, on one object or on objects that meet; families of calls are in
FAMILIES and COUPLES below. It is the argument of one interpreter, tests/generate/calls.c, so that only that is
compiled. Its result is what it prints: what each call returned, and the state that is left. Each program is searched
through by `dpor`, by `dfs`, and by `dpor` with a fresh process for each execution, and run natively: first with its
calls forced into every order, then under noise. Wanted of each:

  proof    no result is seen natively that a search which calls itself complete did not see;
  agree    searches that call themselves complete have seen the same results;
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
SOURCE = ROOT / "tests" / "generate" / "calls.c"
NAMES = ROOT / "src" / "core" / "calls.c"
LIMIT = 30      # seconds for one command
SEARCH = 5      # seconds for the search in it
SEARCHES = {"dpor": [], "dfs": ["--strategy", "dfs"], "fresh": ["--reset", "exec"]}

for _name in ("HEDDLE_CC", "HEDDLE_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(_name, None)

# ---- programs ----


class Family:
    """Set-ups, one of which is taken, and calls. In a call, p stands for one of a few paths and s for one of the descriptors of
    the set-up; a/b is a choice. A call written "3*name" is taken three times as often."""

    def __init__(self, weight, setups, words):
        parts = [re.fullmatch(r"(?:(\d+)\*)?(.*)", word).groups() for word in words]
        self.weight, self.setups = weight, setups
        self.calls, self.weights = [call for _, call in parts], [int(times or 1) for times, _ in parts]


PATHS = "0123456"
SLOTS = {"opened": 4, "pipe": 2, "waitpipe": 2, "eventfd": 1, "waiteventfd": 1, "sockets": 2, "waitsockets": 2, "unbound": 4, "epoll": 3,
         "inotify": 1, "signalfd": 1, "timerfd": 1, "waittimerfd": 1, "waitlisten": 2}


def read_families(text):
    """A line "name, weight: set-ups" each, then lines of calls that are set in."""
    families = {}
    for name, weight, setups, body in re.findall(r"(?m)^(\w.*), (\d+): (.*)\n((?: .*\n)+)", text):
        families[name] = Family(int(weight), setups.split(" | "), body.split())
    return families


# Any thread may make any of these calls in any order, for none of them blocks. Where new descriptors are told by their
# numbers, each call makes at most one and no call fails that was given a number meanwhile: Linux gives numbers before
# it knows whether an open or an accept will fail, and the two of a pipe one after the other, so that a native run shows
# numbers that are not the lowest ones free. A call of heddle's is whole.
FAMILIES = read_families("""
names, 12: files | files full
    2*excl:p 2*creat:p open:p opencreate:p opendirectory:p openat2:p tmpfile 3*unlink:p unlinkat:p,0/1 remove:p
    3*mkdir:p mkdirat:p 2*rmdir:p 4*rename:p,p renameat:p,p exchange:p,p noreplace:p,p 3*link:p,p linkat:p,p
    2*symlink:p,p symlinkat:p,p mknodat:p 2*truncate:p,0/2/6 chmod:p,0/1 fchmodat:p,0/1 chown:p lchown:p
    fchownat:p 2*access:p 2*stat:p lstat:p statx:p 2*readlink:p utimens:p,1/2 utimes:p,3/4 2*mtime:p setxattr:p,1/2
    getxattr:p list:p slurp:p spit:p,0/1
numbered names, 4: files numbers
    opencreate:0/1/5 creat:0/1/5 open:0/5 2*dup:0/1 2*close:0/1/2 memfd socket epcreate:0/1 opendirectory:2
offsets, 10: files opened
    3*read:s,1/2 3*write:s,0/1 pread:s,0/1 pwrite:s,0/1/4 readv:s writev:s preadv:s,0/2 pwritev:s,0/3 2*seek:s,0/1/3
    seekend:s,0 where:s ftruncate:s,0/2/6 fallocate:s,8 fsync:s,0/1 fadvise:s fchmod:s,0/1 fchown:s fstat:s
    sendfile:s,s copyrange:s,s available:s truncate:0,1 slurp:0 unlink:0 stat:0
numbers, 10: files opened numbers
    3*dup:s 2*dup2:s,s dup3:s,s dup2:s,5/6 dupfd:s,0/5 4*close:s close:4/5 closerange:3/4,5/6 open:0 memfd socket
    getfd:s setfd:s,0/1 2*getfl:s 2*setfl:s,0/1/2 write:s,0 read:s,1 where:s
locks of files, 5: files opened
    3*flock:s,0/1 2*funlock:s 3*ofd:s,0/1/2 2*ofdget:s,1/2 posixlock:s,0/1/2 close:s dup:s
pipe, 6: pipe:0 | pipe:1 | pipe:2
    4*read:0,1/2 3*write:1,0/1 readv:0 writev:1 2*available:0 poll:0,0/1 pollall:0,0 pollout:1 ppoll:0,0/1
    select:0,0/1 pselect:0,0/1 2*close:0/1 dup2:0/1,0/1 dup:s splice:0,1 tee:0,1 vmsplice:1 pipesize:0,0/1/2 fstat:0
two pipes, 3: pipe:0 pipe:1
    read:0/2,1 2*write:1/3,0 splice:0/2,3/1 tee:0/2,3/1 2*pollall:0,0/1 2*close:s dup2:0/2,2/0 available:0/2
events, 4: eventfd:0 | eventfd:1 | eventfd:2,1 | eventfd:0 eventfd:1
    4*evread:0 4*evwrite:0,1/2 poll:0,0/1 pollall:0,0 select:0,0 close:0 dup:0 getfl:0
sockets, 6: sockets:0 | sockets:1 | sockets:2
    4*send:s,0/1 3*recv:s,1/2/5 sendmsg:s 2*recvmsg:s sendmmsg:s recvmmsg:s 2*shutdown:s,0/1/2 close:s poll:s,0/1
    available:s sockopt:s,0/1 getsockopt:s write:s,0 read:s,1 dup:s peername:s pollout:s
addresses, 4: unbound
    4*bind:0/1/3,1/5/6 2*listen:0/1 3*connect:3/1,6/1 3*accept:2/0,0/1 sockname:0/1/2 peername:3 unlink:6/1 rename:6,1
    close:2/3 poll:2,0 socketpair
epoll, 6: epoll:0,0 | epoll:0,1 | epoll:1,0 | epoll:1,1
    3*epadd:0/1/2 2*epmod:0/1,0/1 2*epdel 4*epwait:0/1 eppwait:0/1 3*write:1,0 2*read:0,2 close:0/1/2 poll:2,0 dup:0
watches, 2: inotify files
    2*watch:0/2 unwatch:1 2*watched unlink:0 excl:3 mkdir:3 rename:0,3 write:0,0 poll:0,0 available:0
mask, 5: files
    4*umask:0,0/1 2*excl:1/3 2*mkdir:1/3 creat:1 spit:1,0 openat2:1 stat:1
working folder, 5: files
    4*chdir:2/1/0 2*fchdir 2*getcwd excl:1 unlink:0/1 access:0 mkdir:1 stat:0 rename:2,1 rmdir:2
environment, 4: environment
    4*setenv:0/1,0/1 setenvkeep:0 2*unsetenv:0 putenv:0,0/1 4*getenv:0/1 tzset localtime:1 year
random numbers, 3: numbers
    3*rand srand:1/2 2*random 2*drand srand48:1/2
strtok, 2: strtok
    2*strtok 3*nexttok
calendar, 3: environment
    2*localtime:0/1 2*gmtime:0/1 3*year ctime:0/1 2*said
answers of libc, 2: numbers
    2*ntoa:0/1 2*said setlocale:0/1/2 rand
folders, 2: files folder
    4*readdir rewinddir excl:1 unlink:0
streams, 4: files stream:0 | files stream:1 | files stream:2 | files stream:1,1
    3*fputs 2*putc 2*fgetc fflush frewind ftell fprintf:0,1 flockfile slurp:0 truncate:0,0 stat:0
mapping, 4: files opened mapped:0
    2*load:0/1 3*store:0/1 pwrite:0,0 pread:0,0 read:0,1 write:0,0 discard:0 msync map readover:0,1 writefrom:0,1
    mlock:0,0/1 incore mapover:0 slurp:0
private mapping, 3: mapped:1
    3*load:0/1 3*store:0 2*discard:0/1 2*mapover:0/1 protect:0 map mlock:0,0/1
memory among calls, 3: files opened
    2*get:0 2*put:0,1 qsort bsearch 2*write:0,0 2*read:0,1 rename:0,1 excl:1
comparisons, 2: numbers
    2*qsort bsearch put:0,0/1 get:0
signals, 5: signals:0
    3*kill:0/1 2*raise:0/1 killmain:0/1 queue:0/1,1 3*block:0/1,0/1 2*pending:0/1 3*handled:0/1 action:0/1,0/1
blocked signals, 5: signals:1
    3*kill:0/1 raise:0/1 killmain:0 queue:0/1,1 2*pending:0/1 3*take:0/1,0/1 handled:0 block:0/1,0 action:0,0/1
interruptions, 3: met signals:0
    3*killother:0/1 3*pair 2*handled:0/1 block:0/1,0/1 nap:1/4 pending:0 raise:0
signal descriptors, 3: signals:1 signalfd
    3*kill:0/1 3*sigread poll:0,0/1 pending:0/1 take:0,0 raise:1
timer descriptors, 4: timerfd
    3*tfdset:0/1 3*evread:0 tfdget poll:0,0/1/3 nap:1/3 select:0,0/3
interval timers, 3: alarms
    3*itimer:0/1 getitimer 3*handled:1 nap:1/4 clocknap:1/4 alarm:0/1
timers, 3: signals:0 timer | signals:1 timer
    3*timerset:0/1 timerget timerdelete 2*handled:1 nap:1/4 pending:1 block:1,0/1
limits, 2: limit files
    2*nofile:0/1 excl:1 open:0 dup:0 pipe setrlimit:0/1 getrlimit dumpable:0/1 getdumpable
processes, 1: files opened
    fork:0/3 2*forkwrite:0/2 write:0,0 read:0,1 where:0
semaphore sets, 2: semaphores:0 | semaphores:1
    4*semop:0/1 2*semget semset:0/2
message queues, 2: queue
    3*msgsnd:0/1 3*msgrcv:0/1/2
segments, 1: segment
    shmat 2*shmctl 2*load:0 2*store:0
""")

# Calls that block, each of which has a partner in the other thread: what the first thread does in this order, what the
# second does, and what either may do besides. The letters are those of a family.
COUPLES = {
    "pipe waits": ("waitpipe:0", "write:1,1 write:1,0", "read:0,1 read:0,2", "available:0 poll:0,0 getfl:0"),
    "pipe is polled": ("waitpipe:0", "write:1,0", "poll:0,-1 read:0,1", "available:0 select:0,0"),
    "two pipes are polled": ("waitpipe:0 waitpipe:0", "write:3,0 write:1,0", "pollall:0,-1 read:0,1", "available:0 available:2"),
    "a pair of sockets is polled": ("waitsockets:0 | waitsockets:1", "send:0,0", "poll:1,-1 recv:1,1", "available:1 pollout:0"),
    "a pipe ends while it is polled": ("waitpipe:0", "close:1", "poll:0,-1 read:0,1", "available:0"),
    "pipe ends": ("waitpipe:1", "write:1,0 close:1", "read:0,1 read:0,2", "available:0"),
    "events wait": ("waiteventfd:0,1", "evwrite:0,2", "evread:0 evread:0", "poll:0,0"),
    "sockets wait": ("waitsockets:0 | waitsockets:2", "send:0,1 send:0,0", "recv:1,1 recv:1,2", "available:1 poll:1,0"),
    "sockets talk": ("waitsockets:0 | waitsockets:1", "send:0,0 recv:0,1", "recv:1,1 send:1,0", "poll:0,0 available:1"),
    "epoll waits": ("epoll:1,0", "write:1,0", "epwait:-1 read:0,2", "epmod:1,0 available:0"),
    "epoll waits for a descriptor": ("epoll:0,0", "epadd:0 write:1,0", "epwait:-1", "available:0 epmod:1,0"),
    "locks of a file wait": ("files opened", "flockwait:0,1 write:0,0 funlock:0", "flockwait:2,0/1 pread:2,0 funlock:2", ""),
    "ranges wait": ("files opened", "ofdwait:0,2 write:0,0 ofd:0,0", "ofdwait:2,1/2 pread:2,0 ofd:2,0", ""),
    "a fifo is opened": ("fifo", "openw:6", "open:6", "dup:0 access:6"),
    "a connection is accepted": ("waitlisten", "connect:1,6", "accept:0,0/1", "poll:0,0"),
    "a signal is awaited": ("signals:1", "kill:0", "sigwait:0", "pending:0/1 kill:1"),
    "a signal interrupts a wait": ("signals:1", "kill:0", "suspend", "pending:0/1 kill:1"),
    "a timer is awaited": ("waittimerfd", "tfdset:1", "evread:0", "poll:0,0 tfdget"),
    "a timer is polled": ("timerfd", "tfdset:1", "poll:0,-1 evread:0", "tfdget nap:1"),
    "the end comes among writes": ("numbers", "say:0 say:1", "exit", "get:0"),
    "a sudden end comes among writes": ("numbers | atexit", "say:0 say:1", "_exit", "get:0"),
    "a quick end comes among writes": ("numbers", "puts:0 flushall", "quick_exit", "get:0"),
    "the end comes among stores": ("atexit", "put:0,1 put:0,2", "exit", "get:0"),
    "a quick end comes among stores": ("atexit", "put:0,1 put:0,2", "quick_exit", "get:0"),
    "main returns among writes": ("unjoined", "say:0 puts:1 flushall", "get:0 put:0,1", ""),
    "main returns among stores": ("unjoined atexit", "put:0,1 put:0,2", "put:0,3 get:0", ""),
    "a signal is polled": ("signals:1 signalfd", "kill:0", "poll:0,-1 sigread", "pending:0"),
}
COUPLES_WEIGHT = 20

# System calls by which a call is made, where its name is not theirs.
MADE_BY = {
    "excl": "openat", "open": "openat open", "opencreate": "openat", "opendirectory": "openat", "tmpfile": "openat",
    "remove": "unlink", "exchange": "renameat2", "noreplace": "renameat2", "utimens": "utimensat",
    "mtime": "stat", "list": "getdents64", "slurp": "read", "spit": "write", "pread": "pread64", "pwrite": "pwrite64",
    "seek": "lseek", "fsync": "fsync fdatasync", "fadvise": "fadvise64", "copyrange": "copy_file_range", "dupfd": "fcntl",
    "closerange": "close_range", "memfd": "memfd_create", "pipe": "pipe2 pipe", "getfl": "fcntl", "available": "ioctl",
    "pselect": "pselect6", "send": "sendto", "recv": "recvfrom", "accept": "accept accept4", "epadd": "epoll_ctl",
    "epwait": "epoll_wait epoll_pwait", "eppwait": "epoll_pwait2", "epcreate": "epoll_create1 epoll_create",
    "watch": "inotify_add_watch", "discard": "madvise", "protect": "mprotect", "map": "mmap munmap", "mlock": "mlock munlock",
    "evread": "eventfd2 eventfd", "evwrite": "write", "kill": "kill", "queue": "rt_sigqueueinfo", "block": "rt_sigprocmask",
    "pending": "rt_sigpending", "take": "rt_sigtimedwait", "action": "rt_sigaction", "sigread": "signalfd4 signalfd",
    "tfdset": "timerfd_settime timerfd_create", "nap": "nanosleep", "clocknap": "clock_nanosleep", "itimer": "setitimer",
    "timerset": "timer_settime timer_create", "timerdelete": "timer_delete", "setrlimit": "prlimit64 setrlimit",
    "dumpable": "prctl", "fork": "fork vfork clone wait4", "semop": "semop semget", "semset": "semctl",
    "msgsnd": "msgsnd msgget", "shmat": "shmat shmget", "exit": "exit_group exit", "chown": "chown",
    "watched": "inotify_init1 inotify_init", "handled": "rt_sigaction getpid", "suspend": "rt_sigsuspend", "qsort": "brk",
    "yield": "sched_yield", "put": "futex",
}

# What heddle knows by name and no program makes, and why.
LEFT_OUT = {
    "needs privileges, or changes the machine":
        "ptrace setuid setgid setpgid setsid setreuid setregid setgroups setresuid setresgid pivot_root adjtimex chroot sync mount "
        "umount2 sethostname clock_settime unshare setns bpf userfaultfd add_key landlock_create_ruleset",
    "its name is the machine's, so that two runs would meet": "mq_open mq_unlink mq_timedsend mq_timedreceive",
    "no two threads can tell its order":
        "personality setpriority sched_setparam sched_setscheduler sched_setattr mlockall munlockall mlock2 readahead "
        "sync_file_range set_mempolicy mbind ioprio_set pkey_mprotect sched_setaffinity",
    "memory that others use would go away": "mremap shmdt",
    "what it waits for may have come before: it blocks for ever": "pause",
    "other processes, or another program":
        "execve execveat clone3 waitid pidfd_open pidfd_getfd pidfd_send_signal process_vm_readv process_vm_writev",
    "refused by heddle": "io_uring_setup io_uring_enter io_uring_register seccomp",
    "no libc offers it": "io_setup io_destroy io_getevents io_submit io_cancel",
    "the same as another that is made": "preadv2 pwritev2 getdents semtimedop signalfd mknod utime msgctl sched_yield",
}


# Calls that glibc says are not safe together: those of a first set with each other and with those of the second.
UNSAFE = [
    ({"setenv", "setenvkeep", "unsetenv", "putenv"}, {"getenv", "tzset", "localtime", "ctime"}),
    ({"strtok", "nexttok"}, set()),
    ({"drand", "srand48"}, set()),
    ({"localtime", "gmtime", "ctime"}, {"year", "said"}),
    ({"ntoa"}, {"said"}),
    ({"setlocale"}, {"ctime"}),
    ({"readdir", "rewinddir"}, set()),
]


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

    def unsafe_together(self):
        """Both threads make calls that glibc says are not safe together: a race may be told, and results are anything."""
        for one, other in itertools.permutations([{call.split(":")[0] for call in thread} for thread in self.threads], 2):
            if any(one & changing and other & (changing | looking) for changing, looking in UNSAFE):
                return True
        return False


class Generator:
    def __init__(self, seed, families=()):
        self.random = random.Random(f"calls {seed}")
        r = self.random
        names = families or [*FAMILIES, "couples"]
        weights = [FAMILIES[n].weight if n in FAMILIES else COUPLES_WEIGHT if n == "couples" else 1 for n in names]
        name = r.choices(names, weights)[0]
        if name == "couples":
            name = r.choice(sorted(COUPLES))
        self.program = self.couple(name) if name in COUPLES else self.independent(name)

    def argument(self, text, slots):
        if text == "p":
            return self.random.choice(self.paths)
        if text == "s":
            return str(self.random.randrange(slots))
        return self.random.choice(text.split("/"))

    def call(self, text, slots=0):
        name, _, arguments = text.partition(":")
        values = [self.argument(a, slots) for a in arguments.split(",")] if arguments else []
        if len(values) == 2 and arguments in ("p,p", "s,s") and values[0] == values[1] and self.random.random() < 0.8:
            values[1] = self.random.choice(self.paths) if arguments == "p,p" else str((int(values[0]) + 1) % slots)
        return f"{name}:{','.join(values)}" if values else name

    def choose_paths(self):
        self.paths = self.random.sample(PATHS, self.random.choice((1, 2, 2, 3)))

    def independent(self, name):
        r, family = self.random, FAMILIES[name]
        self.choose_paths()
        setup = r.choice(family.setups).split()
        slots = sum(SLOTS.get(word.split(":")[0], 0) for word in setup)
        threads = [[self.call(c, slots) for c in r.choices(family.calls, family.weights, k=r.choice((2, 2, 3)))] for _ in range(2)]
        return Program(setup, threads, name)

    def couple(self, name):
        r = self.random
        self.choose_paths()
        setups, *partners, besides = COUPLES[name]
        threads = [[self.call(c) for c in part.split()] for part in partners]
        for thread in threads:
            if besides and len(thread) < 3 and r.random() < 0.6:
                thread.insert(r.randrange(len(thread) + 1), self.call(r.choice(besides.split())))
        if r.random() < 0.5:
            threads.reverse()
        return Program(r.choice(setups.split(" | ")).split(), threads, name)


def generate(seed, families=()):
    return Generator(seed, families).program


# ---- what is run ----


def run(command, limit=LIMIT, **options):
    """Its exit status, standard output and standard error; status 124 when it ran out of time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=limit, check=False, **options)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return 124, late.stdout or b"", f"no end after {limit} s"


def build(folder, source=SOURCE):
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


class Native:
    """Native runs: how often each output was seen. A run that blocks, dies or fails has a name in parentheses as output."""

    def __init__(self, binary, program, runs, seed):
        self.outputs = {}
        with Folder(binary.parent) as folder:
            self.status, out, self.error = run([str(binary), "--native", str(runs), str(seed), str(program)], limit=LIMIT + runs * 0.1,
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

    def failures(self):
        return {output for output in self.outputs if output.startswith(b"(")}


class Search:
    """One `heddle explore`."""

    def __init__(self, name, binary, program, arguments=None):
        self.name = name
        with Folder(binary.parent) as folder:
            document, hashes = folder / "json", folder / "hashes"
            command = [HEDDLE, "explore", "-j", "1", "--time", f"{SEARCH}s", "--leaks", "ignore", "--no-page", "--color", "never",
                       "--out", str(folder / "out"), "--json", str(document), "--hashes", str(hashes),
                       *(SEARCHES[name] if arguments is None else arguments),
                       str(binary), "--", str(program)]
            began = time.monotonic()
            self.status, out, self.error = run(command, cwd=folder / "here")
            self.seconds = time.monotonic() - began
            self.said = out.decode(errors="replace").strip()
            result = json.loads(document.read_text()) if document.exists() else {}
            self.hashes = set(re.findall(r"(?m)^[0-9a-f]{16} ([0-9a-f]{16}) ", hashes.read_text() if hashes.exists() else ""))
        self.kinds = collections.Counter(bug["kind"] for bug in result.get("bugs", []))
        self.titles = [f"{bug['kind']} ({bug['message']})" for bug in result.get("bugs", [])]
        self.executions = result.get("executions", 0)
        self.whole = bool(result.get("complete"))  # whatever it found
        self.complete = self.whole and self.status == 0 and not self.kinds
        self.ended = self.status == 0 and not self.kinds and "estimate" not in self.said
        self.reset = result.get("reset", "")

    def failed(self):
        """It says something untrue about the program to explain a failure of its own, or has no explanation at all."""
        return self.status not in (0, 1, 3) or any(words in self.error for words in (
            "lost their process", "lost its process", "is damaged", "did not repeat itself", "without finishing one execution"))

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
    """A program, what was run of it, and what is wrong."""

    def __init__(self, name, program, binaries, options):
        self.name, self.program, self.binaries, self.options = name, program, binaries, options
        self.differences, self.searches, self.native = [], {}, None

    def test(self):
        binary, native = self.binaries
        seed = self.name if isinstance(self.name, int) else 1
        self.native = Native(native, self.program, self.options.runs, seed)
        if self.native.status:
            self.differ("itself", f"native runs: status {self.native.status}: {self.native.error[:200]}")
            return self
        self.searches = {name: Search(name, binary, self.program) for name in self.options.searches}
        for search in self.searches.values():
            self.judge(search)
        self.compare()
        return self

    def differ(self, group, text):
        self.differences.append((group, text))

    def shown(self, kind):
        """A native run has failed in such a way, or may do so without anybody's fault."""
        if kind == "race":
            return self.program.unsafe_together()
        return any(kind in kinds and output.decode(errors="replace").startswith(start)
                   for output in self.native.failures() for start, kinds in SHOWN_BY.items())

    def judge(self, search):
        if search.failed():
            self.differ("itself", f"{search.name}: status {search.status}: {(search.error or search.said)[-300:]}")
        for kind in search.kinds:
            if not self.shown(kind):
                self.differ("alarm", f"{search.name}: {search.verdict()}")
        missed = self.missed(search)
        if missed:
            times = sum(self.native.outputs[output] for output in missed)
            self.differ("proof", f"{search.name}: {search.verdict()}; natively in {times} of {sum(self.native.outputs.values())} runs also "
                                 f"{missed[0].decode(errors='replace').strip()}")

    def missed(self, search):
        if not search.complete:
            return []
        return self.not_seen_by(search)

    def gap(self):
        """What a native run shows and a search has not seen that came to its end but does not call itself complete: no fault, but of
        interest for whoever wants it to be complete."""
        for search in self.searches.values():
            if search.ended and not search.complete and self.not_seen_by(search):
                return f"{search.name}: {search.verdict()}; not seen {self.not_seen_by(search)[0].decode(errors='replace').strip()}"
        return None

    def not_seen_by(self, search):
        return sorted((o for o in self.native.outputs if hash_of(o) not in search.hashes), key=lambda o: -self.native.outputs[o])

    def compare(self):
        complete = [s for s in self.searches.values() if s.complete]
        for one, other in zip(complete, complete[1:]):
            if one.hashes != other.hashes:
                self.differ("agree", f"{one.name} has {len(one.hashes - other.hashes)} results that {other.name} has not, which has "
                                     f"{len(other.hashes - one.hashes)} more")

    def proved(self):
        return bool(self.searches) and all(s.complete for s in self.searches.values())

    def unseen(self):
        """Results of complete searches that no native run has shown."""
        seen = {hash_of(output) for output in self.native.outputs}
        return set().union(*(s.hashes for s in self.searches.values() if s.complete)) - seen

    def groups(self):
        return {group for group, _ in self.differences}

    def shrink(self):
        """The smallest program found, by leaving out calls one after the other, with something of the same kind wrong."""
        smallest, group = self, self.differences[0][0] if self.differences else None
        again = group is not None
        while again:
            again = False
            for thread, calls in enumerate(smallest.program.threads):
                for at in range(len(calls)):
                    case = Case(self.name, smallest.program.without(thread, at), self.binaries, self.options).test()
                    if group in case.groups() and b"(blocked)" not in case.native.outputs:
                        smallest, again = case, True
                        break
                if again:
                    break
        return smallest


# ---- the command ----


class Totals:
    def __init__(self):
        self.programs = self.proved = self.unseen = self.results = self.runs = self.executions = 0
        self.wrong, self.reasons, self.families = [], collections.Counter(), collections.Counter()
        self.proofs, self.by_search, self.gaps = collections.Counter(), collections.Counter(), []
        self.races = 0
        self.started = time.monotonic()

    def add(self, case):
        self.programs += 1
        self.proved += case.proved() and not case.differences
        self.families[case.program.family] += 1
        self.proofs[case.program.family] += case.proved() and not case.differences
        if case.native:
            self.runs += sum(case.native.outputs.values())
        if case.searches:
            self.by_search.update(s.name for s in case.searches.values() if s.complete)
            self.gaps += [case.name] if case.gap() else []
            self.unseen += len(case.unseen())
            self.results += len(set().union(*(s.hashes for s in case.searches.values())))
            self.executions += sum(s.executions for s in case.searches.values())
            open_ones = [s for s in case.searches.values() if not s.complete and not s.kinds and not s.failed()]
            self.races += any(s.kinds for s in case.searches.values()) and not case.differences
            if open_ones:
                self.reasons[f"{' '.join(s.name for s in open_ones)}: {open_ones[0].reason()}"] += 1
        if case.differences:
            self.wrong.append(case)

    def lines(self):
        share = 100 * self.proved / max(1, self.programs)
        lines = [f"{self.programs} programs, {self.runs} native runs, {self.executions} executions, {time.monotonic() - self.started:.0f} s",
                 f"{len(self.wrong)} wrong; proved by all searches {self.proved} ({share:.0f} %), called complete by "
                 f"{', '.join(f'{name} {n}' for name, n in self.by_search.items())}",
                 f"with a bug that native runs show or a race of libc {self.races}; given up {sum(self.reasons.values())}, of which "
                 f"{len(self.gaps)} came to an end without a result that a native run shows",
                 f"results of searches: {self.results}, of which no native run has shown {self.unseen}"]
        lines += [f"given up: {n} times: {reason}" for reason, n in self.reasons.most_common(12)]
        none = sorted(f for f in self.families if not self.proofs[f])
        return lines + ([f"without a single proof: {', '.join(none)}"] if none else [])


def test_all(seeds, binaries, options, done=lambda case: None):
    totals = Totals()

    def one(seed):
        return Case(seed, generate(seed, options.family), binaries, options).test()
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for case in pool.map(one, seeds):
            totals.add(case)
            done(case)
    return totals


def missing():
    """Names of system calls in heddle's list that no call makes and nobody has left out for a reason; and the reasons."""
    known = set(re.findall(r"X\((\w+)\)", NAMES.read_text())) - {"name"}
    words = [c.split(":")[0] for f in FAMILIES.values() for c in f.calls]
    words += [c.split(":")[0] for _, *parts in COUPLES.values() for part in parts for c in part.split()]
    made = {name for word in words for name in MADE_BY.get(word, word).split()} | set(words)
    excused = {name for names in LEFT_OUT.values() for name in names.split()}
    return sorted(known - made - excused)


def default_options(**changes):
    options = argparse.Namespace(runs=1000, j=1, family=[], searches=list(SEARCHES))
    vars(options).update(changes)
    return options


def tell(case, verbose=False):
    print(f"{'wrong' if case.differences else 'right'}: {case.program}")
    for group, text in case.differences:
        print(f"  {group}: {text}")
    for search in case.searches.values():
        print(f"  {search.name}: {search.verdict()}" + (f" ({search.reset})" if search.reset else ""))
    if case.gap():
        print(f"  gap: {case.gap()}")
    if verbose:
        for output, times in sorted(case.native.outputs.items(), key=lambda pair: -pair[1]):
            seen = " ".join(s.name for s in case.searches.values() if hash_of(output) in s.hashes)
            print(f"  {times:5} {output.decode(errors='replace').strip()}  [{seen}]")
        print(f"  {len(case.unseen())} results that no native run has shown")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("-j", type=int, default=1, help="programs at a time")
    parser.add_argument("--runs", type=int, default=1000, help="native runs of each")
    parser.add_argument("--family", nargs="+", default=[], metavar="NAME", help="only these; \"couples\" are those that block")
    parser.add_argument("--show", nargs="+", metavar="SEED", help="print programs")
    parser.add_argument("--text", action="append", help="this program")
    parser.add_argument("--verbose", action="store_true", help="with --text: print what native runs printed")
    parser.add_argument("--shrink", metavar="SEED|TEXT", help="make this one small")
    parser.add_argument("--small", action="store_true", help="make each program small with which something is wrong")
    parser.add_argument("--missing", action="store_true", help="list system calls that no program makes")
    options = parser.parse_args()
    options.searches = list(SEARCHES)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.show:
        for seed in options.show:
            print(f"{seed}: {generate(int(seed), options.family)}")
        return 0
    if options.missing:
        print("\n".join(missing()))
        return 0
    folder = tempfile.mkdtemp(prefix="heddle-calls.")
    try:
        binaries = build(folder)
        if options.shrink:
            whole = generate(int(options.shrink), options.family) if options.shrink.isdigit() else Program.parse(options.shrink)
            tell(Case(1, whole, binaries, options).test().shrink(), True)
            return 0
        if options.text:
            for text in options.text:
                tell(Case(1, Program.parse(text), binaries, options).test(), options.verbose)
            return 0

        def done(case):
            if case.gap():
                print(f"# seed {case.name} ({case.program.family}): {case.program}\n#   gap: {case.gap()}", flush=True)
            if not case.differences:
                return
            shown = case.shrink() if options.small else case
            print(f"# seed {case.name} ({case.program.family}): {shown.program}", flush=True)
            for group, text in shown.differences:
                print(f"#   {group}: {text}", flush=True)
        totals = test_all(range(options.seed, options.seed + options.programs), binaries, options, done)
        print("\n".join(totals.lines()))
        return 1 if totals.wrong else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
