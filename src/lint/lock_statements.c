/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk's statements: loops, switches, jumps, and the function as a whole; see lock_walker.h.
 */
#include "lint/lock_walker.h"

#define TURNS_MOST 4  /* of a loop: each brings a state that was not there */
#define PASSES_MOST 3 /* over the function: for jumps backwards */

/* Where break and continue go to. */
struct jump_target {
  struct lock_states breaks, continues;
};

/* The condition of a loop, SYNTAX_NONE for one that may hold or not. */
struct walked_loop {
  uint32_t condition, step, body;
  uint32_t from, to; /* its nodes */
  bool body_first;
  bool asked;  /* somebody came to the condition */
  bool enters; /* its beginning takes a lock: `for (int once = lock(); once; once = unlock())` */
};

static uint32_t held_by_all(const struct lock_states *s)
{
  uint32_t held = UINT32_MAX;
  for (unsigned i = 0; i < s->count; i++)
    held &= s->state[i].held;
  return held;
}

static void ask_loop(struct walker *w, struct walked_loop *loop, struct lock_states *s, struct lock_states *out)
{
  struct lock_states yes, no;
  if (loop->condition == SYNTAX_NONE)
    yes = no = *s;
  else
    walk_ask(w, loop->condition, s, &yes, &no);
  if (loop->asked || !loop->enters)
    walk_join(w, out, &no);
  loop->asked |= s->count;
  *s = yes;
}

/* One turn, up to where the condition is asked again. */
static void turn(struct walker *w, struct walked_loop *loop, struct lock_states *s, struct lock_states *out)
{
  struct jump_target target = {0};
  struct lock_states *breaks = w->breaks, *continues = w->continues;
  if (!loop->body_first)
    ask_loop(w, loop, s, out);
  w->breaks = &target.breaks;
  w->continues = &target.continues;
  walk_execute(w, loop->body, s);
  w->breaks = breaks;
  w->continues = continues;
  walk_join(w, s, &target.continues);
  walk_join(w, out, &target.breaks);
  if (loop->step != SYNTAX_NONE)
    walk_evaluate(w, loop->step, s);
  if (loop->body_first)
    ask_loop(w, loop, s, out);
  facts_forget_shared(&w->facts, loop->from, loop->to, s);
}

static void execute_loop(struct walker *w, struct walked_loop *loop, struct lock_states *s)
{
  struct lock_states seen = *s, out = {0};
  for (unsigned i = 0; i < TURNS_MOST; i++) {
    turn(w, loop, s, &out);
    if (states_include(&seen, s))
      break;
    walk_join(w, &seen, s);
  }
  const bool endless = loop->condition != SYNTAX_NONE && (w->syntax->node[loop->condition].kind == SYNTAX_EMPTY ||
                                                          walk_literal_truth(w, loop->condition) == 1);
  if (!out.count && loop->asked && !endless) /* what is known of its condition is wrong: something changes it unseen */
    for (unsigned i = 0; i < seen.count; i++)
      states_add(&out, (struct lock_state){.held = seen.state[i].held, .released = seen.state[i].released});
  *s = out;
}

static void execute_any_loop(struct walker *w, uint32_t node, struct lock_states *s)
{
  const struct syntax *x = w->syntax;
  struct walked_loop loop = {
      .condition = SYNTAX_NONE, .step = SYNTAX_NONE, .from = node, .to = node + x->node[node].size};
  uint32_t before;
  switch (x->node[node].kind) {
  case SYNTAX_FOR:
    before = held_by_all(s);
    walk_evaluate(w, node + 1, s);
    loop.enters = s->count && held_by_all(s) & ~before;
    loop.condition = syntax_child(x, node, 1);
    loop.step = syntax_child(x, node, 2);
    loop.body = syntax_child(x, node, 3);
    break;
  case SYNTAX_WHILE:
    loop.condition = node + 1;
    loop.body = syntax_child(x, node, 1);
    break;
  case SYNTAX_DO:
    loop.condition = syntax_child(x, node, 1);
    loop.body = node + 1;
    loop.body_first = true;
    break;
  default:
    walk_evaluate(w, node + 1, s);
    loop.body = syntax_child(x, node, 1);
  }
  if (loop.body != SYNTAX_NONE)
    execute_loop(w, &loop, s);
}

static bool has_default(const struct walker *w, uint32_t node)
{
  for (uint32_t i = node; i < node + w->syntax->node[node].size; i++)
    if (w->syntax->node[i].kind == SYNTAX_DEFAULT)
      return true;
  return false;
}

static void execute_switch(struct walker *w, uint32_t node, struct lock_states *s)
{
  const uint32_t body = syntax_child(w->syntax, node, 1);
  struct lock_states *breaks = w->breaks, out = {0}, entered;
  const struct lock_states *cases = w->cases;
  walk_evaluate(w, node + 1, s);
  entered = *s;
  s->count = 0;
  w->breaks = &out;
  w->cases = &entered;
  if (body != SYNTAX_NONE)
    walk_execute(w, body, s);
  w->breaks = breaks;
  w->cases = cases;
  walk_join(w, s, &out);
  if (!has_default(w, node))
    walk_join(w, s, &entered);
}

