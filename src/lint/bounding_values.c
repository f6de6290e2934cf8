/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of a value from turn to turn: constant, increasing, decreasing, or neither, and why. Local variables and
 * parameters that the loop does not assign are constants; globals and members only if nobody changes them while the
 * loop runs (pattern 9).
 */
#include "lint/bounding_parts.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REACH_DEPTH 5    /* calls from the loop */
#define QUESTION_DEPTH 6 /* of values that are made of others */

__attribute__((format(printf, 1, 2))) static struct turn_value other(const char *format, ...)
{
  struct turn_value v = {.course = VALUE_OTHER};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(v.why, sizeof v.why, format, arguments);
  va_end(arguments);
  return v;
}

static struct turn_value course_is(enum value_course course)
{
  return (struct turn_value){.course = course};
}

/* Of a parameter in a recursion: what is given for it. */
static void note_argument(const struct judging *j, const struct c_object *object, struct changes *c)
{
  const struct whole_program *p = j->program;
  const struct program_function *f = &p->function[j->question->loop.function];
  const struct code_place call = j->question->step[j->question->level].code;
  for (unsigned i = 0;; i++) {
    const struct code_place parameter = code_child(p, (struct code_place){f->unit, f->node}, i);
    if (!code_is(parameter) || program_node(p, parameter)->kind != SYNTAX_VARIABLE)
      return;
    const struct code_place given = code_child(p, call, i + 1);
    if (is_object(p, parameter, object) && code_is(given) && !is_object(p, given, object))
      changes_note_value(p, object, given, call, j->stretch[j->question->level], c);
  }
}

static struct changes find_changes(const struct judging *j, const struct c_object *object, unsigned level)
{
  struct changes c = {0};
  for (unsigned i = 0; i <= j->question->level; i++)
    if (object->symbol != PROGRAM_NONE || i == level)
      changes_add(j->program, object, j->stretch[i], &c);
  if (j->question->loop.kind == LOOP_RECURSION && object->flags & SYMBOL_PARAMETER)
    note_argument(j, object, &c);
  return c;
}

struct changes changes_in_loop(const struct judging *j, const struct c_object *object, unsigned level)
{
  struct changes_seen *s = &j->seen[(object->symbol ^ object->local * 31 ^ level * 7) % CHANGES_SEEN];
  if (!s->known || s->level != level || s->object.symbol != object->symbol || s->object.local != object->local ||
      s->object.unit != object->unit || s->object.flags != object->flags)
    *s = (struct changes_seen){
        .known = true, .level = level, .object = *object, .changes = find_changes(j, object, level)};
  return s->changes;
}

/* ---- elsewhere ---- */

bool mark_reached(struct judging *j)
{
  const struct whole_program *p = j->program;
  if (j->reached)
    return true;
  j->reached = calloc(p->functions + 1, 1);
  j->failed |= !j->reached;
  for (unsigned i = 0; j->reached && i <= j->question->level; i++)
    for (uint32_t node = j->stretch[i].from; node < j->stretch[i].to; node++) {
      const struct code_place c = {j->stretch[i].unit, node};
      const uint32_t callee = program_node(p, c)->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
      if (callee != PROGRAM_NONE && p->symbol[callee].function != PROGRAM_NONE)
        program_reach(p, p->symbol[callee].function, REACH_DEPTH, j->reached);
    }
  return j->reached;
}

static bool is_wanted(const struct changes *c, enum change_wanted wanted)
{
  const unsigned sets = changes_sets(c);
  switch (wanted) {
  case CHANGE_NOT_UP:
    return c->down + sets;
  case CHANGE_NOT_DOWN:
    return c->up + sets;
  case CHANGE_COUNTED:
    return c->up + c->down;
  default:
    return c->up + c->down + sets;
  }
}

static bool is_on_path(const struct judging *j, uint32_t function)
{
  for (unsigned i = 0; i < j->question->level; i++)
    if (j->question->step[i].function == function)
      return true;
  return false;
}

uint32_t changed_elsewhere(struct judging *j, const struct c_object *object, enum change_wanted wanted)
{
  const struct whole_program *p = j->program;
  size_t count;
  const uint32_t *user = program_users(p, object->symbol, &count);
  for (size_t k = 0; mark_reached(j) && k < count; k++) {
    const uint32_t i = user[k];
    const struct program_function *f = &p->function[i];
    struct changes c = {0};
    if (f->is_variable || (!f->runs_in_thread && !j->reached[i]) || is_on_path(j, i) ||
        (i == j->question->loop.function && !loop_keeps_locals(&j->question->loop)))
      continue;
    changes_add(p, object, (struct stretch){f->unit, f->node, f->node + p->unit[f->unit].syntax.node[f->node].size},
                &c);
    if (is_wanted(&c, wanted))
      return i;
  }
  return PROGRAM_NONE;
}

