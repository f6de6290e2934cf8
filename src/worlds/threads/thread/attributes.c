/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of threads: what pthread_create() is told, what becomes of it, and what pthread_getattr_np() tells. A
 * stack of the program's own is run on; heddle's own code takes no more of it than glibc's data of the thread would.
 * All other stacks are those that the fibers have (fiber.c).
 */
#include "worlds/threads/thread/attributes.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/thread/fiber.h"
#include "worlds/threads/thread/scheduling.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <signal.h>

/* What glibc has in a pthread_attr_t. No function tells which of policy and parameters were ever set, and those that
 * tell the rest are calls of the program. */
struct glibc_attributes {
  struct sched_param parameters;
  int policy, flags;
  size_t guard_size;
  char *stack_end;
  size_t stack_size;
};
#define IS_DETACHED 1
#define SCHEDULING_IS_EXPLICIT 2
#define STACK_SET 8
#define PARAMETERS_SET 32
#define POLICY_SET 64

static const struct glibc_attributes *inside(const pthread_attr_t *attr)
{
  return (const struct glibc_attributes *)attr;
}

/* What was not said is as the creator has it. */
static int read_scheduling(const struct glibc_attributes *a, struct attributes *out)
{
  const struct scheduling *now = &self_thread()->scheduling;
  out->scheduling = *now;
  out->has_scheduling = a->flags & SCHEDULING_IS_EXPLICIT && a->flags & (PARAMETERS_SET | POLICY_SET);
  if (!out->has_scheduling)
    return 0;
  if (a->flags & POLICY_SET)
    out->scheduling.policy = (uint8_t)a->policy;
  if (a->flags & PARAMETERS_SET)
    out->scheduling.priority = (uint8_t)a->parameters.sched_priority;
  return scheduling_refused(now, &out->scheduling);
}

static int read_processors(const pthread_attr_t *attr, struct attributes *out)
{
  cpu_set_t wanted;
  out->has_processors = !pthread_attr_getaffinity_np(attr, sizeof wanted, &wanted) && CPU_COUNT(&wanted) < CPU_SETSIZE;
  return out->has_processors ? (int)-processors_allowed(&wanted, sizeof wanted, &out->processors) : 0;
}

static int read_given(const pthread_attr_t *attr, struct attributes *out)
{
  const struct glibc_attributes *a = inside(attr);
  sigset_t mask;
  out->detached = a->flags & IS_DETACHED;
  out->has_mask = pthread_attr_getsigmask_np(attr, &mask) == 0;
  out->mask = out->has_mask ? *(const uint64_t *)&mask : 0;
  out->stack_size = a->stack_size;
  out->guard_size = a->guard_size;
  if (a->flags & STACK_SET)
    out->stack = a->stack_end - a->stack_size;
  int error = read_scheduling(a, out);
  return error ? error : read_processors(attr, out);
}

#define USUAL_GUARD 4096

int attributes_read(const pthread_attr_t *attr, struct attributes *out)
{
  *out = (struct attributes){.guard_size = USUAL_GUARD};
  if (attr)
    return read_given(attr, out);
  pthread_attr_t standard;
  if (!thread_defaults_were_set() || REAL(pthread_getattr_default_np)(&standard))
    return 0;
  int error = read_given(&standard, out);
  pthread_attr_destroy(&standard);
  return error;
}

static void settle(struct thread *t, const struct attributes *a)
{
  t->own_stack = a->stack;
  t->stack_size = a->stack_size;
  t->guard_size = a->guard_size;
  if (a->stack)
    snapshot_touch((uintptr_t)a->stack, a->stack_size); /* the kernel puts frames there */
  fiber_settle(t->fiber, a->stack, a->stack_size);
}

void attributes_give(unsigned thread, const struct attributes *a)
{
  struct thread *t = &rt.thread[thread];
  t->detached = a->detached;
  if (a->has_mask)
    t->signal_mask = a->mask;
  if (a->has_processors)
    t->processors = a->processors;
  if (a->has_scheduling)
    t->scheduling = a->scheduling;
  t->explicit_scheduling = a->has_scheduling;
  settle(t, a);
}

/* ---- telling ---- */

/* Of a stack that the fiber has: the upper part, if the program asked for less. */
static void tell_stack(const struct thread *t, struct glibc_attributes *out)
{
  if (t->own_stack)
    out->stack_end = t->own_stack + t->stack_size;
  if (t->own_stack || (t->stack_size && t->stack_size < out->stack_size))
    out->stack_size = t->stack_size;
  out->guard_size = t->own_stack ? 0 : t->guard_size;
}

static void tell_scheduling(const struct thread *t, struct glibc_attributes *out)
{
  out->policy = t->scheduling.policy;
  out->parameters.sched_priority = t->scheduling.priority;
  out->flags |= t->explicit_scheduling ? SCHEDULING_IS_EXPLICIT : 0;
}

EXPORT int pthread_getattr_np(pthread_t id, pthread_attr_t *out)
{
  if (!hd_self)
    return REAL(pthread_getattr_np)(id, out);
  unsigned number = thread_of(id);
  if (number == MAX_THREADS)
    return ESRCH;
  const struct thread *t = &rt.thread[number];
  writes_for(out, sizeof *out, CALLER());
  int error = REAL(pthread_getattr_np)(id, out);
  if (error)
    return error;
  struct glibc_attributes *a = (struct glibc_attributes *)out;
  a->flags = (a->flags & ~IS_DETACHED) | (t->detached ? IS_DETACHED : 0);
  tell_scheduling(t, a);
  if (number)
    tell_stack(t, a);
  if (CPU_COUNT(&t->processors))
    pthread_attr_setaffinity_np(out, sizeof t->processors, &t->processors);
  return 0;
}
