/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording the events of one execution, with values and stacks, for the story of a bug and the trace log. Only in
 * traced executions. What is shared is known by then: the execution was run before to learn it.
 */
#include "core/calls.h"
#include "core/engine.h"
#include "core/footprint.h"
#include "core/observer.h"
#include "core/property_instances.h"
#include "core/rng.h"
#include "core/without_libc.h"

/* How a thread fares while it stands before its next event. Steps, 0 for none. */
struct wait {
  uint64_t since;  /* at which it could not go on for the first time */
  uint64_t held;   /* at which only an observer kept it from that */
  uint64_t let_by; /* that made it possible again */
  uint64_t woken_by;
};

/* What was done to eight bytes of memory that several threads may use, in this execution. */
struct use {
  uint64_t key;        /* key.h; found by hashing */
  uint32_t generation; /* of what is known here */
  uint16_t first;      /* thread */
  uint8_t bytes;       /* accessed so far, a set of bits */
  bool shared;         /* by another one, too */
};

#define USE_SLOTS (UINT32_C(1) << 20)
#define USE_TRIED 64 /* slots for one key; where there is none, the memory counts as shared */

/* The last access of each thread at each place, found by hashing: a race asks for it, and threads that spin race at
 * every turn. When there are more places than slots, the later ones are not found: a race is then told without its
 * past. */
#define PAST_SLOTS (UINT32_C(1) << 16)
#define PAST_TRIED 64 /* slots for one place */

struct past {
  uintptr_t pc;
  uint32_t thread;
  uint32_t execution; /* another one than that which is traced: free */
  uint64_t event;     /* its number */
};

/* The last reads of each thread in memory that others could reach, whether they did or not: what it found there decided
 * its way, perhaps because nobody came in time. */
#define LAST_READS 4

struct last_reads {
  uint32_t execution; /* that they are of */
  uint64_t count;     /* so far; the newest are in the ring */
  struct trace_event event[LAST_READS];
};

/* The last frees of blocks that only one thread used so far: another one may come too late. */
#define LAST_FREES 4096

struct tracing {
  uint32_t execution;       /* that is traced: nothing of those before need be cleared, which would touch megabytes */
  struct trace_event *last; /* NULL: it is not kept */
  unsigned previous;        /* thread */
  uint64_t step_before;     /* of the event before */
  struct wait waits[MAX_THREADS];
  struct last_reads reads[MAX_THREADS];
  uint64_t frees; /* so far; the newest are in the ring */
  struct trace_event free[LAST_FREES];
  struct trace_event told[2]; /* what a bug is about, and would not be in the trace otherwise: a free, an access */
  unsigned told_count;
  struct past past[PAST_SLOTS];
  struct use use[USE_SLOTS];
};

static struct trace_event *event_at(const struct engine *e, uint64_t n)
{
  return (struct trace_event *)CONTROL_AT(e->control, CONTROL_TRACE_OFFSET) + n;
}

/* ---- memory ---- */

/* Its slot, or one for it, which is then of another execution; NULL when there is none left. */
static struct use *use_slot(struct tracing *t, const struct engine *e, uint64_t key)
{
  uint64_t hash = mix64(key);
  for (uint32_t i = 0; i < USE_TRIED; i++) {
    struct use *u = &t->use[(hash + i) % USE_SLOTS];
    if (u->generation != e->generation || u->key == key)
      return u;
  }
  return NULL;
}

static struct use *use_of(struct tracing *t, const struct engine *e, uint64_t key)
{
  struct use *u = use_slot(t, e, key);
  if (u && u->generation != e->generation)
    *u = (struct use){.key = key, .generation = e->generation, .first = UINT16_MAX};
  return u;
}

static bool was_accessed(struct tracing *t, const struct engine *e, const struct operation *op)
{
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8) {
    const struct use *u = use_of(t, e, key_of_word(op->space, g));
    if (!u || u->bytes & op_bytes_in(op, g))
      return true;
  }
  return false;
}

static void note_use(struct tracing *t, const struct engine *e, unsigned task, const struct operation *op)
{
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8) {
    struct use *u = use_of(t, e, key_of_word(op->space, g));
    if (!u)
      continue;
    if (u->first == UINT16_MAX)
      u->first = (uint16_t)task;
    u->shared |= u->first != task;
    u->bytes |= (uint8_t)op_bytes_in(op, g);
  }
}

static bool is_shared(struct tracing *t, const struct engine *e, const struct trace_event *event)
{
  for (uintptr_t g = event->addr & ~UINT64_C(7); g < event->addr + event->length; g += 8) {
    const struct use *u = use_of(t, e, g);
    if (!u || u->shared)
      return true;
  }
  return false;
}

