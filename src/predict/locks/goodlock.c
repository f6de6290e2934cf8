/* SPDX-License-Identifier: Apache-2.0
 *
 * Circles of lock dependencies; see goodlock.h. What becomes of a circle is in goodlock_group.c.
 */
#include "predict/locks/goodlock.h"
#include "predict/locks/dependency.h"
#include "predict/locks/goodlock_group.h"
#include "predict/trace/grow_array.h"

struct goodlock {
  struct goodlock_options options;
  struct dependencies seen;
};

/* Chains of one length, one after the other; members are indexes into seen.list. */
struct chains {
  uint32_t *member;
  uint32_t length;
  size_t count, room;
};

/* Threads that do something with a lock: none, one, or MANY. */
#define MANY UINT32_MAX

struct demand {
  uint32_t held, held_alone, wanted, wanted_alone; /* alone: not for reading */
};

struct closing {
  const struct goodlock_options *options;
  const struct dependencies *seen;
  struct goodlock_summary *summary;
  struct groups *groups;
  uint32_t *alive; /* dependencies that may be in a circle */
  uint32_t alive_count, lock_count;
  uint32_t *holder;        /* those that hold a lock, for one lock after the other */
  uint32_t *holder_start;  /* by lock, and one more */
  struct chains now, next; /* chains of one length, and those one longer */
  uint32_t max_length;
  size_t max_bytes, used; /* by all chains ever made: that bounds the time as well */
  bool failed;
};

struct goodlock *goodlock_open(const struct goodlock_options *options)
{
  struct goodlock *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->options = *options;
  if (!g->options.max_bytes)
    g->options.max_bytes = GOODLOCK_BYTES;
  if (!g->options.max_length || g->options.max_length > PREDICTION_PARTIES)
    g->options.max_length = PREDICTION_PARTIES;
  g->seen.max_bytes = g->options.max_bytes;
  return g;
}

void goodlock_event(struct goodlock *g, const struct trace *tables, const struct event *e)
{
  (void)tables;
  dependencies_event(&g->seen, e);
}

size_t goodlock_bytes(const struct goodlock *g)
{
  return dependencies_bytes(&g->seen);
}

void goodlock_close(struct goodlock *g)
{
  if (!g)
    return;
  dependencies_free(&g->seen);
  free(g);
}

static const uint32_t *held_words(const struct closing *c, uint32_t dependency, uint32_t *length)
{
  return intern_words(&c->seen->locksets, c->seen->list[dependency].held, length);
}

/* Whether the second holds what the first asks for, in a way that makes it wait. */
static bool waits_for(const struct closing *c, uint32_t first, uint32_t second)
{
  const struct dependency *d = &c->seen->list[first];
  uint32_t length;
  const uint32_t *held = held_words(c, second, &length);
  for (uint32_t i = 0; i < length; i++)
    if (held[i] / 2 == d->lock)
      return !d->shared || !(held[i] & 1);
  return false;
}

/* ---- which dependencies can be in a circle at all ---- */

static void note(uint32_t *threads, uint32_t thread)
{
  *threads = *threads && *threads != thread ? MANY : thread;
}

static bool by_another(uint32_t threads, uint32_t thread)
{
  return threads && threads != thread;
}

static void note_demand(const struct closing *c, struct demand *demand, uint32_t dependency)
{
  const struct dependency *d = &c->seen->list[dependency];
  uint32_t length;
  const uint32_t *held = held_words(c, dependency, &length);
  note(&demand[d->lock].wanted, d->thread);
  if (!d->shared)
    note(&demand[d->lock].wanted_alone, d->thread);
  for (uint32_t i = 0; i < length; i++) {
    note(&demand[held[i] / 2].held, d->thread);
    if (!(held[i] & 1))
      note(&demand[held[i] / 2].held_alone, d->thread);
  }
}

/* Another thread holds what it asks for, and another asks for something it holds. */
static bool between_others(const struct closing *c, const struct demand *demand, uint32_t dependency)
{
  const struct dependency *d = &c->seen->list[dependency];
  const struct demand *mine = &demand[d->lock];
  uint32_t length;
  const uint32_t *held = held_words(c, dependency, &length);
  if (!by_another(d->shared ? mine->held_alone : mine->held, d->thread))
    return false;
  for (uint32_t i = 0; i < length; i++) {
    const struct demand *other = &demand[held[i] / 2];
    if (by_another(held[i] & 1 ? other->wanted_alone : other->wanted, d->thread))
      return true;
  }
  return false;
}

/* Leaves out, again and again, what has nothing before or after it. Where locks have an order nothing is left. */
static void prune(struct closing *c)
{
  struct demand *demand = calloc(c->lock_count, sizeof *demand);
  uint32_t before = 0;
  c->failed |= !demand;
  while (demand && before != c->alive_count) {
    before = c->alive_count;
    memset(demand, 0, c->lock_count * sizeof *demand);
    for (uint32_t i = 0; i < before; i++)
      note_demand(c, demand, c->alive[i]);
    c->alive_count = 0;
    for (uint32_t i = 0; i < before; i++)
      if (between_others(c, demand, c->alive[i]))
        c->alive[c->alive_count++] = c->alive[i];
  }
  free(demand);
}

