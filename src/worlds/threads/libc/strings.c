/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the C library that copy, compare and search memory: mem*, str*, wcs*
 * (announce.h). */
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/heap.h"
#include <ctype.h>
#include <wctype.h>

/* Newer clang calls these instead; nothing else is known of them, so plain declarations do. */
__asm__(".globl __tsan_memcpy, __tsan_memmove, __tsan_memset\n"
        ".set __tsan_memcpy, memcpy\n.set __tsan_memmove, memmove\n.set __tsan_memset, memset");

/* ---- memory ---- */

static inline void copies(void *to, const void *from, size_t n, uintptr_t pc)
{
  reads(from, n, pc);
  writes(to, n, pc);
}

EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  if (hooked(CALLER()))
    copies(to, from, n, CALLER());
  copy_bytes(to, from, n);
  return to;
}

static void *move(void *to, const void *from, size_t n)
{
  if ((uintptr_t)to - (uintptr_t)from >= n) {
    copy_bytes(to, from, n);
  } else {
    unsigned char *t = to;
    const unsigned char *f = from;
    while (n--)
      t[n] = f[n];
  }
  return to;
}

EXPORT void *memmove(void *to, const void *from, size_t n)
{
  if (hooked(CALLER()))
    copies(to, from, n, CALLER());
  return move(to, from, n);
}

EXPORT void *memset(void *to, int byte, size_t n)
{
  if (hooked(CALLER()))
    writes(to, n, CALLER());
  fill_bytes(to, byte, n);
  return to;
}

/* The bytes up to what is searched for, or all. */
static inline size_t up_to(const void *found, const void *s, size_t unit, size_t all)
{
  return found ? (size_t)((const char *)found - (const char *)s) + unit : all;
}

static inline void compares(const void *a, const void *b, size_t n, uintptr_t pc)
{
  reads(a, n, pc);
  reads(b, n, pc);
}

SHADOWS(void *, __memcpy_chk, (void *to, const void *from, size_t n, size_t room), (to, from, n, room),
        copies(to, from, n, pc))
SHADOWS(void *, __memmove_chk, (void *to, const void *from, size_t n, size_t room), (to, from, n, room),
        copies(to, from, n, pc))
SHADOWS(void *, __memset_chk, (void *to, int byte, size_t n, size_t room), (to, byte, n, room), writes(to, n, pc))
SHADOWS_CHECKED(void *, mempcpy, (void *to, const void *from, size_t n), (to, from, n), copies(to, from, n, pc))
SHADOWS(void *, __mempcpy, (void *to, const void *from, size_t n), (to, from, n), copies(to, from, n, pc))
SHADOWS(void, bcopy, (const void *from, void *to, size_t n), (from, to, n), copies(to, from, n, pc))
SHADOWS(void, swab, (const void *from, void *to, ssize_t n), (from, to, n),
        if (n > 0) copies(to, from, (size_t)n & ~(size_t)1, pc))
SHADOWS(void, bzero, (void *to, size_t n), (to, n), writes(to, n, pc))
SHADOWS_CHECKED(void, explicit_bzero, (void *to, size_t n), (to, n), writes(to, n, pc))
SHADOWS(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), compares(a, b, n, pc))
SHADOWS(int, bcmp, (const void *a, const void *b, size_t n), (a, b, n), compares(a, b, n, pc))
SHADOWS(void *, memchr, (const void *s, int byte, size_t n), (s, byte, n),
        reads(s, up_to(LIBC(memchr)(s, byte, n), s, 1, n), pc))
SHADOWS(void *, memrchr, (const void *s, int byte, size_t n), (s, byte, n), reads(s, n, pc))
SHADOWS(void *, rawmemchr, (const void *s, int byte), (s, byte), reads(s, up_to(LIBC(rawmemchr)(s, byte), s, 1, 0), pc))
SHADOWS(void *, memmem, (const void *s, size_t n, const void *part, size_t size), (s, n, part, size), reads(s, n, pc);
        reads(part, size, pc))
SHADOWS(void *, memccpy, (void *to, const void *from, int byte, size_t n), (to, from, byte, n),
        copies(to, from, up_to(LIBC(memchr)(from, byte, n), from, 1, n), pc))

/* ---- text ---- */

static void copies_text(void *to, const void *from, size_t unit, uintptr_t pc)
{
  reads_text(from, UNBOUNDED, unit, pc);
  writes(to, text_bytes(from, UNBOUNDED, unit), pc);
}

/* To room of n units, the rest of which is filled. */
static void fills(void *to, const void *from, size_t n, size_t unit, uintptr_t pc)
{
  reads_text(from, n, unit, pc);
  writes(to, n * unit, pc);
}

