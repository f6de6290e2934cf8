/* SPDX-License-Identifier: Apache-2.0
 *
 * Every interleaving up to equivalence, none twice: optimal dynamic partial order reduction (explore/).
 */
#include "explore/explorer.h"

static void dpor_open(void *state, const struct control *control)
{
  explorer_open(state, control, true);
}

static void dpor_begin(void *state, const struct control *control, uint64_t seed, uint64_t execution)
{
  (void)control, (void)seed, (void)execution;
  explorer_begin(state);
}

static unsigned dpor_pick(void *state, const struct choice *c)
{
  return explorer_pick(state, c);
}

static unsigned dpor_choose(void *state, unsigned n)
{
  return explorer_choose(state, n);
}

static bool dpor_end(void *state, const struct outcome *outcome)
{
  return explorer_end(state, outcome);
}

const struct strategy strategy_dpor = {
    .name = "dpor",
    .state_size = sizeof(struct explorer),
    .every_step = true,
    .exhaustive = true,
    .open = dpor_open,
    .begin = dpor_begin,
    .pick = dpor_pick,
    .choose = dpor_choose,
    .end = dpor_end,
};
