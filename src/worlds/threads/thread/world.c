/* SPDX-License-Identifier: Apache-2.0
 *
 * The world of threads, as the engine, strategies and observers see it. The rules of the primitives stand with their
 * models.
 */
#include "worlds/threads/thread/world.h"
#include "core/key.h"
#include "core/object_model.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include "worlds/threads/framework/test_orderings.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/polled.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/memory/names.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/barrier.h"
#include "worlds/threads/model/cond.h"
#include "worlds/threads/model/futex.h"
#include "worlds/threads/model/message_queue.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/model/once.h"
#include "worlds/threads/model/rwlock.h"
#include "worlds/threads/model/sem.h"
#include "worlds/threads/model/spin.h"
#include "worlds/threads/model/sysv_semaphores.h"
#include "worlds/threads/process/borrowing.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/aio_requests.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/fiber.h"
#include "worlds/threads/thread/thread.h"
#include <sys/syscall.h>
#include <sys/uio.h>

/* ---- what can be performed ---- */

/* Waits that are for no object of the program's. */
static bool system_permits(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  switch (op->kind) {
  case OP_SIGNAL_WAIT:
    return signal_ready(thread, op) || cancel_wanted_in_call(thread);
  case OP_FD_WAIT:
    return fd_ready(thread, op) || cancel_wanted_in_call(thread);
  case OP_EXPIRE:
    return timers_can_expire(thread);
  case OP_PROCESS_WAIT:
    return process_has_news(thread, op) || cancel_wanted_in_call(thread);
  case OP_PROCESS_LEND:
    return borrowing_is_over(op);
  case OP_PROCESS_GO_ON:
    return !rt.process[rt.thread[thread].process].stopping;
  default:
    return true;
  }
}

static uint64_t memory_value(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op;
  uint8_t space = key_space(key);
  if (!key_is_memory(key))
    return 0;
  bool may_lack = space == SPACE_SHARED && (hd_own.image || rt.unmapped);
  if ((space != hd_own.process && space != SPACE_SHARED) || (may_lack && !memory_is_readable(key_address(key))))
    return rt.engine->step;
  return memory_content(key_address(key));
}

static int awaited_child(void *self, const struct operation *op, uintptr_t *pc)
{
  (void)self;
  *pc = 0;
  return op->kind == OP_PROCESS_GO_ON ? -1 : process_awaited(op); /* who is stopped waits for nobody in particular */
}

static const struct object_model process_model = {.enabled = system_permits, .holder = awaited_child};
static const struct object_model system_model = {.enabled = system_permits}, memory_model = {.state = memory_value};

static const struct object_model *const models[OBJECT_KIND_COUNT] = {
    [OBJECT_NOTHING] = &system_model,  [OBJECT_THREAD] = &thread_model,   [OBJECT_MEMORY] = &memory_model,
    [OBJECT_MUTEX] = &mutex_model,     [OBJECT_SPIN] = &spin_model,       [OBJECT_COND] = &cond_model,
    [OBJECT_RWLOCK] = &rwlock_model,   [OBJECT_SEM] = &sem_model,         [OBJECT_BARRIER] = &barrier_model,
    [OBJECT_ONCE] = &once_model,       [OBJECT_FUTEX] = &futex_model,     [OBJECT_FD] = &system_model,
    [OBJECT_CHANNEL] = &channel_model, [OBJECT_PROCESS] = &process_model, [OBJECT_QUEUE] = &queue_model,
    [OBJECT_SEMSET] = &semset_model,   [OBJECT_AIO] = &aio_model};

static const struct object_model *model_of(void *self, enum object_kind kind)
{
  (void)self;
  return kind < OBJECT_KIND_COUNT ? models[kind] : NULL;
}

static inline bool rules_permit(unsigned thread, const struct operation *op)
{
  return models[op_table[op->kind].object]->enabled(NULL, thread, op);
}

/* A thread that a signal waits for can always run its handler, whatever it is blocked on. */
static inline bool is_released(unsigned thread, const struct operation *op)
{
  return signals_wait_for(thread) ||
         (unlikely(rt.thread[thread].cancel_async) && op_is_lock_wait(op->kind) && cancel_wanted(thread));
}

