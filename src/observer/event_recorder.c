/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording a run: every event, with values, results, calls and names, goes into the ring of core/event_ring.h.
 *
 * Accesses of memory are events if the memory is shared, which is known only when a second thread comes to it. Until
 * then they are kept here, in the order they were made, and at the end of the run those of memory that is shared by
 * then are told, each with its place among the others. Nobody knows how many there will be: of eight bytes KEPT_EACH
 * are kept, of all memory KEPT_MOST. If that was not enough for memory that came to be shared, the run is made again
 * (engine.h: unkept); what is shared is known then.
 */
#include "core/engine.h"
#include "core/event_flags.h"
#include "core/event_ring.h"
#include "core/footprint.h"
#include "core/observer.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include <errno.h>

#define STACKS (1u << 16)
#define STACK_DEPTH 16

#define OBJECTS (1u << 19) /* that a world may have */

#define KEPT_EACH 256u         /* so many a word: most that is shared at all is so by then */
#define KEPT_MOST (1u << 18)   /* 12 MB, and a few milliseconds */
#define KEPT_COUNTS (1u << 16) /* words share counts, which only makes them keep less */

/* An access of memory that only one thread is known to use. */
struct unseen_access {
  uint64_t addr, pc, value;
  uint64_t after; /* number of the event before it */
  uint32_t stack, length;
  uint16_t thread;
  uint8_t op, order, flags;
};

struct event_recorder {
  bool on;               /* this very execution */
  struct raw_event held; /* its operation is being performed */
  uint64_t number;       /* events so far */
  uint32_t threads_known;
  uint32_t run;
  struct {
    uint32_t run;    /* in which it was told */
    uint64_t signal; /* number of the last signal or broadcast */
  } told[OBJECTS];   /* by number of object */
  struct {
    uint64_t hash;
    uint32_t run, depth;
    bool told;
    uintptr_t pc[STACK_DEPTH];
  } stacks[STACKS]; /* by number, less 1 */
  struct {
    uint32_t run;               /* in which it was told */
    uint8_t bytes;              /* which of it */
  } locations[WORLD_LOCATIONS]; /* by number of the location */
  /* The calls that a thread was last in, and the number they were given. */
  struct {
    uint64_t activation;
    uint32_t run, number;
  } last_stack[MAX_THREADS];
  uint32_t kept_count, finished; /* of the accesses, and of those before the first whose value is not known yet */
  uint16_t kept_of[KEPT_COUNTS]; /* by hash of the word */
  struct unseen_access kept[KEPT_MOST];
};

static void put(struct engine *e, const struct raw_event *event)
{
  struct event_ring *ring = CONTROL_AT(e->control, CONTROL_EVENTS_OFFSET);
  while (ring->written - ring->read >= RING_EVENTS) {
    e->control->heartbeat++; /* not stuck, only ahead of the writer of the file */
    e->world->rest(e->world->self);
  }
  ring->slot[ring->written % RING_EVENTS] = *event;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  ring->written++;
}

/* ---- definitions ---- */

static void put_word(struct engine *e, uint64_t place, uint64_t count)
{
  put(e, &(struct raw_event){.op = RAW_WORD,
                             .pc = e->world->at_place(e->world->self, place),
                             .place = place,
                             .value = place,
                             .cause = count});
}

static void put_origin(struct engine *e, const struct origin *o)
{
  put(e, &(struct raw_event){
             .op = RAW_ORIGIN, .pc = o->fixed, .addr = o->inside, .length = o->index_length, .other = o->chain_length});
  for (uint32_t i = 0; i < o->index_length; i++)
    put_word(e, o->index[i].site, o->index[i].count);
  for (uint32_t i = 0; i < o->chain_length; i++)
    put_word(e, o->chain[i], 0);
}

static void define_threads(struct event_recorder *r, struct engine *e)
{
  const struct world *w = e->world;
  for (; r->threads_known < e->threads; r->threads_known++) {
    uint32_t t = r->threads_known;
    uintptr_t pc = t ? e->thread[t].pending.pc : 0;
    put(e, &(struct raw_event){.op = RAW_THREAD,
                               .object = t,
                               .other = t ? e->control->thread[t].parent + 1 : 0,
                               .pc = pc,
                               .place = t ? w->place(w->self, pc) : 0});
    put_origin(e, w->task_origin(w->self, t));
  }
}

