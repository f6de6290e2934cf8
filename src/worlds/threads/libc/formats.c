/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of printf and scanf, read as far as needed to know which arguments are pointers, and to
 * what. */
#include "worlds/threads/libc/formats.h"
#include <string.h>
#include <wchar.h>

struct reader {
  const void *text;
  size_t unit, at;
  /* scanf: where it is copied to */
  void *out;
  size_t room, used;
};

static wchar_t peek(const struct reader *r)
{
  return r->unit == 1 ? ((const unsigned char *)r->text)[r->at] : ((const wchar_t *)r->text)[r->at];
}

static void put(struct reader *r, wchar_t c)
{
  if (r->used < r->room && r->unit == 1)
    ((char *)r->out)[r->used] = (char)c;
  else if (r->used < r->room)
    ((wchar_t *)r->out)[r->used] = c;
  r->used++;
}

static wchar_t take(struct reader *r)
{
  wchar_t c = peek(r);
  put(r, c);
  r->at++;
  return c;
}

static bool accept(struct reader *r, wchar_t c)
{
  if (peek(r) != c)
    return false;
  take(r);
  return true;
}

/* A decimal number; -1: there is none. */
static int number(struct reader *r)
{
  int n = -1;
  while (peek(r) >= '0' && peek(r) <= '9') {
    int digit = (int)take(r) - '0';
    n = n < 0 ? digit : n > 100000000 ? n : n * 10 + digit;
  }
  return n;
}

/* "2$": the place of an argument, counted from 0; -1: none is named. */
static int place(struct reader *r)
{
  struct reader before = *r;
  int n = number(r);
  if (n > 0 && accept(r, '$'))
    return n - 1;
  *r = before;
  return -1;
}

/* The length of a value; 0: not named. */
enum length { LENGTH_NONE, LENGTH_CHAR, LENGTH_SHORT, LENGTH_LONG, LENGTH_LONG_DOUBLE };

static enum length length(struct reader *r)
{
  if (accept(r, 'h'))
    return accept(r, 'h') ? LENGTH_CHAR : LENGTH_SHORT;
  if (accept(r, 'l'))
    return accept(r, 'l') ? LENGTH_LONG_DOUBLE : LENGTH_LONG; /* ll and L are the same */
  if (accept(r, 'L') || accept(r, 'q'))
    return LENGTH_LONG_DOUBLE;
  return accept(r, 'j') || accept(r, 'z') || accept(r, 'Z') || accept(r, 't') ? LENGTH_LONG : LENGTH_NONE;
}

static uint8_t size_of_integer(enum length l)
{
  static const uint8_t size[] = {sizeof(int), sizeof(char), sizeof(short), sizeof(long), sizeof(long long)};
  return size[l];
}

static bool is_one_of(wchar_t c, const char *set)
{
  for (; *set; set++)
    if (c == *set)
      return true;
  return false;
}

/* The argument that is named, or the next one; -1: more than can be listed. */
static int argument(struct format *f, int named, unsigned *next, enum argument_class class)
{
  unsigned i = named >= 0 ? (unsigned)named : (*next)++;
  if (i >= FORMAT_ARGUMENTS) {
    f->understood = false;
    return -1;
  }
  f->class[i] = class;
  if (i >= f->arguments)
    f->arguments = i + 1;
  return (int)i;
}

static struct conversion *add(struct format *f, int at)
{
  if (at < 0 || f->conversions == FORMAT_ARGUMENTS) {
    f->understood = false;
    return NULL;
  }
  struct conversion *c = &f->conversion[f->conversions++];
  *c = (struct conversion){.argument = (uint8_t)at, .most = -1, .limit_at = -1};
  return c;
}

/* ---- printf ---- */

