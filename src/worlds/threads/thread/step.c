/* SPDX-License-Identifier: Apache-2.0
 *
 * A step: announce an operation, wait for the turn, take note of what was performed. Every model of a primitive is made
 * of these. Here fibers are switched, and nowhere else but in loop.c.
 */
#include "core/without_libc.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/spinning.h"
#include "worlds/threads/memory/stack_ends.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/predicate.h"
#include "worlds/threads/model/rehearsal.h"
#include "worlds/threads/model/rwlock.h"
#include "worlds/threads/process/turn.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/fiber.h"
#include "worlds/threads/thread/thread.h"
#include "worlds/threads/thread/world.h"

struct runtime rt SYSTEM;
struct own hd_own;
struct thread_state *hd_self;

const char *thread_label(unsigned t)
{
  static char label[MAX_THREADS][24];
  const struct thread_info *info = &rt.control->thread[t];
  if (t == 0)
    return "main";
  if (info->nth >= TASK_NUMBER)
    return info->name;
  bool process = info->process != rt.control->thread[info->parent].process;
  if (info->parent == 0)
    print_text(label[t], sizeof label[t], process ? "P%u" : "T%u", info->nth);
  else
    print_text(label[t], sizeof label[t], process ? "%s.P%u" : "%s.%u", thread_label(info->parent), info->nth);
  return label[t];
}

/* Exhaustive search: the program did something else than it did before under the same schedule. If it only learnt that
 * more memory is shared, all begins anew (loop.c); else perhaps its memory was not all it had to be put back. */
static _Noreturn void not_repeated(const struct operation *now)
{
  const struct engine *e = rt.engine;
  rt.control->error_pc = now->pc;
  rt.control->state = WORKER_DIVERGED;
  print_text(rt.control->error, sizeof rt.control->error,
             "the program does not do the same under the same schedule: %s is about to do %s instead of what "
             "it did before; "
             "does it use something that heddle does not control?",
             thread_label(e->current), op_table[now->kind].name);
  if (e->locations == rt.locations_before && rt.control->reset != RESET_EXEC && !hd_own.embedded) {
    rt.control->state = WORKER_RUNNING;
    change_reset(rt.control->reset == RESET_SNAPSHOT ? RESET_FORK : RESET_EXEC, now->pc,
                 "the program did not repeat itself");
  }
  execution_end();
}

void schedule_left(void)
{
  const struct engine *e = rt.engine;
  const struct operation *now = &e->thread[e->current].pending;
  char *error = rt.control->error, expected[256];
  if (e->strategy->exhaustive)
    not_repeated(now);
  rt.control->error_pc = now->pc;
  if (e->strategy->expected && e->strategy->expected(e->strategy_state, expected, sizeof expected))
    print_text(error, sizeof rt.control->error,
               "the program left the schedule: %s is about to do %s (its operation %lu), but %s",
               thread_label(e->current), op_table[now->kind].name, e->thread[e->current].operations, expected);
  else
    print_text(error, sizeof rt.control->error,
               "the program goes on after the end of the schedule: %s is about to do %s", thread_label(e->current),
               op_table[now->kind].name);
  rt.control->state = WORKER_DIVERGED;
  execution_end();
}

static void switch_to(unsigned from, unsigned to)
{
  struct fiber *next = rt.thread[to].fiber;
  hd_self = &rt.engine->thread[to];
  set_tls_base(next->fs);
  switch_fiber(&rt.thread[from].fiber->sp, next->sp);
}

static void take_turn(void)
{
  unsigned me = self_index();
  unsigned next = engine_turn(rt.engine);
  if (unlikely(next == NEXT_DIVERGED))
    schedule_left();
  if (unlikely(next >= MAX_THREADS))
    execution_end();
  if (unlikely(rt.thread[next].process != hd_own.process))
    next = turn_hand_over(next);
  if (next != me)
    switch_to(me, next);
}

/* Whether the handlers that ran ended the wait. They do if they came after it had begun, which is anybody's guess where
 * it is not known. */
static bool gives_up(const struct operation *op, enum interruption how, bool let_in, bool during)
{
  if (let_in)
    return how != NOT_INTERRUPTED;
  bool on_channels = op_is_on_channels(op->kind), on_queue = op_table[op->kind].object == OBJECT_QUEUE;
  bool on_descriptors = op->kind == OP_FD_WAIT || op->kind == OP_FD_TIMEDWAIT;
  bool polls = op->kind == OP_CHANNEL_POLL || op->kind == OP_CHANNEL_TIMEDPOLL || (on_descriptors && op->length) ||
               (on_queue && op->length & 1);
  bool always = op->kind == OP_SLEEP || op->kind == OP_SIGNAL_TIMEDWAIT || op->kind == OP_SEM_TIMEDWAIT ||
                op->kind == OP_SEMSET_OPERATE || op->kind == OP_SEMSET_TIMEDOPERATE || op->kind == OP_AIO_WAIT ||
                op->kind == OP_AIO_TIMEDWAIT || polls;
  bool may =
      always || on_descriptors || on_queue || on_channels || op->kind == OP_SEM_WAIT || op->kind == OP_PROCESS_WAIT;
  if (!may || how == NOT_INTERRUPTED || (how == RESTARTED && !always))
    return false;
  return during || engine_choose(rt.engine, 2) == 0;
}

static inline void announce(const struct operation *op)
{
  engine_announce(rt.engine, op);
  if (signals_wait_for(self_index()))
    hd_self->pending.traits |= OP_SIGNALLED;
  if (unlikely(rt.armed))
    timers_may_expire_in(&hd_self->pending);
  if (likely(!rt.sleepers))
    return;
  engine_touch(rt.engine); /* whether somebody's time has come depends on all others */
  if (self_thread()->waits) {
    engine_holds_on(rt.engine);
    hd_self->pending.traits |= rt.engine->strategy->exhaustive ? OP_FAR | OP_PATIENT : 0;
  }
}

