/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search by reads-from feedback goes on from (core/abstract_schedule.h), on the host's side: it is brought from
 * worker to worker while they run, and kept in a file from run to run. The file is written every few seconds, beside
 * its place and renamed when whole, so that at most the last seconds are lost with the process. Of what is kept, every
 * entry shows a pair that no shorter one shows.
 *
 * With more than one worker it depends on their speed what is tried when; what is reported was replayed in any case.
 */
#ifndef HEDDLE_SESSION_CORPUS_H
#define HEDDLE_SESSION_CORPUS_H

#include "core/abstract_schedule.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker;

struct corpus {
  char *path;             /* of the file */
  char build[128];        /* fingerprint of the program: names of places are of one build */
  struct corpus_area all; /* in the order in which it came */
  uint64_t saved;         /* entries, by then */
  double saved_at;
  char error[512]; /* it could not be written; empty: it could */
};

/* Reads the file if there is one; what is of another build of the program is not taken. False: one line in error, and
 * nothing must be closed. */
bool corpus_open(struct corpus *corpus, const char *path, const char *build, char *error, size_t error_size);
void corpus_close(struct corpus *corpus);

/* Takes what workers found and gives it to the others; saves it now and then, or at once. */
void corpus_share(struct corpus *corpus, struct worker *workers, unsigned count, double now, bool last);

/* Leaves out what others show; how many are left. */
uint64_t corpus_minimise(const struct corpus_area *all, struct corpus_area *out);

#endif
