/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes on their way from one thread to another, in order: queues made of blocks from one pool. What the bytes mean,
 * and how many may wait, is for those who have a queue.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/memory/system_memory.h"

#define BLOCK 2040
#define BLOCKS (1u << 16)

struct block {
  uint32_t next;
  char data[BLOCK];
};

static struct {
  struct block *block; /* [0] is never used */
  uint32_t fresh;      /* never used in this execution from there on */
  uint32_t free;       /* used before, a list */
} pool SYSTEM;

void bytes_reset(void)
{
  pool.fresh = 1;
  pool.free = 0;
}

static uint32_t new_block(void)
{
  if (!pool.block)
    pool.block = system_memory(sizeof *pool.block * BLOCKS);
  uint32_t b = pool.free;
  if (b)
    pool.free = pool.block[b].next;
  else if (pool.fresh < BLOCKS)
    b = pool.fresh++;
  else
    fail(0, "the program has more than %u MiB in its pipes and sockets at once; heddle has no room for more",
         BLOCKS / 1024 * BLOCK / 1024);
  pool.block[b].next = 0;
  return b;
}

void bytes_put(struct byte_queue *b, const void *data, size_t size)
{
  const char *from = data;
  b->count += size;
  b->ever += size;
  while (size) {
    if (!b->last || b->to == BLOCK) {
      uint32_t next = new_block();
      if (b->last)
        pool.block[b->last].next = next;
      else
        b->first = next, b->from = 0;
      b->last = next;
      b->to = 0;
    }
    size_t n = size < BLOCK - b->to ? size : BLOCK - b->to;
    copy_bytes(pool.block[b->last].data + b->to, from, n);
    b->to += (uint32_t)n;
    from += n;
    size -= n;
  }
}

static void drop_first(struct byte_queue *b)
{
  uint32_t first = b->first;
  b->first = pool.block[first].next;
  b->from = 0;
  if (!b->first)
    b->last = b->to = 0;
  pool.block[first].next = pool.free;
  pool.free = first;
}

size_t bytes_take(struct byte_queue *b, void *to, size_t size)
{
  size_t done = 0;
  while (done < size && b->first) {
    size_t there = (b->first == b->last ? b->to : BLOCK) - b->from;
    size_t n = size - done < there ? size - done : there;
    if (to)
      copy_bytes((char *)to + done, pool.block[b->first].data + b->from, n);
    b->from += (uint32_t)n;
    done += n;
    if (n == there)
      drop_first(b);
  }
  b->count -= done;
  return done;
}

size_t bytes_look(const struct byte_queue *b, uint64_t skip, void *to, size_t size)
{
  size_t done = 0;
  uint32_t from = b->from;
  for (uint32_t at = b->first; at && done < size; at = pool.block[at].next, from = 0) {
    size_t there = (at == b->last ? b->to : BLOCK) - from;
    if (skip >= there) {
      skip -= there;
      continue;
    }
    size_t n = there - skip < size - done ? there - skip : size - done;
    copy_bytes((char *)to + done, pool.block[at].data + from + skip, n);
    skip = 0;
    done += n;
  }
  return done;
}

void bytes_drop(struct byte_queue *b)
{
  while (b->first)
    drop_first(b);
  b->count = 0;
}
