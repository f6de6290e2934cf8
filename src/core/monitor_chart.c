/* SPDX-License-Identifier: Apache-2.0
 *
 * Monitors by grammars: Earley's recogniser, for any grammar that is free of context. A set of items is kept for each
 * place of the trace to which one of the last set may come back: an item is a production, how far of it was read, and
 * the set in which it began. After each letter
 *
 * - items that no item of the last set leads back to are dropped;
 * - where all that waits in a set for a nonterminal is the end of a production of the same nonterminal, which began
 *   elsewhere, what began in that set is said to have begun there: a list of any length needs no more room than a short
 *   one.
 *
 * So the memory needed is that for what is open, not for what was read. Nonterminals that derive the empty word are
 * passed over where they are predicted (Aycock and Horspool).
 */
#include "core/monitor.h"

static bool is_nonterminal(uint16_t symbol)
{
  return symbol >= SYMBOL_NONTERMINAL && symbol < SYMBOL_END;
}

/* The nonterminal whose production the place is in. */
static uint16_t left_side(const uint16_t *grammar, uint16_t at)
{
  while (grammar[at] < SYMBOL_END)
    at++;
  return grammar[at] - SYMBOL_END;
}

static const uint16_t *nonterminal(const uint16_t *grammar, uint16_t symbol)
{
  return grammar + 1 + (symbol - SYMBOL_NONTERMINAL) * GRAMMAR_FIELDS;
}

/* Into the last set, if it is not there. False when there is no room. */
static bool add(struct monitor_chart *c, uint16_t at, uint16_t origin)
{
  uint16_t end = c->begin[c->sets];
  for (uint16_t i = c->begin[c->sets - 1]; i < end; i++)
    if (c->item[i].at == at && c->item[i].origin == origin)
      return true;
  if (end == CHART_ITEMS)
    return false;
  c->item[end] = (struct chart_item){at, origin};
  c->begin[c->sets] = end + 1;
  return true;
}

static bool predict(const uint16_t *grammar, struct monitor_chart *c, struct chart_item item)
{
  const uint16_t *of = nonterminal(grammar, grammar[item.at]);
  bool room = true;
  for (uint16_t at = of[GRAMMAR_BEGIN]; room && at < of[GRAMMAR_END]; at++) {
    room = add(c, at, c->sets - 1);
    while (grammar[at] < SYMBOL_END)
      at++;
  }
  return room && (!of[GRAMMAR_EMPTY] || add(c, item.at + 1, item.origin));
}

static bool complete(const uint16_t *grammar, struct monitor_chart *c, struct chart_item item)
{
  uint16_t symbol = grammar[item.at] - SYMBOL_END + SYMBOL_NONTERMINAL;
  if (item.origin == c->sets - 1)
    return true; /* the empty word: passed over already */
  for (uint16_t i = c->begin[item.origin]; i < c->begin[item.origin + 1]; i++)
    if (grammar[c->item[i].at] == symbol && !add(c, c->item[i].at + 1, c->item[i].origin))
      return false;
  return true;
}

/* All that follows from the items of the last set. */
static bool close_set(const uint16_t *grammar, struct monitor_chart *c)
{
  for (uint16_t i = c->begin[c->sets - 1]; i < c->begin[c->sets]; i++) {
    struct chart_item item = c->item[i];
    uint16_t symbol = grammar[item.at];
    if ((is_nonterminal(symbol) && !predict(grammar, c, item)) || (symbol >= SYMBOL_END && !complete(grammar, c, item)))
      return false;
  }
  return true;
}

void chart_begin(const uint16_t *grammar, struct monitor_memory *memory)
{
  struct monitor_chart *c = &memory->chart;
  memory->ended = 0;
  c->sets = 1;
  c->begin[0] = c->begin[1] = 0;
  if (!add(c, nonterminal(grammar, SYMBOL_NONTERMINAL)[GRAMMAR_BEGIN], 0) || !close_set(grammar, c))
    memory->ended = CATEGORY_LOST;
}

/* ---- forgetting ---- */

