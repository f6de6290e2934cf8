/* SPDX-License-Identifier: Apache-2.0
 *
 * Orderings; see ordering.h. No libc: it is asked in the tested process.
 */
#include "core/ordering.h"
#include "core/without_libc.h"

static bool is_text(const char *a, const char *b)
{
  return text_compare(a, b) == 0;
}

unsigned ordering_event_of(const struct ordering *o, enum ordering_event_kind kind, const char *name,
                           const char *thread)
{
  for (unsigned i = 0; i < o->events; i++) {
    const struct ordering_event *e = &o->event[i];
    bool named = e->kind == kind && (kind != ORDERING_MARK || is_text(e->name, name));
    if (named && (!e->thread[0] || (thread && is_text(e->thread, thread))))
      return i + 1;
  }
  return 0;
}

void ordering_child_name(const char *parent, unsigned nth, char out[ORDERING_THREAD])
{
  char name[ORDERING_THREAD];
  print_text(name, sizeof name, "%s", parent);
  if (is_text(name, "main"))
    print_text(out, ORDERING_THREAD, "T%u", nth);
  else
    print_text(out, ORDERING_THREAD, "%s.%u", name, nth);
}

/* ---- conditions ---- */

static bool leaf_holds(struct ordering_word word, struct ordering_moment at)
{
  uint64_t met = word.kind == ORDERING_BLOCKED ? at.occurred & at.blocked : at.occurred;
  return met & ORDERING_BIT(word.event);
}

bool ordering_rule_holds(const struct ordering *o, const struct ordering_rule *rule, struct ordering_moment at)
{
  uint64_t stack = 0; /* the last value is the lowest bit */
  for (unsigned i = rule->first; i < rule->first + rule->length; i++) {
    switch (o->word[i].kind) {
    case ORDERING_AND:
      stack = stack >> 1 & (stack | ~UINT64_C(1));
      break;
    case ORDERING_OR:
      stack = stack >> 1 | (stack & 1);
      break;
    default:
      stack = stack << 1 | leaf_holds(o->word[i], at);
    }
  }
  return stack & 1;
}

bool ordering_admits(const struct ordering *o, unsigned event, struct ordering_moment at)
{
  for (unsigned i = 0; i < o->rules; i++)
    if (o->rule[i].event == event && !ordering_rule_holds(o, &o->rule[i], at))
      return false;
  return true;
}

uint64_t ordering_brackets(const struct ordering *o, unsigned event)
{
  uint64_t asked = 0;
  for (unsigned i = 0; i < o->rules; i++) {
    const struct ordering_rule *rule = &o->rule[i];
    for (unsigned k = rule->first; rule->event == event && k < rule->first + rule->length; k++)
      if (o->word[k].kind == ORDERING_BLOCKED)
        asked |= ORDERING_BIT(o->word[k].event);
  }
  return asked;
}

/* ---- words ---- */

size_t ordering_event_text(const struct ordering *o, unsigned event, char *out, size_t size)
{
  const struct ordering_event *e = &o->event[event];
  return print_text(out, size, e->thread[0] ? "%s@%s" : "%s", e->name, e->thread);
}

static size_t leaf_text(const struct ordering *o, struct ordering_word word, char *out, size_t size)
{
  char event[ORDERING_NAME + ORDERING_THREAD];
  if (word.kind == ORDERING_STANDS)
    return print_text(out, size, "[%s]", o->thread[word.event]);
  ordering_event_text(o, word.event, event, sizeof event);
  return print_text(out, size, word.kind == ORDERING_BLOCKED ? "[%s]" : "%s", event);
}

unsigned ordering_term_begin(const struct ordering *o, unsigned last)
{
  for (unsigned wanted = 1;; last--) {
    enum ordering_word_kind kind = (enum ordering_word_kind)o->word[last].kind;
    wanted = ordering_is_leaf(kind) ? wanted - 1 : kind == ORDERING_NOT ? wanted : wanted + 1;
    if (!wanted)
      return last;
  }
}

/* How tightly each binds. */
static unsigned tightness(enum ordering_word_kind kind)
{
  return kind == ORDERING_LEADS ? 0 : kind == ORDERING_OR ? 1 : kind == ORDERING_AND ? 2 : 3;
}

/* In parentheses if it binds less than the term around it. */
static size_t condition_text(const struct ordering *o, unsigned last, unsigned around, char *out, size_t size)
{
  const struct ordering_word word = o->word[last];
  const enum ordering_word_kind kind = (enum ordering_word_kind)word.kind;
  const unsigned own = tightness(kind), inner = kind == ORDERING_LEADS ? 1 : own;
  const bool grouped = own < around;
  if (ordering_is_leaf(kind))
    return leaf_text(o, word, out, size);
  size_t n = grouped ? print_text(out, size, "(") : 0;
  if (kind == ORDERING_NOT) {
    n += print_text(out + n, size - n, "!");
  } else {
    n += condition_text(o, ordering_term_begin(o, last - 1) - 1, inner, out + n, size - n);
    n += print_text(out + n, size - n, kind == ORDERING_LEADS ? " -> " : kind == ORDERING_AND ? " && " : " || ");
  }
  n += condition_text(o, last - 1, inner, out + n, size - n);
  return grouped ? n + print_text(out + n, size - n, ")") : n;
}

size_t ordering_term_text(const struct ordering *o, unsigned last, char *out, size_t size)
{
  return condition_text(o, last, 0, out, size);
}

size_t ordering_rule_text(const struct ordering *o, const struct ordering_rule *rule, char *out, size_t size)
{
  size_t n = condition_text(o, rule->first + rule->length - 1u, 0, out, size);
  n += print_text(out + n, size - n, " -> ");
  return n + ordering_event_text(o, rule->event, out + n, size - n);
}

static size_t unmet_leaf_text(const struct ordering *o, struct ordering_word word, uint64_t occurred, char *out,
                              size_t size)
{
  size_t n = leaf_text(o, word, out, size);
  return n +
         print_text(out + n, size - n,
                    occurred & ORDERING_BIT(word.event) ? ", whose thread is not blocked" : ", which has not happened");
}

/* Each leaf once, whatever number of rules ask for it. */
size_t ordering_unmet_text(const struct ordering *o, unsigned event, struct ordering_moment at, char *out, size_t size)
{
  uint64_t told[2] = {0};
  size_t n = 0;
  for (unsigned i = 0; i < o->rules; i++) {
    const struct ordering_rule *rule = &o->rule[i];
    if (rule->event != event || ordering_rule_holds(o, rule, at))
      continue;
    for (unsigned k = rule->first; k < rule->first + rule->length; k++) {
      struct ordering_word word = o->word[k];
      if (word.kind > ORDERING_BLOCKED || leaf_holds(word, at) || told[word.kind] & ORDERING_BIT(word.event))
        continue;
      told[word.kind] |= ORDERING_BIT(word.event);
      n += print_text(out + n, size - n, "%s", n ? "; " : "");
      n += unmet_leaf_text(o, word, at.occurred, out + n, size - n);
    }
  }
  return n;
}
