/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines as a compiler's, see the header. What has no place in the source has that of the program.
 */
#include "report/story/gcc_text.h"
#include "report/story/story_words.h"
#include <stdlib.h>

/* "file:line: ", as seen from here. */
static void put_place(FILE *out, const struct story *story, uintptr_t pc)
{
  struct source_place place;
  if (!symbols_line(story->symbols, pc, &place) || !place.display || !place.line)
    return;
  print_escaped(out, place.display);
  fprintf(out, ":%u: ", place.line);
}

static void put_step(FILE *out, const struct story *story, const struct story_step *step)
{
  char thread[THREAD_NAME_SIZE];
  describe_thread(story, step->thread, thread);
  put_place(out, story, step->pc);
  fprintf(out, "note: %s ", thread);
  print_escaped(out, step->text);
  fputs(step->preempted ? " [preempts]\n" : "\n", out);
}

void story_gcc(FILE *out, const struct story *story)
{
  char message[SENTENCE_SIZE], where[256];
  size_t count = 0;
  struct story_step *steps = story_steps(story, &count);
  bug_message(story, message, sizeof message);
  bug_where(story, where, sizeof where);
  fprintf(out, "%s%s%s: %s [%s]\n", where, *where ? ": " : "heddle: ", story->warning ? "warning" : "error", message,
          bug_kind_name[story->bug->kind < BUG_KIND_COUNT ? story->bug->kind : 0]);
  for (size_t i = 0; i < count; i++)
    put_step(out, story, &steps[i]);
  if (story->schedule) {
    put_place(out, story, count ? steps[count - 1].pc : 0);
    fputs("note: heddle replay ", out);
    print_escaped(out, story->schedule);
    fputc('\n', out);
  }
  free(steps);
}