static void trace_renewed(void *state, struct engine *e, uintptr_t addr, size_t size)
{
  struct whereabouts at;
  if (!e->control->config.trace)
    return;
  e->world->locate(e->world->self, e->current, addr, &at);
  for (uintptr_t g = addr & ~UINT64_C(7); g < addr + size; g += 8) {
    struct use *u = use_slot(state, e, key_of_word(at.space, g));
    if (u && u->generation == e->generation)
      *u = (struct use){.key = u->key, .generation = u->generation, .first = UINT16_MAX};
  }
}

static void note_memory(struct tracing *t, const struct engine *e, struct trace_event *event,
                        const struct operation *op)
{
  const struct world *w = e->world;
  struct whereabouts at;
  w->locate(w->self, event->thread, op->addr, &at);
  event->block_pc = at.block_pc;
  event->block_offset = at.block_offset;
  event->block_size = at.block_size;
  copy_bytes(event->block_calls, at.block_calls, sizeof event->block_calls);
  event->local_pc = at.local_pc;
  event->local_offset = at.local_offset;
  if (at.name[0])
    print_text(event->text, sizeof event->text, "%s", at.name);
  event->marks |= at.mapped ? TRACE_MAPPED : 0;
  if (at.local_pc && op_writes_memory(op->kind) && !was_accessed(t, e, op))
    event->marks |= TRACE_FRESH;
  event->has_value = op->kind != OP_FREE && (op->length == 1 || op->length == 2 || op->length == 4 || op->length == 8);
  if (op_is_memory(op->kind) && event->has_value) /* it may be about to crash; looking must not */
    event->has_value = w->peek(w->self, event->thread, op->addr, op->length, &event->before);
  event->value = event->before;
}

/* ---- waits ---- */

static bool is_signalled(const struct engine *e, unsigned task)
{
  const struct world *w = e->world;
  const struct operation *op = &e->thread[task].pending;
  const struct object_model *model = w->model(w->self, op_table[op->kind].object);
  return model && model->released && model->released(w->self, task, op);
}

/* What the event before has done to those that wait. */
static void follow_waits(struct tracing *tracing, const struct engine *e)
{
  for (unsigned t = 0; t < e->threads; t++) {
    struct wait *wait = &tracing->waits[t];
    if (!e->thread[t].alive)
      continue;
    if (!wait->woken_by && is_signalled(e, t))
      wait->woken_by = tracing->step_before;
    if (!threadset_has(&e->enabled, t)) {
      wait->since = wait->since ? wait->since : e->step;
      wait->held = wait->held || !engine_is_held(e, t) ? wait->held : e->step;
      wait->let_by = 0;
    } else if (wait->since && !wait->let_by) {
      wait->let_by = tracing->step_before;
    }
  }
}

static void note_wait(struct tracing *tracing, struct trace_event *event)
{
  struct wait *wait = &tracing->waits[event->thread];
  event->waited_since = wait->since;
  event->held_since = wait->held;
  event->woken_by = wait->woken_by ? wait->woken_by : wait->let_by;
  *wait = (struct wait){0};
}

/* Others that are about to access the same bytes. */
static void note_pending(const struct engine *e, struct trace_event *event, const struct operation *op)
{
  for (unsigned t = 0; t < e->threads && op_is_memory(op->kind); t++) {
    const struct operation *other = &e->thread[t].pending;
    if (t == event->thread || !e->thread[t].alive || !op_is_memory(other->kind) || other->space != op->space ||
        other->addr >= op->addr + op->length || op->addr >= other->addr + other->length)
      continue;
    if (op_writes_memory(other->kind))
      event->writers++;
    else
      event->readers++;
  }
}

/* Who holds the lock that the operation is about; -1: nobody, or it is about none. */
static int holder_of(const struct engine *e, const struct operation *op)
{
  const struct world *w = e->world;
  enum object_kind kind = op_table[op->kind].object;
  bool lock = kind == OBJECT_MUTEX || kind == OBJECT_SPIN || kind == OBJECT_ONCE || kind == OBJECT_RWLOCK;
  uintptr_t pc;
  return lock ? w->model(w->self, kind)->holder(w->self, op, &pc) : -1;
}

/* ---- events ---- */

static const char *subject_of(const struct engine *e, unsigned thread)
{
  const struct world *w = e->world;
  const char *subject = w->call_subject ? w->call_subject(w->self, thread) : NULL;
  return subject ? subject : "";
}

