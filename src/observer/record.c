/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording a run: every event, with values, results, calls and names, goes into the ring of core/record.h. What memory
 * is shared must be known before, so the run is made twice at least (loop.c); only the last time counts.
 *
 * An event is held back until the next one: by then its operation was performed, and its result and the value written are
 * known. Nothing else runs in between.
 */
#include "core/record.h"
#include "core/event_flags.h"
#include "core/observer.h"
#include "core/rng.h"
#include "runtime/origin.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/util.h"
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#define STACKS (1u << 16)
#define STACK_DEPTH 16

static struct raw_event held; /* op OP_NONE: nothing */
static uint64_t number;       /* events so far */
static uint32_t threads_known;
static struct {
  uint32_t run;    /* in which it was told */
  uint64_t signal; /* number of the last signal or broadcast */
} * told;          /* by number of object */
static struct {
  uint64_t hash;
  uint32_t run, number;
} * stacks;
static uint32_t *locations; /* by number of the location: the run in which it was told */
static uint32_t run, stack_count;

static void put(const struct raw_event *e)
{
  struct event_ring *ring = CONTROL_AT(rt.control, CONTROL_EVENTS_OFFSET);
  const struct timespec moment = {.tv_nsec = 200000};
  while (ring->written - ring->read >= RING_EVENTS) {
    rt.control->heartbeat++; /* not stuck, only ahead of the writer of the file */
    sys(SYS_nanosleep, &moment, NULL);
  }
  ring->slot[ring->written % RING_EVENTS] = *e;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  ring->written++;
}

/* ---- definitions ---- */

static void put_word(uint64_t stable, uint64_t count)
{
  put(&(struct raw_event){
      .op = RAW_WORD, .pc = address_of_place(stable), .place = stable, .value = stable, .cause = count});
}

static void put_origin(const struct origin *o)
{
  put(&(struct raw_event){.op = RAW_ORIGIN,
                          .pc = o->fixed,
                          .addr = o->inside,
                          .length = o->index_length,
                          .other = o->chain_length});
  for (uint32_t i = 0; i < o->index_length; i++)
    put_word(o->index[i].site, o->index[i].count);
  for (uint32_t i = 0; i < o->chain_length; i++)
    put_word(o->chain[i], 0);
}

static void tell_threads(void)
{
  const struct control *c = rt.control;
  for (; threads_known < rt.engine->threads; threads_known++) {
    uint32_t t = threads_known;
    put(&(struct raw_event){.op = RAW_THREAD,
                            .object = t,
                            .other = t ? c->thread[t].parent + 1 : 0,
                            .pc = t ? rt.engine->thread[t].pending.pc : 0,
                            .place = t ? stable_place(rt.engine->thread[t].pending.pc) : 0});
    put_origin(thread_origin(t));
  }
}

static void tell_object(uint32_t id, bool anew)
{
  const struct object *o = object_by_id(id);
  struct block_info block = {0};
  if (told[id].run == run && !anew)
    return;
  told[id].run = run;
  told[id].signal = 0;
  bool heap = heap_contains(o->addr) && heap_find(o->addr, &block);
  put(&(struct raw_event){.op = RAW_OBJECT,
                          .object = id,
                          .length = o->type,
                          .other = o->kind,
                          .addr = o->addr,
                          .pc = heap ? block.alloc_pc : 0,
                          .value = heap ? o->addr - block.start : 0,
                          .cause = heap ? block.size : 0});
  put_origin(object_origin(id));
}

/* What memory it is, when it is used for the first time. */
static void tell_memory(const struct operation *op)
{
  struct block_info block = {0};
  uint32_t location = shadow_location(*shadow_word((void *)(op->addr & ~UINT64_C(7))));
  if (!location || locations[location] == run)
    return;
  locations[location] = run;
  bool heap = heap_contains(op->addr) && heap_find(op->addr, &block);
  put(&(struct raw_event){.op = RAW_MEMORY,
                          .addr = op->addr,
                          .length = op->length,
                          .pc = heap ? block.alloc_pc : 0,
                          .value = heap ? op->addr - block.start : 0,
                          .cause = heap ? block.size : 0});
}

