/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks held: for each thread of a recorded run the locks it holds, in the order it took them, with the place where
 * each was taken. Mutexes, spin locks and read-write locks; a condition wait gives its mutex up and takes it again.
 * Locks may be released in any order. Of a lock taken more than once only the first taking and the last release count:
 * events flagged as nested change nothing, and those without a flag (imported traces) are counted.
 *
 * Nothing here judges: what held locks mean is the business of the analyses.
 */
#ifndef HEDDLE_PREDICT_LOCKSET_H
#define HEDDLE_PREDICT_LOCKSET_H

#include "predict/trace/intern.h"
#include "predict/trace/trace.h"

enum lock_step { LOCK_NOTHING, LOCK_TAKES, LOCK_GIVES };

/* What an event does with a lock. */
struct lock_use {
  enum lock_step step;
  uint32_t lock;
  bool shared;  /* for reading */
  bool blocks;  /* it would have waited for as long as it takes: not an attempt, no timeout */
  bool hidden;  /* the end of a condition wait */
  bool pending; /* asked for and never got */
};

struct held_lock {
  uint32_t lock;
  uint32_t site;  /* where it was taken */
  uint32_t depth; /* how often, without events flagged as nested */
  bool shared;
};

struct lockset {
  struct held_lock *held; /* outermost first */
  uint32_t count, room;
};

/* All zero: nobody holds anything. */
struct locksets {
  struct lockset *of; /* by thread */
  uint32_t threads;
  bool failed; /* no memory: what is held is not known any more */
};

struct lock_use lock_use_of(const struct event *e);

/* Follows one event. */
void locksets_event(struct locksets *s, const struct event *e);

/* Never NULL; valid until the next event. */
const struct lockset *locksets_of(const struct locksets *s, uint32_t thread);

/* The entry of a lock, or NULL. */
struct held_lock *lockset_find(const struct lockset *s, uint32_t lock);

void locksets_free(struct locksets *s);

/* Sets to keep: words in increasing order, twice the lock, plus one when it is held for reading only. The number of
 * such a set in a table; 0 when there is no memory. */
uint32_t lockset_number(struct intern *table, const struct lockset *s);

/* Whether two threads cannot hold these sets at the same time: a lock in both, not both times for reading. */
bool lockset_words_exclude(const uint32_t *a, uint32_t a_length, const uint32_t *b, uint32_t b_length);

#endif
