/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples whose executions are done elsewhere, in ranges of their numbers: with the results of one worker that runs
 * them all, one after the other.
 *
 * An execution is determined by the seed, its number and the memory that the executions before it found to be shared.
 * So a range is given with what is known by then, and its answer is kept until all ranges before it have come: if one
 * of these found more, the later ones were run in vain and are given again, in another epoch. That is rare but for the
 * first executions, which are given alone. A range whose worker is gone is given again.
 *
 * A strategy may carry something from one execution to the next. It begins with nothing in each range then, and where
 * ranges begin depends on nothing but their numbers: the results are the same for any number of workers, but not those
 * of one that runs them all.
 */
#ifndef HEDDLE_SESSION_SAMPLES_H
#define HEDDLE_SESSION_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct planner;
struct session;
struct worker;

struct sample_range {
  uint64_t first, end;
};

struct samples {
  uint64_t total; /* 0: no limit */
  bool fixed;     /* where ranges begin is */
  uint64_t next;  /* the first that nobody was given */
  uint64_t done;  /* all before it came, and count */
  uint64_t epoch;
  uint64_t *location; /* known to be shared */
  uint32_t locations;
  struct sample_range *open; /* before next, to be given again */
  size_t open_count;
  struct kept_range *kept; /* answered, not counted yet */
  size_t kept_count;
  double pace;      /* seconds for an execution, as the last range had it; 0: none came */
  uint64_t in_vain; /* executions of answers that did not count */
  bool over;        /* there are no more, or a bug ended it */
  bool failed;      /* no memory left */
};

extern const struct planner samples_planner; /* self is struct samples */

/* The answer of a worker is kept, and all that is complete by it counts. */
void samples_take(struct session *s, struct worker *w, double now);
/* The session is over before its end: what is kept counts though something before it is missing. */
void samples_end(struct session *s);
void samples_close(struct samples *p);

#endif
