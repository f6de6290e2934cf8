/* SPDX-License-Identifier: Apache-2.0
 *
 * See shared_addresses.h. A file has a window of addresses, its bytes at their offsets there; the rest is given out one
 * after the other. Only addresses are known here, not who has mapped what.
 */
#include "worlds/threads/memory/shared_addresses.h"
#include "worlds/threads/memory/anonymous.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include <sys/stat.h>
#include <sys/syscall.h>

#define WINDOWS 128
#define WINDOW (UINT64_C(1) << 32)
_Static_assert(WINDOWS *WINDOW <= ANONYMOUS_ADDRESS - SEGMENTS_ADDRESS, "files are below");
#define PAGE 4096u

static struct {
  uint32_t files;
  struct {
    uint64_t device, file;
  } window[WINDOWS];
  uintptr_t next; /* anonymous */
} state SYSTEM;

void shared_addresses_reset(void)
{
  anonymous_clear(state.next);
  state.files = 0;
  state.next = ANONYMOUS_ADDRESS;
}

static uintptr_t window_of(const struct stat *s)
{
  for (uint32_t i = 0; i < state.files; i++)
    if (state.window[i].device == s->st_dev && state.window[i].file == s->st_ino)
      return SEGMENTS_ADDRESS + i * WINDOW;
  if (state.files == WINDOWS)
    return 0;
  state.window[state.files].device = s->st_dev;
  state.window[state.files].file = s->st_ino;
  return SEGMENTS_ADDRESS + state.files++ * WINDOW;
}

uintptr_t shared_address(int fd, uint64_t offset, size_t size)
{
  struct stat s;
  size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
  if (fd >= 0 && !sys(SYS_fstat, fd, &s)) {
    uintptr_t window = offset < WINDOW && whole <= WINDOW - offset ? window_of(&s) : 0;
    return window ? window + offset : 0;
  }
  uintptr_t at = state.next;
  if (whole > SEGMENTS_ADDRESS + SEGMENTS_ROOM - at)
    return 0;
  state.next += whole + PAGE; /* with a gap: an overrun is a fault */
  return at;
}
