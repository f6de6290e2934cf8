/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer as a strategy: what dfs and dpor share.
 */
#ifndef HEDDLE_EXPLORE_EXHAUSTIVE_H
#define HEDDLE_EXPLORE_EXHAUSTIVE_H

#include "core/strategy.h"
#include "explore/explorer.h"

void exhaustive_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution);
unsigned exhaustive_pick(void *state, const struct choice *c);
unsigned exhaustive_choose(void *state, unsigned n);
bool exhaustive_end(void *state, const struct outcome *outcome);
void exhaustive_take(void *state, const struct world *world, const struct job *job);
void exhaustive_hand_in(void *state, const struct world *world, const struct job *job, bool only_lessons);
struct standing exhaustive_standing(const void *state);
void exhaustive_restart(void *state);

#define EXHAUSTIVE_STRATEGY                                                                                            \
  .state_size = sizeof(struct explorer), .every_step = true, .exhaustive = true, .begin = exhaustive_begin,            \
  .pick = exhaustive_pick, .choose = exhaustive_choose, .end = exhaustive_end, .take = exhaustive_take,                \
  .hand_in = exhaustive_hand_in, .standing = exhaustive_standing, .restart = exhaustive_restart

#endif