/* Calls, and the number they were given. */
static struct {
  uint64_t activation;
  uint32_t run, frames, number;
} last_stack[MAX_THREADS];

static uint32_t tell_calls(unsigned thread);

/* The number of the calls that led the thread where it is; mostly it is where it was. */
static uint32_t tell_stack(unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  uint32_t frames = t->frames < FRAMES ? t->frames : FRAMES;
  uint64_t activation = frames ? t->frame[frames - 1].activation : 0;
  if (last_stack[thread].run != run || last_stack[thread].frames != frames ||
      last_stack[thread].activation != activation) {
    last_stack[thread].run = run;
    last_stack[thread].frames = frames;
    last_stack[thread].activation = activation;
    last_stack[thread].number = tell_calls(thread);
  }
  return last_stack[thread].number;
}

static uint32_t tell_calls(unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  uintptr_t pc[STACK_DEPTH];
  uint32_t depth = 0;
  uint64_t hash = 1;
  for (uint32_t i = t->frames < FRAMES ? t->frames : FRAMES; i-- > 0 && depth < STACK_DEPTH;) {
    if (in_runtime(t->frame[i].pc))
      continue;
    pc[depth++] = t->frame[i].pc;
    hash = mix64(hash ^ t->frame[i].pc);
  }
  uint32_t at = (uint32_t)hash % STACKS;
  for (unsigned i = 0; i < 64; i++, at = (at + 1) % STACKS) {
    if (stacks[at].run != run)
      break;
    if (stacks[at].hash == hash)
      return stacks[at].number;
  }
  if (stacks[at].run == run)
    return 0; /* no room */
  stacks[at].run = run;
  stacks[at].hash = hash;
  stacks[at].number = ++stack_count;
  put(&(struct raw_event){.op = RAW_STACK, .object = stack_count, .length = depth});
  for (uint32_t i = 0; i < depth; i++)
    put(&(struct raw_event){.op = RAW_WORD, .pc = pc[i], .place = stable_place(pc[i])});
  return stack_count;
}

/* ---- events ---- */

/* Memory that is surely there. */
static bool can_look(uintptr_t addr)
{
  return heap_contains(addr) || in_static_data(addr);
}

static uint64_t value_at(uintptr_t addr, uint32_t length)
{
  uint64_t value = 0;
  copy_bytes(&value, (const void *)addr, length);
  return value;
}

static void look_at_memory(struct raw_event *e)
{
  if (op_is_memory(e->op) && e->op != OP_FREE && e->length <= 8 && can_look(e->addr)) {
    e->value = value_at(e->addr, e->length);
    e->flags |= EVENT_VALUE;
  }
}

static void publish(void)
{
  if (held.op == OP_NONE)
    return;
  if (op_writes_memory(held.op))
    look_at_memory(&held);
  put(&held);
  held.op = OP_NONE;
}

static bool is_timed(enum op_kind kind)
{
  return op_gives_way(kind) && kind != OP_YIELD && kind != OP_TESTCANCEL;
}

/* A recursive lock that the thread holds already, or will still hold. */
static bool is_nested(unsigned thread, const struct operation *op)
{
  if (!op->object || op_table[op->kind].object != OBJECT_MUTEX)
    return false;
  const struct object *m = object_by_id(op->object);
  bool mine = m->owner == (int)thread && m->type == PTHREAD_MUTEX_RECURSIVE;
  switch (op->kind) {
  case OP_MUTEX_LOCK:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
    return mine;
  case OP_MUTEX_UNLOCK:
    return mine && m->count > 1;
  default:
    return false;
  }
}

/* Its argument tells more than its result. */
static bool argument_counts(enum op_kind kind)
{
  return kind == OP_PREDICATE || kind == OP_SEM_INIT || kind == OP_BARRIER_INIT;
}

