/* SPDX-License-Identifier: Apache-2.0
 *
 * What finished nodes teach, see the header. Knows no tree.
 */
#include "estimate/growth.h"

#define FEWEST 3 /* that make a mean */

static void add(struct growth_mean *mean, double count, double value)
{
  mean->count += count;
  mean->sum += value;
}

static unsigned at_most(unsigned n, unsigned most)
{
  return n < most ? n : most;
}

/* The power of two below. */
static unsigned age_of(double explored)
{
  unsigned age = 0;
  for (; explored >= 2 && age + 1 < GROWTH_AGES; explored /= 2)
    age++;
  return age;
}

static void learn_children(struct tree_growth *g, unsigned width, unsigned children, double alone)
{
  for (unsigned c = 2; c <= children; c++) {
    add(&g->more[width][c], 1, children - c);
    add(&g->any_more, width - c, children - c);
  }
  for (unsigned age = 0; age <= age_of(alone) && alone >= 1; age++) {
    add(&g->second[width][age], 1, children - 1);
    add(&g->any_second[age], width - 1, children - 1);
  }
}

void growth_learn(struct tree_growth *g, const struct grown_node *node)
{
  unsigned width = at_most(node->width, GROWTH_WIDEST), children = at_most(node->children, width);
  if (width < 2)
    return;
  learn_children(g, width, children, node->alone);
  for (unsigned c = 1; c < children && c <= GROWTH_KEPT; c++)
    add(&g->later[c], node->upto[c] / c, (node->size - node->upto[c]) / (node->children - c));
}

static double more_of_several(const struct tree_growth *g, unsigned width, unsigned children)
{
  const struct growth_mean *seen = &g->more[width][children];
  if (seen->count >= FEWEST)
    return seen->sum / seen->count;
  return g->any_more.count > 0 ? (width - children) * g->any_more.sum / g->any_more.count : 0;
}

/* Nodes further up are older than all that was finished: then what the oldest did. */
static double more_of_one(const struct tree_growth *g, unsigned width, double explored)
{
  unsigned age = age_of(explored);
  for (unsigned a = age + 1; a-- > 0;)
    if (g->second[width][a].count > FEWEST)
      return g->second[width][a].sum / g->second[width][a].count;
  for (unsigned a = age + 1; a-- > 0;)
    if (g->any_second[a].count > FEWEST)
      return (width - 1) * g->any_second[a].sum / g->any_second[a].count;
  return 0;
}

double growth_more(const struct tree_growth *g, unsigned width, unsigned children, double explored)
{
  width = at_most(width, GROWTH_WIDEST);
  if (children >= width || !children)
    return 0;
  return children > 1 ? more_of_several(g, width, children) : more_of_one(g, width, explored);
}

double growth_later(const struct tree_growth *g, unsigned finished)
{
  const struct growth_mean *seen = &g->later[at_most(finished, GROWTH_KEPT)];
  return seen->count > FEWEST && seen->sum > 0 ? seen->sum / seen->count : 1;
}
