/* SPDX-License-Identifier: Apache-2.0
 *
 * One program that is many: it interprets the little program given as its argument, so that thousands of them can be
 * explored without compiling each. Made by tests/generate/orders.py; by hand, for example
 *
 *     orders 'm:n ; ; lock:0 w:0,1 unlock:0 ; lock:0 r:0 unlock:0'
 *
 * Sections are divided by ';'. The first sets up objects, the second is what main does between creating the threads and
 * joining them, each further one is a thread. A step is a name and numbers, as in the list STEPS below. A thread that
 * some step spawns is not created by main. Set-up: m:nreb the kind of each mutex (normal, recursive, errorcheck,
 * robust), l:dw of each read-write lock (default, writers first), s:01 values of semaphores, b:23 parties of barriers;
 * o:sr is for heddle (--spurious, report races), not for us; p:1 main reads shared memory at the end, so that it is
 * seen there.
 *
 * Each thread has an accumulator on its own stack: what it reads goes in, what it writes comes from it, so final states
 * tell orders apart. Mostly well-formed by construction: only who holds a lock unlocks it, and a thread that ends lets
 * go of all it holds unless it was told to `keep`. At the end main prints all shared state and all accumulators.
 *
 * The interpreter is compiled without instrumentation (MACHINE), so it adds no memory accesses to those of the program
 * it runs: these are the functions below marked SHARED.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <heddle.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MACHINE __attribute__((no_sanitize_thread, noinline, section(".text.heddle_unseen"))) static
#define SHARED __attribute__((noinline)) static

enum { THREADS = 8, STEPS_MAX = 64, OBJECTS = 4, WORDS = 6 };

/*  X(name, numbers) */
#define STEPS(X)                                                                                                       \
  /* plain memory: x[A] */                                                                                             \
  X(r, 1)                                                                                                              \
  X(w, 2)                                                                                                              \
  X(add, 2) /* sixteen bytes, used in parts of all sizes: byte, short, int, long A; u: four bytes across two words; m: \
               all */                                                                                                  \
  X(rb, 1)                                                                                                             \
  X(wb, 1)                                                                                                             \
  X(rs, 1)                                                                                                             \
  X(ws, 1) X(ri, 1) X(wi, 1) X(rl, 1) X(wl, 1) X(ru, 0) X(wu, 0) X(rm, 0) X(fill, 2) X(ab, 1) X(                       \
      ai,                                                                                                              \
      1) /* atomics: load, store, add, exchange, compare and exchange; relaxed ones, of add and or without a result */ \
      X(ld, 1) X(st, 2) X(fa, 2) X(xc, 2) X(cas, 3) X(ldx, 1) X(stx, 2) X(addx, 2) X(orx, 2) X(await, 2) X(awaity, 2)  \
          X(awaitn, 3) X(awaite, 2) X(casl, 2) X(casa, 3) X(tryl, 1) X(stryl, 1) X(twaitfor, 4) X(lock, 1) X(try, 1)   \
              X(timed, 1) X(unlock, 1) X(unlockx, 1) /* condition variable A with mutex B; waitfor: until x[C] is D */ \
      X(wait, 2) X(twait, 2) X(waitfor, 4) X(signal, 1) X(bcast, 1) X(sw, 1) X(stry, 1) X(stimed, 1) X(post, 1)        \
          X(sget, 1) X(rd, 1) X(wr, 1) X(tryrd, 1) X(trywr, 1) X(timedrd, 1) X(timedwr, 1) X(rwun, 1) X(spin, 1)       \
              X(spintry, 1) X(spinun, 1) X(bar, 1) X(once, 1) X(spawn, 1) X(join, 1) X(tryjoin, 1) X(timedjoin, 1)     \
                  X(cancel, 1) X(testcancel, 0) X(choose, 1) X(yield, 0) X(sleep, 0)                                   \
                      X(event, 0) /* a block passed on by pointer A; use reads and change writes it, freed by another  \
                                     thread or not */                                                                  \
      X(new, 1) X(drop, 1) X(use, 1) X(change, 1) /* on atomic A: wait while it is B, wake B */                        \
      X(fwait, 2) X(ftimed, 2) X(fwake, 2) /* thread-local: leave out C steps if the accumulator modulo A is B; fail   \
                                              if it is; keep locks at the end */                                       \
      X(skip, 3) X(check, 2) X(check2, 2) X(keep, 0) X(end, 0) X(quit, 0)

