/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions and bodies of events, compiled to words for a machine with a stack: an instruction, and a number behind
 * those that need one. All numbers have 64 bits and a sign; what C leaves undefined is zero here.
 */
#ifndef HEDDLE_CORE_PROPERTY_CODE_H
#define HEDDLE_CORE_PROPERTY_CODE_H

#include <stdint.h>

enum property_instruction {
  CODE_END,
  CODE_NUMBER,   /* n */
  CODE_VALUE,    /* n: of the event */
  CODE_VARIABLE, /* n: of the monitor */
  CODE_STORE,    /* n: into a variable of the monitor */
  CODE_SKIP,     /* n words, if the number on the stack is 0 */
  CODE_NOT,
  CODE_NEGATE,
  CODE_OR,
  CODE_AND,
  CODE_EQUAL,
  CODE_UNEQUAL,
  CODE_LESS,
  CODE_LESS_OR_EQUAL,
  CODE_GREATER,
  CODE_GREATER_OR_EQUAL,
  CODE_BIT_AND,
  CODE_BIT_OR,
  CODE_ADD,
  CODE_SUBTRACT,
  CODE_MULTIPLY,
  CODE_DIVIDE,
  CODE_REMAINDER
};

#define CODE_STACK 32 /* numbers on it at most: whoever compiles looks */

/* What is left on the stack, 0 for nothing. */
int64_t property_code_run(const int64_t *code, const int64_t *values, int64_t *variables);

#endif
