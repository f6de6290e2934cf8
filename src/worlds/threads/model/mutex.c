/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes of every kind: the model, when it lets a thread pass, and what it does, side by side. The type is read from
 * the program's pthread_mutex_t at the first use; the state is ours. A timed lock can always go on: it gets the mutex
 * or, while another thread holds it, the timeout. What POSIX leaves undefined is a finding.
 */
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/model/rehearsal.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>

#define ROBUST_BIT 16 /* in glibc's kind field */
#define INHERIT_BIT 32
#define PROTECT_BIT 64
#define TYPE_MASK 3
#define CEILING_SHIFT 19 /* in glibc's lock word */

static void set_up(struct object *m)
{
  const pthread_mutex_t *mutex = (const pthread_mutex_t *)m->addr;
  int kind = mutex->__data.__kind;
  m->type = (uint8_t)(kind & TYPE_MASK);
  m->robust = kind & ROBUST_BIT;
  m->inherits = kind & INHERIT_BIT;
  m->ceiling = kind & PROTECT_BIT ? (uint8_t)((unsigned)mutex->__data.__lock >> CEILING_SHIFT) : 0;
}

struct object *mutex_object(pthread_mutex_t *mutex)
{
  return object_at(mutex, OBJECT_MUTEX, set_up);
}

static bool free_for(const struct object *m, unsigned thread)
{
  if (m->owner < 0)
    return true;
  if ((unsigned)m->owner == thread)
    return m->type == PTHREAD_MUTEX_RECURSIVE || m->type == PTHREAD_MUTEX_ERRORCHECK;
  return false;
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  return free_for(object_by_id(op->object), thread);
}

const struct object_model mutex_model = {.enabled = enabled, .state = lock_is_free, .holder = lock_owner};

/* The caller may have it: what locking returns. */
static int take(struct object *m, uintptr_t pc)
{
  int me = (int)self_index();
  if (m->unrecoverable)
    return ENOTRECOVERABLE;
  if (m->owner == me) {
    if (m->type == PTHREAD_MUTEX_ERRORCHECK)
      return EDEADLK;
    m->count++;
    return 0;
  }
  m->owner = me;
  m->copied = false;
  m->count = 1;
  m->owner_pc = pc;
  section_begin(m->id);
  acquire_from(&m->clock);
  engine_touch(rt.engine);
  if (m->dead_owner) {
    m->dead_owner = false;
    m->phase = 1; /* inconsistent until the program says otherwise */
    return EOWNERDEAD;
  }
  return 0;
}

static void check_alive(struct object *m, enum op_kind op, uintptr_t pc)
{
  if (unlikely(m->destroyed))
    misuse(m, op, pc, "uses a mutex that was destroyed");
}

/* ---- mutexes that lend their holder a priority ---- */

int mutexes_ceiling(unsigned thread)
{
  int highest = 0;
  const struct object *m;
  for (uint32_t id = 1; (m = object_known(id)); id++)
    if (m->kind == OBJECT_MUTEX && m->owner == (int)thread && m->ceiling > highest)
      highest = m->ceiling;
  return highest;
}

int mutex_lent_by(unsigned thread, const struct operation *op)
{
  bool wakes = op->kind == OP_COND_WAKE || op->kind == OP_COND_TIMEDWAKE;
  if (op->kind != OP_MUTEX_LOCK && op->kind != OP_MUTEX_TIMEDLOCK && !wakes)
    return -1;
  if (wakes && !threadset_has(&object_by_id(op->object)->signalled, thread))
    return -1;
  const struct object *m = object_by_id(wakes ? op->second : op->object);
  return m->inherits ? m->owner : -1;
}

/* Whoever has a higher priority than it would lend must not have it, nor whoever can have none. */
static bool is_beyond(const struct object *m)
{
  const struct scheduling *s = &self_thread()->scheduling;
  bool has_priorities = s->policy == SCHED_FIFO || s->policy == SCHED_RR;
  bool again = m->owner == (int)self_index() && m->type != PTHREAD_MUTEX_NORMAL;
  return !again && (s->priority > m->ceiling || !has_priorities);
}

