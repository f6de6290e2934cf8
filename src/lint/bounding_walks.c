/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns 1 and 2: loops that walk through something finite that does not grow meanwhile.
 */
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <string.h>

static struct code_place slot_of(const struct judging *j, unsigned which)
{
  const struct lint_loop *l = &j->question->loop;
  return code_child(j->program, (struct code_place){l->unit, l->node}, which);
}

/* ---- pattern 1 ---- */

static bool drops_lock(const struct judging *j)
{
  const struct stretch s = j->stretch[j->question->level];
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    if (program_node(j->program, c)->kind == SYNTAX_CALL && called_meaning(j->program, c) & word_bit(WORD_UNLOCK))
      return true;
  }
  return false;
}

/* Whether what is walked through stays as it is: nobody adds to it here, and nobody else can. member: of the variable,
 * what the list hangs on; PROGRAM_NONE: all of it. */
static bool stays(const struct judging *j, const char *text, uint32_t symbol, uint32_t member, char *why)
{
  const struct program_function *f = &j->program->function[j->question->loop.function];
  if (loop_has(j, WORD_ADD, text, j->question->level, NULL)) {
    snprintf(why, REASON_SIZE, "the loop adds to '%s', through which it walks", text);
    return false;
  }
  if (f->takes_lock && drops_lock(j)) {
    snprintf(why, REASON_SIZE, "the lock is released in the loop, so '%s' may grow", text);
    return false;
  }
  const bool known = symbol != PROGRAM_NONE && !(j->program->symbol[symbol].flags & SYMBOL_FIELD);
  if (!f->takes_lock && known && is_filled_by_others(j, symbol, member)) { /* of a member: of any object */
    snprintf(why, REASON_SIZE, "'%s' is filled by another thread", text);
    return false;
  }
  return true;
}

/* The word of the macro that the loop comes from, and its collection. */
static bool walks_by_macro(struct judging *j, char *why)
{
  const struct whole_program *p = j->program;
  const struct code_place loop = {j->question->loop.unit, j->question->loop.node};
  const uint64_t meaning = called_meaning(p, loop);
  char text[OBJECT_TEXT] = "";
  size_t length;
  if (!(meaning & (word_bit(WORD_WALK) | word_bit(WORD_WALK_SHARED))))
    return false;
  const char *name = called_name(p, loop, &length);
  if (meaning & word_bit(WORD_WALK_SHARED)) {
    snprintf(why, REASON_SIZE, "%.*s() walks through a collection that others may add to", (int)length, name);
    return false;
  }
  for (unsigned argument = 2; argument > 0; argument--) { /* the second is the collection, mostly */
    if (!macro_argument(syntax_text(program_syntax(p, loop), program_node(p, loop)->text), argument, text))
      continue;
    const uint32_t symbol = object_symbol(p, loop, text);
    if (!stays(j, text, symbol, PROGRAM_NONE, why))
      return false;
  }
  return true;
}

static bool walks_range(struct judging *j, char *why)
{
  const struct whole_program *p = j->program;
  const struct code_place range = slot_of(j, 0);
  char text[OBJECT_TEXT] = "it";
  struct c_object o;
  if (!code_is(range))
    return false;
  if (object_of(p, range, &o) &&
      strstr(syntax_text(&p->unit[o.unit].syntax, p->unit[o.unit].syntax.symbol[o.local].type), "concurrent")) {
    snprintf(why, REASON_SIZE, "it walks through a concurrent collection, which others may add to");
    return false;
  }
  object_text(p, range, text);
  return stays(j, text, program_symbol_of(p, code_inside(p, range)), PROGRAM_NONE, why);
}

/* ---- pattern 2 ---- */

