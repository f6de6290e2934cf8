/* SPDX-License-Identifier: Apache-2.0
 *
 * The printf family: the texts that a format names are read, the counts of %n are written, and so is the memory that is
 * printed to (announce.h).
 */
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/formats.h"
#include "worlds/threads/libc/streams.h"

#define WIDE_TRIAL 512 /* characters that are tried out, where the length is not told otherwise */

/* The arguments that are words; others are passed over. */
static void take_arguments(const struct format *f, va_list args, long *value)
{
  va_list rest;
  va_copy(rest, args);
  for (unsigned i = 0; i < f->arguments; i++)
    if (f->class[i] == ARGUMENT_DOUBLE)
      (void)va_arg(rest, double);
    else if (f->class[i] == ARGUMENT_LONG_DOUBLE)
      (void)va_arg(rest, long double);
    else
      value[i] = va_arg(rest, long);
  va_end(rest);
}

static void announce_conversion(const struct conversion *c, const long *value, uintptr_t pc)
{
  const void *at = (const void *)value[c->argument];
  int most = c->limit_at < 0 ? c->most : (int)value[c->limit_at];
  if (!at)
    return;
  if (c->text)
    reads_text(at, most < 0 ? UNBOUNDED : (size_t)most, c->size, pc);
  else
    writes(at, c->size, pc);
}

static void announce_arguments(const void *format, size_t unit, va_list args, uintptr_t pc)
{
  struct format f;
  long value[FORMAT_ARGUMENTS];
  reads_text(format, UNBOUNDED, unit, pc);
  parse_printf(&f, format, unit);
  if (!f.understood)
    lose(LOST_CALLS);
  take_arguments(&f, args, value);
  for (unsigned i = 0; i < f.conversions; i++)
    announce_conversion(&f.conversion[i], value, pc);
}

/* What is printed into room of n characters, with its end. */
static void announce_text(char *to, size_t n, const char *format, va_list args, uintptr_t pc)
{
  va_list again;
  va_copy(again, args);
  int length = REAL(vsnprintf)(NULL, 0, format, again);
  va_end(again);
  if (length >= 0 && n)
    writes(to, (size_t)length < n ? (size_t)length + 1 : n, pc);
}

static void announce_wide_text(wchar_t *to, size_t n, const wchar_t *format, va_list args, uintptr_t pc)
{
  wchar_t trial[WIDE_TRIAL];
  va_list again;
  va_copy(again, args);
  int length = REAL(vswprintf)(trial, WIDE_TRIAL, format, again);
  va_end(again);
  if (n)
    writes(to, (length >= 0 && (size_t)length < n ? (size_t)length + 1 : n) * sizeof *to, pc);
}

/* A function of the family, with arguments of its own and with a list of them; what it announces beside the
 * arguments. */
#define PRINTS(name, list_name, parameters, arguments, ...)                                                            \
  SHADOW(int, list_name, (UNWRAP parameters, va_list args));                                                           \
  EXPORT int libc_##list_name(UNWRAP parameters, va_list args)                                                         \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    STREAM_USE use = {0};                                                                                              \
    if (hooked(pc)) {                                                                                                  \
      announce_arguments(format, sizeof *format, args, pc);                                                            \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
    return LIBC(list_name) arguments;                                                                                  \
  }                                                                                                                    \
  SHADOW(int, name, (UNWRAP parameters, ...));                                                                         \
  EXPORT int libc_##name(UNWRAP parameters, ...)                                                                       \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    STREAM_USE use = {0};                                                                                              \
    if (hooked(pc)) {                                                                                                  \
      announce_arguments(format, sizeof *format, args, pc);                                                            \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
    int result = LIBC(list_name) arguments;                                                                            \
    va_end(args);                                                                                                      \
    return result;                                                                                                     \
  }

#define ON_STREAM(file) use = stream_used(file, pc)

PRINTS(printf, vprintf, (const char *format), (format, args), ON_STREAM(stdout))
PRINTS(fprintf, vfprintf, (FILE * file, const char *format), (file, format, args), ON_STREAM(file))
PRINTS(dprintf, vdprintf, (int fd, const char *format), (fd, format, args), )
PRINTS(sprintf, vsprintf, (char *to, const char *format), (to, format, args),
       announce_text(to, UNBOUNDED, format, args, pc))
PRINTS(snprintf, vsnprintf, (char *to, size_t n, const char *format), (to, n, format, args),
       announce_text(to, n, format, args, pc))
PRINTS(asprintf, vasprintf, (char **to, const char *format), (to, format, args), writes(to, sizeof *to, pc))
PRINTS(wprintf, vwprintf, (const wchar_t *format), (format, args), ON_STREAM(stdout))
PRINTS(fwprintf, vfwprintf, (FILE * file, const wchar_t *format), (file, format, args), ON_STREAM(file))
PRINTS(swprintf, vswprintf, (wchar_t * to, size_t n, const wchar_t *format), (to, n, format, args),
       announce_wide_text(to, n, format, args, pc))

/* What -D_FORTIFY_SOURCE makes of them. */
PRINTS(__printf_chk, __vprintf_chk, (int flag, const char *format), (flag, format, args), ON_STREAM(stdout))
PRINTS(__fprintf_chk, __vfprintf_chk, (FILE * file, int flag, const char *format), (file, flag, format, args),
       ON_STREAM(file))
PRINTS(__dprintf_chk, __vdprintf_chk, (int fd, int flag, const char *format), (fd, flag, format, args), )
PRINTS(__sprintf_chk, __vsprintf_chk, (char *to, int flag, size_t room, const char *format),
       (to, flag, room, format, args), announce_text(to, UNBOUNDED, format, args, pc))
PRINTS(__snprintf_chk, __vsnprintf_chk, (char *to, size_t n, int flag, size_t room, const char *format),
       (to, n, flag, room, format, args), announce_text(to, n, format, args, pc))
PRINTS(__asprintf_chk, __vasprintf_chk, (char **to, int flag, const char *format), (to, flag, format, args),
       writes(to, sizeof *to, pc))
PRINTS(__wprintf_chk, __vwprintf_chk, (int flag, const wchar_t *format), (flag, format, args), ON_STREAM(stdout))
PRINTS(__fwprintf_chk, __vfwprintf_chk, (FILE * file, int flag, const wchar_t *format), (file, flag, format, args),
       ON_STREAM(file))
PRINTS(__swprintf_chk, __vswprintf_chk, (wchar_t * to, size_t n, int flag, size_t room, const wchar_t *format),
       (to, n, flag, room, format, args), announce_wide_text(to, n, format, args, pc))
