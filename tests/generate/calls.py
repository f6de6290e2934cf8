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
through by `dpor`, by `dfs`, and by `dpor` with a fresh process for each execution, and run natively. What is wanted of
each is told in differential.py.
"""
import itertools
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import differential  # noqa: E402

NAMES = differential.ROOT / "src" / "core" / "calls.c"
SEARCHES = {"dpor": [], "dfs": ["--strategy", "dfs"], "fresh": ["--reset", "exec"]}

# ---- programs ----


class Family:
    """Set-ups, one of which is taken, and calls. In a call, p stands for one of a few paths and s for one of the descriptors of
    the set-up; a/b is a choice. A call written "3*name" is taken three times as often."""

    def __init__(self, weight, setups, words):
        self.weight, self.setups = weight, setups
        self.calls, self.weights = differential.weighed(words)


PATHS = "0123456"
SLOTS = {"opened": 4, "pipe": 2, "waitpipe": 2, "eventfd": 1, "waiteventfd": 1, "sockets": 2, "waitsockets": 2, "unbound": 4, "epoll": 3,
         "inotify": 1, "signalfd": 1, "timerfd": 1, "waittimerfd": 1, "waitlisten": 2}


def read_families(text):
    """A line "name, weight: set-ups" each, then lines of calls that are set in."""
    families = {}
    for name, weight, setups, body in re.findall(r"(?m)^(\w.*), (\d+): (.*)\n((?: .*\n)+)", text):
        families[name] = Family(int(weight), setups.split(" | "), body)
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
    "it has a name for stories, and only asks, or asks for what no other thread could see":
        "arch_prctl capget clock_getres clock_gettime faccessat faccessat2 fgetxattr fstatfs get_robust_list getcpu getegid geteuid "
        "getgid getgroups getpeername getpgid getpgrp getppid getpriority getresgid getresuid getrusage getsid getsockname getuid "
        "lgetxattr listxattr membarrier mincore newfstatat readlinkat rseq sched_get_priority_max sched_get_priority_min "
        "sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval set_robust_list set_tid_address "
        "statfs sysinfo time timer_getoverrun timer_gettime timerfd_gettime times uname",
    "it changes, and is not made by any program yet; others of its family are":
        "fsetxattr removexattr futimesat inotify_rm_watch mq_getsetattr setfsgid setfsuid setsockopt",
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


class Program(differential.Program):
    def unsafe_together(self):
        """Both threads make calls that glibc says are not safe together: a race may be told, and results are anything."""
        for one, other in itertools.permutations([{call.split(":")[0] for call in thread} for thread in self.threads], 2):
            if any(one & changing and other & (changing | looking) for changing, looking in UNSAFE):
                return True
        return False


class Generator:
    def __init__(self, seed, families=()):
        self.random = random.Random(f"calls {seed}")
        name = differential.draw_family(self.random, FAMILIES, COUPLES, COUPLES_WEIGHT, families)
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


class Case(differential.Case):
    def search_names(self):
        return SEARCHES

    def search(self, name):
        return differential.Search(name, self.binaries[0], self.program, SEARCHES[name], self.options.seconds)

    def shown(self, kind):
        return self.program.unsafe_together() if kind == "race" else super().shown(kind)

    def may_shrink_to(self, case):
        return super().may_shrink_to(case) and differential.BLOCKED not in case.native.outputs


KIND = differential.Kind("calls.c", generate, Program, Case, 1000)


def missing():
    """Names of system calls in heddle's list that no call makes and nobody has left out for a reason; and the reasons."""
    known = set(re.findall(r"X\((\w+)\)", NAMES.read_text())) - {"name"}
    words = [c.split(":")[0] for f in FAMILIES.values() for c in f.calls]
    words += [c.split(":")[0] for _, *parts in COUPLES.values() for part in parts for c in part.split()]
    made = {name for word in words for name in MADE_BY.get(word, word).split()} | set(words)
    excused = {name for names in LEFT_OUT.values() for name in names.split()}
    return sorted(known - made - excused)


def add_arguments(parser):
    parser.add_argument("--missing", action="store_true", help="list system calls that no program makes")


def other_command(options):
    if options.missing:
        print("\n".join(missing()))
    return options.missing


if __name__ == "__main__":
    sys.exit(differential.main(KIND, __doc__.splitlines()[0], add_arguments, other_command))
