/* SPDX-License-Identifier: Apache-2.0
 *
 * Regular expressions with complement and intersection, as automata: a state is an expression, and an event leads to
 * its derivative, the expression for what may still follow (Brzozowski). Equal expressions are one, up to the order,
 * the repetition and the grouping of alternatives, which makes their number finite. What a word of the expression can
 * no longer be reached from is failure.
 */
#include "language/monitor_draft.h"
#include <stdlib.h>

#define TERMS 32768
#define OPERANDS 512
#define BUCKETS 65536

enum term_kind { TERM_NOTHING, TERM_EMPTY_WORD, TERM_LETTER, TERM_NOT, TERM_OR, TERM_AND, TERM_THEN, TERM_STAR };
enum { NOTHING, EMPTY_WORD, EVERYTHING }; /* the first terms */

struct term {
  enum term_kind kind;
  uint32_t left, right; /* of a letter: left is which */
  bool has_empty_word;
  uint32_t next_in_bucket; /* index + 1 */
};

struct terms {
  struct term *term;
  uint32_t *bucket; /* index + 1 */
  uint32_t count;
  bool full;
};

static bool has_empty_word(const struct terms *x, enum term_kind kind, uint32_t left, uint32_t right)
{
  switch (kind) {
  case TERM_EMPTY_WORD:
  case TERM_STAR:
    return true;
  case TERM_NOT:
    return !x->term[left].has_empty_word;
  case TERM_OR:
    return x->term[left].has_empty_word || x->term[right].has_empty_word;
  case TERM_AND:
  case TERM_THEN:
    return x->term[left].has_empty_word && x->term[right].has_empty_word;
  default:
    return false;
  }
}

/* The term of that kind, as it is. */
static uint32_t intern(struct terms *x, enum term_kind kind, uint32_t left, uint32_t right)
{
  uint32_t *bucket = &x->bucket[(kind * 31u + left * 2654435761u + right * 40503u) % BUCKETS];
  for (uint32_t i = *bucket; i; i = x->term[i - 1].next_in_bucket) {
    const struct term *t = &x->term[i - 1];
    if (t->kind == kind && t->left == left && t->right == right)
      return i - 1;
  }
  if (x->count == TERMS) {
    x->full = true;
    return NOTHING;
  }
  x->term[x->count] = (struct term){kind, left, right, has_empty_word(x, kind, left, right), *bucket};
  *bucket = ++x->count;
  return x->count - 1;
}

static uint32_t make_not(struct terms *x, uint32_t a)
{
  return x->term[a].kind == TERM_NOT ? x->term[a].left : intern(x, TERM_NOT, a, 0);
}

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* The operands of alternatives of alternatives, and so on. */
static void collect(struct terms *x, enum term_kind kind, uint32_t a, uint32_t *list, uint32_t *count)
{
  for (; x->term[a].kind == kind; a = x->term[a].right)
    collect(x, kind, x->term[a].left, list, count);
  if (*count == OPERANDS)
    x->full = true;
  else
    list[(*count)++] = a;
}

/* TERM_OR or TERM_AND: sorted, each operand once, without those that change nothing. */
static uint32_t make_set(struct terms *x, enum term_kind kind, uint32_t a, uint32_t b)
{
  uint32_t list[OPERANDS], count = 0;
  uint32_t neutral = kind == TERM_OR ? NOTHING : EVERYTHING, decides = kind == TERM_OR ? EVERYTHING : NOTHING;
  collect(x, kind, a, list, &count);
  collect(x, kind, b, list, &count);
  qsort(list, count, sizeof *list, by_number);
  uint32_t result = neutral;
  for (uint32_t i = count; i-- > 0;) {
    if (list[i] == decides)
      return decides;
    if (list[i] == neutral || (i + 1 < count && list[i] == list[i + 1]))
      continue;
    result = result == neutral ? list[i] : intern(x, kind, list[i], result);
  }
  return result;
}

