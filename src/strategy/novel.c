/* SPDX-License-Identifier: Apache-2.0
 *
 * First back, then on: of the states of the program that were seen (visible_state.h), those from which not every thread
 * has gone on are kept, with the way that led there. An execution goes back to one of them, lets a thread go on that
 * has not, and then follows chance, threads that have not gone on from where it comes first. What needs many switches
 * in a row is found a few at a time: whoever samples from the beginning needs luck for all of them at once.
 *
 * Of a few states that are drawn the one with the shortest way is taken, so that the search goes into the breadth.
 *
 * Two states that look the same may not be, and the one that was met first stands for both: what only the other leads
 * to is not found then. So all is forgotten now and then, after twice as long every other time, and when there is no
 * room for more; in between, what threads saw last is part of states. When no state is left to go back to, states were
 * told apart too little, and that stays so.
 *
 * Threads are created before anybody else goes on: otherwise each state would be there once for every number of threads
 * that are not created yet. One time of four this is not so, and one in eight executions is by partial order sampling
 * alone.
 *
 * Chance is partial order sampling and plain chance in turns. Every way can be gone back: what is drawn beside threads
 * follows from a number that is kept with each step.
 */
#include "core/invariant.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "strategy/visible_state.h"

#define NODES (1u << 17)
#define SLOTS (2 * NODES)
#define WAY_MOST 4096   /* choices on a way; states that are further are not kept */
#define NEW_MOST 1024   /* states that one execution adds */
#define CANDIDATES 4    /* of which the one with the shortest way is taken */
#define FAILURES_MOST 3 /* ways that did not lead there, before a state is given up */
#define AGE 15          /* the first time lasts 2^15 executions, which is enough for most that can be found at all */
#define AGE_MOST 24
#define ALONE_ONE_IN 8 /* executions that are left to the strategy below */
#define ATTEMPTS 4     /* for each number that can be drawn, on the average */
#define BASE_STATE 4096

/* A state from which several threads could go on. Numbers of nodes are from 1 on. */
struct node {
  uint64_t state;
  uint64_t open;   /* threads that have not gone on from here, by number modulo 64 */
  uint32_t parent; /* 0: it is where executions begin */
  uint32_t draw;   /* what was drawn on the step from there */
  uint32_t listed; /* its place among those that are open, from 1 on; 0: it is not */
  uint16_t depth;
  uint8_t thread; /* that went on from there */
  uint8_t failures;
};

struct novel {
  uint64_t stream;
  unsigned times;  /* all was forgotten */
  uint64_t age;    /* executions since */
  unsigned needed; /* looks of threads that must be part of states, */
  unsigned looks;  /* and that are */
  uint32_t nodes, opened;
  uint32_t slot[SLOTS]; /* nodes by state */
  uint32_t list[NODES]; /* those that are open */
  struct node node[NODES];

  /* This execution: */
  uint32_t way[WAY_MOST]; /* nodes, the target first */
  uint32_t left;          /* of them */
  uint32_t target;        /* 0: there is none, or the execution has been there */
  uint32_t at;            /* the last node; 0: not known */
  bool begun;             /* a node was met */
  bool plain;             /* chance is plain */
  bool alone;             /* the strategy below decides all */
  unsigned thread;        /* that went on from there */
  uint32_t draw;
  uint32_t added;
  uint64_t drawing; /* the stream of what is drawn beside threads */
  struct visible_state seen;
  _Alignas(16) unsigned char base[BASE_STATE];
};

static const struct strategy *base(void)
{
  return strategy_table[STRATEGY_pos];
}

static void novel_open(void *state, const struct job *job)
{
  (void)state, (void)job;
  invariant(base()->state_size <= BASE_STATE, "the strategy below novel needs more memory than there is");
}

/* ---- states ---- */

