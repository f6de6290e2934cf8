/* SPDX-License-Identifier: Apache-2.0
 *
 * Read-write locks. Either side may go first when both could, as POSIX allows, but for the non-recursive
 * writer-preferring kind: there a waiting writer keeps new readers out, as glibc does it, so that a thread that reads
 * twice can deadlock.
 */
#include "worlds/threads/model/rwlock.h"
#include "core/without_libc.h"
#include "worlds/threads/system/punctual.h"
#include <errno.h>

static void set_up(struct object *l)
{
  l->type = (uint8_t)((const pthread_rwlock_t *)l->addr)->__data.__flags;
  fill_bytes(l->read_depth, 0, sizeof l->read_depth);
}

static struct object *rwlock_object(pthread_rwlock_t *lock)
{
  return object_at(lock, OBJECT_RWLOCK, set_up);
}

static void check_alive(const struct object *l, enum op_kind op, uintptr_t pc)
{
  if (unlikely(l->destroyed))
    misuse(l, op, pc, "uses a read-write lock that was destroyed");
}

static bool writer_waits(const struct object *l, unsigned but)
{
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    const struct thread_state *s = &rt.engine->thread[t];
    if (t != but && s->alive && s->may_block && s->pending.kind == OP_RWLOCK_WRLOCK && s->pending.object == l->id)
      return true;
  }
  return false;
}

static bool can_read(const struct object *l, unsigned thread)
{
  if (l->owner >= 0)
    return l->owner == (int)thread; /* EDEADLK */
  return l->type != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP || threadset_empty(&l->readers) ||
         !writer_waits(l, thread);
}

static bool can_write(const struct object *l, unsigned thread)
{
  return l->owner >= 0 ? l->owner == (int)thread : threadset_empty(&l->readers);
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  const struct object *l = object_by_id(op->object);
  return op_shares_lock(op->kind) ? can_read(l, thread) : can_write(l, thread);
}

static uint64_t left(void *self, const struct operation *op, uint64_t key)
{
  (void)self;
  const struct object *l = object_of(op, key);
  if (!l)
    return 0;
  uint64_t left = l->owner < 0 ? WORLD_ALL : 0;
  THREADSET_EACH(t, &l->readers)
  {
    left -= l->read_depth[t];
  }
  return left;
}

/* Its writer, or the first of its readers. */
static int holder(void *self, const struct operation *op, uintptr_t *pc)
{
  (void)self;
  const struct object *l = object_by_id(op->object);
  unsigned reader = threadset_next(&l->readers, 0);
  *pc = l->owner_pc;
  return l->owner >= 0 || reader == MAX_THREADS ? l->owner : (int)reader;
}

const struct object_model rwlock_model = {.enabled = enabled, .state = left, .holder = holder};

static int take(struct object *l, bool write, uintptr_t pc)
{
  unsigned me = self_index();
  if (l->owner == (int)me)
    return EDEADLK;
  acquire_from(&l->clock);
  if (write) {
    acquire_from(&l->readers_clock);
    l->owner = (int)me;
  } else {
    threadset_add(&l->readers, me);
    l->read_depth[me]++;
  }
  l->copied = false;
  l->owner_pc = pc;
  engine_touch(rt.engine);
  return 0;
}

static int lock(pthread_rwlock_t *rwlock, bool write, uintptr_t pc)
{
  struct object *l = rwlock_object(rwlock);
  enum op_kind op = write ? OP_RWLOCK_WRLOCK : OP_RWLOCK_RDLOCK;
  check_alive(l, op, pc);
  step_on(op, l, 0, pc);
  check_alive(l, op, pc);
  return performed(take(l, write, pc));
}

static int try_lock(pthread_rwlock_t *rwlock, bool write, uintptr_t pc)
{
  struct object *l = rwlock_object(rwlock);
  enum op_kind op = write ? OP_RWLOCK_TRYWRLOCK : OP_RWLOCK_TRYRDLOCK;
  unsigned me = self_index();
  step_on(op, l, 0, pc);
  check_alive(l, op, pc);
  bool free = l->owner < 0 && (write ? can_write(l, me) : can_read(l, me));
  return performed(free ? take(l, write, pc) : EBUSY);
}

