/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns 3 to 6: simple conditions that can hold only so often. Each says why it does not fit.
 */
#include "lint/bounding_parts.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 1, 2))) static struct bound_answer no(const char *format, ...)
{
  struct bound_answer a = {0};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(a.why, sizeof a.why, format, arguments);
  va_end(arguments);
  return a;
}

static struct bound_answer yes(unsigned pattern)
{
  return (struct bound_answer){.total = true, .live = true, .pattern = pattern};
}

static const char *name_of(const struct whole_program *p, const struct c_object *o)
{
  return syntax_name(&p->unit[o->unit].syntax, o->local);
}

/* ---- retries ---- */

static bool is_inside(const struct whole_program *p, struct code_place c, struct code_place of)
{
  return c.unit == of.unit && c.node >= of.node && c.node < of.node + program_node(p, of)->size;
}

/* Whether the object gets what the call on the path returns. */
static bool is_result(const struct judging *j, struct code_place c, unsigned level)
{
  struct c_object o;
  const struct code_place call = j->question->step[level].code;
  if (is_inside(j->program, call, c))
    return true;
  if (level != j->question->level || !object_of(j->program, c, &o))
    return false;
  const struct changes changes = changes_in_loop(j, &o, level);
  return changes.called == 1 && changes.last_call.unit == call.unit && changes.last_call.node == call.node;
}

bool is_literal_zero(const struct whole_program *p, struct code_place c)
{
  const struct syntax_node *n = program_node(p, code_inside(p, c));
  return n->kind == SYNTAX_NUMBER && n->zero;
}

/* Whether the called function has asked for the same value before it created, `if (result == GOOD)`. */
static bool asked_before(const struct judging *j, const struct condition *all, struct code_place value, unsigned level)
{
  const struct whole_program *p = j->program;
  if (all->kind == CONDITION_AND)
    return asked_before(j, all->left, value, level) || asked_before(j, all->right, value, level);
  if (all->kind != CONDITION_SIMPLE || all->level != level || code_is(all->value) ||
      condition_operator(p, all) != OPERATOR_EQ)
    return false;
  const struct code_place right = code_child(p, all->code, 1);
  const char *text = syntax_text(program_syntax(p, right), program_node(p, right)->text);
  return *text && !strcmp(text, syntax_text(program_syntax(p, value), program_node(p, value)->text));
}

/* `do result = connect(); while (result != GOOD);`, where connect() creates if the result is good. */
static bool ends_when_good(const struct judging *j, const struct condition *simple)
{
  return j->whole && simple->level && condition_operator(j->program, simple) == OPERATOR_NE &&
         asked_before(j, j->whole, code_child(j->program, simple->code, 1), simple->level - 1);
}

/* Whether the call on the path is true, not 0, when it has worked. */
static bool is_true_when_good(const struct judging *j, unsigned level)
{
  static const char *const truths[] = {"bool ", "_Bool ", "gboolean ", "BOOL "};
  const uint32_t symbol = program_symbol_of(j->program, j->question->step[level].code);
  const char *type = symbol == PROGRAM_NONE ? "" : j->program->symbol[symbol].type;
  for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
    if (!strncmp(type, truths[i], strlen(truths[i])))
      return true;
  return false;
}

/* `while (pthread_create(…) != 0)`: once it has worked, the loop ends. */
static bool is_retry(const struct judging *j, const struct condition *simple)
{
  const struct whole_program *p = j->program;
  const enum syntax_operator op = condition_operator(p, simple);
  const bool truth = is_true_when_good(j, simple->level);
  if (!j->question->fails_by_value ||
      !(j->question->loop.kind == LOOP_STATEMENT || j->question->loop.kind == LOOP_GOTO) ||
      simple->level != j->question->level)
    return false;
  if (op == OPERATOR_NONE)
    return simple->negated == truth && is_result(j, simple->code, simple->level);
  if (code_is(simple->value) || !is_result(j, code_child(p, simple->code, 0), simple->level))
    return false;
  const bool zero = is_literal_zero(p, code_child(p, simple->code, 1));
  const bool goes_on = zero ? op == OPERATOR_NE || op == OPERATOR_LT : op == OPERATOR_EQ;
  return (truth && zero ? op == OPERATOR_EQ : goes_on) || ends_when_good(j, simple);
}

