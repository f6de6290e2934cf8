/* SPDX-License-Identifier: Apache-2.0
 *
 * Bugs that a search has found and nobody was told of yet: the schedules that show them. They are in its checkpoint
 * until they are told at its end, so a search that was killed before that tells them when it goes on.
 */
#ifndef HEDDLE_SESSION_UNTOLD_H
#define HEDDLE_SESSION_UNTOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct schedule_record;
struct worker;

struct untold {
  struct untold_bug {
    uint64_t key;
    struct schedule_record *schedule;
  } * bug;
  size_t count;
  size_t before; /* so many of these are of the search that was killed */
};

/* Those of the worker that are not known yet. False: no memory left. */
bool untold_note(struct untold *u, const struct worker *w);
void untold_clear(struct untold *u);

bool untold_write(const struct untold *u, FILE *out);
/* False: it is cut short, or damaged. */
bool untold_read(struct untold *u, FILE *in);

#endif
