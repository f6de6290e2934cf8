/* SPDX-License-Identifier: Apache-2.0
 *
 * See shadow.h.
 */
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/names.h"
#include "worlds/threads/runtime.h"
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int file = -1;

static bool map(uint64_t from, uint64_t size, unsigned process, int how)
{
  uint64_t to = SHADOW_ADDRESS + (from & SHADOW_MASK);
  return sys(SYS_mmap, to, size, PROT_READ | PROT_WRITE, MAP_NORESERVE | how, file,
             process * SHADOW_MAPPING_SIZE + (from & SHADOW_MASK)) == (long)to;
}

bool shadow_boot(int fd)
{
  file = fd;
  sys(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
  return map(0, SHADOW_MAPPING_SIZE, 0, MAP_SHARED | MAP_FIXED_NOREPLACE);
}

void shadow_keep(int fd)
{
  file = fd;
}

static bool map_all(unsigned process, int how)
{
  return map(0, SHADOW_MAPPING_SIZE, process, MAP_FIXED | how) &&
         map(SEGMENTS_ADDRESS, SEGMENTS_ROOM, 0, MAP_FIXED | how);
}

void shadow_of_process(unsigned process)
{
  if (!map_all(process, MAP_SHARED))
    fail(0, "no memory for another process of the program");
}

bool shadow_is_own(void)
{
  return map_all(hd_own.process, MAP_PRIVATE);
}

/* ---- of those that it is a copy of ---- */

/* Those that had other threads, from the first process down. A copy has what its parent has. */
static struct origin_of_copy ancestor[PROCESSES];
static unsigned ancestors;

void shadow_of_parent(const struct origin_of_copy *from)
{
  if (from->had_others)
    ancestor[ancestors++] = *from;
}

void shadow_inherited(uintptr_t granule)
{
  for (unsigned i = 0; i < ancestors; i++) {
    const struct origin_of_copy *a = &ancestor[i];
    uint64_t at = a->process * SHADOW_MAPPING_SIZE + (granule & SHADOW_MASK), before = 0, word;
    sys(SYS_pread64, file, &before, sizeof before, at);
    word = before;
    memory_was_read(&word, granule, a);
    if (word != before)
      sys(SYS_pwrite64, file, &word, sizeof word, at);
  }
}

/* ---- what others learnt ---- */

#define LOCATION_PROCESS 56 /* above all bits of names */

/* Where another program runs, addresses are their own names. */
uint64_t shadow_location_name(uintptr_t granule, unsigned process)
{
  return (hd_own.image ? granule : name_of(granule)) | (uint64_t)process << LOCATION_PROCESS;
}

void shadow_learn(uint64_t location)
{
  unsigned process = (unsigned)(location >> LOCATION_PROCESS);
  uintptr_t granule = address_of(location & ((UINT64_C(1) << LOCATION_PROCESS) - 1));
  if (!process) {
    memory_share(granule);
    return;
  }
  uint64_t at = process * SHADOW_MAPPING_SIZE + (granule & SHADOW_MASK), before = 0, word;
  if (process >= PROCESSES || file < 0)
    return;
  sys(SYS_pread64, file, &before, sizeof before, at);
  word = before;
  memory_share_in(process, &word, granule);
  if (word != before)
    sys(SYS_pwrite64, file, &word, sizeof word, at);
}

void shadow_clear(void)
{
  if (file < 0) /* a program that explores itself */
    sys(SYS_madvise, SHADOW_ADDRESS, SHADOW_MAPPING_SIZE, MADV_REMOVE);
  else
    sys(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0L, SHADOW_FILE_SIZE);
}
