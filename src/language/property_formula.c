/* SPDX-License-Identifier: Apache-2.0
 *
 * The property itself, in one of the six formalisms: after "fsm:" and the like, up to its handlers.
 */
#include "language/property_spec.h"
#include <string.h>

/* Whether the property is over: its handlers, or the end of the specification. */
static bool is_over(const struct tokens *t)
{
  return tokens_next_is(t, "@") || tokens_next_is(t, "}") || t->next.kind == TOKEN_END;
}

static uint32_t add_node(struct tokens *t, struct spec *s, enum formula_kind kind, uint32_t left, uint32_t right)
{
  if (s->nodes == SPEC_NODES) {
    tokens_fail(t, &t->next, "this formula is too long");
    return 1;
  }
  s->node[s->nodes++] = (struct formula){kind, left, right};
  return s->nodes;
}

static uint32_t read_event(struct tokens *t, struct spec *s)
{
  struct token name = tokens_name(t, "an event");
  uint32_t event = tokens_failed(t) ? 0 : spec_event_number(t, s, &name);
  return add_node(t, s, FORMULA_EVENT, event, 0);
}

/* ---- regular expressions ---- */

static uint32_t read_alternatives(struct tokens *t, struct spec *s);

static uint32_t read_postfix(struct tokens *t, struct spec *s)
{
  uint32_t f = 1;
  if (!spec_enter(t, s))
    return f;
  if (tokens_accept(t, "~")) {
    f = add_node(t, s, FORMULA_NOT, read_postfix(t, s), 0);
  } else if (tokens_accept(t, "(")) {
    f = read_alternatives(t, s);
    tokens_expect(t, ")");
  } else if (tokens_accept(t, "epsilon")) {
    f = add_node(t, s, FORMULA_EMPTY_WORD, 0, 0);
  } else {
    f = read_event(t, s);
  }
  spec_leave(s);
  for (;;) {
    if (tokens_accept(t, "*"))
      f = add_node(t, s, FORMULA_STAR, f, 0);
    else if (tokens_accept(t, "+"))
      f = add_node(t, s, FORMULA_THEN, f, add_node(t, s, FORMULA_STAR, f, 0));
    else if (tokens_accept(t, "?"))
      f = add_node(t, s, FORMULA_OR, f, add_node(t, s, FORMULA_EMPTY_WORD, 0, 0));
    else
      return f;
  }
}

static uint32_t read_sequence(struct tokens *t, struct spec *s)
{
  uint32_t f = read_postfix(t, s);
  while (tokens_next_is(t, "~") || tokens_next_is(t, "(") || t->next.kind == TOKEN_NAME)
    f = add_node(t, s, FORMULA_THEN, f, read_postfix(t, s));
  return f;
}

static uint32_t read_conjunction(struct tokens *t, struct spec *s)
{
  uint32_t f = read_sequence(t, s);
  while (tokens_accept(t, "&"))
    f = add_node(t, s, FORMULA_AND, f, read_sequence(t, s));
  return f;
}

static uint32_t read_alternatives(struct tokens *t, struct spec *s)
{
  uint32_t f = read_conjunction(t, s);
  while (tokens_accept(t, "|"))
    f = add_node(t, s, FORMULA_OR, f, read_conjunction(t, s));
  return f;
}

/* ---- temporal logic, of the future and of the past ---- */

static const struct temporal {
  const char *sign;
  enum formula_kind kind;
  bool past, binary;
} temporals[] = {{"o", FORMULA_NEXT, false, false},
                 {"[]", FORMULA_ALWAYS, false, false},
                 {"<>", FORMULA_EVENTUALLY, false, false},
                 {"U", FORMULA_UNTIL, false, true},
                 {"R", FORMULA_RELEASE, false, true},
                 {"(*)", FORMULA_PREVIOUS, true, false},
                 {"[*]", FORMULA_HISTORICALLY, true, false},
                 {"<*>", FORMULA_ONCE, true, false},
                 {"S", FORMULA_SINCE, true, true}};
#define TEMPORALS (sizeof temporals / sizeof *temporals)

/* The operator that comes next, taken; NULL if it is none, or of the other time. */
static const struct temporal *take_temporal(struct tokens *t, const struct spec *s, bool binary)
{
  for (const struct temporal *o = temporals; o < temporals + TEMPORALS; o++) {
    if (o->binary != binary || !tokens_next_is(t, o->sign))
      continue;
    if (o->past != (s->formalism == FORMALISM_PTLTL)) {
      tokens_fail(t, &t->next, "\"%s\" speaks of the %s; this formula, \"%s\", is of the %s", o->sign,
                  o->past ? "past" : "future", o->past ? "ltl" : "ptltl", o->past ? "future" : "past");
      return NULL;
    }
    tokens_take(t);
    return o;
  }
  return NULL;
}

static uint32_t read_implication(struct tokens *t, struct spec *s);

static uint32_t read_temporal_unary(struct tokens *t, struct spec *s);