static void define_object(struct event_recorder *r, struct engine *e, uint32_t id, bool anew)
{
  const struct world *w = e->world;
  struct object_view object;
  struct whereabouts at;
  if ((r->told[id].run == r->run && !anew) || !w->object(w->self, id, &object))
    return;
  r->told[id].run = r->run;
  r->told[id].signal = 0;
  w->locate(w->self, e->current, object.addr, &at);
  put(e, &(struct raw_event){.op = RAW_OBJECT,
                             .object = id,
                             .length = object.type,
                             .other = object.kind,
                             .image = e->control->thread[e->current].image,
                             .addr = key_in_space(object.space, object.addr),
                             .pc = at.block_pc,
                             .value = at.block_offset,
                             .cause = at.block_size});
  put_origin(e, w->object_origin(w->self, id));
}

/* What memory it is, when it is used for the first time. */
static void define_memory(struct event_recorder *r, struct engine *e, const struct operation *op)
{
  const struct world *w = e->world;
  struct whereabouts at;
  uint32_t location = w->location(w->self, op->addr & ~UINT64_C(7));
  uint8_t bytes = (uint8_t)op_bytes_in(op, op->addr & ~UINT64_C(7));
  if (r->locations[location].run != r->run)
    r->locations[location].bytes = 0;
  if (!location || !(bytes & ~r->locations[location].bytes))
    return;
  r->locations[location].run = r->run;
  r->locations[location].bytes |= bytes;
  w->locate(w->self, e->current, op->addr, &at);
  put(e, &(struct raw_event){.op = RAW_MEMORY,
                             .addr = op_address(op),
                             .length = op->length,
                             .image = e->control->thread[e->current].image,
                             .pc = at.block_pc,
                             .value = at.block_offset,
                             .cause = at.block_size});
}

/* The number of the calls that led the thread where it is; 0: there is no room. */
static uint32_t number_calls(struct event_recorder *r, struct engine *e, unsigned thread)
{
  const struct world *w = e->world;
  uintptr_t pc[STACK_DEPTH];
  uint32_t depth = w->stack(w->self, thread, pc, STACK_DEPTH);
  uint64_t hash = 1;
  for (uint32_t i = 0; i < depth; i++)
    hash = mix64(hash ^ pc[i]);
  uint32_t at = (uint32_t)hash % STACKS;
  for (unsigned i = 0; i < 64; i++, at = (at + 1) % STACKS) {
    if (r->stacks[at].run != r->run)
      break;
    if (r->stacks[at].hash == hash)
      return at + 1;
  }
  if (r->stacks[at].run == r->run)
    return 0;
  r->stacks[at].run = r->run;
  r->stacks[at].hash = hash;
  r->stacks[at].depth = depth;
  r->stacks[at].told = false;
  copy_bytes(r->stacks[at].pc, pc, sizeof pc);
  return at + 1;
}

/* Mostly it is where it was. */
static uint32_t number_stack(struct event_recorder *r, struct engine *e, unsigned thread)
{
  uint64_t activation = e->world->activation(e->world->self, thread);
  if (r->last_stack[thread].run != r->run || r->last_stack[thread].activation != activation) {
    r->last_stack[thread].run = r->run;
    r->last_stack[thread].activation = activation;
    r->last_stack[thread].number = number_calls(r, e, thread);
  }
  return r->last_stack[thread].number;
}

/* Returns its number, for short. */
static uint32_t define_stack(struct event_recorder *r, struct engine *e, uint32_t number)
{
  const struct world *w = e->world;
  if (!number || r->stacks[number - 1].told)
    return number;
  const uintptr_t *pc = r->stacks[number - 1].pc;
  uint32_t depth = r->stacks[number - 1].depth;
  r->stacks[number - 1].told = true;
  put(e, &(struct raw_event){.op = RAW_STACK, .object = number, .length = depth});
  for (uint32_t i = 0; i < depth; i++)
    put(e, &(struct raw_event){.op = RAW_WORD, .pc = pc[i], .place = w->place(w->self, pc[i])});
  return number;
}

/* ---- events ---- */

/* What is in the memory of an access; false: that is not known. */
static bool value_at(const struct engine *e, unsigned thread, uint64_t key, uint32_t length, uint64_t *value)
{
  const struct world *w = e->world;
  uintptr_t addr = key_address(key);
  *value = 0;
  if (length > sizeof *value)
    return false;
  if (!w->is_there(w->self, addr))
    return key_space(key) == SPACE_SHARED && w->peek(w->self, thread, addr, length, value);
  copy_bytes(value, (const void *)addr, length);
  return true;
}

