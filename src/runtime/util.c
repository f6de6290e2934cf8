/* SPDX-License-Identifier: Apache-2.0
 *
 * See util.h.
 */
#include "runtime/next_symbol.h"
#include "runtime/util.h"
#include "runtime/runtime.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

long raw_syscall(long number, long a, long b, long c, long d, long e, long f);

long sys_array(long number, const long arg[6])
{
  return raw_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

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

void *private_memory(size_t size)
{
  static uintptr_t next;
  if (!next) {
    long got = sys(SYS_mmap, PRIVATE_ADDRESS, PRIVATE_SIZE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != (long)PRIVATE_ADDRESS)
      return NULL;
    next = PRIVATE_ADDRESS;
  }
  void *p = (void *)next;
  next += (size + 4095) & ~UINT64_C(4095);
  return next <= PRIVATE_ADDRESS + PRIVATE_SIZE ? p : NULL;
}

void *optional_symbol(const char *name)
{
  return find_symbol(RTLD_NEXT, name);
}

void *real_symbol(const char *name)
{
  void *symbol = find_symbol(RTLD_NEXT, name);
  if (!symbol)
    fail(0, "the C library has no %s", name);
  return symbol;
}