/* ---- objects ---- */

static const char *name_of(const struct whole_program *p, const struct c_object *o)
{
  return syntax_name(&p->unit[o->unit].syntax, o->local);
}

/* A global variable or a member that the loop does not change. */
static struct turn_value unchanged_global(struct judging *j, const struct c_object *o)
{
  const struct whole_program *p = j->program;
  const char *name = name_of(p, o), *what = o->flags & SYMBOL_FIELD ? "member" : "global variable";
  if (!may_use(j, 9))
    return other("'%s' is a %s, which others may change", name, what);
  const uint32_t function = changed_elsewhere(j, o, CHANGE_ANY);
  if (function != PROGRAM_NONE)
    return other("'%s' is changed in %s() while the loop runs", name, p->symbol[p->function[function].symbol].name);
  return (struct turn_value){.course = VALUE_CONSTANT, .configured = true};
}

static struct turn_value monotone(struct judging *j, const struct c_object *o, const struct changes *c)
{
  const struct whole_program *p = j->program;
  const bool up = c->up;
  const uint32_t function =
      o->symbol == PROGRAM_NONE ? PROGRAM_NONE : changed_elsewhere(j, o, up ? CHANGE_NOT_UP : CHANGE_NOT_DOWN);
  if (function != PROGRAM_NONE)
    return other("'%s' is not only counted %s: it is also changed in %s()", name_of(p, o), up ? "up" : "down",
                 p->symbol[p->function[function].symbol].name);
  return course_is(up ? VALUE_INCREASING : VALUE_DECREASING);
}

static struct turn_value assigned(struct judging *j, const struct c_object *o, const struct changes *c)
{
  const struct whole_program *p = j->program;
  const char *name = name_of(p, o);
  size_t length;
  if (c->called && c->called == c->configured && changes_sets(c) == c->called && may_use(j, 9))
    return (struct turn_value){.course = VALUE_CONSTANT, .configured = true};
  if (c->called) {
    const char *called = called_name(p, c->last_call, &length);
    return other("'%s' is assigned from a call%s%.*s%s", name, length ? " (" : "", (int)length, called,
                 length ? "())" : "");
  }
  if (changes_sets(c))
    return other("'%s' is set in the loop, not only counted", name);
  return other("'%s' is counted up and down in the loop", name);
}

static struct turn_value value_of_object(struct judging *j, const struct c_object *o, unsigned level)
{
  const char *name = name_of(j->program, o);
  if (o->flags & (SYMBOL_ENUMERATOR | SYMBOL_CONST))
    return course_is(VALUE_CONSTANT);
  const struct changes c = changes_in_loop(j, o, level);
  const bool local = o->symbol == PROGRAM_NONE;
  if (c.taken && local)
    return other("the address of '%s' is taken in the loop", name);
  const bool kept = loop_keeps_locals(&j->question->loop) ||
                    (j->question->loop.kind == LOOP_RECURSION && o->flags & SYMBOL_PARAMETER);
  if (local && (level != j->question->level || !kept))
    return other("'%s' is a new variable in each iteration", name);
  if (!c.up && !c.down && !changes_sets(&c))
    return local ? course_is(VALUE_CONSTANT) : unchanged_global(j, o);
  if (changes_sets(&c) || (c.up && c.down))
    return assigned(j, o, &c);
  return monotone(j, o, &c);
}

/* ---- collections ---- */

bool object_of_word(const struct whole_program *p, struct code_place call, enum lint_word word, char text[OBJECT_TEXT])
{
  size_t length;
  if (!(called_meaning(p, call) & word_bit(word)))
    return false;
  const char *name = called_name(p, call, &length);
  const unsigned argument = vocabulary_argument(p->vocabulary, word, name, length);
  const bool method = program_node(p, call)->kind == SYNTAX_CALL && memmem(name, length, "::", 2);
  text[0] = '\0';
  if (argument == UINT_MAX)
    return false;
  return (!argument && !method) || argument_text(p, call, argument, text);
}

bool loop_has(const struct judging *j, enum lint_word word, const char *text, unsigned level, struct code_place *at)
{
  char found[OBJECT_TEXT];
  const struct stretch s = j->stretch[level];
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    const uint8_t kind = program_node(j->program, c)->kind;
    if ((kind != SYNTAX_CALL && kind != SYNTAX_MACRO) || !object_of_word(j->program, c, word, found))
      continue;
    if (found[0] && strcmp(found, text) != 0)
      continue;
    if (at)
      *at = c;
    return true;
  }
  return false;
}

