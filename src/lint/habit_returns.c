/* SPDX-License-Identifier: Apache-2.0
 *
 * Returns that keep a lock, and returns of a pointer into what a lock protects.
 */
#include "lint/habit.h"
#include "lint/lint_fix.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETURNS_MOST 64

struct seen_return {
  uint32_t node;
  uint32_t held;      /* locks on some path */
  uint32_t sure;      /* on all paths */
  uint32_t untouched; /* locks that some path has neither taken nor released */
  bool moves;         /* it does not return: what the lock is in is set to something else */
};

struct returning {
  struct seen_return seen[RETURNS_MOST];
  unsigned count;
  uint32_t jumped; /* locks that are held on all paths to some goto */
  bool full;       /* there are more */
};

static struct seen_return *seen_at(struct returning *r, uint32_t node, bool moves)
{
  unsigned i = 0;
  while (i < r->count && (r->seen[i].node != node || r->seen[i].moves != moves))
    i++;
  r->full |= i == RETURNS_MOST;
  if (i == RETURNS_MOST)
    return NULL;
  if (i == r->count)
    r->seen[r->count++] = (struct seen_return){.node = node, .sure = UINT32_MAX, .moves = moves};
  return &r->seen[i];
}

/* `client = next(client)`: locks in what it was, held on one path and released on another one. */
static void note_move(const struct lock_walk *walk, struct code_place change, const struct lock_states *states)
{
  char text[OBJECT_TEXT];
  uint32_t held = 0, released = 0;
  const struct code_place object = changed_object(walk->program, change);
  if (program_node(walk->program, object)->kind != SYNTAX_NAME || !object_text(walk->program, object, text))
    return;
  for (unsigned i = 0; i < states->count; i++) {
    held |= states->state[i].held;
    released |= states->state[i].released;
  }
  const uint32_t kept = held & released & lock_walk_inside(walk, text);
  struct seen_return *seen = kept ? seen_at(walk->data, change.node, true) : NULL;
  if (seen)
    seen->held |= kept;
}

static void note_jump(struct returning *r, const struct lock_states *states)
{
  uint32_t held = states->count ? UINT32_MAX : 0;
  for (unsigned i = 0; i < states->count; i++)
    held &= states->state[i].held;
  r->jumped |= held;
}

static void note_return(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                        const struct lock_states *states)
{
  if (moment == WALK_CHANGE)
    note_move(walk, code, states);
  if (moment == WALK_GOTO)
    note_jump(walk->data, states);
  struct seen_return *seen = moment == WALK_RETURN ? seen_at(walk->data, code.node, false) : NULL;
  for (unsigned k = 0; seen && k < states->count; k++) {
    seen->held |= states->state[k].held;
    seen->sure &= states->state[k].held;
    seen->untouched |= ~(states->state[k].held | states->state[k].released);
  }
}

/* ---- that keep a lock ---- */

/* What releases a lock is given to something: a clean-up handler. */
static bool gives_unlock_away(const struct whole_program *p, uint32_t function)
{
  for (size_t i = 0; i < p->takens; i++)
    if (p->taken[i].function == function && p->symbol[p->taken[i].symbol].meaning & word_bit(WORD_UNLOCK))
      return true;
  return false;
}

/* How often a function takes, or releases, a lock whose last name is this one; itself, not by what it calls. */
static unsigned calls_with(const struct whole_program *p, uint32_t function, enum lint_word word, const char *name)
{
  const struct stretch s = stretch_of(p, function);
  unsigned count = 0;
  for (uint32_t node = s.from; node < s.to; node++) {
    char text[OBJECT_TEXT];
    const struct code_place c = {s.unit, node};
    if (program_node(p, c)->kind != SYNTAX_CALL || !(called_meaning(p, c) & word_bit(word)) ||
        !argument_text(p, c, 1, text))
      continue;
    count += !strcmp(lock_last_name(text), name);
  }
  return count;
}

/* Whether a caller releases a lock whose last name is that of the text, and does not take one. */
static bool callers_release(const struct whole_program *p, uint32_t function, const char *text)
{
  size_t count;
  const char *name = lock_last_name(text);
  const struct lint_call *site = program_calls(p, p->function[function].symbol, &count);
  for (size_t i = 0; i < count; i++)
    if (!calls_with(p, site[i].function, WORD_LOCK, name) && calls_with(p, site[i].function, WORD_UNLOCK, name))
      return true;
  return false;
}

