/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions and bodies of events: a small part of C, compiled for the machine of core/property_code.h. Expressions
 * are of values of the event, variables of the monitor and numbers; statements are assignments to variables, and `if`.
 */
#include "core/property_code.h"
#include "language/property_spec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 7

struct compiler {
  struct tokens *t;
  struct spec *s;
  const struct spec_event *event;
  struct spec_event *grows; /* the same, where one more value can be added to it; else NULL */
  unsigned depth;           /* of the stack, as it will be */
  bool uses_variables;
};

static void emit(struct compiler *c, int64_t word)
{
  if (c->s->codes == SPEC_CODE)
    tokens_fail(c->t, &c->t->next, "the conditions and bodies of this property are too long");
  else
    c->s->code[c->s->codes++] = word;
}

static void push(struct compiler *c, int64_t instruction, int64_t number)
{
  emit(c, instruction);
  emit(c, number);
  if (++c->depth == CODE_STACK)
    tokens_fail(c->t, &c->t->next, "this expression is nested too deeply");
}

bool spec_read_number(struct tokens *t, int64_t *number)
{
  char text[32], *end;
  struct token token = t->next;
  bool negative = tokens_accept(t, "-");
  if (t->next.kind != TOKEN_NUMBER) {
    tokens_unexpected(t, "a number");
    return false;
  }
  token = tokens_take(t);
  errno = 0;
  unsigned long long value = strtoull(token_copy(&token, text, sizeof text), &end, 0);
  if (*end || errno || token.length >= sizeof text || value > INT64_MAX) {
    tokens_fail(t, &token, "\"%s\" is no number that fits into 64 bits", text);
    return false;
  }
  *number = negative ? -(int64_t)value : (int64_t)value;
  return true;
}

static uint32_t variable_named(const struct spec *s, const struct token *name)
{
  uint32_t i = 0;
  while (i < s->variables && !token_is(name, s->variable[i]))
    i++;
  return i;
}

static void read_name(struct compiler *c)
{
  char text[PROPERTY_NAME];
  struct token name = tokens_take(c->t);
  for (uint32_t i = 0; i < c->event->values; i++)
    if (token_is(&name, c->event->value[i].name)) {
      push(c, CODE_VALUE, i);
      return;
    }
  uint32_t variable = variable_named(c->s, &name);
  if (variable < c->s->variables) {
    c->uses_variables = true;
    push(c, CODE_VARIABLE, variable);
    if (tokens_accept(c->t, "[")) { /* name[0]: whether it is one */
      int64_t first = 0;
      struct token at = c->t->next;
      if (spec_read_number(c->t, &first) && first)
        tokens_fail(c->t, &at, "of the name of a thread only [0] can be looked at");
      tokens_expect(c->t, "]");
    }
  } else if (token_is(&name, "NULL")) {
    push(c, CODE_NUMBER, 0);
  } else {
    tokens_fail(c->t, &name, "\"%s\" is neither a value of this event nor a variable of the monitor",
                token_copy(&name, text, sizeof text));
  }
}

static void read_level(struct compiler *c, unsigned level);

static void read_unary(struct compiler *c)
{
  int64_t number;
  if (!spec_enter(c->t, c->s))
    return;
  if (tokens_accept(c->t, "!")) {
    read_unary(c);
    emit(c, CODE_NOT);
  } else if (tokens_accept(c->t, "-")) {
    read_unary(c);
    emit(c, CODE_NEGATE);
  } else if (tokens_accept(c->t, "(")) {
    read_level(c, 0);
    tokens_expect(c->t, ")");
  } else if (c->t->next.kind == TOKEN_NUMBER) {
    if (spec_read_number(c->t, &number))
      push(c, CODE_NUMBER, number);
  } else if (c->t->next.kind == TOKEN_NAME) {
    read_name(c);
  } else {
    tokens_unexpected(c->t, "an expression");
  }
  spec_leave(c->s);
}

/* Operators with two operands, by how tightly they bind. */
static const struct {
  const char *sign;
  unsigned level;
  enum property_instruction instruction;
} operators[] = {{"||", 0, CODE_OR},      {"&&", 1, CODE_AND},
                 {"|", 2, CODE_BIT_OR},   {"&", 3, CODE_BIT_AND},
                 {"==", 4, CODE_EQUAL},   {"!=", 4, CODE_UNEQUAL},
                 {"<", 4, CODE_LESS},     {"<=", 4, CODE_LESS_OR_EQUAL},
                 {">", 4, CODE_GREATER},  {">=", 4, CODE_GREATER_OR_EQUAL},
                 {"+", 5, CODE_ADD},      {"-", 5, CODE_SUBTRACT},
                 {"*", 6, CODE_MULTIPLY}, {"/", 6, CODE_DIVIDE},
                 {"%", 6, CODE_REMAINDER}};