/* The engine asks only for operations that can block, and for those that wait for their time. */
static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  if (unlikely(rt.thread[thread].finished))
    return false; /* cut off by the end of its process */
  if (is_released(thread, op))
    return true;
  if (likely(!rt.sleepers) || !rt.thread[thread].waits)
    return rules_permit(thread, op);
  return (!op_table[op->kind].blocks || rules_permit(thread, op)) && punctual_permits(thread, op);
}

bool world_permits(unsigned thread, const struct operation *op)
{
  return !op_table[op->kind].blocks || rules_permit(thread, op);
}

bool world_enabled(unsigned thread, const struct operation *op)
{
  bool can_wait = op_table[op->kind].blocks || rt.thread[thread].waits;
  return !rt.thread[thread].finished && (!can_wait || enabled(NULL, thread, op));
}

bool world_waits(unsigned thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_SLEEP:
    return true;
  case OP_SEM_TIMEDWAIT:
    return !sem_is_left(op);
  case OP_FD_TIMEDWAIT:
    return !fd_ready(thread, op);
  case OP_CHANNEL_TIMEDRECEIVE:
  case OP_CHANNEL_TIMEDSEND:
  case OP_CHANNEL_TIMEDACCEPT:
  case OP_CHANNEL_TIMEDPOLL:
    return rt.thread[thread].waits && !channel_is_ready(thread);
  case OP_SIGNAL_TIMEDWAIT:
    return !signal_ready(thread, op);
  case OP_QUEUE_TIMEDSEND:
  case OP_QUEUE_TIMEDRECEIVE:
    return !queue_ready(thread, op);
  case OP_SEMSET_TIMEDOPERATE:
    return !semaphores_permit(op);
  case OP_AIO_TIMEDWAIT:
    return !aio_ready(thread, op);
  default:
    return !world_permits(thread, op);
  }
}

static bool released(void *self, unsigned thread, const struct operation *op);
static uint64_t state(void *self, const struct operation *op, uint64_t key);

static bool stands(void *self, unsigned thread, const struct operation *op)
{
  if (is_released(thread, op))
    return false;
  switch (op->kind) {
  case OP_SLEEP:
    return false;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_FUTEX_BLOCK:
  case OP_FUTEX_TIMEDBLOCK:
    return !released(self, thread, op) || !world_permits(thread, op);
  case OP_MUTEX_TIMEDLOCK:
    return !state(self, op, key_of_object(OBJECT_MUTEX, op->space, op->addr));
  default:
    return world_waits(thread, op);
  }
}

/* ---- states ---- */

/* That something was done once is written down by us, where the program may set it back. */
static bool is_about_once(uintptr_t addr)
{
  return object_find((const void *)addr, OBJECT_ONCE);
}

/* What it sees there is told when it enters (once.c). */
static bool looks_whether_done(const struct operation *op)
{
  return op && op->kind == OP_ATOMIC_LOAD && op->order == __ATOMIC_CONSUME && is_about_once(op->addr);
}

/* The system's is not for us to know. */
static uint64_t state(void *self, const struct operation *op, uint64_t key)
{
  if (!key_is_object(key))
    return looks_whether_done(op) ? 0 : memory_value(self, op, key);
  const struct object_model *model = models[key_kind(key)];
  return model && model->state ? model->state(self, op, key) : 0;
}

/* Memory of another process is not for us to know: as if it always changed. */
static bool is_known(void *self, uint64_t key)
{
  (void)self;
  uint8_t space = key_space(key);
  return key_is_object(key) || (key_is_memory(key) && (space == hd_own.process || space == SPACE_SHARED));
}

/* A barrier opens for all: that is its round, and nobody is chosen. */
static bool released(void *self, unsigned thread, const struct operation *op)
{
  enum object_kind kind = op_table[op->kind].object;
  return (kind == OBJECT_COND || kind == OBJECT_FUTEX) && models[kind]->released(self, thread, op);
}

static uint64_t local(void *self, unsigned thread)
{
  (void)self;
  return rt.local[thread];
}

static void attend(void *self, bool wanted)
{
  (void)self;
  if (!wanted) {
    rt.keeps_local &= (uint8_t)~LOCAL_FOR_HANG;
    return;
  }
  for (unsigned t = 0; t < MAX_THREADS && !(rt.keeps_local & LOCAL_FOR_SEARCH); t++)
    rt.local[t] = 0; /* of another time */
  rt.keeps_local |= LOCAL_FOR_HANG;
  memory_retag(); /* what is private from now on is watched */
}