/* Below the condition: p, for `p`, `p != NULL`, `p != &head`, `(p = p->next)`. */
static bool walked_pointer(const struct judging *j, struct code_place asked, struct c_object *o)
{
  const struct syntax_node *n = program_node(j->program, asked);
  if (n->kind == SYNTAX_BINARY && n->op == OPERATOR_NE) {
    const struct code_place left = code_child(j->program, asked, 0);
    asked = program_node(j->program, left)->kind == SYNTAX_NUMBER ? code_child(j->program, asked, 1) : left;
  } else if (n->kind == SYNTAX_ASSIGN) {
    asked = code_child(j->program, asked, 0);
  }
  const uint8_t kind = program_node(j->program, asked)->kind;
  return (kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && object_of(j->program, asked, o) && o->flags & SYMBOL_POINTER;
}

/* `->next = …` of what is not the walk itself: something is put into the list. `->next = other->next` takes out. */
static bool links(const struct judging *j, uint32_t member)
{
  const struct stretch s = j->stretch[j->question->level];
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i}, left = {s.unit, i + 1};
    if (program_node(j->program, c)->kind != SYNTAX_ASSIGN || program_node(j->program, left)->kind != SYNTAX_MEMBER ||
        program_symbol_of(j->program, left) != member)
      continue;
    const uint8_t value = program_node(j->program, code_inside(j->program, code_child(j->program, c, 1)))->kind;
    if (value != SYNTAX_MEMBER && value != SYNTAX_NUMBER)
      return true;
  }
  return false;
}

/* The value that an assignment or a declaration gives. */
static struct code_place given_value(const struct whole_program *p, struct code_place at)
{
  const struct code_place value = code_child(p, at, program_node(p, at)->kind == SYNTAX_ASSIGN ? 1 : 0);
  return code_is(value) ? code_inside(p, value) : value;
}

static bool is_member_of(const struct whole_program *p, struct code_place c, const struct c_object *o)
{
  return code_is(c) && program_node(p, c)->kind == SYNTAX_MEMBER && code_is(code_child(p, c, 0)) &&
         is_object(p, code_child(p, c, 0), o);
}

/* `next = p->next; …; p = next;`, or `c = p; p = c->next;`: a step by way of another variable. It gets the variable
 * that is followed. */
static bool steps_by_another(const struct judging *j, struct c_object *o)
{
  const struct whole_program *p = j->program;
  const unsigned level = j->question->level;
  const struct changes c = changes_in_loop(j, o, level);
  struct c_object other;
  if (c.set != 1 || changes_sets(&c) != 1 || o->symbol != PROGRAM_NONE)
    return false;
  const struct code_place value = given_value(p, c.last_set);
  const bool member = code_is(value) && program_node(p, value)->kind == SYNTAX_MEMBER;
  if (!code_is(value) || !object_of(p, member ? code_child(p, value, 0) : value, &other) ||
      !(other.flags & SYMBOL_LOCAL))
    return false;
  const struct changes d = changes_in_loop(j, &other, level);
  if (d.set != 1 || changes_sets(&d) != 1)
    return false;
  const struct code_place from = given_value(p, d.last_set);
  if (member ? !is_object(p, from, o) : !is_member_of(p, from, o))
    return false;
  if (member)
    *o = other;
  return true;
}

/* The member that a walk follows: p = p->next. */
static uint32_t followed(const struct judging *j, const struct c_object *o)
{
  const struct stretch s = j->stretch[j->question->level];
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    const struct code_place below = code_child(j->program, c, 0);
    if (program_node(j->program, c)->kind == SYNTAX_MEMBER && code_is(below) && is_object(j->program, below, o) &&
        syntax_flags(program_syntax(j->program, c), program_node(j->program, c)->symbol) & SYMBOL_POINTER)
      return program_symbol_of(j->program, c);
  }
  return PROGRAM_NONE;
}

/* The variable that a list hangs on: of `options.next` that is the list that somebody would fill, not any `next`. */
static uint32_t holder_of(const struct whole_program *p, struct code_place head)
{
  struct code_place at = code_inside(p, head);
  const uint32_t symbol = program_symbol_of(p, at);
  while (program_node(p, at)->kind == SYNTAX_MEMBER && code_is(code_child(p, at, 0)))
    at = code_inside(p, code_child(p, at, 0));
  const uint32_t variable = program_node(p, at)->kind == SYNTAX_NAME ? program_symbol_of(p, at) : PROGRAM_NONE;
  return variable == PROGRAM_NONE ? symbol : variable;
}

