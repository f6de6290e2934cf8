/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes, numbers as text and private memory, without libc. (Our own memcpy is a hook; see strings.c.)
 */
#ifndef HEDDLE_RUNTIME_UTIL_H
#define HEDDLE_RUNTIME_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static inline void copy_bytes(void *to, const void *from, size_t n)
{
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void fill_bytes(void *to, int byte, size_t n)
{
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}

size_t text_length(const char *s);
int text_compare(const char *a, const char *b);
/* Always terminates; returns the length written. Knows %s %d %u %lu %ld %zu %x %lx %c %%. */
size_t format_text(char *out, size_t size, const char *format, va_list args);
size_t print_text(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Zeroed memory of the runtime's own: never snapshotted, never freed. Address space only until touched. */
void *private_memory(size_t size);
#define PRIVATE_ADDRESS UINT64_C(0x280000000000)
#define PRIVATE_SIZE (UINT64_C(1) << 40)

#endif
