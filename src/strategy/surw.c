/* SPDX-License-Identifier: Apache-2.0
 *
 * Selectively uniform random walk: every interleaving of the events that count is equally likely. Whoever has most of
 * its way before it goes next most often: a thread with r of R steps left, those of threads it will still create
 * included, has the probability r / R. How long threads are is learnt from the executions before.
 *
 * Which events count is drawn for each execution: all of them, or only those on one object. Then it is drawn whose
 * event on that object comes next, and whoever else stands before one waits; what is done elsewhere is left to chance.
 * An order of few events that matter is found so among many that do not.
 *
 * This is a policy: a wrong length makes some interleavings likelier than others, and none impossible.
 */
#include "core/rng.h"
#include "core/strategy.h"
#include "core/thread_path.h"
#include "core/world.h"

#define THREADS 64 /* whose lengths are known apart; more share them */
#define OBJECTS 64 /* likewise */
#define EVERYTHING 0
#define BUCKETS 256   /* by which objects are found */
#define ALL_ONE_IN 3  /* executions in which all events count */
#define LONGER 100    /* steps beyond twice the usual ones: then all are equally likely */
#define PATIENCE 1000 /* steps that others may wait for one that does not come */

struct lengths {
  uint32_t of[1 + OBJECTS]; /* all events, and those on each object */
};

struct surw {
  uint64_t stream;
  uint32_t counting;              /* the object that counts, or EVERYTHING */
  uint32_t slots;                 /* threads with lengths of their own */
  uint32_t objects;               /* with a place of their own */
  uint32_t waited;                /* steps since an event that counts */
  uint64_t steps, expected;       /* of this execution: so far, and in all */
  unsigned next;                  /* whose event on the object comes next; MAX_THREADS: not drawn */
  uint64_t object[1 + OBJECTS];   /* name of its address, or number, of each, from 1 on */
  uint8_t bucket[BUCKETS];        /* which object is there; 0: none */
  uint64_t path[THREADS];         /* of each slot */
  uint32_t creator[THREADS];      /* slot of who creates it */
  bool created[THREADS];          /* in this execution */
  struct lengths usual[THREADS];  /* as long as each was of late */
  struct lengths so_far[THREADS]; /* in this execution */
  unsigned known;                 /* threads of this execution whose slot is known */
  uint8_t slot[MAX_THREADS];
};

static void surw_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)job, (void)execution;
  struct surw *s = state;
  s->stream = seed;
  s->next = MAX_THREADS;
  s->waited = 0;
  s->known = 0;
  for (uint32_t i = 0; i < s->slots; i++) {
    s->created[i] = false;
    for (uint32_t k = 0; k <= s->objects; k++)
      s->so_far[i].of[k] = 0;
  }
  s->steps = s->expected = 0;
  for (uint32_t i = 0; i < s->slots; i++)
    s->expected += s->usual[i].of[EVERYTHING];
  bool all = !s->objects || rng_below(&s->stream, ALL_ONE_IN) == 0;
  s->counting = all ? EVERYTHING : 1 + rng_below(&s->stream, s->objects);
}

/* ---- what is known by number ---- */

static uint8_t slot_of_path(struct surw *s, uint64_t path, uint32_t creator)
{
  for (uint32_t i = 0; i < s->slots; i++)
    if (s->path[i] == path)
      return (uint8_t)i;
  if (s->slots == THREADS)
    return THREADS - 1;
  s->path[s->slots] = path;
  s->creator[s->slots] = creator;
  return (uint8_t)s->slots++;
}

static void meet_threads(struct surw *s, const struct choice *c)
{
  for (; s->known < c->threads; s->known++) {
    unsigned t = s->known;
    s->slot[t] = slot_of_path(s, thread_path(c->info, t), t ? s->slot[c->info[t].parent] : 0);
    s->created[s->slot[t]] = true;
  }
}

/* By names: what was learnt of an object holds in every process of the program. */
static uint32_t object_of(struct surw *s, const struct world *world, const struct operation *op)
{
  uint64_t key = op->addr ? world->name(world->self, op->addr & ~UINT64_C(7)) : op->object;
  uint8_t *bucket = &s->bucket[mix64(key) % BUCKETS];
  while (*bucket && s->object[*bucket] != key)
    bucket = bucket + 1 < s->bucket + BUCKETS ? bucket + 1 : s->bucket;
  if (*bucket || !key || s->objects == OBJECTS)
    return *bucket;
  s->object[++s->objects] = key;
  return *bucket = (uint8_t)s->objects;
}

