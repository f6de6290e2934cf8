/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instruction that somebody wrote by hand does to memory.
 */
#ifndef HEDDLE_ASSEMBLE_ACCESS_H
#define HEDDLE_ASSEMBLE_ACCESS_H

#include "assemble/statement.h"

enum effect {
  EFFECT_NONE,
  EFFECT_LOAD,
  EFFECT_STORE,
  EFFECT_UPDATE,  /* load and store, at once for others only with `locked` */
  EFFECT_COMPARE, /* a locked compare-and-exchange with rax, or rdx:rax */
  EFFECT_FENCE,
  EFFECT_COPY, /* rep movs, rep stos: so many of the size as %rcx says */
  EFFECT_FILL,
  EFFECT_UNSEEN /* it accesses memory, or may, and we cannot say what */
};

struct instruction_access {
  enum effect effect;
  unsigned size;       /* bytes, a power of two; of a fence, FENCE_OF_ALL or FENCE_OF_SOME */
  struct span operand; /* the memory */
  struct span bit;     /* a register with the number of the bit, which may lie beyond the operand; empty if none */
  bool locked;
};

struct instruction_access access_of(const struct instruction *in);
/* The same for an instruction that a compiler has chosen: it may be any, but most that are not known by name do no more
 * than to read an operand, or to write the last. */
struct instruction_access compiled_access_of(const struct instruction *in);
/* Whether the names of its operands say all about the registers it uses. */
bool access_is_known(const struct instruction *in);
/* The same for directives that put bytes among the instructions. */
bool bytes_may_access(struct span directive);

#endif
