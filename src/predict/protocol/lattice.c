/* SPDX-License-Identifier: Apache-2.0
 *
 * The lattice, level by level; see lattice.h. Of all levels only the last one is kept, and one way to each
 * (state, object, protocol state) in it. Ways share their beginnings and are freed when nothing leads there any
 * more. */
#include "predict/protocol/lattice.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

struct lattice_step {
  struct lattice_call call;
  struct lattice_step *before;
  uint32_t users;
};

struct object_state {
  uint32_t object, state;
  struct lattice_step *way;
};

struct state {
  uint32_t index[LATTICE_THREADS];
  struct lattice_step *way; /* for objects that nothing was called on yet */
  struct object_state *objects;
  uint32_t object_count;
};

struct level {
  struct state *states;
  uint32_t count, room;
  uint32_t *table; /* by index: number of a state + 1 */
  uint32_t table_size;
};

struct pending {
  struct lattice_call call;
  uint32_t slot, position; /* which call of the slot's it is, from 0 */
  uint32_t epoch;          /* whose clocks have more for its thread, knows of it */
  uint32_t clock[LATTICE_THREADS];
};

struct lattice {
  const struct automaton *automaton;
  struct lattice_options options;
  struct lattice_figures figures;
  struct level current, next;
  struct pending *queue;
  uint32_t queue_count, queue_room;
  uint32_t slots;
  uint32_t thread[LATTICE_THREADS]; /* of each slot */
  uint32_t calls[LATTICE_THREADS];  /* it made so far */
  uint32_t passed[LATTICE_THREADS]; /* of these, how many are behind every state of the current level */
  bool failed;
};

/* ---- ways ---- */

static struct lattice_step *keep(struct lattice_step *way)
{
  if (way)
    way->users++;
  return way;
}

static void let_go(struct lattice_step *way)
{
  while (way && --way->users == 0) {
    struct lattice_step *before = way->before;
    free(way);
    way = before;
  }
}

static struct lattice_step *longer(struct lattice *l, struct lattice_step *way, const struct pending *e)
{
  struct lattice_step *step = malloc(sizeof *step);
  l->failed |= !step;
  if (step)
    *step = (struct lattice_step){.call = e->call, .before = keep(way), .users = 1};
  return step;
}

size_t lattice_way(const struct lattice_error *error, struct lattice_call *out, size_t room)
{
  size_t count = 1;
  for (const struct lattice_step *s = error->way; s; s = s->before)
    count++;
  size_t given = count < room ? count : room, at = given;
  if (at)
    out[--at] = *error->call;
  for (const struct lattice_step *s = error->way; s && at; s = s->before)
    out[--at] = s->call;
  return count;
}

/* ---- levels ---- */

static void level_clear(struct level *level)
{
  for (uint32_t i = 0; i < level->count; i++) {
    struct state *s = &level->states[i];
    for (uint32_t o = 0; o < s->object_count; o++)
      let_go(s->objects[o].way);
    free(s->objects);
    let_go(s->way);
  }
  level->count = 0;
  if (level->table_size)
    memset(level->table, 0, level->table_size * sizeof *level->table);
}

static void level_free(struct level *level)
{
  level_clear(level);
  free(level->states);
  free(level->table);
}

static uint32_t place_of(const struct level *level, const uint32_t *index, uint32_t slots)
{
  uint64_t h = 0;
  for (uint32_t i = 0; i < slots; i++)
    h = mix64(h ^ index[i]);
  uint32_t at = (uint32_t)h & (level->table_size - 1);
  while (level->table[at] && memcmp(level->states[level->table[at] - 1].index, index, slots * sizeof *index))
    at = (at + 1) & (level->table_size - 1);
  return at;
}

static bool level_grow(struct level *level, uint32_t slots)
{
  uint32_t room = level->room ? 2 * level->room : 8;
  struct state *states = realloc(level->states, room * sizeof *states);
  if (!states)
    return false;
  level->states = states;
  uint32_t *table = calloc(2 * (size_t)room, sizeof *table);
  if (!table)
    return false;
  free(level->table);
  level->table = table;
  level->table_size = 2 * room;
  level->room = room;
  for (uint32_t i = 0; i < level->count; i++)
    level->table[place_of(level, states[i].index, slots)] = i + 1;
  return true;
}

