/* SPDX-License-Identifier: Apache-2.0
 *
 * One minimisation: what is known of the test and of its failure, and what is left of it. Filled in by minimise.c, and by
 * minimise_free.c for the ways of comparison.
 */
#ifndef HEDDLE_CLI_MINIMISE_H
#define HEDDLE_CLI_MINIMISE_H

#include "cli/options.h"
#include "cli/stress_calls.h"
#include "cli/supervisor.h"
#include "core/subset.h"
#include "report/minimised.h"

struct minimisation {
  const struct options *options;
  const struct target *target;
  struct stress_calls calls; /* of the whole test */
  double started, until;
  struct subset kept; /* that fails */
  struct minimised report;
  char message[384], where[256]; /* of the failure */
};

/* With free runs; into kept and report. False: an error was printed. */
bool minimise_free(struct minimisation *m);

#endif
