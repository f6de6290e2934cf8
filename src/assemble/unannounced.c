/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses of a compiler's function were not announced by its own instrumentation, so that they need hooks of
 * ours. Marks lines; writes nothing.
 */
#include "assemble/announced.h"
#include "assemble/insertion.h"
#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

static int compare_names(const void *a, const void *b)
{
  const struct span *s = a, *t = b;
  size_t n = s->length < t->length ? s->length : t->length;
  int order = memcmp(s->at, t->at, n);
  return order ? order : (s->length > t->length) - (s->length < t->length);
}

/* The labels in sections that cannot be written to. */
bool constants_find(struct insertion *w)
{
  size_t room = 0;
  bool constant = false;
  for (size_t i = 0; i < w->lines; i++) {
    struct span line = w->line[i].text;
    struct statement s;
    if (selects_section(line))
      constant = span_begins(directive_arguments(line, ".section"), ".rodata");
    if (!constant || !line.length || *line.at == '\t' || !take_statement(&line, &s) || s.kind != STATEMENT_LABEL)
      continue;
    if (w->constants == room) {
      room = room ? 2 * room : 64;
      struct span *more = realloc(w->constant, room * sizeof *more);
      if (!more)
        return false;
      w->constant = more;
    }
    w->constant[w->constants++] = s.text;
  }
  if (w->constants)
    qsort(w->constant, w->constants, sizeof *w->constant, compare_names);
  return true;
}

/* ---- what is announced ---- */

#define JUMPS_MOST 64

/* Labels that are jumped to while something is announced. */
struct jumps {
  struct span target[JUMPS_MOST];
  size_t count;
};

static bool is_constant(const void *work, struct span symbol)
{
  const struct insertion *w = work;
  return w->constants && bsearch(&symbol, w->constant, w->constants, sizeof *w->constant, compare_names);
}

/* Whether control may come to the label with something announced. */
static bool is_unsure(const struct jumps *jumps, struct span label)
{
  for (size_t i = 0; i < jumps->count; i++)
    if (jumps->target[i].length == label.length && memcmp(jumps->target[i].at, label.at, label.length) == 0)
      return true;
  return jumps->count == JUMPS_MOST;
}

/* Follows what the compiler has announced through a function, once. */
static void follow_announced(struct insertion *w, size_t from, size_t to, struct announced a, struct jumps *jumps)
{
  for (size_t i = from; i < to; i++) {
    struct span line = w->line[i].text;
    struct statement s;
    w->line[i].access = ANNOUNCED;
    if (w->line[i].dropped || w->line[i].written || span_begins(span_trim(line), "#"))
      continue;
    while (take_statement(&line, &s)) {
      if (s.kind == STATEMENT_LABEL)
        announced_label(&a, is_unsure(jumps, s.text));
      if (s.kind != STATEMENT_INSTRUCTION)
        continue;
      struct instruction in = instruction_parse(s.text);
      if (!in.mnemonic.length)
        continue;
      if (announced_instruction(&a, &in))
        w->line[i].access = a.exempt ? EXEMPT : UNANNOUNCED;
      if (*in.mnemonic.at == 'j' && in.operands && announced_any(&a) && jumps->count < JUMPS_MOST)
        jumps->target[jumps->count++] = in.operand[0];
      if (span_begins(in.mnemonic, "jmp") || span_begins(in.mnemonic, "ret"))
        a.read = a.write = 0;
    }
  }
}

/* Parts that a compiler has moved away from their function, and what only adjusts a pointer, count as announced. */
static bool is_part(struct span name)
{
  return span_has(name, ".cold") || span_begins(name, "_ZTv") || span_begins(name, "_ZTh") || span_begins(name, "_ZTc");
}

/* What is not to be seen, by its section: HD_UNSEEN of heddle.h, and what drives tests. */
static bool is_unseen(const struct insertion *w, size_t from)
{
  while (from-- > 0)
    if (selects_section(w->line[from].text)) {
      const struct span section = directive_arguments(w->line[from].text, ".section");
      return span_begins(section, ".text.heddle_unseen") || span_begins(section, "heddle_left_out");
    }
  return false;
}

bool find_unannounced(struct insertion *w, size_t from, size_t to)
{
  struct announced a = {.exempt = true, .is_constant = is_constant, .context = w};
  struct jumps jumps = {.count = 0};
  bool any = false;
  if (!w->has_hooks || is_part(directive_arguments(w->line[from].text, ".type")) || is_unseen(w, from))
    return false;
  for (size_t i = from; i < to && a.exempt; i++)
    a.exempt = w->line[i].written || !span_has(w->line[i].text, "__tsan_");
  follow_announced(w, from, to, a, &jumps);
  if (jumps.count) /* some jump back */
    follow_announced(w, from, to, a, &jumps);
  for (size_t i = from; i < to; i++)
    any |= w->line[i].access != ANNOUNCED;
  return any;
}