/* The state of that index in the next level; *fresh when it was not there. NULL when there is no memory. */
static struct state *state_at(struct lattice *l, const uint32_t *index, bool *fresh)
{
  struct level *level = &l->next;
  if (level->count == level->room && !level_grow(level, l->slots)) {
    l->failed = true;
    return NULL;
  }
  uint32_t at = place_of(level, index, l->slots);
  *fresh = !level->table[at];
  if (*fresh) {
    struct state *s = &level->states[level->count++];
    *s = (struct state){0};
    memcpy(s->index, index, sizeof s->index);
    level->table[at] = level->count;
  }
  return &level->states[level->table[at] - 1];
}

/* ---- one transition ---- */

static void add_object_state(struct lattice *l, struct state *s, uint32_t object, uint32_t state,
                             struct lattice_step *way, const struct pending *e)
{
  for (uint32_t i = 0; i < s->object_count; i++)
    if (s->objects[i].object == object && s->objects[i].state == state)
      return;
  if ((s->object_count & (s->object_count - 1)) == 0) {
    size_t room = s->object_count ? 2 * (size_t)s->object_count : 1;
    struct object_state *grown = realloc(s->objects, room * sizeof *grown);
    l->failed |= !grown;
    if (!grown)
      return;
    s->objects = grown;
  }
  s->objects[s->object_count++] = (struct object_state){object, state, longer(l, way, e)};
}

static const struct lattice_call *last_of_others(const struct lattice_step *way, const struct lattice_call *call)
{
  for (; way; way = way->before)
    if (way->call.object == call->object && way->call.thread != call->thread)
      return &way->call;
  return NULL;
}

/* Of the calls that came before it in the run and are still to come: the first after which it would be allowed, or the
 * last one. */
static const struct lattice_call *missing_on_way(const struct lattice *l, const struct state *from, uint32_t state,
                                                 const struct lattice_call *call)
{
  const struct lattice_call *missing = NULL;
  for (uint32_t i = 0; i < l->queue_count; i++) {
    const struct pending *p = &l->queue[i];
    if (p->call.object != call->object || p->call.thread == call->thread || p->call.number > call->number ||
        p->position < from->index[p->slot])
      continue;
    missing = &p->call;
    state = automaton_next(l->automaton, state, p->call.method);
    if (automaton_next(l->automaton, state, call->method) != AUTOMATON_BAD)
      break;
  }
  return missing;
}

/* Where the call leads the object from one of its states, telling of an error. */
static uint32_t advance(struct lattice *l, const struct state *from, uint32_t state, const struct lattice_step *way,
                        const struct pending *e)
{
  uint32_t to = automaton_next(l->automaton, state, e->call.method);
  if (to != AUTOMATON_BAD || state == AUTOMATON_BAD)
    return to;
  struct lattice_error error = {.call = &e->call,
                                .state = state,
                                .from = from->index,
                                .threads = l->slots,
                                .last = last_of_others(way, &e->call),
                                .missing = missing_on_way(l, from, state, &e->call),
                                .way = way};
  l->figures.errors++;
  l->options.error(l->options.arg, &error);
  return to;
}

static void transition(struct lattice *l, const struct state *from, const struct pending *e)
{
  uint32_t index[LATTICE_THREADS];
  bool fresh, known = false;
  memcpy(index, from->index, sizeof index);
  index[e->slot]++;
  struct state *to = state_at(l, index, &fresh);
  if (!to)
    return;
  l->figures.transitions++;
  if (fresh)
    to->way = longer(l, from->way, e);
  for (uint32_t i = 0; i < from->object_count && !l->failed; i++) {
    const struct object_state *o = &from->objects[i];
    bool called = o->object == e->call.object;
    known |= called;
    add_object_state(l, to, o->object, called ? advance(l, from, o->state, o->way, e) : o->state, o->way, e);
  }
  if (!known)
    add_object_state(l, to, e->call.object, advance(l, from, 0, from->way, e), from->way, e);
}

/* ---- one level ---- */

/* Calls of one thread wait in their order, one position after the other. */
static const struct pending *next_call(const struct lattice *l, const uint32_t *of_slot, const uint32_t *first,
                                       uint32_t slot, const struct state *s)
{
  uint32_t at = s->index[slot] - l->passed[slot];
  return first[slot] + at < first[slot + 1] ? &l->queue[of_slot[first[slot] + at]] : NULL;
}

