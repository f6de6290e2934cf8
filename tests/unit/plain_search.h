/* SPDX-License-Identifier: Apache-2.0
 *
 * The plain search through the states of a trace program, breadth first with a set of those seen: what the model's
 * search is compared with. It shares nothing with it but the program.
 */
#ifndef HEDDLE_TESTS_PLAIN_SEARCH_H
#define HEDDLE_TESTS_PLAIN_SEARCH_H

#include "core/rng.h"
#include "predict/program/trace_program.h"
#include <stdlib.h>
#include <string.h>

enum { PLAIN_THREADS = 16, PLAIN_OBJECTS = 24, PLAIN_VARIABLES = 8, PLAIN_GROUPS = 64, PLAIN_STATES = 1 << 18 };

enum plain_status { NOT_BORN, GOES, SLEEPS, RETAKES, MEETS, OVER };

struct plain_state {
  uint8_t at[PLAIN_THREADS], status[PLAIN_THREADS];
  uint8_t owner[PLAIN_OBJECTS], readers[PLAIN_OBJECTS], units[PLAIN_OBJECTS], here[PLAIN_OBJECTS];
  int8_t value[PLAIN_VARIABLES];
};

struct plain_group {
  uint64_t key;
  unsigned depth;
};

struct plain {
  const struct trace_program *p;
  struct plain_state *seen; /* in the order they were found */
  unsigned *depth;
  int32_t *slot;
  unsigned states, deadlocks;
  struct plain_group group[PLAIN_GROUPS];
  unsigned groups;
  bool full;
};

static inline void plain_add(struct plain *s, const struct plain_state *state, unsigned depth)
{
  uint64_t h = 0;
  for (size_t i = 0; i < sizeof *state; i++)
    h = mix64(h ^ ((const uint8_t *)state)[i]);
  unsigned at = h & (2 * PLAIN_STATES - 1);
  while (s->slot[at] && memcmp(&s->seen[s->slot[at] - 1], state, sizeof *state) != 0)
    at = (at + 1) & (2 * PLAIN_STATES - 1);
  if (s->slot[at])
    return;
  if (s->states == PLAIN_STATES) {
    s->full = true;
    return;
  }
  s->seen[s->states] = *state;
  s->depth[s->states] = depth;
  s->slot[at] = (int32_t)++s->states;
}

static inline void plain_go_to(const struct plain *s, struct plain_state *state, unsigned t, uint32_t line)
{
  const struct body *body = &s->p->body[t];
  while (line < body->count && body->line[line].kind == LINE_END)
    line = body->line[line].flags & LINE_LOOPS ? body->line[line].jump : line + 1;
  state->at[t] = (uint8_t)line;
  state->status[t] = line < body->count ? GOES : OVER;
}

static inline bool plain_free(const struct plain_state *state, uint32_t lock, bool shared)
{
  return !lock || (!state->owner[lock] && (shared || !state->readers[lock]));
}

static inline void plain_meet(const struct plain *s, struct plain_state *next, unsigned t, uint32_t barrier)
{
  next->status[t] = MEETS;
  if (++next->here[barrier] < s->p->units[barrier])
    return;
  next->here[barrier] = 0;
  for (unsigned u = 1; u < s->p->threads; u++)
    if (next->status[u] == MEETS && s->p->body[u].line[next->at[u]].object == barrier)
      plain_go_to(s, next, u, next->at[u] + 1u);
}

static inline void plain_signal(struct plain *s, struct plain_state next, unsigned t, uint32_t cv, unsigned depth)
{
  bool any = false;
  plain_go_to(s, &next, t, next.at[t] + 1u);
  for (unsigned u = 1; u < s->p->threads; u++)
    if (next.status[u] == SLEEPS && s->p->body[u].line[next.at[u]].object == cv) {
      struct plain_state one = next;
      one.status[u] = RETAKES;
      plain_add(s, &one, depth);
      any = true;
    }
  if (!any)
    plain_add(s, &next, depth);
}

static inline bool plain_holds(const struct plain *s, const struct plain_state *state, uint32_t predicate)
{
  int64_t value[PLAIN_VARIABLES];
  for (unsigned i = 0; i < PLAIN_VARIABLES; i++)
    value[i] = state->value[i];
  return program_holds(s->p, predicate, value);
}

