/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operations depend on each other, checked by running both orders.
 *
 * Small models of memory, mutexes, spin locks, read-write locks, semaphores, barriers, condition variables and threads
 * stand here, written from POSIX and not from the runtime. Two operations that op_dependent() calls independent must,
 * in every state of the model, lead to the same state with the same results in both orders, and neither may enable or
 * disable the other. One thing is left to explore/order.c, which knows who released whom: a signal may enable the
 * wake-up, and an arrival at a barrier the leaving. An independent pair on one object that no model covers is a failure
 * too: whoever lets more operations commute has to bring a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/channel.h"
#include "core/operation.h"
#include "core/rng.h"
#include "core/system.h"
#include <string.h>

#define FIRST 1 /* the two threads; a third one may hold things */
#define SECOND 2

/* ---- models of locks and semaphores ---- */

struct model {
  int owner;      /* thread, 0 for none */
  int readers[4]; /* locks held by each thread */
  int value;      /* of a semaphore; of a barrier, how many have arrived; of a queue, how many are in it */
  bool destroyed;
  bool writer_waits;            /* a third thread waits to write, on a lock that prefers writers */
  int round;                    /* of a barrier for three */
  bool waits[4];                /* each thread: on a condition variable */
  bool signalled[4];            /* and was released from there */
  bool ended, detached, joined; /* a thread: always FIRST */
};

enum result { DONE, WOULD_NOT, MISUSE, TIMED_OUT, VALUE_0 };
enum { PARTY = 3, QUEUE_ROOM = 2 };

static int all_readers(const struct model *m)
{
  return m->readers[1] + m->readers[2] + m->readers[3];
}

static int unsignalled(const struct model *m)
{
  int n = 0;
  for (int t = 1; t < 4; t++)
    n += m->waits[t] && !m->signalled[t];
  return n;
}

/* Whether the thread can be about to do this at all in that state: only who waits wakes up, only who holds a lock for
 * writing gives it back as such, only a thread itself ends. */
static bool model_allows(const struct model *m, int thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_RWLOCK_UNLOCK:
    return op->arg == (m->owner == thread);
  case OP_BARRIER_ARRIVE:
    return (int)op->arg == m->round;
  case OP_BARRIER_LEAVE: /* it has arrived: in this round, or in one before, if there are more threads than a round
                          * has */
    return (int)op->arg == m->round ? m->value > 0 : (int)op->arg < m->round;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return m->waits[thread];
  case OP_COND_WAIT:
    return !m->waits[thread];
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
    return !m->waits[thread] && op->arg == !unsignalled(m);
  case OP_EXIT:
    return thread == FIRST && !m->ended;
  case OP_JOIN:
  case OP_TIMEDJOIN:
  case OP_DETACH:
    return thread != FIRST;
  default:
    return true;
  }
}

static bool model_enabled(const struct model *m, int thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
    return !m->owner;
  case OP_RWLOCK_RDLOCK:
    return !m->owner && !m->writer_waits;
  case OP_RWLOCK_WRLOCK:
    return !m->owner && !all_readers(m);
  case OP_SEM_WAIT:
  case OP_QUEUE_RECEIVE:
    return m->value > 0;
  case OP_QUEUE_SEND:
    return m->value < QUEUE_ROOM;
  case OP_BARRIER_LEAVE:
    return (int)op->arg < m->round;
  case OP_COND_WAKE:
    return m->signalled[thread] || op->traits & OP_SPURIOUS;
  case OP_COND_DESTROY:
    return unsignalled(m) || !(m->signalled[1] || m->signalled[2] || m->signalled[3]);
  case OP_JOIN:
    return m->ended;
  default:
    return true;
  }
}

/* choice: of the waiters, for a signal. */
static int model_apply(struct model *m, int thread, const struct operation *op, int choice)
{
  switch (op->kind) {
  case OP_MUTEX_INIT:
  case OP_SPIN_INIT:
  case OP_RWLOCK_INIT:
    memset(m, 0, sizeof *m);
    return DONE;
  case OP_SEM_INIT:
    m->value = 1;
    m->destroyed = false;
    return DONE;
  case OP_MUTEX_DESTROY:
  case OP_SPIN_DESTROY:
  case OP_RWLOCK_DESTROY:
  case OP_SEM_DESTROY:
    if (m->owner || all_readers(m))
      return MISUSE;
    m->destroyed = true;
    return DONE;
  case OP_MUTEX_LOCK:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_LOCK:
  case OP_SPIN_TRYLOCK:
    if (m->destroyed)
      return MISUSE;
    if (m->owner)
      return WOULD_NOT;
    m->owner = thread;
    return DONE;
  case OP_MUTEX_UNLOCK:
  case OP_SPIN_UNLOCK:
    if (m->owner != thread)
      return MISUSE;
    m->owner = 0;
    return DONE;
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
    if (m->destroyed)
      return MISUSE;
    if (m->owner || m->writer_waits)
      return WOULD_NOT;
    m->readers[thread]++;
    return DONE;
  case OP_RWLOCK_WRLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    if (m->destroyed)
      return MISUSE;
    if (m->owner || all_readers(m))
      return WOULD_NOT;
    m->owner = thread;
    return DONE;
  case OP_RWLOCK_UNLOCK:
    if (m->owner == thread)
      m->owner = 0;
    else if (m->readers[thread])
      m->readers[thread]--;
    else
      return MISUSE;
    return DONE;
  case OP_SEM_WAIT:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
    if (m->destroyed)
      return MISUSE;
    if (!m->value)
      return WOULD_NOT;
    m->value--;
    return DONE;
  case OP_SEM_POST:
    if (m->destroyed)
      return MISUSE;
    m->value++;
    return DONE;
  case OP_SEM_GETVALUE:
    return m->destroyed ? MISUSE : VALUE_0 + m->value;
  case OP_QUEUE_SEND:
  case OP_QUEUE_TRYSEND:
    if (m->value >= QUEUE_ROOM)
      return WOULD_NOT;
    m->value++;
    return DONE;
  case OP_QUEUE_RECEIVE:
  case OP_QUEUE_TRYRECEIVE:
    if (!m->value)
      return WOULD_NOT;
    m->value--;
    return DONE;
  case OP_QUEUE_LOOK:
  case OP_SEMSET_LOOK:
  case OP_AIO_LOOK:
    return VALUE_0 + m->value;
  case OP_BARRIER_ARRIVE:
    if (++m->value == PARTY) {
      m->value = 0;
      m->round++;
    }
    return DONE;
  case OP_BARRIER_LEAVE:
    return DONE;
  case OP_COND_WAIT:
    m->waits[thread] = true;
    return DONE;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE: {
    bool signalled = m->signalled[thread];
    m->waits[thread] = m->signalled[thread] = false;
    return signalled ? DONE : TIMED_OUT;
  }
  case OP_COND_SIGNAL:
    for (int t = 1; t < 4; t++)
      if (m->waits[t] && !m->signalled[t] && choice-- == 0)
        m->signalled[t] = true;
    return DONE;
  case OP_COND_BROADCAST:
    memcpy(m->signalled, m->waits, sizeof m->signalled);
    return DONE;
  case OP_COND_DESTROY:
    if (unsignalled(m))
      return MISUSE;
    m->destroyed = true;
    return DONE;
  case OP_EXIT:
    m->ended = true;
    return DONE;
  case OP_JOIN:
  case OP_TIMEDJOIN:
    if (m->joined || m->detached)
      return MISUSE;
    if (!m->ended)
      return TIMED_OUT;
    m->joined = true;
    return DONE;
  case OP_DETACH:
    if (m->joined || m->detached)
      return MISUSE;
    m->detached = true;
    return DONE;
  default:
    fail_msg("no model of %s", op_table[op->kind].name);
    return 0;
  }
}

