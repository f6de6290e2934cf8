/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk's expressions and conditions, and what calls do with locks; see lock_walker.h.
 */
#include "lint/lock_effects.h"
#include "lint/lock_walker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void know_lock(struct walker *w, uint32_t call, struct lock_states *s);

static struct code_place at(const struct walker *w, uint32_t node)
{
  return (struct code_place){w->unit, node};
}

void walk_join(struct walker *w, struct lock_states *to, const struct lock_states *from)
{
  if (to && !states_join(to, from))
    w->walk->gave_up = true;
}

void walk_visit(struct walker *w, enum walk_moment moment, uint32_t node, const struct lock_states *s)
{
  if (w->walk->visit && s->count && !w->walk->gave_up)
    w->walk->visit(w->walk, moment, at(w, node), s);
}

/* ---- locks ---- */

static uint32_t root_flags(const struct walker *w, uint32_t call, const char *text)
{
  const size_t length = strcspn(text, ".[");
  for (uint32_t i = call; i < call + w->syntax->node[call].size; i++) {
    const struct syntax_node *n = &w->syntax->node[i];
    const char *name = syntax_name(w->syntax, n->symbol);
    if ((n->kind == SYNTAX_NAME || n->kind == SYNTAX_MEMBER) && strlen(name) == length && !strncmp(name, text, length))
      return syntax_flags(w->syntax, n->symbol);
  }
  return 0;
}

/* The bit of a lock; 0: there are too many. */
static uint32_t lock_bit(struct walker *w, const char *text, uint32_t node)
{
  unsigned lock = lock_walk_find(w->walk, text);
  if (lock == LOCKS_MOST) {
    w->walk->gave_up |= w->walk->locks == LOCKS_MOST;
    if (w->walk->gave_up)
      return 0;
    lock = w->walk->locks++;
    struct walked_lock *l = &w->walk->lock[lock];
    *l = (struct walked_lock){.scope = SYNTAX_NONE, .taken = SYNTAX_NONE, .released = SYNTAX_NONE};
    strcpy(l->text, text);
    l->root_flags = root_flags(w, node, text);
  }
  return UINT32_C(1) << lock;
}

/* The bit of the lock that a call takes or releases; 0: it has no name. */
static uint32_t lock_of_call(struct walker *w, uint32_t call, enum lint_word word)
{
  char text[OBJECT_TEXT];
  size_t length;
  const char *name = called_name(w->program, at(w, call), &length);
  const unsigned argument = vocabulary_argument(w->program->vocabulary, word, name, length);
  return lock_text(w->program, at(w, call), argument, text) ? lock_bit(w, text, call) : 0;
}

void walk_set_lock(struct walker *w, struct lock_states *s, uint32_t bit, bool held, bool released)
{
  const struct lock_states old = *s;
  s->count = 0;
  w->walk->taken |= held ? bit : 0;
  w->walk->released |= released ? bit : 0;
  for (unsigned i = 0; i < old.count; i++) {
    struct lock_state state = old.state[i];
    if (released && !(state.held & bit) && !(state.released & bit))
      w->walk->released_first |= bit & ~w->walk->unsure;
    state.held = held ? state.held | bit : state.held & ~bit;
    state.released = released ? state.released | bit : state.released & ~bit;
    states_add(s, state);
  }
}

static void note_place(struct walker *w, uint32_t bit, uint32_t node, bool held, bool released)
{
  for (unsigned i = 0; i < w->walk->locks; i++) {
    struct walked_lock *l = &w->walk->lock[i];
    if (!(bit >> i & 1))
      continue;
    l->taken = held && l->taken == SYNTAX_NONE ? node : l->taken;
    l->released = released && l->released == SYNTAX_NONE ? node : l->released;
  }
}

static uint64_t meaning_of(const struct walker *w, uint32_t node)
{
  return w->syntax->node[node].kind == SYNTAX_CALL ? called_meaning(w->program, at(w, node)) : 0;
}

