/* SPDX-License-Identifier: Apache-2.0
 *
 * Duplicates of standard input and output, as shells make them: what is written goes where that of the original does
 * (system/standard.c). Never waits.
 */
#include "core/system.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <fcntl.h>

#define PIECE 4096

struct description *standard_copy(long fd, uintptr_t pc)
{
  uint16_t channel = channel_new(CHANNEL_STANDARD, pc);
  struct description *d = description_new(CHANNEL_STANDARD, channel, fd ? O_WRONLY : O_RDONLY);
  d->end = (uint8_t)fd;
  return d;
}

static unsigned events(const struct description *d, unsigned thread)
{
  (void)thread;
  return d->end ? POLLOUT | POLLWRNORM : POLLIN | POLLRDNORM;
}

static long read_standard(struct description *d, struct transfer_call *t)
{
  char piece[PIECE];
  size_t most = t->size < sizeof piece ? t->size : sizeof piece;
  if (d->end)
    return -EBADF;
  size_t n = standard_take_input(piece, most);
  transfer_in(t, piece, n);
  channel_changed(d->channel);
  return (long)n;
}

static long write_standard(struct description *d, struct transfer_call *t)
{
  char piece[PIECE];
  if (!d->end)
    return -EBADF;
  while (t->done < t->size) {
    size_t left = t->size - t->done, n = left < sizeof piece ? left : sizeof piece;
    transfer_out(t, t->done, piece, n);
    output_write(piece, n);
    t->done += n;
  }
  return (long)t->size;
}

static void close_standard(struct description *d)
{
  channel_release(d->channel);
}

static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, !d->end);
  if (!d->end)
    out->system_changes |= SYSTEM_STANDARD; /* who reads takes it from others */
}

const struct channel_rules standard_rules = {.name = "standard descriptor",
                                             .events = events,
                                             .read = read_standard,
                                             .write = write_standard,
                                             .close = close_standard,
                                             .touch = touch};
