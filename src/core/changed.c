/* SPDX-License-Identifier: Apache-2.0
 *
 * Heuristics about a change; see the header.
 */
#include "core/changed.h"
#include "core/config.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "core/world.h"

#define FRAMES_MOST 64

/* Of the executions that are drawn, one of so many leans towards the change. If that has nothing to do with the fault,
 * and none of these finds it, 11 are needed where 10 would do. */
#define LEANS_ONE_IN 11
#define HEEDLESS_ONE_IN 8 /* of its steps so many do not: no loop waits forever for what they would bring */
#define PATIENCE 1000     /* steps in a row, then everybody may be drawn */

static const bool asks_for_stack[MATCH_COUNT] = {
#define X(id, letters, on_stack) [MATCH_##id] = on_stack,
    HD_CHANGED_MATCHES(X)
#undef X
};

const char *heuristic_name(enum heuristic heuristic)
{
  static const char *const name[HEURISTIC_COUNT] = {"BASIC",
#define X(id, letters, on_stack) #letters "A", #letters "S",
                                                    HD_CHANGED_MATCHES(X)
#undef X
  };
  return name[heuristic];
}

static enum changed_match match_of(enum heuristic h)
{
  return (enum changed_match)((h - 1) / 2);
}

static bool wants_all(enum heuristic h)
{
  return h % 2;
}

struct changed changed_of(const struct job *job)
{
  bool known = job->bytes[JOB_CHANGED] && job->config->heuristic != HEURISTIC_BASIC;
  return (struct changed){known ? job->part[JOB_CHANGED] : NULL, (enum heuristic)job->config->heuristic};
}

bool heuristic_asks_for_calls(enum heuristic heuristic)
{
  return heuristic != HEURISTIC_BASIC && asks_for_stack[match_of(heuristic)];
}

uint64_t changed_bits(const struct changed_map *map, uint64_t name)
{
  uint64_t low = 0, high = map->count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (map->range[middle].to <= name)
      low = middle + 1;
    else
      high = middle;
  }
  return low < map->count && map->range[low].from <= name ? map->range[low].bits : 0;
}

/* The bits of an address: of code, that of the instruction before it. */
static uint64_t bits_at(const struct changed_map *map, const struct world *world, uintptr_t addr)
{
  return addr ? changed_bits(map, world->name(world->self, addr)) : 0;
}

static bool stack_matches(const struct changed *changed, const struct world *world, unsigned thread, uint64_t bit)
{
  uintptr_t frame[FRAMES_MOST];
  unsigned depth = world->stack ? world->stack(world->self, thread, frame, FRAMES_MOST) : 0;
  for (unsigned i = 0; i < depth; i++)
    if (bits_at(changed->map, world, frame[i] - 1) & bit)
      return true;
  return false;
}

bool changed_matches(const struct changed *changed, const struct choice *c, unsigned thread)
{
  enum changed_match match = match_of(changed->heuristic);
  uint64_t bit = CHANGED_BIT(match);
  const struct operation *op = &c->thread[thread].pending;
  if (op->pc && bits_at(changed->map, c->world, op->pc - 1) & bit)
    return true;
  if (match == MATCH_FIELD)
    return op_is_memory(op->kind) || op->object ? bits_at(changed->map, c->world, op->addr) & bit : false;
  return asks_for_stack[match] && stack_matches(changed, c->world, thread, bit);
}

/* One of those that do not match, the running one if it is among them; all if there is none. */
static struct threadset keep_for_all(const struct changed *changed, const struct choice *c,
                                     const struct threadset *able, unsigned running)
{
  struct threadset one = {0};
  if (!changed_matches(changed, c, running)) {
    threadset_add(&one, running);
    return one;
  }
  THREADSET_EACH(t, able)
  {
    if (t == running || changed_matches(changed, c, t))
      continue;
    threadset_add(&one, t);
    return one;
  }
  return *able;
}

/* All if one matches, else the running one. */
static struct threadset keep_for_some(const struct changed *changed, const struct choice *c,
                                      const struct threadset *able, unsigned running)
{
  struct threadset one = {0};
  THREADSET_EACH(t, able)
  {
    if (changed_matches(changed, c, t))
      return *able;
  }
  threadset_add(&one, running);
  return one;
}

struct threadset changed_keeps(const struct changed *changed, const struct choice *c, const struct threadset *able,
                               unsigned running)
{
  return wants_all(changed->heuristic) ? keep_for_all(changed, c, able, running)
                                       : keep_for_some(changed, c, able, running);
}

/* ---- executions that are drawn ---- */

void leaning_begin(struct leaning *l, const struct job *job, uint64_t seed, uint64_t execution)
{
  struct changed changed = changed_of(job);
  *l = (struct leaning){.stream = mix64(seed)};
  if (changed.map && changed.map->count && execution % LEANS_ONE_IN == LEANS_ONE_IN - 1)
    l->changed = changed;
}

struct threadset leaning_narrows(struct leaning *l, const struct choice *c)
{
  l->run = c->current == l->running ? l->run + 1 : 0;
  l->running = c->current;
  bool heedless = c->yielded || l->run >= PATIENCE || !threadset_has(c->enabled, c->current) ||
                  rng_below(&l->stream, HEEDLESS_ONE_IN) == 0;
  return heedless ? *c->enabled : changed_keeps(&l->changed, c, c->enabled, c->current);
}