static bool timeless(void *self)
{
  (void)self;
  bool alone = rt.engine->processes == 1; /* others may change what it waits for */
  return alone && !rt.sleepers && timers_next() == INT64_MAX;
}

static bool hasten_timer(void *self)
{
  (void)self;
  return timers_come_due();
}

static bool ended(void *self, unsigned thread)
{
  (void)self;
  return rt.thread[thread].finished;
}

/* A schedule can tell any two threads apart, by their names or by whose event it was. */
static bool twins(void *self, unsigned elder, unsigned thread)
{
  (void)self;
  return !rt.control->orderings.now && thread_is_twin(elder, thread);
}

static bool told_apart(void *self, unsigned thread, uint64_t value)
{
  (void)self;
  return thread_was_told_apart(thread, value);
}

static bool is_system(void *self, unsigned thread)
{
  (void)self;
  return rt.thread[thread].system;
}

/* ---- names ---- */

static uint64_t name(void *self, uintptr_t addr)
{
  (void)self;
  return name_of(addr);
}

static bool stands_in(void *self, uintptr_t addr)
{
  (void)self;
  return hidden_state_covers(addr) || is_about_once(addr);
}

static uintptr_t address(void *self, uint64_t name)
{
  (void)self;
  return address_of(name);
}

static uint64_t place(void *self, uintptr_t pc)
{
  (void)self;
  return stable_place(pc);
}

static uintptr_t at_place(void *self, uint64_t place)
{
  (void)self;
  return address_of_place(place);
}

static const struct origin *task_origin(void *self, unsigned thread)
{
  (void)self;
  return thread_origin(thread);
}

static const struct origin *origin_of_object(void *self, uint32_t id)
{
  (void)self;
  return object_origin(id);
}

/* ---- for observers ---- */

static bool object(void *self, uint32_t id, struct object_view *out)
{
  (void)self;
  const struct object *o = object_known(id);
  if (o)
    object_view(o, out);
  return o;
}

static const struct vclock *clock_of(void *self, unsigned thread)
{
  (void)self;
  return &rt.thread[thread].clock;
}

static uint32_t location(void *self, uintptr_t addr)
{
  (void)self;
  return shadow_location(*shadow_word((void *)addr));
}

static bool excused(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  const struct thread *t = &rt.thread[thread];
  return (op_writes_memory(op->kind) ? t->ignores_writes : t->ignores_reads) > 0 || race_is_benign(op);
}

static const char *state_of_calls(void *self, uintptr_t addr)
{
  (void)self;
  return hidden_state_at(addr);
}

/* The function, on the stack of any thread of this process, in whose frame the address lies. */
static void locate_on_stacks(uintptr_t addr, struct whereabouts *out)
{
  for (unsigned t = 0; t < rt.engine->threads && rt.tracing; t++) {
    const struct thread *thread = &rt.thread[t];
    if (thread->process != hd_own.process)
      continue;
    for (uint32_t i = thread->frames < FRAMES ? thread->frames : FRAMES; i-- > 0;) {
      const struct frame *f = &thread->frame[i];
      if (addr < f->sp || addr >= f->cfa)
        continue;
      out->local_pc = in_image(f->own);
      out->local_offset = (int64_t)(addr - f->cfa);
      return;
    }
  }
}

/* Its name and the like. */
static void name_attributes(uintptr_t addr, char *out, size_t size)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (addr == (uintptr_t)&rt.thread[t].processors)
      print_text(out, size, "attributes of %s", thread_label(t));
}

static void locate_here(uintptr_t addr, struct whereabouts *out)
{
  struct block_info block;
  *out = (struct whereabouts){.space = hidden_state_at(addr) ? (uint8_t)hd_own.process : space_of(addr)};
  if (queue_at(addr))
    print_text(out->name, sizeof out->name, "%s", queue_at(addr)->name);
  semaphores_name(addr, out->name, sizeof out->name);
  name_attributes(addr, out->name, sizeof out->name);
  if (heap_contains(addr) && heap_find(addr, &block)) {
    out->block_pc = in_image(block.alloc_pc);
    out->freed_pc = in_image(block.free_pc);
    out->block_offset = addr - block.start;
    out->block_size = block.size;
    copy_bytes(out->block_calls, block.calls, sizeof out->block_calls);
  }
  if (mapping_find(addr, &block)) {
    out->block_pc = in_image(block.alloc_pc);
    out->block_offset = addr - block.start;
    out->block_size = block.size;
    out->mapped = true;
  }
  locate_on_stacks(addr, out);
}

