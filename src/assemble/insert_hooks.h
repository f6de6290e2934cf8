/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembler text of a compiler, made ready for heddle: inline assembly gets hooks, and what the linker would stumble
 * over is left out.
 */
#ifndef HEDDLE_ASSEMBLE_INSERT_HOOKS_H
#define HEDDLE_ASSEMBLE_INSERT_HOOKS_H

#include "assemble/statement.h"
#include <stdio.h>

enum hooking {
  HOOKING_ALL,  /* hooks where possible, notes elsewhere */
  HOOKING_NOTES /* notes only: for text that the assembler does not take with hooks */
};

struct hooked {
  size_t hooks;     /* instructions with a hook */
  bool by_compiler; /* else the text is somebody's own: only what follows it was written */
};

/* Writes to out what the assembler is to be given: the text with hooks, or, if no compiler wrote it, only what is to
 * follow the text. `name` is what to call it when it does not say itself. False: no memory left. */
bool hooks_insert(struct span text, const char *name, enum hooking how, FILE *out, struct hooked *result);

#endif
