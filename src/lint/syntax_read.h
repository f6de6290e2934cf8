/* SPDX-License-Identifier: Apache-2.0
 *
 * From a source to its facts (syntax.h), by libclang.
 */
#ifndef HEDDLE_LINT_SYNTAX_READ_H
#define HEDDLE_LINT_SYNTAX_READ_H

#include "frontend/compile_commands.h"
#include <stddef.h>
#include <stdint.h>

/* Another text for each version of the reader's sources; the build makes it. */
extern const char syntax_reader[];

/* The facts as bytes, malloc'ed, *count of them; NULL with one line in error. hash_of says what a file holds now: it is
 * asked of every file that was read. */
void *syntax_read(const struct compile_command *command, uint64_t (*hash_of)(const char *path), size_t *count,
                  char *error, size_t error_size);

#endif
