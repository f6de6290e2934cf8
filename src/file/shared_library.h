/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that is opened when it is needed, and its functions as a table: what takes long to load, or need not be
 * installed.
 */
#ifndef HEDDLE_FILE_SHARED_LIBRARY_H
#define HEDDLE_FILE_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_function {
  const char *name;
  void *slot; /* of a pointer to the function */
};

struct shared_library {
  const char *file;    /* libx.so.1 */
  const char *purpose; /* "by which heddle reads C" */
  const char *package; /* that has it */
  const struct library_function *function;
  size_t functions;
};

/* Fills all slots. False, with one line in error that says what to install. */
bool shared_library_open(const struct shared_library *library, char *error, size_t error_size);

#endif
