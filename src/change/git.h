/* SPDX-License-Identifier: Apache-2.0
 *
 * What git says of the repository that the current folder is in. git is run without a shell, and without anything that
 * its configuration would run for it. */
#ifndef HEDDLE_CHANGE_GIT_H
#define HEDDLE_CHANGE_GIT_H

#include <stdbool.h>
#include <stddef.h>

struct git {
  char *root; /* of the work tree, resolved */
  char *base; /* the commit that the work tree is compared with: where it left the revision that was named */
};

/* False, with one line in error: git is not there, this is no repository, or it has no such revision. */
bool git_open(struct git *g, const char *revision, char *error, size_t error_size);
void git_close(struct git *g);

/* The difference of the work tree from the base, of lines alone, malloc'ed; NULL, with error. */
char *git_diff(const struct git *g, char *error, size_t error_size);

/* A file as the base has it, malloc'ed; NULL: it has none. */
char *git_old_text(const struct git *g, const char *path, size_t *length);

#endif
