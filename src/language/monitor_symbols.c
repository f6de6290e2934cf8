/* SPDX-License-Identifier: Apache-2.0
 *
 * Grammars and systems of rewriting rules, as the symbols that their monitors read (core/monitor.h). Of a grammar,
 * productions that no word comes from are left out, so that every beginning that is recognised can be completed.
 */
#include "core/monitor.h"
#include "language/monitor_draft.h"

/* Where the right side of the production there ends. */
static uint32_t end_of(const struct spec *s, uint32_t at)
{
  while (s->symbol[at] != SPEC_END)
    at++;
  return at;
}

static bool is_nonterminal(uint16_t symbol)
{
  return symbol >= SPEC_NONTERMINAL && symbol < SPEC_END;
}

/* Whether all nonterminals of a right side are in the set; without terminals, if these are not allowed. */
static bool all_in(const struct spec *s, uint32_t at, const bool *set, bool terminals)
{
  for (; s->symbol[at] != SPEC_END; at++)
    if (is_nonterminal(s->symbol[at]) ? !set[s->symbol[at] - SPEC_NONTERMINAL] : !terminals)
      return false;
  return true;
}

/* The nonterminals that derive a word of events; the empty word, if events are not allowed. */
static void find_deriving(const struct spec *s, bool *set, bool terminals)
{
  for (bool more = true; more;) {
    more = false;
    for (uint32_t at = 0; at < s->symbols; at = end_of(s, at) + 1) {
      bool *known = &set[s->symbol[at] - SPEC_NONTERMINAL];
      if (!*known && all_in(s, at + 1, set, terminals))
        more = *known = true;
    }
  }
}

struct writer {
  uint16_t *symbol;
  uint32_t count, most;
};

static void put(struct writer *w, uint32_t symbol)
{
  if (w->count < w->most)
    w->symbol[w->count] = (uint16_t)symbol;
  w->count++;
}

static void put_productions(struct writer *w, const struct spec *s, uint32_t nonterminal, const bool *productive)
{
  for (uint32_t at = 0; at < s->symbols; at = end_of(s, at) + 1) {
    if (s->symbol[at] - SPEC_NONTERMINAL != (int)nonterminal || !all_in(s, at + 1, productive, true))
      continue;
    for (uint32_t i = at + 1; s->symbol[i] != SPEC_END; i++)
      put(w, is_nonterminal(s->symbol[i]) ? SYMBOL_NONTERMINAL + s->symbol[i] - SPEC_NONTERMINAL + 1u : s->symbol[i]);
    put(w, SYMBOL_END + nonterminal + 1);
  }
}

uint32_t symbols_from_grammar(const struct spec *s, uint16_t *symbol, uint32_t most, bool *empty)
{
  bool productive[SPEC_NONTERMINALS] = {false}, erasable[SPEC_NONTERMINALS] = {false};
  struct writer w = {symbol, 0, most};
  find_deriving(s, productive, true);
  find_deriving(s, erasable, false);
  *empty = !productive[0];
  if (*empty || 1 + (s->nonterminals + 1) * GRAMMAR_FIELDS > most)
    return 0;
  w.count = 1 + (s->nonterminals + 1) * GRAMMAR_FIELDS;
  symbol[0] = (uint16_t)(s->nonterminals + 1);
  for (uint32_t n = 0; n <= s->nonterminals; n++) {
    uint16_t *fields = symbol + 1 + n * GRAMMAR_FIELDS;
    fields[GRAMMAR_BEGIN] = (uint16_t)w.count;
    if (n == 0) { /* the start, which has one production */
      put(&w, SYMBOL_NONTERMINAL + 1);
      put(&w, SYMBOL_END);
    } else {
      put_productions(&w, s, n - 1, productive);
    }
    fields[GRAMMAR_END] = (uint16_t)w.count;
    fields[GRAMMAR_EMPTY] = erasable[n ? n - 1 : 0];
  }
  return w.count <= most ? w.count : 0;
}

uint32_t symbols_from_rules(const struct spec *s, uint16_t *symbol, uint32_t most)
{
  struct writer w = {symbol, 0, most};
  uint32_t rules = 0;
  put(&w, 0);
  for (uint32_t at = 0; at < s->symbols; rules++) {
    uint32_t left = end_of(s, at), right = end_of(s, left + 1);
    uint16_t first = s->symbol[left + 1];
    bool says = first == SPEC_TO_FAIL || first == SPEC_TO_SUCCEED;
    put(&w, left - at);
    put(&w, !says ? right - left - 1 : first == SPEC_TO_FAIL ? (uint32_t)REWRITES_TO_FAIL : REWRITES_TO_SUCCEED);
    for (uint32_t i = at; i < left; i++)
      put(&w, s->symbol[i]);
    for (uint32_t i = left + 1; !says && i < right; i++)
      put(&w, s->symbol[i]);
    at = right + 1;
  }
  if (w.count > most)
    return 0;
  symbol[0] = (uint16_t)rules;
  return w.count;
}