/* All states of the models, those of every kind of object among them. */
enum { STATES_MAX = 160 };

static unsigned all_states(struct model *out)
{
  unsigned n = 0;
  for (int destroyed = 0; destroyed < 2; destroyed++)
    for (int owner = 0; owner < 4; owner++)
      out[n++] = (struct model){.owner = owner, .destroyed = destroyed};
  for (int mask = 1; mask < 16; mask++)
    out[n++] = (struct model){.readers = {0, mask & 1, mask >> 1 & 1, mask >> 2 & 1}, .writer_waits = mask >> 3};
  for (int value = 1; value < 4; value++)
    out[n++] = (struct model){.value = value};
  for (int arrived = 0; arrived < PARTY; arrived++)
    for (int round = 0; round < 3; round++)
      out[n++] = (struct model){.value = arrived, .round = round};
  for (int mask = 0; mask < 64; mask++) { /* who waits, and who of them was signalled */
    struct model m = {0};
    for (int t = 1; t < 4; t++) {
      m.waits[t] = mask >> (t - 1) & 1;
      m.signalled[t] = m.waits[t] && mask >> (t + 2) & 1;
    }
    out[n++] = m;
  }
  for (int mask = 1; mask < 8; mask++)
    out[n++] = (struct model){.ended = mask & 1, .detached = mask >> 1 & 1, .joined = (mask & 1) && mask >> 2 & 1};
  return n;
}

static bool modelled(enum op_kind kind)
{
  switch (op_table[kind].object) {
  case OBJECT_MUTEX:
  case OBJECT_SPIN:
  case OBJECT_RWLOCK:
  case OBJECT_SEM:
    return true;
  case OBJECT_QUEUE:
    return kind != OP_QUEUE_OPEN && kind != OP_QUEUE_CHANGE;
  case OBJECT_SEMSET:
    return kind == OP_SEMSET_LOOK;
  case OBJECT_AIO:
    return kind == OP_AIO_LOOK;
  case OBJECT_BARRIER:
    return kind == OP_BARRIER_ARRIVE || kind == OP_BARRIER_LEAVE;
  case OBJECT_COND:
    return kind != OP_COND_INIT;
  case OBJECT_THREAD:
    return kind == OP_EXIT || kind == OP_JOIN || kind == OP_TIMEDJOIN || kind == OP_DETACH;
  default:
    return false;
  }
}

static bool same(const struct model *a, const struct model *b)
{
  return a->owner == b->owner && !memcmp(a->readers, b->readers, sizeof a->readers) && a->value == b->value &&
         a->destroyed == b->destroyed && a->writer_waits == b->writer_waits && a->round == b->round &&
         !memcmp(a->waits, b->waits, sizeof a->waits) && !memcmp(a->signalled, b->signalled, sizeof a->signalled) &&
         a->ended == b->ended && a->detached == b->detached && a->joined == b->joined;
}

/* The second could not be without the first: explore/order.c keeps them in this order. */
static bool releases(const struct operation *a, const struct operation *b)
{
  return (b->kind == OP_COND_WAKE && (a->kind == OP_COND_SIGNAL || a->kind == OP_COND_BROADCAST)) ||
         (b->kind == OP_BARRIER_LEAVE && a->kind == OP_BARRIER_ARRIVE);
}

/* Whether the order of the two does not matter in that state, with that choice for whichever of them makes one. */
static bool commutes_in(const struct model *state, const struct operation *a, const struct operation *b, int choice)
{
  struct model ab = *state, ba = *state;
  if (!model_allows(state, FIRST, a) || !model_allows(state, SECOND, b))
    return true;
  bool a_first = model_enabled(state, FIRST, a), b_first = model_enabled(state, SECOND, b);
  int a1 = 0, b1 = 0, a2 = 0, b2 = 0;
  if (a_first)
    a1 = model_apply(&ab, FIRST, a, choice);
  if (b_first)
    b2 = model_apply(&ba, SECOND, b, choice);
  bool b_then = model_enabled(&ab, SECOND, b), a_then = model_enabled(&ba, FIRST, a);
  if (a_first && b_then != b_first && !(b_then && releases(a, b)))
    return false;
  if (b_first && a_then != a_first && !(a_then && releases(b, a)))
    return false;
  if (!a_first || !b_first)
    return true;
  if (!model_allows(&ab, SECOND, b) || !model_allows(&ba, FIRST, a))
    return a->kind == OP_BARRIER_ARRIVE && b->kind == OP_BARRIER_ARRIVE; /* then their rounds differ */
  b1 = model_apply(&ab, SECOND, b, choice);
  a2 = model_apply(&ba, FIRST, a, choice);
  return a1 == a2 && b1 == b2 && same(&ab, &ba);
}

