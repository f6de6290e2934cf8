/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a program a search by causality does not cover (LOST_CAUSALITY): the first that it met, so that the user can
 * be told what it is and where.
 */
#ifndef HEDDLE_CORE_UNCOVERED_H
#define HEDDLE_CORE_UNCOVERED_H

#include <stdint.h>

/*  X(constant, what is wrong with the step; "": that there is such a step at all) */
#define HD_UNCOVERED(X)                                                                                                \
  X(NOTHING, "")                                                                                                       \
  X(STEP, "")                                                                                                          \
  X(PROCESS, "it creates a process")                                                                                   \
  X(TOO_MUCH, "too many steps, threads or places in memory by then")                                                   \
  X(WRITERS, "a lock that prefers writers")                                                                            \
  X(ELSEWHERE, "what it changes is not in the bytes it writes")                                                        \
  X(LATER, "what it writes comes with a later step")                                                                   \
  X(CHOICE, "one of several may be chosen")                                                                            \
  X(CREATORS, "more than one thread creates threads")                                                                  \
  X(ORDER, "it may come before or after other uses of the same")                                                       \
  X(HELD, "threads are held back")                                                                                     \
  X(CUT, "the execution was cut short")                                                                                \
  X(STRAYED, "another step came than was planned")                                                                     \
  X(UNEXPLAINED, "what it saw is not explained by the steps before it")

enum uncovered_reason {
#define X(id, words) UNCOVERED_##id,
  HD_UNCOVERED(X)
#undef X
      UNCOVERED_COUNT
};

struct uncovered {
  uintptr_t pc;    /* of the step; 0: of none */
  uint32_t length; /* as in struct operation: of OP_SYSTEM, the number of the call */
  uint8_t kind;    /* enum op_kind */
  uint8_t why;     /* enum uncovered_reason */
};

extern const char *const uncovered_words[UNCOVERED_COUNT];

#endif
