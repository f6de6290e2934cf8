/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine; see engine.h.
 */
#include "core/engine.h"
#include "core/invariant.h"
#include "core/rng.h"

/* Where private memory accesses are steps too, there are so many more of them. */
#define PRIVATE_STEPS 100

static void hash_in(struct engine *e, uint64_t value)
{
  e->hash = (e->hash ^ value) * UINT64_C(0x9fb21c651e98df25);
  e->hash ^= e->hash >> 32;
}

static void begin(struct engine *e, uint64_t execution)
{
  for (uint32_t i = 0; i < e->threads; i++)
    e->thread[i].alive = false;
  e->current = 0;
  e->threads = e->processes = 1;
  e->alive_count = 1;
  e->yielded = false;
  e->stale = true;
  e->enabled = e->waiting = (struct threadset){{0}};
  e->step = 0;
  e->hash = 0;
  e->segment_base = 0;
  e->segments = e->choices = 0;
  e->decisions = 0;
  e->overflow = false;
  e->thread[0].operations = e->thread[0].failed = 0;
  e->thread[0].alive = e->thread[0].cut_off = false;
  e->control->threads = 1;
  e->control->thread[0] = (struct thread_info){0};
  e->max_steps = e->control->config.max_steps * (e->strategy->private_steps ? PRIVATE_STEPS : 1);
  e->first_limit = e->max_steps;
  e->over = 0;
  e->outcome = (struct outcome){0};
  e->performing = e->unkept = false;
  uint64_t seed = mix64(e->control->config.seed + execution * UINT64_C(0x9e3779b97f4a7c15));
  e->strategy->begin(e->strategy_state, &e->job, seed, execution);
  e->leaning = (struct leaning){0};
  if (e->strategy->leans && e->job.bytes[JOB_CHANGED])
    leaning_begin(&e->leaning, &e->job, seed, execution);
}

/* What is said of an operation when it comes to be pending. */
static void set_pending(struct engine *e, unsigned task, const struct operation *op)
{
  e->thread[task].pending = *op;
  if (e->watchers.holding && watchers_mind(&e->watchers, e, task, op))
    e->thread[task].pending.traits |= OP_FAR;
}

static unsigned add(struct engine *e, unsigned parent, uint32_t nth, uintptr_t start, uintptr_t pc)
{
  if (e->threads == MAX_THREADS)
    return MAX_THREADS;
  unsigned t = e->threads++;
  e->control->thread[t] = (struct thread_info){.parent = parent, .nth = nth, .start = start, .made_at = pc};
  e->control->threads = e->threads;
  e->thread[t].operations = 1;
  e->thread[t].failed = 0;
  e->thread[t].alive = true;
  e->thread[t].may_block = e->thread[t].cut_off = false;
  set_pending(e, t, &(struct operation){.kind = OP_START, .arg = t, .pc = pc});
  e->alive_count++;
  threadset_add(&e->enabled, t);
  return t;
}

unsigned engine_add_thread(struct engine *e, unsigned parent, uintptr_t start, uintptr_t pc)
{
  uint32_t nth = 1;
  for (unsigned i = 1; i < e->threads; i++)
    nth += e->control->thread[i].parent == parent && e->control->thread[i].nth < TASK_NUMBER;
  return add(e, parent, nth, start, pc);
}

unsigned engine_add_task(struct engine *e, unsigned nth, uintptr_t start)
{
  return add(e, 0, TASK_NUMBER + nth, start, 0);
}

/* ---- effects ---- */

static void settle(struct engine *e)
{
  e->performing = false;
  watchers_performed(&e->watchers, e, e->current, &e->performed, &e->effect);
}

void engine_about(struct engine *e, const struct operation *op)
{
  if (e->performing)
    settle(e);
  if (e->watchers.looking[op_concerns_memory(op->kind)])
    watchers_about(&e->watchers, e, e->current, op);
  if (!e->watchers.awaiting)
    return;
  e->performing = true;
  e->performed = *op;
  e->effect = (struct effect){0};
}

