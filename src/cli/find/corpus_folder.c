/* SPDX-License-Identifier: Apache-2.0
 *
 * The corpus of a hunt, see the header.
 */
#include "cli/find/corpus_folder.h"
#include "report/story/tried_text.h"
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

void print_tried(const struct hunt *hunt, const struct session_result *replay, const struct bug *bug)
{
  const struct abstract_schedule *tried = hunt->corpus ? corpus_tried(hunt->corpus, bug->key) : NULL;
  const struct story story = story_from_session(replay, bug, hunt->symbols);
  for (uint32_t i = 0; tried && i < tried->constraints; i++) {
    char sentence[SENTENCE_SIZE];
    describe_constraint(&story, replay->control, &tried->constraint[i], sentence);
    console_line("  %s    %s", i ? "     " : "tried", sentence);
  }
}
