/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with a line of a file, for whoever wrote it: where it is, and the words of it, made printable. For
 * readers of text; decides nothing.
 */
#ifndef HEDDLE_FILE_BAD_LINE_H
#define HEDDLE_FILE_BAD_LINE_H

#include <stdarg.h>
#include <stddef.h>

struct bad_line {
  char *error;
  size_t error_size;
  const char *name; /* of the file */
  size_t line;      /* 0: it is about the whole file */
};

/* "name:line: sentence" in error. */
void bad_line(const struct bad_line *where, const char *format, va_list arguments);

/* A word or a line of the file: printable and not long. */
struct shown {
  char text[44];
};
struct shown show(const char *text);

#endif
