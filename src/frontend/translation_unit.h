/* SPDX-License-Identifier: Apache-2.0
 *
 * A source as libclang reads it, by the command that compiles it. Of the command only what decides the meaning of the
 * source is taken: include folders, macros, the language; options that one compiler has and another has not are no
 * reason to fail. What cannot be read in the source is passed over, as compilers do that go on after an error.
 */
#ifndef HEDDLE_FRONTEND_TRANSLATION_UNIT_H
#define HEDDLE_FRONTEND_TRANSLATION_UNIT_H

#include "frontend/compile_commands.h"
#include "frontend/libclang.h"
#include "frontend/missing_headers.h"
#include "frontend/source_facts.h"

#ifdef HEDDLE_HAS_LIBCLANG

struct translation_unit {
  const struct libclang *clang;
  CXIndex index;
  CXTranslationUnit unit;
  char problem[2304]; /* the first error in it, as the compiler tells it; empty for none */
  struct compile_meaning meaning;
  struct missing_headers missing; /* those that an empty one stands in for */
};

/* other: NULL for the files as they are. False, with one line in error: it cannot be read at all. */
bool translation_unit_open(struct translation_unit *u, const struct compile_command *command,
                           const struct source_text *other, char *error, size_t error_size);
void translation_unit_close(struct translation_unit *u);

#endif
#endif
