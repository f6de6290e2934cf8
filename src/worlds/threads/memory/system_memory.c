/* SPDX-License-Identifier: Apache-2.0
 *
 * See system_memory.h.
 */
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096u
#define AREA (CONTROL_ADDRESS + CONTROL_SYSTEM_OFFSET)

/* Where the section begins, so does a page; the linker puts nothing behind it. */
static struct {
  uintptr_t next;
} state SYSTEM __attribute__((aligned(PAGE)));

static int file = -1;
static bool mapped; /* the variables are: not in a process that has no others (hd_explore) */

static size_t variables_size(void)
{
  return (size_t)(__stop_heddle_system - __start_heddle_system + PAGE - 1) & ~(size_t)(PAGE - 1);
}

void system_memory_keep(int control_fd)
{
  file = control_fd;
}

void system_memory_begin(void)
{
  state.next = AREA + variables_size();
}

void *system_memory(size_t size)
{
  void *p = (void *)state.next;
  state.next += (size + PAGE - 1) & ~(size_t)(PAGE - 1);
  return state.next <= AREA + CONTROL_SIZE_OF(SYSTEM) ? p : NULL;
}

bool system_memory_boot(int control_fd, bool first)
{
  uintptr_t start = (uintptr_t)__start_heddle_system;
  file = control_fd;
  mapped = true;
  if (first)
    sys(SYS_madvise, AREA, CONTROL_SIZE_OF(SYSTEM), MADV_REMOVE); /* what a process before it left */
  return start % PAGE == 0 && sys(SYS_mmap, start, variables_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                  control_fd, CONTROL_SYSTEM_OFFSET) == (long)start;
}

bool system_memory_is_own(void)
{
  const uintptr_t start = (uintptr_t)__start_heddle_system;
  return sys(SYS_mmap, CONTROL_ADDRESS, CONTROL_MAPPING_SIZE, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0L) == (long)CONTROL_ADDRESS &&
         (!mapped || sys(SYS_mmap, start, variables_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
                         CONTROL_SYSTEM_OFFSET) == (long)start);
}
