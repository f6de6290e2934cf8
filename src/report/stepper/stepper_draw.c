/* SPDX-License-Identifier: Apache-2.0
 *
 * The screen of the stepper: title, steps, source, threads, a line for messages; see the header. Changes nothing. Rows
 * are put where they belong one by one, so that a screen of any size is never scrolled.
 */
#include "file/input_file.h"
#include "report/stepper/stepper.h"
#include "report/story/moment.h"
#include "report/story/process_words.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_MOST 9
#define LIST_MOST 512

/* ---- rows ---- */

struct screen {
  FILE *out;
  const struct stepper *stepper;
  unsigned row, columns; /* row: the last one that was put, from 1 */
};

enum { ROW_PLAIN, ROW_REVERSE };

/* The first line of text becomes the next row; it was cut to the columns before. */
static void put_row(struct screen *screen, const char *text, int look)
{
  fprintf(screen->out, "\033[%u;1H%s\033[K%.*s%s", ++screen->row, look == ROW_REVERSE ? "\033[7m" : "",
          (int)strcspn(text, "\n"), text, look == ROW_REVERSE ? "\033[0m" : "");
}

/* Text in pieces: a row is made in memory, so that it can be cut and looks the same wherever it is put. */
struct row {
  char *text;
  size_t bytes;
  struct line line;
};

static bool row_open(struct row *row, const struct screen *screen, bool colour)
{
  *row = (struct row){0};
  FILE *out = open_memstream(&row->text, &row->bytes);
  if (out)
    line_begin(&row->line, out, screen->columns, colour);
  return out;
}

static void row_close(struct row *row, struct screen *screen, int look)
{
  line_end(&row->line);
  if (fclose(row->line.out) == 0)
    put_row(screen, row->text, look);
  free(row->text);
}

static void put_text(struct screen *screen, unsigned style, const char *text, int look)
{
  struct row row;
  if (!row_open(&row, screen, screen->stepper->story->colour && look == ROW_PLAIN))
    return;
  line_put(&row.line, style, text, 0);
  row_close(&row, screen, look);
}

static void put_heading(struct screen *screen, const char *text)
{
  char heading[PLACE_SIZE + 16];
  snprintf(heading, sizeof heading, "── %s ──", text);
  put_text(screen, STYLE_DIM, heading, ROW_PLAIN);
}

/* ---- how the rows are divided ---- */

struct layout {
  unsigned list, source, threads; /* lines of each, without headings; 0: left out, with its heading */
};