static bool commutes(const struct operation *a, const struct operation *b)
{
  struct model state[STATES_MAX];
  unsigned n = all_states(state);
  assert_true(n <= STATES_MAX);
  for (unsigned i = 0; i < n; i++)
    for (int choice = 0; choice < 3; choice++)
      if (!commutes_in(&state[i], a, b, choice))
        return false;
  return true;
}

static uintptr_t address(uint32_t object)
{
  return 0x1000 + object * 64;
}

/* second: the mutex of an operation on a condition variable, which is named by its address in arg too. */
static struct operation on(enum op_kind kind, uint32_t object, uint32_t second)
{
  return (struct operation){.kind = (uint16_t)kind,
                            .object = object,
                            .second = second,
                            .length = op_is_on_channels(kind), /* it changes its channel */
                            .addr = address(object),
                            .arg = second ? address(second) : 0};
}

/* The variants of an operation on object 1 that dependence tells apart: 0 when there are no more. */
static bool variant(enum op_kind kind, unsigned nth, uint32_t mutex, struct operation *out)
{
  bool waiting = kind == OP_COND_WAIT || kind == OP_COND_WAKE || kind == OP_COND_TIMEDWAKE;
  *out = on(kind, 1, waiting ? mutex : 0);
  if (kind == OP_RWLOCK_UNLOCK)
    out->arg = nth; /* held for writing */
  else if (kind == OP_BARRIER_ARRIVE || kind == OP_BARRIER_LEAVE)
    out->arg = nth; /* the round */
  else if (kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST)
    out->arg = nth; /* nobody waits */
  else if (kind == OP_COND_WAKE)
    out->traits = nth ? OP_SPURIOUS : 0;
  else
    return nth == 0;
  return nth < 2;
}

/* Annotations do nothing. Two threads cannot end as the same one. And of two that detach a thread, the later is a
 * misuse, which ends the program: explore/ takes such a step to depend on everything. */
static bool out_of_the_question(enum op_kind a, enum op_kind b)
{
  if (op_is_annotation(a) || op_is_annotation(b))
    return true;
  return (a == OP_EXIT && b == OP_EXIT) || (a == OP_DETACH && b == OP_DETACH);
}

/* The number of pairs that are called independent. */
static unsigned check_pair(enum op_kind a, enum op_kind b)
{
  unsigned independent = 0;
  struct operation x, y;
  for (unsigned i = 0; variant(a, i, 2, &x); i++)
    for (unsigned k = 0; variant(b, k, 3, &y); k++) {
      if (op_dependent(&x, &y) || out_of_the_question(a, b))
        continue;
      if (!modelled(a) || !modelled(b))
        fail_msg("%s and %s are called independent, and no model here shows it", op_table[a].name, op_table[b].name);
      if (!commutes(&x, &y))
        fail_msg("%s (%u) and %s (%u) are called independent but do not commute", op_table[a].name, i, op_table[b].name,
                 k);
      independent++;
    }
  return independent;
}

static void independent_operations_on_one_object_commute(void **unused)
{
  (void)unused;
  unsigned independent = 0;
  for (unsigned a = 0; a < OP_COUNT; a++)
    for (unsigned b = 0; b < OP_COUNT; b++)
      if (!op_is_memory((enum op_kind)a) && op_table[a].object == op_table[b].object &&
          op_table[a].object != OBJECT_NOTHING)
        independent += check_pair((enum op_kind)a, (enum op_kind)b);
  assert_true(independent >= 20); /* else the test looks at nothing */
}

/* The relation must not be trivially everything either: what plainly commutes is used. */
static void what_commutes_is_independent(void **unused)
{
  (void)unused;
  static const struct {
    enum op_kind a, b;
    uint64_t a_arg, b_arg;
  } pairs[] = {
      {OP_RWLOCK_RDLOCK, OP_RWLOCK_RDLOCK, 0, 0},
      {OP_RWLOCK_RDLOCK, OP_RWLOCK_UNLOCK, 0, 0},
      {OP_RWLOCK_UNLOCK, OP_RWLOCK_UNLOCK, 0, 0},
      {OP_SEM_POST, OP_SEM_POST, 0, 0},
      {OP_SEM_GETVALUE, OP_SEM_GETVALUE, 0, 0},
      {OP_COND_SIGNAL, OP_COND_SIGNAL, 1, 1},
      {OP_COND_SIGNAL, OP_COND_BROADCAST, 1, 1},
      {OP_COND_BROADCAST, OP_COND_BROADCAST, 1, 1},
      {OP_BARRIER_ARRIVE, OP_BARRIER_ARRIVE, 4, 4},
      {OP_BARRIER_ARRIVE, OP_BARRIER_LEAVE, 4, 4},
      {OP_BARRIER_ARRIVE, OP_BARRIER_LEAVE, 5, 4},
      {OP_BARRIER_LEAVE, OP_BARRIER_LEAVE, 4, 4},
      {OP_COND_WAKE, OP_COND_SIGNAL, 0, 0},
      {OP_COND_WAKE, OP_COND_BROADCAST, 0, 0},
      {OP_COND_WAKE, OP_COND_WAIT, 0, 0},
      {OP_COND_WAKE, OP_COND_WAKE, 0, 0},
      {OP_COND_WAKE, OP_COND_TIMEDWAKE, 0, 0},
      {OP_EXIT, OP_DETACH, 0, 0},
      {OP_QUEUE_LOOK, OP_QUEUE_LOOK, 0, 0},
      {OP_SEMSET_LOOK, OP_SEMSET_LOOK, 0, 0},
      {OP_AIO_LOOK, OP_AIO_LOOK, 0, 0},
  };
  for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    struct operation a = on(pairs[i].a, 1, 0), b = on(pairs[i].b, 1, 0);
    a.arg = pairs[i].a_arg;
    b.arg = pairs[i].b_arg;
    assert_false(op_dependent(&a, &b) || op_dependent(&b, &a));
  }
}

