/* SPDX-License-Identifier: Apache-2.0
 *
 * See shadow.h.
 */
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/runtime.h"
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int file = -1;

static bool map(uint64_t from, uint64_t size, unsigned process, int how)
{
  uint64_t to = SHADOW_ADDRESS + (from & SHADOW_MASK);
  return sys(SYS_mmap, to, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | how, file,
             process * SHADOW_MAPPING_SIZE + (from & SHADOW_MASK)) == (long)to;
}

bool shadow_boot(int fd)
{
  file = fd;
  sys(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
  return map(0, SHADOW_MAPPING_SIZE, 0, MAP_FIXED_NOREPLACE);
}

void shadow_of_process(unsigned process)
{
  if (!map(0, SHADOW_MAPPING_SIZE, process, MAP_FIXED) || !map(SEGMENTS_ADDRESS, SEGMENTS_ROOM, 0, MAP_FIXED))
    fail(0, "no memory for another process of the program");
}

/* ---- the parent's ---- */

#define PARENT_ADDRESS UINT64_C(0x600000000000)

static struct origin_of_copy parent;

void shadow_of_parent(const struct origin_of_copy *from)
{
  parent = *from;
  if (parent.had_others &&
      sys(SYS_mmap, PARENT_ADDRESS, SHADOW_MAPPING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
          file, parent.process * SHADOW_MAPPING_SIZE) != (long)PARENT_ADDRESS)
    fail(0, "no address space for another process of the program");
}

void shadow_inherited(uintptr_t granule)
{
  if (parent.had_others)
    memory_was_read((uint64_t *)(PARENT_ADDRESS + (granule & SHADOW_MASK)), granule, parent.thread, parent.generation);
}

void shadow_clear(void)
{
  if (file < 0) /* a program that explores itself */
    sys(SYS_madvise, SHADOW_ADDRESS, SHADOW_MAPPING_SIZE, MADV_REMOVE);
  else
    sys(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0L, SHADOW_FILE_SIZE);
}
