/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: create, end, join, detach, names. A thread runs on a fiber that was prepared before the program started
 * (fiber.c); its pthread_t is that of the real thread the fiber was borrowed from. Cancellation is in
 * cancel.c. */
#include "worlds/threads/thread/thread.h"
#include "core/observer.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/library_calls.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/thread/fiber.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

unsigned thread_of(pthread_t id)
{
  for (unsigned i = 0; i < rt.engine->threads; i++)
    if (hd_own.fiber[i].fs == (uintptr_t)id)
      return i;
  return MAX_THREADS;
}

struct object *thread_object(unsigned t)
{
  return object_at((void *)hd_own.fiber[t].fs, OBJECT_THREAD, NULL);
}

/* ---- create ---- */

static void need_more_fibers(void)
{
  uint32_t wanted = hd_own.fibers * 2 < MAX_THREADS - 1 ? hd_own.fibers * 2 : MAX_THREADS - 1;
  if (hd_own.fibers == wanted)
    fail(0, "the program starts more than %u threads in one execution", MAX_THREADS - 2);
  rt.control->wish.pool_threads = wanted;
  restart();
}

/* A thread that asks for a larger stack than the fibers have gets fibers with larger stacks. */
static void need_stack(const pthread_attr_t *attr)
{
  size_t size = 0;
  if (!attr || pthread_attr_getstacksize(attr, &size) || size <= fiber_stack_size())
    return;
  rt.control->wish.stack_size = size;
  restart();
}

static unsigned add_thread(uintptr_t start, bool system, unsigned parent, uintptr_t pc)
{
  unsigned me = self_index();
  if (rt.engine->threads == hd_own.fibers)
    need_more_fibers();
  unsigned t = system ? engine_add_task(rt.engine, start) : engine_add_thread(rt.engine, parent, start, pc);
  if (rt.naming)
    origin_of_thread(t, pc);
  struct thread *thread = &rt.thread[t];
  struct frame *frames = thread->frame;
  *thread = (struct thread){.fiber = &hd_own.fiber[t], .frame = frames, .system = system};
  rt.local[t] = 0; /* of another execution */
  cancel_reset_thread(t);
  rt.engine->thread[t].foreign_writes = rt.engine->thread[t].handler_sp = 0;
  rt.engine->thread[t].handler_nests = false;
  thread->signal_mask = rt.thread[me].signal_mask;
  vclock_copy(&thread->clock, &rt.thread[me].clock);
  vclock_set(&thread->clock, t, 1);
  rt.thread[me].clock.at[me]++;
  if (t == 1)
    memory_retag();
  else
    memory_tag_thread(t);
  if (rt.calls && !thread->frame)
    thread->frame = private_memory(FRAMES * sizeof *thread->frame);
  fiber_prepare(thread->fiber, thread_begin);
  return t;
}

static unsigned spawn(uintptr_t start, uintptr_t pc)
{
  note_unseen_calls_loss();
  struct operation op = {.kind = OP_CREATE, .arg = rt.engine->threads, .pc = pc};
  step(&op);
  return add_thread(start, false, self_index(), pc);
}

/* As a child of main: who starts it may be the clock, which is nobody to the program. */
unsigned thread_start_detached(void *(*start)(void *))
{
  struct operation op = {.kind = OP_CREATE, .arg = rt.engine->threads};
  step(&op);
  unsigned t = add_thread((uintptr_t)start, false, 0, 0);
  rt.thread[t].start = start;
  rt.thread[t].detached = true;
  performed(0);
  return t;
}

unsigned thread_start_system(void *(*start)(void *), const char *name)
{
  unsigned t = add_thread((uintptr_t)start, true, 0, 0);
  rt.thread[t].start = start;
  rt.thread[t].detached = true;
  print_text(rt.control->thread[t].name, sizeof rt.control->thread[t].name, "%s", name);
  return t;
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
  if (!hd_self) {
    if (hd_own.session && !hd_own.embedded)
      fail(CALLER(), "the program starts a thread before main(); heddle takes over only there");
    return REAL(pthread_create)(id, attr, start, arg);
  }
  need_stack(attr);
  unsigned t = spawn((uintptr_t)start, CALLER());
  rt.thread[t].start = start;
  rt.thread[t].arg = arg;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attr)
    pthread_attr_getdetachstate(attr, &detached);
  rt.thread[t].detached = detached == PTHREAD_CREATE_DETACHED;
  rt.thread[t].processors = rt.thread[self_index()].processors;
  cpu_set_t set;
  if (attr && !pthread_attr_getaffinity_np(attr, sizeof set, &set) && CPU_COUNT(&set) < CPU_SETSIZE)
    thread_set_affinity(t, sizeof set, &set);
  *id = (pthread_t)hd_own.fiber[t].fs;
  return performed(0);
}

int thread_create_c11(unsigned long *id, int (*start)(void *), void *arg, uintptr_t pc)
{
  unsigned t = spawn((uintptr_t)start, pc);
  rt.thread[t].start_c11 = start;
  rt.thread[t].arg = arg;
  *id = hd_own.fiber[t].fs;
  return performed(0);
}

