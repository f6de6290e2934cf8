/* SPDX-License-Identifier: Apache-2.0
 *
 * The scanf family. Which of its targets are written is known only afterwards, and a stream may make it wait; so it
 * scans into memory of ours, and then each value is written where the program wants it, at a step of its own
 * (announce.h). Texts, which can be of any length, are allocated by scanf for this.
 */
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/formats.h"
#include "worlds/threads/libc/streams.h"
#include "worlds/threads/memory/heap.h"
#include <stdlib.h>

#define FORMAT_BYTES 2048 /* of a format that is understood */

typedef int scanner(const void *source, const void *format, va_list args);

union slot {
  long word;
  long double number;
  void *text;
};

/* The arguments of a call, all of them pointers, as the ABI passes those that do not fit into registers. */
static int call_with(scanner *scan, const void *source, const void *format, void **pointers)
{
  va_list args;
  args->gp_offset = 6 * 8;
  args->fp_offset = 6 * 8 + 8 * 16;
  args->overflow_arg_area = pointers;
  args->reg_save_area = NULL;
  return scan(source, format, args);
}

static void store(const struct conversion *c, void *target, const union slot *slot, uintptr_t pc)
{
  const void *from = c->text && !c->allocates ? slot->text : slot;
  size_t size = c->allocates ? sizeof(void *) : c->size;
  if (c->exact && !c->allocates)
    size *= (size_t)c->most;
  else if (c->text && !c->allocates)
    size = text_bytes(from, UNBOUNDED, c->size);
  writes(target, size, pc);
  copy_bytes(target, from, size);
}

static bool is_stored(const struct conversion *c, const union slot *slot, int *left)
{
  if (!c->counts)
    return (*left)-- > 0;
  return c->size == 1 ? (int8_t)slot->word != -1 : c->size == 2 ? (int16_t)slot->word != -1 : (int)slot->word != -1;
}

static int scan_into(scanner *scan, const void *source, const void *format, size_t unit, bool old, va_list args,
                     uintptr_t pc)
{
  struct format f;
  _Alignas(wchar_t) char allocating[FORMAT_BYTES];
  reads_text(format, UNBOUNDED, unit, pc);
  parse_scanf(&f, format, unit, old, allocating, sizeof allocating / unit);
  if (!f.understood) {
    lose(LOST_CALLS);
    return scan(source, format, args);
  }
  union slot slot[FORMAT_ARGUMENTS];
  void *pointer[FORMAT_ARGUMENTS], *target[FORMAT_ARGUMENTS];
  for (unsigned i = 0; i < f.arguments; i++) {
    target[i] = va_arg(args, void *);
    pointer[i] = &slot[i];
    slot[i].word = 0;
  }
  for (unsigned i = 0; i < f.conversions; i++)
    if (f.conversion[i].counts)
      slot[f.conversion[i].argument].word = -1;
  int n = call_with(scan, source, allocating, pointer), left = n;
  for (unsigned i = 0; i < f.conversions; i++) {
    const struct conversion *c = &f.conversion[i];
    union slot *from = &slot[c->argument];
    if (is_stored(c, from, &left))
      store(c, target[c->argument], from, pc);
    if (c->text && !c->allocates)
      malloc_free(from->text, pc);
  }
  return n;
}

/* A function of the family, with arguments of its own and with a list of them. */
#define SCANS(name, list_name, parameters, arguments, scan, source, old, ...)                                          \
  SHADOW(int, list_name, (UNWRAP parameters, va_list args));                                                           \
  EXPORT int libc_##list_name(UNWRAP parameters, va_list args)                                                         \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    STREAM_USE use = {0};                                                                                              \
    if (!hooked(pc))                                                                                                   \
      return LIBC(list_name) arguments;                                                                                \
    __VA_ARGS__;                                                                                                       \
    return scan_into((scanner *)LIBC(scan), source, format, sizeof *format, old, args, pc);                            \
  }                                                                                                                    \
  SHADOW(int, name, (UNWRAP parameters, ...));                                                                         \
  EXPORT int libc_##name(UNWRAP parameters, ...)                                                                       \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    int n;                                                                                                             \
    STREAM_USE use = {0};                                                                                              \
    if (hooked(pc)) {                                                                                                  \
      __VA_ARGS__;                                                                                                     \
      n = scan_into((scanner *)LIBC(scan), source, format, sizeof *format, old, args, pc);                             \
    } else {                                                                                                           \
      n = LIBC(list_name) arguments;                                                                                   \
    }                                                                                                                  \
    va_end(args);                                                                                                      \
    return n;                                                                                                          \
  }

/* prefix: what headers of some standard put before the name. */
#define FAMILY(prefix, old)                                                                                            \
  SCANS(prefix##fscanf, prefix##vfscanf, (FILE * file, const char *format), (file, format, args), prefix##vfscanf,     \
        file, old, use = stream_used(file, pc))                                                                        \
  SCANS(prefix##scanf, prefix##vscanf, (const char *format), (format, args), prefix##vfscanf, stdin, old,              \
        use = stream_used(stdin, pc))                                                                                  \
  SCANS(prefix##sscanf, prefix##vsscanf, (const char *text, const char *format), (text, format, args),                 \
        prefix##vsscanf, text, old, reads_text(text, UNBOUNDED, sizeof *text, pc))                                     \
  SCANS(prefix##fwscanf, prefix##vfwscanf, (FILE * file, const wchar_t *format), (file, format, args),                 \
        prefix##vfwscanf, file, old, use = stream_used(file, pc))                                                      \
  SCANS(prefix##wscanf, prefix##vwscanf, (const wchar_t *format), (format, args), prefix##vfwscanf, stdin, old,        \
        use = stream_used(stdin, pc))                                                                                  \
  SCANS(prefix##swscanf, prefix##vswscanf, (const wchar_t *text, const wchar_t *format), (text, format, args),         \
        prefix##vswscanf, text, old, reads_text(text, UNBOUNDED, sizeof *text, pc))

FAMILY(, true)
FAMILY(__isoc99_, false)
FAMILY(__isoc23_, false)
