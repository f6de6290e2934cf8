/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that the program writes to by way of memory. Nobody sees the writes, so it is their contents that tell: POSIX
 * wants the dates of the file to be new at the latest with the next msync(), and that is where they are compared, and
 * where a mapping goes. What was written past the end of the file, into the rest of its last page, goes nowhere.
 */
#include "core/hash.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/memory/system_memory.h"
#include <sys/syscall.h>

#define FILES 64
#define PAGE 4096
#define PIECE 65536
#define LOOKED_AT (1 << 20) /* of what is larger, only the beginning */

static struct {
  unsigned count;
  struct {
    node_id node;
    uint64_t number; /* of the file: the node may be another one's by now */
    uint64_t hash;
  } file[FILES];
} mapped SYSTEM;

void mapped_reset(void)
{
  mapped.count = 0;
}

static uint64_t hash_contents(int fd)
{
  static char piece[PIECE];
  uint64_t hash = HASH_START;
  int64_t at = 0;
  for (long n = PIECE; n == PIECE && at < LOOKED_AT; at += n) {
    n = sys(SYS_pread64, fd, piece, sizeof piece, at);
    hash = hash_bytes(hash, piece, n > 0 ? (size_t)n : 0);
  }
  if (at >= LOOKED_AT)
    lose(LOST_SHARED);
  return hash;
}

void mapped_note(node_id node, bool changed)
{
  const struct file_node *n = node_at(node);
  unsigned i = 0;
  while (i < mapped.count && (mapped.file[i].node != node || mapped.file[i].number != n->number))
    i++;
  if (i == FILES) {
    lose(LOST_SHARED);
    return;
  }
  if (i < mapped.count && !changed)
    return;
  mapped.count += i == mapped.count;
  mapped.file[i].node = node;
  mapped.file[i].number = n->number;
  mapped.file[i].hash = hash_contents(contents_here(n));
}

/* To cut a file off empties the rest of its last page. */
static void empty_rest(int fd, int64_t size)
{
  if (size % PAGE == 0)
    return;
  sys(SYS_ftruncate, fd, size + 1);
  sys(SYS_ftruncate, fd, size);
}

void overlay_settle_mapped(void)
{
  for (unsigned i = 0; i < mapped.count; i++) {
    node_id node = mapped.file[i].node;
    const struct file_node *n = node_at(node);
    if (!n->used || n->number != mapped.file[i].number || n->held < 0)
      continue;
    empty_rest(contents_here(n), contents_size(node));
    uint64_t hash = hash_contents(contents_here(n));
    if (hash == mapped.file[i].hash)
      continue;
    mapped.file[i].hash = hash;
    node_touch(node, 1u << TIME_MODIFIED | 1u << TIME_CHANGED);
    if (rt.engine->threads > 1)
      lose(LOST_SHARED); /* others may look at the dates */
  }
}
