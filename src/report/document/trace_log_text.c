/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace log as text: number, thread, place, operation with its object, values, then behind `#` what the state
 * around it was: pending readers/writers of the same bytes, holder, race, wait. On a terminal in columns; lines of a
 * file are never cut.
 */
#include "report/document/trace_log_line.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>

#define FILE_WIDTH 60000 /* no column is cut */

static unsigned wider(unsigned column, const char *text, unsigned most)
{
  const unsigned width = text_width(text);
  return width > most ? most : width > column ? width : column;
}

void trace_measure(const struct story *story, const struct trace_event *events, size_t count, bool left,
                   struct trace_columns *columns)
{
  for (size_t i = 0; events && i < count; i++) {
    struct trace_line line;
    trace_line_fill(story, &events[i], left, &line);
    columns->name = wider(columns->name, line.thread, 16);
    columns->place = wider(columns->place, line.place, story->width / 3);
    columns->phrase = wider(columns->phrase, line.phrase, 20);
  }
}

static void describe_values(const struct trace_line *line, char *out, size_t n)
{
  out[0] = '\0';
  if (line->before[0])
    snprintf(out, n, "%s → %s", line->before, line->result);
  else if (line->result[0])
    snprintf(out, n, "%s %s", op_writes_memory(line->event->op) ? "←" : "→", line->result);
}

/* Other threads right before an access of the same bytes: " 1/0", in words " 1 other about to read". */
static void describe_pending(const struct trace_event *e, bool in_words, char *out, size_t n)
{
  if (!in_words)
    append(out, n, " %u/%u", e->readers, e->writers);
  else if (e->readers || e->writers)
    append(out, n, " %u other%s about to %s", e->readers + e->writers, e->readers + e->writers == 1 ? "" : "s",
           !e->writers   ? "read"
           : !e->readers ? "write"
                         : "read or write");
}

/* " 1/0 [race with 7]", " [deadlock] held by T2"; empty when there is nothing to say. */
static void describe_state(const struct trace_line *line, bool in_words, char *out, size_t n)
{
  const struct trace_event *e = line->event;
  out[0] = '\0';
  if (op_is_memory(e->op))
    describe_pending(e, in_words, out, n);
  if (e->marks & TRACE_RACE && e->race_step)
    append(out, n, " [race with %" PRIu64 "]", e->race_step);
  else if (e->marks & TRACE_RACE)
    append(out, n, " [race]");
  if (e->marks & TRACE_DEADLOCK)
    append(out, n, " [deadlock]");
  if (line->holder[0])
    append(out, n, " held by %s", line->holder);
  if (line->source)
    append(out, n, " sent by %" PRIu64, line->source->step);
  if (line->signal[0])
    append(out, n, " in the handler of %s", line->signal);
  if (e->waited_since)
    append(out, n, " waited since %" PRIu64, e->waited_since);
  if (e->held_since)
    append(out, n, " held back since %" PRIu64, e->held_since);
  if (e->woken_by)
    append(out, n, " woken by %" PRIu64, e->woken_by);
}

void trace_print_line(FILE *out, const struct story *story, const struct trace_event *e, bool left,
                      const struct trace_columns *columns)
{
  struct trace_line words;
  struct line line;
  char step[32] = "     -", values[2 * VALUE_SIZE + 8], state[160];
  trace_line_fill(story, e, left, &words);
  describe_values(&words, values, sizeof values);
  describe_state(&words, columns->in_words, state, sizeof state);
  if (!left)
    snprintf(step, sizeof step, "%6" PRIu64, e->step);
  line_begin(&line, out, story->width, story->colour);
  line_put(&line, STYLE_DIM, step, 7);
  line_put(&line, STYLE_BOLD, left ? "" : e->switched == 2 ? "▸" : e->switched ? "▹" : "", 2);
  line_put(&line, STYLE_THREAD + e->thread, words.thread, columns->name + 2);
  line_put(&line, STYLE_DIM, words.place, columns->place + 2);
  line_put(&line, STYLE_PLAIN, words.phrase, columns->phrase + 2);
  line_put(&line, STYLE_BOLD, words.object, words.object[0] ? 2 + text_width(words.object) : 0);
  line_put(&line, STYLE_PLAIN, values, values[0] ? 2 + text_width(values) : 0);
  if (state[0])
    line_put(&line, STYLE_DIM, "#", 0);
  line_put(&line, e->marks & (TRACE_RACE | TRACE_DEADLOCK) ? STYLE_REMARK : STYLE_DIM, state, 0);
  line_end(&line);
}

static void print_all(FILE *out, const struct story *story)
{
  struct trace_columns columns = {.phrase = TRACE_PHRASE};
  trace_measure(story, story->events, story->event_count, false, &columns);
  trace_measure(story, story->left, story->left_count, true, &columns);
  for (size_t i = 0; story->events && i < story->event_count; i++)
    trace_print_line(out, story, &story->events[i], false, &columns);
  if (story->event_total > story->event_count)
    fprintf(out, "… %" PRIu64 " more steps were not recorded\n", story->event_total - story->event_count);
  for (size_t i = 0; story->left && i < story->left_count; i++)
    trace_print_line(out, story, &story->left[i], true, &columns);
}

void trace_print(FILE *out, const struct story *story)
{
  struct story told = *story;
  told.width = story->width == 0 ? STORY_WIDTH : story->width < 60 ? 60 : story->width;
  print_all(out, &told);
}

static void print_after(FILE *out, const char *before, const char *text)
{
  fputs(before, out);
  print_escaped(out, text);
}

bool trace_text(FILE *out, const struct story *story, const struct trace_origin *origin)
{
  struct story told = *story;
  char message[SENTENCE_SIZE];
  told.width = FILE_WIDTH;
  told.colour = false;
  fprintf(out, "# heddle-trace %d", TRACE_LOG_VERSION);
  print_after(out, "\n# program  ", origin->program);
  for (size_t i = 0; i < origin->arg_count; i++)
    print_after(out, " ", origin->args[i]);
  if (origin->schedule)
    print_after(out, "\n# schedule ", origin->schedule);
  fputs("\n# step, switch (▸ preemption, ▹ other), thread, place, operation, object, values, "
        "# pending readers/writers, marks\n",
        out);
  print_all(out, &told);
  if (story->bug) {
    bug_message(story, message, sizeof message);
    fprintf(out, "# bug      %s\n", message);
  }
  return true;
}