/* The models themselves: they tell what does not commute. */
static void the_models_see_what_does_not_commute(void **unused)
{
  (void)unused;
  static const struct {
    enum op_kind a, b;
    unsigned a_variant, b_variant;
  } pairs[] = {
      {OP_MUTEX_LOCK, OP_MUTEX_LOCK, 0, 0},
      {OP_MUTEX_LOCK, OP_MUTEX_UNLOCK, 0, 0},
      {OP_MUTEX_TRYLOCK, OP_MUTEX_TRYLOCK, 0, 0},
      {OP_MUTEX_TRYLOCK, OP_MUTEX_UNLOCK, 0, 0},
      {OP_SPIN_LOCK, OP_SPIN_TRYLOCK, 0, 0},
      {OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK, 0, 0},
      {OP_RWLOCK_TRYRDLOCK, OP_RWLOCK_UNLOCK, 0, 1},
      {OP_RWLOCK_RDLOCK, OP_RWLOCK_UNLOCK, 0, 1},
      {OP_RWLOCK_WRLOCK, OP_RWLOCK_UNLOCK, 0, 0},
      {OP_RWLOCK_WRLOCK, OP_RWLOCK_UNLOCK, 0, 1},
      {OP_SEM_WAIT, OP_SEM_WAIT, 0, 0},
      {OP_SEM_WAIT, OP_SEM_POST, 0, 0},
      {OP_SEM_GETVALUE, OP_SEM_POST, 0, 0},
      {OP_SEM_TRYWAIT, OP_SEM_POST, 0, 0},
      {OP_MUTEX_DESTROY, OP_MUTEX_LOCK, 0, 0},
      {OP_SEM_POST, OP_SEM_DESTROY, 0, 0},
      {OP_COND_WAKE, OP_COND_SIGNAL, 1, 0},
      {OP_COND_WAKE, OP_COND_BROADCAST, 1, 0},
      {OP_COND_TIMEDWAKE, OP_COND_SIGNAL, 0, 0},
      {OP_COND_WAKE, OP_COND_DESTROY, 0, 0},
      {OP_COND_SIGNAL, OP_COND_WAIT, 0, 0},
      {OP_COND_BROADCAST, OP_COND_WAIT, 0, 0},
      {OP_EXIT, OP_JOIN, 0, 0},
      {OP_EXIT, OP_TIMEDJOIN, 0, 0},
      {OP_QUEUE_SEND, OP_QUEUE_SEND, 0, 0},
      {OP_QUEUE_SEND, OP_QUEUE_RECEIVE, 0, 0},
      {OP_QUEUE_RECEIVE, OP_QUEUE_RECEIVE, 0, 0},
      {OP_QUEUE_TRYSEND, OP_QUEUE_RECEIVE, 0, 0},
      {OP_QUEUE_LOOK, OP_QUEUE_SEND, 0, 0},
  };
  for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    struct operation a, b;
    variant(pairs[i].a, pairs[i].a_variant, 2, &a);
    variant(pairs[i].b, pairs[i].b_variant, 3, &b);
    if (commutes(&a, &b))
      fail_msg("%s and %s", op_table[a.kind].name, op_table[b.kind].name);
    assert_true(op_dependent(&a, &b) && op_dependent(&b, &a));
  }
}

/* Who comes first into the next round had to wait for all of the last. */
static void arrivals_of_different_rounds_are_dependent(void **unused)
{
  (void)unused;
  struct operation early = on(OP_BARRIER_ARRIVE, 1, 0), late = early;
  late.arg = 1;
  assert_true(op_dependent(&early, &late) && op_dependent(&late, &early));
}

/* ---- memory ---- */

enum { CELLS = 24, MIDDLE = 8 };

/* An update of whatever is there; its result goes nowhere. */
static void update_apply(unsigned char *cell, const struct operation *op)
{
  uint64_t value = 0;
  memcpy(&value, cell + op->addr, op->length);
  switch ((enum update)op->second) {
  case UPDATE_ADD:
    value += op->arg;
    break;
  case UPDATE_AND:
    value &= op->arg;
    break;
  case UPDATE_OR:
    value |= op->arg;
    break;
  case UPDATE_XOR:
    value ^= op->arg;
    break;
  case UPDATE_NONE:
    fail();
  }
  memcpy(cell + op->addr, &value, op->length);
}

/* What an operation reads; writes leave bytes that tell the writer. */
static uint64_t memory_apply(unsigned char *cell, const struct operation *op, unsigned char mark)
{
  uint64_t seen = 0;
  if (op->second) {
    update_apply(cell, op);
    return 0;
  }
  for (uint32_t i = 0; i < op->length; i++) {
    if (op->kind != OP_WRITE && op->kind != OP_ATOMIC_STORE)
      seen = seen << 8 | cell[op->addr + i];
    if (op_writes_memory(op->kind))
      cell[op->addr + i] = mark;
  }
  return seen;
}

static bool memory_commutes(const struct operation *a, const struct operation *b)
{
  unsigned char ab[CELLS], ba[CELLS];
  memset(ab, 0, sizeof ab);
  memset(ba, 0, sizeof ba);
  uint64_t a1 = memory_apply(ab, a, 1), b1 = memory_apply(ab, b, 2);
  uint64_t b2 = memory_apply(ba, b, 2), a2 = memory_apply(ba, a, 1);
  return a1 == a2 && b1 == b2 && !memcmp(ab, ba, sizeof ab);
}