void thread_begin(void)
{
  struct thread *self = self_thread();
  engine_about(rt.engine, &hd_self->pending);
  if (signals_wait_for(self_index())) /* sent before it ran: not at its first step, which replay has elsewhere */
    run_signals();
  void *result;
  if (self->start_c11)
    result = (void *)(intptr_t)self->start_c11(self->arg);
  else
    result = self->start(self->arg);
  thread_end(result);
}

/* ---- end ---- */

static bool last_one(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && rt.engine->thread[t].alive && !rt.thread[t].system)
      return false;
  return true;
}

/* The step. What follows is only for the last thread. */
static void leave(void *result)
{
  unsigned me = self_index();
  struct thread *self = &rt.thread[me];
  mutexes_abandon(me);
  struct object *object = thread_object(me);
  step_on(OP_EXIT, object, me, 0);
  performed(0);
  self->result = result;
  if (last_one())
    return;
  self->finished = true;
  release_to(&object->clock);
  engine_touch(rt.engine);
  step_out();
}

void thread_end(void *result)
{
  self_thread()->cancel_disabled = true;
  tsd_run_destructors();
  leave(result);
  exit(0); /* main ended by pthread_exit, and so has everybody else */
}

void thread_vanish(int status)
{
  leave(NULL);
  execution_exit(status);
}

/* ---- join and detach ---- */

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  return rt.thread[op->arg].finished || cancel_wanted(thread);
}

static uint64_t has_ended(void *self, const struct operation *op, uint64_t key)
{
  (void)self;
  return object_of(op, key) && rt.thread[op->arg].finished;
}

static int awaited(void *self, const struct operation *op, uintptr_t *pc)
{
  (void)self, (void)pc;
  return op->kind == OP_JOIN ? (int)op->arg : -1;
}

const struct object_model thread_model = {.enabled = enabled, .state = has_ended, .holder = awaited};

static int joined(unsigned t, void **result, uintptr_t pc)
{
  struct thread *thread = &rt.thread[t];
  acquire_from(&thread_object(t)->clock);
  thread->joined = true;
  performed(0);
  if (result) {
    writes_for(result, sizeof *result, pc);
    *result = thread->result;
  }
  return 0;
}

/* The thread to join; misuse that POSIX leaves undefined is a finding. */
static unsigned joinable(pthread_t id, enum op_kind kind, uintptr_t pc)
{
  unsigned t = thread_of(id);
  if (t == MAX_THREADS)
    misuse(NULL, kind, pc, "joins a thread that does not exist");
  struct object *object = thread_object(t);
  if (rt.thread[t].joined)
    misuse(object, kind, pc, "joins a thread that was joined already");
  if (rt.thread[t].detached)
    misuse(object, kind, pc, "joins a detached thread");
  return t;
}

int thread_join(pthread_t id, void **result, uintptr_t pc)
{
  unsigned t = joinable(id, OP_JOIN, pc);
  if (t == self_index())
    return EDEADLK;
  if (rt.thread[t].joining)
    misuse(thread_object(t), OP_JOIN, pc, "joins a thread that another thread is joining");
  rt.thread[t].joining = true;
  step_on(OP_JOIN, thread_object(t), t, pc);
  rt.thread[t].joining = false;
  if (!rt.thread[t].finished)
    check_cancel(pc);
  return joined(t, result, pc);
}

EXPORT int pthread_join(pthread_t id, void **result)
{
  if (!hd_self)
    return REAL(pthread_join)(id, result);
  check_cancel(CALLER());
  return thread_join(id, result, CALLER());
}

EXPORT int pthread_tryjoin_np(pthread_t id, void **result)
{
  if (!hd_self)
    return REAL(pthread_tryjoin_np)(id, result);
  unsigned t = joinable(id, OP_TIMEDJOIN, CALLER());
  if (t == self_index())
    return EDEADLK;
  step_on(OP_TIMEDJOIN, thread_object(t), t, CALLER());
  return rt.thread[t].finished ? joined(t, result, CALLER()) : performed(EBUSY);
}

static int join_until(pthread_t id, void **result, clockid_t clock, const struct timespec *at, uintptr_t pc)
{
  unsigned t = joinable(id, OP_TIMEDJOIN, pc);
  if (t == self_index())
    return EDEADLK;
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return EINVAL;
  int64_t deadline = deadline_of(clock, at);
  if (deadline < 0)
    return EINVAL;
  ends_at(deadline);
  step_on(OP_TIMEDJOIN, thread_object(t), t, pc);
  check_cancel(pc);
  if (rt.thread[t].finished)
    return joined(t, result, pc);
  time_pass_until(deadline);
  return performed(ETIMEDOUT);
}

EXPORT int pthread_timedjoin_np(pthread_t id, void **result, const struct timespec *at)
{
  if (!hd_self)
    return REAL(pthread_timedjoin_np)(id, result, at);
  return at ? join_until(id, result, CLOCK_REALTIME, at, CALLER()) : thread_join(id, result, CALLER());
}

