/* SPDX-License-Identifier: Apache-2.0
 *
 * Monitors by rewriting: the trace as a word to which no rule applies. A letter is written to its right end; then the
 * rules are tried there, the first that fits is applied, and what it puts in place of its left side is written letter
 * by letter in the same way. So of all places the one that ends leftmost is rewritten first, of all rules for it the
 * one that was written first.
 */
#include "core/monitor.h"
#include <stddef.h>

void word_begin(struct monitor_memory *memory)
{
  memory->ended = 0;
  memory->word.letters = 0;
}

static bool ends_with(const struct monitor_word *w, const uint16_t *left, uint32_t length)
{
  if (length > w->letters)
    return false;
  for (uint32_t i = 0; i < length; i++)
    if (w->letter[w->letters - length + i] != left[i])
      return false;
  return true;
}

/* The rule for the right end, as its words, or NULL. */
static const uint16_t *fitting_rule(const uint16_t *rules, const struct monitor_word *w)
{
  const uint16_t *rule = rules + 1;
  for (uint32_t i = 0; i < *rules; i++) {
    uint32_t left = rule[0], right = rule[1];
    if (ends_with(w, rule + 2, left))
      return rule;
    rule += 2 + left + (right < REWRITES_TO_FAIL ? right : 0);
  }
  return NULL;
}

uint32_t word_step(const uint16_t *rules, struct monitor_memory *memory, uint32_t letter)
{
  struct monitor_word *w = &memory->word;
  uint8_t to_write[WORD_LETTERS]; /* the last one first */
  uint32_t count = 1, steps = 0;
  to_write[0] = (uint8_t)letter;
  while (count && !memory->ended) {
    if (w->letters == WORD_LETTERS || steps++ == REWRITING_STEPS) {
      memory->ended = CATEGORY_LOST;
      break;
    }
    w->letter[w->letters++] = to_write[--count];
    const uint16_t *rule = fitting_rule(rules, w);
    if (!rule)
      continue;
    uint32_t left = rule[0], right = rule[1];
    w->letters = (uint16_t)(w->letters - left);
    if (right >= REWRITES_TO_FAIL)
      memory->ended = right == REWRITES_TO_FAIL ? CATEGORY_FAIL : CATEGORY_SUCCEED;
    else if (count + right > WORD_LETTERS)
      memory->ended = CATEGORY_LOST;
    else
      while (right)
        to_write[count++] = (uint8_t)rule[2 + left + --right];
  }
  return memory->ended;
}
