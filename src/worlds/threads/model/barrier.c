/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers. To arrive and to leave are two operations. Which of those that were waiting is told to be the serial
 * thread is a choice, among those that look at what they are told and one of the others: `as` (src/assemble) sees whose
 * result nobody reads. Arrivals of two rounds never mix.
 */
#include "worlds/threads/model/barrier.h"
#include <errno.h>

static void set_up(struct object *b)
{
  b->limit = ((const unsigned *)b->addr)[2]; /* glibc: in, round, count */
}

static struct object *barrier_object(pthread_barrier_t *barrier)
{
  return object_at(barrier, OBJECT_BARRIER, set_up);
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  const struct object *b = object_by_id(op->object);
  if (op->kind == OP_BARRIER_DESTROY)
    return threadset_empty(&b->signalled); /* those that were let through may still be leaving */
  return threadset_has(&b->signalled, thread);
}

static uint64_t round_number(void *self, const struct operation *op, uint64_t key)
{
  (void)self;
  const struct object *b = object_of(op, key);
  return b ? b->phase : 0;
}

static bool released(void *self, unsigned thread, const struct operation *op)
{
  return op->kind == OP_BARRIER_LEAVE && is_signalled(self, thread, op);
}

const struct object_model barrier_model = {.enabled = enabled, .state = round_number, .released = released};

static struct vclock *round_clock(struct object *b, uint32_t round)
{
  return round & 1 ? &b->clock : &b->readers_clock;
}

static unsigned choose_serial(const struct object *b)
{
  struct threadset asks = {{0}};
  unsigned other = MAX_THREADS;
  THREADSET_EACH(t, &b->waiters)
  {
    if (rt.thread[t].asks_serial)
      threadset_add(&asks, t);
    else
      other = t;
  }
  unsigned nth = engine_choose(rt.engine, threadset_count(&asks) + (other < MAX_THREADS));
  return nth < threadset_count(&asks) ? threadset_nth(&asks, nth) : other;
}

static void open_barrier(struct object *b)
{
  unsigned serial = choose_serial(b);
  rt.thread[serial].serial = true;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    b->signalled.word[i] |= b->waiters.word[i];
  b->waiters = (struct threadset){{0}};
  b->count = 0;
  b->phase++;
  vclock_clear(round_clock(b, b->phase));
  engine_touch(rt.engine);
}

static int barrier_wait(pthread_barrier_t *barrier, bool asks_serial, uintptr_t pc)
{
  struct object *b = barrier_object(barrier);
  unsigned me = self_index();
  step_on(OP_BARRIER_ARRIVE, b, 0, pc);
  if (b->destroyed)
    misuse(b, OP_BARRIER_ARRIVE, pc, "uses a barrier that was destroyed");
  uint32_t round = b->phase;
  rt.thread[me].asks_serial = asks_serial;
  threadset_add(&b->waiters, me);
  b->count++;
  release_to(round_clock(b, round));
  performed(0);
  if (b->count == b->limit)
    open_barrier(b);
  step_on(OP_BARRIER_LEAVE, b, 0, pc);
  threadset_remove(&b->signalled, me);
  engine_touch(rt.engine);
  acquire_from(round_clock(b, round));
  bool serial = rt.thread[me].serial;
  rt.thread[me].serial = false;
  return performed(serial ? PTHREAD_BARRIER_SERIAL_THREAD : 0);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
  return hd_self ? barrier_wait(barrier, true, CALLER()) : REAL(pthread_barrier_wait)(barrier);
}

EXPORT void __heddle_barrier_wait(pthread_barrier_t *barrier)
{
  if (hd_self)
    barrier_wait(barrier, false, CALLER());
  else
    REAL(pthread_barrier_wait)(barrier);
}

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count)
{
  if (!hd_self)
    return REAL(pthread_barrier_init)(barrier, attr, count);
  const bool known = object_find(barrier, OBJECT_BARRIER);
  int result = REAL(pthread_barrier_init)(known ? &(pthread_barrier_t){0} : barrier, attr, count);
  if (result)
    return result;
  struct object *b = barrier_object(barrier);
  step_on(OP_BARRIER_INIT, b, count, CALLER());
  if (b->count)
    misuse(b, OP_BARRIER_INIT, CALLER(), "initialises a barrier that threads wait at");
  REAL(pthread_barrier_init)(barrier, attr, count);
  object_forget(b);
  barrier_object(barrier)->limit = count;
  return performed(0);
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
  if (!hd_self)
    return REAL(pthread_barrier_destroy)(barrier);
  struct object *b = barrier_object(barrier);
  step_on(OP_BARRIER_DESTROY, b, 0, CALLER());
  if (b->destroyed)
    misuse(b, OP_BARRIER_DESTROY, CALLER(), "destroys a barrier twice");
  if (b->count)
    misuse(b, OP_BARRIER_DESTROY, CALLER(), "destroys a barrier that threads wait at");
  object_destroyed(b);
  return performed(0);
}
