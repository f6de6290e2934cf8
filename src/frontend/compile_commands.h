/* SPDX-License-Identifier: Apache-2.0
 *
 * Which commands compile which sources: those that a program brings with it, because `heddle cc` compiled it
 * (core/compile_record.h), or those of a compile_commands.json. A list of them, each for one source; a source has
 * several if it is compiled in several ways that give it different meanings.
 */
#ifndef HEDDLE_FRONTEND_COMPILE_COMMANDS_H
#define HEDDLE_FRONTEND_COMPILE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct compile_command {
  char *folder; /* that it ran in, absolute */
  char *source; /* absolute */
  char **words; /* of the command, the compiler first */
  size_t word_count;
};

/* All zero is an empty one. */
struct compile_commands {
  struct compile_command *command;
  size_t count;
};

/* Adds what the program brings. False, with one line in error: it cannot be read, or there is no memory. A program that
 * brings none is no error. */
bool compile_commands_of_program(struct compile_commands *list, const char *program, char *error, size_t error_size);

/* Adds those of a compile_commands.json. False, with one line in error. */
bool compile_commands_read(struct compile_commands *list, const char *path, char *error, size_t error_size);

/* Adds those of the nearest compile_commands.json, in the folder or above it up to top (NULL: the root), or in a folder
 * build on the way. None is no error. False, with one line in error. */
bool compile_commands_search(struct compile_commands *list, const char *from, const char *top, char *error,
                             size_t error_size);

/* Adds the command that these words are, of the current folder, for each source that it names. False, with one line in
 * error: it names none. */
bool compile_commands_of_words(struct compile_commands *list, char *const *words, size_t count, char *error,
                               size_t error_size);

void compile_commands_free(struct compile_commands *list);

#endif
