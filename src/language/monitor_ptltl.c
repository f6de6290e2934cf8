/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporal logic of the past, as automata: whether each part of the formula held at the last event is a bit, and an
 * event makes new bits of the old ones. A state is those of them that the next event looks at, and whether the whole
 * formula holds: that is validation, otherwise violation. Before the first event it is neither.
 */
#include "language/monitor_draft.h"
#include <stdlib.h>

#define BITS 63
#define HOLDS (UINT64_C(1) << BITS) /* the formula itself, in the key of a state */

static bool bit_of(uint64_t bits, uint32_t node)
{
  return bits >> (node - 1) & 1;
}

/* The operands of a formula stand before it. */
static uint64_t step(const struct spec *s, uint64_t old, bool first, uint32_t letter)
{
  uint64_t now = 0;
  for (uint32_t i = 0; i < s->nodes; i++) {
    const struct formula *f = &s->node[i];
    bool left = f->kind != FORMULA_EVENT && f->left && bit_of(now, f->left), right = f->right && bit_of(now, f->right);
    bool before = old >> i & 1, holds = false;
    switch (f->kind) {
    case FORMULA_EVENT:
      holds = f->left == letter;
      break;
    case FORMULA_TRUE:
      holds = true;
      break;
    case FORMULA_NOT:
      holds = !left;
      break;
    case FORMULA_AND:
      holds = left && right;
      break;
    case FORMULA_OR:
      holds = left || right;
      break;
    case FORMULA_IMPLIES:
      holds = !left || right;
      break;
    case FORMULA_PREVIOUS:
      holds = !first && bit_of(old, f->left);
      break;
    case FORMULA_HISTORICALLY:
      holds = left && before;
      break;
    case FORMULA_ONCE:
      holds = left || before;
      break;
    case FORMULA_SINCE:
      holds = right || (left && before);
      break;
    default:
      break;
    }
    now |= (uint64_t)holds << i;
  }
  return now;
}

/* The bits that the next event looks at. */
static uint64_t looked_at(const struct spec *s)
{
  uint64_t set = 0;
  for (uint32_t i = 0; i < s->nodes; i++) {
    enum formula_kind kind = s->node[i].kind;
    if (kind == FORMULA_PREVIOUS)
      set |= UINT64_C(1) << (s->node[i].left - 1);
    else if (kind == FORMULA_HISTORICALLY || kind == FORMULA_ONCE || kind == FORMULA_SINCE)
      set |= UINT64_C(1) << i;
  }
  return set;
}

/* Nothing was once, and everything was always. */
static uint64_t before_all(const struct spec *s)
{
  uint64_t bits = 0;
  for (uint32_t i = 0; i < s->nodes; i++)
    bits |= (uint64_t)(s->node[i].kind == FORMULA_HISTORICALLY) << i;
  return bits;
}

/* The state of that key, not the first one; DRAFT_NONE when there is no room. */
static uint32_t state_of(struct monitor_draft *d, uint64_t *keys, uint64_t key)
{
  for (uint32_t q = 1; q < d->states; q++)
    if (keys[q] == key)
      return q;
  uint32_t q = draft_state(d, key & HOLDS ? CATEGORY_VALIDATION : CATEGORY_VIOLATION);
  if (q != DRAFT_NONE)
    keys[q] = key;
  return q;
}

bool draft_from_past(struct monitor_draft *d, const struct spec *s)
{
  uint64_t *keys = s->nodes > BITS ? NULL : calloc(DRAFT_STATES, sizeof *keys);
  if (!keys)
    return false;
  uint64_t looked = looked_at(s);
  bool made = draft_state(d, 0) != DRAFT_NONE;
  keys[0] = before_all(s) & ~HOLDS;
  for (uint32_t q = 0; made && q < d->states; q++)
    for (uint32_t letter = 0; made && letter < d->letters; letter++) {
      uint64_t now = step(s, keys[q] & ~HOLDS, q == 0, letter);
      uint32_t to = state_of(d, keys, (now & looked) | (bit_of(now, s->root) ? HOLDS : 0));
      made = to != DRAFT_NONE;
      if (made)
        d->edge[(size_t)q * d->letters + letter] = (uint16_t)to;
    }
  free(keys);
  return made;
}