static uint32_t read_temporal_operand(struct tokens *t, struct spec *s)
{
  const struct temporal *o = take_temporal(t, s, false);
  if (o)
    return add_node(t, s, o->kind, read_temporal_unary(t, s), 0);
  if (tokens_accept(t, "!") || tokens_accept(t, "not"))
    return add_node(t, s, FORMULA_NOT, read_temporal_unary(t, s), 0);
  if (tokens_accept(t, "true"))
    return add_node(t, s, FORMULA_TRUE, 0, 0);
  if (tokens_accept(t, "false"))
    return add_node(t, s, FORMULA_FALSE, 0, 0);
  if (!tokens_accept(t, "("))
    return read_event(t, s);
  uint32_t f = read_implication(t, s);
  tokens_expect(t, ")");
  return f;
}

static uint32_t read_temporal_unary(struct tokens *t, struct spec *s)
{
  uint32_t f = spec_enter(t, s) ? read_temporal_operand(t, s) : 1;
  spec_leave(s);
  return f;
}

static uint32_t read_temporal_binary(struct tokens *t, struct spec *s)
{
  uint32_t left = read_temporal_unary(t, s);
  const struct temporal *o = take_temporal(t, s, true);
  return o ? add_node(t, s, o->kind, left, read_temporal_binary(t, s)) : left;
}

static uint32_t read_and(struct tokens *t, struct spec *s)
{
  uint32_t f = read_temporal_binary(t, s);
  while (tokens_accept(t, "and") || tokens_accept(t, "&&"))
    f = add_node(t, s, FORMULA_AND, f, read_temporal_binary(t, s));
  return f;
}

static uint32_t read_or(struct tokens *t, struct spec *s)
{
  uint32_t f = read_and(t, s);
  while (tokens_accept(t, "or") || tokens_accept(t, "||"))
    f = add_node(t, s, FORMULA_OR, f, read_and(t, s));
  return f;
}

static uint32_t read_implication(struct tokens *t, struct spec *s)
{
  uint32_t left = read_or(t, s);
  return tokens_accept(t, "=>") ? add_node(t, s, FORMULA_IMPLIES, left, read_implication(t, s)) : left;
}

/* ---- states ---- */

static uint16_t state_named(struct tokens *t, struct spec *s, const struct token *name)
{
  uint16_t i = 0;
  while (i < s->states && !token_is(name, s->state[i]))
    i++;
  if (i == SPEC_STATES) {
    tokens_fail(t, name, "there are more than %d states", SPEC_STATES);
    return 0;
  }
  if (i == s->states)
    token_copy(name, s->state[s->states++], PROPERTY_NAME);
  return i;
}

static void read_arrow(struct tokens *t, struct spec *s, uint16_t from)
{
  struct token name = tokens_name(t, "an event or \"]\"");
  uint32_t event = tokens_failed(t) ? 0 : spec_event_number(t, s, &name);
  tokens_expect(t, "->");
  struct token to = tokens_name(t, "a state");
  tokens_accept(t, ",");
  if (tokens_failed(t))
    return;
  for (uint32_t i = 0; i < s->arrows; i++)
    if (s->arrow[i].from == from && s->arrow[i].event == event) {
      tokens_fail(t, &name, "event \"%s\" leads from state \"%s\" to two states", s->event[event].name, s->state[from]);
      return;
    }
  if (s->arrows == SPEC_ARROWS)
    tokens_fail(t, &name, "there are more than %d arrows", SPEC_ARROWS);
  else
    s->arrow[s->arrows++] = (struct spec_arrow){from, (uint16_t)event, state_named(t, s, &to)};
}

static void read_state(struct tokens *t, struct spec *s)
{
  char text[PROPERTY_NAME];
  struct token name = tokens_name(t, "a state");
  if (tokens_failed(t))
    return;
  uint16_t state = state_named(t, s, &name);
  if (s->described[state])
    tokens_fail(t, &name, "state \"%s\" is described twice", token_copy(&name, text, sizeof text));
  s->described[state] = true;
  if (tokens_accept(t, "[]"))
    return;
  tokens_expect(t, "[");
  while (!tokens_failed(t) && !tokens_accept(t, "]"))
    read_arrow(t, s, state);
}

static void read_alias(struct tokens *t, struct spec *s)
{
  struct token name = tokens_name(t, "the name of the group of states");
  if (s->aliases == PROPERTY_ALIASES)
    tokens_fail(t, &name, "there are more than %d aliases", PROPERTY_ALIASES);
  tokens_expect(t, "=");
  if (tokens_failed(t))
    return;
  token_copy(&name, s->alias[s->aliases], PROPERTY_NAME);
  do {
    char text[PROPERTY_NAME];
    struct token state = tokens_name(t, "a state");
    uint16_t i = 0;
    while (i < s->states && !token_is(&state, s->state[i]))
      i++;
    if (i == s->states)
      tokens_fail(t, &state, "there is no state \"%s\"", token_copy(&state, text, sizeof text));
    else
      s->in_alias[s->aliases][i] = true;
  } while (tokens_accept(t, ","));
  s->aliases++;
}

