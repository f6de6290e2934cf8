/* SPDX-License-Identifier: Apache-2.0
 *
 * See private_memory.h.
 */
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/runtime.h"
#include <sys/mman.h>
#include <sys/syscall.h>

void *private_memory(size_t size)
{
  static uintptr_t next;
  if (!next) {
    long got = sys(SYS_mmap, PRIVATE_ADDRESS, PRIVATE_SIZE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != (long)PRIVATE_ADDRESS)
      return NULL;
    next = PRIVATE_ADDRESS;
  }
  void *p = (void *)next;
  next += (size + 4095) & ~UINT64_C(4095);
  return next <= PRIVATE_ADDRESS + PRIVATE_SIZE ? p : NULL;
}