/* At most n units, and an end. */
static void appends(void *to, const void *from, size_t n, size_t unit, uintptr_t pc)
{
  reads_text(to, UNBOUNDED, unit, pc);
  reads_text(from, n, unit, pc);
  char *end = (char *)to + text_units(to, UNBOUNDED, unit) * unit;
  writes(end, (text_units(from, n, unit) + 1) * unit, pc);
}

static inline wint_t unit_at(const void *s, size_t i, size_t unit, bool folded)
{
  wint_t c = unit == 1 ? ((const unsigned char *)s)[i] : (wint_t)((const wchar_t *)s)[i];
  if (!folded)
    return c;
  return unit == 1 ? (wint_t)tolower((int)c) : towlower(c);
}

/* Two texts up to where they differ. */
static void compares_text(const void *a, const void *b, size_t most, size_t unit, bool folded, uintptr_t pc)
{
  size_t n = 0;
  while (n < most && unit_at(a, n, unit, folded) == unit_at(b, n, unit, folded) && unit_at(a, n, unit, false))
    n++;
  compares(a, b, (n < most ? n + 1 : n) * unit, pc);
}

static void reads_both(const void *a, const void *b, size_t unit, uintptr_t pc)
{
  reads_text(a, UNBOUNDED, unit, pc);
  reads_text(b, UNBOUNDED, unit, pc);
}

/* A text that is searched for what is found there, and the text that says what. */
static void searches(const void *s, const void *found, size_t unit, const void *by, uintptr_t pc)
{
  reads_text(by, UNBOUNDED, unit, pc);
  reads(s, up_to(found, s, unit, text_bytes(s, UNBOUNDED, unit)), pc);
}

void announce_token(char *s, char *rest, const char *by, uintptr_t pc)
{
  reads_text(by, UNBOUNDED, 1, pc);
  if (!s)
    s = rest;
  if (!s)
    return;
  size_t before = REAL(strspn)(s, by), n = REAL(strcspn)(s + before, by);
  reads(s, before + n + 1, pc);
  if (s[before + n])
    writes(s + before + n, 1, pc);
}

static void announce_token_and_rest(char *s, char **rest, const char *by, uintptr_t pc)
{
  if (!s)
    reads(rest, sizeof *rest, pc);
  announce_token(s, *rest, by, pc);
  writes(rest, sizeof *rest, pc);
}

static void announce_field(char **rest, const char *by, uintptr_t pc)
{
  reads(rest, sizeof *rest, pc);
  reads_text(by, UNBOUNDED, 1, pc);
  if (!*rest)
    return;
  char *end = *rest + REAL(strcspn)(*rest, by);
  reads(*rest, (size_t)(end - *rest) + 1, pc);
  if (*end)
    writes(end, 1, pc);
  writes(rest, sizeof *rest, pc);
}

static void announce_wide_token(wchar_t *s, wchar_t **rest, const wchar_t *by, uintptr_t pc)
{
  reads_text(by, UNBOUNDED, sizeof *by, pc);
  if (!s)
    reads(rest, sizeof *rest, pc);
  s = s ? s : *rest;
  if (s)
    writes(s, text_bytes(s, UNBOUNDED, sizeof *s), pc);
  writes(rest, sizeof *rest, pc);
}

EXPORT size_t strlen(const char *s)
{
  size_t n = REAL(strlen)(s);
  if (hooked(CALLER())) {
    reads(s, n + 1, CALLER());
    n = REAL(strlen)(s); /* others may have run meanwhile */
  }
  return n;
}

/* A copy in a block of its own, which is known by the call, not by where the library asks for memory. */
static void *duplicate(const void *s, size_t most, size_t unit, uintptr_t pc)
{
  reads_text(s, most, unit, pc);
  size_t bytes = text_units(s, most, unit) * unit;
  char *copy = malloc_for(bytes + unit, pc);
  if (copy) {
    copy_bytes(copy, s, bytes);
    fill_bytes(copy + bytes, 0, unit);
  }
  return copy;
}

#define DUPLICATES(T, name, parameters, arguments, most)                                                               \
  SHADOW(T *, name, parameters);                                                                                       \
  EXPORT T *libc_##name parameters                                                                                     \
  {                                                                                                                    \
    return hooked(CALLER()) ? duplicate(s, most, sizeof(T), CALLER()) : LIBC(name) arguments;                          \
  }