/* Nobody calls it in the file, and it is no handler: it is part of what the file offers. */
static bool is_offered(const struct whole_program *p, uint32_t function)
{
  const uint32_t symbol = p->function[function].symbol;
  size_t count;
  const struct lint_call *site = program_calls(p, symbol, &count);
  for (size_t i = 0; i < count; i++)
    if (p->function[site[i].function].unit == p->function[function].unit)
      return false;
  for (size_t i = 0; i < p->takens; i++)
    if (p->taken[i].symbol == symbol)
      return false;
  return true;
}

static uint32_t locks_named(const struct lock_walk *walk, const char *name)
{
  uint32_t locks = 0;
  for (unsigned i = 0; i < walk->locks; i++) {
    locks |= (uint32_t)!strcmp(lock_last_name(walk->lock[i].text), name) << i;
  }
  return locks;
}

/* Whether another function that the file offers releases a lock of that name which it never takes, and none but this
 * one leaves it held: it is handed over. */
static bool is_handed_over(struct lint_work *work, uint32_t function, const char *text)
{
  const struct whole_program *p = work->program;
  bool handed = false;
  for (uint32_t i = 0; i < p->functions; i++) {
    if (i == function || p->function[i].unit != p->function[function].unit)
      continue;
    const struct named_lock *l = lock_effects_named(work->effects, i, lock_last_name(text));
    if (l && l->left_held)
      return false;
    handed |= l && l->only_released && is_offered(p, i);
  }
  return handed;
}

/* What is returned is not what the lock protects: nothing, a literal, or a local. */
static bool returns_own(const struct whole_program *p, struct code_place code)
{
  const struct code_place value = code_child(p, code, 0);
  if (!code_is(value))
    return true;
  const struct syntax_node *n = program_node(p, value);
  return n->kind == SYNTAX_NUMBER || (n->kind == SYNTAX_UNARY && n[1].kind == SYNTAX_NUMBER) ||
         (n->kind == SYNTAX_NAME && !(syntax_flags(program_syntax(p, value), n->symbol) & SYMBOL_GLOBAL));
}

/* The release of the same lock, as it is written elsewhere in the function, goes before the return. */
static void fix_return(struct lint_work *work, struct lint_finding *f, uint32_t function, uint32_t node,
                       const char *lock)
{
  const struct whole_program *p = work->program;
  const struct stretch s = stretch_of(p, function);
  char text[OBJECT_TEXT], name[64];
  if (!returns_own(p, (struct code_place){s.unit, node}))
    return;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    size_t length;
    if (program_node(p, c)->kind != SYNTAX_CALL || !(called_meaning(p, c) & word_bit(WORD_UNLOCK)) ||
        !lock_text(p, c, 1, text) || strcmp(text, lock) != 0)
      continue;
    const char *called = called_name(p, c, &length);
    snprintf(name, sizeof name, "%.*s", (int)length, called);
    fix_call_before(work->findings, f, program_syntax(p, c)->node[node].line, name, line_of(p, c));
    return;
  }
}

/* Whether the function is entered with the lock held: what it does first with it is to release it. */
static bool is_entered_held(const struct walked_lock *lock)
{
  return lock->released < lock->taken;
}

/* Whether it is released by another name than it is taken by: `pool->queue[i].mutex`, and then `q->mutex`. */
static bool has_two_names(const struct lock_walk *walk, unsigned lock)
{
  return locks_named(walk, lock_last_name(walk->lock[lock].text)) & walk->released_first;
}

/* A pointer to something: whoever gets it with the lock held may be meant to release it. */
static bool returns_object(const struct whole_program *p, struct code_place code)
{
  const struct code_place value =
      program_node(p, code)->kind == SYNTAX_RETURN ? code_child(p, code, 0) : (struct code_place){.node = PROGRAM_NONE};
  if (!code_is(value))
    return false;
  const struct syntax_node *n = program_node(p, value);
  if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_ADDRESS)
    return true;
  return (n->kind == SYNTAX_NAME || n->kind == SYNTAX_MEMBER) &&
         syntax_flags(program_syntax(p, value), n->symbol) & SYMBOL_POINTER;
}