static struct raw_event describe(unsigned thread, const struct operation *op)
{
  struct raw_event e = {.op = op->kind,
                        .order = op->order,
                        .thread = thread,
                        .length = op->length,
                        .pc = op->pc,
                        .place = stable_place(op->pc),
                        .addr = op->addr,
                        .value = argument_counts(op->kind) ? op->arg : 0,
                        .stack = tell_stack(thread)};
  e.flags = (uint8_t)((is_timed(op->kind) ? EVENT_TIMED : 0) | (is_nested(thread, op) ? EVENT_NESTED : 0));
  enum object_kind kind = op_table[op->kind].object;
  if (kind == OBJECT_THREAD)
    e.other = (uint32_t)op->arg + 1;
  else if (!op_is_memory(op->kind) && kind != OBJECT_FD)
    e.object = op->object, e.second = op->second;
  if (op->kind == OP_CALL)
    e.other = (uint32_t)op->arg;
  return e;
}

static void record_event(unsigned thread, const struct operation *op)
{
  tell_threads(); /* the event held back may be the creation of one */
  publish();
  struct raw_event e = describe(thread, op);
  if (e.object)
    tell_object(e.object, op_makes_object(op));
  if (e.second)
    tell_object(e.second, false);
  if (op_is_memory(op->kind))
    tell_memory(op);
  number++;
  if (op->kind == OP_COND_SIGNAL || op->kind == OP_COND_BROADCAST)
    told[e.object].signal = number;
  if (op->kind == OP_COND_WAKE || op->kind == OP_COND_TIMEDWAKE)
    e.cause = threadset_has(&object_by_id(e.object)->signalled, thread) ? told[e.object].signal : 0;
  if (op_is_memory(op->kind) && !op_writes_memory(op->kind))
    look_at_memory(&e);
  held = e;
}

void recording_result(int result)
{
  if (held.op == OP_NONE || op_is_memory(held.op))
    return;
  if (!argument_counts(held.op))
    held.value = (uint64_t)(int64_t)result;
  if (result == EBUSY || result == ETIMEDOUT || result == EAGAIN || result == EDEADLK)
    held.flags |= EVENT_FAILED;
}

void recording_unchanged(uintptr_t addr, int order)
{
  if (held.op != OP_ATOMIC_RMW || held.addr != addr || held.thread != self_index())
    return; /* memory of its own: there is no event */
  held.flags |= EVENT_FAILED;
  held.order = (uint8_t)order;
}

static void record_begin(void)
{
  rt.recording = rt.control->config.events && rt.engine->relearned;
  if (!rt.recording)
    return;
  if (!told) {
    told = private_memory(OBJECTS_MOST * sizeof *told);
    stacks = private_memory(STACKS * sizeof *stacks);
    locations = private_memory((1u << 20) * sizeof *locations); /* shadow words have 20 bits for them */
  }
  run++;
  number = 0;
  threads_known = stack_count = 0;
  held.op = OP_NONE;
  put(&(struct raw_event){.op = RAW_RESTART});
}

/* Threads that could not go on, with what they were about to do. */
void recording_end(void)
{
  if (!rt.recording)
    return;
  const struct engine *e = rt.engine;
  tell_threads();
  publish();
  for (unsigned t = 0; t < e->threads; t++) {
    if (!e->thread[t].alive || !e->thread[t].may_block)
      continue;
    held = describe(t, &e->thread[t].pending);
    if (held.object)
      tell_object(held.object, false);
    if (held.second)
      tell_object(held.second, false);
    held.flags |= EVENT_PENDING;
    put(&held);
  }
  held.op = OP_NONE;
  put(&(struct raw_event){.op = RAW_END});
  rt.recording = false;
}

static bool record_looks(void)
{
  return rt.recording;
}

const struct observer observer_record = {
    .name = "record", .begin = record_begin, .looks = record_looks, .event = record_event};
