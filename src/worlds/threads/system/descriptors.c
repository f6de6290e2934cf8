/* SPDX-License-Identifier: Apache-2.0
 *
 * The descriptors that the program opens: which numbers are its own, what each has in common with its duplicates, and
 * the clock that goes with it, by which what one thread writes and another reads orders the two. They are real, and
 * closed again after each execution. Makes no call of the program, and waits for nothing: that is for those who ask
 * here (descriptor_calls.c). */
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/standard.h"
#include <sys/syscall.h>

#define FDS 65536
#define CHANNELS 64

static struct {
  uint64_t opened[FDS / 64]; /* descriptors of this execution */
  uint8_t channel[FDS];      /* which clock goes with the descriptor, see descriptor_released() */
  uint32_t description[FDS]; /* what it has in common with its duplicates */
  uint32_t descriptions;
  uint32_t channels;
  struct vclock clock[CHANNELS];
  bool dirty;
} state;

bool descriptor_is_controlled(long fd)
{
  return fd >= 0 && fd < FDS && state.opened[fd / 64] >> (fd % 64) & 1;
}

long descriptor_opened(long fd)
{
  if (fd >= 0 && fd < FDS) {
    state.opened[fd / 64] |= UINT64_C(1) << (fd % 64);
    state.channel[fd] = 0;
    state.description[fd] = ++state.descriptions;
    state.dirty = true;
  }
  return fd;
}

long descriptor_next(long fd)
{
  for (fd++; fd < FDS; fd++) {
    if (!state.opened[fd / 64])
      fd |= 63;
    else if (descriptor_is_controlled(fd))
      return fd;
  }
  return -1;
}

uint32_t descriptor_description(long fd)
{
  return descriptor_is_controlled(fd) ? state.description[fd] : 0;
}

static bool has_duplicate(long fd)
{
  for (long other = 0; other < FDS; other++) {
    if (!state.opened[other / 64]) {
      other |= 63;
      continue;
    }
    if (other != fd && descriptor_is_controlled(other) && state.description[other] == state.description[fd])
      return true;
  }
  return false;
}

bool descriptor_closed(long fd)
{
  state.opened[fd / 64] &= ~(UINT64_C(1) << (fd % 64));
  return !has_duplicate(fd);
}

/* ---- what one thread writes to a descriptor and another reads from it orders the two ---- */

/* Channel 0 is that of sockets, files and whatever has no channel of its own. */
static uint8_t new_channel(void)
{
  if (state.channels == CHANNELS - 1)
    return 0;
  vclock_clear(&state.clock[++state.channels]);
  return (uint8_t)state.channels;
}

void descriptors_opened(const int fds[2])
{
  descriptor_opened(fds[0]);
  descriptor_opened(fds[1]);
  if (fds[0] < FDS && fds[1] < FDS)
    state.channel[fds[0]] = state.channel[fds[1]] = new_channel();
}

long descriptor_opened_like(long fd, long like)
{
  if (descriptor_opened(fd) >= 0 && fd < FDS)
    state.channel[fd] = like < 0 ? new_channel() : like < FDS ? state.channel[like] : 0;
  if (fd >= 0 && fd < FDS && like >= 0 && like < FDS)
    state.description[fd] = state.description[like];
  return fd;
}

void descriptor_released(long fd)
{
  state.dirty = true;
  if (rt.engine->threads > 1)
    release_to(&state.clock[fd >= 0 && fd < FDS ? state.channel[fd] : 0]);
}

void descriptor_acquired(long fd)
{
  if (rt.engine->threads > 1)
    acquire_from(&state.clock[fd >= 0 && fd < FDS ? state.channel[fd] : 0]);
}

void descriptors_acquired(void)
{
  for (uint32_t i = 0; i <= state.channels && rt.engine->threads > 1; i++)
    acquire_from(&state.clock[i]);
}

static void close_all(void)
{
  for (unsigned i = 0; i < FDS / 64; i++)
    for (; state.opened[i]; state.opened[i] &= state.opened[i] - 1)
      sys(SYS_close, i * 64L + __builtin_ctzll(state.opened[i]));
  state.channels = state.descriptions = 0;
  vclock_clear(&state.clock[0]);
  state.dirty = false;
}

void descriptors_reset(void)
{
  if (state.dirty) {
    close_all();
    signalfds_reset();
    descriptor_waits_reset();
  }
  standard_reset(); /* only now are their numbers free */
}
