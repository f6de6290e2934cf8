/* SPDX-License-Identifier: Apache-2.0
 *
 * Suppressions: which bugs a person does not want to be told. A line of the file is
 *
 *   KIND [function=GLOB] [file=GLOB] [variable=GLOB]     as in: race function=log_* variable=stats.hits
 *
 * where KIND is a kind of bugs (core/bug.h) or `any`, and everything that is named must fit one thread's part of the
 * bug: function and file any place of its stack, variable what it touches. Lines of ThreadSanitizer's files
 * (`race:name`) and blocks of Valgrind's (`{` … `}`) may stand among them; those about what heddle does not report are
 * passed over.
 *
 * A suppression never changes a search: it is asked about what was found. How many bugs it left out is told, and which
 * ones left out none.
 */
#ifndef HEDDLE_CLI_SUPPRESSIONS_H
#define HEDDLE_CLI_SUPPRESSIONS_H

#include "report/story/story.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suppression {
  size_t line;                      /* of the file */
  uint32_t kinds;                   /* bits of enum bug_kind */
  char *function, *file, *variable; /* globs; NULL: whatever it is */
  char *anywhere;                   /* a glob for function, file, module or variable; NULL for none */
  bool innermost;                   /* only the first place of a stack counts */
  char **frame; /* globs for places, outwards: "fun:…", "obj:…", "src:…", "..."; NULL for none */
  size_t frame_count;
  uint64_t used; /* bugs it left out */
};

struct suppressions {
  char *path; /* NULL: there are none */
  struct suppression *rule;
  size_t count;
};

/* Reads the file. False: one line in error, and nothing must be freed. */
bool suppressions_read(struct suppressions *list, const char *path, char *error, size_t error_size);
void suppressions_free(struct suppressions *list);

/* Whether one of them fits the bug; the first that does is counted. */
bool suppressions_fit(struct suppressions *list, const struct story *story);

/* The kinds of bugs that they are about: bits of enum bug_kind. */
uint32_t suppressions_kinds(const struct suppressions *list);

#endif