/* ---- pattern 3 ---- */

/* What of a condition is not about the object. */
static const struct condition *without(struct judging *j, const struct condition *c, const struct c_object *o)
{
  if (c->kind == CONDITION_AND)
    return condition_and(j->conditions, without(j, c->left, o), without(j, c->right, o));
  if (c->kind != CONDITION_SIMPLE)
    return c;
  struct code_place asked = c->code;
  if (condition_operator(j->program, c) != OPERATOR_NONE && !code_is(c->value))
    asked = code_child(j->program, asked, 0);
  return is_object(j->program, asked, o) ? condition_constant(true) : c;
}

static unsigned level_of(const struct judging *j, struct code_place c)
{
  for (unsigned i = 0; i <= j->question->level; i++)
    if (c.unit == j->stretch[i].unit && c.node >= j->stretch[i].from && c.node < j->stretch[i].to)
      return i;
  return j->question->level;
}

static struct bound_answer flag(struct judging *j, const struct c_object *o, bool negated, unsigned level)
{
  const char *name = name_of(j->program, o);
  const struct changes c = changes_in_loop(j, o, level);
  const bool turns = negated ? c.nonzero : c.zero, back = negated ? c.zero : c.nonzero;
  const struct code_place at = negated ? c.last_nonzero : c.last_zero;
  if (c.called) {
    size_t length;
    const char *called = called_name(j->program, c.last_call, &length);
    return no("'%s' is assigned from a call%s%.*s%s", name, length ? " (" : "", (int)length, called,
              length ? "())" : "");
  }
  if (!turns)
    return no("the loop does not set '%s' to %s", name, negated ? "true" : "false");
  if (back)
    return no("the loop also sets '%s' back", name);
  const unsigned where = level_of(j, at);
  const struct lint_loop loop = loop_of_level(j, where);
  const struct condition *reach =
      guards_of(j->conditions, j->program, &loop, at.node, j->question->step[where].code.node, where);
  reach = without(j, reach, o);
  if (bounding(j, condition_not(j->conditions, reach)).total)
    return yes(3);
  char text[REASON_SIZE / 2];
  condition_text(j->program, reach, text, sizeof text);
  return no("'%s' is set only when %s, which may never happen", name, text);
}

/* Whether a function walks through something and makes and takes away nothing: it looks something up. */
static bool only_searches(const struct whole_program *p, struct code_place call)
{
  const uint64_t other = word_bit(WORD_INSTANTIATE) | word_bit(WORD_REMOVE) | word_bit(WORD_INPUT);
  const uint32_t symbol = program_symbol_of(p, call);
  const uint32_t function = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
  bool walks = false;
  if (function == PROGRAM_NONE)
    return false;
  const struct program_function *f = &p->function[function];
  for (uint32_t i = f->node; i < f->node + p->unit[f->unit].syntax.node[f->node].size; i++) {
    const struct code_place c = {f->unit, i};
    const struct syntax_node *n = program_node(p, c);
    const uint32_t callee = n->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
    if (n->kind == SYNTAX_NEW || called_meaning(p, c) & other ||
        (callee != PROGRAM_NONE && p->symbol[callee].function != PROGRAM_NONE))
      return false;
    walks |= n->kind == SYNTAX_FOR || n->kind == SYNTAX_WHILE || n->kind == SYNTAX_DO;
  }
  return walks;
}

