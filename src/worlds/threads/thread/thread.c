/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: create, end, join, detach, names. A thread runs on a fiber that was prepared before the program started
 * (fiber.c); its pthread_t is that of the real thread the fiber was borrowed from. Cancellation is in
 * cancel.c. */
#include "worlds/threads/thread/thread.h"
#include "core/observer.h"
#include "core/without_libc.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/framework/test_orderings.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/libc/library_calls.h"
#include "worlds/threads/memory/heap.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/stack_ends.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/attributes.h"
#include "worlds/threads/thread/fiber.h"
#include "worlds/threads/thread/priorities.h"
#include "worlds/threads/thread/scheduling.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static unsigned find(pthread_t id)
{
  for (unsigned i = 0; i < rt.engine->threads; i++)
    if (rt.thread[i].process == hd_own.process && rt.thread[i].fiber->fs == (uintptr_t)id)
      return i;
  return MAX_THREADS;
}

unsigned thread_of(pthread_t id)
{
  unsigned t = find(id);
  if (t < MAX_THREADS)
    rt.thread[t].told_apart = true;
  return t;
}

EXPORT pthread_t pthread_self(void)
{
  if (hd_self)
    self_thread()->told_apart = true;
  return (pthread_t)tls_base();
}

bool thread_is_twin(unsigned elder, unsigned thread)
{
  const struct thread *a = &rt.thread[elder], *b = &rt.thread[thread];
  return a->plain && b->plain && a->process == b->process && !a->system && !b->system && a->start == b->start &&
         a->start_c11 == b->start_c11 && a->arg == b->arg;
}

bool thread_was_told_apart(unsigned thread, uint64_t value)
{
  return rt.thread[thread].told_apart || value - (STACKS_ADDRESS + thread * STACK_ROOM) < STACK_ROOM ||
         heap_is_of(thread, value);
}

struct object *thread_object(unsigned t)
{
  return object_at((void *)rt.thread[t].fiber->fs, OBJECT_THREAD, NULL);
}

/* ---- create ---- */

static void need_more_fibers(void)
{
  uint32_t wanted = hd_own.fibers * 2 < MAX_THREADS - 1 ? hd_own.fibers * 2 : MAX_THREADS - 1;
  if (hd_own.fibers == wanted)
    fail(0, "the program starts more than %u threads in one execution; those that have ended count", MAX_THREADS - 2);
  rt.control->wish.pool_threads = wanted;
  restart();
}

/* A thread that asks for a larger stack than the fibers have gets fibers with larger stacks. */
static void need_stack(const struct attributes *attributes)
{
  if (attributes->stack || attributes->stack_size <= fiber_stack_size())
    return;
  rt.control->wish.stack_size = attributes->stack_size;
  restart();
}

void thread_will_need(const pthread_attr_t *attr, struct attributes *out)
{
  if (attributes_read(attr, out))
    attributes_read(NULL, out);
  out->detached = true;
  need_stack(out);
}

/* Of this process: what it did so far is nobody else's concern. */
static bool is_second(unsigned thread)
{
  unsigned others = 0;
  for (unsigned t = 0; t < thread && others < 2; t++)
    others += rt.thread[t].process == hd_own.process;
  return others == 1;
}

/* Whether all threads but the current one and this have been joined. What they did, and what the current one did so
 * far, comes before all that follows, in every order of what was recorded; so memory that threads use only before and
 * after is not shared, as far as predictions go. */
static bool is_alone_but_for(unsigned thread)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && t != thread && !rt.thread[t].joined)
      return false;
  return true;
}

void thread_renew(struct thread *thread, struct fiber *fiber)
{
  struct frame *frames = thread->frame;
  fill_bytes(thread, 0, offsetof(struct thread, awaited));
  thread->frame = frames;
  thread->fiber = fiber;
  vclock_clear(&thread->clock);
  vclock_clear(&thread->released);
  vclock_clear(&thread->acquirable);
  thread->awaited.count = 0;
}

void thread_give_frames(unsigned thread)
{
  struct thread *t = &rt.thread[thread];
  if (!rt.calls || t->frame)
    return;
  t->frame = system_memory(FRAMES * sizeof *t->frame);
  if (rt.framed <= thread)
    rt.framed = thread + 1;
}

static const struct attributes detached = {.detached = true};

