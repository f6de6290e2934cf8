/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of witnesses: blocks of powers of two words, with a list of free ones for each size, and lists of them,
 * first in, first out: a witness was made knowing those before it.
 */
#include "explore/explorer.h"

#define SMALLEST 4 /* a power of two: 16 words */

static unsigned class_of(unsigned choices, unsigned watched)
{
  uint64_t words = sizeof(struct witness) / 8 + (choices + 1) / 2 + watched * sizeof(struct watched_key) / 8;
  unsigned c = 0;
  while ((UINT64_C(1) << (c + SMALLEST)) < words)
    c++;
  return c;
}

struct witness *witness_at(struct explorer *x, uint32_t w)
{
  return (struct witness *)&x->pool[w - 1];
}

uint32_t witness_new(struct explorer *x, unsigned choices, unsigned watched)
{
  unsigned c = class_of(choices, watched);
  if (choices > 0x7fff) {
    x->order.full = true;
    return 0;
  }
  uint32_t w = x->free_block[c];
  if (w) {
    x->free_block[c] = witness_at(x, w)->next;
    x->pool_free -= UINT32_C(1) << (c + SMALLEST);
  } else {
    if (x->pool_used + (UINT64_C(1) << (c + SMALLEST)) > EXPLORER_POOL) {
      x->order.full = true;
      return 0;
    }
    w = x->pool_used + 1;
    x->pool_used += UINT32_C(1) << (c + SMALLEST);
  }
  struct witness *at = witness_at(x, w);
  *at = (struct witness){.choices = choices & 0x7fff, .watched = (uint8_t)watched};
  return w;
}

void witness_free(struct explorer *x, uint32_t w)
{
  unsigned c = class_of(witness_at(x, w)->choices, witness_at(x, w)->watched);
  witness_at(x, w)->next = x->free_block[c];
  x->free_block[c] = w;
  x->pool_free += UINT32_C(1) << (c + SMALLEST);
}

void witness_free_all(struct explorer *x, struct witnesses *list)
{
  uint32_t w;
  while ((w = witness_take(x, list))) { /* what follows it comes to the front of the list */
    struct witnesses then = witness_at(x, w)->then;
    if (then.first) {
      witness_at(x, then.last)->next = list->first;
      if (!list->last)
        list->last = then.last;
      list->first = then.first;
    }
    witness_free(x, w);
  }
}

void witness_append(struct explorer *x, struct witnesses *list, uint32_t w)
{
  witness_at(x, w)->next = 0;
  if (list->last)
    witness_at(x, list->last)->next = w;
  else
    list->first = w;
  list->last = w;
}

uint32_t witness_take(struct explorer *x, struct witnesses *list)
{
  uint32_t w = list->first;
  if (!w)
    return 0;
  list->first = witness_at(x, w)->next;
  if (!list->first)
    list->last = 0;
  return w;
}

uint32_t witness_count(struct explorer *x, const struct witnesses *list)
{
  uint32_t n = 0;
  for (uint32_t w = list->first; w; w = witness_at(x, w)->next)
    n++;
  return n;
}
