/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done once: pthread_once, C11's call_once and the guards of C++ function-local statics. While one thread is
 * at it the others wait; if it leaves by an exception or is cancelled, the next one tries.
 */
#include "worlds/threads/model/once.h"
#include "worlds/threads/system/signals.h"
#include <threads.h>

enum { NEVER, RUNNING, DONE };
#define GLIBC_ONCE_DONE 2

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self, (void)thread;
  return object_by_id(op->object)->phase != RUNNING;
}

/* Nothing of it is left while somebody is at it; that it is done counts as more than that it may be begun. */
static uint64_t state(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)key;
  const struct object *o = object_by_id(op->object);
  return o->phase == RUNNING ? 0 : o->phase == DONE ? ONCE_IS_DONE : 1;
}

const struct object_model once_model = {.enabled = enabled, .state = state, .holder = lock_owner};

bool once_enter(const void *control, bool done, uintptr_t pc)
{
  struct object *o = object_at(control, OBJECT_ONCE, NULL);
  if (!done && o->phase == DONE) { /* another one at the same place, or set back by the program */
    object_forget(o);
    o = object_at(control, OBJECT_ONCE, NULL);
  }
  const bool all_orders = rt.engine->strategy->exhaustive || rt.engine->strategy->private_steps || rt.recording;
  if (done && all_orders) { /* what came before it may come after it; or did, where a schedule of that is followed */
    o->phase = DONE;
  } else if (done) { /* over and done with: no order to decide on any more */
    hd_self->operations++;
    acquire_from(&o->clock);
    return false;
  }
  step_on(OP_ONCE_ENTER, o, 0, pc);
  acquire_from(&o->clock);
  if (o->phase == DONE) {
    performed(0);
    return false;
  }
  o->phase = RUNNING;
  o->owner = (int)self_index();
  o->owner_pc = pc;
  performed(1);
  engine_touch(rt.engine);
  return true;
}

static void leave(const void *control, uint32_t phase)
{
  struct object *o = object_at(control, OBJECT_ONCE, NULL);
  o->phase = phase;
  o->owner = -1;
  release_to(&o->clock);
  engine_touch(rt.engine);
}

void once_done(const void *control, uintptr_t pc)
{
  step_on(OP_ONCE_DONE, object_at(control, OBJECT_ONCE, NULL), 0, pc);
  leave(control, DONE);
  performed(0);
}

void once_undone(const void *control)
{
  leave(control, NEVER);
}

struct attempt {
  const void *control;
  bool over;
};

static void end_attempt(struct attempt *a)
{
  if (!a->over)
    once_undone(a->control);
}

static void run_once(int *control, void (*routine)(void), uintptr_t pc)
{
  if (in_program(pc)) /* who sets it back shares it with us; compilers make no such loads */
    memory_access(control, sizeof *control, OP_ATOMIC_LOAD, __ATOMIC_CONSUME, pc);
  if (!once_enter(control, *control == GLIBC_ONCE_DONE, pc))
    return;
  __attribute__((cleanup(end_attempt))) struct attempt attempt = {control, false};
  routine();
  attempt.over = true;
  once_done(control, pc);
  *control = GLIBC_ONCE_DONE;
}

EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
  if (!hd_self)
    return REAL(pthread_once)(control, routine);
  run_once(control, routine, CALLER());
  return 0;
}

EXPORT void call_once(once_flag *control, void (*routine)(void))
{
  if (hd_self)
    run_once((int *)control, routine, CALLER());
  else
    REAL(call_once)(control, routine);
}