static uint32_t make_then(struct terms *x, uint32_t a, uint32_t b)
{
  if (a == NOTHING || b == NOTHING)
    return NOTHING;
  if (a == EMPTY_WORD || b == EMPTY_WORD)
    return a == EMPTY_WORD ? b : a;
  if (x->term[a].kind == TERM_THEN)
    return make_then(x, x->term[a].left, make_then(x, x->term[a].right, b));
  return intern(x, TERM_THEN, a, b);
}

static uint32_t make_star(struct terms *x, uint32_t a)
{
  if (a == NOTHING || a == EMPTY_WORD)
    return EMPTY_WORD;
  return x->term[a].kind == TERM_STAR ? a : intern(x, TERM_STAR, a, 0);
}

static uint32_t derive(struct terms *x, uint32_t a, uint32_t letter)
{
  struct term t = x->term[a];
  if (x->full)
    return NOTHING;
  switch (t.kind) {
  case TERM_LETTER:
    return t.left == letter ? EMPTY_WORD : NOTHING;
  case TERM_NOT:
    return make_not(x, derive(x, t.left, letter));
  case TERM_OR:
  case TERM_AND:
    return make_set(x, t.kind, derive(x, t.left, letter), derive(x, t.right, letter));
  case TERM_STAR:
    return make_then(x, derive(x, t.left, letter), a);
  case TERM_THEN: {
    uint32_t first = make_then(x, derive(x, t.left, letter), t.right);
    return x->term[t.left].has_empty_word ? make_set(x, TERM_OR, first, derive(x, t.right, letter)) : first;
  }
  default:
    return NOTHING;
  }
}

static uint32_t term_of(struct terms *x, const struct spec *s, uint32_t node)
{
  const struct formula *f = &s->node[node - 1];
  switch (f->kind) {
  case FORMULA_EVENT:
    return intern(x, TERM_LETTER, f->left, 0);
  case FORMULA_NOT:
    return make_not(x, term_of(x, s, f->left));
  case FORMULA_OR:
  case FORMULA_AND:
    return make_set(x, f->kind == FORMULA_OR ? TERM_OR : TERM_AND, term_of(x, s, f->left), term_of(x, s, f->right));
  case FORMULA_THEN:
    return make_then(x, term_of(x, s, f->left), term_of(x, s, f->right));
  case FORMULA_STAR:
    return make_star(x, term_of(x, s, f->left));
  default:
    return EMPTY_WORD;
  }
}

/* The states are the derivatives, in the order in which they are found. */
static bool explore(struct terms *x, struct monitor_draft *d, uint32_t root, uint32_t *of_state, uint32_t *state_of)
{
  of_state[0] = root;
  state_of[root] = draft_state(d, x->term[root].has_empty_word ? CATEGORY_MATCH : 0) + 1;
  for (uint32_t q = 0; q < d->states; q++)
    for (uint32_t letter = 0; letter < d->letters; letter++) {
      uint32_t to = derive(x, of_state[q], letter);
      if (x->full)
        return false;
      if (!state_of[to]) {
        uint32_t state = draft_state(d, x->term[to].has_empty_word ? CATEGORY_MATCH : 0);
        if (state == DRAFT_NONE)
          return false;
        of_state[state] = to;
        state_of[to] = state + 1;
      }
      d->edge[(size_t)q * d->letters + letter] = (uint16_t)(state_of[to] - 1);
    }
  return true;
}

bool draft_from_expression(struct monitor_draft *d, const struct spec *s)
{
  struct terms x = {.term = calloc(TERMS, sizeof *x.term), .bucket = calloc(BUCKETS, sizeof *x.bucket)};
  uint32_t *of_state = calloc(DRAFT_STATES, sizeof *of_state), *state_of = calloc(TERMS, sizeof *state_of);
  bool made = false;
  if (x.term && x.bucket && of_state && state_of) {
    intern(&x, TERM_NOTHING, 0, 0);
    intern(&x, TERM_EMPTY_WORD, 0, 0);
    intern(&x, TERM_NOT, NOTHING, 0);
    made = explore(&x, d, term_of(&x, s, s->root), of_state, state_of) &&
           draft_mark_hopeless(d, CATEGORY_MATCH, CATEGORY_FAIL);
  }
  free(x.term);
  free(x.bucket);
  free(of_state);
  free(state_of);
  return made;
}