#define OPERATORS (sizeof operators / sizeof *operators)

static void read_level(struct compiler *c, unsigned level)
{
  if (level == LEVELS) {
    read_unary(c);
    return;
  }
  read_level(c, level + 1);
  for (size_t i = 0; i < OPERATORS; i++)
    if (operators[i].level == level && tokens_accept(c->t, operators[i].sign)) {
      read_level(c, level + 1);
      emit(c, operators[i].instruction);
      c->depth--;
      i = (size_t)-1; /* all of the level once more */
    }
}

uint32_t spec_read_condition(struct tokens *t, struct spec *s, const struct spec_event *event, bool *uses_variables)
{
  struct compiler c = {.t = t, .s = s, .event = event};
  uint32_t begin = s->codes;
  read_level(&c, 0);
  emit(&c, CODE_END);
  *uses_variables = c.uses_variables;
  return begin;
}

/* ---- statements ---- */

static void read_assignment(struct compiler *c)
{
  char text[PROPERTY_NAME];
  struct token name = tokens_name(c->t, "a variable of the monitor");
  uint32_t variable = variable_named(c->s, &name);
  if (variable == c->s->variables) {
    tokens_fail(c->t, &name, "\"%s\" is no variable of the monitor, so nothing can be assigned to it",
                token_copy(&name, text, sizeof text));
    return;
  }
  bool adds = tokens_next_is(c->t, "+=") || tokens_next_is(c->t, "++");
  bool subtracts = tokens_next_is(c->t, "-=") || tokens_next_is(c->t, "--");
  bool by_one = tokens_next_is(c->t, "++") || tokens_next_is(c->t, "--");
  if (!adds && !subtracts && !tokens_next_is(c->t, "=")) {
    tokens_unexpected(c->t, "\"=\", \"+=\", \"-=\", \"++\" or \"--\"");
    return;
  }
  tokens_take(c->t);
  if (adds || subtracts)
    push(c, CODE_VARIABLE, variable);
  if (by_one)
    push(c, CODE_NUMBER, 1);
  else
    read_level(c, 0);
  if (adds || subtracts)
    emit(c, adds ? CODE_ADD : CODE_SUBTRACT);
  emit(c, CODE_STORE);
  emit(c, variable);
  c->depth = 0;
}

/* mop_self_name(v): the variable names the thread from now on. */
static void read_self_name(struct compiler *c)
{
  struct spec_event *event = c->grows;
  tokens_expect(c->t, "(");
  struct token name = tokens_name(c->t, "a variable of the monitor");
  uint32_t variable = variable_named(c->s, &name), own = 0;
  tokens_expect(c->t, ")");
  if (variable == c->s->variables)
    tokens_fail(c->t, &name, "mop_self_name() is for a variable of the monitor");
  while (own < event->values && !event->own_thread[own])
    own++;
  if (own == SPEC_VALUES)
    tokens_fail(c->t, &name, "there are more than %d values", SPEC_VALUES);
  if (tokens_failed(c->t))
    return;
  if (own == event->values) {
    event->value[event->values++] = (struct spec_value){.width = 8, .is_signed = true};
    event->own_thread[own] = true;
  }
  push(c, CODE_VALUE, own);
  emit(c, CODE_STORE);
  emit(c, variable);
  c->depth = 0;
}

static void read_statement(struct compiler *c)
{
  if (!tokens_accept(c->t, "if")) {
    if (tokens_accept(c->t, "mop_self_name"))
      read_self_name(c);
    else
      read_assignment(c);
    tokens_expect(c->t, ";");
    return;
  }
  tokens_expect(c->t, "(");
  read_level(c, 0);
  tokens_expect(c->t, ")");
  emit(c, CODE_SKIP);
  uint32_t distance = c->s->codes;
  emit(c, 0);
  c->depth = 0;
  if (spec_enter(c->t, c->s))
    read_statement(c);
  spec_leave(c->s);
  if (!tokens_failed(c->t))
    c->s->code[distance] = c->s->codes - distance - 1;
}

uint32_t spec_read_body(struct tokens *t, struct spec *s, struct spec_event *event)
{
  struct compiler c = {.t = t, .s = s, .event = event, .grows = event};
  uint32_t begin = s->codes;
  tokens_expect(t, "{");
  if (tokens_accept(t, "}"))
    return 0;
  while (!tokens_failed(t) && !tokens_accept(t, "}"))
    read_statement(&c);
  emit(&c, CODE_END);
  return begin;
}
