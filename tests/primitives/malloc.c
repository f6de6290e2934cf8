/* SPDX-License-Identifier: Apache-2.0
 *
 * The malloc family, and the errors that its checks find. Those of plain accesses need the memory hooks of the compiler.
 */
#include "case.h"
#include <malloc.h>
#include <stdint.h>

static void *volatile keep; /* so that the compiler cannot see through */
static volatile char sink;

/* The same for what it knows of these functions. */
static void *(*volatile malloc_)(size_t) = malloc;
static void *(*volatile calloc_)(size_t, size_t) = calloc;
static void *(*volatile realloc_)(void *, size_t) = realloc;
static void *(*volatile reallocarray_)(void *, size_t, size_t) = reallocarray;
static void *(*volatile memalign_)(size_t, size_t) = memalign;
static void *(*volatile aligned_alloc_)(size_t, size_t) = aligned_alloc;

static char *block(size_t size)
{
  keep = malloc(size);
  EXPECT(keep);
  SEE("malloc", "proceeds");
  return keep;
}

static void release(void *p)
{
  keep = p;
  free(keep);
  keep = NULL;
  SEE("free", "proceeds");
}

static bool aligned_to(const void *p, size_t alignment)
{
  return (uintptr_t)p % alignment == 0;
}

/* ---- what they return ---- */

CASE(malloc, sizes, proceeds)
{
  static const size_t sizes[] = {0, 1, 7, 16, 100, 1024, 1025, 5000, 100000, 300000, 10 << 20};
  for (size_t i = 0; i < LENGTH(sizes); i++) {
    char *p = block(sizes[i]);
    EXPECT(aligned_to(p, 16));
    memset(p, 1, sizes[i]);
    EXPECT(malloc_usable_size(p) >= sizes[i]);
    release(p);
  }
}

CASE(malloc, distinct, proceeds)
{
  char *a = block(0), *b = block(0), *c = block(32), *d = block(32);
  EXPECT(a != b && (c + 32 <= d || d + 32 <= c));
  release(a), release(b), release(c), release(d);
}

CASE(malloc, too_much, ENOMEM)
{
  errno = 0;
  EXPECT(malloc_(SIZE_MAX - 100) == NULL && errno == ENOMEM);
  EXPECT(malloc_(SIZE_MAX / 4) == NULL);
  SAW("ENOMEM");
}

CASE(malloc, never_the_leftovers_of_another_execution)
{
  unsigned char *p = (unsigned char *)block(64);
  unsigned sum = 0;
  for (int i = 0; i < 64; i++)
    sum += ((volatile unsigned char *)p)[i];
  SAME("fresh", "%u", sum);
  memset(p, 0x55, 64);
  release(p);
}

CASE(free, null, proceeds)
{
  free(NULL);
  SAW("proceeds");
}

static void *free_there(void *p)
{
  free(p);
  return NULL;
}

CASE(free, in_another_thread)
{
  finish(start(free_there, block(10)));
}

CASE(calloc, zeroed, proceeds)
{
  release(memset(block(160), 1, 160));
  char *p = calloc(10, 16);
  for (int i = 0; i < 160; i++)
    EXPECT(p[i] == 0);
  free(p);
  SAW("proceeds");
}