/* "descriptor 3: pipe". */
static void note_channel(struct trace_event *event, struct channel_view *view)
{
  char *end = view->what;
  while (*end && *end != ',')
    end++;
  if (view->brief[0])
    *end = '\0';
  event->block_pc = view->named ? 0 : view->made_at;
  event->second = view->stream;
  event->value = view->position;
  print_text(event->text, sizeof event->text, view->brief[0] ? "%s: %s" : "%s", view->what, view->brief);
}

static void note_text(const struct engine *e, struct trace_event *event, const struct operation *op)
{
  if (op->kind == OP_EVENT)
    print_text(event->text, sizeof event->text, "%s", (const char *)op->addr);
  if (op->kind == OP_SYSTEM && system_call_name(op->length))
    print_text(event->text, sizeof event->text, "%s(%s)", system_call_name(op->length), subject_of(e, event->thread));
  if (op_table[op->kind].object == OBJECT_FD)
    print_text(event->text, sizeof event->text, "%s", subject_of(e, event->thread));
  if (op_is_on_channels(op->kind) && e->world->channel) {
    struct channel_view view;
    e->world->channel(e->world->self, event->thread, &view);
    note_channel(event, &view);
  }
  const struct property_set *properties = e->job.bytes[JOB_PROPERTIES] ? e->job.part[JOB_PROPERTIES] : NULL;
  if (op->kind == OP_PROPERTY && properties) {
    const struct property *p = &properties->property[PROPERTY_EVENT_OF(op->length)];
    const struct property_rule *rule = &properties->rule[PROPERTY_EVENT_RULE(op->length)];
    print_text(event->text, sizeof event->text, "%s of %s", p->event[rule->event].name, p->name);
  }
  if (op->kind == OP_CALL)
    print_text(event->text, sizeof event->text, "%s", e->control->config.call[op->arg - 1].name);
}

/* What a monitor came to by the event, if that has a name; one that none has read is told without its own. */
static void note_state(const struct engine *e, struct trace_event *event, const struct operation *op)
{
  const struct property_instance *by = NULL;
  const struct property_instances *all = NULL;
  for (unsigned i = 0; i < e->watchers.count; i++)
    if (e->watchers.watcher[i].observer == &observer_property)
      all = e->watchers.watcher[i].state;
  if (all)
    by = property_instances_last(all, PROPERTY_EVENT_RULE(op->length), event->thread, op->pc);
  const char *state = by ? property_instances_state(all, by) : NULL;
  size_t length = by ? text_length(event->text) : 0;
  event->text[length] = '\0';
  if (state)
    print_text(event->text + length, sizeof event->text - length, " → %s", state);
}

static struct trace_event make_event(struct tracing *tracing, const struct engine *e, unsigned thread,
                                     const struct operation *op)
{
  const struct world *w = e->world;
  struct object_view second;
  struct trace_event event = {.step = e->step,
                              .thread = thread,
                              .op = op->kind,
                              .length = op->length,
                              .holder = holder_of(e, op),
                              .addr = op_address(op),
                              .pc = op->pc,
                              .handling = w->handling ? (uint32_t)w->handling(w->self, thread) : 0,
                              .arg = op->kind == OP_CREATE ? e->threads : op->arg, /* others may have come first */
                              .operations = e->thread[thread].operations};
  if (op->second && w->object(w->self, op->second, &second))
    event.second = key_in_space(second.space, second.addr);
  note_text(e, &event, op);
  if (!op_is_on_channels(op->kind))
    note_memory(tracing, e, &event, op);
  event.depth = w->stack(w->self, thread, event.stack, BUG_STACK);
  note_pending(e, &event, op);
  return event;
}

/* Its slot, or one for it; NULL when all that were tried are others'. */
static struct past *past_slot(struct tracing *t, uint32_t thread, uintptr_t pc)
{
  uint64_t hash = mix64(pc ^ (uint64_t)thread << 48);
  for (uint32_t i = 0; i < PAST_TRIED; i++) {
    struct past *slot = &t->past[(hash + i) % PAST_SLOTS];
    if (slot->execution != t->execution || (slot->pc == pc && slot->thread == thread))
      return slot;
  }
  return NULL;
}

static void note_past(struct tracing *t, const struct trace_event *event, uint64_t n)
{
  struct past *slot = op_is_memory(event->op) ? past_slot(t, event->thread, event->pc) : NULL;
  if (slot)
    *slot = (struct past){event->pc, event->thread, t->execution, n};
}

static bool is_read(uint16_t op)
{
  return op == OP_READ || op == OP_ATOMIC_LOAD || op == OP_ATOMIC_RMW;
}