/* parent: of a task of the system's, which one it is. */
static unsigned add_thread(uintptr_t start, bool system, unsigned parent, const struct attributes *attributes,
                           uintptr_t pc)
{
  unsigned me = self_index();
  if (rt.engine->threads >= hd_own.fibers) /* copies of threads need none */
    need_more_fibers();
  unsigned t = system ? engine_add_task(rt.engine, parent, start)
                      : engine_add_thread(rt.engine, parent, in_image(start), in_image(pc));
  if (rt.naming)
    origin_of_thread(t, pc);
  struct thread *thread = &rt.thread[t];
  thread_renew(thread, &hd_own.fiber[t]);
  thread->process = (uint8_t)hd_own.process;
  thread->system = system;
  if (!system)
    test_thread_added(t, me);
  thread->began = rt.now;
  rt.control->thread[t].process = hd_own.process;
  rt.control->thread[t].image = hd_own.image;
  rt.local[t] = 0; /* of another execution */
  cancel_reset_thread(t);
  rt.engine->thread[t].foreign_writes = rt.engine->thread[t].handler_sp = 0;
  rt.engine->thread[t].handler_nests = false;
  thread->signal_mask = rt.thread[me].signal_mask;
  thread->processors = rt.thread[me].processors;
  scheduling_inherit(t, me);
  attributes_give(t, attributes);
  priorities_settle(t);
  vclock_copy(&thread->clock, &rt.thread[me].clock);
  vclock_set(&thread->clock, t, 1);
  rt.thread[me].clock.at[me]++;
  if (is_second(t) || (rt.recording && is_alone_but_for(t)))
    memory_retag();
  else
    memory_tag_thread(t);
  thread_give_frames(t);
  fiber_prepare(thread->fiber, thread_begin);
  return t;
}

unsigned thread_add_copy(uintptr_t pc)
{
  unsigned me = self_index(), t = engine_add_thread(rt.engine, me, 0, in_image(pc));
  if (t == MAX_THREADS)
    fail(pc, "the program starts more than %u threads in one execution; those that have ended count", MAX_THREADS - 2);
  if (rt.naming)
    origin_of_thread(t, pc);
  struct thread *copy = &rt.thread[t];
  struct frame *frames = copy->frame;
  *copy = rt.thread[me];
  copy->frame = frames;
  copy->pending_signals = 0;
  copy->began = rt.now;
  copy->cancel_pending = false;
  copy->waited_at = 0;
  rt.local[t] = 0;
  vclock_set(&copy->clock, t, 1);
  rt.thread[me].clock.at[me]++;
  rt.engine->thread[t].foreign_writes = 0;
  rt.engine->thread[t].handler_sp = rt.engine->thread[me].handler_sp;
  rt.engine->thread[t].handler_nests = rt.engine->thread[me].handler_nests;
  thread_give_frames(t);
  for (uint32_t i = 0; rt.calls && i < copy->frames && i < FRAMES; i++)
    copy->frame[i] = rt.thread[me].frame[i];
  return t;
}

void thread_is_copy(unsigned thread, unsigned of)
{
  cancel_copy_thread(thread, of);
  signals_copy_thread(thread, of);
  rt.thread[thread].fiber->tid = (int)sys(SYS_gettid);
}

/* MAX_THREADS with the error, if it cannot be. */
static unsigned spawn(uintptr_t start, const pthread_attr_t *attr, int *error, uintptr_t pc)
{
  struct attributes attributes;
  note_unseen_calls_loss();
  *error = attributes_read(attr, &attributes);
  if (*error)
    return MAX_THREADS;
  need_stack(&attributes);
  if (!attributes.stack && !heap_has_room(attributes.stack_size ? attributes.stack_size : fiber_stack_size())) {
    *error = EAGAIN; /* there is no memory for its stack */
    return MAX_THREADS;
  }
  struct operation op = {.kind = OP_CREATE, .arg = rt.engine->threads, .pc = pc};
  parts_starting();
  step(&op);
  if (attr || thread_defaults_were_set())
    attributes_read(attr, &attributes); /* others may have changed the defaults until now */
  unsigned t = add_thread(start, false, self_index(), &attributes, pc);
  parts_started(t, pc);
  return t;
}

/* As a child of main: who starts it may be the clock, which is nobody to the program. */
unsigned thread_start_detached(void *(*start)(void *), const struct attributes *attributes)
{
  struct operation op = {.kind = OP_CREATE, .arg = rt.engine->threads};
  step(&op);
  unsigned t = add_thread((uintptr_t)start, false, 0, attributes, 0);
  rt.thread[t].start = start;
  performed(0);
  return t;
}