static void print_one(struct format *f, struct reader *r, unsigned *next)
{
  int named = place(r), most = -1, limit_at = -1;
  while (is_one_of(peek(r), "-+ #0'I"))
    take(r);
  if (accept(r, '*'))
    argument(f, place(r), next, ARGUMENT_WORD);
  else
    number(r);
  if (accept(r, '.')) {
    if (accept(r, '*')) {
      limit_at = argument(f, place(r), next, ARGUMENT_WORD);
    } else {
      most = number(r);
      most = most < 0 ? 0 : most;
    }
  }
  enum length l = length(r);
  wchar_t kind = take(r);
  if (kind == '%' || kind == 'm')
    return;
  if (is_one_of(kind, "eEfFgGaA")) {
    argument(f, named, next, l == LENGTH_LONG_DOUBLE ? ARGUMENT_LONG_DOUBLE : ARGUMENT_DOUBLE);
    return;
  }
  if (!is_one_of(kind, "diouxXbBcCpsSn")) {
    f->understood = false;
    return;
  }
  int at = argument(f, named, next, ARGUMENT_WORD);
  struct conversion *c = is_one_of(kind, "sSn") ? add(f, at) : NULL;
  if (!c)
    return;
  c->counts = kind == 'n';
  c->text = !c->counts;
  c->size = c->counts ? size_of_integer(l) : kind == 'S' || l == LENGTH_LONG ? sizeof(wchar_t) : 1;
  c->most = most;
  c->limit_at = limit_at;
}

static void begin(struct format *f)
{
  memset(f->class, 0, sizeof f->class);
  f->conversions = f->arguments = 0;
  f->understood = true;
}

void parse_printf(struct format *f, const void *format, size_t unit)
{
  struct reader r = {.text = format, .unit = unit};
  unsigned next = 0;
  begin(f);
  while (f->understood && peek(&r))
    if (take(&r) == '%')
      print_one(f, &r, &next);
}

/* ---- scanf ---- */

/* After '[': up to the ']' that ends it. */
static void pass_set(struct reader *r)
{
  accept(r, '^');
  accept(r, ']');
  while (peek(r) && take(r) != ']') {
  }
}

static uint8_t size_of_float(enum length l)
{
  return l == LENGTH_LONG_DOUBLE ? 10 : l == LENGTH_LONG ? sizeof(double) : sizeof(float);
}

static void scan_one(struct format *f, struct reader *r, unsigned *next, bool old)
{
  int named = place(r);
  bool ignored = false;
  while (is_one_of(peek(r), "*'I"))
    ignored |= take(r) == '*';
  int width = number(r);
  size_t before = r->used; /* where an 'm' belongs */
  bool allocates = accept(r, 'm');
  if (old && peek(r) == 'a') {
    struct reader ahead = *r;
    take(&ahead);
    allocates = is_one_of(peek(&ahead), "sS[");
    if (allocates)
      *r = ahead;
  }
  enum length l = length(r);
  wchar_t kind = take(r);
  bool text = is_one_of(kind, "sScC[");
  if (kind == '[')
    pass_set(r);
  if (kind == '%' || ignored)
    return;
  if (!text && !is_one_of(kind, "diouxXbpneEfFgGaA")) {
    f->understood = false;
    return;
  }
  struct conversion *c = add(f, argument(f, named, next, ARGUMENT_WORD));
  if (!c)
    return;
  c->text = text;
  c->counts = kind == 'n';
  c->allocates = allocates;
  c->exact = is_one_of(kind, "cC");
  c->most = c->exact && width < 0 ? 1 : width;
  if (text)
    c->size = is_one_of(kind, "SC") || l == LENGTH_LONG ? sizeof(wchar_t) : 1;
  else
    c->size = kind == 'p' ? sizeof(void *) : is_one_of(kind, "eEfFgGaA") ? size_of_float(l) : size_of_integer(l);
  if (!text || allocates)
    return;
  put(r, 0); /* room for one more */
  if (r->used > r->room)
    return;
  char *at = (char *)r->out + before * r->unit;
  memmove(at + r->unit, at, (r->used - 1 - before) * r->unit);
  if (r->unit == 1)
    *at = 'm';
  else
    *(wchar_t *)at = 'm';
}

void parse_scanf(struct format *f, const void *format, size_t unit, bool old, void *out, size_t room)
{
  struct reader r = {.text = format, .unit = unit, .out = out, .room = room};
  unsigned next = 0;
  begin(f);
  while (f->understood && peek(&r))
    if (take(&r) == '%')
      scan_one(f, &r, &next, old);
  put(&r, 0);
  f->understood &= r.used <= r.room;
}