/* for (p = head; p; p = p->next) */
static bool walks_list(struct judging *j, char *why)
{
  struct c_object o;
  const struct lint_loop *l = &j->question->loop;
  const uint8_t kind = j->program->unit[l->unit].syntax.node[l->node].kind;
  const struct code_place asked = slot_of(j, kind == SYNTAX_WHILE ? 0 : 1);
  if (!code_is(asked) || !walked_pointer(j, asked, &o))
    return false;
  const struct changes c = changes_in_loop(j, &o, j->question->level);
  if ((!c.stepped || c.stepped != c.set || changes_sets(&c) != c.set) && !steps_by_another(j, &o))
    return false;
  const uint32_t member = followed(j, &o);
  if (member != PROGRAM_NONE && links(j, member)) {
    snprintf(why, REASON_SIZE, "the loop puts something into the list that it walks through");
    return false;
  }
  const struct code_place init = kind == SYNTAX_FOR ? slot_of(j, 0) : (struct code_place){.node = PROGRAM_NONE};
  const struct code_place head = code_is(init) && program_node(j->program, init)->kind == SYNTAX_ASSIGN
                                     ? code_child(j->program, init, 1)
                                     : (struct code_place){.node = PROGRAM_NONE};
  char text[OBJECT_TEXT] = "the list";
  if (!code_is(head) || !object_text(j->program, head, text))
    return true;
  return stays(j, text, holder_of(j->program, head), program_symbol_of(j->program, code_inside(j->program, head)), why);
}

/* it != c.end(), with ++it: the collection's text. */
static bool walks_iterator(struct judging *j, char *why)
{
  const struct lint_loop *l = &j->question->loop;
  const struct whole_program *p = j->program;
  const struct code_place asked = slot_of(j, p->unit[l->unit].syntax.node[l->node].kind == SYNTAX_WHILE ? 0 : 1);
  size_t length;
  char text[OBJECT_TEXT];
  if (!code_is(asked))
    return false;
  for (uint32_t i = asked.node; i < asked.node + program_node(p, asked)->size; i++) {
    const struct code_place c = {asked.unit, i};
    const char *name = called_name(p, c, &length);
    const bool end =
        length > 5 && (!strncmp(name + length - 5, "::end", 5) || !strncmp(name + length - 6, "::cend", 6));
    if (end && program_node(p, c)->kind == SYNTAX_CALL && argument_text(p, c, 0, text))
      return stays(j, text, object_symbol(p, c, text), PROGRAM_NONE, why);
  }
  return false;
}

bool loop_is_walk(struct judging *j, unsigned *pattern, char *why)
{
  const struct lint_loop *l = &j->question->loop;
  why[0] = '\0';
  if (l->kind != LOOP_STATEMENT)
    return false;
  const uint8_t kind = j->program->unit[l->unit].syntax.node[l->node].kind;
  *pattern = 1;
  if (may_use(j, 1) && (walks_by_macro(j, why) || (kind == SYNTAX_RANGE_FOR && walks_range(j, why))))
    return true;
  *pattern = 2;
  const bool asks_first = kind == SYNTAX_FOR || kind == SYNTAX_WHILE;
  return !why[0] && may_use(j, 2) && (walks_list(j, why) || (!why[0] && asks_first && walks_iterator(j, why)));
}

/* ---- conditions ---- */

/* *++argv, a[i], test->name: up to the end that is in the data. */
static bool reads_on(struct judging *j, struct code_place c, unsigned level)
{
  struct c_object o;
  const struct syntax_node *n = program_node(j->program, c);
  const struct code_place base = code_child(j->program, c, 0);
  if (n->kind == SYNTAX_MEMBER && code_is(base))
    return program_node(j->program, base)->kind == SYNTAX_NAME ? course_of(j, base, level).course == VALUE_INCREASING
                                                               : reads_on(j, base, level);
  const bool index = n->kind == SYNTAX_INDEX, dereference = n->kind == SYNTAX_UNARY && n->op == OPERATOR_DEREFERENCE;
  const struct code_place moving = code_child(j->program, c, index ? 1 : 0);
  if ((!index && !dereference) || !code_is(moving) || !object_of(j->program, moving, &o))
    return false;
  return course_of(j, moving, level).course == VALUE_INCREASING;
}

