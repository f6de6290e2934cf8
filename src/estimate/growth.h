/* SPDX-License-Identifier: Apache-2.0
 *
 * What the finished nodes of a tree teach about those that are not: how many children a node gets in the end, and how
 * large the later ones are.
 *
 * A search with reduction finds out late which children a node has. Trees of programs are alike from level to level, so
 * nodes that were finished in the small are the best guide to those further up. Kept are, by how many children a node
 * could have:
 *
 *   with two or more scheduled, how many more came on average
 *   with one, the same by how many executions were explored below it when it still had one: a node that goes on
 *     having one while much is explored below hardly ever gets another
 *
 * and, by how many children were finished, the size of the later ones as a multiple of the mean of the earlier ones.
 * Where nothing was seen for nodes as wide, the share of what is possible that nodes of other widths got.
 *
 * Constant time for each child, constant space.
 */
#ifndef HEDDLE_ESTIMATE_GROWTH_H
#define HEDDLE_ESTIMATE_GROWTH_H

#define GROWTH_WIDEST 64 /* wider nodes count as so wide */
#define GROWTH_AGES 48   /* powers of two */
#define GROWTH_KEPT 8    /* children whose sizes are told apart */

struct growth_mean {
  double count, sum;
};

/* All zero has learnt nothing. */
struct tree_growth {
  struct growth_mean more[GROWTH_WIDEST + 1][GROWTH_WIDEST + 1]; /* children to come, by width and children there are */
  struct growth_mean any_more;                                   /* likewise, as a share of the possible ones */
  struct growth_mean second[GROWTH_WIDEST + 1][GROWTH_AGES];     /* of nodes with one child, by width and age */
  struct growth_mean any_second[GROWTH_AGES];
  struct growth_mean later[GROWTH_KEPT + 1]; /* size of the earlier children, and of the later ones */
};

/* A node that is finished. */
struct grown_node {
  unsigned width;               /* children it could have had */
  unsigned children;            /* it had, in the end */
  double alone;                 /* executions below it when the second one was scheduled; all if it has one */
  double upto[GROWTH_KEPT + 1]; /* executions below the first so many children */
  double size;                  /* executions below all of them */
};

void growth_learn(struct tree_growth *growth, const struct grown_node *node);

/* How many more children are expected of a node that has so many, after so many executions below it. */
double growth_more(const struct tree_growth *growth, unsigned width, unsigned children, double explored);

/* The mean size of children still to come, as a multiple of the mean of those that are finished. */
double growth_later(const struct tree_growth *growth, unsigned finished);

#endif
