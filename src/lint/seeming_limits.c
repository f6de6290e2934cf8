/* SPDX-License-Identifier: Apache-2.0
 *
 * What looks like a limit although no pattern fits: then somebody may have meant a bound, and it is not certain that
 * there is none.
 *
 *   a number that goes up in the loop or in a thread, and down somewhere, is compared with another, by the thread, too
 *   what stays from turn to turn is asked to be 0 or NULL, and set
 *   a slot of a semaphore is waited for, or a thread, in the loop or in what it calls
 *   a place is looked for, by a function or in place, and what came of it is asked for
 *   a function that is called in the same turn waits for the end of one
 *   the descriptor is compared with a number: there are not more than that
 *   what is asked is called like a limit (limit_names.c)
 */
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <string.h>

#define COUNTER_DEPTH 2 /* calls from the loop to what compares a counter */

/* The function of the program that a node calls; PROGRAM_NONE: none. */
static uint32_t callee_of(const struct whole_program *p, struct code_place c)
{
  const uint32_t symbol = program_node(p, c)->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
  return symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
}

static bool is_literal_zero(const struct whole_program *p, struct code_place c)
{
  const struct syntax_node *n = program_node(p, code_inside(p, c));
  return n->kind == SYNTAX_NUMBER && n->zero;
}

/* ---- counters ---- */

/* By one: what is counted, not what is summed up. */
static bool is_step(const struct whole_program *p, struct code_place at)
{
  const struct syntax_node *n = program_node(p, at);
  const struct code_place by = code_child(p, at, 1);
  return n->kind != SYNTAX_ASSIGN || n->op == OPERATOR_NONE ||
         (program_node(p, by)->kind == SYNTAX_NUMBER &&
          !strcmp(syntax_text(program_syntax(p, by), program_node(p, by)->text), "1"));
}

/* Whether a function has that place in it. */
static bool has_place(const struct whole_program *p, uint32_t function, struct code_place c)
{
  const struct stretch s = stretch_of(p, function);
  return s.unit == c.unit && s.from <= c.node && c.node < s.to;
}

/* Whether the object goes up where the loop comes, in a thread, or in the function that compares it, and down
 * anywhere. */
static bool goes_both_ways(struct judging *j, const struct c_object *o, struct code_place compared)
{
  const struct whole_program *p = j->program;
  bool up = false, down = false;
  size_t count;
  if (o->symbol == PROGRAM_NONE || o->flags & SYMBOL_POINTER || !mark_reached(j))
    return false;
  const uint32_t *user = program_users(p, o->symbol, &count);
  for (size_t i = 0; i < count; i++) {
    struct changes c = {0};
    bool here = p->function[user[i]].runs_in_thread || j->reached[user[i]] || has_place(p, user[i], compared);
    for (unsigned level = 0; level <= j->question->level; level++)
      here |= j->question->step[level].function == user[i];
    changes_add(p, o, stretch_of(p, user[i]), &c);
    up |= here && c.up && is_step(p, c.last_up);
    down |= c.down && is_step(p, c.last_down);
  }
  return up && down;
}

/* Whether something below waits. */
static bool waits_below(const struct whole_program *p, struct stretch s)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    size_t length;
    const struct code_place c = {s.unit, i};
    const char *name = program_node(p, c)->kind == SYNTAX_CALL ? called_name(p, c, &length) : NULL;
    if (name && (memmem(name, length, "wait", 4) || memmem(name, length, "sleep", 5)))
      return true;
  }
  return false;
}

static bool makes_below(const struct whole_program *p, struct stretch s)
{
  for (uint32_t i = s.from; i < s.to; i++)
    if (called_meaning(p, (struct code_place){s.unit, i}) & word_bit(WORD_INSTANTIATE))
      return true;
  return false;
}

/* Whether a comparison may be one with a limit: it is asked before something is done, or by a loop that waits; not if
 * there is more room then, as `if (count == room) realloc(…);`. With zero: only by a loop that waits. */
