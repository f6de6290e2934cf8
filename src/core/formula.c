/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas; see formula.h. No libc: it is asked in the tested process. Words are in postfix notation, so each pass is
 * one over a stack, whose last value is the lowest bit.
 */
#include "core/formula.h"
#include "core/without_libc.h"

#define STACK_MOST (3 * ORDERING_DEPTH + 6) /* of "->", "||" and "&&" the left side waits, in each parenthesis */

/* ---- now ---- */

static void remember(struct formula_past *past, uint64_t arrow, bool left, bool right)
{
  past->left |= left ? arrow : 0;
  past->right |= right ? arrow : 0;
  past->kept |= right && past->left & arrow ? arrow : 0;
}

static bool leaf_holds(struct ordering_word word, struct formula_instant now)
{
  return word.kind == ORDERING_STANDS ? now.standing >> word.event & 1 : now.event == word.event + 1u;
}

/* Whether it holds then. begins: there was no instant yet, at which the sides of an arrow could have held. */
static bool look(const struct ordering *o, struct formula_past *past, struct formula_instant now, bool begins)
{
  bool stack[STACK_MOST];
  unsigned depth = 0;
  for (unsigned i = 0; i < o->words; i++) {
    const struct ordering_word word = o->word[i];
    const uint64_t arrow = word.kind == ORDERING_LEADS ? ORDERING_BIT(word.event) : 0;
    switch ((enum ordering_word_kind)word.kind) {
    case ORDERING_NOT:
      stack[depth - 1] = !stack[depth - 1];
      continue;
    case ORDERING_AND:
      stack[depth - 2] = stack[depth - 2] && stack[depth - 1];
      break;
    case ORDERING_OR:
      stack[depth - 2] = stack[depth - 2] || stack[depth - 1];
      break;
    case ORDERING_LEADS:
      if (!begins)
        remember(past, arrow, stack[depth - 2], stack[depth - 1]);
      stack[depth - 2] = ~past->right & arrow || past->kept & arrow;
      break;
    default:
      stack[depth++] = leaf_holds(word, now);
      continue;
    }
    depth--;
  }
  return stack[0];
}

void formula_go_on(const struct ordering *o, struct formula_past *past, struct formula_instant now)
{
  past->occurred |= now.event ? ORDERING_BIT(now.event - 1) : 0;
  past->standing = now.standing;
  past->holds = look(o, past, now, false);
}

void formula_begin(const struct ordering *o, struct formula_past *past)
{
  *past = (struct formula_past){0};
  past->holds = look(o, past, (struct formula_instant){0}, true);
}

/* ---- later ---- */

/* What a term may be at some later instant. */
struct chances {
  bool holds, fails;
};

static struct chances arrow_later(const struct formula_past *past, uint64_t arrow, struct chances left,
                                  struct chances right)
{
  if (past->kept & arrow)
    return (struct chances){true, false};
  if (past->right & arrow)
    return (struct chances){right.holds && (past->left & arrow || left.holds), true};
  return (struct chances){true, right.holds && ~past->left & arrow};
}

static struct chances leaf_later(const struct formula_past *past, struct ordering_word word)
{
  return (struct chances){word.kind == ORDERING_STANDS || ~past->occurred & ORDERING_BIT(word.event), true};
}

/* Of the term with these words. */
static struct chances term_later(const struct ordering *o, const struct formula_past *past, unsigned from, unsigned to)
{
  struct chances stack[STACK_MOST];
  unsigned depth = 0;
  for (unsigned i = from; i < to; i++) {
    const struct ordering_word word = o->word[i];
    struct chances *last = &stack[depth ? depth - 1 : 0], *before = &stack[depth > 1 ? depth - 2 : 0];
    switch ((enum ordering_word_kind)word.kind) {
    case ORDERING_NOT:
      *last = (struct chances){last->fails, last->holds};
      continue;
    case ORDERING_AND:
      *before = (struct chances){before->holds && last->holds, before->fails || last->fails};
      break;
    case ORDERING_OR:
      *before = (struct chances){before->holds || last->holds, before->fails && last->fails};
      break;
    case ORDERING_LEADS:
      *before = arrow_later(past, ORDERING_BIT(word.event), *before, *last);
      break;
    default:
      stack[depth++] = leaf_later(past, word);
      continue;
    }
    depth--;
  }
  return stack[0];
}

bool formula_may_hold(const struct ordering *o, const struct formula_past *past)
{
  return past->holds || term_later(o, past, 0, o->words).holds;
}

bool formula_admits(const struct ordering *o, const struct formula_past *past, struct formula_instant now)
{
  struct formula_past then = *past;
  formula_go_on(o, &then, now);
  return formula_may_hold(o, &then);
}

/* ---- what it asks for ---- */

/* At an instant without an event, such a term fails, or is what it was before. */
struct quiet {
  bool fails, same;
};

static struct quiet quiet_pair(enum ordering_word_kind kind, struct quiet a, struct quiet b)
{
  if (kind == ORDERING_AND)
    return (struct quiet){a.fails || b.fails, a.same && b.same};
  if (kind == ORDERING_OR)
    return (struct quiet){a.fails && b.fails, a.same && b.same};
  const bool changes = !(a.fails || a.same) || !(b.fails || b.same);
  return (struct quiet){false, !changes};
}

bool formula_asks_at_events(const struct ordering *o)
{
  struct quiet stack[STACK_MOST];
  unsigned depth = 0;
  for (unsigned i = 0; i < o->words && o->threads; i++) {
    const enum ordering_word_kind kind = (enum ordering_word_kind)o->word[i].kind;
    if (ordering_is_leaf(kind)) {
      stack[depth++] = (struct quiet){kind != ORDERING_STANDS, false};
    } else if (kind == ORDERING_NOT) {
      stack[depth - 1].fails = false;
    } else {
      depth--;
      stack[depth - 1] = quiet_pair(kind, stack[depth - 1], stack[depth]);
    }
  }
  return !o->threads || stack[0].same;
}

/* ---- words ---- */

/* Each part that "and" joins, if it can no longer hold. */
static size_t unmet_parts(const struct ordering *o, const struct formula_past *then, unsigned last, char *out,
                          size_t size)
{
  const unsigned begin = ordering_term_begin(o, last);
  if (o->word[last].kind == ORDERING_AND) {
    size_t n = unmet_parts(o, then, ordering_term_begin(o, last - 1) - 1, out, size), before = n;
    n += n ? print_text(out + n, size - n, "; ") : 0;
    const size_t right = unmet_parts(o, then, last - 1, out + n, size - n);
    if (!right)
      out[before] = 0;
    return right ? n + right : before;
  }
  if (term_later(o, then, begin, last + 1).holds)
    return 0;
  return ordering_term_text(o, last, out, size);
}

size_t formula_unmet_text(const struct ordering *o, const struct formula_past *past, struct formula_instant now,
                          char *out, size_t size)
{
  struct formula_past then = *past;
  formula_go_on(o, &then, now);
  out[0] = 0;
  size_t n = unmet_parts(o, &then, o->words - 1u, out, size);
  n = n ? n : ordering_term_text(o, o->words - 1u, out, size);
  return n + print_text(out + n, size - n, " to hold");
}
