/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns, see the header.
 */
#include "report/story/story_columns.h"

#include "report/story/terminal_text.h"
#include <string.h>

unsigned story_width(const struct story *story)
{
  const unsigned width = story->width ? story->width : STORY_WIDTH;
  return width < 60 ? 60 : width;
}

static void widen(unsigned *column, const char *text, unsigned most)
{
  const unsigned width = text_width(text);
  if (width > *column)
    *column = width < most ? width : most;
}

const char *place_told(const char *place, const struct columns *columns)
{
  const char *colon = columns->lines ? strrchr(place, ':') : NULL;
  return colon ? colon : place;
}

/* Whether all places are in the file that the headline names. */
static bool is_one_file(const struct story *story, const struct story_row *rows, size_t count)
{
  char where[256];
  bug_where(story, where, sizeof where);
  const char *colon = strrchr(where, ':');
  const size_t length = colon ? (size_t)(colon - where) + 1 : 0;
  for (size_t i = 0; i < count && length; i++)
    if (rows[i].place[0] && strncmp(rows[i].place, where, length) != 0)
      return false;
  return length > 0;
}

/* A remark is never cut: before that the file, which is the same everywhere, and the middles of objects are left out.
 */
static void make_room(const struct story *story, const struct story_row *rows, size_t count, struct columns *columns)
{
  const unsigned width = story_width(story), least = 16;
  unsigned remark = 0;
  for (size_t i = 0; i < count; i++)
    widen(&remark, rows[i].remark, width);
  for (int again = 0; again < 2 && remark; again++) {
    const unsigned used = INDENT + columns->name + columns->place + columns->phrase + columns->object + columns->value +
                          remark + 8 + (columns->value ? 2 : 0);
    if (used <= width)
      return;
    if (!again && is_one_file(story, rows, count)) {
      columns->lines = true;
      columns->place = 0;
      for (size_t i = 0; i < count; i++)
        widen(&columns->place, place_told(rows[i].place, columns), width / 3);
      continue;
    }
    const unsigned over = used - width;
    columns->object = columns->object > least + over ? columns->object - over
                      : columns->object > least      ? least
                                                     : columns->object;
    return;
  }
}

struct columns measure_columns(const struct story *story, const struct story_row *rows, size_t count)
{
  struct columns columns = {0};
  char name[THREAD_NAME_SIZE];
  const unsigned width = story_width(story);
  if ((story->bug->kind == BUG_ASSERTION || story->bug->kind == BUG_CRASH) && party_count(story->bug)) {
    describe_thread(story, story->bug->party[0].thread, name);
    widen(&columns.name, name, 16);
  }
  for (size_t i = 0; i < count; i++) {
    widen(&columns.name, rows[i].name, 16);
    widen(&columns.place, rows[i].place, width / 3);
    widen(&columns.phrase, rows[i].phrase, 26);
    widen(&columns.object, rows[i].object, width / 3);
    widen(&columns.value, rows[i].value, width / 4);
  }
  make_room(story, rows, count, &columns);
  return columns;
}