EXPORT int pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock, const struct timespec *at)
{
  if (!hd_self)
    return REAL(pthread_clockjoin_np)(id, result, clock, at);
  return at ? join_until(id, result, clock, at, CALLER()) : thread_join(id, result, CALLER());
}

int thread_detach(pthread_t id, uintptr_t pc)
{
  unsigned t = thread_of(id);
  if (t == MAX_THREADS)
    misuse(NULL, OP_DETACH, pc, "detaches a thread that does not exist");
  struct object *object = thread_object(t);
  step_on(OP_DETACH, object, t, pc);
  if (rt.thread[t].joined)
    misuse(object, OP_DETACH, pc, "detaches a thread that was joined already");
  if (rt.thread[t].detached)
    misuse(object, OP_DETACH, pc, "detaches a thread that is detached already");
  rt.thread[t].detached = true;
  return performed(0);
}

EXPORT int pthread_detach(pthread_t id)
{
  return hd_self ? thread_detach(id, CALLER()) : REAL(pthread_detach)(id);
}

/* ---- names and what only the kernel's scheduler would care about ---- */

/* That of a thread which others can change or look at. */
static void touch_attributes(unsigned t, enum op_kind kind, uintptr_t pc)
{
  if (t < MAX_THREADS)
    memory_access(&rt.thread[t].processors, 8, kind, __ATOMIC_SEQ_CST, pc);
}

EXPORT int pthread_setname_np(pthread_t id, const char *name)
{
  if (!hd_self)
    return REAL(pthread_setname_np)(id, name);
  unsigned t = thread_of(id);
  touch_attributes(t, OP_ATOMIC_STORE, CALLER());
  if (text_length(name) >= sizeof rt.control->thread[0].name)
    return ERANGE;
  if (t < MAX_THREADS)
    print_text(rt.control->thread[t].name, sizeof rt.control->thread[t].name, "%s", name);
  return t < MAX_THREADS ? 0 : ESRCH;
}

EXPORT int pthread_getname_np(pthread_t id, char *name, size_t size)
{
  if (!hd_self)
    return REAL(pthread_getname_np)(id, name, size);
  unsigned t = thread_of(id);
  touch_attributes(t, OP_ATOMIC_LOAD, CALLER());
  if (size < sizeof rt.control->thread[0].name)
    return ERANGE;
  if (t < MAX_THREADS)
    writes_for(name, sizeof rt.control->thread[0].name, CALLER());
  if (t < MAX_THREADS)
    print_text(name, sizeof rt.control->thread[0].name, "%s",
               rt.control->thread[t].name[0] ? rt.control->thread[t].name : program_invocation_short_name);
  return t < MAX_THREADS ? 0 : ESRCH;
}

/* What the kernel lets the process run on. */
static long real_affinity(cpu_set_t *out)
{
  CPU_ZERO(out);
  return sys(SYS_sched_getaffinity, 0, sizeof *out, out);
}

long thread_set_affinity(unsigned t, size_t size, const void *set)
{
  cpu_set_t real, wanted;
  long n = real_affinity(&real);
  if (n < 0)
    return n;
  CPU_ZERO(&wanted);
  copy_bytes(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
  CPU_AND(&wanted, &wanted, &real);
  if (CPU_COUNT(&wanted) == 0)
    return -EINVAL;
  rt.thread[t].processors = wanted;
  return 0;
}

long thread_get_affinity(unsigned t, size_t size, void *set)
{
  cpu_set_t real;
  long n = real_affinity(&real);
  if (n < 0)
    return n;
  if (size < (size_t)n || size % sizeof(long))
    return -EINVAL;
  snapshot_touch((uintptr_t)set, (size_t)n);
  copy_bytes(set, CPU_COUNT(&rt.thread[t].processors) ? &rt.thread[t].processors : &real, (size_t)n);
  return n;
}

EXPORT int pthread_setaffinity_np(pthread_t id, size_t size, const cpu_set_t *set)
{
  if (!hd_self)
    return REAL(pthread_setaffinity_np)(id, size, set);
  unsigned t = thread_of(id);
  touch_attributes(t, OP_ATOMIC_STORE, CALLER());
  return t < MAX_THREADS ? (int)-thread_set_affinity(t, size, set) : ESRCH;
}

EXPORT int pthread_getaffinity_np(pthread_t id, size_t size, cpu_set_t *set)
{
  if (!hd_self)
    return REAL(pthread_getaffinity_np)(id, size, set);
  unsigned t = thread_of(id);
  touch_attributes(t, OP_ATOMIC_LOAD, CALLER());
  if (t == MAX_THREADS)
    return ESRCH;
  fill_bytes(set, 0, size);
  long n = thread_get_affinity(t, size, set);
  return n < 0 ? (int)-n : 0;
}

EXPORT int pthread_setschedparam(pthread_t id, int policy, const struct sched_param *param)
{
  return hd_self ? 0 : REAL(pthread_setschedparam)(id, policy, param);
}

EXPORT int pthread_setschedprio(pthread_t id, int priority)
{
  return hd_self ? 0 : REAL(pthread_setschedprio)(id, priority);
}