static unsigned least(unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* The steps get at least a third; on a small screen the source goes first, then the threads. */
static struct layout divide(const struct stepper *s, unsigned rows)
{
  struct layout l = {0};
  const unsigned body = rows > 2 ? rows - 2 : 1;
  if (body >= 9)
    l.threads = least(s->story->thread_count, body / 4);
  if (body >= 16)
    l.source = least(SOURCE_MOST, body / 4) | 1;
  l.list = body - (l.threads ? l.threads + 1 : 0) - (l.source ? l.source + 1 : 0);
  if (l.list > LIST_MOST)
    l.list = LIST_MOST;
  return l;
}

unsigned stepper_page(const struct stepper *s, unsigned rows)
{
  return divide(s, rows).list;
}

/* ---- the title ---- */

static void put_title(struct screen *screen)
{
  const struct stepper *s = screen->stepper;
  const struct story *story = s->story;
  char text[512], name[THREAD_NAME_SIZE];
  uint64_t switches = 0, so_far = 0;
  for (size_t i = 0; i < story->event_count; i++) {
    switches += story->events[i].switched != 0;
    so_far += story->events[i].switched != 0 && i <= s->at;
  }
  if (s->at < story->event_count)
    snprintf(text, sizeof text, "%.200s: step %" PRIu64 " (line %zu of %zu), switch %" PRIu64 " of %" PRIu64, s->title,
             story->events[s->at].step, s->at + 1, story->event_count, so_far, switches);
  else
    snprintf(text, sizeof text, "%.200s: the end, after %zu step%s and %" PRIu64 " switch%s", s->title,
             story->event_count, story->event_count == 1 ? "" : "s", switches, switches == 1 ? "" : "es");
  if (s->only != STEPPER_ALL) {
    describe_thread(story, s->only, name);
    append(text, sizeof text, ", only %s", name);
  }
  put_text(screen, STYLE_BOLD, text, ROW_PLAIN);
}

/* ---- the steps ---- */

/* Items around the current one, in order; returns how many. */
static size_t choose_items(const struct stepper *s, size_t most, size_t items[LIST_MOST])
{
  size_t first = s->at, count = 0;
  for (size_t i = s->at, before = 0; i-- > 0 && before < most / 2;)
    if (stepper_shows(s, i)) {
      first = i;
      before++;
    }
  for (size_t i = first; i <= s->story->event_count && count < most; i++)
    if (stepper_shows(s, i))
      items[count++] = i;
  return count;
}

/* Behind the last step: how it ends. */
static void print_end(FILE *out, const struct story *story)
{
  char message[SENTENCE_SIZE] = "the program ends";
  struct line line;
  if (story->bug)
    bug_message(story, message, sizeof message);
  line_begin(&line, out, story->width, story->colour);
  line_put(&line, STYLE_PLAIN, "", 7);
  line_put(&line, story->bug ? STYLE_BAD : STYLE_GOOD, story->bug ? "✗" : "✓", 2);
  line_put(&line, story->bug ? STYLE_BAD : STYLE_GOOD, message, 0);
  line_end(&line);
}

static void put_item(struct screen *screen, size_t item)
{
  const struct stepper *s = screen->stepper;
  const bool current = item == s->at;
  struct story told = *s->story;
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return;
  told.width = screen->columns > 2 ? screen->columns - 2 : 1;
  told.colour = told.colour && !current;
  fputs(current ? "> " : "  ", out);
  if (item < told.event_count)
    trace_print_line(out, &told, &told.events[item], false, &s->columns);
  else
    print_end(out, &told);
  if (fclose(out) == 0)
    put_row(screen, text, current ? ROW_REVERSE : ROW_PLAIN);
  free(text);
}

static void put_items(struct screen *screen, unsigned lines)
{
  size_t items[LIST_MOST];
  const size_t count = choose_items(screen->stepper, lines, items);
  for (size_t i = 0; i < lines; i++)
    if (i < count)
      put_item(screen, items[i]);
    else
      put_row(screen, "", ROW_PLAIN);
}

/* ---- the source ---- */

static uintptr_t current_pc(const struct stepper *s)
{
  const struct story *story = s->story;
  if (s->at < story->event_count)
    return event_pc(story, &story->events[s->at]);
  if (!story->bug || !party_count(story->bug))
    return 0;
  return party_pc(story, &story->bug->party[main_party(story->bug)]);
}

static void expand_tabs(const char *in, char *out, size_t n)
{
  size_t used = 0;
  for (; *in && *in != '\n' && *in != '\r' && used + 9 < n; in++) {
    out[used++] = *in == '\t' ? ' ' : *in;
    while (*in == '\t' && used % 8)
      out[used++] = ' ';
  }
  out[used] = '\0';
}

static void put_source_line(struct screen *screen, const char *text, uint32_t number, bool current)
{
  char shown[512], label[24];
  struct row row;
  expand_tabs(text, shown, sizeof shown);
  snprintf(label, sizeof label, "%s%5" PRIu32, current ? ">" : " ", number);
  if (!row_open(&row, screen, screen->stepper->story->colour))
    return;
  line_put(&row.line, STYLE_DIM, label, 8);
  line_put(&row.line, current ? STYLE_BOLD : STYLE_PLAIN, shown, 0);
  row_close(&row, screen, ROW_PLAIN);
}

/* The lines around the current one, from the file itself. */
static void put_source(struct screen *screen, unsigned lines)
{
  const struct story *story = screen->stepper->story;
  const uintptr_t pc = current_pc(screen->stepper);
  struct source_place place = {0};
  char where[PLACE_SIZE] = "";
  describe_place_and_function(story, pc, where);
  const bool known = pc && symbols_line(story->symbols, pc, &place) && place.line && place.file;
  char error[256];
  FILE *file = known ? input_open(place.file, error, sizeof error) : NULL;
  put_heading(screen, !where[0] ? "no place in the source" : file ? where : "its source is not here");
  const uint32_t first = place.line > lines / 2 ? place.line - lines / 2 : 1;
  const unsigned end = screen->row + lines;
  char *text = NULL;
  size_t room = 0;
  for (uint32_t number = 1; file && screen->row < end && getline(&text, &room, file) >= 0; number++)
    if (number >= first)
      put_source_line(screen, text, number, number == place.line);
  while (screen->row < end)
    put_row(screen, "", ROW_PLAIN);
  free(text);
  if (file)
    fclose(file);
}

/* ---- the threads ---- */

/* The mutex that a wake-up took again has no event of its own. */
static void describe_lock(const struct story *story, const struct moment_lock *lock, char out[OBJECT_SIZE])
{
  struct trace_event e = *lock->by;
  if (e.addr != lock->addr)
    e = (struct trace_event){.op = OP_MUTEX_LOCK, .thread = e.thread, .holder = -1, .addr = lock->addr, .pc = e.pc};
  describe_object(story, &e, out);
}

static void describe_next(const struct story *story, const struct moment *moment, const struct moment_thread *t,
                          char *out, size_t n)
{
  struct trace_line line;
  char name[THREAD_NAME_SIZE];
  trace_line_fill(story, t->next, t->left, &line);
  if (t->state != THREAD_WAITS) {
    append(out, n, "next: %s %s", line.phrase, line.object);
    return;
  }
  append(out, n, "%s %s", waiting_phrase(t->next->op), line.object);
  for (uint32_t i = 0; i < moment->locks; i++)
    if (moment->lock[i].addr == t->next->addr && moment->lock[i].thread != t->next->thread) {
      describe_thread(story, moment->lock[i].thread, name);
      append(out, n, ", held by %s", name);
      return;
    }
}

static void describe_state(const struct story *story, const struct moment *moment, uint32_t thread, char *out, size_t n)
{
  const struct moment_thread *t = &moment->thread[thread];
  char lock[OBJECT_SIZE];
  const char *before = "; holds ";
  out[0] = '\0';
  if (t->state == THREAD_NOT_YET)
    append(out, n, "is not there yet");
  else if (t->state == THREAD_ENDED)
    append(out, n, "has ended");
  else if (!t->next)
    append(out, n, "runs");
  else
    describe_next(story, moment, t, out, n);
  for (uint32_t i = 0; i < moment->locks; i++) {
    if (moment->lock[i].thread != thread)
      continue;
    describe_lock(story, &moment->lock[i], lock);
    append(out, n, "%s%s", before, lock);
    before = ", ";
  }
}

static void put_thread(struct screen *screen, const struct moment *moment, uint32_t thread, bool current)
{
  const struct story *story = screen->stepper->story;
  char name[THREAD_NAME_SIZE], state[SENTENCE_SIZE], place[PLACE_SIZE] = "";
  const struct moment_thread *t = &moment->thread[thread];
  struct row row;
  if (!row_open(&row, screen, story->colour))
    return;
  describe_thread(story, thread, name);
  describe_state(story, moment, thread, state, sizeof state);
  if (t->next && t->state >= THREAD_READY)
    describe_place(story, event_pc(story, t->next), place);
  line_put(&row.line, STYLE_BOLD, current ? "*" : " ", 2);
  line_put(&row.line, STYLE_THREAD + thread, name, screen->stepper->columns.name + 2);
  line_put(&row.line, STYLE_DIM, place, screen->stepper->columns.place + 2);
  line_put(&row.line, t->state == THREAD_WAITS ? STYLE_REMARK : STYLE_PLAIN, state, 0);
  row_close(&row, screen, ROW_PLAIN);
}

/* Those that are there first; the current one always. */
static void put_threads(struct screen *screen, unsigned lines)
{
  const struct stepper *s = screen->stepper;
  struct moment moment;
  moment_find(s->story, s->at, &moment);
  const uint32_t current = s->at < s->story->event_count ? s->story->events[s->at].thread : MAX_THREADS;
  const bool all = moment.threads <= lines;
  unsigned shown = 0;
  put_heading(screen, s->at < s->story->event_count ? "threads, before this step" : "threads, at the end");
  if (!all && current < moment.threads) {
    put_thread(screen, &moment, current, true);
    shown++;
  }
  const uint32_t processes = process_count(s->story); /* one after the other */
  for (uint32_t i = 0; i < processes * moment.threads && shown < lines; i++) {
    const uint32_t t = i % moment.threads;
    if (process_of(s->story, t) != i / moment.threads)
      continue;
    if (!all && (t == current || moment.thread[t].state < THREAD_READY))
      continue;
    put_thread(screen, &moment, t, t == current);
    shown++;
  }
  for (; shown < lines; shown++)
    put_row(screen, "", ROW_PLAIN);
}

/* ---- the whole ---- */

static void put_help(struct screen *screen, unsigned rows)
{
  static const char *const lines[] = {
      "↓ j Enter    the next step",
      "↑ k          the step before",
      "n  p         the next context switch, the one before (▸ preemption, ▹ other)",
      "space  b     a screen further, back (also Page Down, Page Up)",
      "g  G         the first step, the end (also Home, End)",
      "t            only the steps of one thread, of the next one, of all",
      "/            search: a thread, a place, a variable; N searches again",
      "q            quit",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines && screen->row + 1 < rows; i++)
    put_text(screen, STYLE_PLAIN, lines[i], ROW_PLAIN);
  while (screen->row + 1 < rows)
    put_row(screen, "", ROW_PLAIN);
}

static void put_bottom(struct screen *screen, unsigned rows)
{
  const struct stepper *s = screen->stepper;
  char text[128];
  screen->row = rows - 1;
  snprintf(text, sizeof text, "/%s▏", s->search);
  if (s->typing)
    put_text(screen, STYLE_BOLD, text, ROW_PLAIN);
  else if (s->message[0])
    put_text(screen, STYLE_BOLD, s->message, ROW_PLAIN);
  else
    put_text(screen, STYLE_DIM, "↓↑ step  n p switch  t thread  / search  g G first, end  ? keys  q quit", ROW_PLAIN);
}

void stepper_draw(FILE *out, const struct stepper *s, unsigned rows, unsigned columns)
{
  struct screen screen = {.out = out, .stepper = s, .columns = columns};
  const struct layout layout = divide(s, rows);
  if (rows > 2)
    put_title(&screen);
  if (s->helping) {
    put_help(&screen, rows);
  } else {
    put_items(&screen, layout.list);
    if (layout.source)
      put_source(&screen, layout.source);
    if (layout.threads)
      put_threads(&screen, layout.threads);
  }
  if (rows > 1)
    put_bottom(&screen, rows);
}