static void note_read(struct tracing *t, const struct trace_event *event)
{
  struct last_reads *reads = &t->reads[event->thread];
  if (!is_read(event->op) || event->local_pc)
    return;
  if (reads->execution != t->execution)
    reads->count = 0;
  reads->execution = t->execution;
  reads->event[reads->count++ % LAST_READS] = *event;
}

/* 1: the task is another one than that of the event before; 2: and that one could have gone on. */
static uint8_t switch_to(const struct tracing *t, const struct engine *e, unsigned task)
{
  bool switched = e->control->trace_events > 0 && task != t->previous;
  return (uint8_t)(switched + (switched && e->segments && e->segment[e->segments - 1].enabled));
}

/* Of memory that nobody else is known to use, only the last reads and frees are of interest. */
static void note_private(struct tracing *t, const struct engine *e, unsigned task, const struct operation *op)
{
  if ((!is_read(op->kind) && op->kind != OP_FREE) || e->threads < 2)
    return;
  struct trace_event event = make_event(t, e, task, op);
  event.switched = switch_to(t, e, task);
  if (op->kind == OP_FREE)
    t->free[t->frees++ % LAST_FREES] = event;
  else
    note_read(t, &event);
}

static void trace_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct tracing *t = state;
  if (!engine_shows(e, op)) {
    note_private(t, e, task, op);
    return;
  }
  uint64_t n = e->control->trace_events++;
  t->last = NULL;
  if (n >= CONTROL_TRACE_MAX)
    return;
  uint8_t switched = n ? switch_to(t, e, task) : 0;
  follow_waits(t, e);
  struct trace_event *event = t->last = event_at(e, n);
  *event = make_event(t, e, task, op);
  note_wait(t, event);
  event->switched = switched;
  t->previous = task;
  t->step_before = event->step;
  note_past(t, event, n);
  note_read(t, event);
  if (op_is_memory(op->kind))
    note_use(t, e, task, op);
}

/* A call may access private memory before its result is known. */
static void trace_performed(void *state, struct engine *e, unsigned task, const struct operation *op,
                            const struct effect *effect)
{
  struct trace_event *event = ((struct tracing *)state)->last;
  if (!event)
    return;
  if (effect->known && event->thread == task) /* not of a wait that was given up: that is no event */
    event->result = (int32_t)effect->result;
  if (op->kind == OP_PROPERTY && event->op == OP_PROPERTY && event->thread == task)
    note_state(e, event, op);
  if (op_writes_memory(op->kind) && event->has_value && event->op == op->kind && event->addr == op_address(op))
    e->world->peek(e->world->self, task, op->addr, event->length, &event->value);
}

/* ---- bugs ---- */

static void tell(struct tracing *t, const struct trace_event *event)
{
  if (t->told_count < sizeof t->told / sizeof t->told[0])
    t->told[t->told_count++] = *event;
}

/* An access that is wrong is stopped before it is an event, and the free before it may be of memory that was private.
 */
static void tell_memory_bug(struct tracing *t, const struct engine *e, const struct bug *bug)
{
  const struct bug_party *p = &bug->party[0];
  for (uint64_t i = t->frees; p->freed_pc && i-- > 0 && t->frees - i <= LAST_FREES;) {
    const struct trace_event *freed = &t->free[i % LAST_FREES];
    if (freed->pc == p->freed_pc && freed->addr <= p->addr && p->addr - freed->addr < freed->length) {
      tell(t, freed);
      break;
    }
  }
  const bool known = t->last && t->last->thread == p->thread && t->last->addr == p->addr && t->last->step == e->step;
  if (known || !op_is_memory(p->op) || p->thread >= e->threads)
    return;
  const struct operation op = {.kind = (enum op_kind)p->op,
                               .space = key_space(p->addr),
                               .length = p->length,
                               .addr = key_address(p->addr),
                               .pc = p->pc};
  struct trace_event event = make_event(t, e, p->thread, &op);
  event.switched = switch_to(t, e, p->thread);
  tell(t, &event);
}

/* A race by clocks is with what was done: where its thread was then is in the trace. One by pending accesses is with
 * what another is only about to do. */
static void trace_declares(void *state, struct engine *e, struct bug *bug)
{
  struct tracing *t = state;
  if (!e->control->config.trace)
    return;
  if (bug->kind == BUG_MEMORY && bug->parties)
    tell_memory_bug(t, e, bug);
  if (bug->kind != BUG_RACE)
    return;
  struct bug_party *earlier = &bug->party[1];
  const struct past *slot = bug->detectors == RACE_BY_CLOCKS ? past_slot(t, earlier->thread, earlier->pc) : NULL;
  const struct trace_event *other = slot && slot->execution == t->execution ? event_at(e, slot->event) : NULL;
  if (other) {
    earlier->depth = (uint16_t)other->depth;
    copy_bytes(earlier->stack, other->stack, sizeof earlier->stack);
  }
  if (!t->last)
    return;
  t->last->marks |= TRACE_RACE;
  t->last->race_step = other ? other->step : 0;
}

