/* SPDX-License-Identifier: Apache-2.0
 *
 * The frontier of an exhaustive search that several workers share: what was handed out, what waits, and what is
 * explored as far as that still matters. A tree of places; a place stands for the steps from the root to it. A unit
 * (explore/unit.h) is a place with all that is below it, as large as can be: all of the search, if nobody else wants
 * something to do. Nothing is in two units, and what a worker had not handed in when it died is handed out again.
 *
 * When an exploration finds that an earlier step could have been preceded by others (a found witness), that belongs to
 * a place above. There it may begin as a branch does that is already there, explored or not: then it goes down into
 * that branch, because what sleeps there keeps the branch's own exploration from finding it. Where nothing sleeps any
 * more, at a leaf, it is contained. So a place is given out with what is below it only if nobody can find anything for
 * it: if it was given out as a leaf, or all that comes before it is finished; from then on it contains all that begins
 * as it does, and nobody else looks there. Of others only leaves are given out. All that is done by who explores, with
 * what the unit says of the places above. If others have put something there meanwhile that could make a difference,
 * the hand-in is thrown away and the unit waits again.
 *
 * What is left out for a bound stays in the tree, if it is to be tried with a larger one, and is never given out
 * before.
 *
 * Steps with data choices are an exception: a witness that goes down into the branch of one outcome is not in those of
 * the others, and that they get it too rests on the order in which a search that is not divided walks. So units of
 * programs that have such steps are given out one at a time, from left to right.
 */
#ifndef HEDDLE_SESSION_FRONTIER_H
#define HEDDLE_SESSION_FRONTIER_H

#include "estimate/scaled.h"
#include "explore/unit.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct place;

struct frontier {
  struct place *root;
  uint64_t waiting; /* leaves of the tree that nobody has */
  uint64_t taken;   /* units */
  uint64_t redone;  /* hand-ins that came too late: what they did not know of made them unusable */
  uint32_t ids;     /* places so far */
  bool abreast;     /* two units were out at one time */
  bool costs;       /* there is a bound, or a change of the program puts something off */
  uint32_t limit;   /* the bound */
  bool dropped;     /* not all that was left out for it is here */
  bool puts_off;    /* the upper half of the limit is about what a change of the program puts off (explore/unit.h) */
  bool heedless;    /* at the moment, that is given out as everything else is */
  bool failed;      /* no memory left */
  struct lessons lessons;
};

bool frontier_open(struct frontier *f);
void frontier_close(struct frontier *f);
/* Everything is to be explored again, but what was learnt is kept. */
bool frontier_reset(struct frontier *f);
/* A larger bound: what was left out for the one before waits. */
bool frontier_raise(struct frontier *f, uint32_t limit);
/* What a change puts off is kept apart at first. */
void frontier_put_off(struct frontier *f);
/* From now on it is, or is not. */
void frontier_heed(struct frontier *f, bool heeds);
/* Nothing waits, and nobody has anything: what was put off once more waits now, or all of it if there was too much to
 * keep apart. False: no memory left. */
bool frontier_take_up(struct frontier *f);
/* Takes what a hand-in says was learnt. */
void frontier_learn(struct frontier *f, const struct hand_in *in);

/* A unit that waits, written to memory of that size; NULL: none, or it does not fit. It leaves their share to so many
 * others. */
struct place *frontier_take(struct frontier *f, unsigned others, struct unit *out, uint64_t size);
/* The worker died: the unit waits again. */
void frontier_return(struct frontier *f, struct place *unit);
/* Whether the one stands to the left of the other: a search that is not divided would come there first. */
bool frontier_precedes(struct place *a, struct place *b);
enum taken_in { HAND_IN_TAKEN, HAND_IN_LATE, HAND_IN_ANEW, HAND_IN_BAD };
/* The worker handed in what it made of a unit that knew the first `known` places. Late: the unit waits again, what was
 * handed in does not count. Anew: it taught us that all must begin anew (frontier_reset). Bad: damaged, or no
 * memory. */
enum taken_in frontier_hand_in(struct frontier *f, struct place *unit, uint32_t known, const struct hand_in *in,
                               uint64_t size);

/* What costs more is left out, or put off. */
static inline uint32_t frontier_reach(const struct frontier *f)
{
  return f->heedless ? f->limit | ~COST_BOUND : f->limit;
}

/* Nothing waits, and nobody has anything; something may be put off. */
static inline bool frontier_is_idle(const struct frontier *f)
{
  return !f->waiting && !f->taken;
}

/* Nothing is left but what is beyond the bound. */
bool frontier_is_finished(const struct frontier *f);

/* The share of the tree that is explored, by what is known of it (lazy) and if every thread that could have gone on at
 * a place were to be tried there (eager). */
void frontier_share(const struct frontier *f, struct scaled *lazy, struct scaled *eager);

/* As text; taken units are written as waiting ones. False: it could not be written, or is no such text (error). */
bool frontier_write(const struct frontier *f, FILE *out);
bool frontier_read(struct frontier *f, FILE *in, char *error, size_t error_size);

#endif