/* Whether the loop, or a thread, makes something of that type. */
static bool is_made_meanwhile(const struct judging *j, const char *type)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  for (uint32_t i = 0; i < p->functions; i++) {
    const struct program_function *f = &p->function[i];
    const struct syntax *s = &p->unit[f->unit].syntax;
    const bool meanwhile = f->runs_in_thread || i == j->question->loop.function || (j->reached && j->reached[i]);
    for (uint32_t node = f->node; meanwhile && node < f->node + s->node[f->node].size; node++) {
      const struct code_place c = {f->unit, node};
      struct changes changes = {0};
      const bool sets = s->node[node].kind == SYNTAX_ASSIGN || s->node[node].kind == SYNTAX_VARIABLE;
      if (!sets || !object_of(p, s->node[node].kind == SYNTAX_ASSIGN ? code_child(p, c, 0) : c, &o) ||
          strcmp(syntax_text(s, s->symbol[o.local].type), type) != 0)
        continue;
      changes_add(p, &o, (struct stretch){f->unit, node, node + s->node[node].size}, &changes);
      if (changes.instantiated)
        return true;
    }
  }
  return false;
}

/* The variable that a member is of, if the turn gets a new one: then its flags are new, too. One that is looked up
 * among those that there have always been is none. */
static bool is_of_new(const struct judging *j, struct code_place member, unsigned level)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  struct code_place at = code_inside(p, member);
  while (program_node(p, at)->kind == SYNTAX_MEMBER && code_is(code_child(p, at, 0)))
    at = code_inside(p, code_child(p, at, 0));
  if (!object_of(p, at, &o) || o.symbol != PROGRAM_NONE)
    return false;
  const struct changes c = changes_in_loop(j, &o, level);
  return c.called &&
         (!only_searches(p, c.last_call) ||
          is_made_meanwhile(j, syntax_text(&p->unit[o.unit].syntax, p->unit[o.unit].syntax.symbol[o.local].type)));
}

/* `if (active) return; active = peer; create();`: a pointer is the flag, and is set wherever the thread is created. */
static bool is_taken_by_one(const struct judging *j, const struct c_object *o, struct code_place asked, unsigned level)
{
  const struct changes c = changes_in_loop(j, o, level);
  if (!may_use(j, 8) || o->symbol == PROGRAM_NONE || c.set != 1 || c.stepped || changes_sets(&c) != 1 ||
      (o->flags & SYMBOL_FIELD && is_of_new(j, asked, level)))
    return false;
  const unsigned where = level_of(j, c.last_set);
  const struct lint_loop loop = loop_of_level(j, where);
  const uint32_t call = j->question->step[where].code.node;
  return guards_of(j->conditions, j->program, &loop, c.last_set.node, call, where)->kind == CONDITION_TRUE;
}

/* `if (!running) { running = true; create(); }`, and whoever was created sets it back: one at a time. The loop itself
 * may do so where the creation failed. */
static bool is_set_by_one(const struct judging *j, const struct c_object *o, unsigned level)
{
  if (!may_use(j, 8) || o->symbol == PROGRAM_NONE || o->flags & SYMBOL_POINTER)
    return false;
  const struct changes c = changes_in_loop(j, o, level);
  if (!c.nonzero || c.zero > 1 || c.called || c.set)
    return false;
  if (!c.zero)
    return true;
  const unsigned where = level_of(j, c.last_zero);
  const struct lint_loop loop = loop_of_level(j, where);
  const uint32_t call = j->question->step[where].code.node;
  const struct condition *guard = guards_of(j->conditions, j->program, &loop, c.last_zero.node, call, where);
  return guard->kind != CONDITION_TRUE && asks_result(j, guard, where);
}

/* ---- pattern 4 ---- */

