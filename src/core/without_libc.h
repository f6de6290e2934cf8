/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes, and numbers as text, without libc: for code that runs in the tested process, whose memcpy is a
 * hook. */
#ifndef HEDDLE_CORE_WITHOUT_LIBC_H
#define HEDDLE_CORE_WITHOUT_LIBC_H

#include <stdarg.h>
#include <stddef.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) /* which would not see it */
static inline void copy_bytes(void *to, const void *from, size_t n)
{
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void fill_bytes(void *to, int byte, size_t n)
{
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}
#else /* where there is no runtime yet (docs/aarch64.md) */
static inline void copy_bytes(void *to, const void *from, size_t n)
{
  __builtin_memcpy(to, from, n);
}

static inline void fill_bytes(void *to, int byte, size_t n)
{
  __builtin_memset(to, byte, n);
}
#endif

size_t text_length(const char *s);
int text_compare(const char *a, const char *b);
/* Always terminates; returns the length written. Knows %s %d %u %lu %ld %zu %x %lx %c %%. */
size_t format_text(char *out, size_t size, const char *format, va_list args);
size_t print_text(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
