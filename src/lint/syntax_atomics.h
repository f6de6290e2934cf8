/* SPDX-License-Identifier: Apache-2.0
 *
 * What atomic functions do, by their names: those of C11, of the compilers (__atomic_*, __sync_*), of std::atomic and
 * of GLib. The reader puts plain operations in their place, so that nobody else has to know them.
 */
#ifndef HEDDLE_LINT_SYNTAX_ATOMICS_H
#define HEDDLE_LINT_SYNTAX_ATOMICS_H

#include <stdbool.h>

enum atomic_deed {
  ATOMIC_NONE,
  ATOMIC_LOAD,
  ATOMIC_LOAD_TO, /* into what the second argument points to */
  ATOMIC_STORE,
  ATOMIC_STORE_FROM, /* what the second argument points to */
  ATOMIC_RAISE,      /* sets to true */
  ATOMIC_CLEAR,
  ATOMIC_ADD,
  ATOMIC_SUBTRACT,
  ATOMIC_INCREMENT,
  ATOMIC_DECREMENT,
  ATOMIC_CHANGE,  /* by another operator */
  ATOMIC_COMPARE, /* sets to the third argument if it is what the second one says */
};

/* Of a function, a builtin or a macro. */
enum atomic_deed atomic_function(const char *name);

/* Of a member function, or an operator, of an atomic type. */
enum atomic_deed atomic_member(const char *name);

/* The name of a type whose members are meant. */
bool is_atomic_type(const char *name);

#endif