/* Whether the lock is left held there, as far as can be seen. What is taken, or released, under a condition goes with
 * something that the walk does not understand: only a path that jumps out with the lock is one that forgot it. */
static bool is_left_held(const struct lock_walk *walk, const struct returning *r, unsigned which, uint32_t bit)
{
  const struct seen_return *seen = &r->seen[which];
  const struct code_place code = {walk->program->function[walk->function].unit, seen->node};
  const bool jumps = r->jumped & bit && !((seen->untouched | walk->unsure) & bit);
  return seen->held & bit && (seen->moves || seen->sure & bit || jumps) && !returns_object(walk->program, code);
}

/* Whether it is held at one return and not at another, and the function is meant to release it. */
static bool is_kept(struct lint_work *work, const struct lock_walk *walk, const struct returning *r, unsigned lock)
{
  const uint32_t bit = UINT32_C(1) << lock;
  const char *text = walk->lock[lock].text;
  uint32_t held = 0, always = UINT32_MAX;
  for (unsigned i = 0; i < r->count; i++) {
    held |= is_left_held(walk, r, i, bit) ? bit : 0;
    always &= r->seen[i].sure;
  }
  return held & ~always & walk->released & bit && !walk->cleans_up && !(walk->scoped & bit) && !strchr(text, '[') &&
         !(walk->released_first & bit) && /* a call takes it, another one releases it */
         !is_entered_held(&walk->lock[lock]) && !has_two_names(walk, lock) &&
         !callers_release(work->program, walk->function, text) && !is_handed_over(work, walk->function, text);
}

static void tell_kept(struct lint_work *work, unsigned rule, const struct lock_walk *walk, const struct returning *r,
                      unsigned lock)
{
  const struct whole_program *p = work->program;
  const uint32_t bit = UINT32_C(1) << lock, function = walk->function;
  for (unsigned i = 0; i < r->count; i++) {
    if (!is_left_held(walk, r, i, bit))
      continue;
    const bool whole = r->seen[i].node == p->function[function].node;
    const bool throws = p->unit[p->function[function].unit].syntax.node[r->seen[i].node].kind == SYNTAX_THROW;
    struct lint_finding *f =
        habit_tell(work, rule, function, r->seen[i].node, walk->lock[lock].text,
                   "'%s' is still locked %s; another path of %s() unlocks it", walk->lock[lock].text,
                   whole              ? "at this end"
                   : r->seen[i].moves ? "where it goes on to the next one"
                   : throws           ? "where it throws"
                                      : "at this return",
                   function_name(p, function));
    const struct walked_lock *l = &walk->lock[lock];
    if (l->taken != SYNTAX_NONE)
      habit_note(work, f, function, l->taken, "it is taken here");
    if (l->released != SYNTAX_NONE)
      habit_note(work, f, function, l->released, "and released here, on another path");
    if (f && whole)
      f->line = p->function[function].last;
    else if (f && !r->seen[i].moves && r->seen[i].sure & bit)
      fix_return(work, f, function, r->seen[i].node, walk->lock[lock].text);
  }
}

static bool look_at_returns(struct lint_work *work, unsigned rule, uint32_t function)
{
  static const char *const words[] = {"lock", "acquire", "enter", "begin", "hold", "claim", "reserve", "grab", NULL};
  const struct whole_program *p = work->program;
  struct returning r = {0};
  if (name_has(function_name(p, function), words) || gives_unlock_away(p, function))
    return true;
  struct lock_walk *walk = malloc(sizeof *walk);
  const bool good = walk && lock_walk_run(walk, p, work->effects, function, note_return, &r);
  for (unsigned i = 0; good && !walk->gave_up && i < walk->locks; i++)
    if (is_kept(work, walk, &r, i))
      tell_kept(work, rule, walk, &r, i);
  work->given_up[function] |= r.full;
  free(walk);
  return good;
}

bool lock_kept_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  bool good = true;
  for (uint32_t i = 0; good && i < p->functions; i++)
    if (work->effects->touches[i] && !p->function[i].is_variable)
      good = look_at_returns(work, rule, i);
  return good;
}

/* ---- of a pointer ---- */

struct pointer_question {
  struct lint_work *work;
  unsigned rule;
  uint32_t pointer; /* symbol of the unit: it was set with a lock held, from something shared */
  uint32_t set;     /* where */
  char from[OBJECT_TEXT];
};

