/* SPDX-License-Identifier: Apache-2.0
 *
 * The corpus of a hunt, see the header.
 */
#include "cli/find/corpus_folder.h"
#include "report/story/tried_text.h"
#include "session/console.h"
#include <inttypes.h>
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

static void print_entry(const struct story *story, const struct control *control, const struct abstract_schedule *entry)
{
  char *text = tried_text(story, control, entry);
  struct story told = *story;
  told.tried = text ? text : "nothing in particular: chance showed something new";
  story_tries(console_out(), &told);
  free(text);
}

void hunt_print_corpus(const struct hunt *hunt, const struct session_result *result)
{
  char error[256];
  struct corpus_area *kept = hunt->corpus && result->control ? malloc(sizeof *kept) : NULL;
  struct symbols *symbols = kept ? symbols_open(hunt->target.path, error, sizeof error) : NULL;
  if (!kept)
    return;
  symbols_from_control(symbols, result->control);
  const struct story story = story_from_session(result, NULL, symbols);
  const uint64_t count = corpus_minimise(&hunt->corpus->all, kept);
  console_line("%" PRIu64 " schedule%s showed what no shorter one does:", count, count == 1 ? "" : "s");
  for (uint64_t i = 0; i < count; i++)
    print_entry(&story, result->control, &kept->entry[i]);
  fflush(console_out());
  symbols_close(symbols);
  free(kept);
}