void engine_perform(struct engine *e, int64_t result)
{
  const struct thread_state *self = &e->thread[e->current];
  hash_in(e, (uint64_t)self->pending.kind << 56 ^ self->operations << 8 ^ (uint64_t)result);
  if (!e->performing)
    return;
  e->effect.known = true;
  e->effect.result = result;
}

void engine_only_read(struct engine *e, uintptr_t addr, int order)
{
  if (!e->performing || e->performed.kind != OP_ATOMIC_RMW || e->performed.addr != addr) {
    watchers_unseen_only_read(&e->watchers, addr, (uint8_t)order); /* memory of its own: no step */
    return;
  }
  e->effect.unchanged = true;
  e->effect.order = (uint8_t)order;
}

/* ---- turns ---- */

void engine_announce(struct engine *e, const struct operation *op)
{
  if (e->performing)
    settle(e);
  struct thread_state *self = &e->thread[e->current];
  self->operations++;
  set_pending(e, e->current, op);
  self->alive = true;
  self->may_block = op_table[op->kind].blocks;
  e->yielded = op->kind == OP_YIELD || op->kind == OP_TESTCANCEL || op->traits & OP_WEARY;
  if (self->may_block) {
    threadset_add(&e->waiting, e->current);
    e->stale = true;
  } else {
    threadset_add(&e->enabled, e->current);
  }
}

void engine_holds_on(struct engine *e)
{
  struct thread_state *self = &e->thread[e->current];
  self->may_block = true;
  threadset_add(&e->waiting, e->current);
  e->stale = true;
}

void engine_end_thread(struct engine *e)
{
  if (e->performing)
    settle(e);
  e->thread[e->current].alive = false;
  e->alive_count--;
  e->yielded = false;
  threadset_remove(&e->enabled, e->current);
  threadset_remove(&e->waiting, e->current);
  e->stale = true;
}

void engine_cut_off(struct engine *e, unsigned task)
{
  if (!e->thread[task].alive)
    return;
  e->thread[task].may_block = e->thread[task].cut_off = true;
  threadset_add(&e->waiting, task);
  threadset_remove(&e->enabled, task);
  e->stale = true;
}

/* Observers may hold back any task; what they let go is as enabled as it was. */
static void hold_back(struct engine *e, unsigned t)
{
  if (!e->thread[t].alive)
    return;
  if (!e->thread[t].may_block)
    threadset_add(&e->enabled, t);
  if (!watchers_admit(&e->watchers, e, t, &e->thread[t].pending))
    threadset_remove(&e->enabled, t);
}

/* Of 64 tasks from the first on, those of them that can wait and whose time has come. */
static uint64_t enabled_of(const struct engine *e, unsigned first, uint64_t waiting)
{
  uint64_t enabled = 0;
  for (uint64_t left = waiting; left; left &= left - 1) {
    unsigned t = first + (unsigned)__builtin_ctzll(left);
    if (e->world->enabled(e->world->self, t, &e->thread[t].pending))
      enabled |= left & -left;
  }
  return enabled;
}

static void refresh_enabled(struct engine *e)
{
  for (unsigned i = 0; i * 64 < e->threads; i++) {
    uint64_t waiting = e->waiting.word[i];
    if (waiting)
      e->enabled.word[i] = (e->enabled.word[i] & ~waiting) | enabled_of(e, i * 64, waiting);
  }
  e->stale = e->watchers.holding > 0;
  for (unsigned t = 0; t < e->threads && e->watchers.holding; t++)
    hold_back(e, t);
}

bool engine_shows(const struct engine *e, const struct operation *op)
{
  if (!op_is_memory(op->kind))
    return true;
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8)
    if (e->world->location(e->world->self, g))
      return true;
  return false;
}

const struct threadset *engine_enabled(struct engine *e)
{
  if (e->stale)
    refresh_enabled(e);
  return &e->enabled;
}

bool engine_is_held(const struct engine *e, unsigned task)
{
  const struct thread_state *t = &e->thread[task];
  if (!e->watchers.holding || !t->alive || threadset_has(&e->enabled, task))
    return false;
  return !t->may_block || e->world->enabled(e->world->self, task, &t->pending);
}

