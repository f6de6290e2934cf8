/* SPDX-License-Identifier: Apache-2.0
 *
 * See anonymous.h.
 */
#include "worlds/threads/memory/anonymous.h"
#include "worlds/threads/runtime.h"
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int file = -1;

long anonymous_file(void)
{
  long fd = sys(SYS_memfd_create, "shared memory", MFD_CLOEXEC);
  if (fd < 0 || sys(SYS_ftruncate, fd, ANONYMOUS_ROOM) == 0)
    return fd;
  sys(SYS_close, fd);
  return -1;
}

void anonymous_boot(int fd)
{
  file = fd;
}

bool anonymous_may_be(uintptr_t at)
{
  return file >= 0 && at - ANONYMOUS_ADDRESS < ANONYMOUS_ROOM;
}

long anonymous_map(uintptr_t at, size_t size, long protection)
{
  return sys(SYS_mmap, at, size, protection, MAP_SHARED | MAP_FIXED, file, at - ANONYMOUS_ADDRESS);
}

void anonymous_clear(uintptr_t end)
{
  if (file >= 0 && end > ANONYMOUS_ADDRESS)
    sys(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0L, end - ANONYMOUS_ADDRESS);
}