/* It is told at once, though others may hold the mutex or change what it lends: a step by itself. */
static bool refused(struct object *m, uintptr_t pc)
{
  if (likely(!m->ceiling) || !is_beyond(m))
    return false;
  step_on(OP_MUTEX_TRYLOCK, m, 0, pc);
  return performed(is_beyond(m) ? EINVAL : 0);
}

/* It was asked for, with that result. */
static int locked(pthread_mutex_t *mutex, int result, uintptr_t pc)
{
  performed(result);
  if (result == 0 || result == EOWNERDEAD)
    property_lock(mutex, true, pc);
  return result;
}

int mutex_lock(pthread_mutex_t *mutex, uintptr_t pc)
{
  struct object *m = mutex_object(mutex);
  property_lock(mutex, false, pc);
  check_alive(m, OP_MUTEX_LOCK, pc);
  if (refused(m, pc))
    return EINVAL;
  step_on(OP_MUTEX_LOCK, m, 0, pc);
  check_alive(m, OP_MUTEX_LOCK, pc);
  return locked(mutex, take(m, pc), pc);
}

int mutex_trylock(pthread_mutex_t *mutex, uintptr_t pc)
{
  struct object *m = mutex_object(mutex);
  property_lock(mutex, false, pc);
  check_alive(m, OP_MUTEX_TRYLOCK, pc);
  if (refused(m, pc))
    return EINVAL;
  step_on(OP_MUTEX_TRYLOCK, m, 0, pc);
  check_alive(m, OP_MUTEX_TRYLOCK, pc);
  bool mine = m->owner == (int)self_index();
  if (m->owner >= 0 && !(mine && m->type == PTHREAD_MUTEX_RECURSIVE)) {
    rt.thread[m->owner].section.told = true;
    return performed(EBUSY);
  }
  return locked(mutex, take(m, pc), pc);
}

int mutex_lock_until(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *at, uintptr_t pc)
{
  struct object *m = mutex_object(mutex);
  int64_t deadline = deadline_of(clock, at);
  property_lock(mutex, false, pc);
  check_alive(m, OP_MUTEX_TIMEDLOCK, pc);
  if (refused(m, pc))
    return EINVAL;
  ends_at(deadline);
  step_on(OP_MUTEX_TIMEDLOCK, m, 0, pc);
  check_alive(m, OP_MUTEX_TIMEDLOCK, pc);
  if (free_for(m, self_index()))
    return locked(mutex, take(m, pc), pc);
  if (deadline < 0)
    return performed(EINVAL);
  time_pass_until(deadline);
  return performed(ETIMEDOUT);
}

static void mutex_release(struct object *m)
{
  m->owner = -1;
  m->count = 0;
  if (m->phase) /* a robust mutex unlocked without being made consistent */
    m->unrecoverable = true;
  m->phase = 0;
  release_to(&m->clock);
  engine_touch(rt.engine);
  if (unlikely(m->looked_behind))
    sections_compare(m);
}

/* One level of it, as for unlocking. */
void mutex_give_up(struct object *m)
{
  if (--m->count == 0)
    mutex_release(m);
}

int mutex_retake(struct object *m, uintptr_t pc)
{
  return take(m, pc);
}

bool mutex_checks_owner(const struct object *m)
{
  return m->type == PTHREAD_MUTEX_ERRORCHECK || m->type == PTHREAD_MUTEX_RECURSIVE || m->robust;
}

int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
  struct object *m = mutex_object(mutex);
  property_unlock(mutex, false, pc);
  check_alive(m, OP_MUTEX_UNLOCK, pc);
  step_on(OP_MUTEX_UNLOCK, m, 0, pc);
  check_alive(m, OP_MUTEX_UNLOCK, pc);
  if (m->owner != (int)self_index()) {
    if (mutex_checks_owner(m))
      return performed(EPERM);
    misuse(m, OP_MUTEX_UNLOCK, pc,
           m->owner < 0 ? "unlocks a mutex that is not locked" : "unlocks a mutex that another thread holds");
  }
  mutex_give_up(m);
  performed(0);
  property_unlock(mutex, true, pc);
  return 0;
}

void mutexes_abandon(unsigned thread)
{
  struct object *m;
  for (uint32_t id = 1; (m = object_known(id)); id++)
    if (m->kind == OBJECT_MUTEX && m->robust && m->owner == (int)thread) {
      step_on(OP_MUTEX_UNLOCK, m, 0, 0); /* others can tell whether it has happened yet */
      performed(0);
      m->phase = 0;
      mutex_release(m);
      m->dead_owner = true;
    }
}