static bool may_limit(const struct whole_program *p, struct code_place c, bool with_zero)
{
  const struct program_unit *u = &p->unit[c.unit];
  uint32_t at = c.node;
  while (at != SYNTAX_NONE && u->syntax.node[at].kind >= SYNTAX_NAME)
    at = u->parent[at];
  if (at == SYNTAX_NONE)
    return false;
  const uint8_t kind = u->syntax.node[at].kind;
  const struct stretch all = {c.unit, at, at + u->syntax.node[at].size};
  if (kind == SYNTAX_WHILE || kind == SYNTAX_DO || kind == SYNTAX_FOR)
    return waits_below(p, all);
  return !with_zero && !(kind == SYNTAX_IF && makes_below(p, all));
}

/* `count + 1`, as `count`. */
static struct code_place without_constant(const struct whole_program *p, struct code_place c)
{
  c = code_inside(p, c);
  const struct syntax_node *n = program_node(p, c);
  if (n->kind != SYNTAX_BINARY || (n->op != OPERATOR_ADD && n->op != OPERATOR_SUB))
    return c;
  const struct code_place left = code_inside(p, code_child(p, c, 0)), right = code_inside(p, code_child(p, c, 1));
  return program_node(p, right)->kind == SYNTAX_NUMBER  ? left
         : program_node(p, left)->kind == SYNTAX_NUMBER ? right
                                                        : c;
}

/* What one side of a comparison counts: a counter, or one that an atomic function counts and gives. */
static bool counter_of(const struct whole_program *p, struct code_place asked, struct c_object *o)
{
  asked = without_constant(p, asked);
  const struct syntax_node *n = program_node(p, asked);
  if (n->kind == SYNTAX_UNARY)
    return object_of(p, code_child(p, asked, 0), o);
  if (n->kind != SYNTAX_CALL)
    return object_of(p, asked, o);
  size_t length;
  const char *name = called_name(p, asked, &length);
  for (unsigned i = 0; i < 2; i++) {
    const enum lint_word word = i ? WORD_SUBTRACT_ATOMIC : WORD_ADD_ATOMIC;
    if (!(called_meaning(p, asked) & word_bit(word)))
      continue;
    const unsigned argument = vocabulary_argument(p->vocabulary, word, name, length);
    const struct code_place given = code_child(p, asked, argument);
    return object_of(p, argument || !code_is(given) ? given : code_child(p, given, 0), o); /* 0: of a method */
  }
  return false;
}

#define LOOKS_MOST 80 /* nodes of a function that only looks at a counter */

/* Whether the value of the object is what the variable is given there. */
static bool is_given(const struct whole_program *p, struct code_place at, const struct c_object *variable,
                     const struct c_object *value)
{
  const struct syntax_node *n = program_node(p, at);
  const struct code_place to = n->kind == SYNTAX_ASSIGN ? code_child(p, at, 0) : at;
  const struct code_place from = code_child(p, at, n->kind == SYNTAX_ASSIGN ? 1 : 0);
  return (n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_VARIABLE) && code_is(from) && is_object(p, to, variable) &&
         is_object(p, from, value);
}

/* Whether a function returns what the object is, or a variable that it was copied to. */
static bool returns_object(const struct whole_program *p, struct stretch s, const struct c_object *o)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i}, value = code_child(p, c, 0);
    struct c_object copy;
    if (program_node(p, c)->kind != SYNTAX_RETURN || !code_is(value))
      continue;
    if (is_object(p, value, o))
      return true;
    for (uint32_t k = s.from; object_of(p, value, &copy) && k < i; k++)
      if (is_given(p, (struct code_place){s.unit, k}, &copy, o))
        return true;
  }
  return false;
}

/* Whether something is put into the collection somewhere, and taken out of it. */
static bool comes_and_goes(const struct whole_program *p, uint32_t collection)
{
  char text[OBJECT_TEXT];
  bool comes = false, goes = false;
  size_t count;
  const uint32_t *user = program_users(p, collection, &count);
  for (size_t i = 0; i < count && !(comes && goes); i++) {
    const struct stretch s = stretch_of(p, user[i]);
    for (uint32_t node = s.from; node < s.to; node++) {
      const struct code_place c = {s.unit, node};
      if (program_node(p, c)->kind != SYNTAX_CALL)
        continue;
      comes |= object_of_word(p, c, WORD_ADD, text) && object_symbol(p, c, text) == collection;
      goes |= object_of_word(p, c, WORD_REMOVE, text) && object_symbol(p, c, text) == collection;
    }
  }
  return comes && goes;
}