static void forget(struct novel *v)
{
  for (uint32_t i = 0; i < SLOTS; i++)
    v->slot[i] = 0;
  v->nodes = v->opened = 0;
  v->age = 0;
  v->times++;
  v->looks = v->needed + v->times % 2 < VISIBLE_LOOKS ? v->needed + v->times % 2 : VISIBLE_LOOKS;
}

/* As a power of two. */
static unsigned lasts(const struct novel *v)
{
  return AGE + v->times / 2 < AGE_MOST ? AGE + v->times / 2 : AGE_MOST;
}

static void unlist(struct novel *v, struct node *n)
{
  if (!n->listed)
    return;
  uint32_t last = v->list[--v->opened];
  v->list[n->listed - 1] = last;
  v->node[last - 1].listed = n->listed;
  n->listed = 0;
}

static uint32_t *slot_of(struct novel *v, uint64_t state)
{
  uint32_t i = state >> 8 & (SLOTS - 1);
  while (v->slot[i] && v->node[v->slot[i] - 1].state != state)
    i = (i + 1) & (SLOTS - 1);
  return &v->slot[i];
}

static uint64_t fold(const struct threadset *threads)
{
  uint64_t all = 0;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    all |= threads->word[i];
  return all;
}

static bool has_room(const struct novel *v)
{
  bool linked = v->at || !v->begun;
  return linked && v->nodes < NODES && v->added < NEW_MOST && (!v->at || v->node[v->at - 1].depth < WAY_MOST - 1);
}

/* The node of the state; 0: it is new, and there is no room for it. */
static uint32_t meet(struct novel *v, uint64_t state, const struct threadset *enabled)
{
  uint32_t *slot = slot_of(v, state);
  if (*slot || !has_room(v))
    return *slot;
  uint32_t number = *slot = ++v->nodes;
  v->added++;
  v->list[v->opened++] = number;
  v->node[number - 1] = (struct node){.state = state,
                                      .open = fold(enabled),
                                      .parent = v->at,
                                      .draw = v->draw,
                                      .listed = v->opened,
                                      .depth = v->at ? (uint16_t)(v->node[v->at - 1].depth + 1) : 0,
                                      .thread = (uint8_t)v->thread};
  return number;
}

/* ---- an execution ---- */

static uint32_t choose_target(struct novel *v)
{
  uint32_t best = 0;
  for (unsigned i = 0; i < CANDIDATES && v->opened; i++) {
    uint32_t drawn = v->list[rng_below(&v->stream, v->opened)];
    if (!best || v->node[drawn - 1].depth < v->node[best - 1].depth)
      best = drawn;
  }
  return best;
}

static void novel_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  struct novel *v = state;
  v->stream = seed;
  bool exhausted = v->nodes && !v->opened;
  if (exhausted && v->looks < VISIBLE_LOOKS)
    v->needed = v->looks + 1;
  if (exhausted || v->nodes == NODES || v->age >> lasts(v))
    forget(v);
  v->age++;
  v->alone = rng_below(&v->stream, ALONE_ONE_IN) == 0;
  v->target = v->alone ? 0 : choose_target(v);
  v->left = 0;
  for (uint32_t n = v->target; n; n = v->node[n - 1].parent)
    v->way[v->left++] = n;
  v->plain = rng_next(&v->stream) & 1;
  v->at = v->added = 0;
  v->thread = 0;
  v->begun = false;
  v->draw = v->left ? v->node[v->way[v->left - 1] - 1].draw : (uint32_t)rng_next(&v->stream);
  v->drawing = v->draw;
  visible_state_begin(&v->seen);
  base()->begin(v->base, job, seed, execution);
}

/* The way leads elsewhere. */
static void lose_way(struct novel *v)
{
  struct node *target = &v->node[v->target - 1];
  if (++target->failures >= FAILURES_MOST)
    unlist(v, target);
  v->left = v->target = 0;
}

