/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands below a story: commands that show more of it, and other races on the same variable, in one line each.
 */
#include "report/story/story.h"
#include "report/story/story_words.h"
#include "report/story/terminal_text.h"

void story_command(FILE *out, const struct story *story, const char *what, const char *command)
{
  char path[512];
  if (!story->schedule)
    return;
  shell_word(story->schedule, path, sizeof path);
  fprintf(out, "  %-8s heddle %s ", what, command);
  if (story->client) {
    fputs("--client ", out);
    print_shell_word(out, story->client);
    fputc(' ', out);
  }
  fprintf(out, "%s\n", path);
}

void story_another_race(FILE *out, const struct story *story)
{
  const struct bug *bug = story->bug;
  fputs("  also    ", out);
  for (uint32_t i = party_count(bug); i-- > 0;) { /* the earlier access is the second party */
    char name[THREAD_NAME_SIZE], place[PLACE_SIZE];
    const uint16_t op = party_op(story, &bug->party[i]);
    describe_thread(story, bug->party[i].thread, name);
    describe_place(story, party_pc(story, &bug->party[i]), place);
    fprintf(out, " %s %s it at %s%s", name, op < OP_COUNT ? op_table[op].phrase : "uses", place, i ? "," : "");
  }
  if (story->schedule) {
    fputs("   ", out);
    print_shell_word(out, story->schedule);
  }
  fputc('\n', out);
}

void story_commands(FILE *out, const struct story *story)
{
  char path[512];
  story_command(out, story, "replay", "replay");
  if (!story->client)
    story_command(out, story, "debug", "replay --gdb");
  if (story->page) {
    shell_word(story->page, path, sizeof path);
    fprintf(out, "  page     %s\n", path);
  }
}
