/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the program as far as steps show it; see the header.
 */
#include "strategy/visible_state.h"
#include "core/footprint.h"
#include "core/rng.h"
#include "core/world.h"

#define TRIES 16

void visible_state_begin(struct visible_state *s)
{
  s->stamp++;
  s->memory = s->threads = 0;
  s->known = 0;
  s->last = MAX_THREADS;
}

/* Which word it is, by a name that other processes have for it too. */
static uint64_t name_of_key(const struct world *world, uint64_t key)
{
  return key_with_address(key, world->name(world->self, key_address(key)));
}

static struct visible_word *word_of(struct visible_state *s, uint64_t key)
{
  uint32_t i = mix64(key) & (VISIBLE_WORDS - 1);
  for (unsigned tries = 0; tries < TRIES; tries++, i = (i + 1) & (VISIBLE_WORDS - 1)) {
    struct visible_word *w = &s->word[i];
    if (w->stamp != s->stamp)
      *w = (struct visible_word){.key = key, .stamp = s->stamp};
    if (w->key == key)
      return w;
  }
  return NULL; /* too many */
}

static uint64_t part_of_word(const struct visible_word *w)
{
  return mix64(w->key ^ mix64(w->value));
}

/* What was there, as far as it is known, and what is there now, as one number. */
static uint64_t note_word(struct visible_state *s, const struct world *world, const struct footprint *f)
{
  if (world->is_known && !world->is_known(world->self, f->key))
    return 0;
  struct visible_word *w = word_of(s, name_of_key(world, f->key));
  if (!w)
    return 0;
  uint64_t before = part_of_word(w);
  s->memory -= before;
  w->value = world->state(world->self, &s->op, f->key);
  s->memory += part_of_word(w);
  return before + 3 * part_of_word(w);
}

static void note_look(struct visible_state *s, uint64_t seen)
{
  uint64_t *look = s->look[s->last];
  for (unsigned i = VISIBLE_LOOKS - 1; i > 0; i--)
    look[i] = look[i - 1];
  look[0] = mix64(s->op.pc ^ mix64(seen));
}

static void settle_step(struct visible_state *s, const struct world *world, bool looks)
{
  struct footprint footprint[FOOTPRINTS_MOST];
  unsigned n = op_footprints(&s->op, footprint);
  uint64_t seen = 0;
  for (unsigned i = 0; i < n; i++)
    if (footprint[i].touch == TOUCH_CHANGES || (looks && footprint[i].touch == TOUCH_READS))
      seen += note_word(s, world, &footprint[i]);
  if (looks)
    note_look(s, seen);
}

static uint64_t place_of(const struct visible_state *s, const struct choice *c, unsigned t, unsigned looks)
{
  if (!c->thread[t].alive)
    return 0;
  const struct world *world = c->world;
  const struct operation *op = &c->thread[t].pending;
  uint64_t on = op_has_address((enum op_kind)op->kind) ? world->name(world->self, op->addr) : op->addr;
  uint64_t place = mix64(world->name(world->self, op->pc) ^ mix64(on + op->kind));
  place ^= s->drawn[t];
  for (unsigned i = 0; i < looks; i++)
    place = mix64(place ^ s->look[t][i]);
  return mix64(place + t);
}

uint64_t visible_state_settle(struct visible_state *s, const struct choice *c, unsigned looks)
{
  if (s->last < MAX_THREADS) {
    settle_step(s, c->world, looks);
    s->threads -= s->place[s->last];
    s->threads += s->place[s->last] = place_of(s, c, s->last, looks);
    s->last = MAX_THREADS;
  }
  for (; s->known < c->threads; s->known++) {
    s->drawn[s->known] = 0;
    for (unsigned i = 0; i < VISIBLE_LOOKS; i++)
      s->look[s->known][i] = 0;
    s->threads += s->place[s->known] = place_of(s, c, s->known, looks);
  }
  return mix64(s->memory + mix64(s->threads)) | 1;
}

void visible_state_step(struct visible_state *s, const struct choice *c, unsigned thread)
{
  s->last = thread;
  s->op = c->thread[thread].pending;
}

void visible_state_draw(struct visible_state *s, unsigned number)
{
  if (s->last < MAX_THREADS)
    s->drawn[s->last] = mix64(s->drawn[s->last] + number + 1);
}