static void look_at_memory(const struct engine *e, struct raw_event *event)
{
  if (op_is_memory(event->op) && event->op != OP_FREE &&
      value_at(e, event->thread, event->addr, event->length, &event->value))
    event->flags |= EVENT_VALUE;
}

/* A recursive lock that the thread holds already, or will still hold. */
static bool is_nested(const struct engine *e, unsigned thread, const struct operation *op)
{
  struct object_view m;
  if (!op->object || op_table[op->kind].object != OBJECT_MUTEX || !e->world->object(e->world->self, op->object, &m))
    return false;
  bool mine = m.owner == (int)thread && m.recursive;
  switch (op->kind) {
  case OP_MUTEX_LOCK:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
    return mine;
  case OP_MUTEX_UNLOCK:
    return mine && m.count > 1;
  default:
    return false;
  }
}

/* Its argument tells more than its result. */
static bool argument_counts(enum op_kind kind)
{
  return kind == OP_PREDICATE || kind == OP_SEM_INIT || kind == OP_BARRIER_INIT;
}

static struct raw_event describe(struct event_recorder *r, struct engine *e, unsigned thread,
                                 const struct operation *op)
{
  struct raw_event event = {.op = op->kind,
                            .order = op->order,
                            .thread = thread,
                            .length = op->length,
                            .pc = op->pc,
                            .place = e->world->place(e->world->self, op->pc),
                            .addr = op_address(op),
                            .value = argument_counts(op->kind) ? op->arg : 0,
                            .stack = define_stack(r, e, number_stack(r, e, thread))};
  event.flags = (uint8_t)((op_is_timed(op->kind) ? EVENT_TIMED : 0) | (is_nested(e, thread, op) ? EVENT_NESTED : 0));
  enum object_kind kind = op_table[op->kind].object;
  if (kind == OBJECT_THREAD)
    event.other = (uint32_t)op->arg + 1;
  else if (!op_is_memory(op->kind) && kind != OBJECT_FD)
    event.object = op->object, event.second = op->second;
  if (op->kind == OP_CALL)
    event.other = (uint32_t)op->arg;
  return event;
}

static void define_objects(struct event_recorder *r, struct engine *e, const struct raw_event *event, bool anew)
{
  if (event->object)
    define_object(r, e, event->object, anew);
  if (event->second)
    define_object(r, e, event->second, false);
}

/* ---- accesses of memory that may come to be shared ---- */

/* The last one has been performed by now, and so has been what it writes; nobody else has come to that memory. */
static void finish_kept(struct event_recorder *r, const struct engine *e)
{
  if (r->finished == r->kept_count)
    return;
  struct unseen_access *last = &r->kept[r->finished++];
  if (last->op != OP_FREE && value_at(e, last->thread, last->addr, last->length, &last->value))
    last->flags |= EVENT_VALUE;
}

static bool record_unseen(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct event_recorder *r = state;
  finish_kept(r, e);
  uint16_t *count = &r->kept_of[mix64(op->addr >> 3) % KEPT_COUNTS];
  if (*count == KEPT_EACH || r->kept_count == KEPT_MOST)
    return false;
  ++*count;
  struct unseen_access *a = &r->kept[r->kept_count++];
  *a = (struct unseen_access){.addr = op_address(op),
                              .pc = op->pc,
                              .after = r->number,
                              .stack = number_stack(r, e, task),
                              .length = op->length,
                              .thread = (uint16_t)task,
                              .op = (uint8_t)op->kind,
                              .order = op->order};
  if (!op_writes_memory(op->kind))
    finish_kept(r, e);
  return true;
}

static void record_only_read(void *state, uintptr_t addr, uint8_t order)
{
  struct event_recorder *r = state;
  struct unseen_access *last = r->finished < r->kept_count ? &r->kept[r->finished] : NULL;
  if (!last || last->op != OP_ATOMIC_RMW || key_address(last->addr) != addr)
    return;
  last->flags |= EVENT_FAILED;
  last->order = order;
}

static bool is_shared(const struct engine *e, const struct unseen_access *a)
{
  uintptr_t addr = key_address(a->addr);
  for (uintptr_t granule = addr & ~UINT64_C(7); granule < addr + a->length; granule += 8)
    if (e->world->location(e->world->self, granule))
      return true;
  return false;
}

