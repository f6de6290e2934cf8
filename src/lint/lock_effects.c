/* SPDX-License-Identifier: Apache-2.0
 *
 * Effects of calls on locks; see the header.
 */
#include "lint/lock_effects.h"
#include "core/hash.h"
#include "lint/lock_walk.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 4 /* calls from a function to one that locks */

/* ---- who uses locks ---- */

static void mark_touching(struct lock_effects *e)
{
  const struct whole_program *p = e->program;
  const uint64_t words = word_bit(WORD_LOCK) | word_bit(WORD_UNLOCK);
  for (unsigned round = 0; round <= DEPTH_MOST; round++)
    for (size_t i = 0; i < p->calls; i++) {
      const struct program_symbol *callee = &p->symbol[p->call[i].callee];
      const bool calls_one = callee->function != PROGRAM_NONE && e->touches[callee->function];
      e->touches[p->call[i].function] |= (callee->meaning & words) != 0 || calls_one;
    }
}

bool lock_effects_open(struct lock_effects *e, const struct whole_program *program)
{
  *e = (struct lock_effects){.program = program,
                             .of = calloc(program->functions + 1, sizeof *e->of),
                             .touches = calloc(program->functions + 1, 1)};
  if (!e->of || !e->touches)
    return false;
  mark_touching(e);
  return true;
}

void lock_effects_close(struct lock_effects *e)
{
  for (uint32_t i = 0; e->of && i < e->program->functions; i++) {
    free(e->of[i].effect);
    free(e->of[i].named);
  }
  free(e->of);
  free(e->touches);
  *e = (struct lock_effects){0};
}

/* ---- of one function ---- */

/* The parameter that the text begins with, from 1; 0: none. */
static unsigned parameter_of(const struct whole_program *p, uint32_t function, const char *text, size_t *length)
{
  const struct program_function *f = &p->function[function];
  const struct syntax *s = &p->unit[f->unit].syntax;
  unsigned number = 1;
  *length = strcspn(text, ".[");
  for (uint32_t at = f->node + 1; at < f->node + s->node[f->node].size && s->node[at].kind == SYNTAX_VARIABLE;
       at += s->node[at].size, number++) {
    const char *name = syntax_name(s, s->node[at].symbol);
    if (strlen(name) == *length && !strncmp(name, text, *length))
      return number;
  }
  return 0;
}

/* What the function does with one of its locks; false: nothing that concerns others. */
static bool effect_of(const struct lock_walk *w, unsigned lock, struct lock_effect *effect)
{
  const uint32_t bit = UINT32_C(1) << lock;
  const struct walked_lock *l = &w->lock[lock];
  size_t length;
  if (w->scoped & bit || l->root_flags & SYMBOL_LOCAL)
    return false;
  const bool some = some_hold(&w->end, bit), all = all_hold(&w->end, bit);
  if (!some && !(w->released_first & bit))
    return false;
  bool released = true;
  for (unsigned i = 0; i < w->end.count; i++)
    released &= (w->end.state[i].released & bit) != 0;
  *effect = (struct lock_effect){.kind = w->cleans_up ? EFFECT_UNSURE
                                         : all        ? EFFECT_HOLDS
                                         : released   ? EFFECT_RELEASES
                                                      : EFFECT_UNSURE};
  effect->argument = parameter_of(w->program, w->function, l->text, &length);
  strcpy(effect->text, effect->argument ? l->text + length : l->text);
  return true;
}

/* Adds what the walk saw of one lock to what is known of its last name. */
static void note_name(const struct lock_walk *w, unsigned lock, struct function_effects *of)
{
  const uint32_t bit = UINT32_C(1) << lock;
  const char *text = w->lock[lock].text;
  const uint64_t name = hash_string(HASH_START, lock_last_name(text));
  struct named_lock *l = of->named;
  while (l < of->named + of->names && l->name != name)
    l++;
  if (l == of->named + of->names)
    of->named[of->names++] = (struct named_lock){.name = name};
  l->left_held |= all_hold(&w->end, bit);
  l->only_released |= w->released_first & ~w->taken & bit;
}

