/* SPDX-License-Identifier: Apache-2.0
 *
 * Trials: beginnings of a failing schedule, each to be followed exactly and then continued with as few context switches
 * as possible; and what came of it. They are a part of a job (job.h) for the strategy localise, which gives them back
 * with the verdicts.
 */
#ifndef HEDDLE_CORE_TRIALS_H
#define HEDDLE_CORE_TRIALS_H

#include <stdint.h>

#define TRIALS_MOST 65536u
#define TRIAL_ANY UINT32_MAX /* as the thread that goes first: a random one */

/*  X(constant, name in files) */
#define HD_VERDICTS(X)                                                                                                 \
  X(NONE, "not run")                                                                                                   \
  X(PASSES, "passes")                                                                                                  \
  X(FAILS, "fails")           /* with the bug that is looked into */                                                   \
  X(FAILS_OTHERWISE, "other") /* with another one */                                                                   \
  X(CUT, "cut")               /* ended by heddle: it proves nothing */                                                 \
  X(DIVERGED, "diverged")     /* the beginning could not be followed: likewise */

enum trial_verdict {
#define X(id, name) TRIAL_##id,
  HD_VERDICTS(X)
#undef X
      TRIAL_VERDICTS
};

extern const char *const trial_verdict_name[TRIAL_VERDICTS];

struct trial {
  uint32_t segments; /* of the schedule that are followed */
  uint32_t first;    /* thread of the schedule that goes on then, as soon as it can; or TRIAL_ANY */
  uint64_t end[2];   /* where the last but one and the last of these segments end instead, 0: as recorded */
  uint32_t verdict;  /* enum trial_verdict */
  uint32_t label;    /* the command line's: which switch it is about */
};

struct trials {
  uint32_t count;
  uint32_t done; /* that were run, from the first on */
  uint32_t all;  /* go on after one that passes */
  struct trial trial[TRIALS_MOST];
};

#endif