bool is_shared(const struct judging *j, uint32_t symbol)
{
  const struct whole_program *p = j->program;
  size_t count = 0;
  const uint32_t *user = symbol == PROGRAM_NONE ? NULL : program_users(p, symbol, &count);
  for (size_t i = 0; i < count; i++)
    if (p->function[user[i]].takes_lock || p->function[user[i]].runs_in_thread)
      return true;
  return false;
}

/* Below the left side of an assignment of something, with the member; PROGRAM_NONE: any. */
static bool is_assigned(const struct program_unit *u, uint32_t node, uint32_t member)
{
  bool has = member == PROGRAM_NONE;
  for (uint32_t at = node; at != SYNTAX_NONE && u->syntax.node[at].kind >= SYNTAX_NAME; at = u->parent[at]) {
    const struct syntax_node *n = &u->syntax.node[at];
    const uint32_t value = n->kind == SYNTAX_ASSIGN ? syntax_child(&u->syntax, at, 1) : SYNTAX_NONE;
    if (value != SYNTAX_NONE)
      return has && node < value && !u->syntax.node[value].zero;
    has |= n->symbol != SYNTAX_NONE && u->symbol[n->symbol] == member;
  }
  return false;
}

bool is_filled_by_others(const struct judging *j, uint32_t symbol, uint32_t member)
{
  const struct whole_program *p = j->program;
  size_t count = 0;
  const uint32_t *user = symbol == PROGRAM_NONE ? NULL : program_users(p, symbol, &count);
  for (size_t i = 0; i < count; i++) {
    const struct program_function *f = &p->function[user[i]];
    const struct program_unit *u = &p->unit[f->unit];
    for (uint32_t node = f->node; f->runs_in_thread && node < f->node + u->syntax.node[f->node].size; node++) {
      const struct syntax_node *n = &u->syntax.node[node];
      if ((n->kind == SYNTAX_NAME || n->kind == SYNTAX_MEMBER) && n->symbol != SYNTAX_NONE &&
          u->symbol[n->symbol] == symbol && is_assigned(u, node, member))
        return true;
    }
  }
  return false;
}

/* H4: how large a collection is. */
static struct turn_value value_of_size(struct judging *j, struct code_place call, const char *text, unsigned level)
{
  const bool removes = loop_has(j, WORD_REMOVE, text, level, NULL), adds = loop_has(j, WORD_ADD, text, level, NULL);
  if (is_shared(j, object_symbol(j->program, call, text)))
    return other("'%s' is used by several threads", text);
  if (removes && adds)
    return other("'%s' is both filled and emptied in the loop", text);
  return course_is(removes ? VALUE_DECREASING : adds ? VALUE_INCREASING : VALUE_CONSTANT);
}

/* ---- expressions ---- */

static struct turn_value turned(struct turn_value v)
{
  if (v.course == VALUE_INCREASING || v.course == VALUE_DECREASING)
    v.course = v.course == VALUE_INCREASING ? VALUE_DECREASING : VALUE_INCREASING;
  return v;
}

static struct turn_value value_of_binary(struct judging *j, struct code_place c, unsigned level)
{
  const uint8_t op = program_node(j->program, c)->op;
  struct turn_value left = course_of(j, code_child(j->program, c, 0), level);
  struct turn_value right = course_of(j, code_child(j->program, c, 1), level);
  if (left.course == VALUE_OTHER || right.course == VALUE_OTHER)
    return left.course == VALUE_OTHER ? left : right;
  const bool configured = left.configured || right.configured;
  if (op == OPERATOR_SUB)
    right = turned(right);
  struct turn_value v = left.course == VALUE_CONSTANT ? right : left;
  v.configured = configured;
  const bool sums = op == OPERATOR_ADD || op == OPERATOR_SUB;
  if (left.course != VALUE_CONSTANT && right.course != VALUE_CONSTANT && (!sums || left.course != right.course))
    return other("its sides change in different ways");
  if (v.course != VALUE_CONSTANT && !sums && op != OPERATOR_MUL && op != OPERATOR_DIV)
    return other("it is more than a sum");
  return v;
}

/* Whether a call is given the same in each turn. */
static bool is_given_same(struct judging *j, struct code_place call, unsigned level)
{
  for (unsigned i = 1; code_is(code_child(j->program, call, i)); i++) {
    const struct code_place given = code_child(j->program, call, i);
    const struct syntax_node *n = program_node(j->program, given);
    const bool address = n->kind == SYNTAX_UNARY && n->op == OPERATOR_ADDRESS;
    if (!address && course_of(j, given, level).course != VALUE_CONSTANT)
      return false;
  }
  return true;
}