/* Those made with a lock held. One thread alone is a circle when it asks for what it holds. */
static void select_nested(struct closing *c)
{
  uint32_t length, count = dependencies_count(c->seen), highest = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t *held = held_words(c, i, &length);
    if (!length)
      continue;
    c->summary->nested++;
    highest = c->seen->list[i].lock > highest ? c->seen->list[i].lock : highest;
    highest = held[length - 1] / 2 > highest ? held[length - 1] / 2 : highest;
    if (waits_for(c, i, i))
      groups_add(c->groups, &i, 1);
    else
      c->alive[c->alive_count++] = i;
  }
  c->lock_count = highest + 1;
}

/* ---- chains ---- */

/* Lists for each lock those that hold it: counts, then starts, then entries. */
static void index_holders(struct closing *c)
{
  uint32_t length, total = 0;
  c->holder_start = calloc((size_t)c->lock_count + 2, sizeof *c->holder_start);
  if (!c->holder_start)
    return;
  uint32_t *fill = c->holder_start + 1;
  for (uint32_t i = 0; i < c->alive_count; i++) {
    const uint32_t *held = held_words(c, c->alive[i], &length);
    for (uint32_t h = 0; h < length; h++, total++)
      fill[held[h] / 2 + 1]++;
  }
  for (uint32_t lock = 1; lock <= c->lock_count; lock++)
    fill[lock] += fill[lock - 1];
  c->holder = malloc((total ? total : 1) * sizeof *c->holder);
  for (uint32_t i = 0; c->holder && i < c->alive_count; i++) {
    const uint32_t *held = held_words(c, c->alive[i], &length);
    for (uint32_t h = 0; h < length; h++)
      c->holder[fill[held[h] / 2]++] = c->alive[i];
  }
}

static void add_chain(struct closing *c, const uint32_t *chain, uint32_t length, uint32_t last)
{
  struct chains *to = &c->next;
  c->used += (length + 1) * sizeof *chain;
  if (c->used > c->max_bytes) {
    c->summary->memory_hit = true;
    return;
  }
  if (to->count == to->room) {
    size_t room = to->room ? 2 * to->room : 256;
    uint32_t *grown = realloc(to->member, room * (length + 1) * sizeof *grown);
    if (!grown) {
      c->failed = true;
      return;
    }
    to->member = grown;
    to->room = room;
  }
  uint32_t *at = to->member + to->count++ * (length + 1);
  if (length)
    memcpy(at, chain, length * sizeof *at);
  at[length] = last;
}

static bool can_extend(const struct closing *c, const uint32_t *chain, uint32_t length, uint32_t y)
{
  const struct dependency *all = c->seen->list, *d = &all[y];
  uint32_t held_length, other_length;
  const uint32_t *held = held_words(c, y, &held_length);
  if (!c->options->every_rotation && d->thread <= all[chain[0]].thread)
    return false;
  for (uint32_t i = 0; i < length; i++) {
    const struct dependency *other = &all[chain[i]];
    if (other->thread == d->thread || other->lock == d->lock)
      return false;
    const uint32_t *other_held = held_words(c, chain[i], &other_length);
    if (lockset_words_exclude(held, held_length, other_held, other_length))
      return false;
  }
  return true;
}

static void extend(struct closing *c, const uint32_t *chain, uint32_t length)
{
  uint32_t wanted = c->seen->list[chain[length - 1]].lock;
  uint32_t cycle[PREDICTION_PARTIES];
  for (uint32_t i = c->holder_start[wanted]; i < c->holder_start[wanted + 1]; i++) {
    uint32_t y = c->holder[i];
    if (!waits_for(c, chain[length - 1], y) || !can_extend(c, chain, length, y))
      continue;
    if (!waits_for(c, y, chain[0])) {
      add_chain(c, chain, length, y);
      continue;
    }
    memcpy(cycle, chain, length * sizeof *cycle);
    cycle[length] = y;
    groups_add(c->groups, cycle, length + 1);
  }
}

static void close_chains(struct closing *c)
{
  c->next.length = 1;
  for (uint32_t i = 0; i < c->alive_count; i++)
    add_chain(c, NULL, 0, c->alive[i]);
  for (uint32_t length = 1; c->next.count && length < c->max_length && !c->failed && !c->groups->full; length++) {
    free(c->now.member);
    c->now = c->next;
    c->next = (struct chains){.length = length + 1};
    for (size_t i = 0; i < c->now.count && !c->groups->full; i++)
      extend(c, c->now.member + i * length, length);
  }
  c->summary->length_hit = c->next.count > 0 && c->next.length == c->max_length && !c->groups->full;
}

static void close_circles(struct closing *c)
{
  select_nested(c);
  prune(c);
  index_holders(c);
  c->failed |= !c->holder;
  if (!c->failed)
    close_chains(c);
}

void goodlock_finish(struct goodlock *g, const struct trace *tables, struct predictions *out,
                     struct goodlock_summary *summary)
{
  struct groups groups = {.options = &g->options, .seen = &g->seen, .tables = tables, .out = out, .summary = summary};
  struct closing c = {.options = &g->options,
                      .seen = &g->seen,
                      .summary = summary,
                      .groups = &groups,
                      .max_length = g->options.max_length,
                      .max_bytes = g->options.max_bytes};
  *summary = (struct goodlock_summary){.dependencies = dependencies_count(&g->seen), .memory_hit = g->seen.full};
  c.alive = malloc((summary->dependencies + 1) * sizeof *c.alive);
  c.failed = g->seen.failed || !c.alive;
  groups_begin(&groups);
  if (!c.failed)
    close_circles(&c);
  out->failed |= !groups_end(&groups) || c.failed;
  free(c.alive);
  free(c.holder);
  free(c.holder_start);
  free(c.now.member);
  free(c.next.member);
}
