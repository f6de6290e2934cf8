/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the C library that read or write memory for the program: mem*, str*. Called from the program's own
 * code they are range accesses; called by libraries or by the runtime they are only forwarded.
 */
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/util.h"
#include <string.h>
#include <wchar.h>

/* Newer clang calls these instead; nothing else is known of them, so plain declarations do. */
__asm__(".globl __tsan_memcpy, __tsan_memmove, __tsan_memset\n"
        ".set __tsan_memcpy, memcpy\n.set __tsan_memmove, memmove\n.set __tsan_memset, memset");

static inline bool hooked(uintptr_t pc)
{
  return unlikely(hd_self != NULL) && in_program(pc);
}

static inline void reads(const void *addr, size_t size, uintptr_t pc)
{
  memory_range(addr, size, OP_READ, pc);
}

static inline void writes(void *addr, size_t size, uintptr_t pc)
{
  memory_range(addr, size, OP_WRITE, pc);
}

EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  if (hooked(CALLER())) {
    reads(from, n, CALLER());
    writes(to, n, CALLER());
  }
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
  if (hooked(CALLER())) {
    reads(from, n, CALLER());
    writes(to, n, CALLER());
  }
  return move(to, from, n);
}

EXPORT void *memset(void *to, int byte, size_t n)
{
  if (hooked(CALLER()))
    writes(to, n, CALLER());
  fill_bytes(to, byte, n);
  return to;
}

EXPORT int memcmp(const void *a, const void *b, size_t n)
{
  if (hooked(CALLER())) {
    reads(a, n, CALLER());
    reads(b, n, CALLER());
  }
  return REAL(memcmp)(a, b, n);
}

EXPORT void *memchr(const void *s, int byte, size_t n)
{
  if (hooked(CALLER()))
    reads(s, n, CALLER());
  return REAL(memchr)(s, byte, n);
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

EXPORT size_t strnlen(const char *s, size_t most)
{
  size_t n = REAL(strnlen)(s, most);
  if (hooked(CALLER()))
    reads(s, n < most ? n + 1 : n, CALLER());
  return REAL(strnlen)(s, most);
}

EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
  if (hooked(CALLER())) {
    reads(from, REAL(strlen)(from) + 1, CALLER());
    writes(to, REAL(strlen)(from) + 1, CALLER());
  }
  copy_bytes(to, from, REAL(strlen)(from) + 1);
  return to;
}

EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
  if (hooked(CALLER())) {
    reads(from, REAL(strlen)(from) + 1, CALLER());
    writes(to, REAL(strlen)(from) + 1, CALLER());
  }
  size_t n = REAL(strlen)(from);
  copy_bytes(to, from, n + 1);
  return to + n;
}

EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
  if (hooked(CALLER())) {
    size_t length = REAL(strnlen)(from, n);
    reads(from, length < n ? length + 1 : n, CALLER());
    writes(to, n, CALLER());
  }
  return REAL(strncpy)(to, from, n);
}

EXPORT char *strcat(char *restrict to, const char *restrict from)
{
  if (hooked(CALLER())) {
    reads(to, REAL(strlen)(to) + 1, CALLER());
    reads(from, REAL(strlen)(from) + 1, CALLER());
    writes(to + REAL(strlen)(to), REAL(strlen)(from) + 1, CALLER());
  }
  return REAL(strcat)(to, from);
}

EXPORT int strcmp(const char *a, const char *b)
{
  if (hooked(CALLER())) {
    reads(a, REAL(strlen)(a) + 1, CALLER());
    reads(b, REAL(strlen)(b) + 1, CALLER());
  }
  return text_compare(a, b);
}

EXPORT int strncmp(const char *a, const char *b, size_t n)
{
  if (hooked(CALLER())) {
    size_t la = REAL(strnlen)(a, n), lb = REAL(strnlen)(b, n);
    reads(a, la < n ? la + 1 : n, CALLER());
    reads(b, lb < n ? lb + 1 : n, CALLER());
  }
  return REAL(strncmp)(a, b, n);
}

/* The C++ library declares these twice, for const and not; in C one of each is enough. */
EXPORT char *strchr(const char *s, int c)
{
  if (hooked(CALLER()))
    reads(s, REAL(strlen)(s) + 1, CALLER());
  return REAL(strchr)(s, c);
}

EXPORT char *strrchr(const char *s, int c)
{
  if (hooked(CALLER()))
    reads(s, REAL(strlen)(s) + 1, CALLER());
  return REAL(strrchr)(s, c);
}

EXPORT char *strstr(const char *s, const char *part)
{
  if (hooked(CALLER())) {
    reads(s, REAL(strlen)(s) + 1, CALLER());
    reads(part, REAL(strlen)(part) + 1, CALLER());
  }
  return REAL(strstr)(s, part);
}