/* The successors by a step of a running thread; false: it cannot take one. */
static inline bool plain_line(struct plain *s, const struct plain_state *state, unsigned t, unsigned depth)
{
  const struct program_line *line = &s->p->body[t].line[state->at[t]];
  struct plain_state next = *state;
  uint32_t go = state->at[t] + 1u, o = line->object;
  switch (line->kind) {
  case LINE_ACQ:
  case LINE_SHARE:
    if (plain_free(state, o, line->kind == LINE_SHARE)) {
      if (line->kind == LINE_SHARE)
        next.readers[o]++;
      else
        next.owner[o] = (uint8_t)t;
    } else if (line->flags & LINE_TRIES) {
      go = line->jump;
    } else {
      return false;
    }
    break;
  case LINE_REL:
    if (line->flags & LINE_READER)
      next.readers[o]--;
    else if (next.owner[o] == t)
      next.owner[o] = 0;
    break;
  case LINE_WAIT:
  case LINE_TWAIT:
    next.status[t] = SLEEPS;
    if (line->second && next.owner[line->second] == t)
      next.owner[line->second] = 0;
    plain_add(s, &next, depth);
    return true;
  case LINE_SIG:
    plain_signal(s, next, t, o, depth);
    return true;
  case LINE_BCAST:
    for (unsigned u = 1; u < s->p->threads; u++)
      if (next.status[u] == SLEEPS && s->p->body[u].line[next.at[u]].object == o)
        next.status[u] = RETAKES;
    break;
  case LINE_START:
    plain_go_to(s, &next, o, 0);
    break;
  case LINE_JOIN:
    if (state->status[o] != OVER)
      return false;
    break;
  case LINE_DOWN:
    if (!state->units[o] && !(line->flags & LINE_TRIES))
      return false;
    next.units[o] -= next.units[o] > 0;
    break;
  case LINE_UP:
    next.units[o]++;
    break;
  case LINE_MEET:
    plain_meet(s, &next, t, o);
    plain_add(s, &next, depth);
    return true;
  case LINE_SET:
    next.value[o] = (int8_t)line->value;
    break;
  case LINE_ADD:
    next.value[o] = (int8_t)(next.value[o] + line->value);
    break;
  case LINE_IF:
    go = plain_holds(s, state, o) ? go : line->jump;
    break;
  default:
    break;
  }
  plain_go_to(s, &next, t, go);
  plain_add(s, &next, depth);
  return true;
}

static inline bool plain_step(struct plain *s, const struct plain_state *state, unsigned t, unsigned depth)
{
  const struct program_line *line = &s->p->body[t].line[state->at[t]];
  bool timed = state->status[t] == SLEEPS && line->kind == LINE_TWAIT;
  if (state->status[t] == GOES)
    return plain_line(s, state, t, depth);
  if ((state->status[t] != RETAKES && !timed) || !plain_free(state, line->second, false))
    return false;
  struct plain_state next = *state;
  if (line->second)
    next.owner[line->second] = (uint8_t)t;
  plain_go_to(s, &next, t, state->at[t] + 1u);
  plain_add(s, &next, depth);
  return true;
}

/* A number for a statement that blocks; equal ones count once in a group's key. */
static inline uint64_t plain_statement(unsigned op, uint32_t site, uint32_t object)
{
  return mix64(mix64((uint64_t)op << 32 | site) + (site ? 0 : object + 1));
}

static inline void plain_deadlock(struct plain *s, const struct plain_state *state, unsigned depth)
{
  uint64_t part[PLAIN_THREADS], key = 0;
  unsigned parts = 0;
  for (unsigned t = 1; t < s->p->threads; t++) {
    if (state->status[t] == NOT_BORN || state->status[t] == OVER)
      continue;
    const struct program_line *line = &s->p->body[t].line[state->at[t]];
    bool retakes = state->status[t] == RETAKES || (state->status[t] == SLEEPS && line->kind == LINE_TWAIT);
    uint64_t number = plain_statement(retakes ? OP_COND_WAKE : line->op, line->site, line->object);
    unsigned i = 0;
    while (i < parts && part[i] != number)
      i++;
    if (i < parts)
      continue;
    part[parts++] = number;
    key += number;
  }
  if (!parts)
    return;
  s->deadlocks++;
  for (unsigned i = 0; i < s->groups; i++)
    if (s->group[i].key == key)
      return; /* breadth first: that one was no longer */
  if (s->groups < PLAIN_GROUPS)
    s->group[s->groups++] = (struct plain_group){key, depth};
}

static inline struct plain plain_search(const struct trace_program *p)
{
  static struct plain_state seen[PLAIN_STATES];
  static unsigned depth[PLAIN_STATES];
  static int32_t slot[2 * PLAIN_STATES];
  struct plain s = {.p = p, .seen = seen, .depth = depth, .slot = slot};
  memset(slot, 0, sizeof slot);
  if (p->threads > PLAIN_THREADS || p->objects > PLAIN_OBJECTS || p->variables > PLAIN_VARIABLES)
    abort();
  struct plain_state start;
  memset(&start, 0, sizeof start);
  for (unsigned t = 1; t < p->threads; t++)
    if (!p->body[t].started)
      plain_go_to(&s, &start, t, 0);
  for (unsigned i = 0; i < p->objects; i++)
    start.units[i] = (uint8_t)p->units[i];
  for (unsigned i = 1; i < p->variables; i++)
    start.value[i] = (int8_t)p->variable[i].starts;
  plain_add(&s, &start, 0);
  for (unsigned i = 0; i < s.states; i++) {
    struct plain_state state = s.seen[i];
    bool moved = false;
    for (unsigned t = 1; t < p->threads; t++)
      if (state.status[t] != NOT_BORN && state.status[t] != OVER)
        moved |= plain_step(&s, &state, t, s.depth[i] + 1);
    if (!moved)
      plain_deadlock(&s, &state, s.depth[i]);
  }
  return s;
}

#endif