/* ---- lengths ---- */

static uint32_t left_of(const struct surw *s, uint32_t slot, uint32_t what)
{
  uint32_t usual = s->usual[slot].of[what], done = s->so_far[slot].of[what];
  return usual > done ? usual - done : 0;
}

/* Of the thread and of those that it will create, and they in turn: slots come after their creators'. */
static void weigh(const struct surw *s, uint32_t what, uint32_t *weight)
{
  for (uint32_t i = 0; i < s->slots; i++)
    weight[i] = left_of(s, i, what);
  for (uint32_t i = s->slots; i-- > 1;)
    if (!s->created[i])
      weight[s->creator[i]] += weight[i];
}

/* One of the threads, each as likely as it is long; one that should have ended by now counts a little. */
static unsigned draw(struct surw *s, const struct threadset *threads, uint32_t what)
{
  uint32_t weight[THREADS];
  uint64_t sum = 0;
  weigh(s, what, weight);
  THREADSET_EACH(t, threads)
  {
    sum += 4 * (uint64_t)weight[s->slot[t]] + 1;
  }
  uint64_t at = (rng_next(&s->stream) >> 32) * sum >> 32;
  THREADSET_EACH(t, threads)
  {
    uint64_t own = 4 * (uint64_t)weight[s->slot[t]] + 1;
    if (at < own)
      return t;
    at -= own;
  }
  return threadset_next(threads, 0);
}

/* ---- picking ---- */

/* Those that may go on: all but who stands before an event that counts out of its turn. */
static struct threadset free_to_go(struct surw *s, const struct choice *c)
{
  struct threadset going = *c->enabled;
  THREADSET_EACH(t, c->enabled)
  {
    if (t != s->next && object_of(s, c->world, &c->thread[t].pending) == s->counting)
      threadset_remove(&going, t);
  }
  return going;
}

static unsigned pick_selectively(struct surw *s, const struct choice *c)
{
  if (s->next == MAX_THREADS || !c->thread[s->next].alive || ++s->waited > PATIENCE) {
    s->next = draw(s, c->enabled, s->counting);
    s->waited = 0;
  }
  struct threadset going = free_to_go(s, c);
  if (threadset_empty(&going)) {
    s->next = draw(s, c->enabled, s->counting);
    return s->next;
  }
  return threadset_nth(&going, rng_below(&s->stream, threadset_count(&going)));
}

static unsigned choose_thread(struct surw *s, const struct choice *c)
{
  if (++s->steps > 2 * s->expected + LONGER) /* somebody waits in a loop, and is taken to be long */
    return threadset_nth(c->enabled, rng_below(&s->stream, c->count));
  if (!c->yielded || c->count == 1 || rng_next(&s->stream) & 1)
    return s->counting == EVERYTHING ? draw(s, c->enabled, EVERYTHING) : pick_selectively(s, c);
  struct threadset others = *c->enabled;
  threadset_remove(&others, c->current);
  return draw(s, &others, EVERYTHING);
}

static unsigned surw_pick(void *state, const struct choice *c)
{
  struct surw *s = state;
  meet_threads(s, c);
  unsigned t = choose_thread(s, c);
  struct lengths *length = &s->so_far[s->slot[t]];
  uint32_t object = object_of(s, c->world, &c->thread[t].pending);
  length->of[EVERYTHING]++;
  if (object != EVERYTHING)
    length->of[object]++;
  if (object == s->counting)
    s->next = MAX_THREADS;
  return t;
}

static unsigned surw_choose(void *state, unsigned n)
{
  return rng_below(&((struct surw *)state)->stream, n);
}

/* Lengths follow what was seen, upwards sooner than down: one that is too short is worse than one that is too long. */
static bool surw_end(void *state, const struct outcome *outcome)
{
  struct surw *s = state;
  if (outcome->bug || outcome->cut)
    return true;
  for (uint32_t i = 0; i < s->slots; i++)
    for (uint32_t k = 0; k <= s->objects; k++) {
      uint32_t *usual = &s->usual[i].of[k], seen = s->so_far[i].of[k];
      *usual = seen >= *usual ? *usual + (seen - *usual + 1) / 2 : *usual - (*usual - seen) / 8;
    }
  return true;
}

const struct strategy strategy_surw = {
    .name = "surw",
    .state_size = sizeof(struct surw),
    .every_step = true,
    .begin = surw_begin,
    .pick = surw_pick,
    .choose = surw_choose,
    .end = surw_end,
};
