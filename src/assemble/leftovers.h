/* SPDX-License-Identifier: Apache-2.0
 *
 * What a round of a loop leaves behind that nobody reads any more: in registers that calls keep, in slots of the stack
 * where the compiler puts them aside, and in variables that a compare-and-swap gets the address of. Exhaustive search
 * knows a thread that waits in a loop by standing where it stood, with the same registers and the same stack
 * (worlds/threads/memory/spinning.c); a round that failed and is tried again would never be the same by what it left.
 * So that is cleared before each atomic operation in a loop that looks at something.
 *
 * A register or variable that is not live may hold anything, by what the compiler wrote. That is known only where all
 * ways through the function are: not where it can be entered in the middle (exceptions, setjmp, labels whose address is
 * taken), nor beside inline assembly. Slots count only if each mention of one is an access of its own or the address
 * given to one of the compiler's hooks, and nothing else is done with addresses of the frame; those where registers of
 * the caller are kept are the unwinder's, and live.
 */
#ifndef HEDDLE_ASSEMBLE_LEFTOVERS_H
#define HEDDLE_ASSEMBLE_LEFTOVERS_H

#include "assemble/liveness.h"
#include <stdio.h>

struct leftovers {
  bool known; /* all ways through the function are */
  bool lands; /* exceptions come back in the middle of it */
  bool moves; /* the unwinder finds the frame in another way */
  unsigned slots;
  struct slot {
    long offset;   /* from %rbp */
    unsigned size; /* 0: not known well enough */
  } slot[SLOTS_MOST];
};

/* Whether the instruction calls an atomic operation that looks at something. */
bool leftovers_matter_at(const struct instruction *in);

/* A directive of the function, before its nodes are looked at: ".cfi_offset 3, -24" and the like. */
void leftovers_note(struct leftovers *l, struct span directive);
/* For the nodes of one function: liveness_find(), and who uses and who sets which slot is part of it. */
void leftovers_look_for(struct leftovers *l, struct flow_node *node, size_t count);

/* Instructions that clear what is not live before that call, each with a semicolon behind it. */
void leftovers_clear(const struct leftovers *l, const struct flow_node *node, size_t count, size_t call, FILE *out);

#endif
