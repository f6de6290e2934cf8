/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables. A wait is two operations: to begin waiting (release the mutex, join the waiters) and to wake
 * (signalled, or timed out, and the mutex is free again), so a signal can come in between and be lost as in reality.
 * Which waiter a signal wakes is a choice. A timed waiter may have given up already and only want its mutex back, so
 * whether a signal comes too late for it is a choice too. With --spurious a waiter may wake for no
 * reason; without, whether that would make a difference is rehearsed (rehearsal.h). */
#include "worlds/threads/model/cond.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/model/rehearsal.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/punctual.h"
#include <errno.h>

static void set_up(struct object *c)
{
  /* glibc keeps the clock of a condition variable in a bit of its reference count. */
  c->clock_id = ((const pthread_cond_t *)c->addr)->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

struct object *cond_object(pthread_cond_t *cond)
{
  return object_at(cond, OBJECT_COND, set_up);
}

static void check_alive(struct object *c, enum op_kind op, uintptr_t pc)
{
  if (unlikely(c->destroyed))
    misuse(c, op, pc, "uses a condition variable that was destroyed");
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  const struct object *c = object_by_id(op->object);
  if (op->kind == OP_COND_DESTROY)
    return threadset_empty(&c->signalled); /* a woken waiter may still be on its way out */
  const struct object *m = object_by_id(op->second);
  if (m->owner >= 0 && m->owner != (int)thread) /* its own: a recursive mutex that was locked more than once */
    return false;
  return op->kind == OP_COND_TIMEDWAKE || threadset_has(&c->signalled, thread) || cancel_wanted(thread) ||
         rt.control->config.spurious;
}

/* Who has the mutex that the woken one wants back. */
static int holder(void *self, const struct operation *op, uintptr_t *pc)
{
  (void)self;
  if (op->kind != OP_COND_WAKE && op->kind != OP_COND_TIMEDWAKE)
    return -1;
  const struct object *m = object_by_id(op->second);
  *pc = m->owner_pc;
  return m->owner;
}

static bool released(void *self, unsigned thread, const struct operation *op)
{
  return (op->kind == OP_COND_WAKE || op->kind == OP_COND_TIMEDWAKE) && is_signalled(self, thread, op);
}

const struct object_model cond_model = {
    .enabled = enabled, .state = waiters_number, .holder = holder, .released = released};

static struct threadset unsignalled(const struct object *c)
{
  struct threadset set;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    set.word[i] = c->waiters.word[i] & ~c->signalled.word[i];
  return set;
}

/* Whether a signal makes a difference. */
static bool has_waiters(const struct object *c)
{
  struct threadset waiting = unsignalled(c);
  return !threadset_empty(&waiting);
}

/* A waiter that gave up is none any more, and wakes when it can have the mutex. */
static bool in_time(struct object *c, unsigned waiter)
{
  if (!rt.thread[waiter].wait_ends || rt.punctual || engine_choose(rt.engine, 2) == 0)
    return true;
  threadset_remove(&c->waiters, waiter);
  return false;
}

static void begin_wait(struct object *c, struct object *m, uintptr_t pc)
{
  unsigned me = self_index();
  check_alive(c, OP_COND_WAIT, pc);
  if (m->owner != (int)me)
    misuse(m, OP_COND_WAIT, pc, "waits on a condition variable without holding the mutex");
  struct threadset others = unsignalled(c); /* those already woken only want their mutex back */
  if (!threadset_empty(&others) && c->waiters_mutex != m->id)
    misuse(c, OP_COND_WAIT, pc, "waits on a condition variable that other threads wait on with another mutex");
  c->waiters_mutex = m->id;
  threadset_add(&c->waiters, me);
}

/* One of the waiters wakes, unless all gave up before. */
static void wake_one(struct object *c)
{
  struct threadset waiting = unsignalled(c);
  for (unsigned n; (n = threadset_count(&waiting)); waiting = unsignalled(c)) {
    unsigned woken = threadset_nth(&waiting, engine_choose(rt.engine, n));
    if (in_time(c, woken)) {
      threadset_add(&c->signalled, woken);
      return;
    }
  }
}

/* Signalled and cancelled: which it notices is anybody's guess, and a thread that is cancelled leaves the signal to
 * others. */
static bool passes_on(struct object *c)
{
  if (!cancel_wanted(self_index()) || engine_choose(rt.engine, 2) == 0)
    return false;
  wake_one(c);
  return true;
}

/* Where the two live apart, only one can be told by its space: it may concern anything then. */
struct operation cond_operation(enum op_kind kind, const struct object *c, const struct object *m, uintptr_t pc)
{
  struct operation op = operation_on(kind, c, m->addr, pc);
  op.second = m->id;
  op.traits |= c->space != m->space ? OP_FAR : 0;
  return op;
}

/* Whether a wait with a timeout that nobody signalled ends without its time having come. */
static bool ends_for_no_reason(void)
{
  return rt.control->config.spurious && engine_choose(rt.engine, 2) == 1;
}

/* deadline: -1 for none. The result of the wait. */
static int wait_on(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline, uintptr_t pc)
{
  struct object *c = cond_object(cond), *m = mutex_object(mutex);
  unsigned me = self_index();
  if (m->owner == (int)me && rehearsal_of_wait(c->id, m->id, pc))
    return 0;
  property_unlock(mutex, false, pc);
  check_cancel(pc);
  struct operation op = cond_operation(OP_COND_WAIT, c, m, pc);
  step(&op);
  if (m->owner != (int)me && mutex_checks_owner(m))
    return performed(EPERM);
  begin_wait(c, m, pc);
  performed(0);
  mutex_give_up(m);
  self_thread()->wait_ends = deadline >= 0;
  op.kind = deadline < 0 ? OP_COND_WAKE : OP_COND_TIMEDWAKE;
  if (deadline >= 0)
    ends_at(deadline);
  op.traits |= (rt.control->config.spurious ? OP_SPURIOUS : 0) | (cancel_wanted(me) ? OP_CANCELLED : 0);
  step(&op);
  bool signalled = threadset_has(&c->signalled, me);
  threadset_remove(&c->waiters, me);
  threadset_remove(&c->signalled, me);
  engine_touch(rt.engine);
  if (signalled)
    self_thread()->section.looks = 0;
  int error = mutex_retake(m, pc);
  if (signalled && !passes_on(c))
    acquire_from(&c->clock);
  else
    check_cancel(pc);
  bool timed_out = !signalled && deadline >= 0 && !ends_for_no_reason();
  if (timed_out)
    time_pass_until(deadline);
  performed(error ? error : timed_out ? ETIMEDOUT : 0);
  property_lock(mutex, true, pc);
  return error ? error : timed_out ? ETIMEDOUT : 0;
}

int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc)
{
  return wait_on(cond, mutex, -1, pc);
}

