#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small multi-threaded C programs, for tests that compare heddle with itself.

    tests/generate/generate.py SEED [--kind clean|wild] [--features NAME,...] [--omit THREAD.OP,...] [--list]

The same seed gives the same program, byte for byte. A program has two to four threads of three to twelve operations,
drawn from a few features (--list names them all). Its last line of output is `= CHECKSUM`, of all state that threads
share and of what each of them saw; what differs from one process to the next by nature (ids, times, addresses) is
printed but is not part of it.

A *clean* program has no bug by construction: plain memory is guarded, locks nest in one order, main releases every
wait before it joins. So any report on it is a false alarm. A *wild* one does all of that and, here and there, leaves
out a guard, an unlock or a wake-up, frees twice, asserts what need not hold, and so on: mostly to be compared between
ways to run it, not to be judged.

--omit leaves out single operations (thread and index from 0, as in the comments before them), or all of a thread
(`2.`): tests/generate/reduce.py makes programs small with it.
"""
import argparse
import random
import re

TYPES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
LOAD_ORDERS = ("relaxed", "consume", "acquire", "seq_cst")
STORE_ORDERS = ("relaxed", "release", "seq_cst")

# Name: weight. Those marked wild are drawn for wild programs only.
FEATURES = {
    "plain": 6, "struct": 3, "union": 3, "unaligned": 3, "bitfield": 1, "atomic": 6, "fence": 2, "stackvar": 3,
    "heap": 4, "publish": 4, "realloc": 2, "mutex": 6, "nested_locks": 3, "recursive": 2, "errorcheck": 2, "robust": 2,
    "rwlock": 4, "spin": 3, "semaphore": 4, "semlock": 2, "named_sem": 1, "cond": 4, "timedcond": 2, "barrier": 3,
    "once": 2, "tsd": 2, "tls": 2, "yield": 2, "sleep": 2, "clock": 2, "printf": 3, "write": 1, "stderr": 1, "ids": 2,
    "random": 2, "futex": 3, "futexlock": 2, "atomic_spin": 2, "setjmp": 2, "raise": 2, "kill_main": 2, "kill_thread": 2,
    "sigmask": 1, "pipe": 3, "socketpair": 1, "eventfd": 1, "poll": 1, "strings": 3, "child": 3, "detached": 3,
    "cancel": 3, "exit_thread": 1, "pthread_exit": 2, "atexit": 1, "c11": 3, "mmap": 1, "stdio_file": 1, "tryjoin": 1,
    "sort": 1, "names": 1, "alloca": 1, "addresses": 1, "main_pthread_exit": 1, "sem_handler": 1, "siglongjmp": 1,
    "sigwait": 1, "sigsuspend": 1, "refcount": 3, "errno": 2, "fenv": 1, "environ": 1, "tmpfile": 1, "memfd": 1,
    "big": 1, "nested_jump": 1, "tsd_heap": 2, "attributes": 1, "rdlock_twice": 1, "queue": 3,
}
WILD_FEATURES = {
    "race": 8, "check_then_act": 3, "lost_update": 4, "assert_final": 5, "assert_thread": 2, "lock_inversion": 3,
    "relock": 1, "no_unlock": 1, "bad_unlock": 1, "sem_starve": 2, "lost_wakeup": 3, "use_after_free": 3,
    "double_free": 2, "overflow": 2, "leak": 2, "null": 2, "bad_exit": 1, "barrier_short": 1, "join_twice": 1,
    "join_cycle": 1, "abort": 1, "livelock": 1, "mixed_atomic": 2, "raise_default": 1, "dead_stack": 1,
    "uninitialised": 2, "divide": 1, "pipe_starve": 1, "destroy_early": 1, "exit_races": 1, "invalid_free": 1,
    "cond_two": 1, "string_race": 2, "futex_starve": 1, "wild_pointer": 1,
    "stack_garbage": 2,
}

PRELUDE = r"""
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef u16 __attribute__((aligned(1), may_alias)) un16;
typedef u32 __attribute__((aligned(1), may_alias)) un32;
typedef u64 __attribute__((aligned(1), may_alias)) un64;

static u64 checksum = 14695981039346656037u;
static void mix(u64 value)
{
  checksum = (checksum ^ value) * 1099511628211u;
  checksum ^= checksum >> 29;
}

static struct timespec soon(clockid_t clock)
{
  struct timespec at;
  clock_gettime(clock, &at);
  at.tv_nsec += 2000000;
  if (at.tv_nsec >= 1000000000) {
    at.tv_nsec -= 1000000000;
    at.tv_sec++;
  }
  return at;
}

static u64 result[16];
"""


class Lock:
    """Something that keeps others out: how it is declared, taken and given back."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name


class Thread:
    def __init__(self, name, index):
        self.name, self.index = name, index
        self.ops = []        # C text each
        self.kind = "plain"  # detached, victim, child