/* A call that takes a lock and says whether it did; a semaphore is none. */
static bool takes_lock(const struct walker *w, uint32_t node)
{
  const uint64_t meaning = meaning_of(w, node);
  return meaning & word_bit(WORD_LOCK) && !(meaning & (word_bit(WORD_WAIT) | word_bit(WORD_SCOPED_LOCK)));
}

static void apply_effects(struct walker *w, uint32_t call, struct lock_states *s)
{
  char text[OBJECT_TEXT];
  const uint32_t symbol = program_symbol_of(w->program, at(w, call));
  const uint32_t callee = symbol == PROGRAM_NONE ? PROGRAM_NONE : w->program->symbol[symbol].function;
  if (callee == PROGRAM_NONE || !w->walk->effects)
    return;
  const struct function_effects *of = lock_effects_of(w->walk->effects, callee);
  for (unsigned i = 0; i < of->count; i++) {
    const uint32_t bit = lock_effect_text(w->program, &of->effect[i], at(w, call), text) ? lock_bit(w, text, call) : 0;
    if (!bit)
      continue;
    walk_set_lock(w, s, bit, of->effect[i].kind == EFFECT_HOLDS, of->effect[i].kind == EFFECT_RELEASES);
    note_place(w, bit, call, of->effect[i].kind == EFFECT_HOLDS, of->effect[i].kind == EFFECT_RELEASES);
    w->walk->unsure |= of->effect[i].kind == EFFECT_UNSURE ? bit : 0;
  }
}

static void apply_call(struct walker *w, uint32_t call, struct lock_states *s)
{
  static const char registers[] = "__pthread_register_cancel"; /* what pthread_cleanup_push() becomes */
  const uint64_t meaning = meaning_of(w, call);
  size_t length;
  const char *name = called_name(w->program, at(w, call), &length);
  w->walk->cleans_up |= length == sizeof registers - 1 && !memcmp(name, registers, length);
  if (never_returns(w->program, at(w, call))) {
    s->count = 0;
  } else if (takes_lock(w, call)) {
    const bool tries = meaning & (word_bit(WORD_TRYLOCK) | word_bit(WORD_TRYLOCK_TRUE));
    const uint32_t bit = lock_of_call(w, call, WORD_LOCK);
    if (bit)
      walk_set_lock(w, s, bit, !tries, false);
    note_place(w, bit, call, !tries, false);
    know_lock(w, call, s);
  } else if (meaning & word_bit(WORD_UNLOCK)) {
    const uint32_t bit = lock_of_call(w, call, WORD_UNLOCK);
    if (bit)
      walk_set_lock(w, s, bit, false, true);
    note_place(w, bit, call, false, true);
  } else if (meaning & word_bit(WORD_COND_WAIT)) {
    facts_forget_shared(&w->facts, 0, UINT32_MAX, s);
  } else {
    apply_effects(w, call, s);
  }
}

/* ---- expressions ---- */

void walk_evaluate_below(struct walker *w, uint32_t node, struct lock_states *s)
{
  const uint32_t end = node + w->syntax->node[node].size;
  for (uint32_t child = node + 1; child < end; child += w->syntax->node[child].size)
    walk_evaluate(w, child, s);
}

/* Addresses that are given away: what is there may be changed. */
static void forget_given(struct walker *w, uint32_t call, struct lock_states *s)
{
  for (uint32_t i = call + 1; i < call + w->syntax->node[call].size; i++) {
    const struct syntax_node *n = &w->syntax->node[i];
    if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_ADDRESS && w->syntax->node[i + 1].symbol != SYNTAX_NONE)
      facts_forget(&w->facts, w->program, w->syntax->node[i + 1].symbol, s);
  }
}

