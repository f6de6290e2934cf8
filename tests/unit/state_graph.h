/* SPDX-License-Identifier: Apache-2.0
 *
 * All that an ordered program (ordered_program.h) can come to: a search through its states, and where it can end. That
 * is where nobody can go on, or where those who can only go round: states that nothing leads out of. Of each such set
 * the least state is its end; ends that differ only in what happened when are one.
 */
#ifndef HEDDLE_TESTS_STATE_GRAPH_H
#define HEDDLE_TESTS_STATE_GRAPH_H

#include "ordered_program.h"

enum { GRAPH_NODES = 1 << 14, GRAPH_EDGES = THREADS + ORDERINGS, GRAPH_ENDS = 4096 };

struct graph_node {
  struct moment moment;
  uint32_t next[GRAPH_EDGES], edges;
  uint32_t index, low; /* as Tarjan has them, from 1 */
  bool on_stack;
  uint32_t end; /* + 1, 0: something leads out of there */
};

static struct {
  const struct ordered_program *g;
  uint32_t nodes, ends, indices, stacked;
  struct graph_node node[GRAPH_NODES];
  struct toy_state end[GRAPH_ENDS];
  uint32_t slot[2 * GRAPH_NODES], stack[GRAPH_NODES];
} graph;

/* + 1; 0: it is new, and *slot is its place. */
static inline uint32_t graph_find(const struct moment *m, uint32_t **slot)
{
  uint64_t h = 0;
  for (size_t i = 0; i < sizeof *m; i++)
    h = mix64(h ^ ((const unsigned char *)m)[i]);
  uint32_t at = h % (2 * GRAPH_NODES);
  while (graph.slot[at] && memcmp(&graph.node[graph.slot[at] - 1].moment, m, sizeof *m) != 0)
    at = (at + 1) % (2 * GRAPH_NODES);
  *slot = &graph.slot[at];
  return graph.slot[at];
}

/* False: there are too many. */
static inline bool graph_add(const struct moment *m, uint32_t *out)
{
  uint32_t *slot, known = graph_find(m, &slot);
  if (!known && graph.nodes == GRAPH_NODES)
    return false;
  if (!known) {
    graph.node[graph.nodes] = (struct graph_node){.moment = *m};
    known = *slot = ++graph.nodes;
  }
  *out = known - 1;
  return true;
}

static inline bool graph_expand(uint32_t at)
{
  struct moment m = graph.node[at].moment, next;
  for (int t = 0; t < graph.g->program.threads; t++)
    for (int i = 0, n = outcomes(graph.g, &m, t); i < n; i++) {
      struct graph_node *node = &graph.node[at];
      if (step_of(graph.g, &m, t, i, &next) == STEPPED && !graph_add(&next, &node->next[node->edges++]))
        return false;
    }
  return true;
}

static inline uint32_t graph_end(const struct toy_state *s)
{
  uint32_t i = 0;
  while (i < graph.ends && memcmp(&graph.end[i], s, sizeof *s) != 0)
    i++;
  if (i == graph.ends && i < GRAPH_ENDS)
    graph.end[graph.ends++] = *s;
  return i + 1;
}

/* The component on top of the stack, down to its root. */
static inline void graph_close(uint32_t root)
{
  uint32_t first = graph.stacked;
  while (graph.stack[--first] != root)
    ;
  bool leads_out = false;
  const struct toy_state *least = &graph.node[root].moment.state;
  for (uint32_t i = first; i < graph.stacked; i++) {
    const struct graph_node *n = &graph.node[graph.stack[i]];
    least = memcmp(&n->moment.state, least, sizeof *least) < 0 ? &n->moment.state : least;
    for (uint32_t e = 0; e < n->edges; e++)
      leads_out |= !graph.node[n->next[e]].on_stack || graph.node[n->next[e]].index < graph.node[root].index;
  }
  uint32_t end = leads_out ? 0 : graph_end(least);
  for (; graph.stacked > first; graph.stacked--) {
    graph.node[graph.stack[graph.stacked - 1]].on_stack = false;
    graph.node[graph.stack[graph.stacked - 1]].end = end;
  }
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the program has states */
static inline void graph_visit(uint32_t at)
{
  struct graph_node *n = &graph.node[at];
  n->index = n->low = ++graph.indices;
  n->on_stack = true;
  graph.stack[graph.stacked++] = at;
  for (uint32_t e = 0; e < n->edges; e++) {
    const struct graph_node *to = &graph.node[n->next[e]];
    if (!to->index)
      graph_visit(n->next[e]);
    if (to->on_stack && to->low < n->low)
      n->low = to->low;
  }
  if (n->low == n->index)
    graph_close(at);
}

/* False: too large. */
static inline bool graph_build(const struct ordered_program *g)
{
  struct moment start = moment_of_start(g);
  uint32_t first;
  graph.g = g;
  graph.nodes = graph.ends = graph.indices = graph.stacked = 0;
  memset(graph.slot, 0, sizeof graph.slot);
  graph_add(&start, &first);
  for (uint32_t i = 0; i < graph.nodes; i++)
    if (!graph_expand(i))
      return false;
  graph_visit(first);
  return graph.ends < GRAPH_ENDS;
}

/* Somebody is held where the program ends. */
static inline bool graph_holds_somebody(void)
{
  struct moment next;
  for (uint32_t i = 0; i < graph.nodes; i++)
    for (int t = 0; t < graph.g->program.threads && graph.node[i].end; t++)
      if (step_of(graph.g, &graph.node[i].moment, t, 0, &next) == HELD)
        return true;
  return false;
}

#endif