/* Every pair of operations, of sizes and of distances: dependent exactly if the order shows. */
static void memory_depends_byte_by_byte(void **unused)
{
  (void)unused;
  static const uint32_t sizes[] = {1, 2, 3, 4, 8};
  for (unsigned a = OP_READ; a <= OP_FREE; a++)
    for (unsigned b = OP_READ; b <= OP_FREE; b++)
      for (unsigned i = 0; i < 25; i++)
        for (uintptr_t at = 0; at <= CELLS - 8; at++) {
          struct operation x = {.kind = (uint16_t)a, .addr = MIDDLE, .length = sizes[i / 5]};
          struct operation y = {.kind = (uint16_t)b, .addr = at, .length = sizes[i % 5]};
          assert_int_equal(op_dependent(&x, &y), !memory_commutes(&x, &y));
        }
}

/* Whether two commute whatever was there before. */
static bool always_commutes(const struct operation *a, const struct operation *b)
{
  for (unsigned fill = 0; fill < 256; fill += 51) {
    unsigned char ab[CELLS], ba[CELLS];
    memset(ab, (int)fill, sizeof ab);
    memset(ba, (int)fill, sizeof ba);
    uint64_t a1 = memory_apply(ab, a, 1), b1 = memory_apply(ab, b, 2);
    uint64_t b2 = memory_apply(ba, b, 2), a2 = memory_apply(ba, a, 1);
    if (a1 != a2 || b1 != b2 || memcmp(ab, ba, sizeof ab))
      return false;
  }
  return true;
}

/* Updates whose result nobody uses, of all kinds, sizes and distances, with one another and with all other accesses:
 * what is called independent commutes, and those of one kind on the same bytes are called so. */
static void updates_of_one_kind_commute(void **unused)
{
  (void)unused;
  static const uint32_t sizes[] = {1, 2, 4, 8};
  for (unsigned a = UPDATE_ADD; a <= UPDATE_XOR; a++)
    for (unsigned b = 0; b <= UPDATE_XOR + OP_FREE - OP_READ; b++)
      for (unsigned i = 0; i < 16; i++)
        for (uintptr_t at = 0; at <= CELLS - 8; at++) {
          bool update = b >= UPDATE_ADD && b <= UPDATE_XOR;
          unsigned kind = OP_READ + (b > UPDATE_XOR ? b - UPDATE_XOR : 0);
          struct operation x = {
              .kind = OP_ATOMIC_RMW, .second = a, .arg = 0x0f1e2d3c4b5a6978, .addr = MIDDLE, .length = sizes[i / 4]};
          struct operation y = {.kind = update ? OP_ATOMIC_RMW : (uint8_t)kind, .addr = at, .length = sizes[i % 4]};
          if (update)
            y.second = b, y.arg = 0x8badf00ddeadbeef;
          if (!op_dependent(&x, &y))
            assert_true(always_commutes(&x, &y));
          assert_int_equal(op_dependent(&x, &y), op_dependent(&y, &x));
          if (a == b && at == MIDDLE && x.length == y.length)
            assert_false(op_dependent(&x, &y));
        }
}

static void reads_commute(void **unused)
{
  (void)unused;
  struct operation a = {.kind = OP_READ, .addr = 8, .length = 8}, b = {.kind = OP_ATOMIC_LOAD, .addr = 8, .length = 8};
  assert_false(op_dependent(&a, &a));
  assert_false(op_dependent(&a, &b));
  assert_false(op_dependent(&b, &b));
}

static void memory_at_the_ends_of_the_address_space(void **unused)
{
  (void)unused;
  struct operation low = {.kind = OP_WRITE, .addr = 0, .length = 8};
  struct operation high = {.kind = OP_WRITE, .addr = UINTPTR_MAX - 8, .length = 8};
  assert_false(op_dependent(&low, &high));
  assert_true(op_dependent(&high, &high));
}

/* ---- all of them ---- */

static struct operation some_operation(uint64_t *stream)
{
  struct operation op = on((enum op_kind)rng_below(stream, OP_COUNT), rng_below(stream, 4), rng_below(stream, 4));
  op.addr = rng_below(stream, 16);
  op.length = 1 + rng_below(stream, 8);
  op.arg = rng_below(stream, 4);
  op.traits = (uint8_t)(rng_below(stream, 8) ? rng_below(stream, 4) : OP_FAR);
  if (op_is_memory(op.kind))
    op.object = op.second = 0;
  return op;
}

static void the_relation_is_symmetric(void **unused)
{
  (void)unused;
  uint64_t stream = 3;
  unsigned dependent = 0;
  for (unsigned i = 0; i < 300000; i++) {
    struct operation a = some_operation(&stream), b = some_operation(&stream);
    assert_int_equal(op_dependent(&a, &b), op_dependent(&b, &a));
    dependent += op_dependent(&a, &b);
  }
  assert_in_range(dependent, 60000, 240000);
}

/* What is dependent whatever the objects. */
static bool creates_task(const struct operation *op)
{
  return op->kind == OP_CREATE || op->kind == OP_AIO_SUBMIT;
}

static bool by_kind_alone(const struct operation *a, const struct operation *b)
{
  return op_is_global(a) || op_is_global(b) || (creates_task(a) && creates_task(b));
}

static void different_objects_are_independent(void **unused)
{
  (void)unused;
  for (unsigned a = 0; a < OP_COUNT; a++)
    for (unsigned b = 0; b < OP_COUNT; b++) {
      struct operation x = on((enum op_kind)a, 1, 0), y = on((enum op_kind)b, 2, 0);
      bool by_footprint = a == OP_SYSTEM || b == OP_SYSTEM || /* which have no object */
                          (a == OP_PROPERTY && b == OP_PROPERTY);
      if (!op_is_memory(x.kind) && !op_is_memory(y.kind) && !by_footprint)
        assert_int_equal(op_dependent(&x, &y), by_kind_alone(&x, &y));
    }
}