static void evaluate_call(struct walker *w, uint32_t call, struct lock_states *s)
{
  walk_evaluate_below(w, call, s);
  walk_visit(w, WALK_CALL, call, s);
  forget_given(w, call, s);
  apply_call(w, call, s);
}

static void know(struct walker *w, unsigned fact, bool value, struct lock_states *s)
{
  const struct lock_states old = *s;
  s->count = 0;
  for (unsigned i = 0; i < old.count; i++) {
    struct lock_state state = old.state[i];
    state.known |= UINT64_C(1) << fact;
    state.value = value ? state.value | UINT64_C(1) << fact : state.value & ~(UINT64_C(1) << fact);
    if (!states_add(s, state))
      w->walk->gave_up = true;
  }
}

/* Whoever locks through a pointer takes it to be one: `if (mutex) unlock(mutex)` later on is true. */
static void know_lock(struct walker *w, uint32_t call, struct lock_states *s)
{
  const struct code_place lock = code_child(w->program, at(w, call), 1);
  bool negated;
  if (!code_is(lock))
    return;
  const uint8_t kind = w->syntax->node[lock.node].kind;
  const unsigned fact =
      kind == SYNTAX_NAME || kind == SYNTAX_MEMBER ? fact_of(&w->facts, w->program, lock, &negated) : FACTS_MOST;
  if (fact != FACTS_MOST)
    know(w, fact, true, s);
}

/* A lock was asked for: those who have it, and those who have not. */
static void divide_by_lock(struct walker *w, uint32_t call, const struct lock_states *s, struct lock_states *has,
                           struct lock_states *has_not)
{
  const uint32_t bit = lock_of_call(w, call, WORD_LOCK);
  *has = *has_not = *s;
  if (bit)
    walk_set_lock(w, has, bit, true, false);
  note_place(w, bit, call, true, false);
  know_lock(w, call, has);
}

/* Locks in what is set now are those of something else. */
static void forget_locks_in(struct walker *w, const char *object, struct lock_states *s)
{
  const uint32_t others = lock_walk_inside(w->walk, object);
  if (others)
    walk_set_lock(w, s, others, false, false);
}

/* The node, or what it is an element of, has another value from here on. */
static void forget_changed(struct walker *w, uint32_t node, struct lock_states *s)
{
  char text[OBJECT_TEXT];
  const struct syntax_node *n = &w->syntax->node[node];
  if (n->kind == SYNTAX_VARIABLE)
    forget_locks_in(w, syntax_name(w->syntax, n->symbol), s);
  else if (n->kind != SYNTAX_INDEX && object_text(w->program, at(w, node), text))
    forget_locks_in(w, text, s);
  uint32_t symbol = n->symbol;
  for (uint32_t i = node + 1; symbol == SYNTAX_NONE && i < node + n->size; i++)
    symbol = w->syntax->node[i].symbol;
  if (symbol != SYNTAX_NONE)
    facts_forget(&w->facts, w->program, symbol, s);
}

/* `result = lock()`: the result says whether it is held. */
static void assign_lock(struct walker *w, uint32_t target, uint32_t call, struct lock_states *s)
{
  struct lock_states has, has_not;
  bool negated;
  const bool when_true = meaning_of(w, call) & word_bit(WORD_TRYLOCK_TRUE);
  walk_evaluate_below(w, call, s);
  walk_visit(w, WALK_CALL, call, s);
  forget_changed(w, target, s);
  const unsigned fact = fact_of(&w->facts, w->program, at(w, target), &negated);
  divide_by_lock(w, call, s, &has, &has_not);
  if (fact != FACTS_MOST) {
    know(w, fact, when_true, &has);
    know(w, fact, !when_true, &has_not);
  }
  *s = has;
  walk_join(w, s, &has_not);
}

int walk_literal_truth(const struct walker *w, uint32_t node)
{
  const struct code_place inside = code_inside(w->program, at(w, node));
  const struct syntax_node *n = program_node(w->program, inside);
  if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_SUB)
    n++;
  return n->kind == SYNTAX_NUMBER ? !n->zero : -1;
}