static bool may_come(const struct lattice *l, const struct state *s, const struct pending *e)
{
  for (uint32_t j = 0; j < l->slots; j++)
    if (j != e->slot && s->index[j] < e->clock[j])
      return false;
  return true;
}

/* The waiting calls by slot: those of slot j are of_slot[first[j]] to of_slot[first[j + 1] - 1]. */
static void sort_by_slot(const struct lattice *l, uint32_t *of_slot, uint32_t *first)
{
  uint32_t at[LATTICE_THREADS];
  memset(first, 0, (LATTICE_THREADS + 1) * sizeof *first);
  for (uint32_t i = 0; i < l->queue_count; i++)
    first[l->queue[i].slot + 1]++;
  for (uint32_t j = 0; j < LATTICE_THREADS; j++) {
    first[j + 1] += first[j];
    at[j] = first[j];
  }
  for (uint32_t i = 0; i < l->queue_count; i++)
    of_slot[at[l->queue[i].slot]++] = i;
}

struct pair {
  uint32_t call, state; /* indexes of the queue and of the current level */
};

/* Where each state of the level may go on, in any order; returns how many pairs, and how many of each call before
 * those of the next in `ends`. */
static size_t collect_pairs(const struct lattice *l, const uint32_t *of_slot, const uint32_t *first, struct pair *pairs,
                            uint32_t *ends)
{
  size_t count = 0;
  for (uint32_t i = 0; i < l->current.count; i++)
    for (uint32_t j = 0; j < l->slots; j++) {
      const struct pending *e = next_call(l, of_slot, first, j, &l->current.states[i]);
      if (!e || !may_come(l, &l->current.states[i], e))
        continue;
      pairs[count++] = (struct pair){(uint32_t)(e - l->queue), i};
      ends[e - l->queue + 1]++;
    }
  for (uint32_t i = 0; i < l->queue_count; i++)
    ends[i + 1] += ends[i];
  return count;
}

/* Which waiting call may come next in which state of the level, in the order of the run. NULL when there is no
 * memory. */
static struct pair *possible(const struct lattice *l, size_t *count)
{
  uint32_t first[LATTICE_THREADS + 1];
  size_t most = (size_t)l->current.count * l->slots + 1;
  uint32_t *of_slot = malloc((l->queue_count + 1) * sizeof *of_slot);
  uint32_t *place = calloc(l->queue_count + 1, sizeof *place);
  struct pair *found = malloc(most * sizeof *found), *sorted = malloc(most * sizeof *sorted);
  if (of_slot && place && found && sorted) {
    sort_by_slot(l, of_slot, first);
    *count = collect_pairs(l, of_slot, first, found, place);
    for (size_t i = 0; i < *count; i++)
      sorted[place[found[i].call]++] = found[i];
  } else {
    free(sorted);
    sorted = NULL;
  }
  free(of_slot);
  free(place);
  free(found);
  return sorted;
}

/* The next level is the current one now. Calls that all its states have made need not wait any more. */
static void advance_level(struct lattice *l)
{
  struct level old = l->current;
  l->current = l->next;
  l->next = old;
  level_clear(&l->next);
  uint32_t kept = 0;
  for (uint32_t j = 0; j < l->slots; j++) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < l->current.count; i++)
      if (l->current.states[i].index[j] < least)
        least = l->current.states[i].index[j];
    l->passed[j] = least;
  }
  for (uint32_t i = 0; i < l->queue_count; i++)
    if (l->queue[i].position >= l->passed[l->queue[i].slot])
      l->queue[kept++] = l->queue[i];
  l->queue_count = kept;
}

static void count_level(struct lattice *l)
{
  l->figures.levels++;
  l->figures.states += l->current.count;
  if (l->current.count > l->figures.widest)
    l->figures.widest = l->current.count;
  if (l->options.level)
    l->options.level(l->options.arg, l->current.count);
}

/* The pairs end here, or those of one call do, and with it the level: it has its states. */
static bool wide_enough(const struct lattice *l, const struct pair *pairs, size_t count, size_t at)
{
  return l->options.width && l->next.count >= l->options.width &&
         (at + 1 == count || pairs[at + 1].call != pairs[at].call);
}

