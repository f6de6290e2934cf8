/* SPDX-License-Identifier: Apache-2.0
 *
 * `heddle cc` and `heddle c++`: the compiler, with instrumentation. And where heddle's own files are.
 */
#ifndef HEDDLE_CLI_CC_H
#define HEDDLE_CLI_CC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* argv[0] is "cc" or "c++", the rest are the compiler's arguments. Does not return unless it fails. */
int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);

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

/* Whether the name is that of a C or C++ source file, by its ending. */
bool is_source_file(const char *name);

/* Builds one instrumented program from C and C++ sources, without optimisation so that every access of the source is
 * one of the program. The compiler's messages go to standard error, warnings only if not quiet. 0, or -1 with one
 * line in error. */
int compile_sources(char *const sources[], size_t n, const char *output, bool quiet, char *error,
                    size_t error_size);

/* The compiler that compile_sources takes for these sources, as "gcc 12" or "clang++ 14"; just its name when it does not
 * tell its version. Returns out. */
#define BANNER_SIZE 64
const char *compiler_banner(char *const sources[], size_t n, char out[BANNER_SIZE]);

#endif
