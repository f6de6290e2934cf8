/* SPDX-License-Identifier: Apache-2.0
 *
 * What keys do to the stepper; see the header. Draws nothing.
 */
#include "report/stepper/stepper.h"

#include "report/story/terminal_text.h"
#include <ctype.h>
#include <string.h>

#define MEASURED 4096 /* events whose columns are looked at: a screen must come at once */

static size_t end_of(const struct stepper *s)
{
  return s->story->events ? s->story->event_count : 0;
}

void stepper_open(struct stepper *s, const struct story *story, const char *title)
{
  *s = (struct stepper){.story = story, .title = title, .only = STEPPER_ALL};
  s->columns = (struct trace_columns){.phrase = TRACE_PHRASE, .in_words = true};
  const size_t count = end_of(s);
  trace_measure(story, story->events, count < MEASURED ? count : MEASURED, false, &s->columns);
}

bool stepper_shows(const struct stepper *s, size_t item)
{
  return item >= end_of(s) || s->only == STEPPER_ALL || s->story->events[item].thread == s->only;
}

/* ---- moves ---- */

static bool is_switch(const struct stepper *s, size_t item)
{
  return item >= end_of(s) || s->story->events[item].switched;
}

/* Goes to the next item that is shown (and a switch), if there is one. */
static bool forward(struct stepper *s, bool to_switch)
{
  for (size_t i = s->at + 1; i <= end_of(s); i++)
    if (stepper_shows(s, i) && (!to_switch || is_switch(s, i))) {
      s->at = i;
      return true;
    }
  return false;
}

static bool backward(struct stepper *s, bool to_switch)
{
  for (size_t i = s->at; i-- > 0;)
    if (stepper_shows(s, i) && (!to_switch || is_switch(s, i))) {
      s->at = i;
      return true;
    }
  return false;
}

static void to_first(struct stepper *s)
{
  s->at = 0;
  if (!stepper_shows(s, 0))
    forward(s, false);
}

static void note_end(struct stepper *s, bool moved, const char *text)
{
  if (!moved)
    snprintf(s->message, sizeof s->message, "%s", text);
}

/* ---- the filter ---- */

static bool has_steps(const struct stepper *s, uint32_t thread)
{
  for (size_t i = 0; i < end_of(s); i++)
    if (s->story->events[i].thread == thread)
      return true;
  return false;
}

/* All, then each thread that does something, then all again. */
static void next_filter(struct stepper *s)
{
  uint32_t thread = s->only == STEPPER_ALL ? 0 : s->only + 1;
  while (thread < s->story->thread_count && !has_steps(s, thread))
    thread++;
  s->only = thread < s->story->thread_count ? thread : STEPPER_ALL;
  if (!stepper_shows(s, s->at) && !backward(s, false))
    forward(s, false);
}

/* ---- search ---- */

static bool matches(const struct stepper *s, size_t item)
{
  struct trace_line line;
  char text[sizeof line];
  if (item >= end_of(s) || !stepper_shows(s, item))
    return false;
  trace_line_fill(s->story, &s->story->events[item], false, &line);
  snprintf(text, sizeof text, "%s %s %s %s %s", line.thread, line.place, line.phrase, line.object, line.result);
  return strcasestr(text, s->search) != NULL;
}

static void find(struct stepper *s)
{
  const size_t items = end_of(s) + 1;
  for (size_t n = 1; n <= items; n++) {
    const size_t item = (s->at + n) % items;
    if (!matches(s, item))
      continue;
    if (item <= s->at)
      snprintf(s->message, sizeof s->message, "from the beginning again");
    s->at = item;
    return;
  }
  snprintf(s->message, sizeof s->message, "no step has \"%s\"", s->search);
}

static void type(struct stepper *s, int key)
{
  size_t length = strlen(s->search);
  if (key == KEY_ESCAPE) {
    s->typing = false;
  } else if (key == KEY_ENTER) {
    s->typing = false;
    if (s->search[0])
      find(s);
  } else if (key == KEY_BACKSPACE) {
    while (length && ((unsigned char)s->search[--length] & 0xc0) == 0x80)
      ;
    s->search[length] = '\0';
  } else if (key < 0x100 && !iscntrl(key) && length + 1 < sizeof s->search) {
    s->search[length] = (char)key;
    s->search[length + 1] = '\0';
  }
}

/* ---- all keys ---- */

static void move_page(struct stepper *s, unsigned page, bool (*move)(struct stepper *, bool), const char *end)
{
  bool moved = move(s, false);
  note_end(s, moved, end);
  for (unsigned i = 1; moved && i < page; i++)
    moved = move(s, false);
}

/* False: the key moves nothing. */
static bool move_key(struct stepper *s, int key, unsigned page)
{
  switch (key) {
  case 'j':
  case KEY_DOWN:
  case KEY_ENTER:
    move_page(s, 1, forward, "this is the end");
    return true;
  case 'k':
  case KEY_UP:
    move_page(s, 1, backward, "this is the first step");
    return true;
  case ' ':
  case KEY_PAGE_DOWN:
    move_page(s, page, forward, "this is the end");
    return true;
  case 'b':
  case KEY_PAGE_UP:
    move_page(s, page, backward, "this is the first step");
    return true;
  case 'n':
    note_end(s, forward(s, true), "no context switch comes after this");
    return true;
  case 'p':
    note_end(s, backward(s, true), "no context switch comes before this");
    return true;
  case 'g':
  case KEY_HOME:
    to_first(s);
    return true;
  case 'G':
  case KEY_END:
    s->at = end_of(s);
    return true;
  default:
    return false;
  }
}

static void other_key(struct stepper *s, int key)
{
  switch (key) {
  case 't':
    next_filter(s);
    break;
  case '/':
    s->typing = true;
    s->search[0] = '\0';
    break;
  case 'N':
    if (s->search[0])
      find(s);
    break;
  case '?':
  case 'h':
    s->helping = true;
    break;
  default:
    snprintf(s->message, sizeof s->message, "? shows the keys");
  }
}

bool stepper_key(struct stepper *s, int key, unsigned page)
{
  s->message[0] = '\0';
  if (s->typing) {
    type(s, key);
    return true;
  }
  if (s->helping) {
    s->helping = false;
    return key != 'q';
  }
  if (key == 'q')
    return false;
  if (!move_key(s, key, page))
    other_key(s, key);
  return true;
}
