/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing what goes on, see the header. Lines are cut to the width of the terminal, so that each is one.
 */
#include "session/live.h"
#include "session/console.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINES_MOST = 8, LINE_SIZE = 512, ROWS_NEEDED = 10, BAR_CELLS = 20 };

#define SETTLES 0.05 /* of the way to a new estimate, with each drawing: two seconds for most of it */

static struct {
  bool allowed;
  unsigned shown;  /* lines */
  double drawn;    /* when last */
  double estimate; /* as it is shown, by its logarithm; 0: none yet */
} state;

struct screen {
  char line[LINES_MOST][LINE_SIZE];
  unsigned count;
};

void live_setup(bool allowed)
{
  state.allowed = allowed;
}

bool live_is_drawn(void)
{
  return state.allowed;
}

void live_search_try(struct live_search *search, enum strategy_id strategy)
{
  const enum strategy_id *members = strategy_table[strategy]->members;
  if (!members)
    search->tried[strategy] = true;
  for (; members && *members != STRATEGY_COUNT; members++)
    search->tried[*members] = true;
}

static const char *name_of(const struct live_search *search, unsigned strategy)
{
  return strategy == STRATEGY_sources && search->equivalence ? search->equivalence : strategy_table[strategy]->name;
}

const char *live_search_tried(const struct live_search *search, char *out, size_t size)
{
  unsigned left = 0;
  size_t used = 0;
  for (unsigned i = 0; i < STRATEGY_COUNT; i++)
    left += search->tried[i];
  *out = '\0';
  for (unsigned i = 0; i < STRATEGY_COUNT && used < size; i++)
    if (search->tried[i]) {
      left--;
      used += (size_t)snprintf(out + used, size - used, "%s%s", name_of(search, i),
                               left > 1 ? ", "
                               : left   ? " and "
                                        : "");
    }
  return out;
}

void live_search_free(struct live_search *search)
{
  free(search->key);
  search->key = NULL;
}

static void add(char *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *line, const char *format, ...)
{
  const size_t used = strlen(line);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line + used, LINE_SIZE - used, format, arguments);
  va_end(arguments);
}

static char *new_line(struct screen *screen)
{
  char *line = screen->line[screen->count < LINES_MOST ? screen->count++ : LINES_MOST - 1];
  *line = '\0';
  return line;
}

/* ---- the estimate ---- */

/* What is shown comes nearer to the newest estimate and never jumps to it; it is never less than what was run. */
static struct scaled settled(const struct live *live)
{
  const double now = scaled_ln(live->estimate), done = log((double)live->executions + 1);
  state.estimate = state.estimate > 0 ? state.estimate + SETTLES * (now - state.estimate) : now;
  state.estimate = fmax(state.estimate, done);
  const double bits = state.estimate / M_LN2;
  return scaled_make(exp2(bits - floor(bits)), (int64_t)floor(bits));
}

static bool has_estimate(const struct live *live)
{
  return scaled_compare(live->estimate, scaled_from_double(0)) > 0;
}

static void add_share(char *line, const struct live *live, bool bar)
{
  char all[COUNT_SIZE];
  const struct scaled estimate = settled(live);
  const double share = fmin(1, scaled_to_double(scaled_divide(scaled_from_double((double)live->executions), estimate)));
  const unsigned cells = (unsigned)(share * BAR_CELLS + 0.5);
  add(line, "   %.*f %% of about %s", share < 0.01 ? 3 : 0, 100 * share, format_estimate(estimate, all));
  if (bar)
    add(line, "  ");
  for (unsigned i = 0; bar && i < BAR_CELLS; i++)
    add(line, "%s", i < cells ? "█" : "░");
}

/* ---- who works elsewhere ---- */

static void add_others(char *line, const struct live_others *o)
{
  char count[COUNT_SIZE];
  add(line, "%u worker%s, %u unit%s out", o->workers, o->workers == 1 ? "" : "s", o->units, o->units == 1 ? "" : "s");
  for (unsigned i = 0; i < o->paces; i++)
    add(line, "%s%s", i ? " + " : ", ", format_count((uint64_t)(o->pace[i] + 0.5), count));
  if (o->paces)
    add(line, "%s/s", o->units > o->paces ? " + …" : "");
  if (o->lost + o->late)
    add(line, ", %s given again", format_count(o->lost + o->late, count));
}

/* ---- one line ---- */

static void compose_line(struct screen *screen, const struct live *live)
{
  char count[COUNT_SIZE], *line = new_line(screen);
  const double rate = live->elapsed > 0 ? (double)live->executions / live->elapsed : 0;
  add(line, "  %s", format_count(live->executions, count));
  if (live->total)
    add(line, " of %s", format_count(live->total, count));
  add(line, " executions   %s/s", format_count((uint64_t)rate, count));
  if (has_estimate(live))
    add_share(line, live, false);
  else if (live->estimating)
    add(line, "   of how many is not known yet");
  if (live->left >= 0)
    add(line, "   %.0f s left", live->left);
  if (live->others.shown) {
    add(line, "   ");
    add_others(line, &live->others);
  }
  if (live->remark)
    add(line, "   %s", live->remark);
  else
    add(line, "   %llu bug%s", (unsigned long long)live->bugs, live->bugs == 1 ? "" : "s");
}

/* ---- a screen ---- */