CASE(calloc, overflow, ENOMEM)
{
  errno = 0;
  EXPECT(calloc_(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
  SAW("ENOMEM");
}

CASE(realloc, grows_and_shrinks, proceeds)
{
  char *p = realloc(NULL, 10);
  memcpy(p, "123456789", 10);
  p = realloc(p, 100000);
  EXPECT(!strcmp(p, "123456789"));
  p = realloc(p, 5);
  EXPECT(!memcmp(p, "12345", 5));
  EXPECT(realloc(p, 0) == NULL);
  SAW("proceeds");
}

CASE(realloc, too_much, ENOMEM)
{
  char *p = block(10);
  p[0] = 7;
  errno = 0;
  EXPECT(realloc_(p, SIZE_MAX - 100) == NULL && errno == ENOMEM);
  EXPECT(p[0] == 7); /* the old block is as it was */
  SAW("ENOMEM");
  release(p);
}

CASE(reallocarray, and_overflow, proceeds, ENOMEM)
{
  char *p = reallocarray_(NULL, 3, 5);
  EXPECT(p && malloc_usable_size(p) >= 15);
  SAW("proceeds");
  errno = 0;
  EXPECT(reallocarray_(p, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
  SAW("ENOMEM");
  free(p);
}

CASE(posix_memalign, powers_of_two, proceeds, EINVAL, ENOMEM)
{
  void *p = NULL;
  for (size_t alignment = sizeof(void *); alignment <= 65536; alignment *= 2) {
    RETURNS(0, posix_memalign, &p, alignment, 100);
    EXPECT(aligned_to(p, alignment));
    free(p);
  }
  volatile size_t wrong[] = {0, 3, 4, 24, 100};
  for (size_t i = 0; i < LENGTH(wrong); i++)
    RETURNS(EINVAL, posix_memalign, &p, wrong[i], 100);
  volatile size_t huge = SIZE_MAX - 1000;
  RETURNS(ENOMEM, posix_memalign, &p, 64, huge);
}

CASE(aligned_alloc, powers_of_two, proceeds)
{
  for (size_t alignment = 16; alignment <= 65536; alignment *= 4) {
    void *p = aligned_alloc(alignment, alignment * 2);
    EXPECT(p && aligned_to(p, alignment));
    free(p);
  }
  SAW("proceeds");
}

CASE(memalign, powers_of_two, proceeds)
{
  void *p = memalign(4096, 10);
  EXPECT(p && aligned_to(p, 4096));
  free(p);
  p = memalign_(48, 10); /* glibc rounds up */
  EXPECT(p && aligned_to(p, 64));
  free(p);
  SAW("proceeds");
}

CASE(memalign, absurd_alignment, EINVAL)
{
  errno = 0;
  EXPECT(memalign_(SIZE_MAX, 10) == NULL && errno == EINVAL);
  SAW("EINVAL");
  errno = 0;
  EXPECT(aligned_alloc_(SIZE_MAX, 10) == NULL && errno == EINVAL);
  SEE("aligned_alloc", "EINVAL");
}

CASE(valloc, pages, proceeds, pvalloc:proceeds)
{
  void *p = valloc(10), *q = pvalloc(10);
  EXPECT(p && aligned_to(p, 4096));
  EXPECT(q && aligned_to(q, 4096) && malloc_usable_size(q) >= 4096);
  free(p);
  free(q);
  SAW("proceeds");
  SEE("pvalloc", "proceeds");
}

CASE(malloc_usable_size, null_and_block, proceeds)
{
  char *p = block(10);
  EXPECT(malloc_usable_size(NULL) == 0);
  EXPECT(malloc_usable_size(p) >= 10);
  SAW("proceeds");
  release(p);
}

static void *churn(void *unused)
{
  for (int i = 1; i < 20; i++)
    free(memset(malloc((size_t)i * 10), i, (size_t)i * 10));
  return unused;
}

CASE(malloc, in_many_threads)
{
  pthread_t a = start(churn, NULL), b = start(churn, NULL);
  churn(NULL);
  finish(a);
  finish(b);
}

/* ---- what must not be done ---- */

BUG(memory, free, twice, "double free")
{
  char *p = block(10);
  keep = p;
  free(keep);
  free(keep);
}

BUG(memory, free, twice_in_two_threads, "double free")
{
  char *p = block(10);
  pthread_t thread = start(free_there, p);
  keep = p;
  free(keep);
  finish(thread);
}

BUG(memory, free, inside_a_block, "free of an address that is not the start of a block")
{
  keep = block(10) + 1;
  free(keep);
}

static int global[8];

BUG(memory, free, not_from_the_heap, "free of an address")
{
  keep = global;
  free(keep);
}

BUG(memory, free, of_the_stack, "free of an address")
{
  int local[8];
  keep = local;
  free(keep);
}

BUG(memory, realloc, of_a_freed_block, "")
{
  keep = block(10);
  void *volatile same = keep;
  free(keep);
  keep = realloc(same, 20);
}

BUG(memory, free, then_read, "use after free: read")
{
  volatile char *p = block(10);
  keep = (void *)p;
  free(keep);
  sink = p[3];
}

BUG(memory, free, then_written, "use after free: write")
{
  volatile char *p = block(10);
  keep = (void *)p;
  free(keep);
  p[3] = 1;
}

BUG(memory, free, then_written_by_memset, "use after free")
{
  char *p = block(100);
  keep = p;
  free(keep);
  memset(p, sink, 100);
}

BUG(memory, free, large_block_then_read, "use after free: read")
{
  volatile char *p = block(1 << 20);
  keep = (void *)p;
  free(keep);
  sink = p[12345];
}

static void *use_it(void *p)
{
  *(volatile char *)p = 1;
  return NULL;
}

/* Freed and written in an order that nothing fixes: a data race, too, which is not what this is about. */
CASE_OF("memory", "--races ignore", "use after free", "", free, while_another_uses_it)
{
  char *p = block(10);
  pthread_t thread = start(use_it, p);
  keep = p;
  free(keep);
  finish(thread);
}

BUG(memory, malloc, written_past_the_end, "heap overflow: write of 1 byte, 1 past the end")
{
  volatile char *p = block(10);
  p[10] = 1;
}

BUG(memory, malloc, read_past_the_end, "heap overflow: read")
{
  volatile char *p = block(16);
  sink = p[16];
}

BUG(memory, malloc, string_past_the_end, "heap overflow")
{
  char *p = block(4);
  keep = p;
  strcpy(keep, "four");
}

BUG(memory, malloc, word_across_the_end, "heap overflow")
{
  char *p = block(6);
  *(volatile uint32_t *)(p + 4) = 1;
}

BUG(memory, malloc, before_the_start, "before")
{
  volatile char *p = block(10);
  p[-1] = 1;
}

BUG(leak, malloc, lost, "10 bytes are never freed")
{
  block(10);
  keep = NULL;
}

static void *lose_one(void *unused)
{
  keep = malloc(20);
  keep = NULL;
  return unused;
}

BUG(leak, malloc, lost_in_a_thread, "20 bytes are never freed")
{
  finish(start(lose_one, NULL));
}

static void **list;

CASE(malloc, still_reachable)
{
  void **node = (void **)block(sizeof(void *));
  *node = block(10);
  __atomic_store_n(&list, node, __ATOMIC_SEQ_CST);
  keep = NULL;
}
