/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call of a function does with locks that its caller knows: those that are global, and those that it is given
 * or that are in something it is given. Found by a walk of each function that locks, when the first is asked for:
 * callees before callers, so that it does not matter who asks; of functions that call each other in a circle, the last
 * one has no effects for the others.
 */
#ifndef HEDDLE_LINT_LOCK_EFFECTS_H
#define HEDDLE_LINT_LOCK_EFFECTS_H

#include "lint/whole_program.h"

enum lock_effect_kind {
  EFFECT_HOLDS,    /* it returns with the lock held */
  EFFECT_RELEASES, /* it releases a lock that was held when it was called */
  EFFECT_UNSURE    /* it depends */
};

struct lock_effect {
  enum lock_effect_kind kind;
  unsigned argument;      /* from 1; 0: the text is that of a global */
  char text[OBJECT_TEXT]; /* of an argument, what follows it: `.mutex` */
};

/* A lock by the last name of its text, whatever it is in. */
struct named_lock {
  uint64_t name;
  bool left_held;     /* by all paths */
  bool only_released; /* and never taken */
};

struct function_effects {
  enum { EFFECTS_NOT_ASKED, EFFECTS_IN_WORK, EFFECTS_KNOWN } state;
  struct lock_effect *effect;
  unsigned count;
  struct named_lock *named;
  unsigned names;
};

struct lock_effects {
  const struct whole_program *program;
  struct function_effects *of; /* by function */
  unsigned char *touches;      /* by function: it, or what it calls, uses locks */
  bool found;                  /* all of them were looked for */
  bool failed;                 /* no memory left */
  unsigned char *given_up;     /* by function: a walk of it was given up; whoever wants to know gives the room */
};

/* False: no memory left. */
bool lock_effects_open(struct lock_effects *e, const struct whole_program *program);
void lock_effects_close(struct lock_effects *e);

const struct function_effects *lock_effects_of(struct lock_effects *e, uint32_t function);

/* What the function does with locks of that last name; NULL: nothing. */
const struct named_lock *lock_effects_named(struct lock_effects *e, uint32_t function, const char *name);

/* The lock that an effect is about, as the text that the caller knows it by; false: it has none. */
bool lock_effect_text(const struct whole_program *p, const struct lock_effect *effect, struct code_place call,
                      char text[OBJECT_TEXT]);

#endif