static int lock_until(pthread_rwlock_t *rwlock, bool write, clockid_t clock, const struct timespec *at, uintptr_t pc)
{
  struct object *l = rwlock_object(rwlock);
  enum op_kind op = write ? OP_RWLOCK_TIMEDWRLOCK : OP_RWLOCK_TIMEDRDLOCK;
  unsigned me = self_index();
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return EINVAL;
  int64_t deadline = deadline_of(clock, at);
  ends_at(deadline);
  step_on(op, l, 0, pc);
  check_alive(l, op, pc);
  if (write ? can_write(l, me) : can_read(l, me))
    return performed(take(l, write, pc));
  if (deadline < 0)
    return performed(EINVAL);
  time_pass_until(deadline);
  return performed(ETIMEDOUT);
}

static int unlock(pthread_rwlock_t *rwlock, uintptr_t pc)
{
  struct object *l = rwlock_object(rwlock);
  unsigned me = self_index();
  step_on(OP_RWLOCK_UNLOCK, l, l->owner == (int)me, pc);
  check_alive(l, OP_RWLOCK_UNLOCK, pc);
  if (l->owner == (int)me) {
    l->owner = -1;
    release_to(&l->clock);
  } else if (threadset_has(&l->readers, me)) {
    if (--l->read_depth[me] == 0)
      threadset_remove(&l->readers, me);
    release_to(&l->readers_clock);
  } else {
    misuse(l, OP_RWLOCK_UNLOCK, pc, "unlocks a read-write lock it does not hold");
  }
  engine_touch(rt.engine);
  return performed(0);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)
{
  if (!hd_self)
    return REAL(pthread_rwlock_init)(lock, attr);
  int result = REAL(pthread_rwlock_init)(object_find(lock, OBJECT_RWLOCK) ? &(pthread_rwlock_t){0} : lock, attr);
  if (result)
    return result;
  struct object *l = rwlock_object(lock);
  step_on(OP_RWLOCK_INIT, l, 0, CALLER());
  if (!l->destroyed && !l->copied && (l->owner >= 0 || !threadset_empty(&l->readers)))
    misuse(l, OP_RWLOCK_INIT, CALLER(), "initialises a read-write lock that is locked");
  REAL(pthread_rwlock_init)(lock, attr);
  object_forget(l);
  rwlock_object(lock);
  return performed(0);
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
  if (!hd_self)
    return REAL(pthread_rwlock_destroy)(lock);
  struct object *l = rwlock_object(lock);
  step_on(OP_RWLOCK_DESTROY, l, 0, CALLER());
  check_alive(l, OP_RWLOCK_DESTROY, CALLER());
  if (l->owner >= 0 || !threadset_empty(&l->readers))
    misuse(l, OP_RWLOCK_DESTROY, CALLER(), "destroys a read-write lock that is locked");
  object_destroyed(l);
  return performed(0);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
  return hd_self ? lock(l, false, CALLER()) : REAL(pthread_rwlock_rdlock)(l);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
  return hd_self ? lock(l, true, CALLER()) : REAL(pthread_rwlock_wrlock)(l);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
  return hd_self ? try_lock(l, false, CALLER()) : REAL(pthread_rwlock_tryrdlock)(l);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
  return hd_self ? try_lock(l, true, CALLER()) : REAL(pthread_rwlock_trywrlock)(l);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *at)
{
  return hd_self ? lock_until(l, false, CLOCK_REALTIME, at, CALLER()) : REAL(pthread_rwlock_timedrdlock)(l, at);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *at)
{
  return hd_self ? lock_until(l, true, CLOCK_REALTIME, at, CALLER()) : REAL(pthread_rwlock_timedwrlock)(l, at);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *at)
{
  return hd_self ? lock_until(l, false, clock, at, CALLER()) : REAL(pthread_rwlock_clockrdlock)(l, clock, at);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *at)
{
  return hd_self ? lock_until(l, true, clock, at, CALLER()) : REAL(pthread_rwlock_clockwrlock)(l, clock, at);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
  return hd_self ? unlock(l, CALLER()) : REAL(pthread_rwlock_unlock)(l);
}
