/* SPDX-License-Identifier: Apache-2.0
 *
 * Where heddle's own files are.
 */
#ifndef HEDDLE_SESSION_INSTALLED_H
#define HEDDLE_SESSION_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/* Where the files that belong to this program are, found from the program itself: beside it in a build folder, in
 * ../lib/heddle and ../include when installed. */
struct heddle_paths {
  char lib_dir[PATH_MAX];
  char library[PATH_MAX];     /* libheddle.so */
  char include_dir[PATH_MAX]; /* of heddle.h */
};

/* The path of this program. False when the system does not say. */
bool heddle_executable(char out[PATH_MAX]);

/* 0, or -1 when the library is in neither place; *out is then undefined. */
int heddle_paths(struct heddle_paths *out);

#endif