/* Whether a value is in something that others see: the address, or an element or member, of a global. */
static bool is_in_shared(const struct whole_program *p, struct code_place value, char text[OBJECT_TEXT])
{
  uint32_t symbol;
  const struct syntax_node *n = program_node(p, value);
  if (n->kind == SYNTAX_CALL || n->kind == SYNTAX_NUMBER || !object_text(p, value, text))
    return false;
  for (uint32_t i = value.node; i < value.node + n->size; i++)
    if (syntax_flags(program_syntax(p, value), program_syntax(p, value)->node[i].symbol) & SYMBOL_GLOBAL)
      return shared_symbols(p, value, &symbol, 1);
  return false;
}

/* The pointer is taken out, counted or copied: somebody thought of it. */
static bool is_cared_for(const struct whole_program *p, uint32_t function, uint32_t pointer, const char *from)
{
  static const char *const words[] = {"ref",    "hold", "remove", "del", "dup", "copy",
                                      "unlink", "pop",  "inc",    "get", NULL};
  const struct stretch s = stretch_of(p, function);
  const struct syntax *x = &p->unit[s.unit].syntax;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct syntax_node *n = &x->node[i];
    const struct code_place c = {s.unit, i};
    char text[OBJECT_TEXT];
    size_t length;
    const char *name = called_name(p, c, &length);
    if (n->kind == SYNTAX_ASSIGN && object_text(p, code_child(p, c, 0), text) && !strcmp(text, from))
      return true;
    const bool writes = (n->kind == SYNTAX_ASSIGN && x->node[i + 1].kind == SYNTAX_MEMBER) ||
                        (n->kind == SYNTAX_UNARY && (n->op == OPERATOR_INCREMENT || n->op == OPERATOR_DECREMENT));
    if (!writes && !(length && name_has(name, words)))
      continue;
    for (uint32_t k = i; k < i + (writes ? 1 + x->node[i + 1].size : n->size); k++)
      if (x->node[k].kind == SYNTAX_NAME && x->node[k].symbol == pointer)
        return true;
  }
  return false;
}

static void look_at_pointer(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                            const struct lock_states *states)
{
  struct pointer_question *q = walk->data;
  const struct whole_program *p = walk->program;
  const struct syntax *s = program_syntax(p, code);
  const struct syntax_node *n = program_node(p, code);
  if (moment == WALK_CHANGE && n->op == OPERATOR_NONE && all_hold(states, UINT32_MAX)) {
    const struct code_place object = changed_object(p, code);
    const struct code_place value = code_child(p, code, n->kind == SYNTAX_VARIABLE ? 0 : 1);
    const uint32_t symbol = program_node(p, object)->symbol;
    if (code_is(value) && syntax_flags(s, symbol) & SYMBOL_LOCAL && syntax_flags(s, symbol) & SYMBOL_POINTER &&
        is_in_shared(p, value, q->from)) {
      q->pointer = symbol;
      q->set = code.node;
    }
  }
  if (moment != WALK_RETURN || n->kind != SYNTAX_RETURN || q->pointer == SYNTAX_NONE || some_hold(states, UINT32_MAX))
    return;
  const struct code_place value = code_child(p, code, 0);
  if (!code_is(value) || program_node(p, value)->kind != SYNTAX_NAME || program_node(p, value)->symbol != q->pointer ||
      is_cared_for(p, walk->function, q->pointer, q->from))
    return;
  struct lint_finding *f = habit_tell(q->work, q->rule, walk->function, code.node, q->from,
                                      "'%s' points into '%s', which a lock protects, and is returned without the lock",
                                      syntax_name(s, q->pointer), q->from);
  habit_note(q->work, f, walk->function, q->set, "it is set here, with the lock held");
}

static bool look_for_pointer(struct lint_work *work, unsigned rule, uint32_t function)
{
  struct pointer_question q = {.work = work, .rule = rule, .pointer = SYNTAX_NONE};
  struct lock_walk *walk = malloc(sizeof *walk);
  const bool good = walk && lock_walk_run(walk, work->program, work->effects, function, look_at_pointer, &q);
  free(walk);
  return good;
}

bool locked_pointer_run(struct lint_work *work, unsigned rule)
{
  return each_function_with(work, rule, word_bit(WORD_UNLOCK), look_for_pointer);
}