enum step_name {
#define X(name, numbers) DO_##name,
  STEPS(X)
#undef X
      STEP_NAMES
};

static const struct {
  const char *name;
  int numbers;
} step_table[STEP_NAMES] = {
#define X(name, numbers) {#name, numbers},
    STEPS(X)
#undef X
};

struct step {
  enum step_name name;
  int a, b, c, d;
};

/* The program; written before the first thread exists. */
static struct step program[THREADS][STEPS_MAX];
static int program_length[THREADS], program_threads;
static unsigned char spawned[THREADS], checks_owner[OBJECTS], reads_at_end;

/* What the threads share. */
static unsigned x[WORDS];
static union {
  uint8_t b[16];
  uint16_t s[8];
  uint32_t i[4];
  uint64_t l[2];
} mix __attribute__((aligned(16)));
static uint32_t atomics[WORDS];
static unsigned *block[OBJECTS];
static unsigned once_value[OBJECTS];
static pthread_mutex_t mutex[OBJECTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond[OBJECTS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
                                       PTHREAD_COND_INITIALIZER};
static pthread_rwlock_t rwlock[OBJECTS] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER,
                                           PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_once_t once[OBJECTS] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static sem_t sem[OBJECTS];
static pthread_spinlock_t spin[OBJECTS];
static pthread_barrier_t barrier[OBJECTS];
static struct timespec deadline;

/* A thread as it knows itself; on its own stack. */
struct self {
  unsigned acc;
  int index, keep;
  unsigned char held[OBJECTS], reads[OBJECTS], writes[OBJECTS], spins[OBJECTS];
  unsigned char child[THREADS]; /* 1 running, 2 joined */
  pthread_t id[THREADS];
};

/* ---- shared memory ---- */

struct loose {
  unsigned value;
} __attribute__((packed));

SHARED unsigned load(const unsigned *p)
{
  return *p;
}
SHARED void store(unsigned *p, unsigned value)
{
  *p = value;
}
SHARED void increase(unsigned *p, unsigned by)
{
  *p += by;
}
SHARED unsigned load_byte(const uint8_t *p)
{
  return *p;
}
SHARED void store_byte(uint8_t *p, unsigned value)
{
  *p = (uint8_t)value;
}
SHARED unsigned load_short(const uint16_t *p)
{
  return *p;
}
SHARED void store_short(uint16_t *p, unsigned value)
{
  *p = (uint16_t)value;
}
SHARED unsigned load_int(const uint32_t *p)
{
  return *p;
}
SHARED void store_int(uint32_t *p, unsigned value)
{
  *p = value;
}
SHARED unsigned load_long(const uint64_t *p)
{
  return (unsigned)(*p * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}
SHARED void store_long(uint64_t *p, unsigned value)
{
  *p = value * UINT64_C(0x100000001);
}
SHARED unsigned load_loose(const struct loose *p)
{
  return p->value;
}
SHARED unsigned load_all(const uint64_t *p)
{
  uint64_t copy[2];
  memcpy(copy, p, sizeof copy);
  return (unsigned)((copy[0] + 3 * copy[1]) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}
SHARED void store_loose(struct loose *p, unsigned value)
{
  p->value = value;
}
SHARED unsigned add_atomic_byte(uint8_t *p)
{
  return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
}
SHARED unsigned load_atomic_int(uint32_t *p)
{
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

SHARED unsigned atomic_load(uint32_t *p)
{
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
SHARED void atomic_store(uint32_t *p, unsigned value)
{
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
SHARED unsigned relaxed_load(uint32_t *p)
{
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
SHARED void relaxed_store(uint32_t *p, unsigned value)
{
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
}
SHARED void relaxed_add(uint32_t *p, unsigned value)
{
  __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
}

SHARED void relaxed_or(uint32_t *p, unsigned value)
{
  __atomic_fetch_or(p, value, __ATOMIC_RELAXED);
}

SHARED unsigned atomic_add(uint32_t *p, unsigned value)
{
  return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}
SHARED unsigned atomic_swap(uint32_t *p, unsigned value)
{
  return __atomic_exchange_n(p, value, __ATOMIC_ACQ_REL);
}
SHARED unsigned atomic_cas(uint32_t *p, unsigned old, unsigned value)
{
  return __atomic_compare_exchange_n(p, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE) ? 1000 : old;
}

SHARED void await(uint32_t *p, unsigned value)
{
  while (__atomic_load_n(p, __ATOMIC_ACQUIRE) < value)
    ;
}

SHARED void await_yielding(uint32_t *p, unsigned value)
{
  while (__atomic_load_n(p, __ATOMIC_ACQUIRE) < value)
    sched_yield();
}

SHARED unsigned await_some(uint32_t *p, unsigned value, int times)
{
  while (times-- > 0)
    if (__atomic_load_n(p, __ATOMIC_ACQUIRE) >= value)
      return 1;
  return 0;
}

SHARED void await_equal(uint32_t *p, unsigned value)
{
  while (__atomic_load_n(p, __ATOMIC_ACQUIRE) != value)
    ;
}

/* An update as lock-free structures make it: what was there when it succeeded. */
SHARED unsigned update(uint32_t *p, unsigned by)
{
  unsigned old = __atomic_load_n(p, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(p, &old, old * 3 + by, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    ;
  return old;
}

SHARED void await_swap(uint32_t *p, unsigned old, unsigned value)
{
  for (unsigned found = old; !__atomic_compare_exchange_n(p, &found, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);)
    found = old;
}

SHARED void await_lock(pthread_mutex_t *m)
{
  while (pthread_mutex_trylock(m))
    ;
}

SHARED void await_semaphore(sem_t *s)
{
  while (sem_trywait(s))
    ;
}

SHARED unsigned *swap_block(unsigned **p, unsigned *new)
{
  return __atomic_exchange_n(p, new, __ATOMIC_ACQ_REL);
}
SHARED unsigned *get_block(unsigned **p)
{
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

#define ONCE(n)                                                                                                        \
  SHARED void once_##n(void)                                                                                           \
  {                                                                                                                    \
    once_value[n]++;                                                                                                   \
  }
ONCE(0)
ONCE(1) ONCE(2) ONCE(3) static void (*const once_routine[OBJECTS])(void) = {once_0, once_1, once_2, once_3};

/* ---- threads ---- */

MACHINE void take_in(struct self *me, unsigned value)
{
  me->acc = me->acc * 31 + value;
}

static void *thread(void *arg);

MACHINE void start(struct self *me, int t)
{
  if (t >= program_threads || me->child[t])
    return;
  me->child[t] = 1;
  if (pthread_create(&me->id[t], NULL, thread, (void *)(intptr_t)t))
    abort();
}

/* How: 0 joins, 1 tries, 2 with a timeout. */
MACHINE void join(struct self *me, int t, int how)
{
  if (t >= program_threads || me->child[t] != 1)
    return;
  void *result = NULL;
  int error = how == 0   ? pthread_join(me->id[t], &result)
              : how == 1 ? pthread_tryjoin_np(me->id[t], &result)
                         : pthread_timedjoin_np(me->id[t], &result, &deadline);
  if (error && how)
    take_in(me, 1);
  else if (error)
    abort();
  else
    me->child[t] = 2;
  take_in(me, (unsigned)(uintptr_t)result);
}

MACHINE void unlock(struct self *me, int m)
{
  if (me->held[m]) {
    me->held[m]--;
    pthread_mutex_unlock(&mutex[m]);
  }
}

MACHINE void locked(struct self *me, int m, int error)
{
  if (error == EOWNERDEAD)
    pthread_mutex_consistent(&mutex[m]);
  if (!error || error == EOWNERDEAD)
    me->held[m]++;
  take_in(me, (unsigned)error % 7);
}

MACHINE void unlock_rw(struct self *me, int l)
{
  if (!me->reads[l] && !me->writes[l])
    return;
  if (me->writes[l])
    me->writes[l] = 0;
  else
    me->reads[l]--;
  pthread_rwlock_unlock(&rwlock[l]);
}

MACHINE void read_locked(struct self *me, int l, int error)
{
  me->reads[l] += !error;
  take_in(me, (unsigned)error % 7);
}

MACHINE void write_locked(struct self *me, int l, int error)
{
  me->writes[l] += !error;
  take_in(me, (unsigned)error % 7);
}

MACHINE void unspin(struct self *me, int s)
{
  if (me->spins[s]) {
    me->spins[s] = 0;
    pthread_spin_unlock(&spin[s]);
  }
}

MACHINE void let_go(struct self *me)
{
  for (int i = 0; i < OBJECTS && !me->keep; i++) {
    while (me->held[i])
      unlock(me, i);
    while (me->reads[i] || me->writes[i])
      unlock_rw(me, i);
    unspin(me, i);
  }
}

MACHINE unsigned futex(uint32_t *word, int what, unsigned value, const struct timespec *timeout)
{
  long result = syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
  return result < 0 ? 100 + (unsigned)errno : (unsigned)result;
}

MACHINE void quit(const struct self *me);

/* The number of steps to leave out after this one, or -1: it was the last. */
MACHINE int perform(struct self *me, const struct step *s)
{
  int a = s->a, b = s->b;
  unsigned value = me->acc * 7 + (unsigned)s->b, *p;
  switch (s->name) {
  case DO_r:
    take_in(me, load(&x[a]));
    break;
  case DO_w:
    store(&x[a], value);
    break;
  case DO_add:
    increase(&x[a], (unsigned)b);
    break;
  case DO_rb:
    take_in(me, load_byte(&mix.b[a]));
    break;
  case DO_wb:
    store_byte(&mix.b[a], me->acc + 3);
    break;
  case DO_rs:
    take_in(me, load_short(&mix.s[a]));
    break;
  case DO_ws:
    store_short(&mix.s[a], me->acc * 259);
    break;
  case DO_ri:
    take_in(me, load_int(&mix.i[a]));
    break;
  case DO_wi:
    store_int(&mix.i[a], me->acc * 0x1010101);
    break;
  case DO_rl:
    take_in(me, load_long(&mix.l[a]));
    break;
  case DO_wl:
    store_long(&mix.l[a], me->acc * 0x2010301);
    break;
  case DO_ru:
    take_in(me, load_loose((struct loose *)(mix.b + 6)));
    break;
  case DO_wu:
    store_loose((struct loose *)(mix.b + 6), me->acc * 0x1030201);
    break;
  case DO_rm:
    take_in(me, load_all(mix.l));
    break;
  case DO_fill:
    memset(mix.b + a, (int)(me->acc & 127), (size_t)b);
    break;
  case DO_ab:
    take_in(me, add_atomic_byte(&mix.b[a]));
    break;
  case DO_ai:
    take_in(me, load_atomic_int(&mix.i[a]));
    break;
  case DO_ld:
    take_in(me, atomic_load(&atomics[a]));
    break;
  case DO_st:
    atomic_store(&atomics[a], (unsigned)b);
    break;
  case DO_ldx:
    take_in(me, relaxed_load(&atomics[a]));
    break;
  case DO_stx:
    relaxed_store(&atomics[a], value);
    break;
  case DO_addx:
    relaxed_add(&atomics[a], (unsigned)b);
    break;
  case DO_orx:
    relaxed_or(&atomics[a], (unsigned)b);
    break;
  case DO_fa:
    take_in(me, atomic_add(&atomics[a], (unsigned)b));
    break;
  case DO_xc:
    take_in(me, atomic_swap(&atomics[a], value));
    break;
  case DO_cas:
    take_in(me, atomic_cas(&atomics[a], (unsigned)b, (unsigned)s->c));
    break;
  case DO_await:
    await(&atomics[a], (unsigned)b);
    break;
  case DO_awaity:
    await_yielding(&atomics[a], (unsigned)b);
    break;
  case DO_awaitn:
    take_in(me, await_some(&atomics[a], (unsigned)b, s->c));
    break;
  case DO_awaite:
    await_equal(&atomics[a], (unsigned)b);
    break;
  case DO_casl:
    take_in(me, update(&atomics[a], (unsigned)b));
    break;
  case DO_casa:
    await_swap(&atomics[a], (unsigned)b, (unsigned)s->c);
    break;
  case DO_tryl:
    await_lock(&mutex[a]);
    locked(me, a, 0);
    break;
  case DO_stryl:
    await_semaphore(&sem[a]);
    break;
  case DO_lock:
    locked(me, a, pthread_mutex_lock(&mutex[a]));
    break;
  case DO_try:
    locked(me, a, pthread_mutex_trylock(&mutex[a]));
    break;
  case DO_timed:
    locked(me, a, pthread_mutex_timedlock(&mutex[a], &deadline));
    break;
  case DO_unlock:
    unlock(me, a);
    break;
  case DO_unlockx: /* right or wrong */
    if (checks_owner[a])
      take_in(me, (unsigned)pthread_mutex_unlock(&mutex[a]));
    me->held[a] -= checks_owner[a] && me->held[a] > 0;
    break;
  case DO_wait:
    if (me->held[b] == 1)
      take_in(me, (unsigned)pthread_cond_wait(&cond[a], &mutex[b]));
    break;
  case DO_twait:
    if (me->held[b] == 1)
      take_in(me, (unsigned)pthread_cond_timedwait(&cond[a], &mutex[b], &deadline));
    break;
  case DO_waitfor:
    while (me->held[b] == 1 && load(&x[s->c]) < (unsigned)s->d)
      pthread_cond_wait(&cond[a], &mutex[b]);
    break;
  case DO_twaitfor:
    while (me->held[b] == 1 && load(&x[s->c]) < (unsigned)s->d)
      pthread_cond_timedwait(&cond[a], &mutex[b], &deadline);
    break;
  case DO_signal:
    pthread_cond_signal(&cond[a]);
    break;
  case DO_bcast:
    pthread_cond_broadcast(&cond[a]);
    break;
  case DO_sw:
    sem_wait(&sem[a]);
    break;
  case DO_stry:
    take_in(me, sem_trywait(&sem[a]) ? 1 : 0);
    break;
  case DO_stimed:
    take_in(me, sem_timedwait(&sem[a], &deadline) ? 1 : 0);
    break;
  case DO_post:
    sem_post(&sem[a]);
    break;
  case DO_sget: {
    int count;
    sem_getvalue(&sem[a], &count);
    take_in(me, (unsigned)count);
    break;
  }
  case DO_rd:
    read_locked(me, a, pthread_rwlock_rdlock(&rwlock[a]));
    break;
  case DO_wr:
    write_locked(me, a, pthread_rwlock_wrlock(&rwlock[a]));
    break;
  case DO_tryrd:
    read_locked(me, a, pthread_rwlock_tryrdlock(&rwlock[a]));
    break;
  case DO_trywr:
    write_locked(me, a, pthread_rwlock_trywrlock(&rwlock[a]));
    break;
  case DO_timedrd:
    read_locked(me, a, pthread_rwlock_timedrdlock(&rwlock[a], &deadline));
    break;
  case DO_timedwr:
    write_locked(me, a, pthread_rwlock_timedwrlock(&rwlock[a], &deadline));
    break;
  case DO_rwun:
    unlock_rw(me, a);
    break;
  case DO_spin:
    pthread_spin_lock(&spin[a]);
    me->spins[a] = 1;
    break;
  case DO_spintry: {
    int error = pthread_spin_trylock(&spin[a]);
    me->spins[a] |= !error;
    take_in(me, (unsigned)error);
    break;
  }
  case DO_spinun:
    unspin(me, a);
    break;
  case DO_bar:
    take_in(me, pthread_barrier_wait(&barrier[a]) ? 1 : 0);
    break;
  case DO_once:
    pthread_once(&once[a], once_routine[a]);
    take_in(me, load(&once_value[a]));
    break;
  case DO_spawn:
    start(me, a);
    break;
  case DO_join:
    join(me, a, 0);
    break;
  case DO_tryjoin:
    join(me, a, 1);
    break;
  case DO_timedjoin:
    join(me, a, 2);
    break;
  case DO_cancel:
    if (a < program_threads && me->child[a] == 1)
      pthread_cancel(me->id[a]);
    break;
  case DO_testcancel:
    pthread_testcancel();
    break;
  case DO_choose:
    take_in(me, hd_choose((unsigned)a));
    break;
  case DO_yield:
    sched_yield();
    break;
  case DO_sleep:
    usleep(1);
    break;
  case DO_event:
    hd_event("here");
    break;
  case DO_new:
    p = malloc(sizeof *p);
    store(p, me->acc);
    free(swap_block(&block[a], p));
    break;
  case DO_drop:
    p = swap_block(&block[a], NULL);
    if (p)
      take_in(me, load(p));
    free(p);
    break;
  case DO_use:
    p = get_block(&block[a]);
    take_in(me, p ? load(p) : 1);
    break;
  case DO_change:
    p = get_block(&block[a]);
    if (p)
      store(p, me->acc);
    break;
  case DO_fwait:
    take_in(me, futex(&atomics[a], FUTEX_WAIT, (unsigned)b, NULL));
    break;
  case DO_ftimed: {
    struct timespec soon = {0, 10000000};
    take_in(me, futex(&atomics[a], FUTEX_WAIT, (unsigned)b, &soon));
    break;
  }
  case DO_fwake:
    take_in(me, futex(&atomics[a], FUTEX_WAKE, (unsigned)b, NULL));
    break;
  case DO_skip:
    return me->acc % (unsigned)a == (unsigned)b ? s->c : 0;
  case DO_check:
    assert(me->acc % (unsigned)s->a != (unsigned)s->b);
    break;
  case DO_check2:
    assert(me->acc % (unsigned)s->a != (unsigned)s->b && "second");
    break;
  case DO_keep:
    me->keep = 1;
    break;
  case DO_end:
    return -1;
  case DO_quit:
    if (me->index == 0)
      quit(me);
    break;
  case STEP_NAMES:
    abort();
  }
  return 0;
}

MACHINE void run(struct self *me)
{
  const struct step *s = program[me->index];
  for (int i = 0; i < program_length[me->index]; i++) {
    int skipped = perform(me, &s[i]);
    if (skipped < 0)
      break;
    i += skipped;
  }
  let_go(me);
  for (int t = 0; t < program_threads; t++)
    if (me->child[t] == 1)
      join(me, t, 0);
}

__attribute__((no_sanitize_thread, section(".text.heddle_unseen"))) static void *thread(void *arg)
{
  struct self me;
  memset(&me, 0, sizeof me);
  me.index = (int)(intptr_t)arg;
  me.acc = (unsigned)me.index;
  run(&me);
  return (void *)(uintptr_t)me.acc;
}

/* ---- the whole ---- */

/* Whoever wrote it last is seen by that, also where only reads tell executions apart. */
MACHINE void read_all(void)
{
  unsigned seen = 0;
  for (int i = 0; i < WORDS; i++)
    seen += load(&x[i]) + relaxed_load(&atomics[i]);
  for (int i = 0; i < 16; i++)
    seen += load_byte(&mix.b[i]);
  for (int i = 0; i < OBJECTS; i++) {
    const unsigned *p = get_block(&block[i]);
    seen += (p ? load(p) : 0) + load(&once_value[i]);
  }
  __asm__ volatile("" : : "r"(seen)); /* or the compiler leaves the calls out */
}

MACHINE void print(const struct self *me)
{
  if (reads_at_end)
    read_all();
  printf("x");
  for (int i = 0; i < WORDS; i++)
    printf(" %x", x[i]);
  printf(" mix %lx %lx atomics", mix.l[0], mix.l[1]);
  for (int i = 0; i < WORDS; i++)
    printf(" %x", atomics[i]);
  printf(" blocks");
  for (int i = 0; i < OBJECTS; i++)
    printf(block[i] ? " %x" : " -", block[i] ? *block[i] : 0);
  printf(" once %u %u %u %u", once_value[0], once_value[1], once_value[2], once_value[3]);
  for (int i = 0; i < OBJECTS; i++) {
    int count;
    sem_getvalue(&sem[i], &count);
    printf(" %d", count);
  }
  printf(" acc %x\n", me->acc);
  fflush(stdout);
}

/* Ends the process while threads may still run; what they may still write is read as a program would. */
MACHINE void quit(const struct self *me)
{
  printf("quit x0 %x a0 %x acc %x\n", load(&x[0]), atomic_load(&atomics[0]), me->acc);
  fflush(stdout);
  exit(0);
}

MACHINE void wrong(const char *what)
{
  fprintf(stderr, "orders: not understood: %s\n", what);
  exit(2);
}

MACHINE void parse_step(int t, const char *text)
{
  struct step s = {STEP_NAMES, 0, 0, 0, 0};
  size_t length = strcspn(text, ":");
  for (int i = 0; i < STEP_NAMES; i++)
    if (strlen(step_table[i].name) == length && !memcmp(text, step_table[i].name, length))
      s.name = (enum step_name)i;
  int given = text[length] ? sscanf(text + length, ":%d,%d,%d,%d", &s.a, &s.b, &s.c, &s.d) : 0;
  if (s.name == STEP_NAMES || given != step_table[s.name].numbers || program_length[t] == STEPS_MAX)
    wrong(text);
  if (s.name == DO_spawn && s.a < THREADS)
    spawned[s.a] = 1;
  program[t][program_length[t]++] = s;
}

MACHINE void set_up(const char *text)
{
  if (!text[0] || text[1] != ':' || strlen(text) > 2 + OBJECTS)
    wrong(text);
  for (int i = 0; text[2 + i]; i++) {
    char kind = text[2 + i];
    pthread_mutexattr_t of_mutex;
    pthread_rwlockattr_t of_rwlock;
    switch (text[0]) {
    case 'm':
      pthread_mutexattr_init(&of_mutex);
      pthread_mutexattr_settype(&of_mutex, kind == 'r'   ? PTHREAD_MUTEX_RECURSIVE
                                           : kind == 'e' ? PTHREAD_MUTEX_ERRORCHECK
                                                         : PTHREAD_MUTEX_NORMAL);
      if (kind == 'b')
        pthread_mutexattr_setrobust(&of_mutex, PTHREAD_MUTEX_ROBUST);
      checks_owner[i] = kind != 'n';
      if (kind != 'n')
        pthread_mutex_init(&mutex[i], &of_mutex);
      break;
    case 'l':
      pthread_rwlockattr_init(&of_rwlock);
      if (kind == 'w') {
        pthread_rwlockattr_setkind_np(&of_rwlock, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
        pthread_rwlock_init(&rwlock[i], &of_rwlock);
      }
      break;
    case 's':
      sem_init(&sem[i], 0, (unsigned)(kind - '0'));
      break;
    case 'b':
      pthread_barrier_init(&barrier[i], NULL, (unsigned)(kind - '0'));
      break;
    case 'p':
      reads_at_end = 1;
      break;
    case 'o':
      break;
    default:
      wrong(text);
    }
  }
}

MACHINE void parse(char *text)
{
  int section = -1;
  for (char *rest = text, *part; (part = strsep(&rest, ";")); section++) {
    if (section == THREADS)
      wrong(part);
    for (char *word; (word = strsep(&part, " "));) {
      if (*word && section < 0)
        set_up(word);
      else if (*word)
        parse_step(section, word);
    }
  }
  program_threads = section;
}

__attribute__((no_sanitize_thread, section(".text.heddle_unseen"))) int main(int argc, char **argv)
{
  if (argc != 2)
    wrong("one argument, please");
  for (int i = 0; i < OBJECTS; i++)
    pthread_spin_init(&spin[i], PTHREAD_PROCESS_PRIVATE);
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_nsec += 50000000;
  deadline.tv_sec += deadline.tv_nsec / 1000000000;
  deadline.tv_nsec %= 1000000000;
  char *text = strdup(argv[1]);
  parse(text);
  free(text);
  struct self me;
  memset(&me, 0, sizeof me);
  for (int t = 1; t < program_threads; t++)
    if (!spawned[t])
      start(&me, t);
  run(&me);
  print(&me);
  for (int i = 0; i < OBJECTS; i++)
    free(block[i]);
  return 0;
}
