/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleeping to wait for another thread: after it was created, or in a loop that only sleeps until somebody else has
 * changed something.
 */
#include "lint/habit.h"
#include "lint/loops.h"

#define SYMBOLS_MOST 8

static void tell_sleep(struct lint_work *work, unsigned rule, uint32_t function, struct code_place call,
                       const char *object, const char *what)
{
  size_t length;
  const char *name = called_name(work->program, call, &length);
  habit_tell(work, rule, function, call.node, object, "%.*s() is used to wait for another thread: %s", (int)length,
             name, what);
}

/* ---- in a loop ---- */

/* A call that only lets time pass. */
static bool sleeps(const struct whole_program *p, struct code_place c)
{
  const uint64_t meaning = program_node(p, c)->kind == SYNTAX_CALL ? called_meaning(p, c) : 0;
  size_t length;
  if (!(meaning & word_bit(WORD_SLEEP_WITHOUT)))
    return meaning & word_bit(WORD_SLEEP);
  const char *name = called_name(p, c, &length);
  const struct code_place waited =
      code_child(p, c, vocabulary_argument(p->vocabulary, WORD_SLEEP_WITHOUT, name, length));
  const struct syntax_node *n = code_is(waited) ? program_node(p, code_inside(p, waited)) : NULL;
  return n && n->kind == SYNTAX_NUMBER && n->zero;
}

/* Whether nothing is called in the loop but what sleeps, however long it computes that it should, locks or prints. */
static bool only_sleeps(const struct whole_program *p, const struct lint_loop *loop)
{
  static const char *const words[] = {"print", "log", "debug", "trace", "yield", "load", "get", "read", "time", NULL};
  const uint64_t harmless = word_bit(WORD_LOCK) | word_bit(WORD_UNLOCK);
  for (uint32_t i = loop->from; i < loop->to; i++) {
    const struct code_place c = {loop->unit, i};
    size_t length;
    const struct syntax_node *n = program_node(p, c);
    if (sleeps(p, c))
      i += n->size - 1;
    else if (n->kind == SYNTAX_CALL && !(called_meaning(p, c) & harmless) &&
             !name_has(called_name(p, c, &length), words))
      return false;
  }
  return true;
}

/* A function, not in the loop's, that changes the symbol, and which of the two runs in a thread. */
static uint32_t changed_by(const struct whole_program *p, uint32_t symbol, uint32_t function)
{
  const struct c_object object = {.local = SYNTAX_NONE, .symbol = symbol};
  for (uint32_t i = 0; i < p->functions; i++) {
    struct changes c = {0};
    if (i == function || p->function[i].is_variable ||
        !(p->function[i].runs_in_thread || p->function[function].runs_in_thread))
      continue;
    changes_add(p, &object, stretch_of(p, i), &c);
    if (changes_sets(&c) + c.up + c.down)
      return i;
  }
  return PROGRAM_NONE;
}

static bool changes_in(const struct whole_program *p, const struct lint_loop *loop, uint32_t symbol)
{
  const struct c_object object = {.local = SYNTAX_NONE, .symbol = symbol};
  struct changes c = {0};
  changes_add(p, &object, (struct stretch){loop->unit, loop->from, loop->to}, &c);
  return changes_sets(&c) + c.up + c.down + c.taken;
}

/* `for (i = 0; i < most; i++)`: the symbol is the end of a walk, which nobody waits for. */
static bool is_end_of_walk(const struct whole_program *p, const struct lint_loop *loop, uint32_t asked, uint32_t symbol)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  for (uint32_t i = asked; i < asked + s->node[asked].size; i++) {
    const struct code_place c = {loop->unit, i}, left = code_child(p, c, 0), right = code_child(p, c, 1);
    struct c_object counter;
    struct changes moves = {0};
    if (s->node[i].kind != SYNTAX_BINARY || s->node[i].op < OPERATOR_LT || s->node[i].op > OPERATOR_NE ||
        !code_is(right))
      continue;
    const bool on_left = names_one(p, left, &symbol, 1);
    if ((!on_left && !names_one(p, right, &symbol, 1)) || !object_of(p, on_left ? right : left, &counter))
      continue;
    changes_add(p, &counter, (struct stretch){loop->unit, loop->node, loop->to}, &moves);
    if (moves.up + moves.down)
      return true;
  }
  return false;
}