/* `clients.size()`: of a collection that others come to and go from. */
static bool tells_size(const struct whole_program *p, struct code_place call, struct c_object *o)
{
  char text[OBJECT_TEXT];
  if (program_node(p, call)->kind != SYNTAX_CALL || !object_of_word(p, call, WORD_SIZE, text))
    return false;
  o->symbol = object_symbol(p, call, text);
  return o->symbol != PROGRAM_NONE && comes_and_goes(p, o->symbol);
}

/* `open_connections(server)`: a small function that looks at a counter, and counts nothing. */
static bool tells_counter(struct judging *j, struct code_place asked, struct code_place compared, struct c_object *o)
{
  const struct whole_program *p = j->program;
  const uint32_t callee = callee_of(p, asked);
  if (callee == PROGRAM_NONE)
    return false;
  const struct stretch s = stretch_of(p, callee);
  if (s.to - s.from > LOOKS_MOST)
    return false;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    struct changes changes = {0};
    if (program_node(p, c)->kind == SYNTAX_RETURN && code_is(code_child(p, c, 0)) &&
        tells_size(p, code_inside(p, code_child(p, c, 0)), o))
      return true;
    if (program_node(p, c)->kind != SYNTAX_MEMBER && program_node(p, c)->kind != SYNTAX_NAME)
      continue;
    if (!object_of(p, c, o) || !returns_object(p, s, o) || !goes_both_ways(j, o, compared))
      continue;
    changes_add(p, o, s, &changes);
    if (!changes.up && !changes.down)
      return true;
  }
  return false;
}

static bool compares_counter(struct judging *j, struct code_place c, char *why)
{
  const struct whole_program *p = j->program;
  const struct syntax_node *n = program_node(p, c);
  struct c_object o;
  if (n->kind != SYNTAX_BINARY || n->op < OPERATOR_LT || n->op > OPERATOR_NE)
    return false;
  for (unsigned side = 0; side < 2; side++) {
    if (side == 1 && (n->op == OPERATOR_LT || n->op == OPERATOR_GE))
      continue; /* `i < count`, `i >= count`: whether there is an element */
    const struct code_place asked = code_inside(p, code_child(p, c, side)), other = code_child(p, c, !side);
    if (!may_limit(p, c, is_literal_zero(p, other)))
      continue;
    if (!tells_size(p, asked, &o) && !tells_counter(j, asked, c, &o) &&
        (!counter_of(p, asked, &o) || !goes_both_ways(j, &o, c)))
      continue;
    snprintf(why, REASON_SIZE, "'%s' goes up and down and is compared (line %u)", p->symbol[o.symbol].name, n->line);
    return true;
  }
  return false;
}

/* Whether it matters what a function finds out: its value is used, or it waits. */
static bool decides(const struct whole_program *p, struct code_place call, uint32_t callee)
{
  const struct program_unit *u = &p->unit[call.unit];
  const struct stretch body = stretch_of(p, callee);
  const uint32_t above = u->parent[call.node];
  const uint8_t kind = u->syntax.node[above].kind;
  const bool asked = (kind == SYNTAX_IF || kind == SYNTAX_WHILE || kind == SYNTAX_SWITCH) && call.node == above + 1;
  return asked || kind >= SYNTAX_NAME || kind == SYNTAX_VARIABLE || kind == SYNTAX_RETURN || waits_below(p, body);
}

static bool compares_counters(struct judging *j, struct stretch s, unsigned depth, bool serves, char *why);

static bool gives_function(const struct whole_program *p, struct code_place call, uint32_t symbol)
{
  for (unsigned i = 1; code_is(code_child(p, call, i)); i++) {
    const uint32_t given = program_symbol_of(p, code_inside(p, code_child(p, call, i)));
    if (given != PROGRAM_NONE && p->symbol[given].flags & SYMBOL_FUNCTION &&
        (symbol == PROGRAM_NONE || given == symbol))
      return true;
  }
  return false;
}

/* Whether the thread may do the work: a function for all threads is given theirs on the way to the creation. */
static bool is_work(const struct judging *j, uint32_t symbol)
{
  bool given = false;
  for (unsigned level = 1; level <= j->question->level; level++) {
    const struct code_place call = j->question->step[level].code;
    if (gives_function(j->program, call, symbol))
      return true;
    given |= gives_function(j->program, call, PROGRAM_NONE);
  }
  return !given;
}