/* An ASSIGN, or a VARIABLE with a value. */
static void evaluate_assignment(struct walker *w, uint32_t node, uint32_t target, uint32_t value, struct lock_states *s)
{
  const struct syntax_node *n = &w->syntax->node[node];
  const struct code_place inside = code_inside(w->program, at(w, value));
  bool negated;
  if (n->op == OPERATOR_NONE && takes_lock(w, inside.node)) {
    assign_lock(w, target, inside.node, s);
    walk_visit(w, WALK_CHANGE, node, s);
    return;
  }
  walk_evaluate(w, value, s);
  if (n->kind == SYNTAX_ASSIGN)
    walk_evaluate(w, target, s);
  walk_visit(w, WALK_CHANGE, node, s);
  forget_changed(w, target, s);
  const int truth = n->op == OPERATOR_NONE ? walk_literal_truth(w, value) : -1;
  const unsigned fact = truth >= 0 ? fact_of(&w->facts, w->program, at(w, target), &negated) : FACTS_MOST;
  if (fact != FACTS_MOST)
    know(w, fact, truth, s);
}

/* The block that a declaration is in. */
static uint32_t scope_of(const struct walker *w, uint32_t node)
{
  const uint32_t *parent = w->program->unit[w->unit].parent;
  uint32_t block = parent[node];
  while (block != SYNTAX_NONE &&
         (w->syntax->node[block].kind != SYNTAX_BLOCK || w->syntax->node[block + 1].kind == SYNTAX_VARIABLE))
    block = parent[block];
  return block;
}

/* `std::unique_lock guard(mutex)`: the lock is known by the name of the variable. */
static void declare_guard(struct walker *w, uint32_t node, uint32_t call, struct lock_states *s)
{
  char text[OBJECT_TEXT] = "", second[OBJECT_TEXT] = "";
  strncat(text, syntax_name(w->syntax, w->syntax->node[node].symbol), OBJECT_TEXT - 1);
  argument_text(w->program, at(w, call), 2, second);
  const uint32_t bit = lock_bit(w, text, node);
  if (!bit)
    return;
  w->walk->scoped |= bit;
  w->walk->lock[lock_walk_find(w->walk, text)].scope = scope_of(w, node);
  if (!strstr(second, "defer") && !strstr(second, "try"))
    walk_set_lock(w, s, bit, true, false);
}

static void evaluate_variable(struct walker *w, uint32_t node, struct lock_states *s)
{
  if (w->syntax->node[node].size == 1 || !(syntax_flags(w->syntax, w->syntax->node[node].symbol) & SYMBOL_LOCAL))
    return; /* a static one has had its first value long ago */
  const uint32_t value = code_inside(w->program, at(w, node + 1)).node;
  if (meaning_of(w, value) & word_bit(WORD_SCOPED_LOCK))
    declare_guard(w, node, value, s);
  else
    evaluate_assignment(w, node, node, node + 1, s);
}

/* ---- conditions ---- */

static void ask_call(struct walker *w, uint32_t call, struct lock_states *s, struct lock_states *yes,
                     struct lock_states *no)
{
  const bool when_true = meaning_of(w, call) & word_bit(WORD_TRYLOCK_TRUE);
  walk_evaluate_below(w, call, s);
  walk_visit(w, WALK_CALL, call, s);
  divide_by_lock(w, call, s, when_true ? yes : no, when_true ? no : yes);
}

