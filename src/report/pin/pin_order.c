/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs that imply all others; see pin_order.h. By vector clocks: of an operation, how far each thread had come in what
 * must be before it.
 */
#include "report/pin/pin_order.h"
#include <stdlib.h>
#include <string.h>

bool pin_conflict(const struct pin_operation *a, const struct pin_operation *b)
{
  for (uint32_t i = 0; i < a->touches; i++)
    for (uint32_t k = 0; k < b->touches; k++) {
      const struct pin_touch *x = &a->touch[i], *y = &b->touch[k];
      if (x->kind == y->kind && (x->changes || y->changes) && x->from < y->to && y->from < x->to)
        return true;
    }
  return false;
}

struct clocks {
  size_t *at; /* of each operation a row: of each thread, the number behind the last of its operations before this */
  uint32_t threads;
};

static size_t *row(const struct clocks *c, size_t operation)
{
  return c->at + operation * c->threads;
}

static void follow(const struct clocks *c, size_t operation, size_t before)
{
  size_t *mine = row(c, operation);
  const size_t *other = row(c, before);
  for (uint32_t t = 0; t < c->threads; t++)
    mine[t] = other[t] > mine[t] ? other[t] : mine[t];
}

/* The last operation before that one which conflicts with it and is not known to be before; from 1, 0: none. */
static size_t last_conflict(const struct clocks *c, const struct pin_operation *operation, size_t of)
{
  const struct pin_operation *o = &operation[of];
  for (size_t i = of; o->counts && i-- > 0;)
    if (operation[i].counts && !operation[i].left && operation[i].thread != o->thread &&
        row(c, of)[operation[i].thread] <= i && pin_conflict(&operation[i], o))
      return i + 1;
  return 0;
}

static bool add_pair(struct pin_pair **pairs, size_t *count, struct pin_pair pair)
{
  struct pin_pair *more = realloc(*pairs, (*count + 1) * sizeof *more);
  if (!more)
    return false;
  *pairs = more;
  more[(*count)++] = pair;
  return true;
}

struct pin_pair *pin_order(const struct pin_operation *operation, size_t operations, uint32_t threads, size_t *count)
{
  struct pin_pair *pairs = NULL;
  struct clocks c = {calloc(operations * threads + 1, sizeof *c.at), threads};
  size_t *last = calloc(threads + 1, sizeof *last); /* of each thread, from 1 */
  bool good = c.at && last;
  *count = 0;
  for (size_t i = 0; good && i < operations; i++) {
    const uint32_t thread = operation[i].thread;
    if (last[thread])
      follow(&c, i, last[thread] - 1);
    if (operation[i].follows)
      follow(&c, i, operation[i].follows - 1);
    for (size_t first; good && (first = last_conflict(&c, operation, i)) != 0;) {
      good = add_pair(&pairs, count, (struct pin_pair){first - 1, i});
      follow(&c, i, first - 1);
    }
    row(&c, i)[thread] = i + 1;
    last[thread] = i + 1;
  }
  free(c.at);
  free(last);
  if (good)
    return pairs;
  free(pairs);
  *count = 0;
  return NULL;
}