/* In any function that a call may call; serves: it is the work of the thread, and its end is that of the thread. */
static bool compares_below(struct judging *j, struct code_place call, unsigned depth, bool serves, char *why)
{
  const struct whole_program *p = j->program;
  const uint32_t callee = callee_of(p, call);
  if (callee != PROGRAM_NONE && (serves || decides(p, call, callee)) &&
      compares_counters(j, stretch_of(p, callee), depth - 1, false, why))
    return true;
  size_t from = 0;
  for (uint32_t s;
       program_node(p, call)->kind == SYNTAX_CALL && (s = program_member_target(p, call, &from)) != PROGRAM_NONE;) {
    const uint32_t target = p->symbol[s].function;
    if (target != PROGRAM_NONE && (serves ? is_work(j, s) : decides(p, call, target)) &&
        compares_counters(j, stretch_of(p, target), depth - 1, false, why))
      return true;
  }
  return false;
}

/* In the stretch, or in functions that are called from there. */
static bool compares_counters(struct judging *j, struct stretch s, unsigned depth, bool serves, char *why)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    if (compares_counter(j, c, why) || (depth && compares_below(j, c, depth, serves, why)))
      return true;
  }
  return false;
}

/* ---- slots and joins ---- */

/* Whether a function waits for the end of one: `stop(worker);`, which joins it. Not in a loop of its own, which may
 * gather up those that have ended. */
static bool ends_one(const struct judging *j, uint32_t function, unsigned depth)
{
  const struct whole_program *p = j->program;
  const struct stretch s = stretch_of(p, function);
  struct lint_loop around[LOOPS_MOST];
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    if (program_node(p, c)->kind != SYNTAX_CALL || loops_around(p, function, i, around, 1))
      continue;
    const uint32_t callee = callee_of(p, c);
    if (called_meaning(p, c) & word_bit(j->question->release) ||
        (depth && callee != PROGRAM_NONE && ends_one(j, callee, depth - 1)))
      return true;
  }
  return false;
}

/* `start(&worker); stop(&worker);`, in the same loop as the creation. */
static bool ends_by_function(const struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct lint_loop loop = loop_of_level(j, level);
  const uint32_t call = j->question->step[level].code.node;
  for (uint32_t i = loop.from; i < loop.to; i++) {
    const struct code_place c = {loop.unit, i};
    const uint32_t callee = i == call ? PROGRAM_NONE : callee_of(p, c);
    if (callee == PROGRAM_NONE || is_in_other_loop(j, level, i, call) ||
        guards_of(j->conditions, p, &loop, i, call, level)->kind != CONDITION_TRUE || !ends_one(j, callee, 1))
      continue;
    snprintf(why, REASON_SIZE, "%s() waits for one to end (line %u)", p->symbol[p->function[callee].symbol].name,
             program_node(p, c)->line);
    return true;
  }
  return false;
}

/* A slot that each takes, or a thread that is joined before the next is created; not where those are gathered up that
 * have ended. */
static bool waits_for_end(const struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct lint_loop loop = loop_of_level(j, level);
  const uint32_t call = j->question->step[level].code.node;
  size_t length;
  for (uint32_t i = loop.from; i < call; i++) {
    const struct code_place c = {loop.unit, i};
    const uint64_t meaning = program_node(p, c)->kind == SYNTAX_CALL ? called_meaning(p, c) : 0;
    const bool slot =
        meaning & word_bit(WORD_WAIT) && guards_of(j->conditions, p, &loop, i, call, level)->kind == CONDITION_TRUE;
    const bool joins = meaning & word_bit(j->question->release) && !is_in_other_loop(j, level, i, call);
    if (!slot && !joins)
      continue;
    const char *name = called_name(p, c, &length);
    snprintf(why, REASON_SIZE, "%.*s() waits for one to end (line %u)", (int)length, name, program_node(p, c)->line);
    return true;
  }
  return false;
}

/* ---- what is asked on the way ---- */

