/* SPDX-License-Identifier: Apache-2.0
 *
 * The one door through which heddle writes files. Nothing of anybody else's is destroyed:
 *
 * - A file is written beside its place, under a new name, and renamed when it is whole.
 * - A file that is there is replaced only if it is empty or heddle wrote it, in the same format: every format begins
 * with words that name heddle. What has no such words is never replaced.
 * - A symbolic link is followed within its own folder and not out of it.
 * - What is not a regular file (/dev/stdout, a pipe, a terminal) is written to directly.
 * - A file of the user's is changed only by output_file_change(), for a command that was asked to.
 *
 * What cannot be put in its place at the end, after hours of search, stays under the new name, and the error says
 * which. Nothing is printed here. That an output is no input of the same command is for the caller to see
 * (cli/option/result_file.h).
 */
#ifndef HEDDLE_TRACE_OUTPUT_FILE_H
#define HEDDLE_TRACE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Format, what a person calls it, how it begins; blanks do not count. */
#define FILE_FORMATS(X)                                                                                                \
  X(SCHEDULE, "schedule", "heddle schedule")                                                                           \
  X(JSON, "JSON document", "{\"heddle\":\"")                                                                           \
  X(SARIF, "SARIF log",                                                                                                \
    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"                 \
    "\"tool\":{\"driver\":{\"name\":\"heddle\"")                                                                       \
  X(JUNIT, "JUnit report", "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- heddle -->")                                \
  X(PAGE, "page",                                                                                                      \
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" "                         \
    "content=\"heddle\">")                                                                                             \
  X(LOG_TEXT, "trace log", "# heddle-trace")                                                                           \
  X(LOG_JSON, "trace log in JSON", "{\"heddle-trace\":")                                                               \
  X(LOG_CHROME, "trace log for Chrome", "{\"otherData\":{\"heddle-trace\":")                                           \
  X(CHECKPOINT, "checkpoint", "heddle checkpoint")                                                                     \
  X(CORPUS, "corpus", "heddle corpus")                                                                                 \
  X(COURSE, "exploration trace", "heddle exploration trace")                                                           \
  X(HASHES, "list of executions", "# heddle hashes")                                                                   \
  X(TRACE, "recorded run", "heddleT1")                                                                                 \
  X(STD, "recorded run in the STD form", "# heddle-std")                                                               \
  X(PROTOCOLS, "list of protocols", "# heddle protocols")                                                              \
  X(GRAPHS, "graph of protocols", "// heddle protocols")                                                               \
  X(PROPERTIES, "list of properties", "// heddle properties")                                                          \
  X(BUGS, "list of bugs", "# heddle bugs")                                                                             \
  X(LINT_BASELINE, "baseline of heddle lint", "# heddle lint baseline")                                                \
  X(FACTS, "facts of a source", "heddle facts")                                                                        \
  X(BASELINE, "baseline", "# heddle baseline")                                                                         \
  X(SPECIFICATION, "specification in C", "/* heddle specification")                                                    \
  X(PIN, "pinned bug", "# heddle pin")                                                                                 \
  X(AGREED, "list of agreed commands", "# heddle agreed")                                                              \
  X(PLAIN, "file", NULL) /* what has no place for such words */

enum file_format {
#define X(format, name, mark) FILE_##format,
  FILE_FORMATS(X)
#undef X
      FILE_FORMAT_COUNT
};

/* A file on its way to its place. */
struct output_file {
  FILE *file; /* to write to, and to read back */
  enum file_format format;
  char *name;          /* as a person gave it */
  char *place;         /* where it is to be; NULL: it goes to a stream, or nowhere */
  char *temporary;     /* where it is until then; NULL: it goes to a stream */
  char displaced[512]; /* why that is not beside its place, as an error; empty: it is */
};

/* All that return false leave one line in error. */

/* Whether the file could be written now; leaves nothing behind. */
bool output_file_check(const char *path, enum file_format format, char *error, size_t error_size);

bool output_file_open(struct output_file *output, const char *path, enum file_format format, char *error,
                      size_t error_size);

/* Puts it in its place. In any case nothing is left to drop. */
bool output_file_close(struct output_file *output, char *error, size_t error_size);

/* As if it had never been opened. */
void output_file_drop(struct output_file *output);

/* All of it at once. */
bool output_file_write(const char *path, enum file_format format, const void *data, size_t length, char *error,
                       size_t error_size);

/* Changes a file of the user's, who asked for that: only if it still holds what was read from it, and in the same way,
 * beside its place and renamed. */
bool output_file_change(const char *path, const void *before, size_t before_length, const void *after,
                        size_t after_length, char *error, size_t error_size);

/* Removes a file, if it is one of that format that heddle wrote. */
void output_file_remove(const char *path, enum file_format format);

/* The path with its folder resolved and without links at its end, malloc'ed: the same for two names of one file,
 * whether it is there or not. NULL: it is no regular file, or nothing could be there. */
char *output_file_place(const char *path);

#endif
