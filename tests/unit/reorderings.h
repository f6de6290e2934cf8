/* SPDX-License-Identifier: Apache-2.0
 *
 * An oracle for predictions: small random traces, and all their correct reorderings by brute force. A reordering runs a
 * prefix of each thread; locks, read-write locks and semaphores behave as they do, an attempt that failed must fail
 * again, and every read finds the write it found in the trace. It knows nothing of clocks or
 * ideals. */
#ifndef HEDDLE_TESTS_REORDERINGS_H
#define HEDDLE_TESTS_REORDERINGS_H

#include "core/rng.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST_EVENTS 14
#define MOST_THREADS 4
#define VARIABLES 2
#define LOCKS 3 /* the last one is a read-write lock */

enum step_kind { READ, WRITE, LOCK, UNLOCK, RDLOCK, TRY_FAILED, POST, WAIT };

struct step {
  enum step_kind kind;
  unsigned thread, object; /* variable or lock */
  int from;                /* of a read: the write it finds, -1 for none */
};

struct small_trace {
  struct step step[MOST_EVENTS];
  unsigned count, threads;
};

/* What the steps that were performed lead to. */
struct state {
  unsigned done; /* steps, a bit each */
  int last[VARIABLES];
  int writer[LOCKS]; /* thread that holds it, -1 for none */
  unsigned readers[LOCKS];
  int tokens;
};

static inline struct state first_state(void)
{
  struct state s = {0};
  memset(s.last, -1, sizeof s.last);
  memset(s.writer, -1, sizeof s.writer);
  return s;
}

static inline bool is_access(const struct step *e)
{
  return e->kind == READ || e->kind == WRITE;
}

static inline bool possible(const struct state *s, const struct step *e)
{
  unsigned l = e->object;
  switch (e->kind) {
  case READ:
    return s->last[l] == e->from;
  case LOCK:
    return s->writer[l] < 0 && !s->readers[l];
  case RDLOCK:
    return s->writer[l] < 0;
  case TRY_FAILED:
    return (s->writer[l] >= 0 && s->writer[l] != (int)e->thread) || s->readers[l] & ~(1u << e->thread);
  case WAIT:
    return s->tokens > 0;
  default:
    return true;
  }
}

static inline void perform(struct state *s, const struct small_trace *t, unsigned i)
{
  const struct step *e = &t->step[i];
  s->done |= 1u << i;
  s->tokens += (e->kind == POST) - (e->kind == WAIT);
  if (e->kind == WRITE)
    s->last[e->object] = (int)i;
  else if (e->kind == LOCK)
    s->writer[e->object] = (int)e->thread;
  else if (e->kind == RDLOCK)
    s->readers[e->object] |= 1u << e->thread;
  else if (e->kind == UNLOCK && s->writer[e->object] == (int)e->thread)
    s->writer[e->object] = -1;
  else if (e->kind == UNLOCK)
    s->readers[e->object] &= ~(1u << e->thread);
}

/* The next step of a thread, -1 at its end. */
static inline int next_of(const struct small_trace *t, unsigned done, unsigned thread)
{
  for (unsigned i = 0; i < t->count; i++)
    if (t->step[i].thread == thread && !(done >> i & 1))
      return (int)i;
  return -1;
}

/* ---- random traces ---- */

static inline bool holds_any(const struct state *s, unsigned thread)
{
  for (unsigned l = 0; l < LOCKS; l++)
    if (s->writer[l] == (int)thread || s->readers[l] >> thread & 1)
      return true;
  return false;
}

