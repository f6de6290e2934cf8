/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a pinned bug shows: its patched sources are built in a folder of heddle's own, as `heddle check FILE.c`
 * builds them but without instrumentation, and run free; or with it, and under heddle, which looks for an interleaving
 * that keeps the schedule and passes.
 */
#ifndef HEDDLE_CLI_PIN_TRIAL_H
#define HEDDLE_CLI_PIN_TRIAL_H

#include "cli/find/saved_schedule.h"
#include "report/pin/pin.h"
#include <limits.h>

struct pin_trial {
  const struct saved_schedule *saved;
  const struct pin *pin;
  char *const *sources; /* of the program */
  size_t source_count;
  bool sanitized; /* what it does wrong shows only with AddressSanitizer */
  double grace;
  char folder[PATH_MAX]; /* empty: none yet */
  char error[512];       /* why it could not be built */
};

/* The folder with the patched sources. False: the error is in the trial. */
bool pin_trial_open(struct pin_trial *trial);
/* And removes all that was built. */
void pin_trial_close(struct pin_trial *trial);

struct pin_runs {
  unsigned runs, failed;
};

/* Free runs. False: the trial's error. */
bool pin_trial_run(struct pin_trial *trial, unsigned runs, struct pin_runs *out);

enum pin_verdict {
  PIN_PASSES, /* an interleaving that keeps the schedule passes, or none can keep it */
  PIN_FAILS,  /* none was found that does */
  PIN_PROVEN  /* there is none */
};

/* What heddle finds out about all interleavings that keep the schedule. */
enum pin_verdict pin_trial_search(struct pin_trial *trial);

#endif
