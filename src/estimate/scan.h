/* SPDX-License-Identifier: Apache-2.0
 *
 * Going through a recorded exploration: once to learn what only its end tells (its totals, the oracle), once to stop
 * after every branch with the estimates as they were then. Memory: one bit a node and what tree.h
 * keeps. */
#ifndef HEDDLE_ESTIMATE_SCAN_H
#define HEDDLE_ESTIMATE_SCAN_H

#include "estimate/events.h"
#include "estimate/tree.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct scan {
  FILE *in;
  const char *name; /* for errors */
  struct oracle oracle;
  uint64_t nodes, branches; /* totals, of the last scan */
  double time;
  bool complete; /* everything scheduled was visited */
  char error[EVENTS_ERROR_SIZE];
};

/* Called after each branch; false: no memory, stop. */
typedef bool scan_branch(void *context, const struct estimates *estimates);

/* The stream stays the caller's. */
void scan_init(struct scan *scan, FILE *in, const char *name);
void scan_free(struct scan *scan);

/* Fills the totals and the oracle. False: one line is in scan->error. */
bool scan_learn(struct scan *scan);

/* Fills the totals and calls `branch`. Without scan_learn() before, the oracle's estimates are the lazy ones. False:
 * one line is in scan->error. */
bool scan_replay(struct scan *scan, scan_branch *branch, void *context);

#endif