class Generator:
    """Builds one program. Every feature has a method op_NAME, which returns the text of one operation or None."""

    def __init__(self, seed, kind=None, features=None, omit=()):
        self.r = random.Random(f"heddle-{seed}")
        self.seed = seed
        r = self.r
        self.kind = kind or ("clean" if r.random() < 0.45 else "wild")
        self.globals, self.functions, self.setup = [], [], []
        self.release,  self.late, self.final, self.teardown = [], [], [], []
        self.headers_done = set()
        self.locks, self.atomics, self.places = [], [], {}
        self.ordered_only = True   # no relaxed atomics and no races: behaves as sequentially consistent everywhere
        self.portable = True       # every compiler makes the same accesses of it, unoptimised
        self.comparable = True     # its checksum does not depend on real time
        self.counter = 0
        self.threads = []
        self.omit = set(omit)
        if features:
            self.features = list(features)
        else:
            n = r.randint(3, 7)
            self.features = self.draw(FEATURES, n)
            if self.kind == "wild":
                self.features += self.draw(WILD_FEATURES, r.randint(1, 3))
        self.wild = self.kind == "wild"
        self.optimise = r.choice(("-O0", "-O1", "-O1", "-O2"))
        self.text = self.build()

    def draw(self, weights, n):
        chosen = []
        names = list(weights)
        while len(chosen) < n:
            name = self.r.choices(names, [weights[x] for x in names])[0]
            if name not in chosen:
                chosen.append(name)
        return chosen

    # ---- names and declarations ----

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def once(self, key, *lines, where=None):
        """Declares something the first time only."""
        if key in self.headers_done:
            return
        self.headers_done.add(key)
        (self.globals if where is None else where).extend(lines)

    def constant(self):
        return self.r.choice((1, 2, 3, 5, 7, 11, 255, 256, 65535, self.r.randint(1, 1 << 20)))

    # ---- locks ----

    LOCK_KINDS = {
        "mutex": ("mutex", "adaptive", "mutex_init"), "recursive": ("recursive",), "errorcheck": ("errorcheck",),
        "robust": ("robust",), "rwlock": ("rwlock", "rwlock_writer"), "spin": ("spin",), "semlock": ("semlock",),
        "futexlock": ("futexlock",), "atomic_spin": ("atomic_spin",), "c11": ("mtx", "mtx_recursive", "mtx_timed"),
    }

    def new_lock(self):
        kinds = [k for f in self.features for k in self.LOCK_KINDS.get(f, ())] or ["mutex"]
        kind = self.r.choice(kinds)
        name = f"lock{len(self.locks)}"
        lock = Lock(kind, name)
        self.declare_lock(lock)
        self.locks.append(lock)
        return lock

    def declare_lock(self, lock):
        n, g, s = lock.name, self.globals, self.setup
        types = {"recursive": "PTHREAD_MUTEX_RECURSIVE", "errorcheck": "PTHREAD_MUTEX_ERRORCHECK"}
        if lock.kind == "mutex":
            g.append(f"static pthread_mutex_t {n} = PTHREAD_MUTEX_INITIALIZER;")
        elif lock.kind == "adaptive":
            g.append(f"static pthread_mutex_t {n} = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;")
        elif lock.kind == "mutex_init":
            g.append(f"static pthread_mutex_t {n};")
            s.append(f"pthread_mutex_init(&{n}, NULL);")
            self.teardown.append(f"pthread_mutex_destroy(&{n});")
        elif lock.kind in types or lock.kind == "robust":
            g.append(f"static pthread_mutex_t {n};")
            setting = (f"pthread_mutexattr_settype(&a, {types[lock.kind]});" if lock.kind in types
                       else "pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);")
            s.append("{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); %s pthread_mutex_init(&%s, &a); "
                     "pthread_mutexattr_destroy(&a); }" % (setting, n))
        elif lock.kind == "rwlock":
            g.append(f"static pthread_rwlock_t {n} = PTHREAD_RWLOCK_INITIALIZER;")
        elif lock.kind == "rwlock_writer":
            g.append(f"static pthread_rwlock_t {n} = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;")
        elif lock.kind == "spin":
            g.append(f"static pthread_spinlock_t {n};")
            s.append(f"pthread_spin_init(&{n}, PTHREAD_PROCESS_PRIVATE);")
        elif lock.kind == "semlock":
            g.append(f"static sem_t {n};")
            s.append(f"sem_init(&{n}, 0, 1);")
        elif lock.kind == "futexlock":
            self.futex_helpers()
            self.once("futexlock", FUTEX_LOCK)
            g.append(f"static _Atomic u32 {n};")
        elif lock.kind == "atomic_spin":
            g.append(f"static atomic_flag {n} = ATOMIC_FLAG_INIT;")
        else:
            kinds = {"mtx": "mtx_plain", "mtx_recursive": "mtx_plain | mtx_recursive", "mtx_timed": "mtx_timed"}
            g.append(f"static mtx_t {n};")
            s.append(f"mtx_init(&{n}, {kinds[lock.kind]});")
            self.teardown.append(f"mtx_destroy(&{n});")

    def guarded(self, lock, body, writes=True, depth=0):
        """The body with the lock held; some ways may not get it, and then count that."""
        n, r, kind = lock.name, self.r, lock.kind
        missed = "acc = acc * 3 + 1;"
        way = r.choice(("plain", "plain", "plain", "try", "timed", "insist"))
        pthread = kind in ("mutex", "adaptive", "mutex_init", "recursive", "errorcheck", "robust")
        if pthread:
            unlock = f"pthread_mutex_unlock(&{n});"
            if kind == "recursive" and r.random() < 0.5:
                body = f"pthread_mutex_lock(&{n}); {body} pthread_mutex_unlock(&{n});"
            if kind == "errorcheck" and r.random() < 0.3:
                body += f" acc += (u64)pthread_mutex_lock(&{n});"  # EDEADLK
            if kind == "robust":
                call = {"plain": f"pthread_mutex_lock(&{n})", "try": f"pthread_mutex_trylock(&{n})",
                        "timed": f"pthread_mutex_timedlock(&{n}, &at)", "insist": f"pthread_mutex_lock(&{n})"}[way]
                return ((f"{{ struct timespec at = soon(CLOCK_REALTIME); " if way == "timed" else "{ ") +
                        f"int e = {call}; if (e == EOWNERDEAD) {{ acc += 77; e = pthread_mutex_consistent(&{n}); }} "
                        f"if (!e) {{ {body} {unlock} }} else {{ {missed} }} }}")
            if way == "plain":
                return f"pthread_mutex_lock(&{n}); {body} {unlock}"
            if way == "insist":
                return f"while (pthread_mutex_trylock(&{n})) sched_yield(); {body} {unlock}"
            if way == "try":
                return f"if (pthread_mutex_trylock(&{n}) == 0) {{ {body} {unlock} }} else {{ {missed} }}"
            clock = r.choice(("", "MONOTONIC", "REALTIME"))
            call = (f"pthread_mutex_timedlock(&{n}, &at)" if not clock
                    else f"pthread_mutex_clocklock(&{n}, CLOCK_{clock}, &at)")
            return (f"{{ struct timespec at = soon(CLOCK_{clock or 'REALTIME'}); if ({call} == 0) {{ {body} {unlock} }} "
                    f"else {{ {missed} }} }}")
        if kind in ("rwlock", "rwlock_writer"):
            side = "wr" if writes or r.random() < 0.2 else "rd"
            unlock = f"pthread_rwlock_unlock(&{n});"
            if way in ("plain", "insist"):
                return f"pthread_rwlock_{side}lock(&{n}); {body} {unlock}"
            if way == "try":
                return f"if (pthread_rwlock_try{side}lock(&{n}) == 0) {{ {body} {unlock} }} else {{ {missed} }}"
            return (f"{{ struct timespec at = soon(CLOCK_REALTIME); if (pthread_rwlock_timed{side}lock(&{n}, &at) == 0) "
                    f"{{ {body} {unlock} }} else {{ {missed} }} }}")
        if kind == "spin":
            unlock = f"pthread_spin_unlock(&{n});"
            if way == "try":
                return f"if (pthread_spin_trylock(&{n}) == 0) {{ {body} {unlock} }} else {{ {missed} }}"
            return f"pthread_spin_lock(&{n}); {body} {unlock}"
        if kind == "semlock":
            unlock = f"sem_post(&{n});"
            if way == "try":
                return f"if (sem_trywait(&{n}) == 0) {{ {body} {unlock} }} else {{ {missed} }}"
            if way == "timed":
                return (f"{{ struct timespec at = soon(CLOCK_REALTIME); if (sem_timedwait(&{n}, &at) == 0) "
                        f"{{ {body} {unlock} }} else {{ {missed} }} }}")
            return f"while (sem_wait(&{n})) {{ }} {body} {unlock}"
        if kind == "futexlock":
            return f"futex_lock(&{n}); {body} futex_unlock(&{n});"
        if kind == "atomic_spin":
            return (f"while (atomic_flag_test_and_set_explicit(&{n}, memory_order_acquire)) sched_yield(); {body} "
                    f"atomic_flag_clear_explicit(&{n}, memory_order_release);")
        unlock = f"mtx_unlock(&{n});"
        if way == "try":
            return f"if (mtx_trylock(&{n}) == thrd_success) {{ {body} {unlock} }} else {{ {missed} }}"
        if way == "timed" and kind == "mtx_timed":
            return (f"{{ struct timespec at = soon(CLOCK_REALTIME); if (mtx_timedlock(&{n}, &at) == thrd_success) "
                    f"{{ {body} {unlock} }} else {{ {missed} }} }}")
        return f"mtx_lock(&{n}); {body} {unlock}"

    def some_lock(self):
        if not self.locks or (len(self.locks) < 3 and self.r.random() < 0.3):
            return self.new_lock()
        return self.r.choice(self.locks)

    # ---- shared plain memory; each datum has the lock that guards it ----

    def lvalues(self, flavour):
        """A list of (lvalue, guard) of that flavour; declared once."""
        key = f"flavour-{flavour}"
        if key in self.places:
            return self.places[key]
        r, g = self.r, self.globals
        guard = self.some_lock()
        if flavour == "plain":
            places = []
            for _ in range(r.randint(1, 3)):
                kind, name = r.choice(list(TYPES)), self.fresh("x")
                volatile = "volatile " if r.random() < 0.15 else ""
                initial = f" = {r.randint(1, 100)}" if r.random() < 0.4 else ""
                g.append(f"static {volatile}{kind} {name}{initial};")
                self.final.append(f"mix({name});")
                places.append((name, self.some_lock()))
        elif flavour == "struct":
            name = self.fresh("s")
            packed = " __attribute__((packed))" if r.random() < 0.4 else ""
            g.append(f"static struct{packed} {{ u8 a; u16 b; u32 c; u64 d; u8 tail; }} {name};")
            fields = ("a", "b", "c", "d", "tail")
            self.final += [f"mix({name}.{f});" for f in fields]
            places = [(f"{name}.{f}", guard) for f in fields]
        elif flavour == "union":
            name = self.fresh("w")
            g.append(f"static union {{ u64 w; u32 h[2]; u16 q[4]; u8 b[8]; }} {name};")
            self.final.append(f"mix({name}.w);")
            places = [(f"{name}.{f}", guard) for f in
                      ("w", f"h[{r.randint(0, 1)}]", f"q[{r.randint(0, 3)}]", f"b[{r.randint(0, 7)}]")]
        elif flavour == "unaligned":
            name = self.fresh("raw")
            g.append(f"static u8 {name}[32] __attribute__((aligned(8)));")
            self.final.append(f"for (int i = 0; i < 32; i++) mix({name}[i]);")
            places = [(f"(*(un{bits} *)({name} + {r.randint(0, 24)}))", guard)
                      for bits in r.choices((16, 32, 64), k=3)]
        elif flavour == "bitfield":
            name = self.fresh("f")
            g.append(f"static struct {{ u32 a : 3, b : 7, c : 22; }} {name};")
            self.final += [f"mix({name}.{f});" for f in "abc"]
            places = [(f"{name}.{f}", guard) for f in "abc"]
        else:  # stackvar: main's locals, reached through a pointer that is set before any thread starts
            name = self.fresh("stack")
            kind = r.choice(list(TYPES))
            g.append(f"static {kind} *{name};")
            self.setup.insert(0, f"{kind} {name}_local = {r.randint(0, 9)}; {name} = &{name}_local;")
            self.final.append(f"mix(*{name});")
            places = [(f"(*{name})", guard)]
        self.places[key] = places
        return places

    def touch(self, lvalue):
        """A statement or two on it, each side effect on its own."""
        r, k = self.r, self.constant()
        return r.choice((
            f"{lvalue} += {k};", f"acc = acc * 31 + {lvalue};", f"{lvalue} = {k};", f"{lvalue}++;",
            f"{lvalue} ^= {k}; acc += {lvalue};", f"if ({lvalue} & 1) {lvalue} += 3; else {lvalue} ^= 5;",
            f"acc = acc * 31 + {lvalue}; {lvalue} = acc;"))

    def access(self, flavour):
        lvalue, guard = self.r.choice(self.lvalues(flavour))
        body = self.touch(lvalue)
        if self.wild and "race" in self.features and self.r.random() < 0.6:
            self.ordered_only = False
            self.portable &= flavour != "bitfield"  # how wide its accesses are is the compiler's choice
            return body
        writes = "+=" in body.replace("acc +=", "") or "++" in body or "^=" in body or re.search(r"[^c] = ", body)
        return self.guarded(guard, body, bool(writes))

    def op_plain(self, t):
        return self.access("plain")

    def op_struct(self, t):
        return self.access("struct")

    def op_union(self, t):
        return self.access("union")

    def op_unaligned(self, t):
        return self.access("unaligned")

    def op_bitfield(self, t):
        return self.access("bitfield")

    def op_stackvar(self, t):
        if t.kind == "detached" or "main_pthread_exit" in self.features:
            return None
        return self.access("stackvar")

    def op_race(self, t):
        flavour = self.r.choice([f for f in ("plain", "struct", "union", "unaligned") if f in self.features] or ["plain"])
        return self.access(flavour)

    # ---- atomics ----

    def atomic(self):
        if not self.atomics or (len(self.atomics) < 3 and self.r.random() < 0.3):
            kind, name = self.r.choice(list(TYPES)), self.fresh("a")
            self.globals.append(f"static _Atomic {kind} {name};")
            self.final.append(f"mix({name});")
            self.atomics.append((name, kind))
        return self.r.choice(self.atomics)

    def order(self, orders):
        order = self.r.choice(orders) if self.r.random() < 0.7 else "seq_cst"
        if order != "seq_cst":
            self.ordered_only = False
        return "memory_order_" + order

    def op_atomic(self, t):
        r, k = self.r, self.constant()
        name, kind = self.atomic()
        what = r.choice(("load", "store", "add", "sub", "or", "xor", "and", "exchange", "cas", "cas_weak"))
        if what == "load":
            return f"acc = acc * 31 + atomic_load_explicit(&{name}, {self.order(LOAD_ORDERS)});"
        if what == "store":
            return f"atomic_store_explicit(&{name}, ({kind}){k}, {self.order(STORE_ORDERS)});"
        if what == "exchange":
            return f"acc = acc * 31 + atomic_exchange_explicit(&{name}, ({kind}){k}, {self.order(ORDERS)});"
        if what.startswith("cas"):
            # weak ones may fail for no reason natively, not on this machine
            kind_of = "strong" if what == "cas" else "weak"
            success = self.order(ORDERS)
            fail = self.order(LOAD_ORDERS) if success.endswith("seq_cst") else "memory_order_relaxed"
            return (f"{{ {kind} old = ({kind}){r.choice((0, k))}; acc += atomic_compare_exchange_{kind_of}_explicit(&{name}, "
                    f"&old, ({kind}){k + 1}, {success}, {fail}); acc = acc * 31 + old; }}")
        return f"acc = acc * 31 + atomic_fetch_{what}_explicit(&{name}, ({kind}){k}, {self.order(ORDERS)});"

    def op_fence(self, t):
        self.ordered_only = False
        name, kind = self.atomic()
        order = self.r.choice(("acquire", "release", "acq_rel", "seq_cst"))
        return (f"atomic_store_explicit(&{name}, ({kind})1, memory_order_relaxed); "
                f"atomic_thread_fence(memory_order_{order}); acc += {name};")

    # ---- heap ----

    def op_heap(self, t):
        r, size = self.r, self.r.choice((1, 3, 8, 16, 24, 100, 500, 5000))
        call = r.choice((f"malloc({size})", f"calloc(1, {size})", f"aligned_alloc(64, {(size + 63) // 64 * 64})"))
        return (f"{{ u8 *p = {call}; memset(p, {r.randint(0, 255)}, {size}); p[{size - 1}] += 3; "
                f"acc = acc * 31 + p[{r.randrange(size)}]; free(p); }}")

    def op_realloc(self, t):
        a, b = self.r.randint(1, 64), self.r.randint(1, 600)
        return (f"{{ u8 *p = malloc({a}); memset(p, 7, {a}); u8 *q = realloc(p, {b}); "
                f"acc = acc * 31 + q[{min(a, b) - 1}]; free(q); }}")

    def op_publish(self, t):
        self.once("publish", "static u32 *_Atomic slot;")
        self.once("publish-end", "{ u32 *p = atomic_load(&slot); if (p) mix(*p); free(p); }", where=self.teardown)
        return self.r.choice((
            "{ u32 *p = malloc(sizeof *p); *p = %d; u32 *old = atomic_exchange(&slot, p); if (old) { acc += *old; "
            "free(old); } }" % self.constant(),
            "{ u32 *mine = atomic_exchange(&slot, NULL); if (mine) { acc = acc * 31 + *mine; free(mine); } }"))

    def op_refcount(self, t):
        """An object with a mutex in it; the last user destroys and frees it. main holds one reference to the end."""
        self.once("counted", "static struct counted { pthread_mutex_t m; _Atomic int users; u32 value; } *counted;",
                  "static void give_up(struct counted *c) { if (atomic_fetch_sub(&c->users, 1) == 1) "
                  "{ pthread_mutex_destroy(&c->m); free(c); } }")
        self.once("counted-make", "counted = malloc(sizeof *counted); pthread_mutex_init(&counted->m, NULL); "
                                  "atomic_init(&counted->users, 1); counted->value = 1;", where=self.setup)
        self.once("counted-end", "mix(counted->value); give_up(counted);", where=self.teardown)
        return ("{ struct counted *c = counted; atomic_fetch_add(&c->users, 1); pthread_mutex_lock(&c->m); "
                f"c->value = c->value * 3 + {self.r.randint(0, 9)}; pthread_mutex_unlock(&c->m); give_up(c); }}")

    def op_queue(self, t):
        """A list of blocks behind a mutex: filled here, emptied there."""
        self.once("queue", "static struct node { struct node *next; u32 value; } *head;",
                  "static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;")
        self.once("queue-end", "while (head) { struct node *n = head; head = n->next; mix(n->value); free(n); }",
                  where=self.teardown)
        if self.r.random() < 0.6:
            return ("{ struct node *n = malloc(sizeof *n); n->value = %d; pthread_mutex_lock(&queue_mutex); n->next = head; "
                    "head = n; pthread_mutex_unlock(&queue_mutex); }" % self.constant())
        return ("{ pthread_mutex_lock(&queue_mutex); struct node *n = head; if (n) head = n->next; "
                "pthread_mutex_unlock(&queue_mutex); if (n) { acc = acc * 31 + n->value; free(n); } else acc++; }")

    def op_errno(self, t):
        k = self.r.randint(1, 99)
        return f"errno = {k}; sched_yield(); acc = acc * 31 + (u64)errno; if (close(-1)) acc += (u64)(errno == EBADF);"

    def op_fenv(self, t):
        self.once("third", "static __attribute__((noinline)) u64 third(void) { volatile double a = 1, b = 3; "
                           "volatile double c = a / b; u64 bits; memcpy(&bits, (void *)&c, 8); return bits; }")
        mode = self.r.choice(("FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"))
        return (f"fesetround({mode}); sched_yield(); acc = acc * 31 + third(); fesetround(FE_TONEAREST); sched_yield(); "
                "acc = acc * 31 + third();")

    def op_environ(self, t):
        if not hasattr(self, "environ_lock"):
            self.environ_lock = self.some_lock()
        body = self.r.choice((f'setenv("HEDDLE_WORD", "{self.r.randint(0, 999)}", 1);',
                              'acc = acc * 31 + (getenv("HEDDLE_WORD") ? (u64)atoi(getenv("HEDDLE_WORD")) : 5000);',
                              'unsetenv("HEDDLE_WORD");'))
        return self.guarded(self.environ_lock, body)

    def op_tmpfile(self, t):
        return ('{ FILE *f = tmpfile(); int v = 0; if (f) { fprintf(f, "%d", 77); rewind(f); if (fscanf(f, "%d", &v) == 1) '
                'acc += (u64)v; fclose(f); } }')

    def op_memfd(self, t):
        return ('{ int f = memfd_create("x", 0); u8 b[4] = "abc"; if (write(f, b, 3) == 3 && pread(f, b, 2, 1) == 2) '
                'acc = acc * 31 + b[0] + (u64)lseek(f, 0, SEEK_END); close(f); }')

    def op_big(self, t):
        n = self.r.choice((50_000, 200_000, 1_000_000))
        if self.r.random() < 0.5:
            return f"{{ u8 *p = malloc({n}); for (int i = 0; i < {n}; i += 4000) p[i] = 3; acc += p[{n // 4000 * 4000 - 4000}]; free(p); }}"
        return f"{{ volatile u8 room[{n // 10}]; for (int i = 0; i < {n // 10}; i += 1000) room[i] = (u8)acc; acc += room[1000]; }}"

    def op_nested_jump(self, t):
        """Out of two functions at once, with a lock held that is given back where the jump ends."""
        self.once("deep", "static __thread jmp_buf deep_buffer;",
                  "static __attribute__((noinline)) void deepest(u32 n) { if (n > 2) longjmp(deep_buffer, (int)n); }",
                  "static __attribute__((noinline)) void deep(u32 n) { deepest(n); deepest(n + 1); }",
                  "static pthread_mutex_t deep_mutex = PTHREAD_MUTEX_INITIALIZER;", "static u32 jumps;")
        self.once("deep-sum", "mix(jumps);", where=self.final)
        return ("{ int n = setjmp(deep_buffer); if (!n) { pthread_mutex_lock(&deep_mutex); jumps++; deep(%d); } "
                "jumps += (u32)n; pthread_mutex_unlock(&deep_mutex); }" % self.r.randint(0, 4))

    def op_tsd_heap(self, t):
        self.once("owned", "static pthread_key_t owned;", "static _Atomic u32 owned_freed;",
                  "static void drop(void *p) { owned_freed += *(u32 *)p; free(p); }")
        self.once("owned-init", "pthread_key_create(&owned, drop);", where=self.setup)
        self.once("owned-sum", "mix(owned_freed);", where=self.final)
        return ("{ u32 *p = pthread_getspecific(owned); if (!p) { p = malloc(4); *p = 1; pthread_setspecific(owned, p); } "
                "*p += 2; acc = acc * 31 + *p; }")

    def op_attributes(self, t):
        if t.kind in ("child", "main") or getattr(self, "children", 0) >= 2:
            return None
        self.children = getattr(self, "children", 0) + 1
        name, size = self.fresh("roomy"), self.r.choice((64, 256, 1024)) * 1024
        self.functions.append(f"static void *{name}(void *arg)\n{{\n  volatile u8 room[{size // 2}];\n"
                              f"  room[0] = (u8)(uintptr_t)arg;\n  room[{size // 2 - 1}] = 1;\n"
                              f"  return (void *)(uintptr_t)(room[0] + room[{size // 2 - 1}]);\n}}\n")
        return (f"{{ pthread_t c; void *got; pthread_attr_t at; pthread_attr_init(&at); pthread_attr_setstacksize(&at, {size}); "
                f"pthread_create(&c, &at, {name}, (void *)7); pthread_attr_destroy(&at); pthread_join(c, &got); "
                "acc += (uintptr_t)got; }")

    def op_rdlock_twice(self, t):
        self.once("rd", "static pthread_rwlock_t reads = PTHREAD_RWLOCK_INITIALIZER;", "static u32 read_var;")
        self.once("rd-sum", "mix(read_var);", where=self.final)
        return self.r.choice((
            "pthread_rwlock_rdlock(&reads); pthread_rwlock_rdlock(&reads); acc = acc * 31 + read_var; "
            "pthread_rwlock_unlock(&reads); acc += read_var; pthread_rwlock_unlock(&reads);",
            "if (pthread_rwlock_trywrlock(&reads) == 0) { read_var++; pthread_rwlock_unlock(&reads); }",
            "pthread_rwlock_wrlock(&reads); read_var += 2; pthread_rwlock_unlock(&reads);"))

    def op_addresses(self, t):
        return 'printf("%p %p %lx\\n", (void *)&acc, (void *)result, (unsigned long)pthread_self());' + (
            ' { void *p = malloc(40); printf("%p\\n", p); free(p); }' if self.r.random() < 0.5 else "")

    def op_alloca(self, t):
        n = self.r.randint(1, 2000)
        return f"{{ volatile u8 room[{n}]; for (int i = 0; i < {n}; i += 16) room[i] = (u8)acc; acc += room[{(n - 1) // 16 * 16}]; }}"

    def op_mmap(self, t):
        return ("{ u64 *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); p[5] += 9; "
                "acc = acc * 31 + p[5] + p[1000]; munmap(p, 8192); }")

    # ---- locks ----

    def op_mutex(self, t):
        return self.access("plain")

    op_recursive = op_errorcheck = op_rwlock = op_spin = op_semlock = op_futexlock = op_atomic_spin = op_mutex

    def op_robust(self, t):
        if self.r.random() < 0.3 and t.kind == "plain" and not t.ops and "barrier" not in self.features:
            # its holder ends: the next one is told
            robust = [l for l in self.locks if l.kind == "robust"]
            if robust and not getattr(self, "dying", False):
                self.dying = True
                return f"LAST pthread_mutex_lock(&{robust[0].name});"
        return self.access("plain")

    def op_nested_locks(self, t):
        while len(self.locks) < 2:
            self.new_lock()
        first, second = sorted(self.r.sample(range(len(self.locks)), 2))
        places = [(v, g) for f in ("plain",) for v, g in self.lvalues(f)]
        a, b = self.locks[first], self.locks[second]
        inner = self.touch_of(b, places)
        return self.guarded(a, self.touch_of(a, places) + " " + self.guarded(b, inner))

    def touch_of(self, lock, places):
        mine = [v for v, g in places if g is lock]
        return self.touch(self.r.choice(mine)) if mine else "acc++;"

    # ---- semaphores ----

    def sem(self):
        self.once("sem", "static sem_t sem;")
        self.once("sem-init", f"sem_init(&sem, 0, {self.r.randint(0, 2)});", where=self.setup)
        self.once("sem-end", "{ int v; sem_getvalue(&sem, &v); mix((u64)v); sem_destroy(&sem); }", where=self.teardown)

    def need(self, t, release):
        """main does it before it joins, once for each wait."""
        self.release.append((t, len(t.ops), release))

    def can_wait(self, t):
        """main releases the others' waits, so it must not wait itself, unless anything goes."""
        return t.kind != "main" or self.wild

    def op_semaphore(self, t):
        self.sem()
        what = self.r.choice(("post", "post", "wait", "try", "timed", "value"))
        if what == "post":
            return "sem_post(&sem);"
        if what == "wait" and self.can_wait(t):
            self.need(t, "sem_post(&sem);")
            return "while (sem_wait(&sem)) { }"
        if what == "try":  # what is taken is given back: others count on it
            return "if (sem_trywait(&sem) == 0) { acc++; sem_post(&sem); }"
        if what == "timed":
            return ("{ struct timespec at = soon(CLOCK_REALTIME); if (sem_timedwait(&sem, &at) == 0) "
                    "{ acc++; sem_post(&sem); } }")
        return "{ int v; sem_getvalue(&sem, &v); acc = acc * 31 + (u64)v; }"

    def op_named_sem(self, t):
        name = f"/heddle-generated-{self.seed}"
        self.once("named", "static sem_t *named;")
        self.once("named-init", f'sem_unlink("{name}"); named = sem_open("{name}", O_CREAT | O_EXCL, 0600, 1);',
                  where=self.setup)
        self.once("named-end", f'sem_close(named); sem_unlink("{name}");', where=self.teardown)
        self.once("named-var", "static u32 behind_named;")
        self.once("named-sum", "mix(behind_named);", where=self.final)
        return "while (sem_wait(named)) { } behind_named = behind_named * 3 + 1; sem_post(named);"

    # ---- condition variables ----

    def condition(self):
        self.once("cond", "static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;",
                  "static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;", "static u32 tickets;")
        self.once("cond-sum", "mix(tickets);", where=self.final)

    def op_cond(self, t):
        self.condition()
        if self.r.random() < 0.5 or not self.can_wait(t):
            call = self.r.choice(("signal", "broadcast"))
            if self.r.random() < 0.3:
                return f"pthread_mutex_lock(&cond_mutex); tickets++; pthread_mutex_unlock(&cond_mutex); pthread_cond_{call}(&cond);"
            return f"pthread_mutex_lock(&cond_mutex); tickets++; pthread_cond_{call}(&cond); pthread_mutex_unlock(&cond_mutex);"
        self.need(t, "pthread_mutex_lock(&cond_mutex); tickets++; pthread_cond_signal(&cond); "
                     "pthread_mutex_unlock(&cond_mutex);")
        return ("pthread_mutex_lock(&cond_mutex); while (!tickets) pthread_cond_wait(&cond, &cond_mutex); tickets--; "
                "acc = acc * 31 + tickets; pthread_mutex_unlock(&cond_mutex);")

    def op_timedcond(self, t):
        self.condition()
        return ("{ struct timespec at = soon(CLOCK_REALTIME); int e = 0; pthread_mutex_lock(&cond_mutex); "
                "while (!tickets && !e) e = pthread_cond_timedwait(&cond, &cond_mutex, &at); "
                "acc = acc * 2 + (tickets > 0); pthread_mutex_unlock(&cond_mutex); }")

    # ---- barrier, once, thread-specific data ----

    def op_barrier(self, t):
        if t.kind != "plain" or self.cancellable(t):
            return None
        return "BARRIER"

    def op_once(self, t):
        self.once("once", "static pthread_once_t once = PTHREAD_ONCE_INIT;", "static u32 made;",
                  "static void make(void) { made = made * 2 + 1; }")
        self.once("once-sum", "mix(made);", where=self.final)
        return "pthread_once(&once, make); acc += made;"

    def op_tsd(self, t):
        self.once("tsd", "static pthread_key_t key;", "static _Atomic u32 destroyed;",
                  "static void destroy(void *value) { destroyed += (u32)(uintptr_t)value; "
                  "if ((uintptr_t)value == 3) pthread_setspecific(key, (void *)4); }")
        self.once("tsd-init", "pthread_key_create(&key, destroy);", where=self.setup)
        self.once("tsd-sum", "mix(destroyed);", where=self.final)
        return (f"acc += (uintptr_t)pthread_getspecific(key); pthread_setspecific(key, (void *){self.r.randint(1, 5)});")

    def op_tls(self, t):
        self.once("tls", "static __thread u32 mine = 3;", "static _Thread_local u8 mine_too[9];")
        return f"mine += {self.constant()}; mine_too[mine % 9]++; acc = acc * 31 + mine + mine_too[{self.r.randrange(9)}];"

    # ---- time, ids, output ----

    def op_yield(self, t):
        return self.r.choice(("sched_yield();", "thrd_yield();"))

    def op_sleep(self, t):
        return self.r.choice((f"usleep({self.r.randint(0, 300)});",
                              "{ struct timespec d = {0, 1000}; nanosleep(&d, NULL); }",
                              "{ struct timespec at = soon(CLOCK_MONOTONIC); clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL); }"))

    def op_clock(self, t):
        return self.r.choice((
            '{ struct timespec n; clock_gettime(CLOCK_MONOTONIC, &n); printf("t %ld.%09ld\\n", (long)n.tv_sec, n.tv_nsec); }',
            'printf("time %ld\\n", (long)time(NULL));',
            "{ struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); clock_gettime(CLOCK_MONOTONIC, &b); "
            "acc += (a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec)); }",
            'printf("clock %ld\\n", (long)clock());'))

    def op_printf(self, t):
        return self.r.choice((f'printf("{t.name} %llx\\n", (unsigned long long)acc);', f'puts("{t.name}");',
                              f"putchar('{t.name[-1]}');", f'fputs("{t.name}\\n", stdout); fflush(stdout);'))

    def op_write(self, t):
        return f'acc += (u64)write(1, "{t.name}!\\n", {len(t.name) + 2});'

    def op_stderr(self, t):
        return f'fprintf(stderr, "{t.name} err %d\\n", (int)(acc & 7));'

    def op_ids(self, t):
        return self.r.choice(('printf("pid %d %d\\n", (int)getpid(), (int)getppid());',
                              'printf("tid %d\\n", (int)syscall(SYS_gettid));',
                              'printf("self %d\\n", pthread_equal(pthread_self(), pthread_self()));'))

    def op_random(self, t):
        return self.r.choice(('{ u32 v; if (getrandom(&v, sizeof v, 0) == sizeof v) printf("random %x\\n", v); }',
                              'printf("rand %d\\n", rand());',
                              '{ unsigned s = 5; acc = acc * 31 + (u64)rand_r(&s); }',
                              '{ int f = open("/dev/urandom", O_RDONLY); u32 v = 0; if (read(f, &v, 4) == 4) '
                              'printf("urandom %x\\n", v); close(f); }'))

    def op_names(self, t):
        return (f'{{ char n[16]; pthread_setname_np(pthread_self(), "{t.name}"); '
                'pthread_getname_np(pthread_self(), n, sizeof n); acc += (u8)n[1]; }')

    def op_stdio_file(self, t):
        return ('{ char *text = NULL; size_t n = 0; FILE *f = open_memstream(&text, &n); fprintf(f, "%d-%s", 42, "x"); '
                'fclose(f); acc = acc * 31 + n + (u8)text[1]; free(text); }')

    def op_sort(self, t):
        self.once("sort", "static int smaller(const void *a, const void *b) { return *(const u8 *)a - *(const u8 *)b; }")
        return '{ u8 v[] = "scheduler"; qsort(v, 9, 1, smaller); acc = acc * 31 + v[0] + v[8]; }'

    # ---- futex ----

    def futex_helpers(self):
        self.once("futex", FUTEX_HELPERS)

    def op_futex(self, t):
        self.futex_helpers()
        self.once("gate", "static _Atomic u32 gate;")
        if self.r.random() < 0.5 or not self.can_wait(t):
            return f"atomic_store(&gate, 1); acc += futex(&gate, FUTEX_WAKE{self.r.choice(('', '_PRIVATE'))}, {self.r.choice((1, 'INT_MAX'))}, NULL) >= 0;"
        self.need(t, "atomic_store(&gate, 1); futex(&gate, FUTEX_WAKE, INT_MAX, NULL);")
        if self.r.random() < 0.3:
            return ("{ struct timespec d = {0, 100000}; if (!atomic_load(&gate)) acc += futex(&gate, FUTEX_WAIT, 0, &d) == 0; }")
        return "while (!atomic_load(&gate)) futex(&gate, FUTEX_WAIT, 0, NULL); acc++;"

    # ---- jumps and signals ----

    def op_setjmp(self, t):
        name, kind = self.atomic()
        return (f"{{ jmp_buf b; volatile int n = 0; if (setjmp(b) < 2) {{ n++; atomic_fetch_add(&{name}, 1); "
                f"longjmp(b, n); }} acc += (u64)n; }}")

    def handlers(self):
        self.once("handler", "static _Atomic u32 handled;",
                  "static __thread volatile sig_atomic_t in_handler;",
                  "static void handle(int number) { handled += (u32)number; in_handler++; }")
        self.once("handler-set", "signal(SIGUSR1, handle); { struct sigaction a; memset(&a, 0, sizeof a); "
                                 "a.sa_handler = handle; sigaction(SIGUSR2, &a, NULL); }", where=self.setup)
        self.once("handler-sum", "mix(handled);", where=self.final)

    def op_raise(self, t):
        self.handlers()
        return self.r.choice(("raise(SIGUSR1); acc += (u64)in_handler;", "raise(SIGUSR2);",
                              "pthread_kill(pthread_self(), SIGUSR1); acc += handled > 0;", "kill(getpid(), 0);"))

    def op_kill_main(self, t):
        self.handlers()
        if "main_pthread_exit" in self.features or t.kind == "detached":
            return None
        self.once("main-id", "static pthread_t main_thread;")
        self.once("main-id-set", "main_thread = pthread_self();", where=self.setup)
        return "pthread_kill(main_thread, SIGUSR1);"

    def op_kill_thread(self, t):
        return "raise(0);" if t.kind != "main" else "KILL"

    def op_sigmask(self, t):
        self.handlers()
        return ("{ sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); pthread_sigmask(SIG_BLOCK, &s, NULL); "
                "raise(SIGUSR1); acc = acc * 3 + handled; pthread_sigmask(SIG_UNBLOCK, &s, NULL); acc += (u64)in_handler; }")

    def op_sem_handler(self, t):
        """A handler that posts: the thread it interrupts may be the one that waits. Each has a semaphore of its own."""
        self.once("poster", "static sem_t posted[16];", "static __thread u32 number;", "static _Atomic u32 interruptible[16];",
                  "static void post(int signal) { (void)signal; sem_post(&posted[number]); }")
        self.once("poster-init", "{ struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = post; a.sa_flags = SA_RESTART; "
                                 "sigaction(SIGWINCH, &a, NULL); }", where=self.setup)
        wait = f"while (sem_wait(&posted[{t.index}])) {{ }}"
        if t.kind == "child":
            return None
        if t.kind == "plain" and not hasattr(t, "awaits_signal") and self.r.random() < 0.5:
            t.awaits_signal = len(t.ops)  # one only: signals of a kind that are pending count once
            return f"number = {t.index}; interruptible[{t.index}] = 1; {wait}"
        return f"number = {t.index}; raise(SIGWINCH); {wait}"

    def interruptions(self):
        """main sends each its signal when it is ready for it, in whatever order they come to that."""
        waiting = [t.index for t in self.workers
                   if hasattr(t, "awaits_signal") and not self.left_out(t, t.awaits_signal)]
        if not waiting:
            return []
        tests = " ".join(f"if (!(sent & {1 << k}) && interruptible[{k}]) {{ sent |= {1 << k}; "
                         f"pthread_kill(thread[{k}], SIGWINCH); }}" for k in waiting)
        return [f"  for (u32 sent = 0; sent != {sum(1 << k for k in waiting)}; sched_yield()) {{ {tests} }}"]

    def op_sigwait(self, t):
        """The signal is blocked everywhere; one wait for each thread, main sends."""
        self.once("sigwait-set", "static sigset_t awaited;")
        self.once("sigwait-block", "sigemptyset(&awaited); sigaddset(&awaited, SIGRTMIN); "
                                   "pthread_sigmask(SIG_BLOCK, &awaited, NULL);", where=self.setup)
        if t.kind != "plain" or hasattr(t, "waits_signal"):
            return None
        t.waits_signal = True
        self.need(t, f"pthread_kill(thread[{t.index}], SIGRTMIN);")
        return "{ int n = 0; sigwait(&awaited, &n); acc = acc * 31 + (u64)(n == SIGRTMIN); }"

    def op_sigsuspend(self, t):
        self.once("suspend", "static sigset_t suspended;", "static __thread volatile sig_atomic_t resumed;",
                  "static void resume(int number) { (void)number; resumed++; }")
        self.once("suspend-block", "sigemptyset(&suspended); sigaddset(&suspended, SIGPROF); "
                                   "pthread_sigmask(SIG_BLOCK, &suspended, NULL); signal(SIGPROF, resume);", where=self.setup)
        if t.kind != "plain" or hasattr(t, "suspends"):
            return None
        t.suspends = True
        self.need(t, f"pthread_kill(thread[{t.index}], SIGPROF);")
        return ("{ sigset_t open; pthread_sigmask(SIG_SETMASK, NULL, &open); sigdelset(&open, SIGPROF); "
                "while (!resumed) sigsuspend(&open); acc += (u64)resumed; }")

    def op_siglongjmp(self, t):
        self.once("jumper", "static __thread sigjmp_buf jump_buffer;",
                  "static void jump(int number) { siglongjmp(jump_buffer, number); }")
        self.once("jumper-set", "signal(SIGALRM, jump);", where=self.setup)
        return "{ volatile int n = sigsetjmp(jump_buffer, 1); if (!n) raise(SIGALRM); acc = acc * 31 + (u64)n; }"

    # ---- descriptors ----

    def channel(self, kind):
        make = {"pipe": "pipe(ends)", "socketpair": "socketpair(AF_UNIX, SOCK_STREAM, 0, ends)"}[kind]
        self.once("ends", "static int ends[2];")
        self.once("ends-make", f"if ({make}) return 9;", where=self.setup)

    def op_pipe(self, t):
        return self.transfer(t, "pipe")

    def op_socketpair(self, t):
        return self.transfer(t, "socketpair")

    def transfer(self, t, kind):
        self.channel(kind)
        if self.r.random() < 0.5 or not self.can_wait(t):
            return f'{{ u8 b = {self.r.randint(1, 255)}; acc += (u64)write(ends[1], &b, 1); }}'
        self.need(t, "{ u8 b = 1; if (write(ends[1], &b, 1) != 1) abort(); }")
        return "{ u8 b = 0; while (read(ends[0], &b, 1) != 1) { } acc = acc * 31 + b; }"

    def op_poll(self, t):
        self.channel("pipe")
        return ("{ struct pollfd p = {.fd = ends[0], .events = POLLIN}; acc = acc * 3 + (u64)poll(&p, 1, %d); }"
                % self.r.choice((0, 1)))

    def op_eventfd(self, t):
        self.once("event", "static int event;")
        self.once("event-make", "event = eventfd(0, EFD_SEMAPHORE);", where=self.setup)
        if self.r.random() < 0.5 or not self.can_wait(t):
            return "{ u64 v = 1; acc += (u64)write(event, &v, 8); }"
        self.need(t, "{ u64 v = 1; if (write(event, &v, 8) != 8) abort(); }")
        return "{ u64 v = 0; while (read(event, &v, 8) != 8) { } acc += v; }"

    # ---- strings ----

    def op_strings(self, t):
        if not hasattr(self, "text_lock"):
            self.text_lock = self.some_lock()
            self.globals.append("static char text[64] = \"start\";")
            self.final.append("for (int i = 0; i < 64; i++) mix((u8)text[i]);")
        k = self.r.randint(0, 9)
        body = self.r.choice((f'strcpy(text, "word{k}");', f'memcpy(text + {k}, "abcdefgh", 8);',
                              f"memset(text + {k}, 'z', {self.r.randint(1, 20)});", "acc = acc * 31 + strlen(text);",
                              f'acc += (u64)(strcmp(text, "word{k}") == 0);',
                              'if (strlen(text) < 40) strcat(text, "+more");', f'snprintf(text, 64, "n%dm", {k});',
                              f"memmove(text + 3, text, {10 + k});", "acc = acc * 31 + (strchr(text, 'r') != NULL);",
                              "{ char copy[64]; memcpy(copy, text, 64); acc = acc * 31 + (u8)copy[5]; }",
                              "{ char *copy = strdup(text); acc = acc * 31 + (u8)copy[0]; free(copy); }"))
        if self.wild and "string_race" in self.features and self.r.random() < 0.6:
            self.ordered_only = False
            return body.replace('if (strlen(text) < 40) strcat(text, "+more");', 'text[63] = 0; acc += strlen(text);')
        return self.guarded(self.text_lock, body)

    op_string_race = op_strings

    # ---- threads ----

    def op_child(self, t):
        """A thread started and joined here."""
        if t.kind in ("child", "main") or getattr(self, "children", 0) >= 2:
            return None
        self.children = getattr(self, "children", 0) + 1
        name = self.fresh("child")
        child = Thread(name, 0)
        child.kind = "child"
        body = []
        for _ in range(self.r.randint(1, 3)):
            op = self.pick_op(child, self.simple_features())
            if op:
                body.append(op)
        shared = self.r.random() < 0.4
        self.functions.append(f"static void *{name}(void *arg)\n{{\n  u64 acc = {self.constant()};\n  " +
                              ("(*(u32 *)arg)++;\n  " if shared else "(void)arg;\n  ") + "\n  ".join(body) +
                              "\n  return (void *)(uintptr_t)(acc & 0xffffff);\n}\n")
        arg = "&local" if shared else "NULL"
        return (f"{{ pthread_t c; void *got; u32 local = 5; pthread_create(&c, NULL, {name}, {arg}); "
                f"{'' if shared else 'local++;'} pthread_join(c, &got); acc = acc * 31 + (uintptr_t)got + local; }}")

    def op_tryjoin(self, t):
        name = self.fresh("quick")
        if t.kind in ("child", "main") or getattr(self, "children", 0) >= 2:
            return None
        self.children = getattr(self, "children", 0) + 1
        self.functions.append(f"static void *{name}(void *arg)\n{{\n  return arg;\n}}\n")
        return (f"{{ pthread_t c; void *got; pthread_create(&c, NULL, {name}, (void *)9); "
                "while (pthread_tryjoin_np(c, &got)) sched_yield(); acc += (uintptr_t)got; }")

    def op_c11(self, t):
        if t.kind in ("child", "main") or getattr(self, "children", 0) >= 2 or self.r.random() < 0.5:
            return self.access("plain")
        self.children = getattr(self, "children", 0) + 1
        name = self.fresh("work")
        a, _ = self.atomic()
        self.functions.append(f"static int {name}(void *arg)\n{{\n  atomic_fetch_add(&{a}, 1);\n  return (int)(uintptr_t)arg;\n}}\n")
        return f"{{ thrd_t c; int got = 0; thrd_create(&c, {name}, (void *)7); thrd_join(c, &got); acc += (u64)got; }}"

    def op_detached(self, t):
        if t.kind in ("child", "detached") or getattr(self, "detached", 0) >= 2:
            return None
        self.detached = getattr(self, "detached", 0) + 1
        name = self.fresh("loose")
        self.once("loose", "static sem_t loose_done;")
        self.once("loose-init", "sem_init(&loose_done, 0, 0);", where=self.setup)
        self.late.append((t, len(t.ops), "while (sem_wait(&loose_done)) { }"))
        a, _ = self.atomic()
        by_attr = self.r.random() < 0.5
        self.functions.append(f"static void *{name}(void *arg)\n{{\n  (void)arg;\n  atomic_fetch_add(&{a}, 3);\n  "
                              + ("" if by_attr else "pthread_detach(pthread_self());\n  ")
                              + "sem_post(&loose_done);\n  return NULL;\n}\n")
        if by_attr:
            return (f"{{ pthread_t c; pthread_attr_t at; pthread_attr_init(&at); "
                    f"pthread_attr_setdetachstate(&at, PTHREAD_CREATE_DETACHED); pthread_create(&c, &at, {name}, NULL); "
                    f"pthread_attr_destroy(&at); }}")
        return f"{{ pthread_t c; pthread_create(&c, NULL, {name}, NULL); }}"

    def cancellable(self, t):
        return t.kind == "victim"

    def op_cancel(self, t):
        """A thread of its own that main cancels; the operations of the others go on."""
        if hasattr(self, "victim"):
            return self.op_atomic(t)
        self.victim = True
        a, _ = self.atomic()
        self.globals += ["static pthread_t victim_thread;",
                         f"static void clean_up(void *arg) {{ (void)arg; atomic_fetch_add(&{a}, 100); }}"]
        blocks = self.r.choice((
            "usleep(10);", "pthread_testcancel();", "sem_wait(&never);",
            "pthread_mutex_lock(&victim_mutex); pthread_cleanup_push(give_back, &victim_mutex); "
            "pthread_cond_wait(&victim_cond, &victim_mutex); pthread_cleanup_pop(1);",
            "{ int s; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &s); sched_yield(); pthread_setcancelstate(s, NULL); "
            "pthread_testcancel(); }",
            "{ struct timespec d = {0, 1000}; nanosleep(&d, NULL); }"))
        if "never" in blocks:
            self.once("never", "static sem_t never;")
            self.once("never-init", "sem_init(&never, 0, 0);", where=self.setup)
        if "give_back" in blocks:
            self.globals += ["static pthread_mutex_t victim_mutex = PTHREAD_MUTEX_INITIALIZER;",
                             "static pthread_cond_t victim_cond = PTHREAD_COND_INITIALIZER;",
                             "static void give_back(void *m) { pthread_mutex_unlock(m); }"]
        self.functions.append(
            f"static void *victim(void *arg)\n{{\n  (void)arg;\n  pthread_cleanup_push(clean_up, NULL);\n"
            f"  for (int i = 0; i < 4; i++) {{\n    atomic_fetch_add(&{a}, 1);\n    {blocks}\n  }}\n"
            f"  pthread_cleanup_pop(0);\n  return (void *)5;\n}}\n")
        self.create_victim = "pthread_create(&victim_thread, NULL, victim, NULL);"
        self.cancel_victim = ("pthread_cancel(victim_thread); { void *got; pthread_join(victim_thread, &got); "
                              "mix(got == PTHREAD_CANCELED ? 1 : (uintptr_t)got); }")
        return self.op_atomic(t)

    def op_exit_thread(self, t):
        if t.kind != "plain":
            return None
        self.comparable = False
        name, _ = self.atomic()
        return (f'if (atomic_fetch_add(&{name}, 1) == {self.r.randint(0, 2)}) {{ printf("= early %x\\n", (unsigned)'
                f'atomic_load(&{name})); exit(0); }}')

    def op_pthread_exit(self, t):
        return "LAST pthread_exit((void *)(uintptr_t)(acc & 0xffff));" if t.kind == "plain" else None

    def op_atexit(self, t):
        self.once("leaving", 'static void leaving(void) { puts("leaving"); }')
        return "atexit(leaving);" if t.kind == "main" else self.op_atomic(t)

    def op_main_pthread_exit(self, t):
        return self.op_atomic(t)

    # ---- wild ones ----

    def unguarded(self):
        self.ordered_only = False
        return self.r.choice(self.lvalues(self.r.choice(("plain", "struct"))))[0]

    def op_lost_update(self, t):
        self.ordered_only = False
        self.once("total", "static u32 total;")
        self.once("total-sum", "mix(total);", where=self.final)
        self.totals = getattr(self, "totals", 0) + 1
        return self.r.choice(("total++;", "{ u32 v = total; total = v + 1; }", "total += 1;"))

    def op_assert_final(self, t):
        self.once("tally", "static _Atomic u32 tally;")
        self.once("tally-sum", "assert(tally != %d);" % self.r.randint(1, 6), where=self.final)
        return self.r.choice(("{ u32 v = atomic_load(&tally); atomic_store(&tally, v + 1); }", "tally++;",
                              "if (atomic_load(&tally) == 1) atomic_store(&tally, 4);"))

    def op_assert_thread(self, t):
        name, _ = self.atomic()
        return f"{{ u64 a = {name}; u64 b = {name}; assert(b >= a || a > 1000 || b == {self.constant()}); }}"

    def op_check_then_act(self, t):
        self.once("cell", "static u32 *_Atomic cell;")
        self.once("cell-end", "{ u32 *p = atomic_load(&cell); if (p) mix(*p); free(p); }", where=self.teardown)
        return ("if (!atomic_load(&cell)) { u32 *p = malloc(4); *p = %d; atomic_store(&cell, p); }" % self.constant())

    def two_locks(self):
        while len([l for l in self.locks if l.kind in ("mutex", "adaptive", "mutex_init")]) < 2:
            lock = Lock("mutex", f"lock{len(self.locks)}")
            self.declare_lock(lock)
            self.locks.append(lock)
        two = self.r.sample([l for l in self.locks if l.kind in ("mutex", "adaptive", "mutex_init")], 2)
        return two[0].name, two[1].name

    def op_lock_inversion(self, t):
        a, b = self.two_locks()
        return (f"pthread_mutex_lock(&{a}); acc++; pthread_mutex_lock(&{b}); acc++; pthread_mutex_unlock(&{a}); "
                f"pthread_mutex_unlock(&{b});")

    def op_relock(self, t):
        a, _ = self.two_locks()
        return f"if (pthread_mutex_trylock(&{a}) == 0) {{ if (acc % 3 == 0) pthread_mutex_lock(&{a}); pthread_mutex_unlock(&{a}); }}"

    def op_no_unlock(self, t):
        a, _ = self.two_locks()
        return f"pthread_mutex_lock(&{a}); if (acc % 2) pthread_mutex_unlock(&{a});"

    def op_bad_unlock(self, t):
        a, _ = self.two_locks()
        return f"if (pthread_mutex_trylock(&{a})) acc++; pthread_mutex_unlock(&{a});"

    def op_destroy_early(self, t):
        a, _ = self.two_locks()
        return f"if (acc % 5 == 0) pthread_mutex_destroy(&{a});"

    def op_sem_starve(self, t):
        self.sem()
        return self.r.choice(("while (sem_wait(&sem)) { }", "sem_post(&sem);"))

    def op_lost_wakeup(self, t):
        self.condition()
        return self.r.choice((
            "pthread_mutex_lock(&cond_mutex); pthread_cond_wait(&cond, &cond_mutex); pthread_mutex_unlock(&cond_mutex);",
            "pthread_cond_signal(&cond);", "pthread_cond_broadcast(&cond);",
            "pthread_mutex_lock(&cond_mutex); if (!tickets) pthread_cond_wait(&cond, &cond_mutex); tickets--; "
            "pthread_mutex_unlock(&cond_mutex);",
            "pthread_mutex_lock(&cond_mutex); tickets++; pthread_cond_signal(&cond); pthread_mutex_unlock(&cond_mutex);"))

    def op_cond_two(self, t):
        self.condition()
        a, b = self.two_locks()
        return (f"{{ struct timespec at = soon(CLOCK_REALTIME); pthread_mutex_lock(&{a}); "
                f"acc += pthread_cond_timedwait(&cond, &{a}, &at) == 0; pthread_mutex_unlock(&{a}); }}")

    def op_use_after_free(self, t):
        self.once("shared", "static u32 *shared;", "static _Atomic int shared_users = 2;")
        self.once("shared-make", f"shared = calloc({self.r.randint(1, 9)}, 4);", where=self.setup)
        self.ordered_only = False
        return self.r.choice(("*shared += 3;", "acc += *shared;",
                              "if (atomic_fetch_sub(&shared_users, 1) == 1) free(shared);",
                              "if (atomic_load(&shared_users) > 0) acc += *shared;"))

    def op_double_free(self, t):
        self.once("twice", "static void *_Atomic twice;")
        self.once("twice-make", "twice = malloc(24);", where=self.setup)
        return "{ void *p = atomic_load(&twice); if (p) { free(p); atomic_store(&twice, NULL); } }"

    def op_invalid_free(self, t):
        name, _ = self.atomic()
        return f"{{ u8 *p = malloc(32); free(p + (atomic_load(&{name}) > 100 ? 8 : 0)); atomic_fetch_add(&{name}, 60); }}"

    def op_overflow(self, t):
        name, _ = self.atomic()
        n = self.r.choice((5, 8, 16, 33))
        return f"{{ u8 *p = calloc({n}, 1); p[{n - 1} + (atomic_fetch_add(&{name}, 1) == 2)] = 1; acc += p[0]; free(p); }}"

    def op_leak(self, t):
        name, _ = self.atomic()
        return f"{{ u8 *p = malloc(77); p[0] = 1; if (atomic_fetch_add(&{name}, 1) != 1) free(p); else p = NULL; }}"

    def op_null(self, t):
        self.once("maybe", "static u32 maybe_target = 5;", "static u32 *_Atomic maybe = &maybe_target;")
        return self.r.choice(("atomic_store(&maybe, NULL);", "if (atomic_load(&maybe)) acc += *atomic_load(&maybe);",
                              "atomic_store(&maybe, &maybe_target);"))

    def op_wild_pointer(self, t):
        name, _ = self.atomic()
        return f"if (atomic_fetch_add(&{name}, 1) == 3) *(volatile u32 *)0x{self.r.randrange(16, 4000) * 4096:x} = 1;"

    def op_bad_exit(self, t):
        name, _ = self.atomic()
        return f"if (atomic_fetch_add(&{name}, 1) == 2) exit({self.r.randint(1, 5)});"

    def op_exit_races(self, t):
        name, _ = self.atomic()
        return f"if (atomic_fetch_add(&{name}, 1) == 1) {{ puts(\"= gone\"); _exit(0); }}"

    def op_barrier_short(self, t):
        self.once("narrow", "static pthread_barrier_t narrow;")
        self.once("narrow-init", "pthread_barrier_init(&narrow, NULL, 2);", where=self.setup)
        return "acc += pthread_barrier_wait(&narrow) == PTHREAD_BARRIER_SERIAL_THREAD;"

    def op_join_twice(self, t):
        return "TWICE"

    def op_join_cycle(self, t):
        return "CYCLE"

    def op_abort(self, t):
        name, _ = self.atomic()
        return f"if (atomic_fetch_add(&{name}, 1) == 3) abort();"

    def op_raise_default(self, t):
        name, _ = self.atomic()
        return f"if (atomic_fetch_add(&{name}, 1) == 2) raise({self.r.choice(('SIGTERM', 'SIGCHLD', 'SIGHUP', 'SIGRTMIN'))});"

    def op_livelock(self, t):
        self.once("ready", "static _Atomic int ready;")
        return self.r.choice(("while (!atomic_load(&ready)) sched_yield();", "atomic_store(&ready, 1);",
                              "atomic_fetch_xor(&ready, 1);"))

    def op_mixed_atomic(self, t):
        self.ordered_only = False
        self.once("mixed", "static u32 mixed;")
        self.once("mixed-sum", "mix(mixed);", where=self.final)
        return self.r.choice(("mixed++;", "__atomic_fetch_add(&mixed, 1, __ATOMIC_ACQ_REL);", "acc += mixed;",
                              "__atomic_store_n(&mixed, 9, __ATOMIC_RELEASE);",
                              "acc += __atomic_load_n(&mixed, __ATOMIC_ACQUIRE);",
                              "acc += *(u8 *)&mixed;"))

    def op_dead_stack(self, t):
        """A pointer to a variable of a thread that may be gone."""
        self.ordered_only = self.portable = False  # what lies there now is the compiler's choice
        self.once("gone", "static u32 *_Atomic gone;")
        return self.r.choice(("{ u32 here = 4; atomic_store(&gone, &here); sched_yield(); acc += here; }",
                              "{ u32 *p = atomic_load(&gone); if (p) { *p += 1; } }"))

    def op_uninitialised(self, t):
        self.comparable = False
        return self.r.choice(("{ u8 *p = malloc(48); acc = acc * 31 + p[5] + p[40]; free(p); }",
                              '{ u32 *p = malloc(400); printf("left %x %x\\n", p[3], p[99]); p[3] = 1; free(p); }'))

    def op_stack_garbage(self, t):
        self.portable = False
        n = self.r.choice((64, 1000, 6000, 30000))
        return f"{{ volatile u8 room[{n}]; acc = acc * 31 + room[{self.r.randrange(n)}] + room[{self.r.randrange(n)}]; }}"

    def op_divide(self, t):
        name, _ = self.atomic()
        return f"{{ volatile u32 d = (u32)(5 - atomic_fetch_add(&{name}, 1)) & 7; acc += 100 / d; }}"

    def op_pipe_starve(self, t):
        self.channel("pipe")
        return self.r.choice(("{ u8 b = 2; acc += (u64)write(ends[1], &b, 1); }",
                              "{ u8 b = 0; acc += (u64)read(ends[0], &b, 1); acc += b; }"))

    def op_futex_starve(self, t):
        self.futex_helpers()
        self.once("starved", "static _Atomic u32 starved;")
        return self.r.choice(("futex(&starved, FUTEX_WAIT, 0, NULL);", "starved++; futex(&starved, FUTEX_WAKE, 1, NULL);",
                              "futex(&starved, FUTEX_WAKE, 1, NULL);"))

    # ---- the whole ----

    def simple_features(self):
        simple = ("plain", "struct", "union", "unaligned", "atomic", "heap", "tls", "tsd", "yield", "printf", "publish",
                  "once", "fence", "lost_update", "race")
        return [f for f in self.features if f in simple] or ["atomic"]

    def pick_op(self, t, features=None):
        for _ in range(8):
            feature = self.r.choice(features or self.features)
            op = getattr(self, "op_" + feature)(t)
            if op:
                return op
        return self.op_atomic(t)

    def build(self):
        r = self.r
        count = r.choice((2, 2, 2, 3, 3, 4)) - (1 if r.random() < 0.4 else 0)
        count = max(count, 1)
        self.workers = [Thread(f"t{i}", i) for i in range(count)]
        main = Thread("main", count)
        main.kind = "main"
        for t in self.workers:
            for _ in range(r.randint(3, 12 if count < 3 else 7)):
                t.ops.append(self.pick_op(t))
        for _ in range(r.randint(0, 5)):
            main.ops.append(self.pick_op(main))
        self.main = main
        self.place_special()
        return self.render()

    def place_special(self):
        """Operations that concern several threads are only marked until all threads are known."""
        rounds = max((sum(op == "BARRIER" for op in t.ops) for t in self.workers), default=0)
        if rounds:
            self.globals.append("static pthread_barrier_t barrier;")
            self.setup.append(f"pthread_barrier_init(&barrier, NULL, {len(self.workers)});")
            self.teardown.append("pthread_barrier_destroy(&barrier);")
        wait = "acc = acc * 31 + (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);"
        for t in self.workers:
            have = sum(op == "BARRIER" for op in t.ops)
            t.ops = [wait if op == "BARRIER" else op for op in t.ops] + [wait] * (rounds - have)
        last = None
        for t in self.workers + [self.main]:
            t.ops = [self.resolve(t, op) for op in t.ops]
            last = [op for op in t.ops if op.startswith("LAST ")]
            t.ops = [op for op in t.ops if not op.startswith("LAST ")]
            t.last = last[0][5:] if last and t is not self.main else None

    def resolve(self, t, op):
        if op == "BARRIER":
            return "acc++;"
        other = f"thread[{self.r.randrange(len(self.workers))}]"
        if op == "KILL":
            self.handlers()
            return f"pthread_kill({other}, SIGUSR1);"
        if op == "TWICE":
            return f"pthread_join({other}, NULL);" if t.kind == "main" else "acc++;"
        if op == "CYCLE":
            if t.kind == "main":
                return "acc++;"
            self.once("main-id", "static pthread_t main_thread;")
            self.once("main-id-set", "main_thread = pthread_self();", where=self.setup)
            return "if (acc % 7 == 0) pthread_join(main_thread, NULL); else acc++;"
        return op

    def left_out(self, t, i):
        return f"{t.index}." in self.omit or f"{t.index}.{i}" in self.omit

    def body(self, t):
        lines = []
        for i, op in enumerate(t.ops):
            if not self.left_out(t, i):
                lines.append(f"  /* {t.index}.{i} */ {op}")
        return lines

    def render(self):
        workers = [t for t in self.workers if f"{t.index}." not in self.omit]
        out = [f"/* Generated by tests/generate from seed {self.seed}: {self.kind}, {' '.join(self.features)} */"]
        out.append(PRELUDE.strip("\n"))
        out += [f"static pthread_t thread[{max(len(self.workers), 1)}];"]
        out += self.globals + [""] + self.functions
        for t in self.workers:
            if t not in workers:
                continue
            lines = [f"static void *{t.name}(void *arg)", "{", "  u64 acc = (uintptr_t)arg;", *self.body(t),
                     f"  result[{t.index}] = acc;"]
            lines += [f"  {t.last}"] if t.last else []
            lines += ["  return (void *)(uintptr_t)(acc & 0xffff);", "}", ""]
            out += lines
        lines = ["int main(void)", "{", "  u64 acc = 1;", "  void *got;", "  (void)got;"] + [f"  {s}" for s in self.setup]
        victim = getattr(self, "create_victim", None)
        if victim:
            lines.append(f"  {victim}")
        lines += [f"  pthread_create(&thread[{t.index}], NULL, {t.name}, (void *){t.index + 1});" for t in workers]
        lines += self.body(self.main)
        lines += [f"  {text}" for t, i, text in self.release if not self.left_out(t, i)]
        lines += self.interruptions()
        lines += [f"  {text}" for t, i, text in self.late if not self.left_out(t, i)]
        order = list(workers)
        self.r.shuffle(order)
        for t in order:
            lines.append(f"  pthread_join(thread[{t.index}], &got); mix((uintptr_t)got);")
        if victim:
            lines.append(f"  {self.cancel_victim}")
        lines.append(f"  result[{self.main.index}] = acc;")
        lines += [f"  {s}" for s in self.final]
        lines += [f"  {s}" for s in self.teardown]
        lines.append("  for (int i = 0; i < 16; i++) mix(result[i]);")
        lines.append('  printf("= %016llx\\n", (unsigned long long)checksum);')
        if "main_pthread_exit" in self.features:
            lines.append("  pthread_exit(NULL);")
        lines += ["  return 0;", "}"]
        return "\n".join(out + lines) + "\n"