/* Nobody can go on, but somebody could, were it not for observers that did not say what that means. */
static bool is_held_up(const struct engine *e, unsigned why)
{
  bool held = false;
  for (unsigned t = 0; t < e->threads && why == NEXT_DEADLOCK && !e->outcome.bug; t++)
    held |= engine_is_held(e, t);
  return held;
}

static void end_segment(struct engine *e, unsigned next)
{
  const struct thread_state *self = &e->thread[e->current];
  if (e->segments == ENGINE_SEGMENTS) {
    e->overflow = true;
  } else {
    e->segment[e->segments++] = (struct segment){
        .thread = e->current,
        .op = self->alive ? self->pending.kind : OP_EXIT,
        .enabled = self->alive && threadset_has(&e->enabled, e->current) && !op_gives_way(self->pending.kind),
        .operations = thread_performed(self) - e->segment_base,
        .pc = self->alive ? self->pending.pc : 0,
    };
  }
  hash_in(e, (uint64_t)next << 48 ^ thread_performed(self));
  e->segment_base = thread_performed(&e->thread[next]);
  e->current = next;
}

/* The strategy's pick among those who attend to the change. */
static __attribute__((noinline, cold)) unsigned lean(struct engine *e, struct choice *c)
{
  struct threadset narrowed = leaning_narrows(&e->leaning, c);
  c->enabled = &narrowed;
  c->count = threadset_count(&narrowed);
  bool decided = c->count == 1 && !e->strategy->every_step;
  return decided ? threadset_next(&narrowed, 0) : e->strategy->pick(e->strategy_state, c);
}

/* A task, or one of NEXT_*, none of which is final yet. */
static inline unsigned next_task(struct engine *e)
{
  if (e->stale)
    refresh_enabled(e);
  e->control->heartbeat++;
  if (++e->step > e->max_steps)
    return NEXT_TOO_LONG;
  unsigned count = threadset_count(&e->enabled);
  if (count == 0)
    return NEXT_DEADLOCK;
  unsigned next;
  if (count == 1 && !e->strategy->every_step) {
    next = threadset_next(&e->enabled, 0);
  } else {
    struct choice c = {.enabled = &e->enabled,
                       .count = count,
                       .current = e->current,
                       .yielded = e->yielded,
                       .holding = e->watchers.holding > 0,
                       .thread = e->thread,
                       .info = e->control->thread,
                       .threads = e->threads,
                       .world = e->world,
                       .step = e->step};
    e->decisions += count > 1;
    next = __builtin_expect(!e->leaning.changed.map, 1) ? e->strategy->pick(e->strategy_state, &c) : lean(e, &c);
    if (next >= MAX_THREADS)
      return next == PICK_BLOCKED ? NEXT_BLOCKED : NEXT_DIVERGED;
  }
  if (next != e->current)
    end_segment(e, next);
  struct thread_state *chosen = &e->thread[next];
  if (chosen->may_block) {
    chosen->may_block = false;
    threadset_remove(&e->waiting, next);
  }
  return next;
}

unsigned engine_turn(struct engine *e)
{
  if (e->over)
    return e->over;
  if (!e->alive_count)
    return e->over = NEXT_OVER;
  for (;;) {
    unsigned next = next_task(e);
    if (__builtin_expect(next < MAX_THREADS, 1))
      return next;
    e->over = next;
    if (next != NEXT_BLOCKED && watchers_stopped(&e->watchers, e, next)) {
      e->over = 0;
      continue;
    }
    e->outcome.cut |= next == NEXT_TOO_LONG || is_held_up(e, next);
    return next;
  }
}

void engine_stop(struct engine *e)
{
  e->over = e->over ? e->over : NEXT_OVER;
  if (e->world->leave)
    e->world->leave(e->world->self);
}

unsigned engine_run(struct engine *e, uint64_t execution)
{
  begin(e, execution);
  e->world->begin(e->world->self);
  watchers_begin(&e->watchers, e);
  unsigned next = 0;
  do
    e->world->go_on(e->world->self, next);
  while ((next = engine_turn(e)) < MAX_THREADS);
  if (e->performing)
    settle(e);
  watchers_end(&e->watchers, e);
  return next;
}

