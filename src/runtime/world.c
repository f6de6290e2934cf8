/* SPDX-License-Identifier: Apache-2.0
 *
 * The world of threads, as the engine sees it: whether a pending operation can be performed now. The rules themselves
 * stand with each primitive's model.
 */
#include "core/rng.h"
#include "runtime/barrier.h"
#include "runtime/call.h"
#include "runtime/cond.h"
#include "runtime/futex.h"
#include "runtime/mutex.h"
#include "runtime/once.h"
#include "runtime/origin.h"
#include "runtime/runtime.h"
#include "runtime/rwlock.h"
#include "runtime/sem.h"
#include "runtime/signals.h"
#include "runtime/spin.h"
#include "runtime/thread.h"
#include "runtime/timers.h"

/* A thread that a signal waits for can always run its handler, whatever it is blocked on. */
bool world_enabled(unsigned thread, const struct operation *op)
{
  bool cancelled = rt.thread[thread].cancel_async && op_is_lock_wait(op->kind) && cancel_wanted(thread);
  return cancelled || signals_wait_for(thread) || world_permits(thread, op);
}

bool world_permits(unsigned thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_MUTEX_LOCK:
    return mutex_enabled(thread, op);
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_COND_DESTROY:
    return cond_enabled(thread, op);
  case OP_JOIN:
    return join_enabled(op) || cancel_wanted(thread);
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_WRLOCK:
    return rwlock_enabled(thread, op);
  case OP_SPIN_LOCK:
    return spin_enabled(op);
  case OP_SEM_WAIT:
    return sem_enabled(op) || cancel_wanted(thread);
  case OP_BARRIER_LEAVE:
  case OP_BARRIER_DESTROY:
    return barrier_enabled(thread, op);
  case OP_ONCE_ENTER:
    return once_enabled(op);
  case OP_FUTEX_BLOCK:
    return futex_enabled(thread, op);
  case OP_SIGNAL_WAIT:
    return signal_ready(thread, op) || cancel_wanted(thread);
  case OP_FD_WAIT:
    return fd_ready(thread, op) || cancel_wanted(thread);
  case OP_EXPIRE:
    return timers_can_expire();
  default:
    return true;
  }
}

bool world_waits(unsigned thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_SLEEP:
    return true;
  case OP_SEM_TIMEDWAIT:
    return !sem_enabled(op);
  case OP_FD_TIMEDWAIT:
    return !fd_ready(thread, op);
  case OP_SIGNAL_TIMEDWAIT:
    return !signal_ready(thread, op);
  default:
    return !world_permits(thread, op);
  }
}

static uint64_t set_number(const struct threadset *set)
{
  uint64_t h = 0;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    h = mix64(h ^ set->word[i]);
  return h;
}

static uint64_t readers_left(const struct object *l)
{
  uint64_t left = l->owner < 0 ? WORLD_ALL : 0;
  THREADSET_EACH(t, &l->readers)
  {
    left -= l->read_depth[t];
  }
  return left;
}

/* The number with which explore/order.h names an object has its kind + 1 in the highest byte; memory has none there. */
uint64_t world_state(const struct operation *op, uint64_t key)
{
  uintptr_t addr = key & ((UINT64_C(1) << 56) - 1);
  if (key >> 56 == 0)
    return addr > 1 ? memory_content(addr) : 0;
  if (key >> 56 > OBJECT_KIND_COUNT)
    return 0; /* the system's: not for us to know */
  const struct object *o = op->object && op->addr == addr && op_table[op->kind].object + 1u == key >> 56
                               ? object_by_id(op->object)
                               : object_find((void *)addr, (enum object_kind)((key >> 56) - 1));
  if (!o)
    return 0;
  switch (o->kind) {
  case OBJECT_MUTEX:
  case OBJECT_SPIN:
    return o->owner < 0;
  case OBJECT_ONCE:
    return o->owner < 0;
  case OBJECT_RWLOCK:
    return readers_left(o);
  case OBJECT_SEM:
    return o->count;
  case OBJECT_BARRIER:
    return o->phase;
  case OBJECT_COND:
  case OBJECT_FUTEX:
    return set_number(&o->waiters) + set_number(&o->signalled);
  case OBJECT_THREAD:
    return rt.thread[op->arg].finished;
  default:
    return 0;
  }
}

bool world_released(unsigned thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_FUTEX_BLOCK:
  case OP_FUTEX_TIMEDBLOCK:
    return threadset_has(&object_by_id(op->object)->signalled, thread);
  default:
    return false;
  }
}

uint64_t world_calls(unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  uint64_t h = 0;
  for (uint32_t i = 0; i < t->frames && i < FRAMES; i++)
    h = mix64(h ^ t->frame[i].pc);
  return h;
}

uint64_t world_thread_name(unsigned thread)
{
  const struct plan *plan = CONTROL_AT(rt.control, CONTROL_PLAN_OFFSET);
  return naming_of(thread_origin(thread), (enum naming)plan->naming, plan->depth);
}

uint64_t world_object_name(const struct operation *op)
{
  const struct plan *plan = CONTROL_AT(rt.control, CONTROL_PLAN_OFFSET);
  if (!op->object || op_is_memory(op->kind) || op_table[op->kind].object == OBJECT_FD)
    return 0;
  return naming_of(object_origin(op->object), (enum naming)plan->naming, plan->depth);
}

uint64_t world_local(unsigned thread)
{
  return rt.local[thread];
}