/* Objects are numbered as an execution comes to them; their addresses are the same in all of them. */
static void objects_are_known_by_their_addresses(void **unused)
{
  (void)unused;
  struct operation lock = on(OP_MUTEX_LOCK, 1, 0), renumbered = lock, elsewhere = lock, sem = on(OP_SEM_WAIT, 1, 0);
  renumbered.object = 7;
  elsewhere.addr += 64;
  assert_true(op_dependent(&lock, &renumbered));
  assert_false(op_dependent(&lock, &elsewhere));
  assert_false(op_dependent(&lock, &sem)); /* another kind of object */
  struct operation wait = on(OP_COND_WAIT, 5, 1), wait_renumbered = wait;
  wait_renumbered.second = 9;
  wait_renumbered.addr += 64;
  assert_true(op_dependent(&wait, &renumbered) && op_dependent(&renumbered, &wait));
  assert_false(op_dependent(&wait, &elsewhere) || op_dependent(&elsewhere, &wait));
  assert_true(op_dependent(&wait, &wait_renumbered)); /* one mutex */
}

/* Signals, cancellation, descriptors, and whatever else says so. */
static void global_operations_depend_on_everything(void **unused)
{
  (void)unused;
  static const enum op_kind global[] = {OP_END,          OP_CANCEL,           OP_SIGNAL_SEND,  OP_EXPIRE,
                                        OP_SIGNAL_WAIT,  OP_SIGNAL_TIMEDWAIT, OP_FD_WAIT,      OP_FD_TIMEDWAIT,
                                        OP_PAUSE,        OP_PROCESS_END,      OP_PROCESS_WAIT, OP_PROCESS_POLL,
                                        OP_PROCESS_LEND, OP_PROCESS_STOP,     OP_PROCESS_GO_ON};
  unsigned count = 0;
  for (unsigned a = 0; a < OP_COUNT; a++) {
    struct operation x = on((enum op_kind)a, 1, 0);
    count += op_is_global(&x);
  }
  assert_int_equal(count, sizeof global / sizeof global[0]);
  for (unsigned i = 0; i < sizeof global / sizeof global[0]; i++)
    for (unsigned b = 0; b < OP_COUNT; b++) {
      struct operation x = on(global[i], 1, 0), y = on((enum op_kind)b, 2, 0), bare = {.kind = (uint16_t)b};
      bool prints = b == OP_SYSTEM; /* without a footprint: see below */
      if (prints)
        bare.addr = SYSTEM_FILES;
      assert_true(op_dependent(&x, &y) && op_dependent(&y, &x));
      assert_true(op_dependent(&x, &bare) && op_dependent(&bare, &x));
    }
  struct operation far = {.kind = OP_FUTEX_WAKE, .traits = OP_FAR, .object = 1, .addr = 8}, yield = {.kind = OP_YIELD};
  struct operation near = far;
  near.traits = OP_ON_HEAP | OP_SPURIOUS;
  assert_true(op_dependent(&far, &yield) && op_dependent(&yield, &far));
  assert_false(op_dependent(&near, &yield) || op_dependent(&yield, &near));
}

/* Two calls depend on each other where one changes what the other reads or changes; what is printed only on the end. */
static void calls_depend_by_what_they_touch(void **unused)
{
  (void)unused;
  struct operation look = {.kind = OP_SYSTEM, .arg = SYSTEM_FILES | SYSTEM_FOLDER},
                   make = {.kind = OP_SYSTEM, .addr = SYSTEM_FILES};
  struct operation mask = {.kind = OP_SYSTEM, .addr = SYSTEM_CREATION},
                   move = {.kind = OP_SYSTEM, .addr = SYSTEM_FOLDER};
  struct operation print = {.kind = OP_SYSTEM}, end = {.kind = OP_END}, wait = {.kind = OP_FD_WAIT},
                   lock = on(OP_MUTEX_LOCK, 1, 0);
  assert_true(op_dependent(&look, &make) && op_dependent(&make, &look) && op_dependent(&make, &make));
  assert_true(op_dependent(&move, &look));
  assert_false(op_dependent(&look, &look) || op_dependent(&make, &mask) || op_dependent(&mask, &move));
  assert_false(op_dependent(&make, &lock) || op_dependent(&lock, &look));
  assert_true(op_dependent(&make, &wait) && op_dependent(&wait, &look));
  assert_false(op_dependent(&print, &print) || op_dependent(&print, &make) || op_dependent(&wait, &print));
  assert_true(op_dependent(&print, &end) && op_dependent(&end, &print));
}

/* What is in different files, and where different descriptions stand, is apart; what concerns all files is not. */
static void calls_on_different_files_commute(void **unused)
{
  (void)unused;
  struct operation write[2], read[2], all = {.kind = OP_SYSTEM, .arg = SYSTEM_ALL_FILES};
  for (uint64_t i = 0; i < 2; i++) {
    write[i] = (struct operation){.kind = OP_SYSTEM, .addr = system_file(i), .arg = SYSTEM_DESCRIPTORS};
    read[i] = (struct operation){.kind = OP_SYSTEM, .addr = system_description(i), .arg = system_file(0)};
  }
  struct operation same_rest = {.kind = OP_SYSTEM, .addr = system_file(SYSTEM_FILES_APART)};
  assert_false(op_dependent(&write[0], &write[1]) || op_dependent(&write[1], &read[0]));
  assert_false(op_dependent(&read[0], &read[1]) || op_dependent(&read[0], &all));
  assert_true(op_dependent(&write[0], &write[0]) && op_dependent(&write[0], &read[1]) &&
              op_dependent(&read[0], &read[0]));
  assert_true(op_dependent(&write[0], &all) && op_dependent(&all, &write[1]) && op_dependent(&write[0], &same_rest));
}

