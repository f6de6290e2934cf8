/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of witnesses: blocks of powers of two words, with a list of free ones for each size. Nodes keep theirs in
 * lists, first in, first out: a witness was made knowing those before it.
 */
#include "explore/explorer.h"

#define SMALLEST 4 /* a power of two: 16 words */

static unsigned class_of(uint32_t words)
{
  unsigned c = 0;
  while ((UINT32_C(1) << (c + SMALLEST)) < words)
    c++;
  return c;
}

struct witness *witness_at(struct explorer *x, uint32_t witness)
{
  return (struct witness *)&x->pool[witness - 1];
}

uint32_t witness_new(struct explorer *x, uint32_t steps, uint32_t bytes)
{
  uint32_t words = (uint32_t)(sizeof(struct witness) + bytes + 7) / 8;
  unsigned c = class_of(words);
  if (c >= POOL_CLASSES)
    return 0;
  uint32_t w = x->free_block[c];
  if (w) {
    x->free_block[c] = witness_at(x, w)->next;
  } else {
    if (x->pool_used + (UINT64_C(1) << (c + SMALLEST)) > EXPLORER_POOL)
      return 0;
    w = x->pool_used + 1;
    x->pool_used += UINT32_C(1) << (c + SMALLEST);
  }
  *witness_at(x, w) = (struct witness){.steps = steps, .words = words, .bytes = bytes};
  return w;
}

void witness_free(struct explorer *x, uint32_t w)
{
  unsigned c = class_of(witness_at(x, w)->words);
  witness_at(x, w)->next = x->free_block[c];
  x->free_block[c] = w;
}

void node_add_witness(struct explorer *x, uint32_t node, uint32_t w)
{
  struct node *n = &x->node[node];
  witness_at(x, w)->next = 0;
  if (n->last)
    witness_at(x, n->last)->next = w;
  else
    n->first = w;
  n->last = w;
  n->witnesses++;
}

uint32_t node_take_witness(struct explorer *x, uint32_t node)
{
  struct node *n = &x->node[node];
  uint32_t w = n->first;
  if (!w)
    return 0;
  n->first = witness_at(x, w)->next;
  if (!n->first)
    n->last = 0;
  n->witnesses--;
  return w;
}
