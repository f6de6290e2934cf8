/* SPDX-License-Identifier: Apache-2.0
 *
 * Effects of calls on locks; see the header.
 */
#include "lint/lock_effects.h"
#include "lint/lock_walk.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 4 /* calls that are followed */

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
  for (uint32_t i = 0; e->of && i < e->program->functions; i++)
    free(e->of[i].effect);
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

static void find_effects(struct lock_effects *e, uint32_t function, struct function_effects *of)
{
  struct lock_walk *w = malloc(sizeof *w);
  const bool walked = w && lock_walk_run(w, e->program, e, function, NULL, NULL);
  e->failed |= !walked;
  if (walked && !w->gave_up && w->end.count) {
    struct lock_effect effect;
    of->effect = malloc((w->locks + 1) * sizeof *of->effect);
    e->failed |= !of->effect;
    for (unsigned i = 0; of->effect && i < w->locks; i++)
      if (effect_of(w, i, &effect))
        of->effect[of->count++] = effect;
  }
  free(w);
}

const struct function_effects *lock_effects_of(struct lock_effects *e, uint32_t function)
{
  static const struct function_effects none;
  struct function_effects *of = &e->of[function];
  if (of->state == EFFECTS_KNOWN)
    return of;
  if (of->state == EFFECTS_IN_WORK || !e->touches[function] || e->program->function[function].is_variable ||
      e->depth >= DEPTH_MOST)
    return &none;
  of->state = EFFECTS_IN_WORK;
  e->depth++;
  find_effects(e, function, of);
  e->depth--;
  of->state = EFFECTS_KNOWN;
  return of;
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
