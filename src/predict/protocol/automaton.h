/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of a type of objects as a finite automaton: which call may follow which. An object is in one state; a
 * call for which its state has no edge is an error. Automata are mined from a run (mining.h) or written by hand, and
 * are text files that a person can read and edit:
 *
 *     protocol conn
 *     new  conn_open   open
 *     open conn_send   open
 *     open conn_close  shut
 *
 * The first line names the type, every other one an edge; the state of the first edge is the one that objects begin in.
 * `#` begins a comment. A file can hold several, one after the other.
 *
 * For those who read, mine and search; on its way to a strategy it is struct plan_protocol (core/plan.h), which has no
 * pointers.
 */
#ifndef HEDDLE_PREDICT_AUTOMATON_H
#define HEDDLE_PREDICT_AUTOMATON_H

#include "core/automaton_table.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AUTOMATON_BAD NO_STATE /* the state after a call that is not allowed; also: no such method */

struct automaton {
  char *type;
  uint32_t states, methods; /* objects begin in state 0 */
  char **method;            /* names */
  char **state;             /* names; NULL where it has only a number */
  uint16_t *next;           /* states × methods (core/automaton_table.h) */
};

/* Without edges; NULL when there is no memory, or there are more states than fit. */
struct automaton *automaton_new(const char *type, uint32_t states, uint32_t methods);
void automaton_free(struct automaton *a);
bool automaton_name_method(struct automaton *a, uint32_t method, const char *name);

/* The method of that name, or AUTOMATON_BAD. */
uint32_t automaton_method(const struct automaton *a, const char *name);

static inline uint32_t automaton_next(const struct automaton *a, uint32_t state, uint32_t method)
{
  return automaton_step(a->next, a->methods, (uint16_t)state, method);
}

/* The name of a state, in memory of the caller. */
const char *automaton_state(const struct automaton *a, uint32_t state, char *text, size_t size);

/* The next one in a file that can hold several. NULL with one line in error. */
struct automaton *automaton_read(FILE *file, char *error, size_t error_size);
void automaton_write(const struct automaton *a, FILE *file);
/* As a property of one object for heddle check --spec (language/property_spec.h): how each of its methods is given the
 * object. */
struct automaton_method {
  bool returns;     /* it makes the object, and returns it */
  bool makes;       /* what it is given is a new object from then on */
  uint8_t argument; /* which one it is, from 1 */
};
void automaton_write_spec(const struct automaton *a, const struct automaton_method *method, FILE *file);
/* As a graph, in the language of dot. */
void automaton_draw(const struct automaton *a, FILE *file);

#endif
