/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_HEAP_H
#define HEDDLE_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL for absurd sizes, and beyond the limit that the program has set itself. align is a power of two. pc: where the
 * program asked for it. */
void *heap_allocate(size_t size, size_t align, bool zero, uintptr_t pc);
/* Declares a bug for a second free or a wrong address. */
void heap_free(void *p, uintptr_t pc);
/* malloc.c: whether memory comes from our heap now; malloc() and free() on behalf of that place. */
bool malloc_is_ours(void);
void *malloc_for(size_t size, uintptr_t pc);
void malloc_free(void *p, uintptr_t pc);
size_t heap_size(const void *p);
/* Whether memory that the thread allocates may have that address. */
bool heap_is_of(unsigned thread, uintptr_t addr);

/* The program may have no more than that (RLIMIT_DATA, RLIMIT_AS); UINT64_MAX: as much as heddle lets it have. */
void heap_set_limit(uint64_t bytes);
/* Whether so much more is within it. */
bool heap_has_room(uint64_t bytes);

/* What may be other than at the snapshot, of the heap and of what is known of it. */
void heap_each_part(void (*visit)(uintptr_t start, size_t size));

/* The end of the initial thread's stack (snapshot.c). */
uintptr_t main_stack_top(void);

#endif
