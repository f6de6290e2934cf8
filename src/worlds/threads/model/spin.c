/* SPDX-License-Identifier: Apache-2.0
 *
 * Spin locks. A thread waits in the engine instead of spinning. Not recursive: locking twice is a
 * deadlock. */
#include "worlds/threads/model/spin.h"
#include <errno.h>

static struct object *spin_object(pthread_spinlock_t *lock)
{
  return object_at((void *)lock, OBJECT_SPIN, NULL);
}

static void check_alive(const struct object *s, enum op_kind op, uintptr_t pc)
{
  if (unlikely(s->destroyed))
    misuse(s, op, pc, "uses a spin lock that was destroyed");
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self, (void)thread;
  return object_by_id(op->object)->owner < 0;
}

const struct object_model spin_model = {.enabled = enabled, .state = lock_is_free, .holder = lock_owner};

static int take(struct object *s, uintptr_t pc)
{
  s->owner = (int)self_index();
  s->copied = false;
  s->owner_pc = pc;
  acquire_from(&s->clock);
  engine_touch(rt.engine);
  return performed(0);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
  if (!hd_self)
    return REAL(pthread_spin_init)(lock, shared);
  struct object *s = spin_object(lock);
  step_on(OP_SPIN_INIT, s, 0, CALLER());
  if (s->owner >= 0 && !s->copied)
    misuse(s, OP_SPIN_INIT, CALLER(), "initialises a spin lock that is locked");
  REAL(pthread_spin_init)(lock, shared);
  object_forget(s);
  spin_object(lock);
  return performed(0);
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
  if (!hd_self)
    return REAL(pthread_spin_destroy)(lock);
  struct object *s = spin_object(lock);
  step_on(OP_SPIN_DESTROY, s, 0, CALLER());
  check_alive(s, OP_SPIN_DESTROY, CALLER());
  if (s->owner >= 0)
    misuse(s, OP_SPIN_DESTROY, CALLER(), "destroys a spin lock that is locked");
  object_destroyed(s);
  return performed(0);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
  if (!hd_self)
    return REAL(pthread_spin_lock)(lock);
  struct object *s = spin_object(lock);
  step_on(OP_SPIN_LOCK, s, 0, CALLER());
  check_alive(s, OP_SPIN_LOCK, CALLER());
  return take(s, CALLER());
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
  if (!hd_self)
    return REAL(pthread_spin_trylock)(lock);
  struct object *s = spin_object(lock);
  step_on(OP_SPIN_TRYLOCK, s, 0, CALLER());
  check_alive(s, OP_SPIN_TRYLOCK, CALLER());
  return s->owner < 0 ? take(s, CALLER()) : performed(EBUSY);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
  if (!hd_self)
    return REAL(pthread_spin_unlock)(lock);
  struct object *s = spin_object(lock);
  step_on(OP_SPIN_UNLOCK, s, 0, CALLER());
  check_alive(s, OP_SPIN_UNLOCK, CALLER());
  if (s->owner != (int)self_index())
    misuse(s, OP_SPIN_UNLOCK, CALLER(),
           s->owner < 0 ? "unlocks a spin lock that is not locked" : "unlocks a spin lock that another thread holds");
  s->owner = -1;
  release_to(&s->clock);
  engine_touch(rt.engine);
  return performed(0);
}