static bool trace_looks(const void *state, const struct engine *e)
{
  (void)state;
  return e->control->config.trace;
}

static void trace_begin(void *state, struct engine *e)
{
  struct tracing *t = state;
  if (!e->control->config.trace)
    return;
  t->last = NULL;
  t->step_before = 0;
  t->execution++;
  fill_bytes(t->waits, 0, sizeof t->waits);
  t->frees = t->told_count = 0;
}

/* ---- the end ---- */

/* Accesses of memory that no second thread used tell nothing. */
static void condense(struct tracing *t, struct engine *e)
{
  struct control *c = e->control;
  uint64_t n = c->trace_events < CONTROL_TRACE_MAX ? c->trace_events : CONTROL_TRACE_MAX, kept = 0;
  uint8_t pending = 0;
  for (uint64_t i = 0; i < n; i++) {
    struct trace_event *event = event_at(e, i);
    if (event->switched > pending)
      pending = event->switched;
    if (op_is_memory(event->op) && !is_shared(t, e, event))
      continue;
    if (kept != i)
      *event_at(e, kept) = *event;
    event_at(e, kept++)->switched = pending;
    pending = 0;
  }
  c->trace_events = kept;
}

/* Puts an event where it belongs by its step. The mark of a switch is at the first event behind it. */
static void insert(struct engine *e, const struct trace_event *late)
{
  struct control *c = e->control;
  uint64_t at = c->trace_events;
  if (at >= CONTROL_TRACE_MAX - MAX_THREADS)
    return;
  for (; at > 0 && event_at(e, at - 1)->step > late->step; at--)
    *event_at(e, at) = *event_at(e, at - 1);
  struct trace_event *event = event_at(e, at), *before = at ? event - 1 : NULL, *next = event + 1;
  *event = *late;
  if (!before || before->thread == late->thread)
    event->switched = 0;
  else if (!event->switched)
    event->switched = 1;
  if (event->switched && at < c->trace_events && next->thread == late->thread) {
    event->switched = next->switched;
    next->switched = 0;
  }
  c->trace_events++;
}

/* What condense() has dropped, or what never was in the trace. */
static void insert_aside(struct tracing *t, struct engine *e)
{
  for (unsigned i = 0; i < e->threads; i++)
    for (uint64_t n = 0; t->reads[i].execution == t->execution && n < LAST_READS && n < t->reads[i].count; n++)
      if (!is_shared(t, e, &t->reads[i].event[n])) {
        t->reads[i].event[n].marks |= TRACE_UNSHARED;
        insert(e, &t->reads[i].event[n]);
      }
  for (unsigned i = 0; i < t->told_count; i++)
    if (t->told[i].op != OP_FREE || !is_shared(t, e, &t->told[i]))
      insert(e, &t->told[i]);
}

/* What every thread was about to do is put behind the events. */
static void leave_pending(struct tracing *tracing, struct engine *e)
{
  struct control *c = e->control;
  const struct threadset *enabled = engine_enabled(e);
  bool inside = e->over == NEXT_OVER;
  follow_waits(tracing, e);
  for (unsigned t = 0; t < e->threads; t++) {
    bool ended_in_it = t == e->current && inside;
    if (!e->thread[t].alive || e->world->ended(e->world->self, t) || ended_in_it)
      continue;
    struct trace_event *event = event_at(e, c->trace_events + c->trace_left++);
    *event = make_event(tracing, e, t, &e->thread[t].pending);
    note_wait(tracing, event);
    if (!threadset_has(enabled, t))
      event->marks |= TRACE_BLOCKED | (!inside && threadset_empty(enabled) ? TRACE_DEADLOCK : 0);
  }
}

static void trace_end(void *state, struct engine *e)
{
  if (!e->control->config.trace)
    return;
  condense(state, e);
  insert_aside(state, e);
  leave_pending(state, e);
}

const struct observer observer_trace = {.name = "trace",
                                        .state_size = sizeof(struct tracing),
                                        .begin = trace_begin,
                                        .looks = trace_looks,
                                        .about = trace_about,
                                        .performed = trace_performed,
                                        .declares = trace_declares,
                                        .renewed = trace_renewed,
                                        .end = trace_end};
