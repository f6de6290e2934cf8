/* SPDX-License-Identifier: Apache-2.0
 *
 * What was changed, and what that means for who goes next: change-aware prioritisation of preemptions. A map says of
 * places in the code, and of global variables, what they have to do with a change of the program. A heuristic says from
 * that which of the threads that could go on are to be tried now, and which are put off. Nothing is ever left out for
 * it: what is put off comes later.
 *
 * A heuristic is a way to match a thread's next step with the change, and a mode. The step matches if the place that it
 * is taken from lies in a changed unit, function or line, or if one of the calls that led there does (on stack), or if
 * it is on a field that the change is about. By mode all, threads are preempted only where all of them match, and the
 * others are brought there first; by mode some, wherever one does. Both speak only where a preemption is possible. */
#ifndef HEDDLE_CORE_CHANGED_H
#define HEDDLE_CORE_CHANGED_H

#include "core/job.h"
#include "core/threadset.h"
#include <stdbool.h>
#include <stdint.h>

struct choice;

/* What a place has to do with the change: a set of these. ON_STACK: it stands for its calls too, those that were
 * inlined included.   X(constant, letters, on stack) */
#define HD_CHANGED_MATCHES(X)                                                                                          \
  X(UNIT, C, 0)                                                                                                        \
  X(UNIT_ON_STACK, CO, 1)                                                                                              \
  X(FUNCTION, M, 0)                                                                                                    \
  X(FUNCTION_ON_STACK, MO, 1)                                                                                          \
  X(LINE, L, 0)                                                                                                        \
  X(LINE_ON_STACK, LO, 1)                                                                                              \
  X(FIELD, F, 0)

enum changed_match {
#define X(id, letters, on_stack) MATCH_##id,
  HD_CHANGED_MATCHES(X)
#undef X
      MATCH_COUNT
};
#define CHANGED_BIT(match) (1u << (match))

/* The heuristics, by the names they were published with. */
enum heuristic {
  HEURISTIC_BASIC,
#define X(id, letters, on_stack) HEURISTIC_##letters##A, HEURISTIC_##letters##S,
  HD_CHANGED_MATCHES(X)
#undef X
      HEURISTIC_COUNT
};

/* What --changed does by itself: chosen by the table of bench/capp. */
#define HEURISTIC_DEFAULT HEURISTIC_MA

/* Addresses by name (address_name.h), from the first up to the second. */
struct changed_range {
  uint64_t from, to;
  uint64_t bits; /* a set of CHANGED_BIT */
};

#define CHANGED_RANGES ((JOB_CHANGED_MOST - sizeof(uint64_t)) / sizeof(struct changed_range))

/* A part of a job; ordered, no two overlap. */
struct changed_map {
  uint64_t count;
  struct changed_range range[];
};

static inline uint64_t changed_map_bytes(const struct changed_map *map)
{
  return sizeof *map + map->count * sizeof map->range[0];
}

const char *heuristic_name(enum heuristic heuristic);

/* For the time of an execution. */
struct changed {
  const struct changed_map *map; /* NULL: nothing is known of a change, or nobody asks */
  enum heuristic heuristic;
};

struct changed changed_of(const struct job *job);

/* Whether the calls that led threads where they are must be known. */
bool heuristic_asks_for_calls(enum heuristic heuristic);

/* What the name of an address has to do with the change. */
uint64_t changed_bits(const struct changed_map *map, uint64_t name);

/* Whether the next step of the thread matches. */
bool changed_matches(const struct changed *changed, const struct choice *c, unsigned thread);

/* Who of those that could go on is to be tried now: at least one. running: the thread that would be preempted if
 * another one went on; it is one of them. */
struct threadset changed_keeps(const struct changed *changed, const struct choice *c, const struct threadset *able,
                               unsigned running);

/* ---- executions that are drawn ---- */

/* How an execution that is drawn attends to the change: at most steps it draws among those who are to be tried now. All
 * zero: it does not. */
struct leaning {
  struct changed changed;
  uint64_t stream;
  unsigned running;
  uint64_t run; /* steps that it took in a row */
};

void leaning_begin(struct leaning *l, const struct job *job, uint64_t seed, uint64_t execution);
/* Of those who could go on, who may be drawn. */
struct threadset leaning_narrows(struct leaning *l, const struct choice *c);

#endif
