/* SPDX-License-Identifier: Apache-2.0
 *
 * Baselines: bugs that a project lives with for now, as a file to keep beside its sources. They are told in one line
 * and are no reason to fail; others are. A line is the lasting identity of a bug (report/story/bug_identity.h), its
 * kind, and words for people.
 */
#ifndef HEDDLE_CLI_BASELINE_H
#define HEDDLE_CLI_BASELINE_H

#include "cli/find/known_bugs.h"
#include "report/story/bug_identity.h"
#include <stdbool.h>
#include <stddef.h>

struct baseline {
  char (*identity)[IDENTITY_DIGITS];
  size_t count;
  uint32_t kinds; /* of its bugs: bits of enum bug_kind */
};

/* False: one line in error, and nothing must be freed. */
bool baseline_read(struct baseline *baseline, const char *path, char *error, size_t error_size);
void baseline_free(struct baseline *baseline);

bool baseline_has(const struct baseline *baseline, const struct bug_identity *identity);

/* Writes those of the known bugs that do not pass. */
bool baseline_write(const struct known_bugs *known, const char *path, char *error, size_t error_size);

#endif