/* Whether the next level would have as many states as it may. Found out first, without making any, so that no error is
 * told of a level that is given up and made again later. */
static bool reaches_width(struct lattice *l, const struct pair *pairs, size_t count)
{
  bool wide = false, fresh;
  for (size_t i = 0; i < count && !wide && !l->failed; i++) {
    uint32_t index[LATTICE_THREADS];
    memcpy(index, l->current.states[pairs[i].state].index, sizeof index);
    index[l->queue[pairs[i].call].slot]++;
    state_at(l, index, &fresh);
    wide = wide_enough(l, pairs, count, i);
  }
  level_clear(&l->next);
  return wide;
}

static void make_level(struct lattice *l, const struct pair *pairs, size_t count)
{
  for (size_t i = 0; i < count && !l->failed; i++) {
    transition(l, &l->current.states[pairs[i].state], &l->queue[pairs[i].call]);
    if (wide_enough(l, pairs, count, i))
      break;
  }
}

static bool construct_level(struct lattice *l, bool ended)
{
  size_t count = 0;
  bool patient = !ended && l->queue_count < l->options.queue;
  bool could = l->options.width && (uint64_t)l->current.count * l->slots >= l->options.width;
  if (l->failed || !l->queue_count || (patient && !could))
    return false;
  struct pair *pairs = possible(l, &count);
  l->failed |= !pairs;
  if (pairs && (!patient || reaches_width(l, pairs, count)))
    make_level(l, pairs, count);
  free(pairs);
  if (!l->next.count || l->failed)
    return false;
  l->figures.early += !ended;
  advance_level(l);
  count_level(l);
  return true;
}

/* ---- the interface ---- */

struct lattice *lattice_new(const struct automaton *a, struct lattice_options options)
{
  struct lattice *l = calloc(1, sizeof *l);
  bool fresh;
  if (!l)
    return NULL;
  l->automaton = a;
  l->options = options;
  if (!state_at(l, (uint32_t[LATTICE_THREADS]){0}, &fresh)) {
    lattice_free(l);
    return NULL;
  }
  advance_level(l);
  count_level(l);
  return l;
}

void lattice_free(struct lattice *l)
{
  if (!l)
    return;
  level_free(&l->current);
  level_free(&l->next);
  free(l->queue);
  free(l);
}

static uint32_t slot_of(struct lattice *l, uint32_t thread)
{
  uint32_t j = 0;
  while (j < l->slots && l->thread[j] != thread)
    j++;
  if (j == l->slots && j < LATTICE_THREADS)
    l->thread[l->slots++] = thread;
  return j;
}

/* How many calls of each slot came before: of those that wait, the ones that the thread knows of; what does not wait
 * any more is in all states anyway. */
static void project(const struct lattice *l, struct pending *e, const uint32_t *known, uint32_t threads)
{
  memcpy(e->clock, l->passed, sizeof e->clock);
  for (uint32_t i = 0; i < l->queue_count; i++) {
    const struct pending *p = &l->queue[i];
    if (p->call.thread < threads && p->epoch < known[p->call.thread])
      e->clock[p->slot] = p->position + 1;
  }
  e->clock[e->slot] = e->position + 1;
}

void lattice_add(struct lattice *l, const struct lattice_call *call, uint32_t epoch, const uint32_t *known,
                 uint32_t threads)
{
  uint32_t slot = slot_of(l, call->thread);
  if (slot == LATTICE_THREADS) {
    l->figures.left_out++;
    return;
  }
  if (l->queue_count == l->queue_room) {
    uint32_t room = l->queue_room ? 2 * l->queue_room : 8;
    struct pending *grown = realloc(l->queue, room * sizeof *grown);
    l->failed |= !grown;
    if (!grown)
      return;
    l->queue = grown;
    l->queue_room = room;
  }
  struct pending *e = &l->queue[l->queue_count];
  *e = (struct pending){.call = *call, .slot = slot, .position = l->calls[slot]++, .epoch = epoch};
  project(l, e, known, threads);
  l->queue_count++;
  while (construct_level(l, false))
    ;
}

bool lattice_finish(struct lattice *l)
{
  while (construct_level(l, true))
    ;
  return !l->failed;
}

const struct lattice_figures *lattice_figures(const struct lattice *l)
{
  return &l->figures;
}