static void look_at_loop(struct lint_work *work, unsigned rule, uint32_t function, struct code_place call,
                         const struct lint_loop *loop)
{
  const struct whole_program *p = work->program;
  const struct syntax *s = program_syntax(p, call);
  const uint8_t kind = s->node[loop->node].kind;
  const uint32_t asked = kind == SYNTAX_WHILE ? loop->node + 1 : syntax_child(s, loop->node, 1);
  uint32_t symbol[SYMBOLS_MOST];
  if (kind == SYNTAX_RANGE_FOR || asked == SYNTAX_NONE || !only_sleeps(p, loop))
    return;
  const unsigned symbols = shared_symbols(p, (struct code_place){call.unit, asked}, symbol, SYMBOLS_MOST);
  for (unsigned i = 0; i < symbols; i++) {
    const bool own = changes_in(p, loop, symbol[i]) || is_end_of_walk(p, loop, asked, symbol[i]);
    const uint32_t other = own ? PROGRAM_NONE : changed_by(p, symbol[i], function);
    if (other == PROGRAM_NONE)
      continue;
    tell_sleep(work, rule, function, call, p->symbol[symbol[i]].name, "the loop only sleeps until somebody changes it");
    struct findings *all = work->findings;
    struct lint_finding *f = all->count ? &all->finding[all->count - 1] : NULL;
    if (f && f->rule == rule && !f->places)
      habit_note(work, f, other, p->function[other].node, "%s() changes '%s'", function_name(p, other),
                 p->symbol[symbol[i]].name);
    return;
  }
}

/* ---- after a creation ---- */

/* The newest call of one of the words before the node, in the same function. */
static uint32_t newest_before(const struct whole_program *p, uint32_t function, uint32_t node, uint64_t words)
{
  const struct stretch s = stretch_of(p, function);
  uint32_t newest = PROGRAM_NONE;
  for (uint32_t i = s.from; i < node; i++)
    if (program_node(p, (struct code_place){s.unit, i})->kind == SYNTAX_CALL &&
        called_meaning(p, (struct code_place){s.unit, i}) & words)
      newest = i;
  return newest;
}

/* Whether the sleep stands behind the creation in the same block, or in one around it, and no loop is around it alone.
 */
static bool follows(const struct whole_program *p, uint32_t unit, uint32_t creation, uint32_t sleep)
{
  const struct program_unit *u = &p->unit[unit];
  for (uint32_t at = u->parent[sleep]; at != SYNTAX_NONE; at = u->parent[at]) {
    const struct syntax_node *n = &u->syntax.node[at];
    const bool around = creation >= at && creation < at + n->size;
    if (around)
      return n->kind == SYNTAX_BLOCK || n->kind == SYNTAX_FUNCTION;
    if (n->kind == SYNTAX_IF || n->kind == SYNTAX_WHILE || n->kind == SYNTAX_FOR || n->kind == SYNTAX_DO ||
        n->kind == SYNTAX_SWITCH)
      return false;
  }
  return false;
}

/* Whether a loop of its own lies between: then the thread was not just created. */
static bool has_loop_between(const struct whole_program *p, uint32_t unit, uint32_t creation, uint32_t sleep)
{
  const struct syntax *s = &p->unit[unit].syntax;
  for (uint32_t i = creation; i < sleep; i++) {
    const uint8_t kind = s->node[i].kind;
    if ((kind == SYNTAX_WHILE || kind == SYNTAX_FOR || kind == SYNTAX_DO) && i + s->node[i].size <= sleep)
      return true;
  }
  return false;
}

static void look_at_sleep(struct lint_work *work, unsigned rule, const struct lint_call *site)
{
  const struct whole_program *p = work->program;
  struct lint_loop loop[LOOPS_MOST];
  const uint64_t ends = word_bit(WORD_JOIN) | word_bit(WORD_COND_WAIT) | word_bit(WORD_WAIT);
  if (loops_around(p, site->function, site->code.node, loop, LOOPS_MOST) && loop[0].kind == LOOP_STATEMENT)
    look_at_loop(work, rule, site->function, site->code, &loop[0]);
  const uint32_t creation = newest_before(p, site->function, site->code.node, word_bit(WORD_THREAD));
  const uint32_t end = newest_before(p, site->function, site->code.node, ends);
  if (creation != PROGRAM_NONE && (end == PROGRAM_NONE || end < creation) &&
      follows(p, site->code.unit, creation, site->code.node) &&
      !has_loop_between(p, site->code.unit, creation, site->code.node))
    tell_sleep(work, rule, site->function, site->code, "created",
               "the thread was just created, and nothing says when it is ready");
}

bool sleep_to_wait_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  for (size_t i = 0; i < p->calls && !work->findings->failed; i++)
    if (p->symbol[p->call[i].callee].meaning & (word_bit(WORD_SLEEP) | word_bit(WORD_SLEEP_WITHOUT)) &&
        sleeps(p, p->call[i].code))
      look_at_sleep(work, rule, &p->call[i]);
  return true;
}
