/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables that threads share without what makes that right: asked for twice, once without the lock, and volatile in
 * place of atomic.
 */
#include "lint/habit.h"
#include <stdlib.h>
#include <string.h>

/* ---- double-checked locking ---- */

#define ASKED_MOST 16

struct asked_object {
  char text[OBJECT_TEXT];
  uint32_t without, with; /* where it is asked for: nodes; SYNTAX_NONE: it is not */
};

struct double_question {
  struct lint_work *work;
  unsigned rule;
  struct asked_object asked[ASKED_MOST];
  unsigned count;
};

/* A plain variable that others see, in a simple question: `!p`, `p == NULL`, `p`. */
static bool plain_object(const struct whole_program *p, struct code_place code, char text[OBJECT_TEXT])
{
  struct c_object object;
  for (;;) {
    const struct syntax_node *n = program_node(p, code);
    const struct code_place first = code_child(p, code, 0), second = code_child(p, code, 1);
    const bool compares = n->kind == SYNTAX_BINARY && (n->op == OPERATOR_EQ || n->op == OPERATOR_NE);
    const bool wraps = (n->kind == SYNTAX_MACRO && code_is(first) && !code_is(second)) ||
                       (n->kind == SYNTAX_UNARY && n->op == OPERATOR_NOT);
    if (!wraps && !(compares && program_node(p, code_inside(p, second))->kind == SYNTAX_NUMBER))
      break;
    code = first;
  }
  const uint8_t kind = program_node(p, code)->kind;
  return (kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && object_of(p, code, &object) &&
         object.flags & (SYMBOL_GLOBAL | SYMBOL_FIELD) && !(object.flags & (SYMBOL_ATOMIC | SYMBOL_CONST)) &&
         object_text(p, code, text);
}

static struct asked_object *asked_of(struct double_question *q, const char *text, bool add)
{
  for (unsigned i = 0; i < q->count; i++)
    if (!strcmp(q->asked[i].text, text))
      return &q->asked[i];
  if (!add || q->count == ASKED_MOST)
    return NULL;
  struct asked_object *fresh = &q->asked[q->count++];
  *fresh = (struct asked_object){.without = SYNTAX_NONE, .with = SYNTAX_NONE};
  strcpy(fresh->text, text);
  return fresh;
}

static void tell_double(struct double_question *q, const struct lock_walk *walk, const struct asked_object *asked,
                        uint32_t change)
{
  struct lint_finding *f = habit_tell(q->work, q->rule, walk->function, asked->without, asked->text,
                                      "'%s' is read without the lock, and is not atomic", asked->text);
  habit_note(q->work, f, walk->function, asked->with, "here it is asked for again, with the lock");
  habit_note(q->work, f, walk->function, change, "and set here: the first question races with this");
}

/* Whether both are in the same case of a switch, if they are in one: else no path has both. */
static bool in_one_case(const struct whole_program *p, uint32_t unit, uint32_t first, uint32_t second)
{
  const struct program_unit *u = &p->unit[unit];
  uint32_t around = u->parent[first];
  while (around != SYNTAX_NONE && u->syntax.node[around].kind != SYNTAX_SWITCH)
    around = u->parent[around];
  for (uint32_t i = first; around != SYNTAX_NONE && i < second && i < around + u->syntax.node[around].size; i++) {
    const uint8_t kind = u->syntax.node[i].kind;
    uint32_t of = u->parent[i];
    while (of != SYNTAX_NONE && u->syntax.node[of].kind != SYNTAX_SWITCH)
      of = u->parent[of];
    if ((kind == SYNTAX_CASE || kind == SYNTAX_DEFAULT) && of == around)
      return false;
  }
  return true;
}

static void look_at_questions(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                              const struct lock_states *states)
{
  struct double_question *q = walk->data;
  const struct whole_program *p = walk->program;
  char text[OBJECT_TEXT];
  if (moment == WALK_TEST && plain_object(p, code, text)) {
    const bool without = !some_hold(states, UINT32_MAX);
    struct asked_object *asked = asked_of(q, text, without);
    if (asked && without && asked->with == SYNTAX_NONE)
      asked->without = code.node;
    else if (asked && !without && all_hold(states, UINT32_MAX) && asked->without != SYNTAX_NONE &&
             in_one_case(p, code.unit, asked->without, code.node))
      asked->with = code.node;
  }
  if (moment == WALK_CHANGE && all_hold(states, UINT32_MAX) && object_text(p, changed_object(p, code), text)) {
    const struct asked_object *asked = asked_of(q, text, false);
    if (asked && asked->with != SYNTAX_NONE)
      tell_double(q, walk, asked, code.node);
  }
}

static bool look_for_double(struct lint_work *work, unsigned rule, uint32_t function)
{
  struct double_question q = {.work = work, .rule = rule};
  if (callers_hold_lock(work, function))
    return true;
  struct lock_walk *walk = malloc(sizeof *walk);
  const bool good = walk && lock_walk_run(walk, work->program, work->effects, function, look_at_questions, &q);
  free(walk);
  return good;
}

bool double_checked_run(struct lint_work *work, unsigned rule)
{
  return each_function_with(work, rule, word_bit(WORD_LOCK), look_for_double);
}

/* ---- volatile ---- */

/* Where one of them is changed, and where it is asked for, without a lock. */
struct volatile_use {
  uint32_t function, node; /* PROGRAM_NONE: nowhere */
  bool in_thread;
};

struct volatile_object {
  uint32_t symbol;
  struct volatile_use change, other; /* the other one is in another function */
};

struct volatile_question {
  const struct whole_program *program;
  struct volatile_object *object;
  size_t count;
  bool failed;
};

static bool is_candidate(const struct whole_program *p, uint32_t symbol)
{
  const struct program_symbol *s = &p->symbol[symbol];
  return s->flags & SYMBOL_VOLATILE && s->flags & (SYMBOL_GLOBAL | SYMBOL_FIELD) && s->flags & SYMBOL_INTEGER &&
         !(s->flags & SYMBOL_ATOMIC) && !strstr(s->type, "sig_atomic_t") && !strstr(s->type, "atomic");
}

static struct volatile_object *object_for(struct volatile_question *q, uint32_t symbol)
{
  for (size_t i = 0; i < q->count; i++)
    if (q->object[i].symbol == symbol)
      return &q->object[i];
  struct volatile_object *grown = realloc(q->object, (q->count + 1) * sizeof *grown);
  q->failed |= !grown;
  if (!grown)
    return NULL;
  q->object = grown;
  q->object[q->count] =
      (struct volatile_object){.symbol = symbol, .change = {PROGRAM_NONE, 0, false}, .other = {PROGRAM_NONE, 0, false}};
  return &q->object[q->count++];
}

/* Before the thread is created, or after it was joined, in the function that does: nothing runs beside it. */
static bool is_alone(const struct whole_program *p, uint32_t function, uint32_t node)
{
  const struct stretch s = stretch_of(p, function);
  return !p->function[function].runs_in_thread &&
         (has_word(p, (struct stretch){s.unit, s.from, node}, word_bit(WORD_JOIN)) ||
          (!has_word(p, (struct stretch){s.unit, s.from, node}, word_bit(WORD_THREAD)) &&
           has_word(p, (struct stretch){s.unit, node, s.to}, word_bit(WORD_THREAD))));
}

/* A change in a thread is kept before one elsewhere; a question is kept if it is in another function. */
static void note_use(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                     const struct lock_states *states)
{
  struct volatile_question *q = walk->data;
  const struct whole_program *p = walk->program;
  struct c_object object = {.symbol = PROGRAM_NONE};
  uint32_t symbol[4];
  unsigned symbols = 0;
  if (some_hold(states, UINT32_MAX) || is_alone(p, walk->function, code.node))
    return;
  if (moment == WALK_TEST)
    symbols = shared_symbols(p, code, symbol, 4);
  else if (moment == WALK_CHANGE && object_of(p, changed_object(p, code), &object) && object.symbol != PROGRAM_NONE)
    symbol[symbols++] = object.symbol;
  for (unsigned i = 0; i < symbols; i++) {
    struct volatile_object *o = is_candidate(p, symbol[i]) ? object_for(q, symbol[i]) : NULL;
    struct volatile_use *use = !o ? NULL : moment == WALK_CHANGE ? &o->change : &o->other;
    const bool in_thread = p->function[walk->function].runs_in_thread;
    if (use && (use->function == PROGRAM_NONE || (in_thread && !use->in_thread)))
      *use = (struct volatile_use){walk->function, code.node, in_thread};
  }
}

/* Functions that name a volatile variable of that kind. */
static bool names_volatile(const struct whole_program *p, uint32_t function)
{
  const struct stretch s = stretch_of(p, function);
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    const uint8_t kind = program_node(p, c)->kind;
    const uint32_t symbol = kind == SYNTAX_NAME || kind == SYNTAX_MEMBER ? program_symbol_of(p, c) : PROGRAM_NONE;
    if (symbol != PROGRAM_NONE && is_candidate(p, symbol))
      return true;
  }
  return false;
}