/* By what is known of a fact; both ways where nothing is. */
static void divide(struct walker *w, unsigned fact, bool negated, const struct lock_states *s, struct lock_states *yes,
                   struct lock_states *no)
{
  const uint64_t bit = UINT64_C(1) << fact;
  yes->count = no->count = 0;
  for (unsigned i = 0; i < s->count; i++) {
    struct lock_state state = s->state[i];
    const bool unknown = !(state.known & bit), holds = state.value & bit;
    state.known |= bit;
    if (unknown || holds) {
      state.value |= bit;
      if (!states_add(negated ? no : yes, state))
        w->walk->gave_up = true;
    }
    if (unknown || !holds) {
      state.value &= ~bit;
      if (!states_add(negated ? yes : no, state))
        w->walk->gave_up = true;
    }
  }
}

static void ask_simple(struct walker *w, uint32_t node, struct lock_states *s, struct lock_states *yes,
                       struct lock_states *no)
{
  const struct syntax_node *n = &w->syntax->node[node];
  bool negated;
  walk_evaluate(w, node, s);
  walk_visit(w, WALK_TEST, node, s);
  const uint32_t asked = n->kind == SYNTAX_ASSIGN ? node + 1 : node; /* `if ((result = …))` */
  const unsigned fact = fact_of(&w->facts, w->program, at(w, asked), &negated);
  if (fact == FACTS_MOST)
    *yes = *no = *s;
  else
    divide(w, fact, negated, s, yes, no);
}

/* && and ||: the second is asked if the first does not decide. */
static void ask_parts(struct walker *w, uint32_t node, struct lock_states *s, struct lock_states *yes,
                      struct lock_states *no)
{
  const bool both = w->syntax->node[node].op == OPERATOR_AND;
  struct lock_states first_yes, first_no, go_on;
  walk_ask(w, syntax_child(w->syntax, node, 0), s, &first_yes, &first_no);
  go_on = both ? first_yes : first_no;
  walk_ask(w, syntax_child(w->syntax, node, 1), &go_on, yes, no);
  walk_join(w, both ? no : yes, both ? &first_no : &first_yes);
}

/* The whole is a fact as well, as paths that know different parts of it become one. */
static void ask_both(struct walker *w, uint32_t node, struct lock_states *s, struct lock_states *yes,
                     struct lock_states *no)
{
  struct lock_states known_yes = {0}, known_no = {0}, rest = {0};
  bool negated;
  const unsigned fact = fact_of(&w->facts, w->program, at(w, node), &negated);
  for (unsigned i = 0; i < s->count; i++) {
    const bool known = fact != FACTS_MOST && s->state[i].known >> fact & 1;
    states_add(!known ? &rest : s->state[i].value >> fact & 1 ? &known_yes : &known_no, s->state[i]);
  }
  ask_parts(w, node, &rest, yes, no);
  if (fact != FACTS_MOST) {
    know(w, fact, true, yes);
    know(w, fact, false, no);
  }
  walk_join(w, yes, &known_yes);
  walk_join(w, no, &known_no);
}

/* Divides the states by a condition. */
void walk_ask(struct walker *w, uint32_t node, struct lock_states *s, struct lock_states *yes, struct lock_states *no)
{
  const struct syntax_node *n = &w->syntax->node[node];
  const uint32_t first = syntax_child(w->syntax, node, 0), second = syntax_child(w->syntax, node, 1);
  const bool compares = n->kind == SYNTAX_BINARY && (n->op == OPERATOR_EQ || n->op == OPERATOR_NE);
  const struct lock_states none = {0};
  if (n->kind == SYNTAX_MACRO && first != SYNTAX_NONE && second == SYNTAX_NONE) {
    walk_ask(w, first, s, yes, no);
  } else if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_NOT && first != SYNTAX_NONE) {
    walk_ask(w, first, s, no, yes);
  } else if (n->kind == SYNTAX_BINARY && (n->op == OPERATOR_AND || n->op == OPERATOR_OR)) {
    ask_both(w, node, s, yes, no);
  } else if (compares && walk_literal_truth(w, second) == 0) {
    walk_ask(w, first, s, n->op == OPERATOR_NE ? yes : no, n->op == OPERATOR_NE ? no : yes);
  } else if (compares && walk_literal_truth(w, second) == 1 &&
             takes_lock(w, code_inside(w->program, at(w, first)).node)) {
    walk_ask(w, first, s, n->op == OPERATOR_EQ ? yes : no, n->op == OPERATOR_EQ ? no : yes); /* `lock() == -1` */
  } else if (n->kind == SYNTAX_NUMBER) {
    *yes = n->zero ? none : *s;
    *no = n->zero ? *s : none;
  } else if (n->kind == SYNTAX_EMPTY) {
    *yes = *s;
    *no = none;
  } else if (takes_lock(w, node)) {
    ask_call(w, node, s, yes, no);
  } else {
    ask_simple(w, node, s, yes, no);
  }
}

