/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files, line by line; see order_file.h.
 */
#include "language/order_file.h"
#include "core/without_libc.h"

struct order_lines {
  char *at;     /* in the line */
  char *begin;  /* of the line */
  char *behind; /* the end of the line before, where the schedule before this line ends */
  unsigned line;
  struct order_file *out;
  struct order_error *error;
  bool failed;
};

/* ---- words ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool is_over(char c)
{
  return !c || c == '\n' || c == '#';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(struct order_lines *l)
{
  while (is_blank(*l->at))
    l->at++;
}

static size_t name_length(const char *at, bool dotted)
{
  size_t n = 0;
  while (is_letter(at[n]) || (n && (is_digit(at[n]) || (dotted && at[n] == '.'))))
    n++;
  return n;
}

static size_t word_length(const char *at)
{
  size_t n = 0;
  while (!is_over(at[n]) && !is_blank(at[n]))
    n++;
  return n;
}

static void complain(struct order_lines *l, const char *at, const char *why)
{
  if (l->failed)
    return;
  l->failed = true;
  l->error->line = l->line;
  l->error->column = (unsigned)(at - l->begin) + 1;
  print_text(l->error->text, sizeof l->error->text, "%s", why);
}

static void wanted(struct order_lines *l, const char *what)
{
  char found[48], why[160];
  const size_t length = word_length(l->at), shown = length < sizeof found - 1 ? length : sizeof found - 1;
  copy_bytes(found, l->at, shown);
  found[shown] = 0;
  print_text(why, sizeof why, length ? "expected %s, found `%s`" : "expected %s, found the end of the line", what,
             found);
  complain(l, l->at, why);
}

/* ---- the beginning of a schedule ---- */

/* "schedule NAME", whatever follows; an ordering may begin with an event of that name, but not with two names. */
static bool begins_schedule(const struct order_lines *l, enum order_kind *kind, size_t *length)
{
  static const char *const words[] = {[ORDER_SCHEDULE] = "schedule", [ORDER_PIN] = "pin", [ORDER_FORMULA] = "formula"};
  for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
    const size_t n = text_length(words[i]);
    size_t k = 0;
    while (k < n && l->at[k] == words[i][k])
      k++;
    if (k < n || !is_blank(l->at[n]))
      continue;
    while (is_blank(l->at[k]))
      k++;
    if (!is_letter(l->at[k]))
      continue;
    *kind = (enum order_kind)i;
    *length = k;
    return true;
  }
  return false;
}

static void check_name(struct order_lines *l, const char *name)
{
  const struct order_file *out = l->out;
  if (text_length(name) >= ORDERING_NAME)
    complain(l, name, "this name is too long");
  for (unsigned i = 0; i + 1 < out->schedules; i++)
    if (!text_compare(out->schedule[i].name, name))
      complain(l, name, "there is another schedule of that name");
}

static void take_schedule(struct order_lines *l, enum order_kind kind, size_t to_name)
{
  l->at += to_name;
  char *name = l->at;
  const size_t length = name_length(name, false);
  if (l->out->schedules == ORDERINGS_MOST) {
    complain(l, l->begin, "there are more than 16 schedules");
    return;
  }
  l->at += length;
  skip_blanks(l);
  if (*l->at != ':') {
    wanted(l, "`:` after the name of the schedule");
    return;
  }
  l->at++;
  name[length] = 0;
  l->out->schedule[l->out->schedules++] = (struct order_entry){
      .name = name, .text = l->at, .kind = kind, .line = l->line, .column = (unsigned)(l->at - l->begin) + 1};
  check_name(l, name);
}

/* ---- places ---- */

/* The colon of "FILE:LINE", NULL: the line begins with something else. */
static char *colon_of_place(const struct order_lines *l)
{
  size_t n = word_length(l->at), k = n;
  while (k && is_digit(l->at[k - 1]))
    k--;
  return k < n && k > 1 && l->at[k - 1] == ':' ? l->at + k - 1 : NULL;
}

static unsigned line_number(struct order_lines *l, const char *digits)
{
  unsigned number = 0;
  for (const char *d = digits; is_digit(*d); d++)
    number = number < 10000000 ? 10 * number + (unsigned)(*d - '0') : number;
  if (!number || number >= 10000000)
    complain(l, digits, "there is no such line: they count from 1");
  return number;
}

static void take_place(struct order_lines *l, char *colon)
{
  struct order_place place = {.file = l->at, .line = line_number(l, colon + 1), .from = l->line};
  *colon = 0;
  for (l->at = colon + 1; is_digit(*l->at);)
    l->at++;
  skip_blanks(l);
  const size_t length = name_length(l->at, true);
  char *event = l->at;
  if (!length) {
    wanted(l, "the name of an event after the line");
    return;
  }
  l->at += length;
  skip_blanks(l);
  if (!is_over(*l->at))
    wanted(l, "the end of the line: a place has one event, and no thread");
  if (length >= ORDERING_NAME)
    complain(l, event, "this name is too long");
  if (l->out->places == ORDER_PLACES)
    complain(l, l->begin, "there are more than 64 places");
  if (l->failed)
    return;
  place.event = event;
  l->out->place[l->out->places++] = place;
}

/* ---- lines ---- */

/* The text of the schedule before this line ends there. */
static void end_schedule(const struct order_lines *l)
{
  if (l->behind)
    *l->behind = 0;
}

static void take_line(struct order_lines *l, bool *in_schedule)
{
  enum order_kind kind;
  size_t to_name;
  skip_blanks(l);
  char *colon = colon_of_place(l);
  if (is_over(*l->at))
    return;
  if (begins_schedule(l, &kind, &to_name)) {
    end_schedule(l);
    take_schedule(l, kind, to_name);
    *in_schedule = true;
  } else if (colon) {
    end_schedule(l);
    take_place(l, colon);
    *in_schedule = false;
  } else if (!*in_schedule) {
    wanted(l, "`schedule NAME:`, `pin NAME:`, `formula NAME:` or `FILE:LINE EVENT`");
  }
}

static bool check_schedules(const struct order_file *file, struct order_error *error)
{
  static struct ordering ordering; /* is large, and nobody reads two files at once */
  for (unsigned i = 0; i < file->schedules; i++) {
    const struct order_entry *e = &file->schedule[i];
    if (order_read(e->kind, e->text, &ordering, error))
      continue;
    error->column += error->line == 1 ? e->column - 1 : 0;
    error->line += e->line - 1;
    return false;
  }
  return true;
}

bool order_file_read(char *text, struct order_file *out, struct order_error *error)
{
  struct order_lines l = {.at = text, .begin = text, .line = 1, .out = out, .error = error};
  bool in_schedule = false;
  fill_bytes(out, 0, sizeof *out);
  for (;;) {
    take_line(&l, &in_schedule);
    while (*l.at && *l.at != '\n')
      l.at++;
    if (l.failed || !*l.at)
      break;
    l.behind = l.at;
    l.begin = ++l.at;
    l.line++;
  }
  for (unsigned i = 0; i < out->places; i++) { /* not before: the end of a line may be that of a name */
    char *end = (char *)out->place[i].event + name_length(out->place[i].event, true);
    *end = 0;
  }
  return !l.failed && check_schedules(out, error);
}