/* What there is for both kinds of text: T is the unit, and the names follow. */
#define TEXT_FUNCTIONS(T, LENGTH_MOST, COPY, COPY_END, COPY_MOST, COPY_MOST_END, APPEND, APPEND_MOST, COMPARE,         \
                       COMPARE_MOST, FOLD, FOLD_MOST, COLLATE, FIND, FIND_LAST, FIND_TEXT, SPAN, SPAN_NOT, FIND_ANY,   \
                       DUPLICATE)                                                                                      \
  SHADOWS(size_t, LENGTH_MOST, (const T *s, size_t most), (s, most), reads_text(s, most, sizeof(T), pc))               \
  SHADOWS_CHECKED(T *, COPY, (T * to, const T *from), (to, from), copies_text(to, from, sizeof(T), pc))                \
  SHADOWS_CHECKED(T *, COPY_END, (T * to, const T *from), (to, from), copies_text(to, from, sizeof(T), pc))            \
  SHADOWS_CHECKED(T *, COPY_MOST, (T * to, const T *from, size_t n), (to, from, n), fills(to, from, n, sizeof(T), pc)) \
  SHADOWS_CHECKED(T *, COPY_MOST_END, (T * to, const T *from, size_t n), (to, from, n),                                \
                  fills(to, from, n, sizeof(T), pc))                                                                   \
  SHADOWS_CHECKED(T *, APPEND, (T * to, const T *from), (to, from), appends(to, from, UNBOUNDED, sizeof(T), pc))       \
  SHADOWS_CHECKED(T *, APPEND_MOST, (T * to, const T *from, size_t n), (to, from, n),                                  \
                  appends(to, from, n, sizeof(T), pc))                                                                 \
  SHADOWS(int, COMPARE, (const T *a, const T *b), (a, b), compares_text(a, b, UNBOUNDED, sizeof(T), false, pc))        \
  SHADOWS(int, COMPARE_MOST, (const T *a, const T *b, size_t n), (a, b, n),                                            \
          compares_text(a, b, n, sizeof(T), false, pc))                                                                \
  SHADOWS(int, FOLD, (const T *a, const T *b), (a, b), compares_text(a, b, UNBOUNDED, sizeof(T), true, pc))            \
  SHADOWS(int, FOLD_MOST, (const T *a, const T *b, size_t n), (a, b, n), compares_text(a, b, n, sizeof(T), true, pc))  \
  SHADOWS(int, COLLATE, (const T *a, const T *b), (a, b), reads_both(a, b, sizeof(T), pc))                             \
  SHADOWS(T *, FIND_LAST, (const T *s, int c), (s, c), reads_text(s, UNBOUNDED, sizeof(T), pc))                        \
  SHADOWS(T *, FIND, (const T *s, int c), (s, c),                                                                      \
          reads(s, up_to(LIBC(FIND)(s, c), s, sizeof(T), text_bytes(s, UNBOUNDED, sizeof(T))), pc))                    \
  SHADOWS(T *, FIND_TEXT, (const T *s, const T *part), (s, part), {                                                    \
    const T *found = LIBC(FIND_TEXT)(s, part);                                                                         \
    searches(s, found ? found + text_units(part, UNBOUNDED, sizeof(T)) : NULL, sizeof(T), part, pc);                   \
  })                                                                                                                   \
  SHADOWS(size_t, SPAN, (const T *s, const T *by), (s, by), searches(s, s + LIBC(SPAN)(s, by), sizeof(T), by, pc))     \
  SHADOWS(size_t, SPAN_NOT, (const T *s, const T *by), (s, by),                                                        \
          searches(s, s + LIBC(SPAN_NOT)(s, by), sizeof(T), by, pc))                                                   \
  SHADOWS(T *, FIND_ANY, (const T *s, const T *by), (s, by), searches(s, LIBC(FIND_ANY)(s, by), sizeof(T), by, pc))    \
  DUPLICATES(T, DUPLICATE, (const T *s), (s), UNBOUNDED)

TEXT_FUNCTIONS(char, strnlen, strcpy, stpcpy, strncpy, stpncpy, strcat, strncat, strcmp, strncmp, strcasecmp,
               strncasecmp, strcoll, strchr, strrchr, strstr, strspn, strcspn, strpbrk, strdup)
TEXT_FUNCTIONS(wchar_t, wcsnlen, wcscpy, wcpcpy, wcsncpy, wcpncpy, wcscat, wcsncat, wcscmp, wcsncmp, wcscasecmp,
               wcsncasecmp, wcscoll, wcschr, wcsrchr, wcsstr, wcsspn, wcscspn, wcspbrk, wcsdup)