static struct lock_states *label_states(struct walker *w, uint32_t symbol)
{
  for (unsigned i = 0; i < w->labels; i++)
    if (w->label[i].symbol == symbol)
      return &w->label[i].states;
  w->walk->gave_up |= w->labels == LABELS_MOST;
  if (w->walk->gave_up)
    return NULL;
  w->label[w->labels] = (struct walk_label){.symbol = symbol};
  return &w->label[w->labels++].states;
}

static void enter_label(struct walker *w, uint32_t symbol, struct lock_states *s)
{
  const struct lock_states *states = label_states(w, symbol);
  if (states)
    walk_join(w, s, states);
}

static void execute_block(struct walker *w, uint32_t node, struct lock_states *s)
{
  const uint32_t end = node + w->syntax->node[node].size;
  for (uint32_t child = node + 1; child < end; child += w->syntax->node[child].size)
    walk_execute(w, child, s);
  for (unsigned i = 0; i < w->walk->locks; i++)
    if (w->walk->scoped >> i & 1 && w->walk->lock[i].scope == node)
      walk_set_lock(w, s, UINT32_C(1) << i, false, true);
}

/* What jumps: nobody comes behind it. */
static void leave(struct walker *w, uint32_t node, struct lock_states *s)
{
  const struct syntax_node *n = &w->syntax->node[node];
  walk_evaluate_below(w, node, s);
  if (n->kind == SYNTAX_BREAK || n->kind == SYNTAX_CONTINUE) {
    walk_join(w, n->kind == SYNTAX_BREAK ? w->breaks : w->continues, s);
  } else if (n->kind == SYNTAX_GOTO) {
    walk_visit(w, WALK_GOTO, node, s);
    walk_join(w, label_states(w, n->symbol), s);
  } else if (n->kind == SYNTAX_RETURN) {
    walk_visit(w, WALK_RETURN, node, s);
    walk_join(w, &w->walk->end, s);
  } else if (!is_caught(w->program, (struct code_place){w->unit, node})) {
    walk_visit(w, WALK_RETURN, node, s);
  }
  s->count = 0;
}

void walk_execute(struct walker *w, uint32_t node, struct lock_states *s)
{
  const struct syntax_node *n = &w->syntax->node[node];
  const uint32_t last = syntax_child(w->syntax, node, n->kind == SYNTAX_CASE ? 1 : 0);
  if (w->walk->gave_up)
    return;
  switch (n->kind) {
  case SYNTAX_BLOCK:
    execute_block(w, node, s);
    break;
  case SYNTAX_IF:
    walk_choice(w, node, s);
    break;
  case SYNTAX_FOR:
  case SYNTAX_WHILE:
  case SYNTAX_DO:
  case SYNTAX_RANGE_FOR:
    execute_any_loop(w, node, s);
    break;
  case SYNTAX_SWITCH:
    execute_switch(w, node, s);
    break;
  case SYNTAX_CASE:
  case SYNTAX_DEFAULT:
    if (w->cases)
      walk_join(w, s, w->cases);
    if (last != SYNTAX_NONE)
      walk_execute(w, last, s);
    break;
  case SYNTAX_LABEL:
    enter_label(w, n->symbol, s);
    if (last != SYNTAX_NONE)
      walk_execute(w, last, s);
    break;
  case SYNTAX_BREAK:
  case SYNTAX_CONTINUE:
  case SYNTAX_GOTO:
  case SYNTAX_RETURN:
  case SYNTAX_THROW:
    leave(w, node, s);
    break;
  case SYNTAX_EMPTY:
    break;
  default:
    walk_evaluate(w, node, s);
  }
}

static size_t states_at_labels(const struct walker *w)
{
  size_t count = 0;
  for (unsigned i = 0; i < w->labels; i++)
    count += w->label[i].states.count;
  return count;
}

/* From the first statement to the end, again as long as jumps backwards bring something new. */
void walk_function(struct walker *w, uint32_t node)
{
  const uint32_t end = node + w->syntax->node[node].size;
  for (unsigned pass = 0; pass < PASSES_MOST; pass++) {
    struct lock_states s = {.count = 1};
    const size_t before = states_at_labels(w);
    for (uint32_t child = node + 1; child < end; child += w->syntax->node[child].size)
      if (w->syntax->node[child].kind != SYNTAX_VARIABLE)
        walk_execute(w, child, &s);
    walk_visit(w, WALK_RETURN, node, &s);
    walk_join(w, &w->walk->end, &s);
    if (!pass ? !w->labels : states_at_labels(w) == before)
      break;
  }
}