void mutexes_die(unsigned process)
{
  struct object *m;
  for (uint32_t id = 1; (m = object_known(id)); id++)
    if (m->kind == OBJECT_MUTEX && m->robust && m->owner >= 0 && rt.thread[m->owner].process == process) {
      m->phase = 0;
      mutex_release(m);
      m->dead_owner = true;
    }
}

int mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr, uintptr_t pc)
{
  int result = REAL(pthread_mutex_init)(object_find(mutex, OBJECT_MUTEX) ? &(pthread_mutex_t){0} : mutex, attr);
  if (result)
    return result;
  struct object *m = mutex_object(mutex);
  step_on(OP_MUTEX_INIT, m, 0, pc);
  if (m->owner >= 0 && !m->copied) /* a child may make it new, which nobody else there could unlock */
    misuse(m, OP_MUTEX_INIT, pc, "initialises a mutex that is locked");
  REAL(pthread_mutex_init)(mutex, attr);
  object_forget(m);
  mutex_object(mutex);
  return performed(0);
}

int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc)
{
  struct object *m = mutex_object(mutex);
  check_alive(m, OP_MUTEX_DESTROY, pc);
  step_on(OP_MUTEX_DESTROY, m, 0, pc);
  check_alive(m, OP_MUTEX_DESTROY, pc);
  if (m->owner >= 0)
    misuse(m, OP_MUTEX_DESTROY, pc, "destroys a mutex that is locked");
  if (object_awaited(m))
    misuse(m, OP_MUTEX_DESTROY, pc, "destroys a mutex that another thread waits for");
  object_destroyed(m);
  return performed(0);
}

/* ---- the pthread interface ---- */

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
  return hd_self ? mutex_lock(mutex, CALLER()) : REAL(pthread_mutex_lock)(mutex);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
  return hd_self ? mutex_trylock(mutex, CALLER()) : REAL(pthread_mutex_trylock)(mutex);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *at)
{
  return hd_self ? mutex_lock_until(mutex, CLOCK_REALTIME, at, CALLER()) : REAL(pthread_mutex_timedlock)(mutex, at);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *at)
{
  if (!hd_self)
    return REAL(pthread_mutex_clocklock)(mutex, clock, at);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return EINVAL;
  return mutex_lock_until(mutex, clock, at, CALLER());
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  return hd_self ? mutex_unlock(mutex, CALLER()) : REAL(pthread_mutex_unlock)(mutex);
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
  return hd_self ? mutex_init(mutex, attr, CALLER()) : REAL(pthread_mutex_init)(mutex, attr);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
  return hd_self ? mutex_destroy(mutex, CALLER()) : REAL(pthread_mutex_destroy)(mutex);
}

EXPORT int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
  if (!hd_self)
    return REAL(pthread_mutex_consistent)(mutex);
  struct object *m = mutex_object(mutex);
  if (!m->robust || m->owner != (int)self_index() || !m->phase)
    return EINVAL;
  m->phase = 0;
  return 0;
}

static int own_ceiling(pthread_mutex_t *mutex, int ceiling, int *old, uintptr_t pc)
{
  struct object *m = mutex_object(mutex);
  bool mine = m->owner == (int)self_index();
  if (mine && m->type == PTHREAD_MUTEX_ERRORCHECK)
    return EDEADLK;
  bool locks = !mine || m->type != PTHREAD_MUTEX_RECURSIVE;
  if (locks) {
    step_on(OP_MUTEX_LOCK, m, 0, pc); /* whatever its own priority */
    performed(take(m, pc));
  }
  writes_for(old, sizeof *old, pc);
  if (old)
    *old = m->ceiling;
  m->ceiling = (uint8_t)ceiling;
  mutex->__data.__lock = (int)((unsigned)ceiling << CEILING_SHIFT);
  return locks ? mutex_unlock(mutex, pc) : 0;
}

EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
  if (!hd_self)
    return REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
  if (!(mutex->__data.__kind & PROTECT_BIT) || ceiling < 1 || ceiling > 99)
    return EINVAL;
  return own_ceiling(mutex, ceiling, old, CALLER());
}
