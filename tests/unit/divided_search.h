/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches of toy programs, whole and divided: by one explorer from the start to the end, and by several that share a
 * frontier, hand in after a few executions and have it written down and read again now and then. Whoever uses this says
 * how a program is opened and what an execution came to (struct search_of); both ways give those numbers.
 */
#ifndef HEDDLE_TESTS_DIVIDED_SEARCH_H
#define HEDDLE_TESTS_DIVIDED_SEARCH_H

#include "core/rng.h"
#include "explore/explorer.h"
#include "session/frontier.h"
#include "toy_world.h"
#include <stdio.h>
#include <stdlib.h>

enum { EXECUTIONS_MAX = 3000, WORKERS = 3, BUFFER = 64 << 20 };

struct search_of {
  struct toy *(*open)(const void *subject, enum strategy_id id);
  uint64_t (*class)(const void *subject, const struct toy *t); /* of the last execution; NULL: the explorer's */
  const void *subject;
  unsigned most; /* executions, up to EXECUTIONS_MAX, which is what 0 means */
};

/* ---- classes, each with its count ---- */

struct classes {
  unsigned count, blocked;
  uint64_t hash[EXECUTIONS_MAX + WORKERS * 16];
};

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort(struct classes *c)
{
  qsort(c->hash, c->count, sizeof *c->hash, by_value);
}

static bool thrifty; /* only the first steps of witnesses are kept, and some executions are abandoned */

static struct bound bound; /* of all searches */

/* ---- explorers ---- */

static struct explorer *explorer_of(struct toy *t)
{
  return t->engine->strategy_state;
}

enum ran { RAN, RAN_ON /* and must not be interrupted now */, RAN_LAST, LEARNT };

static enum ran run(const struct search_of *s, struct toy *t, struct classes *c)
{
  struct explorer *x = explorer_of(t);
  bool more = toy_run(t);
  assert_int_not_equal(t->end, NEXT_DIVERGED);
  bool busy = x->redo || x->probing;
  if (more && !x->guide && !x->cycle[1] && !busy)
    return LEARNT;
  if (!x->aside && t->end == NEXT_BLOCKED)
    c->blocked++;
  else if (!x->aside && !x->cycle[1]) /* a livelock is shown, and the same comes again, to its end */
    c->hash[c->count++] = s->class ? s->class(s->subject, t) : x->class_hash;
  return !more ? RAN_LAST : busy ? RAN_ON : RAN;
}

/* False: too large. */
static bool explore_in_order(const struct search_of *s, enum strategy_id id, struct classes *c)
{
  struct toy *t = s->open(s->subject, id);
  enum ran ran = RAN;
  c->count = c->blocked = 0;
  for (unsigned i = 0; i < (s->most ? s->most : EXECUTIONS_MAX) && ran != RAN_LAST; i++) {
    ran = run(s, t, c);
    if (ran == LEARNT)
      c->count = c->blocked = 0;
  }
  toy_close(t);
  return ran == RAN_LAST;
}

static bool explore_whole(const struct search_of *s, enum strategy_id id, struct classes *c)
{
  bool ended = explore_in_order(s, id, c);
  sort(c);
  return ended;
}

/* ---- the same, divided ---- */

struct helper {
  struct toy *toy;
  struct place *place;
  struct unit *unit;
  struct hand_in *out;
  unsigned left; /* executions until it hands in */
  struct classes found;
};

static struct helper helpers[WORKERS];

static void write_and_read(struct frontier *f)
{
  char *text = NULL, error[128] = "";
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(frontier_write(f, out));
  fclose(out);
  FILE *in = fmemopen(text, bytes, "r");
  struct frontier again = {.limit = f->limit, .costs = f->costs};
  if (!frontier_read(&again, in, error, sizeof error))
    fail_msg("%s", error);
  fclose(in);
  free(text);
  frontier_close(f);
  *f = again;
}

static void add(struct classes *to, const struct classes *from)
{
  assert_true(to->count + from->count <= sizeof to->hash / sizeof *to->hash);
  memcpy(to->hash + to->count, from->hash, from->count * sizeof *from->hash);
  to->count += from->count;
  to->blocked += from->blocked;
}

static void begin_anew(struct frontier *f, struct classes *c)
{
  for (int i = 0; i < WORKERS; i++)
    helpers[i].place = NULL;
  c->count = c->blocked = 0;
  assert_true(frontier_reset(f));
}

static void hand_in(struct frontier *f, struct helper *h, struct classes *c)
{
  explorer_hand_in(explorer_of(h->toy), &h->toy->world, h->out, BUFFER);
  enum taken_in is = frontier_hand_in(f, h->place, h->unit->known, h->out, BUFFER);
  assert_int_not_equal(is, HAND_IN_BAD);
  if (is == HAND_IN_ANEW)
    begin_anew(f, c);
  if (is == HAND_IN_TAKEN)
    add(c, &h->found);
  h->place = NULL;
}

static void work(const struct search_of *s, struct frontier *f, struct helper *h, struct classes *c, uint64_t *stream)
{
  if (!h->place) {
    h->place = frontier_take(f, rng_below(stream, 2), h->unit, BUFFER);
    if (!h->place)
      return;
    explorer_load(explorer_of(h->toy), &h->toy->world, h->unit);
    h->left = 1 + (unsigned)rng_below(stream, 7);
    h->found.count = h->found.blocked = 0;
  }
  enum ran ran = run(s, h->toy, &h->found);
  if (ran == LEARNT) {
    explorer_hand_in_lessons(explorer_of(h->toy), &h->toy->world, h->out);
    frontier_learn(f, h->out);
    begin_anew(f, c);
  } else if (ran == RAN_LAST || (ran == RAN && --h->left == 0))
    hand_in(f, h, c);
}

static void open_helpers(const struct search_of *s, enum strategy_id id, unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    helpers[i].toy = s->open(s->subject, id);
    helpers[i].left = 0;
    helpers[i].place = NULL;
    if (!helpers[i].unit) {
      helpers[i].unit = toy_memory(BUFFER);
      helpers[i].out = toy_memory(BUFFER);
    }
  }
}

static void close_helpers(unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    toy_close(helpers[i].toy);
}

static void explore_divided(const struct search_of *s, enum strategy_id id, unsigned count, bool write,
                            struct classes *c, uint64_t *stream)
{
  struct frontier f;
  assert_true(frontier_open(&f));
  f.costs = bound.kind != BOUND_NONE;
  c->count = c->blocked = 0;
  f.lessons.thrifty = thrifty;
  open_helpers(s, id, count);
  while (!frontier_is_finished(&f)) {
    work(s, &f, &helpers[rng_below(stream, count)], c, stream);
    if (write && !f.taken && rng_below(stream, 3) == 0)
      write_and_read(&f);
  }
  close_helpers(count);
  frontier_close(&f);
  sort(c);
}

#endif
