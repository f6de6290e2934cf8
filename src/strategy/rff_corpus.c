/* SPDX-License-Identifier: Apache-2.0
 *
 * The corpus of reads-from feedback; see the header.
 */
#include "strategy/rff_corpus.h"
#include "core/rng.h"

#define TURN_MOST 64 /* variations of an entry at a time */
#define FRESH_TRIES 6
#define NARROW_ONE_IN 3 /* constraints that are about one thread at one time */

void rff_count(struct rff_corpus *corpus, uint64_t signature)
{
  uint32_t i = mix64(signature) & (RFF_SIGNATURES - 1);
  corpus->met[i].count = corpus->met[i].signature == signature ? corpus->met[i].count + 1 : 1;
  corpus->met[i].signature = signature;
}

static uint32_t times_met(const struct rff_corpus *corpus, uint64_t signature)
{
  uint32_t i = mix64(signature) & (RFF_SIGNATURES - 1);
  return corpus->met[i].signature == signature ? corpus->met[i].count : 1;
}

void rff_keep(struct rff_corpus *corpus, const struct abstract_schedule *schedule, uint64_t signature, uint32_t worth)
{
  uint32_t at = corpus->count;
  if (at == RFF_ENTRIES) {
    at = 0;
    for (uint32_t i = 1; i < RFF_ENTRIES; i++)
      if (corpus->entry[i].worth * (corpus->entry[at].rounds + 1) <
          corpus->entry[at].worth * (corpus->entry[i].rounds + 1))
        at = i;
  } else {
    corpus->count++;
  }
  corpus->entry[at] = (struct rff_entry){.schedule = *schedule, .signature = signature, .worth = worth};
}

/* Twice as many each time, and the fewer the more often executions come to the same anyway. */
static uint32_t energy_of(const struct rff_corpus *corpus, const struct rff_entry *e)
{
  uint32_t doubled = e->worth << (e->rounds < 6 ? e->rounds : 6);
  uint32_t energy = doubled / (1 + times_met(corpus, e->signature) / 16);
  return energy < 1 ? 1 : energy > TURN_MOST ? TURN_MOST : energy;
}

static const struct rff_entry *whose_turn(struct rff_corpus *corpus)
{
  if (!corpus->left) {
    corpus->at = corpus->at ? corpus->at - 1 : corpus->count - 1; /* the newest first */
    struct rff_entry *e = &corpus->entry[corpus->at];
    corpus->left = energy_of(corpus, e);
    e->rounds++;
  }
  corpus->left--;
  return &corpus->entry[corpus->at];
}

/* ---- variations ---- */

/* A write that the read could see, or that none is to have come before it. */
static struct abstract_event random_write(const struct reads_from *r, const struct known_event *read,
                                          enum breadth breadth, uint64_t *stream)
{
  struct abstract_event write = {0};
  uint32_t seen = 1;
  for (uint32_t i = reads_from_first(r, read->location, breadth); i; i = r->event[i].next)
    if (r->event[i].writes && (breadth == EVENTS_BROAD || &r->event[i] != read) && rng_below(stream, ++seen) == 0)
      write = r->event[i].event;
  return write;
}

/* Pairs that were never seen come first. */
static struct constraint make_constraint(const struct reads_from *r, uint64_t *stream)
{
  bool broad = rng_below(stream, NARROW_ONE_IN) && r->reads[EVENTS_BROAD];
  enum breadth breadth = broad ? EVENTS_BROAD : EVENTS_NARROW;
  const struct known_event *read;
  struct abstract_event write;
  unsigned tries = 0;
  do {
    read = &r->event[r->read[breadth][rng_below(stream, r->reads[breadth])]];
    write = random_write(r, read, breadth, stream);
  } while (++tries < FRESH_TRIES && reads_from_knows(r, reads_from_pair(&read->event, &write)));
  return (struct constraint){
      .read = read->event, .write = write, .location = read->location, .negative = rng_below(stream, 4) == 0};
}

static void leave_out(struct abstract_schedule *s, uint32_t which)
{
  s->constraint[which] = s->constraint[--s->constraints];
}

static void vary_once(const struct reads_from *r, uint64_t *stream, struct abstract_schedule *s)
{
  uint32_t which = s->constraints ? rng_below(stream, s->constraints) : 0;
  unsigned how = s->constraints ? rng_below(stream, 8) : 0;
  switch (how) {
  case 6:
    s->constraint[which].negative = !s->constraint[which].negative;
    return;
  case 7:
    leave_out(s, which);
    return;
  default:
    if (how != 5 && s->constraints < CONSTRAINTS_MOST)
      which = s->constraints++;
    s->constraint[which] = make_constraint(r, stream);
  }
}

void rff_vary(struct rff_corpus *corpus, const struct reads_from *r, uint64_t *stream, struct abstract_schedule *out)
{
  out->constraints = 0;
  if (corpus->count)
    *out = whose_turn(corpus)->schedule;
  bool twice = rng_below(stream, 4) == 0;
  for (int times = 0; times <= twice && r->reads[EVENTS_NARROW]; times++)
    vary_once(r, stream, out);
  out->pairs = 0;
}
