/* SPDX-License-Identifier: Apache-2.0
 *
 * Every interleaving, one after the other, or those within a bound. The oracle for everything that leaves some out.
 */
#include "explore/explorer.h"

static void dfs_open(void *state, const struct control *control)
{
  explorer_open(state, control, false);
}

static void dfs_begin(void *state, const struct control *control, uint64_t seed, uint64_t execution)
{
  (void)control, (void)seed, (void)execution;
  explorer_begin(state);
}

static unsigned dfs_pick(void *state, const struct choice *c)
{
  return explorer_pick(state, c);
}

static unsigned dfs_choose(void *state, unsigned n)
{
  return explorer_choose(state, n);
}

static bool dfs_end(void *state, const struct outcome *outcome)
{
  return explorer_end(state, outcome);
}

const struct strategy strategy_dfs = {
    .name = "dfs",
    .state_size = sizeof(struct explorer),
    .every_step = true,
    .exhaustive = true,
    .open = dfs_open,
    .begin = dfs_begin,
    .pick = dfs_pick,
    .choose = dfs_choose,
    .end = dfs_end,
};
