/* SPDX-License-Identifier: Apache-2.0
 *
 * `heddle cc` and `heddle c++`: the compiler, with instrumentation.
 */
#ifndef HEDDLE_CLI_CC_H
#define HEDDLE_CLI_CC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* argv[0] is "cc" or "c++", the rest are the compiler's arguments. Does not return unless it fails. */
int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);

/* Whether the name is that of a C or C++ source file, by its ending. */
bool is_source_file(const char *name);
bool is_cxx_file(const char *name);

/* Builds one instrumented program from C and C++ sources, without optimisation so that every access of the source is
 * one of the program. The compiler's messages go to standard error, warnings only if not quiet. 0, or -1 with one
 * line in error. */
int compile_sources(char *const sources[], size_t n, const char *output, bool quiet, char *error, size_t error_size);

/* The same without instrumentation, for runs without heddle: as people build their tests, with optimisation, and with
 * the library that keeps schedules in such runs (libheddle-enforce.so). */
int compile_free(char *const sources[], size_t n, const char *output, char *error, size_t error_size);

/* The compiler that compile_sources takes for these sources, as "gcc 12" or "clang++ 14"; just its name when it does
 * not tell its version. Returns out. */
#define BANNER_SIZE 64
const char *compiler_banner(char *const sources[], size_t n, char out[BANNER_SIZE]);

#endif