/* What each thread is about to do, as its own process sees it. */
static struct {
  uintptr_t addr;
  struct whereabouts at;
} located[MAX_THREADS] SYSTEM;

void world_note_whereabouts(const struct operation *op)
{
  located[self_index()].addr = op->addr;
  locate_here(op->addr, &located[self_index()].at);
}

static void locate(void *self, unsigned thread, uintptr_t addr, struct whereabouts *out)
{
  (void)self;
  if (rt.thread[thread].process == hd_own.process || space_of(addr) == SPACE_SHARED)
    locate_here(addr, out);
  else if (rt.tracing && located[thread].addr == addr)
    *out = located[thread].at;
  else
    *out = (struct whereabouts){.space = rt.thread[thread].process};
}

static int handling(void *self, unsigned thread)
{
  (void)self;
  return rt.engine->thread[thread].handler_sp ? rt.thread[thread].handler_signal : 0;
}

static void channel(void *self, unsigned thread, struct channel_view *out)
{
  (void)self;
  pending_describe(thread, out);
}

static unsigned stack(void *self, unsigned thread, uintptr_t *out, unsigned most)
{
  (void)self;
  const struct thread *t = &rt.thread[thread];
  unsigned depth = 0;
  for (uint32_t i = t->frames < FRAMES ? t->frames : FRAMES; i-- > 0 && depth < most;)
    if (!in_runtime(t->frame[i].pc))
      out[depth++] = t->frame[i].pc | (uintptr_t)rt.control->thread[thread].image << IMAGE_SHIFT;
  return depth;
}

static uint64_t calls(void *self, unsigned thread)
{
  (void)self;
  const struct thread *t = &rt.thread[thread];
  uint64_t h = 0;
  for (uint32_t i = 0; i < t->frames && i < FRAMES; i++)
    h = mix64(h ^ t->frame[i].pc);
  return h;
}

static uint64_t activation(void *self, unsigned thread)
{
  (void)self;
  const struct thread *t = &rt.thread[thread];
  uint32_t frames = t->frames < FRAMES ? t->frames : FRAMES;
  return frames ? t->frame[frames - 1].activation * (FRAMES + 1) + frames : 0;
}

static bool peek(void *self, unsigned thread, uintptr_t addr, uint32_t length, uint64_t *value)
{
  (void)self;
  *value = 0;
  struct iovec to = {value, length}, from = {(void *)addr, length};
  return sys(SYS_process_vm_readv, process_kernel_id(rt.thread[thread].process), &to, 1, &from, 1, 0) == (long)length;
}

static bool is_there(void *self, uintptr_t addr)
{
  (void)self;
  return heap_contains(addr) ? heap_is_readable(addr) : in_static_data(addr);
}

static void rest(void *self)
{
  (void)self;
  const struct timespec moment = {.tv_nsec = 200000};
  sys(SYS_nanosleep, &moment, NULL);
}

static const char *call_subject(void *self, unsigned task)
{
  (void)self;
  return overlay_subject(task);
}

const struct world world_of_threads = {.begin = execution_begin,
                                       .go_on = threads_go_on,
                                       .leave = back_to_loop,
                                       .enabled = enabled,
                                       .model = model_of,
                                       .stands_in = stands_in,
                                       .name = name,
                                       .address = address,
                                       .place = place,
                                       .at_place = at_place,
                                       .task_origin = task_origin,
                                       .object_origin = origin_of_object,
                                       .state = state,
                                       .released = released,
                                       .local = local,
                                       .is_known = is_known,
                                       .attend = attend,
                                       .timeless = timeless,
                                       .hasten_timer = hasten_timer,
                                       .ended = ended,
                                       .twins = twins,
                                       .told_apart = told_apart,
                                       .is_system = is_system,
                                       .stands = stands,
                                       .event = test_event_of,
                                       .is_called = test_thread_is_called,
                                       .readings = property_readings,
                                       .object = object,
                                       .clock = clock_of,
                                       .location = location,
                                       .excused = excused,
                                       .state_of_calls = state_of_calls,
                                       .locate = locate,
                                       .handling = handling,
                                       .channel = channel,
                                       .stack = stack,
                                       .call_subject = call_subject,
                                       .calls = calls,
                                       .activation = activation,
                                       .peek = peek,
                                       .is_there = is_there,
                                       .rest = rest};
