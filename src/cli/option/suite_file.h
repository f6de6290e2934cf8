/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a suite: one test a line, `name: program arguments...` or `name: FILE.c... -- arguments`. Blank lines and
 * what follows a # at the start of a word are left out. Words with blanks stand in single or double quotes; nothing
 * else is special in them. Programs and sources are found from the file's own folder; arguments stay as they
 * are. */
#ifndef HEDDLE_CLI_SUITE_FILE_H
#define HEDDLE_CLI_SUITE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct suite_entry {
  char *name;
  char **words; /* the program or the sources, then the arguments */
  size_t word_count;
  size_t operand_count; /* the program or the sources among them */
};

struct suite_file {
  struct suite_entry *entries;
  size_t count;
};

/* False: an error was printed, with the line. To be freed in either case. */
bool suite_file_read(struct suite_file *file, const char *path);
void suite_file_free(struct suite_file *file);

#endif
