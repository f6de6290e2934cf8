/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding changes of an object; see the header.
 */
#include "lint/object_changes.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What has the value of the object below it: a macro, its address, and counting it. */
static bool is_around_object(const struct syntax_node *n)
{
  if (n->kind == SYNTAX_UNARY)
    return n->op == OPERATOR_INCREMENT || n->op == OPERATOR_DECREMENT || n->op == OPERATOR_ADDRESS;
  return n->kind == SYNTAX_MACRO || (n->kind == SYNTAX_ASSIGN && (n->op == OPERATOR_ADD || n->op == OPERATOR_SUB));
}

bool object_of(const struct whole_program *p, struct code_place c, struct c_object *object)
{
  if (!code_is(c))
    return false;
  const struct syntax_node *n = program_node(p, c);
  while (is_around_object(n)) {
    c = code_child(p, c, 0);
    if (!code_is(c))
      return false;
    n = program_node(p, c);
  }
  const bool names =
      (n->kind == SYNTAX_NAME || n->kind == SYNTAX_MEMBER || n->kind == SYNTAX_VARIABLE) && n->symbol != SYNTAX_NONE;
  const uint32_t flags = names ? syntax_flags(program_syntax(p, c), n->symbol) : 0;
  if (!names || flags & SYMBOL_FUNCTION)
    return false;
  *object = (struct c_object){.unit = c.unit, .local = n->symbol, .symbol = program_symbol_of(p, c), .flags = flags};
  object->flags |= object->symbol == PROGRAM_NONE ? 0 : p->symbol[object->symbol].flags & SYMBOL_ATOMIC;
  return true;
}

bool is_object(const struct whole_program *p, struct code_place c, const struct c_object *object)
{
  struct c_object other;
  if (!object_of(p, c, &other))
    return false;
  return object->symbol == PROGRAM_NONE ? other.unit == object->unit && other.local == object->local
                                        : other.symbol == object->symbol;
}

static bool mentions(const struct whole_program *p, struct code_place c, const struct c_object *object)
{
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++) {
    const struct code_place at = {c.unit, i};
    const uint8_t kind = program_node(p, at)->kind;
    if ((kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && is_object(p, at, object))
      return true;
  }
  return false;
}

static bool has_call(const struct whole_program *p, struct code_place c)
{
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++)
    if (program_node(p, (struct code_place){c.unit, i})->kind == SYNTAX_CALL)
      return true;
  return false;
}

static bool changes_anything(const struct whole_program *p, const struct c_object *object, struct stretch s)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place at = {s.unit, i};
    const struct syntax_node *n = program_node(p, at);
    const bool counts = n->kind == SYNTAX_UNARY && (n->op == OPERATOR_INCREMENT || n->op == OPERATOR_DECREMENT);
    if ((counts || n->kind == SYNTAX_ASSIGN || (n->kind == SYNTAX_VARIABLE && n->size > 1)) &&
        is_object(p, n->kind == SYNTAX_VARIABLE ? at : code_child(p, at, 0), object))
      return true;
  }
  return false;
}

