/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentQuadTree: a full leaf is replaced by an inner node with four leaves, under the lock of the leaf. An insert that
 * had already descended to the leaf waits for that lock and then adds its point to a leaf that is no longer in the tree.
 */
#include "harness.h"

#define ROOM 2u
#define SIDE 64u

struct tree {
  pthread_mutex_t lock;
  unsigned x, y, side;             /* the square */
  _Atomic(struct tree *) child[4]; /* of an inner node */
  atomic_bool replaced;
  unsigned count, point[ROOM][2]; /* of a leaf */
};

static _Atomic(struct tree *) root;
static atomic_uint inserted;

static struct tree *new_leaf(unsigned x, unsigned y, unsigned side)
{
  struct tree *leaf = take_block(sizeof *leaf);
  pthread_mutex_init(&leaf->lock, NULL);
  leaf->x = x, leaf->y = y, leaf->side = side;
  return leaf;
}

static void make(void)
{
  root = new_leaf(0, 0, SIDE);
}

static unsigned quarter(const struct tree *t, unsigned x, unsigned y)
{
  return (x >= t->x + t->side / 2) + 2 * (y >= t->y + t->side / 2);
}

static void add_point(struct tree *leaf, unsigned x, unsigned y)
{
  leaf->point[leaf->count][0] = x;
  leaf->point[leaf->count++][1] = y;
}

/* An inner node with the points of the full leaf. */
static struct tree *split(const struct tree *leaf)
{
  struct tree *inner = new_leaf(leaf->x, leaf->y, leaf->side);
  unsigned half = leaf->side / 2;
  for (unsigned i = 0; i < 4; i++)
    inner->child[i] = new_leaf(leaf->x + i % 2 * half, leaf->y + i / 2 * half, half);
  for (unsigned i = 0; i < leaf->count; i++)
    add_point(inner->child[quarter(leaf, leaf->point[i][0], leaf->point[i][1])], leaf->point[i][0],
              leaf->point[i][1]);
  return inner;
}

static void insert(unsigned x, unsigned y)
{
  _Atomic(struct tree *) *place = &root;
  for (;;) {
    struct tree *t = *place;
    if (t->child[0]) {
      place = &t->child[quarter(t, x, y)];
      continue;
    }
    if (t->side == 1)
      return; /* as fine as it gets */
    pthread_mutex_lock(&t->lock);
    bool room = t->count < ROOM;
#ifdef FIXED
    room = room && !t->replaced;
#endif
    if (room) {
      add_point(t, x, y);
      inserted++;
    } else if (!t->replaced) {
      *place = split(t);
      t->replaced = true;
#ifndef FIXED
      t->count = 0; /* its points are elsewhere now */
#endif
    }
    pthread_mutex_unlock(&t->lock);
    if (room)
      return;
  }
}

static unsigned count(const struct tree *t)
{
  unsigned points = t->child[0] ? 0 : t->count;
  for (unsigned i = 0; i < 4 && t->child[0]; i++)
    points += count(t->child[i]);
  return points;
}

static void check(void)
{
  assert(count(root) == inserted);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(insert, SIDE, SIDE))
