/* SPDX-License-Identifier: Apache-2.0
 *
 * Dividing time between tests that are explored systematically: which one gets the next branch.
 *
 *     while there is time and a test is not complete: explore one branch of the test with the smallest key
 *
 * allocation_key() is all there is to a policy. The simulator replays it over recorded explorations, to see how the
 * policies compare where the truth is known.
 */
#ifndef HEDDLE_ESTIMATE_ALLOCATE_H
#define HEDDLE_ESTIMATE_ALLOCATE_H

#include "estimate/forecast.h"
#include "estimate/scaled.h"
#include "estimate/tree.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum allocation_policy {
  POLICY_ROUND_ROBIN,        /* one branch each in turns */
  POLICY_SHORTEST_REMAINING, /* completes as many tests as possible */
  POLICY_SMALLEST_COVERAGE   /* brings all tests equally far */
};

/* The key of a test: the smallest goes next, at equal keys the first. branches and elapsed: what was explored of it;
 * estimate: of its whole time, 0 for unknown, which goes before all others. Keys of one policy compare with each other;
 * they are logarithms, so they hold for estimates of any size. */
double allocation_key(enum allocation_policy policy, uint64_t branches, double elapsed, struct scaled estimate);

/* ---- the simulator ---- */

struct recorded_branch {
  double elapsed; /* of the test, at its end */
  struct scaled total[GUESS_COUNT][ESTIMATOR_COUNT];
  struct scaled forecast;
};

/* A recorded exploration that is complete. */
struct recorded_test {
  const char *name;
  struct recorded_branch *branch;
  size_t branches, room;
  double time;           /* the true length */
  struct forecast state; /* while it is read */
};

/* What the simulated policy knows. */
enum allocation_knowledge {
  KNOWS_ESTIMATES, /* of one strategy and estimator */
  KNOWS_FORECAST,
  KNOWS_TRUTH
};

struct allocation_rule {
  enum allocation_policy policy;
  enum allocation_knowledge knows;
  enum guess guess;
  enum estimator estimator;
};

/* Reads one branch into a test; the function for scan_replay(). */
bool recorded_test_add(void *test, const struct estimates *estimates);
void recorded_test_free(struct recorded_test *test);

/* Explores until the time is up or all tests are complete. explored[i]: time spent on test i. completed[k], k from 0
 * on: when so many tests and one more were complete. Both have `count` elements; of completed, as many are set as are
 * returned in `done`. False: no memory. */
bool allocation_simulate(const struct recorded_test *tests, size_t count, const struct allocation_rule *rule,
                         double budget, double *explored, double *completed, size_t *done);

/* max(realized/even, even/realized), where realized = explored/time of the test, and even = budget/time of all
 * tests. */
double coverage_error(double explored, double time, double budget, double time_of_all);

#endif