/* Whether the call on the path is given what is asked for. */
static bool gives(const struct judging *j, const struct c_object *o)
{
  const struct code_place call = j->question->step[j->question->level].code;
  for (unsigned i = 1; code_is(code_child(j->program, call, i)); i++)
    if (is_object(j->program, code_child(j->program, call, i), o))
      return true;
  return false;
}

/* Of recursion, and of a thread that creates one of its own kind: `next.at = this->at->next`, or `start(this->next)`,
 * so that each has the next element of a list. */
static bool hands_on(const struct judging *j, struct code_place asked)
{
  const struct whole_program *p = j->program;
  const struct lint_loop *l = &j->question->loop;
  struct c_object o, from;
  if (loop_keeps_locals(l) || l->kind == LOOP_CALLBACK || !object_of(p, asked, &o))
    return false;
  if (o.flags & SYMBOL_FIELD && o.flags & SYMBOL_POINTER && gives(j, &o))
    return true;
  for (uint32_t i = l->from; i < l->to; i++) {
    const struct code_place c = {l->unit, i};
    if (program_node(p, c)->kind != SYNTAX_ASSIGN || !is_object(p, code_child(p, c, 0), &o))
      continue;
    const struct code_place value = code_child(p, c, 1);
    for (uint32_t k = value.node; k < value.node + program_node(p, value)->size; k++) {
      const struct code_place base = code_child(p, (struct code_place){c.unit, k}, 0);
      if (program_node(p, (struct code_place){c.unit, k})->kind == SYNTAX_MEMBER && code_is(base) &&
          object_of(p, base, &from) && from.symbol == o.symbol && o.symbol != PROGRAM_NONE)
        return true;
    }
  }
  return false;
}

/* `while ((c = getopt(…)) != -1)`: what was set to one after the other. */
static bool asks_what_came(const struct judging *j, struct code_place asked, unsigned level)
{
  struct c_object o;
  if (program_node(j->program, asked)->kind == SYNTAX_ASSIGN)
    asked = code_child(j->program, asked, 0);
  if (!object_of(j->program, asked, &o) || !(o.flags & SYMBOL_LOCAL))
    return false;
  const struct changes c = changes_in_loop(j, &o, level);
  return c.called && c.called == changes_sets(&c) && called_meaning(j->program, c.last_call) & word_bit(WORD_NEXT);
}

/* `p = next(list, p)`: each turn has the one after it. */
static bool asks_next(const struct judging *j, struct code_place asked, unsigned level)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  if (!object_of(p, asked, &o) || !(o.flags & SYMBOL_POINTER) || !(o.flags & SYMBOL_LOCAL))
    return false;
  const struct changes c = changes_in_loop(j, &o, level);
  if (!c.called || changes_sets(&c) != c.called || c.called > 1)
    return false;
  for (unsigned i = 1; code_is(code_child(p, c.last_call, i)); i++)
    if (is_object(p, code_child(p, c.last_call, i), &o) &&
        program_node(p, code_child(p, c.last_call, i))->kind == SYNTAX_NAME)
      return true;
  return false;
}

bool asks_walk(struct judging *j, const struct condition *simple)
{
  const struct whole_program *p = j->program;
  const struct code_place c = simple->code;
  if (!may_use(j, 2) || code_is(simple->value))
    return false;
  const enum syntax_operator op = condition_operator(p, simple);
  const bool goes_on = op == OPERATOR_NONE ? !simple->negated : op != OPERATOR_EQ;
  if (!goes_on)
    return false;
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++)
    if (program_node(p, (struct code_place){c.unit, i})->kind == SYNTAX_CALL &&
        called_meaning(p, (struct code_place){c.unit, i}) & word_bit(WORD_NEXT))
      return true;
  const bool mirrored = op != OPERATOR_NONE && program_node(p, code_child(p, c, 0))->kind == SYNTAX_NUMBER;
  const struct code_place asked = op == OPERATOR_NONE ? c : code_child(p, c, mirrored);
  return reads_on(j, asked, simple->level) || asks_what_came(j, asked, simple->level) || hands_on(j, asked) ||
         asks_next(j, asked, simple->level);
}
