/* SPDX-License-Identifier: Apache-2.0
 *
 * The malloc family. In a session memory comes from our heap (heap.c), otherwise from libc's. A block goes back to
 * where it came from, whatever the state is by then.
 */
#include "core/without_libc.h"
#include "worlds/threads/memory/heap.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/unsafe_calls.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

bool malloc_is_ours(void)
{
  return hd_own.session && (!hd_own.embedded || hd_self);
}

static void *out_of_memory(void)
{
  errno = ENOMEM;
  return NULL;
}

static void *allocate(size_t size, size_t align, bool zero, uintptr_t pc)
{
  unsafe_call(UNSAFE_HEAP, 0, "malloc", pc);
  void *p = heap_allocate(size, align, zero, pc);
  return p ? p : out_of_memory();
}

void *malloc_for(size_t size, uintptr_t pc)
{
  return malloc_is_ours() ? allocate(size, 16, false, pc) : __libc_malloc(size);
}

EXPORT void *malloc(size_t size)
{
  return malloc_for(size, CALLER());
}

EXPORT void *calloc(size_t n, size_t size)
{
  if (!malloc_is_ours())
    return __libc_calloc(n, size);
  size_t total;
  if (__builtin_mul_overflow(n, size, &total))
    return out_of_memory();
  return allocate(total, 16, true, CALLER());
}

static bool on_own_stack(uintptr_t addr)
{
  const struct fiber *f = self_thread()->fiber;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0),
            top = hd_own.main_strings ? hd_own.main_strings : main_stack_top();
  return f->stack_low ? addr >= (uintptr_t)f->stack_low && addr < (uintptr_t)f->stack_high : addr >= here && addr < top;
}

void malloc_free(void *p, uintptr_t pc)
{
  if (!p)
    return;
  unsafe_call(UNSAFE_HEAP, 0, "free", pc);
  if (heap_contains((uintptr_t)p))
    heap_free(p, pc);
  else if (hd_self && (in_static_data((uintptr_t)p) || on_own_stack((uintptr_t)p)))
    bug_here(BUG_MEMORY, (uintptr_t)p, pc, "free of an address that is not from the heap");
  else
    __libc_free(p);
}

EXPORT void free(void *p)
{
  malloc_free(p, CALLER());
}

static void *resize(void *p, size_t size, uintptr_t pc)
{
  if (p && !heap_contains((uintptr_t)p))
    return __libc_realloc(p, size);
  if (!p)
    return malloc_for(size, pc);
  struct block_info block;
  if (!heap_find((uintptr_t)p, &block) || block.freed || block.start != (uintptr_t)p) {
    heap_free(p, pc); /* tells what is wrong */
    return NULL;
  }
  if (size == 0) {
    heap_free(p, pc);
    return NULL;
  }
  void *q = allocate(size, 16, false, pc);
  if (!q)
    return NULL;
  copy_bytes(q, p, block.size < size ? block.size : size);
  heap_free(p, pc);
  return q;
}

EXPORT void *realloc(void *p, size_t size)
{
  return resize(p, size, CALLER());
}

EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
  size_t total;
  if (__builtin_mul_overflow(n, size, &total))
    return out_of_memory();
  return resize(p, total, CALLER());
}

static void *aligned(size_t align, size_t size, uintptr_t pc)
{
  if (!malloc_is_ours())
    return __libc_memalign(align, size);
  if (align > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return NULL;
  }
  size_t power = 16;
  while (power < align)
    power <<= 1;
  return allocate(size, power, false, pc);
}

EXPORT void *memalign(size_t align, size_t size)
{
  return aligned(align, size, CALLER());
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
  return aligned(align, size, CALLER());
}

EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
  if (align % sizeof(void *) || align & (align - 1) || !align)
    return EINVAL;
  int saved = errno;
  void *p = aligned(align, size, CALLER());
  errno = saved;
  if (!p)
    return ENOMEM;
  *out = p;
  return 0;
}

EXPORT void *valloc(size_t size)
{
  return aligned(4096, size, CALLER());
}

EXPORT void *pvalloc(size_t size)
{
  return aligned(4096, (size + 4095) & ~(size_t)4095, CALLER());
}

EXPORT size_t malloc_usable_size(void *p)
{
  if (!p)
    return 0;
  return heap_contains((uintptr_t)p) ? heap_size(p) : REAL(malloc_usable_size)(p);
}