static void find_effects(struct lock_effects *e, uint32_t function, struct function_effects *of)
{
  struct lock_walk *w = malloc(sizeof *w);
  const bool walked = w && lock_walk_run(w, e->program, e, function, NULL, NULL);
  e->failed |= !walked;
  if (walked && w->locks) {
    struct lock_effect effect;
    const bool known = !w->gave_up && w->end.count;
    of->effect = malloc(w->locks * sizeof *of->effect);
    of->named = malloc(w->locks * sizeof *of->named);
    e->failed |= !of->effect || !of->named;
    for (unsigned i = 0; !e->failed && i < w->locks; i++) {
      note_name(w, i, of);
      if (known && effect_of(w, i, &effect))
        of->effect[of->count++] = effect;
    }
  }
  free(w);
}

/* ---- of all, callees first ---- */

/* Whom each function calls: those of function i from first[i] to first[i + 1]. */
struct callees {
  size_t *first;
  uint32_t *callee;
};

static uint32_t called_by(const struct whole_program *p, const struct lint_call *call)
{
  return p->symbol[call->callee].function;
}

static bool callees_open(struct callees *c, const struct whole_program *p)
{
  *c = (struct callees){calloc(p->functions + 2, sizeof *c->first), malloc((p->calls + 1) * sizeof *c->callee)};
  if (!c->first || !c->callee)
    return false;
  for (size_t i = 0; i < p->calls; i++)
    c->first[p->call[i].function + 2] += called_by(p, &p->call[i]) != PROGRAM_NONE;
  for (uint32_t i = 0; i < p->functions; i++)
    c->first[i + 2] += c->first[i + 1];
  for (size_t i = 0; i < p->calls; i++)
    if (called_by(p, &p->call[i]) != PROGRAM_NONE)
      c->callee[c->first[p->call[i].function + 1]++] = called_by(p, &p->call[i]);
  return true;
}

static bool is_to_find(const struct lock_effects *e, uint32_t function)
{
  return e->of[function].state == EFFECTS_NOT_ASKED && e->touches[function] &&
         !e->program->function[function].is_variable;
}

/* Those that it calls, in any number of steps, and then itself. stack, next: room for all functions. */
static void find_from(struct lock_effects *e, struct callees *c, uint32_t function, uint32_t *stack, size_t *next)
{
  size_t depth = 0;
  stack[0] = function;
  next[0] = c->first[function];
  e->of[function].state = EFFECTS_IN_WORK;
  for (;;) {
    const uint32_t at = stack[depth];
    if (next[depth] < c->first[at + 1]) {
      const uint32_t callee = c->callee[next[depth]++];
      if (!is_to_find(e, callee))
        continue;
      e->of[callee].state = EFFECTS_IN_WORK;
      stack[++depth] = callee;
      next[depth] = c->first[callee];
      continue;
    }
    find_effects(e, at, &e->of[at]);
    e->of[at].state = EFFECTS_KNOWN;
    if (!depth--)
      return;
  }
}

static void find_all(struct lock_effects *e)
{
  const uint32_t count = e->program->functions;
  struct callees c;
  uint32_t *stack = malloc((count + 1) * sizeof *stack);
  size_t *next = malloc((count + 1) * sizeof *next);
  e->found = true;
  e->failed |= !callees_open(&c, e->program) || !stack || !next;
  for (uint32_t i = 0; !e->failed && i < count; i++)
    if (is_to_find(e, i))
      find_from(e, &c, i, stack, next);
  free(c.first);
  free(c.callee);
  free(stack);
  free(next);
}

const struct function_effects *lock_effects_of(struct lock_effects *e, uint32_t function)
{
  static const struct function_effects none;
  if (!e->found)
    find_all(e);
  return e->of[function].state == EFFECTS_KNOWN ? &e->of[function] : &none;
}

const struct named_lock *lock_effects_named(struct lock_effects *e, uint32_t function, const char *name)
{
  const struct function_effects *of = lock_effects_of(e, function);
  const uint64_t wanted = hash_string(HASH_START, name);
  for (unsigned i = 0; i < of->names; i++)
    if (of->named[i].name == wanted)
      return &of->named[i];
  return NULL;
}

bool lock_effect_text(const struct whole_program *p, const struct lock_effect *effect, struct code_place call,
                      char text[OBJECT_TEXT])
{
  if (!effect->argument) {
    strcpy(text, effect->text);
    return true;
  }
  if (!argument_text(p, call, effect->argument, text))
    return false;
  const size_t used = strlen(text);
  if (used + strlen(effect->text) >= OBJECT_TEXT)
    return false;
  strcpy(text + used, effect->text);
  return true;
}