static void a_cancellation_concerns_one_thread(void **unused)
{
  (void)unused;
  struct operation cancel = {.kind = OP_CANCEL, .object = 1, .addr = 0x1000, .arg = SECOND};
  struct operation other = {.kind = OP_CANCEL, .object = 2, .addr = 0x2000, .arg = 4};
  struct operation start = {.kind = OP_START}, join = {.kind = OP_JOIN, .object = 1, .addr = 0x1000, .arg = SECOND};
  struct operation wait = {.kind = OP_FD_WAIT};
  assert_true(op_steps_dependent(FIRST, &cancel, SECOND, &start));
  assert_true(op_steps_dependent(SECOND, &start, FIRST, &cancel));
  assert_false(op_steps_dependent(FIRST, &cancel, 3, &start));
  assert_true(op_steps_dependent(FIRST, &cancel, 3, &join));
  assert_true(op_steps_dependent(3, &wait, FIRST, &cancel));
  assert_false(op_steps_dependent(FIRST, &cancel, 3, &other));
  assert_true(op_steps_dependent(FIRST, &cancel, SECOND, &other));
  assert_true(op_steps_dependent(SECOND, &other, FIRST, &cancel));
}

/* Threads are numbered in the order of their creation. */
static void creations_depend_on_each_other(void **unused)
{
  (void)unused;
  struct operation a = {.kind = OP_CREATE, .arg = 1}, b = {.kind = OP_CREATE, .arg = 2};
  assert_true(op_dependent(&a, &b));
  for (unsigned i = 0; i < OP_COUNT; i++) {
    struct operation other = on((enum op_kind)i, 1, 0);
    assert_int_equal(op_dependent(&a, &other), by_kind_alone(&a, &other));
  }
}

/* Calls are known by the object they are given, which may be anything, and meet nothing else. */
static void calls_depend_by_object(void **unused)
{
  (void)unused;
  struct operation a = {.kind = OP_CALL, .addr = 64, .arg = 1}, b = {.kind = OP_CALL, .addr = 64, .arg = 2};
  struct operation elsewhere = {.kind = OP_CALL, .addr = 65, .arg = 1};
  assert_true(op_dependent(&a, &b) && op_dependent(&b, &a));
  assert_false(op_dependent(&a, &elsewhere));
  for (unsigned i = 0; i < OP_COUNT; i++) {
    struct operation other = on((enum op_kind)i, 1, 0);
    other.addr = a.addr;
    if (i != OP_CALL) {
      assert_int_equal(op_dependent(&a, &other), op_is_global(&other));
      assert_int_equal(op_dependent(&other, &a), op_is_global(&other));
    }
  }
}

static struct operation property_event(unsigned property, unsigned first, uint64_t value, unsigned second,
                                       uint64_t other)
{
  return (struct operation){
      .kind = OP_PROPERTY, .length = PROPERTY_EVENT(3, property, first, second), .addr = value, .arg = other};
}

/* Events are read by the same monitor unless a parameter has two values, and meet nothing else. */
static void events_depend_by_monitor(void **unused)
{
  (void)unused;
  struct operation of_x = property_event(0, 1, 64, 0, 0), of_another_x = property_event(0, 1, 65, 0, 0);
  struct operation of_y = property_event(0, 2, 64, 0, 0), of_both = property_event(0, 2, 64, 1, 65);
  struct operation of_all = property_event(0, 0, 64, 0, 0), elsewhere = property_event(1, 1, 64, 0, 0);
  assert_true(op_dependent(&of_x, &of_x) && op_dependent(&of_x, &of_y) && op_dependent(&of_all, &of_x));
  assert_true(op_dependent(&of_y, &of_both) && op_dependent(&of_another_x, &of_both));
  assert_false(op_dependent(&of_x, &of_another_x) || op_dependent(&of_x, &of_both) || op_dependent(&of_both, &of_x));
  assert_false(op_dependent(&of_x, &elsewhere) || op_dependent(&of_all, &elsewhere));
  for (unsigned i = 0; i < OP_COUNT; i++) {
    struct operation other = on((enum op_kind)i, 1, 0);
    if (i != OP_PROPERTY) {
      assert_int_equal(op_dependent(&of_x, &other), op_is_global(&other));
      assert_int_equal(op_dependent(&other, &of_x), op_is_global(&other));
    }
  }
}

static struct operation on_channels(uint16_t first, uint16_t second, uint8_t changes, uint32_t reads_system,
                                    uint32_t changes_system)
{
  struct operation op = {.kind = OP_CHANNEL_CALL};
  const struct channel_touch touch = {.channel = {first, second},
                                      .count = (uint8_t)(1 + (second != 0)),
                                      .changes = changes,
                                      .system_changes = changes_system,
                                      .system_reads = reads_system};
  op_set_channels(&op, &touch);
  return op;
}

/* Any of the channels, or a part of the system that other calls have to do with, too. */
static void channels_depend_by_what_they_touch(void **unused)
{
  (void)unused;
  struct operation one = on_channels(2, 0, 1, 0, 0), other = on_channels(4, 0, 1, 0, 0);
  struct operation both = on_channels(6, 2, 1, 0, 0), looks = on_channels(2, 4, 0, 0, 0);
  struct operation numbers = on_channels(8, 0, 1, 0, SYSTEM_DESCRIPTORS), bad = {.kind = OP_CHANNEL_CALL};
  struct operation opens = {.kind = OP_SYSTEM, .addr = SYSTEM_DESCRIPTORS}, far = one;
  op_set_channels(&bad, &(struct channel_touch){.system_reads = SYSTEM_DESCRIPTORS});
  far.traits = OP_FAR;
  assert_false(op_dependent(&one, &other) || op_dependent(&looks, &looks) || op_dependent(&bad, &bad));
  assert_false(op_dependent(&one, &opens) || op_dependent(&one, &numbers));
  assert_true(op_dependent(&one, &one) && op_dependent(&one, &both) && op_dependent(&one, &looks));
  assert_false(op_dependent(&both, &looks)); /* both only look at 2 */
  assert_true(op_dependent(&other, &looks) && op_dependent(&numbers, &opens) && op_dependent(&bad, &opens));
  assert_true(op_dependent(&far, &other) && op_dependent(&other, &far));
}