static void compose_title(struct screen *screen, const struct live *live)
{
  char seconds[COUNT_SIZE], *line = new_line(screen);
  add(line, "%s   %s", live->search->title, format_seconds(now_seconds() - live->search->started, seconds));
  if (live->search->limit > 0)
    add(line, " of %s", format_seconds(live->search->limit, seconds));
}

static void compose_executions(struct screen *screen, const struct live *live)
{
  char count[COUNT_SIZE], *line = new_line(screen);
  const double rate = live->elapsed > 0 ? (double)live->executions / live->elapsed : 0;
  add(line, "  executions  %s", format_count(live->search->executions + live->executions, count));
  add(line, "   %s/s", format_count((uint64_t)rate, count));
  if (live->threads)
    add(line, "   %llu thread%s", (unsigned long long)live->threads, live->threads == 1 ? "" : "s");
  if (live->steps)
    add(line, ", %s step%s at most", format_count(live->steps, count), live->steps == 1 ? "" : "s");
}

static void compose_mode(struct screen *screen, const struct live *live)
{
  char count[COUNT_SIZE], *line = new_line(screen);
  add(line, "  now         %s", live->mode);
  if (has_estimate(live))
    add_share(line, live, true);
  else if (live->estimating)
    add(line, ", how many is not known yet");
  else if (live->total)
    add(line, ", %s in all", format_count(live->total, count));
  if (live->asking > 0)
    add(line, "; %s to find out what to run", format_seconds(live->asking, count));
}

static void compose_others(struct screen *screen, const struct live *live)
{
  char *line = new_line(screen);
  add(line, "  elsewhere   ");
  add_others(line, &live->others);
}

static void compose_strategies(struct screen *screen, const struct live *live)
{
  const struct live_search *s = live->search;
  char *line = new_line(screen);
  const char *comma = "";
  add(line, "  found by    ");
  for (unsigned i = 0; i < STRATEGY_COUNT; i++)
    if (s->tried[i]) {
      add(line, "%s%s %u", comma, name_of(s, i), s->found[i]);
      comma = ", ";
    }
}

static void compose_coverage(struct screen *screen, const struct live *live)
{
  char count[COUNT_SIZE], *line = new_line(screen);
  const struct live_coverage *c = &live->coverage;
  add(line, "  coverage    points %s", format_count(c->points, count));
  add(line, ", conflicts %s", format_count(c->pairs, count));
  add(line, ", in both orders %s", format_count(c->both, count));
  add(line, "; nothing new for %s executions",
      format_count(live->executions > c->newest ? live->executions - c->newest : 0, count));
}

static void compose_bugs(struct screen *screen, const struct live *live)
{
  const struct live_search *s = live->search;
  char *line = new_line(screen);
  add(line, "  bugs        %zu", s->keys);
  const char *comma = ": ";
  for (unsigned i = 0; i < BUG_KIND_COUNT; i++)
    if (s->kind[i]) {
      add(line, "%s%s %u", comma, bug_kind_name[i], s->kind[i]);
      comma = ", ";
    }
}

static void compose_screen(struct screen *screen, const struct live *live)
{
  compose_title(screen, live);
  compose_executions(screen, live);
  compose_mode(screen, live);
  if (live->others.shown)
    compose_others(screen, live);
  compose_strategies(screen, live);
  if (live->coverage.points)
    compose_coverage(screen, live);
  compose_bugs(screen, live);
}

/* ---- drawing ---- */

/* Cuts behind so many columns, and shows that; what is printed here is one column wide. */
static void cut(char line[LINE_SIZE], unsigned columns)
{
  char *last = line;
  for (char *c = line; *c; c++) {
    if (((unsigned char)*c & 0xc0) == 0x80)
      continue;
    if (!columns--) {
      snprintf(last, (size_t)(line + LINE_SIZE - last), "…");
      return;
    }
    if ((unsigned char)*c < ' ') /* names may hold anything */
      *c = '?';
    last = c;
  }
}

static bool is_due(void)
{
  return state.allowed && now_seconds() - state.drawn >= 0.1;
}

static void show(struct screen *screen, unsigned columns)
{
  live_erase();
  state.drawn = now_seconds();
  state.shown = screen->count;
  for (unsigned i = 0; i < screen->count; i++) {
    cut(screen->line[i], columns > 1 ? columns - 1u : 79);
    fprintf(stderr, "%s%s", i ? "\n" : "", screen->line[i]);
  }
  fflush(stderr);
}

void live_draw(const struct live *live)
{
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  struct screen screen = {.count = 0};
  if (!is_due())
    return;
  if (!has_estimate(live))
    state.estimate = 0;
  ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
  if (live->search && size.ws_row >= ROWS_NEEDED)
    compose_screen(&screen, live);
  else
    compose_line(&screen, live);
  show(&screen, size.ws_col);
}

void live_line(const char *text)
{
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  struct screen screen = {.count = 0};
  if (!is_due())
    return;
  ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
  add(new_line(&screen), "  %s", text);
  show(&screen, size.ws_col);
}

void live_erase(void)
{
  if (!state.shown)
    return;
  fputs("\r", stderr);
  if (state.shown > 1)
    fprintf(stderr, "\033[%uA", state.shown - 1);
  fputs("\033[J", stderr);
  state.shown = 0;
  fflush(stderr);
}
