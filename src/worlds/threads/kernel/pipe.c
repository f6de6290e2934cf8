/* SPDX-License-Identifier: Apache-2.0
 *
 * Pipes and FIFOs: one channel, whose bytes come out in the order in which they went in. Writes of up to PIPE_BUF bytes
 * are made whole or not at all; a longer one is made in parts when there is room for some of it.
 */
#include "worlds/threads/kernel/pipe.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/memory/transfer.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>

#define CAPACITY 65536
#define PAGE 4096

static struct pipe_state *pipe_of(const struct description *d)
{
  return &channel_at(d->channel)->pipe;
}

static bool reads(const struct description *d)
{
  return (d->flags & O_ACCMODE) != O_WRONLY;
}

static bool writes(const struct description *d)
{
  return (d->flags & O_ACCMODE) != O_RDONLY;
}

static size_t room_in(const struct channel *c)
{
  return c->bytes.count < c->pipe.capacity ? c->pipe.capacity - c->bytes.count : 0;
}

static unsigned events(const struct description *d, unsigned thread)
{
  (void)thread;
  const struct channel *c = channel_at(d->channel);
  unsigned e = 0;
  if (reads(d))
    e |= (c->bytes.count ? POLLIN | POLLRDNORM : 0) |
         (!c->pipe.writers && c->pipe.writers_ever != d->seen ? POLLHUP : 0);
  if (writes(d))
    e |= (room_in(c) >= PIPE_BUF ? POLLOUT | POLLWRNORM : 0) | (c->pipe.readers ? 0 : POLLERR);
  return e;
}

static bool takes(const struct description *d, const struct transfer_call *t)
{
  const struct channel *c = channel_at(d->channel);
  size_t needed = t->size <= PIPE_BUF ? t->size : c->pipe.packets ? PIPE_BUF : 1;
  return !c->pipe.readers || room_in(c) >= needed;
}

/* A packet has its length before it. */
static size_t next_packet(const struct channel *c)
{
  uint32_t size = 0;
  bytes_look(&c->bytes, 0, &size, sizeof size);
  return size;
}

static long read_packet(struct channel *c, struct transfer_call *t)
{
  size_t size = next_packet(c);
  bytes_take(&c->bytes, NULL, sizeof(uint32_t));
  size_t n = transfer_from_bytes(t, &c->bytes, size, false);
  bytes_take(&c->bytes, NULL, size - n);
  return (long)n;
}

static long read_pipe(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  if (!reads(d))
    return -EBADF;
  if (!t->size)
    return 0;
  if (!c->bytes.count && c->pipe.writers)
    return -EAGAIN;
  channel_drained(d->channel);
  if (!c->bytes.count)
    return 0;
  bool full = room_in(c) < PIPE_BUF;
  long n = c->pipe.packets ? read_packet(c, t) : (long)transfer_from_bytes(t, &c->bytes, c->bytes.count, false);
  channel_changed(d->channel);
  if (full)
    epoll_wake(d->channel, POLLOUT);
  return n;
}

static long write_packet(struct channel *c, struct transfer_call *t)
{
  uint32_t size = (uint32_t)(t->size - t->done < PIPE_BUF ? t->size - t->done : PIPE_BUF);
  bytes_put(&c->bytes, &size, sizeof size);
  transfer_to_bytes(t, &c->bytes, size);
  return size;
}

static long write_pipe(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  size_t left = t->size - t->done, room = room_in(c);
  if (!writes(d))
    return -EBADF;
  if (!left)
    return 0;
  if (!c->pipe.readers)
    return -EPIPE;
  if (!takes(d, t))
    return -EAGAIN;
  size_t n = left < room ? left : room;
  channel_filled(d->channel, n, c->pipe.capacity);
  if (c->pipe.packets)
    n = (size_t)write_packet(c, t);
  else
    transfer_to_bytes(t, &c->bytes, n);
  channel_changed(d->channel);
  epoll_wake(d->channel, POLLIN);
  return (long)n;
}

static void count(const struct description *d, int more)
{
  struct pipe_state *p = pipe_of(d);
  if (d->arrives)
    return;
  if (reads(d)) {
    p->readers += (uint32_t)more;
    p->readers_ever += more > 0;
  }
  if (writes(d)) {
    p->writers += (uint32_t)more;
    p->writers_ever += more > 0;
  }
}

void pipe_end_added(const struct description *d)
{
  count(d, 1);
}

static void close_end(struct description *d)
{
  count(d, -1);
  release_to(&channel_at(d->channel)->clock);
  channel_changed(d->channel);
  epoll_wake(d->channel, POLLIN | POLLOUT);
  channel_release(d->channel);
}

/* Also the end of a FIFO that never had a writer. */
static bool fails(const struct description *d, enum op_kind kind)
{
  return kind == OP_CHANNEL_RECEIVE ? !reads(d) || !pipe_of(d)->writers : kind == OP_CHANNEL_SEND && !writes(d);
}

static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, true);
}

const struct channel_rules pipe_rules = {.name = "pipe",
                                         .events = events,
                                         .read = read_pipe,
                                         .write = write_pipe,
                                         .close = close_end,
                                         .touch = touch,
                                         .fails = fails,
                                         .takes = takes};

/* ---- making them ---- */

static struct description *open_end(uint16_t channel, uint32_t flags)
{
  struct description *d = description_new(CHANNEL_PIPE, channel, flags);
  count(d, 1);
  return d;
}

long pipe_call(const struct call *c)
{
  long flags = c->number == SYS_pipe2 ? (int)c->arg[1] : 0;
  int *out = (int *)c->arg[0];
  if (flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
    return -EINVAL;
  long first = number_free(0), second = first < 0 ? first : number_free(first + 1);
  if (second < 0)
    return second;
  uint16_t channel = channel_new(CHANNEL_PIPE, c->pc);
  struct channel *p = channel_at(channel);
  p->references = 2;
  p->pipe.capacity = CAPACITY;
  p->pipe.packets = flags & O_DIRECT;
  number_set(first, open_end(channel, O_RDONLY | (uint32_t)(flags & O_NONBLOCK)), flags & O_CLOEXEC);
  number_set(second, open_end(channel, O_WRONLY | (uint32_t)(flags & (O_NONBLOCK | O_DIRECT))), flags & O_CLOEXEC);
  pending_refresh();
  touch_outputs(c);
  out[0] = (int)first;
  out[1] = (int)second;
  return 0;
}

long pipe_set_size(struct description *d, long size)
{
  struct channel *c = channel_at(d->channel);
  uint32_t to = PAGE;
  if (size < 0)
    return -EINVAL;
  while (to < size && to < 1u << 30)
    to *= 2;
  if (c->bytes.count > to)
    return -EBUSY;
  if (to > 1 << 20)
    return -EPERM;
  c->pipe.capacity = to;
  channel_changed(d->channel);
  return to;
}

long pipe_size(const struct description *d)
{
  return pipe_of(d)->capacity;
}

size_t pipe_room(const struct description *d)
{
  return room_in(channel_at(d->channel));
}

long pipe_look(const struct description *d, void *to, size_t size)
{
  struct channel *c = channel_at(d->channel);
  if (!c->bytes.count)
    return c->pipe.writers ? -EAGAIN : 0;
  acquire_from(&c->clock);
  return (long)bytes_look(&c->bytes, 0, to, size);
}
