/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a compile command decides the meaning of its source: include folders, macros, the language. Options that one
 * compiler has and another has not are none of it.
 */
#ifndef HEDDLE_FRONTEND_COMPILE_MEANING_H
#define HEDDLE_FRONTEND_COMPILE_MEANING_H

#include "frontend/compile_commands.h"

/* As words for libclang, paths absolute. */
struct compile_meaning {
  char **word;
  size_t count;
};

/* False: no memory left. To be freed in either case. */
bool compile_meaning_of(struct compile_meaning *m, const struct compile_command *command);
void compile_meaning_free(struct compile_meaning *m);

/* Whether a source means the same by both. Macros that only say for which kind of library it is compiled are left out:
 * libtool and CMake compile each source once more with them. False, too, when there is no memory. */
bool compile_meaning_is_same(const struct compile_command *left, const struct compile_command *right);

#endif