int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *at,
                    uintptr_t pc)
{
  int64_t deadline = deadline_of(clock, at);
  return deadline < 0 ? EINVAL : wait_on(cond, mutex, deadline, pc);
}

int cond_signal(pthread_cond_t *cond, uintptr_t pc)
{
  struct object *c = cond_object(cond);
  step_on(OP_COND_SIGNAL, c, 0, pc);
  check_alive(c, OP_COND_SIGNAL, pc);
  if (has_waiters(c)) {
    look_behind();
    wake_one(c);
    release_to(&c->clock);
    engine_touch(rt.engine);
  }
  return performed(0);
}

int cond_broadcast(pthread_cond_t *cond, uintptr_t pc)
{
  struct object *c = cond_object(cond);
  step_on(OP_COND_BROADCAST, c, 0, pc);
  check_alive(c, OP_COND_BROADCAST, pc);
  if (has_waiters(c)) {
    look_behind();
    for (unsigned t = 0; t < rt.engine->threads; t++)
      if (threadset_has(&c->waiters, t) && !threadset_has(&c->signalled, t) && in_time(c, t))
        threadset_add(&c->signalled, t);
    release_to(&c->clock);
    engine_touch(rt.engine);
  }
  return performed(0);
}

int cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr, uintptr_t pc)
{
  int result = REAL(pthread_cond_init)(object_find(cond, OBJECT_COND) ? &(pthread_cond_t){0} : cond, attr);
  if (result)
    return result;
  struct object *c = cond_object(cond);
  step_on(OP_COND_INIT, c, 0, pc);
  if (!threadset_empty(&c->waiters))
    misuse(c, OP_COND_INIT, pc, "initialises a condition variable that threads wait on");
  REAL(pthread_cond_init)(cond, attr);
  object_forget(c);
  cond_object(cond);
  return performed(0);
}

int cond_destroy(pthread_cond_t *cond, uintptr_t pc)
{
  struct object *c = cond_object(cond);
  check_alive(c, OP_COND_DESTROY, pc);
  step_on(OP_COND_DESTROY, c, 0, pc);
  check_alive(c, OP_COND_DESTROY, pc);
  if (!threadset_empty(&c->waiters))
    misuse(c, OP_COND_DESTROY, pc, "destroys a condition variable that threads wait on");
  object_destroyed(c);
  return performed(0);
}

/* ---- the pthread interface ---- */

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
  return hd_self ? cond_wait(cond, mutex, CALLER()) : REAL(pthread_cond_wait)(cond, mutex);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *at)
{
  if (!hd_self)
    return REAL(pthread_cond_timedwait)(cond, mutex, at);
  return cond_wait_until(cond, mutex, cond_object(cond)->clock_id, at, CALLER());
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *at)
{
  if (!hd_self)
    return REAL(pthread_cond_clockwait)(cond, mutex, clock, at);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return EINVAL;
  return cond_wait_until(cond, mutex, clock, at, CALLER());
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
  return hd_self ? cond_signal(cond, CALLER()) : REAL(pthread_cond_signal)(cond);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
  return hd_self ? cond_broadcast(cond, CALLER()) : REAL(pthread_cond_broadcast)(cond);
}

EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
  return hd_self ? cond_init(cond, attr, CALLER()) : REAL(pthread_cond_init)(cond, attr);
}

EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
  return hd_self ? cond_destroy(cond, CALLER()) : REAL(pthread_cond_destroy)(cond);
}