static bool is_counted(struct judging *j, const struct c_object *o, unsigned level)
{
  const struct changes c = changes_in_loop(j, o, level);
  return o->symbol != PROGRAM_NONE && (c.up || c.down || changed_elsewhere(j, o, CHANGE_COUNTED) != PROGRAM_NONE);
}

/* A function of the program that only looks, at what nobody counts: it gives what was configured. */
static bool only_looks(struct judging *j, struct code_place call, unsigned level)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  const uint32_t symbol = program_symbol_of(p, call);
  const uint32_t function = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
  if (function == PROGRAM_NONE || !is_given_same(j, call, level))
    return false;
  const struct program_function *f = &p->function[function];
  const struct syntax *s = &p->unit[f->unit].syntax;
  for (uint32_t i = f->node; i < f->node + s->node[f->node].size; i++) {
    const struct syntax_node *n = &s->node[i];
    const bool counts = n->kind == SYNTAX_UNARY && (n->op == OPERATOR_INCREMENT || n->op == OPERATOR_DECREMENT);
    if (n->kind == SYNTAX_CALL || n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_WHILE || n->kind == SYNTAX_FOR ||
        counts)
      return false;
    const bool names = n->kind == SYNTAX_NAME || n->kind == SYNTAX_MEMBER;
    if (names && object_of(p, (struct code_place){f->unit, i}, &o) && is_counted(j, &o, level))
      return false;
  }
  return true;
}

static struct turn_value value_of_call(struct judging *j, struct code_place c, unsigned level)
{
  char text[OBJECT_TEXT];
  size_t length;
  const uint64_t meaning = called_meaning(j->program, c);
  if (object_of_word(j->program, c, WORD_SIZE, text))
    return value_of_size(j, c, text, level);
  if ((meaning & word_bit(WORD_CONFIGURED) || only_looks(j, c, level)) && may_use(j, 9))
    return (struct turn_value){.course = VALUE_CONSTANT, .configured = true};
  struct c_object o;
  const bool counts = meaning & (word_bit(WORD_ADD_ATOMIC) | word_bit(WORD_SUBTRACT_ATOMIC));
  if (counts && code_is(code_child(j->program, c, 1)) && object_of(j->program, code_child(j->program, c, 1), &o))
    return value_of_object(j, &o, level);
  const char *name = called_name(j->program, c, &length);
  return length ? other("it is the value of a call (%.*s())", (int)length, name)
                : other("it is the value of a call through a pointer");
}

static struct turn_value value_of_choice(struct judging *j, struct code_place c, unsigned level)
{
  const struct turn_value first = course_of(j, code_child(j->program, c, 1), level);
  const struct turn_value second = course_of(j, code_child(j->program, c, 2), level);
  if (first.course != second.course)
    return other("it is one of two values");
  return first.configured ? first : second;
}

struct turn_value course_of(struct judging *j, struct code_place c, unsigned level)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  if (!code_is(c) || j->depth > QUESTION_DEPTH)
    return other("it is too complex");
  const struct syntax_node *n = program_node(p, c);
  const struct code_place first = code_child(p, c, 0);
  j->depth++;
  struct turn_value v = other("it is no plain number");
  if (n->kind == SYNTAX_NUMBER || n->kind == SYNTAX_SIZEOF || n->kind == SYNTAX_STRING)
    v = course_is(VALUE_CONSTANT);
  else if (n->kind == SYNTAX_MACRO && code_is(first) && !called_meaning(p, c))
    v = course_of(j, first, level);
  else if (object_of(p, c, &o) && (n->kind != SYNTAX_UNARY || n->op != OPERATOR_ADDRESS))
    v = value_of_object(j, &o, level);
  else if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_SUB)
    v = turned(course_of(j, first, level));
  else if (n->kind == SYNTAX_BINARY)
    v = value_of_binary(j, c, level);
  else if (n->kind == SYNTAX_ASSIGN && object_of(p, first, &o))
    v = value_of_object(j, &o, level);
  else if (n->kind == SYNTAX_CALL || n->kind == SYNTAX_MACRO)
    v = value_of_call(j, c, level);
  else if (n->kind == SYNTAX_CONDITIONAL)
    v = value_of_choice(j, c, level);
  else if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_DEREFERENCE)
    v = other("it is read through a pointer");
  j->depth--;
  return v;
}
