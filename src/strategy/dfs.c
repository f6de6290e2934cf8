/* SPDX-License-Identifier: Apache-2.0
 *
 * Every interleaving, one after the other, or those within a bound. The oracle for everything that leaves some
 * out. */
#include "explore/exhaustive.h"

static void dfs_open(void *state, const struct job *job)
{
  explorer_open(state, job->config, false);
}

const struct strategy strategy_dfs = {.name = "dfs", .open = dfs_open, EXHAUSTIVE_STRATEGY};