static void tell_volatile(struct lint_work *work, unsigned rule, const struct volatile_object *o)
{
  const struct whole_program *p = work->program;
  const char *name = p->symbol[o->symbol].name;
  if (o->change.function == PROGRAM_NONE || o->other.function == PROGRAM_NONE ||
      o->change.function == o->other.function || !(o->change.in_thread || o->other.in_thread) ||
      callers_hold_lock(work, o->change.function) || callers_hold_lock(work, o->other.function))
    return;
  struct lint_finding *f =
      habit_tell(work, rule, o->change.function, o->change.node, name,
                 "'%s' is volatile, which makes it neither atomic nor ordered for other threads", name);
  habit_note(work, f, o->other.function, o->other.node, "%s() asks for it here, %s",
             function_name(p, o->other.function), o->other.in_thread ? "in a thread" : "while a thread changes it");
}

bool volatile_as_atomic_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  struct volatile_question q = {.program = p};
  struct lock_walk *walk = malloc(sizeof *walk);
  bool good = walk;
  for (uint32_t i = 0; good && i < p->functions; i++)
    if (!p->function[i].is_variable && names_volatile(p, i))
      good = lock_walk_run(walk, p, work->effects, i, note_use, &q) && !q.failed;
  for (size_t i = 0; good && i < q.count; i++)
    tell_volatile(work, rule, &q.object[i]);
  free(q.object);
  free(walk);
  return good;
}
