/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of exploration traces, see the header. The text may be anything: cut short, edited, or no trace at
 * all. */
#include "estimate/events.h"
#include "file/bad_line.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_MOST (1L << 40) /* no search is as large; sums of so many stay exact */

void events_init(struct events *e, FILE *in, const char *name)
{
  *e = (struct events){.in = in, .name = name};
}

void events_free(struct events *e)
{
  free(e->text);
  *e = (struct events){0};
}

bool events_fail(struct events *e, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  bad_line(&(struct bad_line){e->error, sizeof e->error, e->name, e->line}, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- one line ---- */

/* Takes a word off the text; NULL when it does not start with it. */
static const char *take_word(const char *text, const char *word)
{
  size_t length = strlen(word);
  if (strncmp(text, word, length) != 0 || (text[length] && text[length] != ' '))
    return NULL;
  return text + length + strspn(text + length, " ");
}

static const char *take_node(const char *text, uint64_t *node)
{
  const char *c = text;
  for (*node = 0; isdigit((unsigned char)*c); c++) {
    uint64_t digit = (uint64_t)(*c - '0');
    if (*node > (UINT64_MAX - digit) / 10)
      return NULL;
    *node = *node * 10 + digit;
  }
  if (c == text || (*c && *c != ' '))
    return NULL;
  return c + strspn(c, " ");
}

static const char *take_time(const char *text, double *time)
{
  char *end;
  if (!isdigit((unsigned char)*text) && *text != '.')
    return NULL;
  *time = strtod(text, &end);
  return end == text || !isfinite(*time) ? NULL : end;
}

/* Two numbers: a double that is not negative, and the power of two it is multiplied with. */
static bool take_size(const char *text, struct scaled *size)
{
  double mantissa;
  char *end;
  const char *rest = take_time(text, &mantissa);
  if (!rest || *rest != ' ')
    return false;
  errno = 0;
  long exponent = strtol(rest + 1, &end, 10);
  if (end == rest + 1 || *end || errno || exponent > EXPONENT_MOST || exponent < -EXPONENT_MOST)
    return false;
  *size = scaled_make(mantissa, exponent);
  return true;
}

/* Reads a line that has the right words; false when it has not. */
static bool parse(const char *line, struct exploration_event *event)
{
  const char *rest;
  *event = (struct exploration_event){0};
  if ((rest = take_word(line, "AddNode"))) {
    event->kind = EVENT_ADD_NODE;
    rest = take_node(rest, &event->node);
    event->root = rest && !strcmp(rest, "-");
    return rest && (event->root || ((rest = take_node(rest, &event->parent)) && !*rest));
  }
  if ((rest = take_word(line, "Transition"))) {
    event->kind = EVENT_TRANSITION;
    return (rest = take_node(rest, &event->node)) && !*rest;
  }
  if ((rest = take_word(line, "Explore"))) {
    event->kind = EVENT_EXPLORE;
    return (rest = take_node(rest, &event->node)) && !*rest;
  }
  if ((rest = take_word(line, "Drop"))) {
    event->kind = EVENT_DROP;
    return (rest = take_node(rest, &event->node)) && !*rest;
  }
  if ((rest = take_word(line, "End"))) {
    event->kind = EVENT_END;
    return (rest = take_time(rest, &event->time)) && !*rest;
  }
  if ((rest = take_word(line, "Probe"))) {
    event->kind = EVENT_PROBE;
    return take_size(rest, &event->size);
  }
  event->kind = EVENT_START;
  return (rest = take_word(line, "Start")) && !*rest;
}

/* ---- the file ---- */

static enum events_result bad(struct events *e, const char *why)
{
  events_fail(e, "%s", why);
  return EVENTS_BAD;
}

static enum events_result first_is_bad(struct events *e)
{
  char why[128];
  if (is_of_another_version(e->text, strlen(e->text), EXPLORATION_TRACE_HEADER, why, sizeof why))
    events_fail(e, "%s", why);
  else
    events_fail(e, "this is not an exploration trace (\"%s\")", show(e->text).text);
  return EVENTS_BAD;
}

/* Reads a line into e->text, without its end. */
static enum events_result read_line(struct events *e)
{
  bool whole = true;
  ssize_t length = input_line(&e->text, &e->room, e->in, &whole);
  if (length < 0 && feof(e->in))
    return EVENTS_OVER;
  e->line++;
  if (length < 0)
    return bad(e, "the file cannot be read");
  if (strlen(e->text) != (size_t)length)
    return bad(e, "this is not an exploration trace (a zero byte)");
  if (!whole)
    return bad(e, "this is not an exploration trace (a line without end)");
  if (e->text[length - 1] != '\n')
    return bad(e, "the file is cut short: the last line does not end");
  e->text[length - 1] = '\0';
  return EVENTS_ONE;
}

/* Traces of all versions so far are read. */
static bool is_headed(const char *line)
{
  static const char *const headers[] = {EXPLORATION_TRACE_HEADER, "heddle exploration trace 2",
                                        "heddle exploration trace 1"};
  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
    if (!strcmp(line, headers[i]))
      return true;
  return false;
}

enum events_result events_next(struct events *e, struct exploration_event *event)
{
  enum events_result result = read_line(e);
  if (result == EVENTS_ONE && e->line == 1 && is_headed(e->text))
    result = read_line(e);
  if (result != EVENTS_ONE || parse(e->text, event))
    return result;
  if (e->line == 1)
    return first_is_bad(e);
  events_fail(e, "this is not an event of an exploration trace: \"%s\"", show(e->text).text);
  return EVENTS_BAD;
}