/* A simple computation: literals, and objects that do not change in the stretch; but for the one that is changed. */
static bool is_simple(const struct whole_program *p, struct code_place value, const struct c_object *object,
                      struct stretch s)
{
  for (uint32_t i = value.node; i < value.node + program_node(p, value)->size; i++) {
    const struct code_place at = {value.unit, i};
    struct c_object used;
    const uint8_t kind = program_node(p, at)->kind;
    if (kind == SYNTAX_CALL)
      return false;
    if ((kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && object_of(p, at, &used) && !is_object(p, at, object) &&
        changes_anything(p, &used, s))
      return false;
  }
  return true;
}

void changes_note_value(const struct whole_program *p, const struct c_object *object, struct code_place value,
                        struct code_place at, struct stretch s, struct changes *c)
{
  value = code_inside(p, value);
  const struct syntax_node *n = program_node(p, value);
  if (n->kind == SYNTAX_ASSIGN && n->op == OPERATOR_NONE) {
    changes_note_value(p, object, code_child(p, value, 1), at, s, c);
  } else if (n->kind == SYNTAX_NUMBER) {
    const bool zero = n->zero;
    *(zero ? &c->zero : &c->nonzero) += 1;
    *(zero ? &c->last_zero : &c->last_nonzero) = at;
  } else if (n->kind == SYNTAX_BINARY && (n->op == OPERATOR_ADD || n->op == OPERATOR_SUB) &&
             is_object(p, code_child(p, value, 0), object) && is_simple(p, value, object, s)) {
    *(n->op == OPERATOR_ADD ? &c->up : &c->down) += 1;
    *(n->op == OPERATOR_ADD ? &c->last_up : &c->last_down) = at;
  } else if (n->kind == SYNTAX_CALL || n->kind == SYNTAX_NEW) {
    const uint64_t meaning = n->kind == SYNTAX_NEW ? word_bit(WORD_INSTANTIATE) : called_meaning(p, value);
    c->called++;
    c->configured += (meaning & word_bit(WORD_CONFIGURED)) != 0;
    c->instantiated += (meaning & word_bit(WORD_INSTANTIATE)) != 0;
    c->last_call = value;
  } else {
    c->set++;
    c->last_set = at;
    c->stepped += mentions(p, value, object) && !has_call(p, value);
  }
}

static void note_assignment(const struct whole_program *p, const struct c_object *object, struct code_place at,
                            struct stretch s, struct changes *c)
{
  const struct syntax_node *n = program_node(p, at);
  const struct code_place value = code_child(p, at, 1);
  if (!code_is(value) || !is_object(p, code_child(p, at, 0), object))
    return;
  if (n->op == OPERATOR_NONE) {
    changes_note_value(p, object, value, at, s, c);
  } else if ((n->op == OPERATOR_ADD || n->op == OPERATOR_SUB) && is_simple(p, value, object, s)) {
    *(n->op == OPERATOR_ADD ? &c->up : &c->down) += 1;
    *(n->op == OPERATOR_ADD ? &c->last_up : &c->last_down) = at;
  } else {
    c->set++;
    c->last_set = at;
  }
}

/* atomic_fetch_add(&n, 1) and the like; false: it is none of those. */
static bool note_atomic(const struct whole_program *p, const struct c_object *object, struct code_place at,
                        struct changes *c)
{
  const uint64_t meaning = called_meaning(p, at);
  const bool adds = meaning & word_bit(WORD_ADD_ATOMIC), down = meaning & word_bit(WORD_SUBTRACT_ATOMIC);
  const struct code_place by = code_child(p, at, 2);
  const bool negative =
      adds && code_is(by) && program_node(p, by)->kind == SYNTAX_UNARY && program_node(p, by)->op == OPERATOR_SUB;
  const bool up = adds && !negative;
  size_t length;
  if (!adds && !down)
    return false;
  const char *name = called_name(p, at, &length);
  const unsigned argument =
      vocabulary_argument(p->vocabulary, adds ? WORD_ADD_ATOMIC : WORD_SUBTRACT_ATOMIC, name, length);
  char text[OBJECT_TEXT];
  if (argument == UINT_MAX || !argument_text(p, at, argument, text))
    return false;
  const struct code_place below = at;
  const uint32_t symbol = object_symbol(p, below, text);
  if (object->symbol != PROGRAM_NONE ? symbol != object->symbol : !mentions(p, below, object))
    return false;
  *(up ? &c->up : &c->down) += 1;
  *(up ? &c->last_up : &c->last_down) = at;
  return true;
}

void changes_add(const struct whole_program *p, const struct c_object *object, struct stretch s, struct changes *c)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place at = {s.unit, i};
    const struct syntax_node *n = program_node(p, at);
    if (n->kind == SYNTAX_ASSIGN) {
      note_assignment(p, object, at, s, c);
    } else if (n->kind == SYNTAX_VARIABLE && n->size > 1 && is_object(p, at, object)) {
      changes_note_value(p, object, code_child(p, at, 0), at, s, c);
    } else if (n->kind == SYNTAX_UNARY && is_object(p, code_child(p, at, 0), object)) {
      c->up += n->op == OPERATOR_INCREMENT;
      c->down += n->op == OPERATOR_DECREMENT;
      c->taken += n->op == OPERATOR_ADDRESS;
      if (n->op == OPERATOR_INCREMENT)
        c->last_up = at;
      else if (n->op == OPERATOR_DECREMENT)
        c->last_down = at;
    } else if ((n->kind == SYNTAX_CALL || n->kind == SYNTAX_MACRO || n->kind == SYNTAX_OTHER) &&
               note_atomic(p, object, at, c)) {
      i += n->size - 1; /* what is below it says the same again, and takes the address */
    }
  }
}