/* The turn was for a handler, which takes steps of its own: whatever was possible before may not be any more. So the
 * operation is still to come, or given up where POSIX says so: true. What is let through only while the thread waits
 * comes at no other time. */
static bool be_interrupted(const struct operation *op)
{
  struct thread *t = self_thread();
  uint64_t let_through = t->let_through, mask = t->signal_mask;
  bool waits = world_waits(self_index(), op);
  bool let_in = waits && signals_pending(self_index()) & let_through, during = t->signalled_in_wait;
  t->signalled_in_wait = false;
  t->let_through = 0;
  if (!waits)
    t->signal_mask |= let_through;
  bool ends = t->waits;
  t->waits = false; /* the steps of handlers do not */
  enum interruption how = run_signals();
  t->waits = ends;
  t->signal_mask = mask;
  t->let_through = let_through;
  return waits && gives_up(op, how, let_in, during);
}

/* Whether a handler comes before the operation. */
static bool handler_comes_first(const struct operation *op)
{
  unsigned me = self_index();
  if (!signals_wait_for(me) || op->kind == OP_SIGNAL_WAIT)
    return false;
  uint64_t others = signals_pending(me) & ~rt.thread[me].signal_mask & ~rt.thread[me].let_through;
  return others || world_waits(me, op);
}

/* The end of a child ends a wait for it and sends a signal, both at once: if the thread was inside the call by then,
 * the call may come to its end before the handler runs. */
static bool call_ends_first(const struct operation *op, bool inside)
{
  unsigned me = self_index();
  return inside && op->kind == OP_PROCESS_WAIT && signals_pending(me) & SIGNAL_BIT(SIGCHLD) && !world_waits(me, op) &&
         engine_choose(rt.engine, 2) == 1;
}

static inline void take_step(const struct operation *op)
{
  if (unlikely(predicates_declared))
    predicates_look(op->pc);
  if (rt.keeps_local) {
    rt.local[self_index()] = local_state(op->pc);
    time_note_round(rt.local[self_index()]);
  }
  spinning_stepped();
  if (unlikely(rt.naming))
    origin_of_objects(op);
  if (unlikely(rt.tracing))
    world_note_whereabouts(op);
  announce(op);
  bool inside = !(hd_self->pending.traits & OP_SIGNALLED);
  take_turn();
  while (handler_comes_first(op) && !call_ends_first(op, inside)) {
    if (be_interrupted(op)) {
      self_thread()->interrupted = true;
      return;
    }
    announce(op);
    take_turn();
  }
  if (unlikely(self_thread()->cancel_async) && op_is_lock_wait(op->kind))
    check_cancel(op->pc);
  engine_about(rt.engine, op);
  if (rt.keeps_local)
    section_step(&self_thread()->section, op);
  if (op->kind == OP_SIGNAL_WAIT && signals_wait_for(self_index())) /* what sigsuspend waits for */
    self_thread()->interrupted = run_signals() != NOT_INTERRUPTED;
}

static void take_aside(int unused, siginfo_t *nothing, void *op)
{
  (void)unused, (void)nothing;
  step(op);
}

void step(const struct operation *op)
{
  if (unlikely(rehearsing)) {
    rehearsal_step(op);
    return;
  }
  uintptr_t aside = self_thread()->steps_aside;
  if (unlikely(aside)) {
    self_thread()->steps_aside = 0; /* handlers that come meanwhile are there already */
    call_on_stack((void *)aside, take_aside, 0, NULL, (void *)op);
    self_thread()->steps_aside = aside;
    return;
  }
  if (unlikely(hd_own.image)) {
    struct operation there = *op;
    there.pc = in_image(op->pc);
    take_step(&there);
  } else {
    take_step(op);
  }
  if (unlikely(rt.sleepers))
    has_ended_wait(self_thread());
}

struct operation operation_on(enum op_kind kind, const struct object *object, uint64_t arg, uintptr_t pc)
{
  return (struct operation){.kind = kind,
                            .space = object->space,
                            .traits = (heap_contains(object->addr) ? OP_ON_HEAP : 0) |
                                      (rwlock_prefers_writers(object) ? OP_BEYOND : 0),
                            .object = object->id,
                            .addr = object->addr,
                            .arg = arg,
                            .pc = pc};
}

void step_on(enum op_kind kind, struct object *object, uint64_t arg, uintptr_t pc)
{
  struct operation op = operation_on(kind, object, arg, pc);
  step(&op);
  if (kind == OP_FUTEX_WAKE) /* does not touch the word: whoever saw the unlock may have freed it */
    return;
  if (heap_contains(object->addr)) { /* the object may have been freed, before or while we waited */
    heap_check_access(object->addr, 1, kind, pc);
    memory_stands_on(object->addr);
  } else if (is_on_stacks(object->addr) && op_table[kind].object != OBJECT_THREAD &&
             kind != OP_BARRIER_LEAVE) { /* pthread_barrier_destroy() waits for that */
    stack_touch(object->addr, 1, kind, pc);
  }
}

int performed(int result)
{
  engine_perform(rt.engine, result);
  return result;
}

void acquire_from(const struct vclock *clock)
{
  vclock_join(&self_thread()->clock, clock);
}

void release_to(struct vclock *clock)
{
  unsigned me = self_index();
  struct vclock *mine = &rt.thread[me].clock;
  vclock_join(clock, mine);
  mine->at[me]++;
}

void step_out(void)
{
  engine_end_thread(rt.engine);
  take_turn();
  __builtin_trap();
}