static void read_states(struct tokens *t, struct spec *s)
{
  while (!is_over(t) && !tokens_next_is(t, "alias"))
    read_state(t, s);
  if (!s->states)
    tokens_unexpected(t, "a state");
  while (tokens_accept(t, "alias"))
    read_alias(t, s);
  for (uint32_t i = 0; i < s->states; i++)
    if (!s->described[i])
      tokens_fail(t, &t->next, "state \"%s\" is led to, but not described", s->state[i]);
}

/* ---- grammars and rewriting ---- */

static void add_symbol(struct tokens *t, struct spec *s, uint16_t symbol)
{
  if (s->symbols == SPEC_SYMBOLS)
    tokens_fail(t, &t->next, "there are more than %d symbols", SPEC_SYMBOLS);
  else
    s->symbol[s->symbols++] = symbol;
}

static uint32_t nonterminal_named(const struct spec *s, const struct token *name)
{
  uint32_t i = 0;
  while (i < s->nonterminals && !token_is(name, s->nonterminal[i]))
    i++;
  return i;
}

/* The names that stand before an arrow, since they may be used earlier. */
static void find_nonterminals(struct tokens ahead, struct spec *s, struct tokens *t)
{
  while (!is_over(&ahead)) {
    struct token name = tokens_take(&ahead);
    if (name.kind != TOKEN_NAME || !tokens_next_is(&ahead, "->") || nonterminal_named(s, &name) < s->nonterminals)
      continue;
    if (s->nonterminals == SPEC_NONTERMINALS) {
      tokens_fail(t, &name, "there are more than %d nonterminals", SPEC_NONTERMINALS);
      return;
    }
    token_copy(&name, s->nonterminal[s->nonterminals++], PROPERTY_NAME);
  }
}

static void read_right_side(struct tokens *t, struct spec *s)
{
  if (!tokens_accept(t, "epsilon")) {
    if (t->next.kind != TOKEN_NAME)
      tokens_unexpected(t, "an event, a nonterminal or \"epsilon\"");
    while (t->next.kind == TOKEN_NAME && !tokens_next_is(t, "epsilon")) {
      struct token name = tokens_take(t);
      uint32_t nonterminal = nonterminal_named(s, &name);
      add_symbol(
          t, s,
          (uint16_t)(nonterminal < s->nonterminals ? SPEC_NONTERMINAL + nonterminal : spec_event_number(t, s, &name)));
    }
  }
  add_symbol(t, s, SPEC_END);
}

static void read_grammar(struct tokens *t, struct spec *s)
{
  find_nonterminals(*t, s, t);
  do {
    char text[PROPERTY_NAME];
    struct token name = tokens_name(t, "a nonterminal");
    for (uint32_t i = 0; i < s->events; i++)
      if (token_is(&name, s->event[i].name))
        tokens_fail(t, &name, "\"%s\" is an event, so it cannot stand on the left side of a production",
                    token_copy(&name, text, sizeof text));
    tokens_expect(t, "->");
    do {
      add_symbol(t, s, (uint16_t)(SPEC_NONTERMINAL + nonterminal_named(s, &name)));
      read_right_side(t, s);
    } while (tokens_accept(t, "|"));
  } while (tokens_accept(t, ",") && !tokens_failed(t));
}

static void read_rewriting_result(struct tokens *t, struct spec *s)
{
  if (tokens_accept(t, "#")) {
    struct token word = tokens_name(t, "\"epsilon\", \"fail\" or \"succeed\"");
    if (token_is(&word, "fail") || token_is(&word, "succeed"))
      add_symbol(t, s, token_is(&word, "fail") ? SPEC_TO_FAIL : SPEC_TO_SUCCEED);
    else if (!token_is(&word, "epsilon"))
      tokens_fail(t, &word, "after \"#\" there can only be \"epsilon\", \"fail\" or \"succeed\"");
  } else {
    if (t->next.kind != TOKEN_NAME)
      tokens_unexpected(t, "an event, \"#epsilon\", \"#fail\" or \"#succeed\"");
    while (t->next.kind == TOKEN_NAME) {
      struct token name = tokens_take(t);
      add_symbol(t, s, (uint16_t)spec_event_number(t, s, &name));
    }
  }
  add_symbol(t, s, SPEC_END);
  tokens_expect(t, ".");
}

static void read_rewriting(struct tokens *t, struct spec *s)
{
  do {
    do {
      struct token name = tokens_name(t, "an event");
      if (!tokens_failed(t))
        add_symbol(t, s, (uint16_t)spec_event_number(t, s, &name));
    } while (t->next.kind == TOKEN_NAME);
    add_symbol(t, s, SPEC_END);
    tokens_expect(t, "->");
    read_rewriting_result(t, s);
  } while (!is_over(t));
}

void spec_read_property(struct tokens *t, struct spec *s)
{
  switch (s->formalism) {
  case FORMALISM_FSM:
    read_states(t, s);
    break;
  case FORMALISM_ERE:
    s->root = read_alternatives(t, s);
    break;
  case FORMALISM_CFG:
    read_grammar(t, s);
    break;
  case FORMALISM_SRS:
    read_rewriting(t, s);
    break;
  default:
    s->root = read_implication(t, s);
  }
  if (!is_over(t))
    tokens_unexpected(t, "a handler, as in \"@fail {}\"");
}
