/* SPDX-License-Identifier: Apache-2.0
 *
 * Every interleaving up to equivalence, none twice: optimal dynamic partial order reduction
 * (explore/). */
#include "explore/exhaustive.h"

static void dpor_open(void *state, const struct job *job)
{
  explorer_open(state, job->config, true);
}

const struct strategy strategy_dpor = {.name = "dpor", .open = dpor_open, EXHAUSTIVE_STRATEGY};
