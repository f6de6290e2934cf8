/* SPDX-License-Identifier: Apache-2.0
 *
 * See system_memory.h.
 */
#include "worlds/threads/memory/system_memory.h"
#include "core/without_libc.h"
#include "worlds/threads/runtime.h"
#include <sys/mman.h>
#include <sys/syscall.h>

#define AREA (CONTROL_ADDRESS + CONTROL_SYSTEM_OFFSET)

extern const struct shared_range __start_heddle_shared[], __stop_heddle_shared[];

static struct {
  uintptr_t next;
} SHARED_PAGES state;
SHARED(state);

static uintptr_t behind_variables = AREA;

void system_memory_begin(void)
{
  state.next = behind_variables;
}

void *system_memory(size_t size)
{
  void *p = (void *)state.next;
  state.next += (size + 4095) & ~UINT64_C(4095);
  return state.next <= AREA + CONTROL_SIZE_OF(SYSTEM) ? p : NULL;
}

static bool map_over(const struct shared_range *range, uintptr_t at, int fd)
{
  return sys(SYS_mmap, range->start, range->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
             at - CONTROL_ADDRESS) == (long)range->start;
}

bool system_memory_boot(int control_fd, bool first)
{
  bool mapped = true;
  if (first)
    sys(SYS_madvise, AREA, CONTROL_SIZE_OF(SYSTEM), MADV_REMOVE); /* what a process before it left */
  for (const struct shared_range *r = __start_heddle_shared; r < __stop_heddle_shared && mapped; r++) {
    if (first)
      copy_bytes((void *)behind_variables, r->start, r->size);
    mapped = map_over(r, behind_variables, control_fd);
    behind_variables += r->size;
  }
  return mapped;
}
