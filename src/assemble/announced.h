/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses to memory a compiler has left without a hook, although it was to give one to each: those of arguments
 * and results that are structures, those of intrinsics, the load of a bit-field's store, those of functions that are
 * exempt.
 *
 * A compiler calls a hook right before the access, and moves no access across a call. So a hook announces so many bytes
 * that are read or written between it and the next call; what is accessed beyond that is not announced. That is told
 * without knowing any address. Where it is not sure, an access counts as announced.
 */
#ifndef HEDDLE_ASSEMBLE_ANNOUNCED_H
#define HEDDLE_ASSEMBLE_ANNOUNCED_H

#include "assemble/access.h"
#include <stdint.h>

#define GENERAL_REGISTERS 16

struct announced {
  bool exempt;                      /* no hook in the whole function */
  bool has_frame;                   /* %rbp points to it */
  bool accessed;                    /* since the last hook */
  uint32_t read, write;             /* bytes that are still announced */
  bool constant[GENERAL_REGISTERS]; /* points to what never changes */
  bool (*is_constant)(const void *context, struct span symbol);
  const void *context;
};

/* The next instruction of the function. True: it accesses memory that other threads could access, and is not
 * announced. */
bool announced_instruction(struct announced *a, const struct instruction *in);
/* A label: control may come from elsewhere. unsure: with something announced. */
void announced_label(struct announced *a, bool unsure);
/* Whether something is announced. */
bool announced_any(const struct announced *a);

#endif
