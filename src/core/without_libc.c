/* SPDX-License-Identifier: Apache-2.0
 *
 * See without_libc.h.
 */
#include "core/without_libc.h"
#include <stdbool.h>
#include <stdint.h>

size_t text_length(const char *s)
{
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

int text_compare(const char *a, const char *b)
{
  while (*a && *a == *b)
    a++, b++;
  return (unsigned char)*a - (unsigned char)*b;
}

struct sink {
  char *out;
  size_t size, at;
};

static void put(struct sink *s, char c)
{
  if (s->at + 1 < s->size)
    s->out[s->at++] = c;
}

static void put_number(struct sink *s, uint64_t value, unsigned base)
{
  char digits[24];
  int n = 0;
  do
    digits[n++] = "0123456789abcdef"[value % base];
  while (value /= base);
  while (n)
    put(s, digits[--n]);
}

static void put_signed(struct sink *s, int64_t value)
{
  if (value < 0)
    put(s, '-');
  put_number(s, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

size_t format_text(char *out, size_t size, const char *format, va_list args)
{
  struct sink s = {out, size, 0};
  for (; *format; format++) {
    if (*format != '%') {
      put(&s, *format);
      continue;
    }
    bool wide = false;
    for (format++; *format == 'l' || *format == 'z'; format++)
      wide = true;
    switch (*format) {
    case 's':
      for (const char *t = va_arg(args, const char *); *t; t++)
        put(&s, *t);
      break;
    case 'c':
      put(&s, (char)va_arg(args, int));
      break;
    case 'd':
      put_signed(&s, wide ? va_arg(args, long) : va_arg(args, int));
      break;
    case 'u':
    case 'x':
      put_number(&s, wide ? va_arg(args, unsigned long) : va_arg(args, unsigned), *format == 'u' ? 10 : 16);
      break;
    default:
      put(&s, *format);
    }
  }
  if (size)
    out[s.at] = 0;
  return s.at;
}

size_t print_text(char *out, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  size_t n = format_text(out, size, format, args);
  va_end(args);
  return n;
}