FUTEX_HELPERS = """static long futex(_Atomic u32 *word, int operation, u32 value, const struct timespec *timeout)
{
  return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}"""

FUTEX_LOCK = """static void futex_lock(_Atomic u32 *word)
{
  u32 seen = 0;
  if (atomic_compare_exchange_strong(word, &seen, 1))
    return;
  while (atomic_exchange(word, 2))
    futex(word, FUTEX_WAIT_PRIVATE, 2, NULL);
}
static void futex_unlock(_Atomic u32 *word)
{
  if (atomic_exchange(word, 0) == 2)
    futex(word, FUTEX_WAKE_PRIVATE, 1, NULL);
}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", nargs="?", default="1")
    parser.add_argument("--kind", choices=("clean", "wild"))
    parser.add_argument("--features", help="instead of some drawn by the seed")
    parser.add_argument("--omit", default="", help="operations to leave out, as 0.3,1.")
    parser.add_argument("--list", action="store_true", help="the features there are")
    o = parser.parse_args()
    if o.list:
        print("clean and wild:", *FEATURES)
        print("wild:", *WILD_FEATURES)
        return
    program = Generator(o.seed, o.kind, o.features.split(",") if o.features else None,
                        [x for x in o.omit.split(",") if x])
    print(program.text, end="")


if __name__ == "__main__":
    main()
