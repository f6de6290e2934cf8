/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of units in files, one for each compile command, good as long as every file that was read holds what it held
 * then. A header that comes into being in front of another one in the include path is not noticed, as by make. What is
 * damaged, of another version, or was read by another reader is as if it were not there.
 */
#ifndef HEDDLE_LINT_FACT_CACHE_H
#define HEDDLE_LINT_FACT_CACHE_H

#include "frontend/compile_commands.h"
#include "lint/syntax.h"
#include <limits.h>

struct fact_cache {
  char folder[PATH_MAX];
  bool temporary; /* there is no folder that lasts: this one is removed */
};

/* Below XDG_CACHE_HOME or ~/.cache; lasting: false for one that is not kept. False, with one line in error. */
bool fact_cache_open(struct fact_cache *c, bool lasting, char *error, size_t error_size);
void fact_cache_close(struct fact_cache *c);

/* The facts, if they are still good. fresh: they were just written, which needs no look at the sources. */
bool fact_cache_find(const struct fact_cache *c, const struct compile_command *command, bool fresh,
                     struct syntax *facts);
/* Reads the source and keeps its facts. False, with one line in error. */
bool fact_cache_make(const struct fact_cache *c, const struct compile_command *command, char *error, size_t error_size);

#endif
