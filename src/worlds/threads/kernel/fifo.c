/* SPDX-License-Identifier: Apache-2.0
 *
 * FIFOs: pipes that are found by a file of the overlay. All that open one file have one pipe, for as long as somebody
 * has it open. As the kernel does, who opens an end counts as one from then on, and waits, unless it is not to block,
 * until somebody has come for the other end, who may be gone again by the time the wait is over.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/overlay_tree.h"
#include "worlds/threads/kernel/pipe.h"
#include <errno.h>

#define CAPACITY 65536
#define KEPT (O_ACCMODE | O_NONBLOCK | O_APPEND | O_DIRECT)
enum { READ_END = 1, WRITE_END = 2 };
#define LARGE 0100000 /* as the kernel says of all that was opened by a path */

static struct pipe_state *pipe_of(const struct description *d)
{
  return &channel_at(d->channel)->pipe;
}

/* 0: none. */
static uint16_t channel_of(uint16_t node)
{
  for (uint16_t i = 2; i < channels_end(); i++)
    if (channel_at(i)->kind == CHANNEL_PIPE && channel_at(i)->pipe.node == node)
      return i;
  return 0;
}

bool fifo_is_open(uint16_t node)
{
  return channel_of(node);
}

uint16_t fifo_node(const struct description *d)
{
  return d && d->kind == CHANNEL_PIPE ? pipe_of(d)->node : 0;
}

static bool is_only(const struct description *d, long mode)
{
  return (d->flags & O_ACCMODE) == (uint32_t)mode;
}

bool fifo_has_partner(const struct description *d)
{
  const struct pipe_state *p = pipe_of(d);
  return is_only(d, O_RDONLY) ? p->writers || p->writers_ever != d->seen : p->readers || p->readers_ever != d->seen;
}

bool fifo_waits_outside(const struct description *d)
{
  const struct pipe_state *p = pipe_of(d);
  bool has_both = !is_only(d, O_RDONLY) && !is_only(d, O_WRONLY);
  return p->node && p->readers == p->writers && has_both && !node_at(p->node)->ends_used;
}

bool fifo_opens_to_outside(const struct description *d)
{
  return !(node_at(pipe_of(d)->node)->ends_used & (is_only(d, O_RDONLY) ? WRITE_END : READ_END));
}

/* A description that is about to be an end of it; the pipe is there from now on. */
static struct description *come_to(uint16_t node, long flags, uintptr_t pc)
{
  uint16_t channel = channel_of(node);
  if (channel)
    channel_at(channel)->references++;
  else {
    channel = channel_new(CHANNEL_PIPE, pc);
    channel_at(channel)->pipe = (struct pipe_state){.capacity = CAPACITY, .packets = flags & O_DIRECT, .node = node};
  }
  struct description *d = description_new(CHANNEL_PIPE, channel, (uint32_t)(flags & KEPT) | LARGE);
  d->arrives = true;
  return d;
}

/* It is an end now: 0, or the error. waits: for the other one. */
static long enter(struct description *d, bool *waits)
{
  struct pipe_state *p = pipe_of(d);
  bool blocks = !(d->flags & O_NONBLOCK);
  node_at(p->node)->ends_used |= is_only(d, O_RDONLY) ? READ_END : is_only(d, O_WRONLY) ? WRITE_END : 0;
  if (is_only(d, O_WRONLY) && !blocks && !p->readers)
    return -ENXIO;
  bool alone = (is_only(d, O_RDONLY) && !p->writers) || (is_only(d, O_WRONLY) && !p->readers);
  if (alone)
    d->seen = is_only(d, O_RDONLY) ? p->writers_ever : p->readers_ever;
  d->arrives = false;
  pipe_end_added(d);
  release_to(&p->opened);
  channel_changed(d->channel);
  *waits = blocks && alone;
  return 0;
}

static long wait_for_partner(struct description *d, uintptr_t pc)
{
  long result = step_to_open(is_only(d, O_RDONLY) ? OP_CHANNEL_RECEIVE : OP_CHANNEL_SEND, d, pc);
  if (!result && !fifo_has_partner(d))
    result = -EINTR; /* cancelled */
  d->seen = 0;       /* whoever waited for a writer is told when there is none any more */
  return result;
}

long fifo_open(uint16_t node, long flags, uintptr_t pc)
{
  struct description *d = come_to(node, flags, pc);
  long fd = number_take(d);
  bool waits = false;
  if (fd < 0)
    return fd;
  if (is_watched(node) || is_watched(node_at(node)->parent))
    lose(LOST_CALLS); /* what goes through it is not told */
  step_to_open(OP_CHANNEL_CALL, d, pc);
  long result = enter(d, &waits);
  if (!result && waits)
    result = wait_for_partner(d, pc);
  if (!result && !(flags & O_NONBLOCK) && !is_only(d, O_RDWR))
    acquire_from(&pipe_of(d)->opened); /* somebody had come for the other end */
  fd = number_taken(fd, result, flags & O_CLOEXEC);
  pending_refresh();
  if (result == -EINTR)
    check_cancel_in_call(pc);
  return fd;
}