static void operations_without_object_depend_on_nothing(void **unused)
{
  (void)unused;
  static const enum op_kind kinds[] = {OP_YIELD, OP_SLEEP, OP_CHOOSE, OP_EVENT, OP_FENCE, OP_GUARD_END};
  for (unsigned i = 0; i < 6; i++)
    for (unsigned b = 0; b < OP_COUNT; b++) {
      struct operation x = on(kinds[i], 0, 0), y = on((enum op_kind)b, 0, 0), z = on((enum op_kind)b, 1, 2);
      assert_int_equal(op_dependent(&x, &y), op_is_global(&y));
      assert_int_equal(op_dependent(&x, &z), op_is_global(&z));
    }
}

/* A wait on a condition variable is an operation on its mutex too. */
static void two_objects_count_both(void **unused)
{
  (void)unused;
  enum { COND = 1, MUTEX = 2, OTHER_COND = 3, OTHER_MUTEX = 4 };
  struct operation wait = on(OP_COND_WAIT, COND, MUTEX);
  struct operation dependent[] = {on(OP_MUTEX_LOCK, MUTEX, 0),         on(OP_MUTEX_UNLOCK, MUTEX, 0),
                                  on(OP_COND_SIGNAL, COND, 0),         on(OP_COND_WAKE, COND, MUTEX),
                                  on(OP_COND_WAIT, COND, OTHER_MUTEX), on(OP_COND_WAIT, OTHER_COND, MUTEX),
                                  on(OP_COND_WAKE, OTHER_COND, MUTEX)};
  struct operation independent[] = {on(OP_MUTEX_LOCK, OTHER_MUTEX, 0), on(OP_COND_SIGNAL, OTHER_COND, 0),
                                    on(OP_COND_WAIT, OTHER_COND, OTHER_MUTEX),
                                    on(OP_SEM_POST, MUTEX, 0)}; /* at the address of the mutex */
  for (unsigned i = 0; i < sizeof dependent / sizeof dependent[0]; i++)
    assert_true(op_dependent(&wait, &dependent[i]) && op_dependent(&dependent[i], &wait));
  for (unsigned i = 0; i < sizeof independent / sizeof independent[0]; i++)
    assert_false(op_dependent(&wait, &independent[i]) || op_dependent(&independent[i], &wait));
}

/* A join waits for the thread's exit: both name the thread as their object. */
static void a_join_depends_on_the_exit(void **unused)
{
  (void)unused;
  struct operation join = on(OP_JOIN, 7, 0), exit = on(OP_EXIT, 7, 0), other = on(OP_EXIT, 8, 0);
  assert_true(op_dependent(&join, &exit));
  assert_false(op_dependent(&join, &other));
}

/* ---- objects are memory too ---- */

/* A lock in a block that another thread frees: a use after free in one order only. */
static void a_free_depends_on_operations_on_what_lies_in_the_block(void **unused)
{
  (void)unused;
  struct operation block = {.kind = OP_FREE, .addr = 0x1000, .length = 128};
  static const enum op_kind kinds[] = {OP_MUTEX_LOCK, OP_MUTEX_UNLOCK, OP_COND_SIGNAL, OP_SEM_POST, OP_RWLOCK_RDLOCK};
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct operation inside = on(kinds[i], 1, 0), outside = on(kinds[i], 1, 0);
    inside.addr = 0x1040;
    outside.addr = 0x1080;
    assert_true(op_dependent(&block, &inside) && op_dependent(&inside, &block));
    assert_false(op_dependent(&block, &outside) || op_dependent(&outside, &block));
  }
}

/* A futex wait compares the word: it sleeps or not, depending on who comes first. */
static void a_futex_wait_depends_on_writes_to_its_word(void **unused)
{
  (void)unused;
  struct operation wait = on(OP_FUTEX_WAIT, 5, 0);
  wait.addr = 0x2000;
  static const enum op_kind kinds[] = {OP_WRITE, OP_ATOMIC_STORE, OP_ATOMIC_RMW};
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct operation word = {.kind = (uint16_t)kinds[i], .addr = 0x2000, .length = 4}, next = word, byte = word;
    next.addr = 0x2004;
    byte.addr = 0x2003;
    byte.length = 1;
    assert_true(op_dependent(&wait, &word) && op_dependent(&word, &wait));
    assert_true(op_dependent(&wait, &byte) && op_dependent(&byte, &wait));
    assert_false(op_dependent(&wait, &next) || op_dependent(&next, &wait));
  }
  struct operation read = {.kind = OP_ATOMIC_LOAD, .addr = 0x2000, .length = 4};
  assert_false(op_dependent(&wait, &read) || op_dependent(&read, &wait));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(independent_operations_on_one_object_commute),
      cmocka_unit_test(what_commutes_is_independent),
      cmocka_unit_test(the_models_see_what_does_not_commute),
      cmocka_unit_test(arrivals_of_different_rounds_are_dependent),
      cmocka_unit_test(memory_depends_byte_by_byte),
      cmocka_unit_test(updates_of_one_kind_commute),
      cmocka_unit_test(reads_commute),
      cmocka_unit_test(memory_at_the_ends_of_the_address_space),
      cmocka_unit_test(the_relation_is_symmetric),
      cmocka_unit_test(different_objects_are_independent),
      cmocka_unit_test(objects_are_known_by_their_addresses),
      cmocka_unit_test(global_operations_depend_on_everything),
      cmocka_unit_test(calls_depend_by_what_they_touch),
      cmocka_unit_test(calls_on_different_files_commute),
      cmocka_unit_test(a_cancellation_concerns_one_thread),
      cmocka_unit_test(creations_depend_on_each_other),
      cmocka_unit_test(calls_depend_by_object),
      cmocka_unit_test(events_depend_by_monitor),
      cmocka_unit_test(channels_depend_by_what_they_touch),
      cmocka_unit_test(operations_without_object_depend_on_nothing),
      cmocka_unit_test(two_objects_count_both),
      cmocka_unit_test(a_join_depends_on_the_exit),
      cmocka_unit_test(a_free_depends_on_operations_on_what_lies_in_the_block),
      cmocka_unit_test(a_futex_wait_depends_on_writes_to_its_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
