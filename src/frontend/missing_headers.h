/* SPDX-License-Identifier: Apache-2.0
 *
 * Headers that a source includes and that are nowhere: what generates them has not run, or a package is not installed.
 * An empty one stands in for each, in memory, so that the rest of the source is read; and where each would be found is
 * told, so that a source is read again when it has come.
 */
#ifndef HEDDLE_FRONTEND_MISSING_HEADERS_H
#define HEDDLE_FRONTEND_MISSING_HEADERS_H

#include "frontend/compile_meaning.h"
#include <stdbool.h>
#include <stddef.h>

#define MISSING_HEADERS_MOST 128

struct missing_header {
  char *name;   /* as it is included */
  char *folder; /* of the file that includes it */
};

/* All zero: none. */
struct missing_headers {
  struct missing_header header[MISSING_HEADERS_MOST];
  size_t count;
};

bool missing_headers_has(const struct missing_headers *m, const char *name);
/* False: it cannot be stood in for, or is already. */
bool missing_headers_add(struct missing_headers *m, const char *name, const char *folder);
void missing_headers_free(struct missing_headers *m);

/* The words with those that put the empty headers behind all folders. descriptor: to be closed when all was read.
 * False: that cannot be. */
bool missing_headers_stand_in(const struct missing_headers *m, struct compile_meaning *words, int *descriptor);

/* Whether a path is that of an empty header. */
bool missing_headers_is_empty(const char *path);

/* Calls place(path, data) for each path at which one of them would be found. */
void missing_headers_places(const struct missing_headers *m, const struct compile_meaning *words,
                            void (*place)(const char *path, void *data), void *data);

#endif