/* The variable that a member is of. */
static struct code_place root_of(const struct whole_program *p, struct code_place c)
{
  c = code_inside(p, c);
  for (;;) {
    const uint8_t kind = program_node(p, c)->kind;
    const struct code_place below = code_child(p, c, 0);
    if (!code_is(below) || (kind != SYNTAX_MEMBER && kind != SYNTAX_INDEX && kind != SYNTAX_UNARY))
      return c;
    c = code_inside(p, below);
  }
}

/* Whether a node, which nothing is below, is what a method is called of: `this`, or a member without an object. */
static bool is_of_this(const struct whole_program *p, struct code_place c)
{
  const struct syntax_node *n = program_node(p, c);
  return n->kind == SYNTAX_MEMBER ||
         (n->kind == SYNTAX_OTHER && !strcmp(syntax_text(program_syntax(p, c), n->text), "this"));
}

/* Whether a call makes an object. */
static bool makes_object(const struct whole_program *p, struct code_place call)
{
  const uint32_t above = p->unit[call.unit].parent[call.node];
  return above != SYNTAX_NONE && p->unit[call.unit].syntax.node[above].kind == SYNTAX_NEW;
}

/* Whether an object is of something that each turn has for itself. */
static bool is_of_turn(const struct judging *j, struct code_place c, unsigned level)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  for (; level <= j->question->level && code_is(c); level++) {
    const struct code_place root = root_of(p, c);
    if (is_of_this(p, root) && level < j->question->level) {
      const struct code_place call = j->question->step[level + 1].code;
      if (makes_object(p, call))
        return true;
      c = code_child(p, call, 0);
      continue;
    }
    if (!object_of(p, root, &o) || o.symbol != PROGRAM_NONE)
      return false;
    const struct changes changes = changes_in_loop(j, &o, level);
    if (changes.called || changes.set)
      return true;
    c = argument_for(j, &o, level);
  }
  return false;
}

/* Whether the way to the creation sets it to something else than 0. */
static bool sets(const struct judging *j, const struct c_object *o)
{
  const struct changes c = changes_in_loop(j, o, j->question->level);
  return c.nonzero || c.called || c.set || c.up;
}

/* Whether a member is one of something that has just been made: `fresh = malloc(…); fresh->name = …`. */
static bool is_of_new(const struct judging *j, struct code_place c, unsigned level)
{
  struct c_object o;
  const struct code_place root = root_of(j->program, c);
  if (root.node == code_inside(j->program, c).node || !object_of(j->program, root, &o))
    return false;
  const struct changes changes = changes_in_loop(j, &o, level);
  return changes.instantiated && changes.instantiated == changes_sets(&changes);
}

/* Whether all that is set on the way is set of something new: then what is asked for is something else. */
static bool sets_of_new(const struct judging *j, const struct c_object *o)
{
  const struct whole_program *p = j->program;
  bool sets_one = false;
  for (unsigned level = 0; level <= j->question->level; level++)
    for (uint32_t i = j->stretch[level].from; i < j->stretch[level].to; i++) {
      const struct code_place at = {j->stretch[level].unit, i}, target = code_child(p, at, 0);
      if (program_node(p, at)->kind != SYNTAX_ASSIGN || !is_object(p, code_inside(p, target), o))
        continue;
      if (!is_of_new(j, target, level))
        return false;
      sets_one = true;
    }
  return sets_one;
}

/* A literal, with a sign or without, or an enumerator. */
static bool is_constant(const struct whole_program *p, struct code_place c)
{
  c = code_inside(p, c);
  const struct syntax_node *n = program_node(p, c);
  const struct code_place below = code_child(p, c, 0);
  if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_SUB && code_is(below))
    return is_constant(p, below);
  return n->kind == SYNTAX_NUMBER ||
         (n->kind == SYNTAX_NAME && syntax_flags(program_syntax(p, c), n->symbol) & SYMBOL_ENUMERATOR);
}

/* What a simple condition wants to be free: `!busy`, `state == FREE`, `fd < 0`, `!slot[i]`; none: it wants nothing like
 * that. */