DUPLICATES(char, strndup, (const char *s, size_t n), (s, n), n)
DUPLICATES(char, __strdup, (const char *s), (s), UNBOUNDED)
DUPLICATES(char, __strndup, (const char *s, size_t n), (s, n), n)
SHADOWS(char *, __stpcpy, (char *to, const char *from), (to, from), copies_text(to, from, 1, pc))
SHADOWS(char *, index, (const char *s, int c), (s, c), reads_text(s, UNBOUNDED, 1, pc))
SHADOWS(char *, rindex, (const char *s, int c), (s, c), reads_text(s, UNBOUNDED, 1, pc))
SHADOWS(char *, strchrnul, (const char *s, int c), (s, c), reads(s, up_to(LIBC(strchrnul)(s, c), s, 1, 0), pc))
SHADOWS(char *, strcasestr, (const char *s, const char *part), (s, part), reads_both(s, part, 1, pc))
SHADOWS(int, strverscmp, (const char *a, const char *b), (a, b), reads_both(a, b, 1, pc))
SHADOWS(char *, strsep, (char **rest, const char *by), (rest, by), announce_field(rest, by, pc))
SHADOWS(char *, strtok_r, (char *s, const char *by, char **rest), (s, by, rest),
        announce_token_and_rest(s, rest, by, pc))
SHADOWS(char *, __strtok_r, (char *s, const char *by, char **rest), (s, by, rest),
        announce_token_and_rest(s, rest, by, pc))

/* What a text becomes in room of n units, if it has length units: cut short, with an end. */
static void writes_cut(void *to, size_t length, size_t n, size_t unit, uintptr_t pc)
{
  if (n)
    writes(to, (length < n ? length + 1 : n) * unit, pc);
}

SHADOWS(size_t, strxfrm, (char *to, const char *from, size_t n), (to, from, n), reads_text(from, UNBOUNDED, 1, pc);
        writes_cut(to, LIBC(strxfrm)(NULL, from, 0), n, 1, pc))
SHADOWS_CHECKED(size_t, strlcpy, (char *to, const char *from, size_t n), (to, from, n),
                reads_text(from, UNBOUNDED, 1, pc);
                writes_cut(to, text_units(from, UNBOUNDED, 1), n, 1, pc))
SHADOWS_CHECKED(size_t, strlcat, (char *to, const char *from, size_t n), (to, from, n), {
  reads_text(to, n, 1, pc);
  reads_text(from, UNBOUNDED, 1, pc);
  size_t before = text_units(to, n, 1);
  writes_cut(to + before, text_units(from, UNBOUNDED, 1), n - before, 1, pc);
})

/* ---- wide memory and text ---- */

SHADOWS(size_t, wcslen, (const wchar_t *s), (s), reads_text(s, UNBOUNDED, sizeof *s, pc))
SHADOWS_CHECKED(wchar_t *, wmemcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n),
                copies(to, from, n * sizeof *to, pc))
SHADOWS_CHECKED(wchar_t *, wmemmove, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n),
                copies(to, from, n * sizeof *to, pc))
SHADOWS_CHECKED(wchar_t *, wmempcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n),
                copies(to, from, n * sizeof *to, pc))
SHADOWS_CHECKED(wchar_t *, wmemset, (wchar_t * to, wchar_t c, size_t n), (to, c, n), writes(to, n * sizeof *to, pc))
SHADOWS(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), compares(a, b, n * sizeof *a, pc))
SHADOWS(wchar_t *, wmemchr, (const wchar_t *s, wchar_t c, size_t n), (s, c, n),
        reads(s, up_to(LIBC(wmemchr)(s, c, n), s, sizeof *s, n * sizeof *s), pc))
SHADOWS(wchar_t *, wcschrnul, (const wchar_t *s, wchar_t c), (s, c),
        reads(s, up_to(LIBC(wcschrnul)(s, c), s, sizeof *s, 0), pc))
SHADOWS(wchar_t *, wcstok, (wchar_t * s, const wchar_t *by, wchar_t **rest), (s, by, rest),
        announce_wide_token(s, rest, by, pc))

/* ---- text of bytes and of wide characters ---- */

SHADOWS(size_t, mbstowcs, (wchar_t * to, const char *from, size_t n), (to, from, n), reads_text(from, UNBOUNDED, 1, pc);
        if (to) writes_cut(to, LIBC(mbstowcs)(NULL, from, 0), n, sizeof *to, pc))
SHADOWS(size_t, __mbstowcs_chk, (wchar_t * to, const char *from, size_t n, size_t room), (to, from, n, room),
        reads_text(from, UNBOUNDED, 1, pc);
        if (to) writes_cut(to, LIBC(mbstowcs)(NULL, from, 0), n, sizeof *to, pc))
SHADOWS(size_t, wcstombs, (char *to, const wchar_t *from, size_t n), (to, from, n),
        reads_text(from, UNBOUNDED, sizeof *from, pc);
        if (to) writes_cut(to, LIBC(wcstombs)(NULL, from, 0), n, 1, pc))
SHADOWS(size_t, __wcstombs_chk, (char *to, const wchar_t *from, size_t n, size_t room), (to, from, n, room),
        reads_text(from, UNBOUNDED, sizeof *from, pc);
        if (to) writes_cut(to, LIBC(wcstombs)(NULL, from, 0), n, 1, pc))
