/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of states, and facts; see the header.
 */
#include "lint/lock_states.h"
#include "core/hash.h"

/* ---- sets ---- */

static bool has_same_locks(const struct lock_state *a, const struct lock_state *b)
{
  return a->held == b->held && a->released == b->released;
}

/* What both know. */
static void merge(struct lock_state *into, const struct lock_state *other)
{
  into->known &= other->known & ~(into->value ^ other->value);
  into->value &= into->known;
}

bool states_add(struct lock_states *to, struct lock_state state)
{
  state.value &= state.known;
  for (unsigned i = 0; i < to->count; i++)
    if (has_same_locks(&to->state[i], &state)) {
      merge(&to->state[i], &state);
      return true;
    }
  if (to->count == STATES_MOST)
    return false;
  to->state[to->count++] = state;
  return true;
}

bool states_join(struct lock_states *to, const struct lock_states *from)
{
  bool good = true;
  for (unsigned i = 0; good && i < from->count; i++)
    good = states_add(to, from->state[i]);
  return good;
}

/* One that knows less includes one that knows more. */
static bool includes(const struct lock_state *less, const struct lock_state *more)
{
  return has_same_locks(less, more) && !(less->known & ~more->known) && !((less->value ^ more->value) & less->known);
}

bool states_include(const struct lock_states *all, const struct lock_states *some)
{
  for (unsigned i = 0; i < some->count; i++) {
    bool found = false;
    for (unsigned k = 0; k < all->count && !found; k++)
      found = includes(&all->state[k], &some->state[i]);
    if (!found)
      return false;
  }
  return true;
}

bool some_hold(const struct lock_states *states, uint32_t locks)
{
  for (unsigned i = 0; i < states->count; i++)
    if (states->state[i].held & locks)
      return true;
  return false;
}

bool all_hold(const struct lock_states *states, uint32_t locks)
{
  for (unsigned i = 0; i < states->count; i++)
    if (!(states->state[i].held & locks))
      return false;
  return states->count;
}

/* ---- facts ---- */

#define FACT_NODES 24 /* larger conditions are not compared */

/* By what it is made of; 0: it does something, or is too large. */
static uint64_t shape_of(const struct whole_program *p, struct code_place code, bool *local)
{
  const struct syntax *s = program_syntax(p, code);
  uint64_t shape = HASH_START;
  const bool declares = s->node[code.node].kind == SYNTAX_VARIABLE; /* it is asked for by its name */
  const uint32_t size = declares ? 1 : s->node[code.node].size;
  if (size > FACT_NODES)
    return 0;
  for (uint32_t i = code.node; i < code.node + size; i++) {
    const struct syntax_node *n = &s->node[i];
    const bool counts = n->kind == SYNTAX_UNARY && (n->op == OPERATOR_INCREMENT || n->op == OPERATOR_DECREMENT);
    if (n->kind == SYNTAX_CALL || n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_LAMBDA || counts)
      return 0;
    if (n->kind == SYNTAX_MACRO)
      continue;
    if (n->kind == SYNTAX_MEMBER || n->kind == SYNTAX_INDEX || syntax_flags(s, n->symbol) & SYMBOL_GLOBAL)
      *local = false;
    const uint32_t parts[] = {declares ? SYNTAX_NAME : n->kind, n->op, declares ? 1 : n->size, n->symbol,
                              n->kind == SYNTAX_NUMBER ? n->text : 0};
    shape = hash_bytes(shape, parts, sizeof parts);
  }
  return shape | 1;
}

static bool is_zero(const struct whole_program *p, struct code_place code)
{
  const struct syntax_node *n = program_node(p, code_inside(p, code));
  return n->kind == SYNTAX_NUMBER && n->zero;
}

/* Without what negates it, `!x`, `x == 0`, `x != 0`: what is asked for is whether x is true. */
static struct code_place truth_of(const struct whole_program *p, struct code_place code, bool *negated)
{
  for (;;) {
    const struct syntax_node *n = program_node(p, code);
    const struct code_place first = code_child(p, code, 0), second = code_child(p, code, 1);
    const bool wraps = n->kind == SYNTAX_MACRO && code_is(first) && !code_is(second);
    const bool denies = n->kind == SYNTAX_UNARY && n->op == OPERATOR_NOT;
    const bool compares = n->kind == SYNTAX_BINARY && (n->op == OPERATOR_EQ || n->op == OPERATOR_NE);
    if (wraps || denies)
      code = first;
    else if (compares && is_zero(p, second))
      code = first;
    else if (compares && is_zero(p, first))
      code = second;
    else
      return code;
    *negated ^= denies || (compares && n->op == OPERATOR_EQ);
  }
}

unsigned fact_of(struct walk_facts *facts, const struct whole_program *p, struct code_place code, bool *negated)
{
  bool local = true;
  *negated = false;
  code = truth_of(p, code, negated);
  uint64_t shape = shape_of(p, code, &local);
  const struct syntax_node *n = program_node(p, code);
  if (!shape || n->kind == SYNTAX_NUMBER)
    return FACTS_MOST;
  if (n->kind == SYNTAX_BINARY && (n->op == OPERATOR_NE || n->op == OPERATOR_EQ)) { /* either way round */
    shape = mix64(shape_of(p, code_child(p, code, 0), &local)) ^ mix64(shape_of(p, code_child(p, code, 1), &local));
    *negated ^= n->op == OPERATOR_NE;
  }
  for (unsigned i = 0; i < facts->count; i++)
    if (facts->fact[i].shape == shape)
      return i;
  if (facts->count == FACTS_MOST)
    return FACTS_MOST;
  facts->fact[facts->count] = (struct walk_fact){.shape = shape, .code = code, .is_local = local};
  return facts->count++;
}

static void forget(struct lock_states *states, uint64_t facts)
{
  const struct lock_states old = *states;
  if (!facts)
    return;
  states->count = 0;
  for (unsigned i = 0; i < old.count; i++) {
    struct lock_state state = old.state[i];
    state.known &= ~facts;
    states_add(states, state); /* there are no more of them than before */
  }
}

void facts_forget(const struct walk_facts *facts, const struct whole_program *p, uint32_t symbol,
                  struct lock_states *states)
{
  uint64_t about = 0;
  for (unsigned i = 0; i < facts->count; i++) {
    const struct code_place code = facts->fact[i].code;
    for (uint32_t k = code.node; k < code.node + program_node(p, code)->size; k++)
      if (program_syntax(p, code)->node[k].symbol == symbol)
        about |= UINT64_C(1) << i;
  }
  forget(states, about);
}

void facts_forget_shared(const struct walk_facts *facts, uint32_t from, uint32_t to, struct lock_states *states)
{
  uint64_t shared = 0;
  for (unsigned i = 0; i < facts->count; i++)
    if (facts->fact[i].code.node >= from && facts->fact[i].code.node < to)
      shared |= (uint64_t)!facts->fact[i].is_local << i;
  forget(states, shared);
}
