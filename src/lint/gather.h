/* SPDX-License-Identifier: Apache-2.0
 *
 * The facts of many units: what the cache has is taken from there, the rest is read by processes beside each other,
 * which leave it in the cache. A source that libclang dies of is lost alone.
 */
#ifndef HEDDLE_LINT_GATHER_H
#define HEDDLE_LINT_GATHER_H

#include "lint/fact_cache.h"
#include "lint/whole_program.h"

struct gather {
  const struct fact_cache *cache;
  const struct compile_commands *commands;
  unsigned jobs;
  bool (*stop)(void);                        /* asked several times a second */
  void (*progress)(size_t done, size_t all); /* the same; may be NULL */
  /* Of one source; lost: it cannot be read, else it has an error. */
  void (*problem)(void *data, bool lost, const char *line);
  void *data;
  size_t read, cached, lost; /* what came of the units; assembly is none of them */
  size_t partly;             /* read or cached, but with an error: not all was understood */
};

enum gather_end { GATHER_DONE, GATHER_STOPPED, GATHER_FAILED };

/* Adds all to the program. FAILED: one line in error. */
enum gather_end gather_all(struct gather *g, struct whole_program *program, char *error, size_t error_size);

#endif
