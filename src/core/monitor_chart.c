/* SPDX-License-Identifier: Apache-2.0
 *
 * Monitors by grammars: Earley's recogniser, for any grammar that is free of context. A set of items is kept for each
 * place of the trace to which one of the last set may come back: an item is a production, how far of it was read, and
 * the set in which it began. After each letter
 *
 * - items that no item of the last set leads back to are dropped;
 * - two beginnings of the same nonterminal after whose ends the same can follow become one, the earlier: so a list of
 *   any length needs no more room than a short one.
 *
 * So the memory needed is that for what is open, not for what was read. Nonterminals that derive the empty word are
 * passed over where they are predicted (Aycock and Horspool).
 */
#include "core/monitor.h"
#include "core/rng.h"
#include <stddef.h>

#define BEGINNINGS 96    /* that are compared */
#define CONTINUATIONS 64 /* of one of them */

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

/* What began as a nonterminal in a set, and what is said of its continuations so far: the same of two means that they
 * may be the same. */
struct begun {
  uint16_t left, set;
  uint64_t class;
};

struct beginnings {
  unsigned count;
  struct begun list[BEGINNINGS];
};

static struct begun *find_begun(struct beginnings *b, uint16_t left, uint16_t set)
{
  unsigned i = 0;
  while (i < b->count && (b->list[i].left != left || b->list[i].set != set))
    i++;
  return i < b->count ? &b->list[i] : NULL;
}

/* False when there is no room for all. */
static bool collect(const uint16_t *grammar, const struct monitor_chart *c, const bool *kept, struct beginnings *b)
{
  b->count = 0;
  for (uint16_t i = 0; i < c->begin[c->sets]; i++) {
    uint16_t left = left_side(grammar, c->item[i].at);
    if (!kept[i] || find_begun(b, left, c->item[i].origin))
      continue;
    if (b->count == BEGINNINGS)
      return false;
    b->list[b->count++] = (struct begun){left, c->item[i].origin, mix64(left)};
  }
  return true;
}

/* The continuations of a beginning, as a number that does not depend on their order: each item that waits for it and
 * goes on afterwards, with the class of its own beginning; where it ends, instead, the continuations of that. */
struct continuations {
  unsigned count;
  uint64_t item[CONTINUATIONS];
  unsigned visited;
  const struct begun *visit[BEGINNINGS];
  bool full;
};

static void add_continuation(struct continuations *x, uint64_t item)
{
  for (unsigned i = 0; i < x->count; i++)
    if (x->item[i] == item)
      return;
  if (x->count == CONTINUATIONS)
    x->full = true;
  else
    x->item[x->count++] = item;
}

static void add_visit(struct continuations *x, const struct begun *begun)
{
  for (unsigned i = 0; i < x->visited; i++)
    if (x->visit[i] == begun)
      return;
  x->visit[x->visited++] = begun;
}

static bool continuations_of(const uint16_t *grammar, const struct monitor_chart *c, struct beginnings *b,
                             const struct begun *of, uint64_t *number)
{
  struct continuations x = {.visited = 1, .visit[0] = of};
  for (unsigned v = 0; v < x.visited; v++) {
    const struct begun *begun = x.visit[v];
    if (!begun->left)
      add_continuation(&x, 1); /* the end of the whole */
    for (uint16_t i = c->begin[begun->set]; i < c->begin[begun->set + 1]; i++) {
      struct chart_item waits = c->item[i];
      if (grammar[waits.at] != begun->left + SYMBOL_NONTERMINAL)
        continue;
      const struct begun *own = find_begun(b, left_side(grammar, waits.at), waits.origin);
      if (!own)
        return false;
      if (grammar[waits.at + 1] >= SYMBOL_END)
        add_visit(&x, own);
      else
        add_continuation(&x, mix64(own->class ^ mix64(waits.at + 2)));
    }
  }
  *number = 0;
  for (unsigned i = 0; i < x.count; i++)
    *number += mix64(x.item[i]);
  return !x.full;
}

static unsigned count_classes(const struct beginnings *b)
{
  unsigned classes = 0;
  for (unsigned i = 0; i < b->count; i++) {
    unsigned k = 0;
    while (k < i && b->list[k].class != b->list[i].class)
      k++;
    classes += k == i;
  }
  return classes;
}

/* Classes become finer until they do not any more: then all of a class have the same continuations. */
static bool classify(const uint16_t *grammar, const struct monitor_chart *c, struct beginnings *b)
{
  for (unsigned before = 0, classes = count_classes(b); classes > before;) {
    uint64_t number[BEGINNINGS];
    for (unsigned i = 0; i < b->count; i++)
      if (!continuations_of(grammar, c, b, &b->list[i], &number[i]))
        return false;
    for (unsigned i = 0; i < b->count; i++)
      b->list[i].class = mix64(b->list[i].class ^ mix64(number[i]));
    before = classes;
    classes = count_classes(b);
  }
  return true;
}

/* What began somewhere with the same continuations as what began in an earlier set is said to have begun there. */
static void unite(const uint16_t *grammar, struct monitor_chart *c, const bool *kept)
{
  struct beginnings b;
  if (!collect(grammar, c, kept, &b) || !classify(grammar, c, &b))
    return;
  for (uint16_t i = 0; i < c->begin[c->sets]; i++) {
    const struct begun *own = kept[i] ? find_begun(&b, left_side(grammar, c->item[i].at), c->item[i].origin) : NULL;
    for (unsigned k = 0; own && k < b.count; k++)
      if (b.list[k].class == own->class && b.list[k].set < c->item[i].origin)
        c->item[i].origin = b.list[k].set;
  }
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
  mark(grammar, c, kept);
  unite(grammar, c, kept);
  mark(grammar, c, kept);
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
