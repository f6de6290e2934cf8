/* SPDX-License-Identifier: Apache-2.0
 *
 * What rules about habits share: telling, and questions that several of them ask. A finding is about a place in a
 * function and has notes; its key is made of the rule, the file, the function and an object, not of lines.
 */
#ifndef HEDDLE_LINT_HABIT_H
#define HEDDLE_LINT_HABIT_H

#include "lint/lint.h"
#include "lint/lock_walk.h"
#include "lint/object_changes.h"

/* A new finding at a place; object: what it is about, for its key. NULL: there is one of that rule in that line, or no
 * memory is left. */
__attribute__((format(printf, 6, 7))) struct lint_finding *habit_tell(struct lint_work *work, unsigned rule,
                                                                      uint32_t function, uint32_t node,
                                                                      const char *object, const char *format, ...);
/* A note to it; finding may be NULL. */
__attribute__((format(printf, 5, 6))) void habit_note(struct lint_work *work, struct lint_finding *finding,
                                                      uint32_t function, uint32_t node, const char *format, ...);

static inline const char *function_name(const struct whole_program *p, uint32_t function)
{
  return p->symbol[p->function[function].symbol].name;
}

static inline uint32_t line_of(const struct whole_program *p, struct code_place c)
{
  return program_node(p, c)->line;
}

/* Each function that has a call of one of the words, once. False: no memory left. */
bool each_function_with(struct lint_work *work, unsigned rule, uint64_t words,
                        bool (*look)(struct lint_work *work, unsigned rule, uint32_t function));

/* Whether a function's stretch has a call of one of the words, from a node on. */
bool has_word(const struct whole_program *p, struct stretch stretch, uint64_t words);

/* Whether the name has one of the words in it, in any case; the list ends with NULL. */
bool name_has(const char *name, const char *const *words);

/* A function that is given to what creates threads; called: it is called as well. */
bool is_start_routine(const struct whole_program *p, uint32_t function);
bool is_called(const struct whole_program *p, uint32_t function);

/* Whether a caller of the function holds some lock when it calls it; asked of direct calls, a few of them. */
bool callers_hold_lock(struct lint_work *work, uint32_t function);

/* Globals and members that are named below a node: symbols of the program, at most `most`. */
unsigned shared_symbols(const struct whole_program *p, struct code_place code, uint32_t *symbol, unsigned most);
/* Whether one of them is named below the node. */
bool names_one(const struct whole_program *p, struct code_place code, const uint32_t *symbol, unsigned count);

/* The object that is changed at a WALK_CHANGE. */
struct code_place changed_object(const struct whole_program *p, struct code_place change);

#endif