/* Of earlier sets, the items that some item of the last set leads back to. */
static void mark(const uint16_t *grammar, const struct monitor_chart *c, bool kept[CHART_ITEMS])
{
  uint16_t last = c->begin[c->sets - 1];
  for (uint16_t i = 0; i < c->begin[c->sets]; i++)
    kept[i] = i >= last;
  for (bool more = true; more;) {
    more = false;
    for (uint16_t i = 0; i < c->begin[c->sets]; i++) {
      uint16_t origin = c->item[i].origin;
      uint16_t symbol = left_side(grammar, c->item[i].at) + SYMBOL_NONTERMINAL;
      for (uint16_t j = c->begin[origin]; kept[i] && j < c->begin[origin + 1] && j < last; j++)
        if (!kept[j] && grammar[c->item[j].at] == symbol)
          more = kept[j] = true;
    }
  }
}

/* Where what began as this nonterminal in that set may as well have begun; the set itself if nowhere else. */
static uint16_t earlier_begin(const uint16_t *grammar, const struct monitor_chart *c, const bool *kept, uint16_t left,
                              uint16_t set)
{
  uint16_t found = set;
  for (uint16_t i = c->begin[set]; i < c->begin[set + 1]; i++) {
    struct chart_item waits = c->item[i];
    if (!kept[i] || grammar[waits.at] != left + SYMBOL_NONTERMINAL)
      continue;
    if (grammar[waits.at + 1] != left + SYMBOL_END)
      return set;
    if (waits.origin == set)
      continue; /* it would wait for itself */
    if (found != set && found != waits.origin)
      return set;
    found = waits.origin;
  }
  return found;
}

/* True if an item was said to have begun earlier. */
static bool shorten(const uint16_t *grammar, struct monitor_chart *c, const bool *kept)
{
  bool changed = false;
  for (uint16_t i = 0; i < c->begin[c->sets]; i++) {
    struct chart_item *item = &c->item[i];
    if (!kept[i] || item->origin == c->sets - 1)
      continue;
    uint16_t origin = earlier_begin(grammar, c, kept, left_side(grammar, item->at), item->origin);
    changed |= origin != item->origin;
    item->origin = origin;
  }
  return changed;
}

/* Drops what is not kept, what is there twice, and sets without items; the first one stays. */
static void compact(struct monitor_chart *c, const bool *kept)
{
  uint16_t number[CHART_SETS], sets = 0, items = 0;
  for (uint16_t s = 0; s < c->sets; s++) {
    uint16_t begin = items, from = c->begin[s], end = c->begin[s + 1];
    number[s] = sets;
    for (uint16_t i = from; i < end; i++) {
      struct chart_item item = c->item[i];
      bool twice = false;
      if (!kept[i])
        continue;
      item.origin = item.origin == s ? sets : number[item.origin];
      for (uint16_t j = begin; j < items && !twice; j++)
        twice = c->item[j].at == item.at && c->item[j].origin == item.origin;
      if (!twice)
        c->item[items++] = item;
    }
    if (items > begin || s == 0)
      c->begin[sets++] = begin;
  }
  c->sets = sets;
  c->begin[sets] = items;
}

static void forget(const uint16_t *grammar, struct monitor_chart *c)
{
  bool kept[CHART_ITEMS];
  do
    mark(grammar, c, kept);
  while (shorten(grammar, c, kept));
  compact(c, kept);
}

/* ---- reading ---- */

/* Whether the trace is a word: the start's production was read to its end. */
static bool is_word(const uint16_t *grammar, const struct monitor_chart *c)
{
  for (uint16_t i = c->begin[c->sets - 1]; i < c->begin[c->sets]; i++)
    if (grammar[c->item[i].at] == SYMBOL_END)
      return true;
  return false;
}

uint32_t chart_step(const uint16_t *grammar, struct monitor_memory *memory, uint32_t letter)
{
  struct monitor_chart *c = &memory->chart;
  if (memory->ended)
    return memory->ended;
  if (c->sets == CHART_SETS)
    return memory->ended = CATEGORY_LOST;
  uint16_t from = c->begin[c->sets - 1], end = c->begin[c->sets];
  bool room = true;
  c->begin[++c->sets] = end;
  for (uint16_t i = from; room && i < end; i++)
    if (grammar[c->item[i].at] == letter)
      room = add(c, c->item[i].at + 1, c->item[i].origin);
  if (room && c->begin[c->sets] == end)
    return memory->ended = CATEGORY_FAIL;
  if (!room || !close_set(grammar, c))
    return memory->ended = CATEGORY_LOST;
  forget(grammar, c);
  return is_word(grammar, c) ? CATEGORY_MATCH : 0;
}
