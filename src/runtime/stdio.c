/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of stdio. Calls on one stream exclude each other by its lock, which is libc's own; but their order matters, so to
 * the search each is an atomic access of the stream. Not for standard output and error, which nobody reads back; but for
 * the locks that a program takes itself, which protect what it likes. Of these also what they order is taken note of.
 */
#define __NO_INLINE__ /* else <stdio.h> defines getline itself, by __getdelim; so programs may call either */
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

static struct vclock *clock_of(FILE *file)
{
  return &object_at(file, OBJECT_MEMORY, NULL)->clock;
}

static inline void touches(FILE *file, uintptr_t pc)
{
  memory_access(file, 8, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
}

EXPORT void flockfile(FILE *file)
{
  if (hd_self)
    touches(file, CALLER());
  REAL(flockfile)(file);
  if (hd_self)
    acquire_from(clock_of(file));
}

EXPORT int ftrylockfile(FILE *file)
{
  if (hd_self)
    touches(file, CALLER());
  int result = REAL(ftrylockfile)(file);
  if (hd_self && !result)
    acquire_from(clock_of(file));
  return result;
}

EXPORT void funlockfile(FILE *file)
{
  if (hd_self) {
    touches(file, CALLER());
    release_to(clock_of(file));
  }
  REAL(funlockfile)(file);
}

/* ---- calls on a stream ---- */

static inline void uses(FILE *file, uintptr_t pc)
{
  if (unlikely(hd_self != NULL) && file && file != stdout && file != stderr && in_program(pc))
    touches(file, pc);
}

#define CALL(type, name, parameters, arguments)                                                              \
  EXPORT type name parameters                                                                                \
  {                                                                                                          \
    uses(file, CALLER());                                                                                    \
    return REAL(name) arguments;                                                                             \
  }

#undef putc
#undef getc
CALL(int, fputc, (int c, FILE *file), (c, file))
CALL(int, putc, (int c, FILE *file), (c, file))
CALL(int, fputs, (const char *text, FILE *file), (text, file))
CALL(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file))
CALL(int, fgetc, (FILE *file), (file))
CALL(int, getc, (FILE *file), (file))
CALL(char *, fgets, (char *to, int size, FILE *file), (to, size, file))
CALL(size_t, fread, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file))
CALL(int, ungetc, (int c, FILE *file), (c, file))
CALL(int, fseek, (FILE *file, long offset, int from), (file, offset, from))
CALL(int, fseeko, (FILE *file, off_t offset, int from), (file, offset, from))
CALL(int, fseeko64, (FILE *file, off64_t offset, int from), (file, offset, from))
CALL(long, ftell, (FILE *file), (file))
CALL(off_t, ftello, (FILE *file), (file))
CALL(off64_t, ftello64, (FILE *file), (file))
CALL(int, fclose, (FILE *file), (file))
CALL(int, vfprintf, (FILE *file, const char *format, va_list args), (file, format, args))
CALL(ssize_t, getline, (char **line, size_t *size, FILE *file), (line, size, file))
CALL(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *file), (line, size, end, file))
CALL(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *file), (line, size, end, file))

/* What -D_FORTIFY_SOURCE makes of them. */
char *__fgets_chk(char *to, size_t room, int size, FILE *file);
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *file);
CALL(char *, __fgets_chk, (char *to, size_t room, int size, FILE *file), (to, room, size, file))
CALL(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t n, FILE *file), (to, room, size, n, file))
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args);
CALL(int, __vfprintf_chk, (FILE *file, int flag, const char *format, va_list args), (file, flag, format, args))

EXPORT void rewind(FILE *file)
{
  uses(file, CALLER());
  REAL(rewind)(file);
}

EXPORT int fflush(FILE *file)
{
  uses(file, CALLER());
  return REAL(fflush)(file);
}

EXPORT int fprintf(FILE *file, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  uses(file, CALLER());
  int n = REAL(vfprintf)(file, format, args);
  va_end(args);
  return n;
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...);
EXPORT int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  uses(file, CALLER());
  int n = REAL(__vfprintf_chk)(file, flag, format, args);
  va_end(args);
  return n;
}