static void put_kept(struct event_recorder *r, struct engine *e, const struct unseen_access *a)
{
  define_memory(
      r, e,
      &(struct operation){
          .kind = (enum op_kind)a->op, .space = key_space(a->addr), .length = a->length, .addr = key_address(a->addr)});
  put(e, &(struct raw_event){.op = a->op,
                             .order = a->order,
                             .flags = a->flags | EVENT_LATE,
                             .thread = a->thread,
                             .length = a->length,
                             .pc = a->pc,
                             .place = e->world->place(e->world->self, a->pc),
                             .addr = a->addr,
                             .value = a->value,
                             .cause = a->after,
                             .stack = define_stack(r, e, a->stack)});
}

static void tell_kept(struct event_recorder *r, struct engine *e)
{
  finish_kept(r, e);
  for (const struct unseen_access *a = r->kept; a < r->kept + r->kept_count; a++)
    if (is_shared(e, a))
      put_kept(r, e, a);
}

/* ---- the run ---- */

static void record_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct event_recorder *r = state;
  const struct world *w = e->world;
  finish_kept(r, e);
  struct raw_event event = describe(r, e, task, op);
  define_objects(r, e, &event, op_makes_object(op));
  if (op_is_memory(op->kind))
    define_memory(r, e, op);
  r->number++;
  if (op->kind == OP_COND_SIGNAL || op->kind == OP_COND_BROADCAST)
    r->told[event.object].signal = r->number;
  if (op->kind == OP_COND_WAKE || op->kind == OP_COND_TIMEDWAKE)
    event.cause = w->released(w->self, task, op) ? r->told[event.object].signal : 0;
  if (op_is_memory(op->kind) && !op_writes_memory(op->kind))
    look_at_memory(e, &event);
  r->held = event;
}

static void note_result(struct raw_event *event, int64_t result)
{
  if (op_is_memory(event->op))
    return;
  if (!argument_counts(event->op))
    event->value = (uint64_t)result;
  if (result == EBUSY || result == ETIMEDOUT || result == EAGAIN || result == EDEADLK)
    event->flags |= EVENT_FAILED;
}

static void record_performed(void *state, struct engine *e, unsigned task, const struct operation *op,
                             const struct effect *effect)
{
  (void)task;
  struct event_recorder *r = state;
  if (r->held.op == OP_NONE)
    return;
  if (effect->known)
    note_result(&r->held, effect->result);
  if (effect->unchanged) {
    r->held.flags |= EVENT_FAILED;
    r->held.order = effect->order;
  }
  if (op_writes_memory(op->kind))
    look_at_memory(e, &r->held);
  define_threads(r, e); /* it may be the creation of one */
  put(e, &r->held);
  r->held.op = OP_NONE;
}

static void record_begin(void *state, struct engine *e)
{
  struct event_recorder *r = state;
  r->on = e->control->config.record_events;
  if (!r->on)
    return;
  r->run++;
  r->number = 0;
  r->threads_known = 0;
  r->kept_count = r->finished = 0;
  fill_bytes(r->kept_of, 0, sizeof r->kept_of);
  r->held.op = OP_NONE;
  put(e, &(struct raw_event){.op = RAW_RESTART});
}

/* Threads that could not go on, with what they were about to do. */
static void record_end(void *state, struct engine *e)
{
  struct event_recorder *r = state;
  if (!r->on)
    return;
  define_threads(r, e);
  tell_kept(r, e);
  for (unsigned t = 0; t < e->threads; t++) {
    if (!e->thread[t].alive || !e->thread[t].may_block)
      continue;
    struct raw_event event = describe(r, e, t, &e->thread[t].pending);
    define_objects(r, e, &event, false);
    event.flags |= EVENT_PENDING;
    put(e, &event);
  }
  put(e, &(struct raw_event){.op = RAW_END});
  r->on = false;
}

static bool record_looks(const void *state, const struct engine *e)
{
  (void)e;
  return ((const struct event_recorder *)state)->on;
}

const struct observer observer_event_recorder = {.name = "event_recorder",
                                                 .state_size = sizeof(struct event_recorder),
                                                 .begin = record_begin,
                                                 .looks = record_looks,
                                                 .about = record_about,
                                                 .performed = record_performed,
                                                 .unseen = record_unseen,
                                                 .unseen_only_read = record_only_read,
                                                 .end = record_end};