/* Accesses without a lock are rare, or nothing would be hidden. */
static inline bool random_step(const struct state *s, struct step *e, uint64_t *rng)
{
  unsigned choice = rng_below(rng, 10);
  bool holds;
  if (choice < 5 && !holds_any(s, e->thread) && rng_below(rng, 4))
    choice = 5;
  e->object = rng_below(rng, choice < 5 ? VARIABLES : LOCKS);
  holds = choice >= 5 && (s->writer[e->object] == (int)e->thread || s->readers[e->object] >> e->thread & 1);
  if (choice < 5)
    e->kind = choice < 2 ? READ : WRITE;
  else if (choice < 8)
    e->kind = holds ? UNLOCK : e->object == LOCKS - 1 && rng_below(rng, 2) ? RDLOCK : LOCK;
  else if (choice == 8)
    e->kind = rng_below(rng, 2) ? POST : WAIT;
  else
    e->kind = TRY_FAILED;
  e->from = e->kind == READ ? s->last[e->object] : -1;
  return !(holds && e->kind != UNLOCK) && possible(s, e);
}

static inline struct small_trace random_trace(uint64_t *rng)
{
  struct small_trace t = {.threads = 2 + rng_below(rng, MOST_THREADS - 1)};
  struct state s = first_state();
  unsigned length = 6 + rng_below(rng, MOST_EVENTS - 5);
  for (unsigned tries = 0; t.count < length && tries < 200; tries++) {
    struct step e = {.thread = rng_below(rng, t.threads)};
    if (!random_step(&s, &e, rng))
      continue;
    t.step[t.count] = e;
    perform(&s, &t, t.count++);
  }
  return t;
}

/* In the text form. With so many sites that no two events share one, an event's site is its number. */
static inline void write_text(const struct small_trace *t, unsigned sites, char *text, size_t size)
{
  static const char *const names[] = {"read",          "write",         "",           "",
                                      "rwlock-rdlock", "mutex-trylock", "sem-post s", "sem-wait s"};
  size_t n = (size_t)snprintf(text, size, "heddle-trace 1 text\n");
  for (unsigned i = 0; i < t->count; i++) {
    const struct step *e = &t->step[i];
    bool rw = e->object == LOCKS - 1;
    const char *name = e->kind == LOCK               ? (rw ? "rwlock-wrlock" : "mutex-lock")
                       : e->kind == UNLOCK           ? (rw ? "rwlock-unlock" : "mutex-unlock")
                       : e->kind == TRY_FAILED && rw ? "rwlock-trywrlock"
                                                     : names[e->kind];
    char object[8] = "";
    if (is_access(e))
      snprintf(object, sizeof object, "x%u", e->object);
    else if (e->kind != POST && e->kind != WAIT)
      snprintf(object, sizeof object, "L%u", e->object);
    n += (size_t)snprintf(text + n, size - n, "T%u %s %s @ %u%s\n", e->thread, name, object, i % sites + 1,
                          e->kind == TRY_FAILED ? " failed" : "");
  }
}

/* ---- reorderings ---- */

/* What is asked of all reorderings: whether a state is the one looked for, and whether a step may be taken. */
struct question {
  bool (*found)(const struct small_trace *t, unsigned done, const unsigned *asked);
  bool (*allowed)(unsigned done, unsigned step, const unsigned *asked);
  const unsigned *asked;
  uint64_t seen[4096]; /* states that led nowhere */
  unsigned seen_count;
};

static inline bool was_seen(struct question *q, const struct state *s)
{
  uint64_t key = s->done;
  for (unsigned v = 0; v < VARIABLES; v++)
    key = key << 8 | (uint8_t)s->last[v];
  for (unsigned i = 0; i < q->seen_count; i++)
    if (q->seen[i] == key)
      return true;
  if (q->seen_count < sizeof q->seen / sizeof q->seen[0])
    q->seen[q->seen_count++] = key;
  return false;
}

static inline bool search(const struct small_trace *t, const struct state *s, struct question *q)
{
  if (was_seen(q, s))
    return false;
  if (q->found(t, s->done, q->asked))
    return true;
  for (unsigned thread = 0; thread < t->threads; thread++) {
    int i = next_of(t, s->done, thread);
    if (i < 0 || !possible(s, &t->step[i]) || !q->allowed(s->done, (unsigned)i, q->asked))
      continue;
    struct state next = *s;
    perform(&next, t, (unsigned)i);
    if (search(t, &next, q))
      return true;
  }
  return false;
}

#endif