/* Who went on from here on the way; MAX_THREADS: the execution is not on one, or at its end. */
static unsigned on_the_way(struct novel *v, const struct choice *c)
{
  if (!v->left)
    return MAX_THREADS;
  bool expected = v->way[--v->left] == v->at;
  if (expected && !v->left) {
    v->target = 0;
    return MAX_THREADS;
  }
  unsigned next = expected ? v->node[v->way[v->left - 1] - 1].thread : MAX_THREADS;
  if (next < MAX_THREADS && threadset_has(c->enabled, next)) {
    v->draw = v->node[v->way[v->left - 1] - 1].draw;
    return next;
  }
  lose_way(v);
  return MAX_THREADS;
}

/* Of those that have not gone on from here, if there are any. */
static unsigned by_chance(struct novel *v, const struct choice *c)
{
  struct threadset open = {0};
  uint64_t left = v->at ? v->node[v->at - 1].open : 0;
  THREADSET_EACH(t, c->enabled)
  {
    if (left >> (t & 63) & 1)
      threadset_add(&open, t);
  }
  struct choice asked = *c;
  if (!threadset_empty(&open)) {
    asked.enabled = &open;
    asked.count = threadset_count(&open);
  }
  v->draw = (uint32_t)rng_next(&v->stream);
  return v->plain ? threadset_nth(asked.enabled, rng_below(&v->stream, asked.count)) : base()->pick(v->base, &asked);
}

static void go_on_from(struct novel *v, unsigned t)
{
  v->thread = t;
  v->drawing = v->draw;
  if (!v->at)
    return;
  struct node *n = &v->node[v->at - 1];
  n->open &= ~(UINT64_C(1) << (t & 63));
  if (!n->open)
    unlist(v, n);
}

/* Who goes on without anybody being asked; MAX_THREADS: nobody. */
static unsigned goes_first(const struct novel *v, const struct choice *c)
{
  if (c->count == 1)
    return threadset_next(c->enabled, 0);
  bool creates = v->times % 4 != 3 && threadset_has(c->enabled, c->current) && !c->yielded &&
                 c->thread[c->current].pending.kind == OP_CREATE;
  return creates ? c->current : MAX_THREADS;
}

static unsigned decide(struct novel *v, const struct choice *c, uint64_t state)
{
  v->at = meet(v, state, c->enabled);
  v->begun = true;
  unsigned t = on_the_way(v, c);
  if (t == MAX_THREADS)
    t = by_chance(v, c);
  go_on_from(v, t);
  return t;
}

static unsigned novel_pick(void *state, const struct choice *c)
{
  struct novel *v = state;
  if (v->alone)
    return c->count == 1 ? threadset_next(c->enabled, 0) : base()->pick(v->base, c);
  uint64_t number = visible_state_settle(&v->seen, c, v->looks);
  unsigned t = goes_first(v, c);
  if (t == MAX_THREADS)
    t = decide(v, c, number);
  visible_state_step(&v->seen, c, t);
  return t;
}

/* The step leads elsewhere with another number: it is worth some attempts for each. */
static void reopen(struct novel *v, unsigned n)
{
  if (!v->at || v->left || rng_below(&v->stream, ATTEMPTS * n) == 0)
    return;
  struct node *node = &v->node[v->at - 1];
  node->open |= UINT64_C(1) << (v->thread & 63);
  if (node->listed)
    return;
  v->list[v->opened++] = v->at;
  node->listed = v->opened;
}

static unsigned novel_choose(void *state, unsigned n)
{
  struct novel *v = state;
  reopen(v, n);
  unsigned number = rng_below(&v->drawing, n);
  visible_state_draw(&v->seen, number);
  return number;
}

static bool novel_end(void *state, const struct outcome *outcome)
{
  (void)outcome;
  struct novel *v = state;
  if (v->target)
    lose_way(v);
  return true;
}

const struct strategy strategy_novel = {
    .name = "novel",
    .state_size = sizeof(struct novel),
    .every_step = true,
    .open = novel_open,
    .begin = novel_begin,
    .pick = novel_pick,
    .choose = novel_choose,
    .end = novel_end,
};
