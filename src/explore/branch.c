/* SPDX-License-Identifier: Apache-2.0
 *
 * The branch of an execution, written for the estimators: how wide the tree is at each of its nodes.
 */
#include "explore/explorer.h"

void explorer_write_branch(struct explorer *x, const struct outcome *outcome)
{
  volatile uint64_t *bytes = &outcome->job->answered[ANSWER_BRANCHES];
  struct branch_node *node = outcome->job->answer[ANSWER_BRANCHES];
  uint64_t n = x->order.events, at = *bytes / sizeof *node;
  if ((at + n + 1) * sizeof *node > ANSWER_BRANCHES_MOST)
    return;
  node[at] = (struct branch_node){.thread = BRANCH_START, .step = outcome->nanoseconds};
  for (uint32_t i = 0; i < n; i++) {
    const struct order_event *e = &x->order.event[i];
    node[at + 1 + i] = (struct branch_node){
        .thread = e->thread,
        .able = (uint16_t)x->node[i].able,
        .waiting = witness_count(x, &x->node[i].waiting),
        .step = (uint64_t)e->thread << 32 | event_outcome(&x->order, e, e->choices),
    };
  }
  *bytes = (at + n + 1) * sizeof *node;
}