static struct code_place wanted_free(const struct whole_program *p, const struct condition *simple)
{
  const struct code_place none = {.node = PROGRAM_NONE};
  const enum syntax_operator op = condition_operator(p, simple);
  if (code_is(simple->value))
    return none;
  if (op == OPERATOR_NONE)
    return simple->negated ? simple->code : none;
  const bool free = op == OPERATOR_EQ || op == OPERATOR_LT || op == OPERATOR_LE;
  return free && is_constant(p, code_child(p, simple->code, 1)) ? code_child(p, simple->code, 0) : none;
}

/* Whether an element is asked for, of something that is not made for it, and one is set. */
static bool asks_for_element(const struct judging *j, struct code_place asked, unsigned level, struct c_object *o)
{
  const struct whole_program *p = j->program;
  const struct stretch s = j->stretch[level];
  if (program_node(p, asked)->kind != SYNTAX_INDEX || !object_of(p, code_child(p, asked, 0), o))
    return false;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place at = {s.unit, i}, set = code_child(p, at, 0);
    if (program_node(p, at)->kind == SYNTAX_ASSIGN && program_node(p, code_inside(p, set))->kind == SYNTAX_INDEX &&
        is_object(p, code_child(p, code_inside(p, set), 0), o))
      return true;
  }
  return false;
}

/* `if (busy) return; busy = true;` and the like. */
static bool asks_for_place(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const struct code_place free = wanted_free(p, simple);
  if (!code_is(free) || is_of_turn(j, free, simple->level))
    return false;
  const struct code_place asked = code_inside(p, free);
  struct c_object o;
  if (!asks_for_element(j, asked, simple->level, &o) &&
      (!object_of(p, asked, &o) || o.symbol == PROGRAM_NONE || !sets(j, &o) || sets_of_new(j, &o)))
    return false;
  snprintf(why, REASON_SIZE, "'%s' is asked for and set (line %u)", syntax_name(&p->unit[o.unit].syntax, o.local),
           program_node(p, simple->code)->line);
  return true;
}

/* A parameter by itself, not what it points to: what is looked for is given. */
static bool names_parameter(const struct whole_program *p, struct code_place c)
{
  const struct program_unit *u = &p->unit[c.unit];
  for (uint32_t i = c.node; i < c.node + u->syntax.node[c.node].size; i++) {
    const uint8_t above = u->syntax.node[u->parent[i]].kind;
    if (u->syntax.node[i].kind == SYNTAX_NAME &&
        syntax_flags(&u->syntax, u->syntax.node[i].symbol) & SYMBOL_PARAMETER && above != SYNTAX_MEMBER &&
        above != SYNTAX_INDEX)
      return true;
  }
  return false;
}

/* Whether what is asked may change: a member, an element or a variable that some function sets, or what a function of
 * the program says. A table that stays as it was written has no places. */
static bool asks_what_changes(const struct whole_program *p, struct code_place asked)
{
  for (uint32_t i = asked.node; i < asked.node + program_node(p, asked)->size; i++) {
    const struct code_place c = {asked.unit, i};
    struct c_object o;
    size_t count = 0;
    if (callee_of(p, c) != PROGRAM_NONE)
      return true;
    if (!object_of(p, c, &o) || o.symbol == PROGRAM_NONE)
      continue;
    const uint32_t *user = program_users(p, o.symbol, &count);
    for (size_t k = 0; k < count; k++) {
      struct changes changes = {0};
      changes_add(p, &o, stretch_of(p, user[k]), &changes);
      if (changes_sets(&changes) || changes.up || changes.down || changes.taken)
        return true;
    }
  }
  return false;
}

/* `if (found) break;`, of what the loop sets: another question decided it. */
static bool asks_what_was_found(const struct whole_program *p, struct code_place asked, struct stretch loop)
{
  struct c_object o;
  struct changes changes = {0};
  if (program_node(p, asked)->kind != SYNTAX_NAME || !object_of(p, asked, &o) || o.symbol != PROGRAM_NONE)
    return false;
  changes_add(p, &o, loop, &changes);
  return changes.set || changes.nonzero;
}

