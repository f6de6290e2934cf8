/* SPDX-License-Identifier: Apache-2.0
 *
 * What rules about habits share; see the header.
 */
#include "lint/habit.h"
#include "core/hash.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- telling ---- */

static bool is_told(const struct findings *all, uint64_t key, const char *file, uint32_t line)
{
  for (size_t i = 0; i < all->count; i++)
    if (all->finding[i].key == key && all->finding[i].line == line && !strcmp(all->finding[i].file, file))
      return true;
  return false;
}

struct lint_finding *habit_tell(struct lint_work *work, unsigned rule, uint32_t function, uint32_t node,
                                const char *object, const char *format, ...)
{
  const struct whole_program *p = work->program;
  const struct program_function *f = &p->function[function];
  const uint32_t line = p->unit[f->unit].syntax.node[node].line;
  uint64_t key = hash_string(HASH_START, lint_rules[rule].name);
  key = hash_string(hash_string(key, function_name(p, function)), object);
  if (is_told(work->findings, key, f->file, line))
    return NULL;
  struct lint_finding *finding = findings_add(work->findings);
  if (!finding)
    return NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&finding->message, format, arguments) < 0) {
    finding->message = NULL;
    work->findings->failed = true;
  }
  va_end(arguments);
  finding->rule = rule;
  finding->line = line;
  finding->file = finding_text(work->findings, "%s", f->file);
  finding->function = finding_text(work->findings, "%s", function_name(p, function));
  finding->key = key;
  return finding;
}

void habit_note(struct lint_work *work, struct lint_finding *finding, uint32_t function, uint32_t node,
                const char *format, ...)
{
  const struct program_function *f = &work->program->function[function];
  struct finding_place place = {.kind = PLACE_WHY, .line = work->program->unit[f->unit].syntax.node[node].line};
  va_list arguments;
  if (!finding)
    return;
  va_start(arguments, format);
  if (vasprintf(&place.text, format, arguments) < 0) {
    place.text = NULL;
    work->findings->failed = true;
  }
  va_end(arguments);
  place.file = finding_text(work->findings, "%s", f->file);
  place.function = finding_text(work->findings, "%s", function_name(work->program, function));
  finding_add_place(work->findings, finding, place);
}

/* ---- functions ---- */

bool each_function_with(struct lint_work *work, unsigned rule, uint64_t words,
                        bool (*look)(struct lint_work *work, unsigned rule, uint32_t function))
{
  const struct whole_program *p = work->program;
  bool *has = calloc(p->functions + 1, sizeof *has), good = has;
  for (size_t i = 0; good && i < p->calls; i++)
    has[p->call[i].function] |= (p->symbol[p->call[i].callee].meaning & words) != 0;
  for (uint32_t i = 0; good && i < p->functions; i++)
    if (has[i] && !p->function[i].is_variable)
      good = look(work, rule, i);
  free(has);
  return good;
}

bool has_word(const struct whole_program *p, struct stretch s, uint64_t words)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    if (program_node(p, c)->kind == SYNTAX_CALL && called_meaning(p, c) & words)
      return true;
  }
  return false;
}

bool name_has(const char *name, const char *const *words)
{
  for (; *words; words++)
    if (strcasestr(name, *words))
      return true;
  return false;
}

bool is_called(const struct whole_program *p, uint32_t function)
{
  size_t count;
  program_calls(p, p->function[function].symbol, &count);
  return count;
}

bool is_start_routine(const struct whole_program *p, uint32_t function)
{
  for (size_t i = 0; i < p->takens; i++) {
    const struct address_taken *t = &p->taken[i];
    if (t->symbol == p->function[function].symbol && t->given_to != PROGRAM_NONE &&
        p->symbol[t->given_to].meaning & word_bit(WORD_THREAD))
      return true;
  }
  return false;
}

/* ---- callers ---- */

#define CALLERS_MOST 16

struct caller_question {
  uint32_t symbol;
  bool holds;
};

static void look_at_caller(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                           const struct lock_states *states)
{
  struct caller_question *q = walk->data;
  if (moment == WALK_CALL && program_symbol_of(walk->program, code) == q->symbol)
    q->holds |= some_hold(states, UINT32_MAX);
}

#define CALLER_LEVELS 2

static bool held_above(struct lint_work *work, uint32_t function, unsigned levels)
{
  const struct whole_program *p = work->program;
  struct caller_question q = {.symbol = p->function[function].symbol};
  size_t count;
  const struct lint_call *site = program_calls(p, q.symbol, &count);
  struct lock_walk *walk = count ? malloc(sizeof *walk) : NULL;
  for (size_t i = 0; walk && i < count && i < CALLERS_MOST && !q.holds; i++)
    if (!lock_walk_run(walk, p, work->effects, site[i].function, look_at_caller, &q))
      break;
  free(walk);
  for (size_t i = 0; levels > 1 && i < count && i < CALLERS_MOST && !q.holds; i++)
    q.holds = site[i].function != function && held_above(work, site[i].function, levels - 1);
  return q.holds;
}

bool callers_hold_lock(struct lint_work *work, uint32_t function)
{
  return held_above(work, function, CALLER_LEVELS);
}

/* ---- objects ---- */

unsigned shared_symbols(const struct whole_program *p, struct code_place code, uint32_t *symbol, unsigned most)
{
  unsigned count = 0;
  for (uint32_t i = code.node; i < code.node + program_node(p, code)->size && count < most; i++) {
    struct c_object object;
    const struct code_place c = {code.unit, i};
    const uint8_t kind = program_node(p, c)->kind;
    if ((kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && object_of(p, c, &object) && object.symbol != PROGRAM_NONE &&
        object.flags & (SYMBOL_GLOBAL | SYMBOL_FIELD) && !(object.flags & SYMBOL_CONST))
      symbol[count++] = object.symbol;
    if (kind == SYNTAX_MEMBER) /* of `server->list->head` the head is meant, not the server */
      i += program_node(p, c)->size - 1;
  }
  return count;
}

bool names_one(const struct whole_program *p, struct code_place code, const uint32_t *symbol, unsigned count)
{
  for (uint32_t i = code.node; i < code.node + program_node(p, code)->size; i++) {
    const struct code_place c = {code.unit, i};
    const uint8_t kind = program_node(p, c)->kind;
    for (unsigned k = 0; k < count && (kind == SYNTAX_NAME || kind == SYNTAX_MEMBER); k++)
      if (program_symbol_of(p, c) == symbol[k])
        return true;
  }
  return false;
}

struct code_place changed_object(const struct whole_program *p, struct code_place change)
{
  return program_node(p, change)->kind == SYNTAX_VARIABLE ? change : code_child(p, change, 0);
}