void walk_choice(struct walker *w, uint32_t node, struct lock_states *s)
{
  const uint32_t first = syntax_child(w->syntax, node, 1), second = syntax_child(w->syntax, node, 2);
  struct lock_states yes, no;
  walk_ask(w, node + 1, s, &yes, &no);
  if (first != SYNTAX_NONE)
    walk_execute(w, first, &yes);
  if (second != SYNTAX_NONE)
    walk_execute(w, second, &no);
  *s = yes;
  walk_join(w, s, &no);
}

void walk_evaluate(struct walker *w, uint32_t node, struct lock_states *s)
{
  const struct syntax_node *n = &w->syntax->node[node];
  struct lock_states yes, no;
  switch (n->kind) {
  case SYNTAX_CALL:
    evaluate_call(w, node, s);
    break;
  case SYNTAX_VARIABLE:
    w->walk->cleans_up |= (syntax_flags(w->syntax, n->symbol) & SYMBOL_CLEANED) != 0;
    evaluate_variable(w, node, s);
    break;
  case SYNTAX_ASSIGN:
    if (syntax_child(w->syntax, node, 1) != SYNTAX_NONE)
      evaluate_assignment(w, node, node + 1, syntax_child(w->syntax, node, 1), s);
    break;
  case SYNTAX_UNARY:
    walk_evaluate_below(w, node, s);
    if (n->op == OPERATOR_INCREMENT || n->op == OPERATOR_DECREMENT) {
      walk_visit(w, WALK_CHANGE, node, s);
      forget_changed(w, node + 1, s);
    }
    break;
  case SYNTAX_BINARY:
    if (n->op == OPERATOR_AND || n->op == OPERATOR_OR) {
      ask_both(w, node, s, &yes, &no);
      *s = yes;
      walk_join(w, s, &no);
    } else {
      walk_evaluate_below(w, node, s);
    }
    break;
  case SYNTAX_CONDITIONAL:
    walk_choice(w, node, s);
    break;
  case SYNTAX_LAMBDA: /* a function of its own */
    walk_evaluate_below(w, node, s);
    if (lambda_runs_here(w->program, at(w, node)))
      walk_visit(w, WALK_CALL, node, s);
    break;
  default:
    if (n->kind < SYNTAX_NAME && n->kind != SYNTAX_EMPTY)
      walk_execute(w, node, s);
    else
      walk_evaluate_below(w, node, s);
  }
}

/* ---- the walk ---- */

bool lock_walk_run(struct lock_walk *walk, const struct whole_program *program, struct lock_effects *effects,
                   uint32_t function, lock_visit *visit_function, void *data)
{
  const struct program_function *f = &program->function[function];
  struct walker *w = calloc(1, sizeof *w);
  *walk = (struct lock_walk){
      .program = program, .effects = effects, .function = function, .visit = visit_function, .data = data};
  if (!w)
    return false;
  w->walk = walk;
  w->program = program;
  w->unit = f->unit;
  w->syntax = &program->unit[f->unit].syntax;
  walk_function(w, f->node);
  if (walk->gave_up && effects && effects->given_up)
    effects->given_up[function] = 1;
  free(w);
  return true;
}