/* A loop that ends at an element of which it asks something that nobody gave. */
static bool finds_place(const struct whole_program *p, struct code_place loop)
{
  const struct stretch all = {loop.unit, loop.node, loop.node + program_node(p, loop)->size};
  for (uint32_t i = loop.node; i < loop.node + program_node(p, loop)->size; i++) {
    const struct code_place branch = {loop.unit, i};
    const struct code_place asked = code_child(p, branch, 0);
    if (program_node(p, branch)->kind != SYNTAX_IF || names_parameter(p, asked) ||
        !(asks_what_changes(p, asked) || asks_what_was_found(p, asked, all)))
      continue;
    for (uint32_t k = i; k < i + program_node(p, branch)->size; k++) {
      const uint8_t kind = program_node(p, (struct code_place){loop.unit, k})->kind;
      if (kind == SYNTAX_BREAK || kind == SYNTAX_RETURN || kind == SYNTAX_GOTO)
        return true;
    }
  }
  return false;
}

/* A function that walks through something up to a place, and makes nothing. */
static bool looks_for_place(const struct whole_program *p, uint32_t function)
{
  const uint64_t other = word_bit(WORD_INSTANTIATE) | word_bit(WORD_ACCEPT) | word_bit(WORD_INPUT);
  const struct stretch s = stretch_of(p, function);
  bool finds = false;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    const struct syntax_node *n = program_node(p, c);
    if (n->kind == SYNTAX_NEW || (n->kind == SYNTAX_CALL && called_meaning(p, c) & other))
      return false;
    finds |= (n->kind == SYNTAX_FOR || n->kind == SYNTAX_WHILE) && finds_place(p, c);
  }
  return finds;
}

static bool asks_for_found(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  for (uint32_t i = simple->code.node; i < simple->code.node + program_node(p, simple->code)->size; i++) {
    const struct code_place c = {simple->code.unit, i};
    uint32_t callee = callee_of(p, c);
    if (object_of(p, c, &o) && o.symbol == PROGRAM_NONE) {
      const struct changes changes = changes_in_loop(j, &o, simple->level);
      callee = changes.called ? callee_of(p, changes.last_call) : PROGRAM_NONE;
    }
    if (callee == PROGRAM_NONE || !looks_for_place(p, callee))
      continue;
    snprintf(why, REASON_SIZE, "%s() looks for something, and is asked whether it has found it (line %u)",
             p->symbol[p->function[callee].symbol].name, program_node(p, simple->code)->line);
    return true;
  }
  return false;
}

/* `while (i < ROOM && table[i].used) i++; if (i == ROOM) …`: the same in place. */
static bool asks_for_index(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const struct lint_loop loop = loop_of_level(j, simple->level);
  const uint32_t call = j->question->step[simple->level].code.node;
  struct c_object o;
  if (condition_operator(p, simple) == OPERATOR_NONE || code_is(simple->value) ||
      !object_of(p, code_child(p, simple->code, 0), &o) || o.symbol != PROGRAM_NONE)
    return false;
  for (uint32_t i = loop.from; i < call; i++) {
    const struct code_place inner = {loop.unit, i};
    const struct syntax_node *n = program_node(p, inner);
    struct changes changes = {0};
    bool element = false;
    if ((n->kind != SYNTAX_FOR && n->kind != SYNTAX_WHILE) || i + n->size > call)
      continue;
    changes_add(p, &o, (struct stretch){loop.unit, i, i + n->size}, &changes);
    for (uint32_t k = i; k < i + n->size; k++) {
      const struct code_place index = {loop.unit, k};
      element |= program_node(p, index)->kind == SYNTAX_INDEX && is_object(p, code_child(p, index, 1), &o);
    }
    if (!changes.up || !element)
      continue;
    snprintf(why, REASON_SIZE, "a place is looked for with '%s' (line %u), and it is asked whether one was found",
             syntax_name(&p->unit[o.unit].syntax, o.local), n->line);
    return true;
  }
  return false;
}

/* `fd < FD_SETSIZE`: descriptors are given out from 0 on. */
static bool bounds_descriptor(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const enum syntax_operator op = condition_operator(p, simple);
  struct c_object o;
  if (op != OPERATOR_LT && op != OPERATOR_LE)
    return false;
  const struct code_place limit =
      code_inside(p, code_is(simple->value) ? simple->value : code_child(p, simple->code, 1));
  const struct syntax_node *n = program_node(p, limit);
  if (n->kind != SYNTAX_NUMBER || n->zero || !object_of(p, code_child(p, simple->code, 0), &o))
    return false;
  const struct changes c = changes_in_loop(j, &o, simple->level);
  if (!c.called || !(called_meaning(p, c.last_call) & word_bit(WORD_ACCEPT)))
    return false;
  snprintf(why, REASON_SIZE, "the descriptor '%s' is compared with a number (line %u)",
           syntax_name(&p->unit[o.unit].syntax, o.local), program_node(p, simple->code)->line);
  return true;
}

