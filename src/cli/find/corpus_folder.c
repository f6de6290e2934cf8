/* SPDX-License-Identifier: Apache-2.0
 *
 * The corpus of a hunt, see the header.
 */
#include "cli/find/corpus_folder.h"
#include "session/console.h"
#include <stdlib.h>

bool hunt_open_corpus(struct hunt *hunt, struct session_result *result)
{
  char *path = outfiles_corpus(&hunt->files), build[FINGERPRINT_SIZE] = "";
  *result = (struct session_result){.end = SESSION_FAILED, .status = STATUS_FAILED};
  hunt->corpus = malloc(sizeof *hunt->corpus);
  bool good =
      hunt->corpus && path && program_fingerprint(hunt->target.path, build, result->error, sizeof result->error);
  if (good && !corpus_open(hunt->corpus, path, build, result->error, sizeof result->error)) {
    result->status = STATUS_USAGE;
    good = false;
  }
  free(path);
  if (good)
    return true;
  free(hunt->corpus);
  hunt->corpus = NULL;
  return false;
}

void hunt_close_corpus(struct hunt *hunt)
{
  if (hunt->corpus)
    corpus_close(hunt->corpus);
  free(hunt->corpus);
}