static struct bound_answer emptied(struct judging *j, struct code_place call, const char *text, unsigned level)
{
  if (!loop_has(j, WORD_REMOVE, text, level, NULL))
    return no("the loop takes nothing from '%s'", text);
  if (loop_has(j, WORD_ADD, text, level, NULL))
    return no("the loop also adds to '%s'", text);
  if (is_shared(j, object_symbol(j->program, call, text)))
    return no("'%s' is used by several threads, which may add to it", text);
  return yes(4);
}

/* The call below an expression that means the word. */
static struct code_place call_below(const struct whole_program *p, struct code_place c, enum lint_word word,
                                    char text[OBJECT_TEXT])
{
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++) {
    const struct code_place at = {c.unit, i};
    const uint8_t kind = program_node(p, at)->kind;
    if ((kind == SYNTAX_CALL || kind == SYNTAX_MACRO) && object_of_word(p, at, word, text) && text[0])
      return at;
  }
  return (struct code_place){.node = PROGRAM_NONE};
}

/* ---- pattern 5 ---- */

static bool runs_towards(enum syntax_operator op, enum value_course left, enum value_course right)
{
  const bool left_fixed = left == VALUE_CONSTANT, right_fixed = right == VALUE_CONSTANT;
  if (left_fixed == right_fixed)
    return false;
  switch (op) {
  case OPERATOR_GT:
  case OPERATOR_GE:
    return left_fixed ? right == VALUE_INCREASING : left == VALUE_DECREASING;
  case OPERATOR_LT:
  case OPERATOR_LE:
    return left_fixed ? right == VALUE_DECREASING : left == VALUE_INCREASING;
  default:
    return true;
  }
}

static struct bound_answer compare(struct judging *j, enum syntax_operator op, struct code_place left,
                                   struct code_place right, unsigned level)
{
  char why[REASON_SIZE];
  struct turn_value l = course_of(j, left, level),
                    r = code_is(right) ? course_of(j, right, level) : (struct turn_value){0};
  if (l.course != VALUE_OTHER && r.course != VALUE_OTHER) {
    if (may_use(j, 5) && runs_towards(op, l.course, r.course))
      return yes(l.configured || r.configured ? 9 : 5);
    if (l.course == VALUE_CONSTANT && r.course == VALUE_CONSTANT)
      return no("neither side changes in the loop");
    return no("the values do not run towards each other");
  }
  const bool below = op == OPERATOR_LT || op == OPERATOR_LE || op == OPERATOR_NE;
  const bool above = op == OPERATOR_GT || op == OPERATOR_GE || op == OPERATOR_NE;
  if (code_is(right) && ((below && counts_threads(j, left, right, level, why)) ||
                         (above && counts_threads(j, right, left, level, why)))) {
    struct bound_answer a = no("%s", why);
    a.live = true;
    a.pattern = 8;
    return a;
  }
  return no("%s", l.course == VALUE_OTHER ? l.why : r.why);
}

/* ---- pattern 6 ---- */

static struct bound_answer set_once(struct judging *j, const struct c_object *o, unsigned level)
{
  const char *name = name_of(j->program, o);
  const struct changes c = changes_in_loop(j, o, level);
  const struct code_place call = j->question->step[level].code;
  size_t length;
  if (c.zero)
    return no("the loop also sets '%s' back to NULL", name);
  if (c.called && (c.called == c.instantiated || (c.last_call.unit == call.unit && c.last_call.node == call.node)) &&
      !c.set)
    return yes(6);
  if (c.called) {
    const char *called = called_name(j->program, c.last_call, &length);
    return no("'%s' is assigned from a call (%.*s()), which may give NULL", name, (int)length, called);
  }
  return no("the loop does not set '%s' to something new", name);
}

/* ---- simple conditions ---- */

static struct bound_answer one_at_a_time(const struct judging *j, const struct c_object *o)
{
  struct bound_answer a = no("'%s' is set while there is one", name_of(j->program, o));
  a.live = true;
  a.pattern = 8;
  return a;
}

