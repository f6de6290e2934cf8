/* SPDX-License-Identifier: Apache-2.0
 *
 * Monitors: one operation, "read an event, say to which categories the trace belongs now", for all formalisms. What is
 * regular is a table, and a state of it is a number; grammars and rewriting need memory, of which there is a fixed
 * amount for each monitor. One that runs out of it says CATEGORY_LOST from then on. Copying the memory copies the
 * monitor.
 */
#ifndef HEDDLE_CORE_MONITOR_H
#define HEDDLE_CORE_MONITOR_H

#include "core/property.h"

#define CHART_SETS 64
#define CHART_ITEMS 768
#define WORD_LETTERS 128

/* Earley's recogniser, less what can matter no more (monitor_chart.c). */
struct monitor_chart {
  uint16_t sets;
  uint16_t begin[CHART_SETS + 1]; /* of the items of each set; the last set is where the trace has come to */
  struct chart_item {
    uint16_t at;     /* a place in a production: an index into the grammar's symbols */
    uint16_t origin; /* the set in which the production began */
  } item[CHART_ITEMS];
};

/* The trace, rewritten (monitor_word.c). */
struct monitor_word {
  uint16_t letters;
  uint8_t letter[WORD_LETTERS];
};

struct monitor_memory {
  uint16_t ended; /* categories that will not change any more, 0 for none */
  union {
    struct monitor_chart chart;
    struct monitor_word word;
  };
};

static inline bool monitor_needs_memory(const struct property_monitor *m)
{
  return m->kind != MONITOR_TABLE;
}

/* Memory is NULL for those that need none. */
void monitor_begin(const struct property_set *set, const struct property_monitor *m, uint16_t *state,
                   struct monitor_memory *memory);
/* Reads a letter; the categories. */
uint32_t monitor_step(const struct property_set *set, const struct property_monitor *m, uint16_t *state,
                      struct monitor_memory *memory, uint32_t letter);

/* ---- grammars ----
 *
 * In `symbol`, from the monitor's `next` on: the number of nonterminals, for each of them where its productions begin
 * and end and whether it derives the empty word, and the productions, one after the other. Places are counted from
 * `next`. The first nonterminal is the start, with one production, and stands nowhere on a right side. */
enum { SYMBOL_NONTERMINAL = 256, SYMBOL_END = 512 }; /* an end says of which nonterminal the production was */
enum { GRAMMAR_BEGIN, GRAMMAR_END, GRAMMAR_EMPTY, GRAMMAR_FIELDS };

void chart_begin(const uint16_t *grammar, struct monitor_memory *memory);
uint32_t chart_step(const uint16_t *grammar, struct monitor_memory *memory, uint32_t letter);

/* ---- rewriting ----
 *
 * In `symbol`: the number of rules; then for each the length of its left side, what it says (enum rewriting, or the
 * length of its right side), and both sides. */
enum rewriting { REWRITES_TO_FAIL = 1000, REWRITES_TO_SUCCEED };
#define REWRITING_STEPS 10000 /* for one event: rules need not come to an end */

void word_begin(struct monitor_memory *memory);
uint32_t word_step(const uint16_t *rules, struct monitor_memory *memory, uint32_t letter);

#endif