/* Whom the world would let go on where the execution ended; observers hold nobody back any more. */
static const struct threadset *enabled_at_end(struct engine *e)
{
  for (unsigned t = 0; t < e->threads && e->watchers.holding; t++)
    if (e->thread[t].alive && !e->thread[t].may_block)
      threadset_add(&e->enabled, t);
  e->watchers.holding = 0;
  return engine_enabled(e);
}

bool engine_conclude(struct engine *e)
{
  struct outcome *o = &e->outcome;
  invariant(e->threads <= MAX_THREADS && e->alive_count <= e->threads, "more tasks were alive than there were");
  invariant(e->over, "an execution was concluded that was not over");
  o->steps = e->step;
  o->inside = e->over == NEXT_OVER && e->alive_count;
  o->too_long = o->cut && e->step >= e->max_steps;
  o->thread = e->thread;
  o->info = e->control->thread;
  o->threads = e->threads;
  o->world = e->world;
  o->job = &e->job;
  o->enabled = e->strategy->exhaustive ? enabled_at_end(e) : NULL;
  return e->strategy->end(e->strategy_state, o);
}

void engine_decided(struct engine *e, unsigned n, unsigned value)
{
  if (n > 1 && e->choices == ENGINE_CHOICES)
    e->overflow = true;
  if (n > 1 && !e->overflow)
    e->choice[e->choices++] = (struct data_choice){n, value};
  hash_in(e, (uint64_t)n << 32 | value);
}

unsigned engine_choose(struct engine *e, unsigned n)
{
  unsigned value = n > 1 ? e->strategy->choose(e->strategy_state, n) : 0;
  invariant(value < n, "a strategy chose what there was not to choose");
  e->decisions += n > 1;
  engine_decided(e, n, value);
  return value;
}

/* Each task performed what its segments say. */
static bool adds_up(const struct engine *e, const struct segment *segment, uint32_t segments)
{
  uint64_t performed[MAX_THREADS] = {0};
  for (uint32_t i = 0; i < segments; i++)
    performed[segment[i].thread] += segment[i].operations;
  for (uint32_t t = 0; t < e->threads; t++) {
    const struct thread_state *s = &e->thread[t];
    if (performed[t] != (t == e->current ? s->operations : thread_performed(s)))
      return false;
  }
  return true;
}

uint64_t engine_write_schedule(struct engine *e, struct schedule_record *out, uint64_t size)
{
  uint64_t bytes = sizeof *out + e->threads * sizeof(struct schedule_thread) +
                   (e->segments + 1) * sizeof(struct segment) + e->choices * sizeof(struct data_choice);
  if (bytes > size || e->overflow)
    return 0;
  *out = (struct schedule_record){.bytes = bytes,
                                  .hash = e->hash,
                                  .threads = e->threads,
                                  .segments = e->segments + 1,
                                  .choices = e->choices,
                                  .execution = e->control->execution};
  for (uint32_t i = 0; i < e->threads; i++)
    schedule_threads(out)[i] = (struct schedule_thread){e->control->thread[i].parent, e->control->thread[i].nth,
                                                        e->control->thread[i].process};
  struct segment *segment = schedule_segments(out);
  for (uint32_t i = 0; i < e->segments; i++) {
    segment[i] = e->segment[i];
    segment[i].pc = e->world->name(e->world->self, segment[i].pc);
  }
  const struct thread_state *last = &e->thread[e->current];
  segment[e->segments] = (struct segment){.thread = e->current,
                                          .op = last->alive ? last->pending.kind : OP_EXIT,
                                          .operations = last->operations - e->segment_base,
                                          .pc = e->world->name(e->world->self, last->alive ? last->pending.pc : 0)};
  invariant(adds_up(e, segment, e->segments + 1), "a schedule does not say what was performed");
  for (uint32_t i = 0; i < e->choices; i++)
    schedule_choices(out)[i] = e->choice[i];
  return bytes;
}