static struct bound_answer answer_pointer(struct judging *j, const struct c_object *o, struct code_place c,
                                          bool negated, unsigned level)
{
  const struct bound_answer a =
      negated && may_use(j, 6) ? set_once(j, o, level) : no("a test for NULL does not limit the loop");
  return negated && !a.total && is_taken_by_one(j, o, c, level) ? one_at_a_time(j, o) : a;
}

static struct bound_answer answer_object(struct judging *j, const struct c_object *o, struct code_place c, bool negated,
                                         unsigned level)
{
  if (o->flags & SYMBOL_POINTER)
    return answer_pointer(j, o, c, negated, level);
  if (o->flags & SYMBOL_FIELD && is_of_new(j, c, level))
    return no("'%s' is of something new in each iteration", name_of(j->program, o));
  const struct bound_answer a = may_use(j, 3) ? flag(j, o, negated, level) : no("pattern 3 is not used");
  if (a.total)
    return a;
  if (negated && is_set_by_one(j, o, level))
    return one_at_a_time(j, o);
  const struct bound_answer b =
      compare(j, negated ? OPERATOR_EQ : OPERATOR_NE, c, (struct code_place){.node = PROGRAM_NONE}, level);
  return b.total || b.live ? b : a;
}

static struct bound_answer answer_truth(struct judging *j, struct code_place c, bool negated, unsigned level)
{
  const struct whole_program *p = j->program;
  char text[OBJECT_TEXT];
  struct c_object o;
  size_t length;
  struct code_place call = call_below(p, c, WORD_EMPTY, text);
  if (code_is(call) && may_use(j, 4))
    return negated ? emptied(j, call, text, level) : no("a test whether '%s' is empty does not limit the loop", text);
  const struct code_place inside = code_inside(p, c);
  const struct syntax_node *n = program_node(p, inside);
  if (n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_CALL) {
    call = call_below(p, inside, WORD_REMOVE, text);
    if (code_is(call) && !negated && may_use(j, 4))
      return emptied(j, call, text, level);
    const struct code_place called = n->kind == SYNTAX_CALL ? inside : code_inside(p, code_child(p, inside, 1));
    const char *name = called_name(p, called, &length);
    return length ? no("no pattern fits the value of %.*s()", (int)length, name) : no("no pattern fits its value");
  }
  if (object_of(p, inside, &o))
    return answer_object(j, &o, inside, negated, level);
  return no("no pattern fits it");
}

static struct bound_answer answer_comparison(struct judging *j, const struct condition *simple, enum syntax_operator op)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  const struct code_place left = code_is(simple->value) ? simple->code : code_child(p, simple->code, 0);
  const struct code_place right = code_is(simple->value) ? simple->value : code_child(p, simple->code, 1);
  if (op == OPERATOR_EQ || op == OPERATOR_NE) {
    const bool zero_right = is_literal_zero(p, right), zero_left = is_literal_zero(p, left);
    const struct code_place asked = zero_right ? left : right;
    const struct syntax_node *n = program_node(p, code_inside(p, asked));
    const bool plain = object_of(p, code_inside(p, asked), &o) && !(o.flags & SYMBOL_POINTER);
    if ((zero_right || zero_left) && (!plain || n->kind == SYNTAX_NAME || n->kind == SYNTAX_MEMBER))
      return answer_truth(j, asked, op == OPERATOR_EQ, simple->level);
  }
  return compare(j, op, left, right, simple->level);
}

struct bound_answer simple_answer(struct judging *j, const struct condition *simple)
{
  const enum syntax_operator op = condition_operator(j->program, simple);
  if (op == OPERATOR_OTHER)
    return no("no pattern fits a value that is another one than those of the cases");
  if (is_retry(j, simple))
    return yes(0);
  if (asks_walk(j, simple))
    return yes(2);
  return op == OPERATOR_NONE ? answer_truth(j, simple->code, simple->negated, simple->level)
                             : answer_comparison(j, simple, op);
}