unsigned thread_start_system(void *(*start)(void *), unsigned nth, const char *name)
{
  unsigned t = add_thread((uintptr_t)start, true, nth, &detached, 0);
  rt.thread[t].start = start;
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
  int error;
  reads_for(attr, sizeof *attr, CALLER());
  unsigned t = spawn((uintptr_t)start, attr, &error, CALLER());
  if (error)
    return error;
  rt.thread[t].start = start;
  rt.thread[t].arg = arg;
  rt.thread[t].plain = !attr;
  *id = (pthread_t)rt.thread[t].fiber->fs;
  return performed(0);
}

int thread_create_c11(unsigned long *id, int (*start)(void *), void *arg, uintptr_t pc)
{
  int error;
  unsigned t = spawn((uintptr_t)start, NULL, &error, pc);
  if (error)
    return error;
  rt.thread[t].start_c11 = start;
  rt.thread[t].arg = arg;
  rt.thread[t].plain = true;
  *id = rt.thread[t].fiber->fs;
  return performed(0);
}

static void *run(const struct thread *self)
{
  if (!parts_run_thread())
    return NULL;
  return self->start_c11 ? (void *)(intptr_t)self->start_c11(self->arg) : self->start(self->arg);
}

void thread_begin(void)
{
  engine_about(rt.engine, &hd_self->pending);
  if (signals_wait_for(self_index())) /* sent before it ran: not at its first step, which replay has elsewhere */
    run_signals();
  property_thread(EVENT_OF_START);
  thread_end(run(self_thread()));
}

/* ---- end ---- */

static bool last_one(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && rt.engine->thread[t].alive && !rt.thread[t].system &&
        rt.thread[t].process == hd_own.process)
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
  property_thread(EVENT_OF_END);
  stack_thread_ends();
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
  parts_joined(t, result);
  performed(0);
  if (rt.recording && is_alone_but_for(MAX_THREADS))
    memory_retag();
  if (result) {
    writes_for(result, sizeof *result, pc);
    *result = thread->result;
  }
  return 0;
}

/* The thread to join; misuse that POSIX leaves undefined is a finding. */
static unsigned joinable(pthread_t id, enum op_kind kind, uintptr_t pc)
{
  unsigned t = find(id);
  if (t == MAX_THREADS)
    misuse(NULL, kind, pc, "joins a thread that does not exist");
  if (rt.thread[t].joined)
    misuse(thread_object(t), kind, pc, "joins a thread that was joined already");
  if (rt.thread[t].detached)
    misuse(thread_object(t), kind, pc, "joins a detached thread");
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
  rt.thread[t].told_apart |= result != NULL;
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

/* ---- names ---- */

/* That of a thread which others can change or look at. */
void thread_touch_name(unsigned t, enum op_kind kind, uintptr_t pc)
{
  if (t == MAX_THREADS)
    return;
  if (property_asks_names)
    memory_share((uintptr_t)&rt.thread[t].processors);
  memory_access(&rt.thread[t].processors, 8, kind, __ATOMIC_SEQ_CST, pc);
}

/* As far as the kernel keeps it. */
const char *thread_name_of(unsigned t)
{
  static char of_program[sizeof rt.control->thread[0].name];
  if (rt.control->thread[t].name[0])
    return rt.control->thread[t].name;
  print_text(of_program, sizeof of_program, "%s", program_invocation_short_name);
  return of_program;
}

EXPORT int pthread_setname_np(pthread_t id, const char *name)
{
  if (!hd_self)
    return REAL(pthread_setname_np)(id, name);
  unsigned t = thread_of(id);
  thread_touch_name(t, OP_ATOMIC_STORE, CALLER());
  if (text_length(name) >= sizeof rt.control->thread[0].name)
    return ERANGE;
  if (t < MAX_THREADS)
    test_name_thread(t, name);
  return t < MAX_THREADS ? 0 : ESRCH;
}

EXPORT int pthread_getname_np(pthread_t id, char *name, size_t size)
{
  if (!hd_self)
    return REAL(pthread_getname_np)(id, name, size);
  unsigned t = thread_of(id);
  thread_touch_name(t, OP_ATOMIC_LOAD, CALLER());
  if (size < sizeof rt.control->thread[0].name)
    return ERANGE;
  if (t < MAX_THREADS)
    writes_for(name, sizeof rt.control->thread[0].name, CALLER());
  if (t < MAX_THREADS)
    print_text(name, sizeof rt.control->thread[0].name, "%s", thread_name_of(t));
  return t < MAX_THREADS ? 0 : ESRCH;
}