/* Whether an operand is called like a limit: by the function's name if it is a call. */
static bool is_named_limit(const struct whole_program *p, struct code_place c)
{
  size_t length;
  c = code_inside(p, c);
  if (program_node(p, c)->kind == SYNTAX_CALL) {
    char name[OBJECT_TEXT];
    const char *called = called_name(p, c, &length);
    snprintf(name, sizeof name, "%.*s", (int)length, called);
    return names_limit(name);
  }
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++)
    if (program_node(p, (struct code_place){c.unit, i})->kind == SYNTAX_CALL)
      return false;
  return names_limit(syntax_text(program_syntax(p, c), program_node(p, c)->text));
}

/* `clients < max_clients`, whatever the names stand for. */
static bool is_limit_by_name(const struct whole_program *p, const struct condition *simple, char *why)
{
  const bool compares = condition_operator(p, simple) != OPERATOR_NONE && !code_is(simple->value);
  const struct code_place left = compares ? code_child(p, simple->code, 0) : simple->code;
  if (!is_named_limit(p, left) && (!compares || !is_named_limit(p, code_child(p, simple->code, 1))))
    return false;
  snprintf(why, REASON_SIZE, "what is asked in line %u is called like a limit", program_node(p, simple->code)->line);
  return true;
}

static bool has_named_limit(const struct whole_program *p, const struct condition *c, char *why)
{
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR)
    return has_named_limit(p, c->left, why) || has_named_limit(p, c->right, why);
  return c->kind == CONDITION_SIMPLE && is_limit_by_name(p, c, why);
}

static bool asks_limit(struct judging *j, const struct condition *c, char *why)
{
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR)
    return asks_limit(j, c->left, why) || asks_limit(j, c->right, why);
  return c->kind == CONDITION_SIMPLE &&
         (asks_for_place(j, c, why) || asks_for_found(j, c, why) || asks_for_index(j, c, why) ||
          bounds_descriptor(j, c, why) || is_limit_by_name(j->program, c, why));
}

static bool asks_for_places(struct judging *j, const struct condition *c, char *why)
{
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR)
    return asks_for_places(j, c->left, why) || asks_for_places(j, c->right, why);
  return c->kind == CONDITION_SIMPLE && asks_for_place(j, c, why);
}

/* Loops that are between: they walk through places, and the creation is in one that is free. */
static bool asks_in_loops(struct judging *j, unsigned level, char *why)
{
  struct lint_loop around[LOOPS_MOST];
  const struct path_step *step = &j->question->step[level];
  const unsigned count = loops_around(j->program, step->function, step->code.node, around, LOOPS_MOST);
  for (unsigned i = 0; i < count; i++)
    if (around[i].from > j->stretch[level].from &&
        asks_for_places(j, reaching_condition(j->conditions, j->program, &around[i], step->code.node, level), why))
      return true;
  return false;
}

/* What the thread does: any function that is given on the way to the creation. */
static bool work_compares(struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct code_place call = j->question->step[level].code;
  for (unsigned i = 1; code_is(code_child(p, call, i)); i++) {
    const uint32_t symbol = program_symbol_of(p, code_inside(p, code_child(p, call, i)));
    const uint32_t function = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
    if (function != PROGRAM_NONE && p->symbol[symbol].flags & SYMBOL_FUNCTION &&
        compares_counters(j, stretch_of(p, function), 1, true, why))
      return true;
  }
  return false;
}

bool seems_limited(struct judging *j, char *why)
{
  if (asks_limit(j, j->whole, why))
    return true;
  for (unsigned level = 0; level <= j->question->level; level++)
    if (asks_in_loops(j, level, why) || work_compares(j, level, why) ||
        compares_counters(j, j->stretch[level], COUNTER_DEPTH, false, why) || waits_for_end(j, level, why) ||
        ends_by_function(j, level, why))
      return true;
  return has_named_limit(j->program, j->whole, why);
}
