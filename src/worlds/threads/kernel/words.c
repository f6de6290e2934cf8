/* SPDX-License-Identifier: Apache-2.0
 *
 * What a descriptor is and why it is not ready, in words for a person.
 */
#include "worlds/threads/kernel/words.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay_tree.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/kernel/socket.h"
#include <fcntl.h>

static const char *name_of_kind(const struct description *d)
{
  if (fifo_node(d))
    return (d->flags & O_ACCMODE) == O_WRONLY ? "the write end of the FIFO" : "the read end of the FIFO";
  if (d->kind == CHANNEL_PIPE)
    return (d->flags & O_ACCMODE) == O_WRONLY ? "the write end of the pipe" : "the read end of the pipe";
  if (d->kind == CHANNEL_SOCKET && socket_of(d)->state == SOCKET_LISTENS)
    return "the listening socket";
  static const char *const names[] = {[CHANNEL_EVENT] = "the event counter",
                                      [CHANNEL_TIMER] = "the timer",
                                      [CHANNEL_SIGNALS] = "the signal descriptor",
                                      [CHANNEL_EPOLL] = "the epoll set",
                                      [CHANNEL_NOTICES] = "the descriptor of inotify",
                                      [CHANNEL_PROCESS] = "the descriptor of a process",
                                      [CHANNEL_SOCKET] = "the socket",
                                      [CHANNEL_STANDARD] = "a standard descriptor"};
  return names[d->kind];
}

/* The lowest number of an open description of the channel that is for writing to it, or for reading; -1: none. */
static long other_end(uint16_t channel, bool writes)
{
  for (long fd = 0; fd < numbers_end(); fd++) {
    const struct description *d = description_of(fd);
    if (is_modelled(d) && d->kind == CHANNEL_PIPE && d->channel == channel &&
        (d->flags & O_ACCMODE) != (writes ? O_RDONLY : O_WRONLY))
      return fd;
  }
  return -1;
}

static long number_of(uint16_t channel)
{
  for (long fd = 0; fd < numbers_end(); fd++)
    if (is_modelled(description_of(fd)) && description_of(fd)->channel == channel)
      return fd;
  return -1;
}

static void say_state(const struct description *d, bool writes, char out[CHANNEL_WORDS])
{
  long other = d->kind == CHANNEL_PIPE ? other_end(d->channel, !writes) : -1;
  if (other >= 0 && writes)
    print_text(out, CHANNEL_WORDS, "it is full, and its read end is still open, descriptor %ld", other);
  else if (other >= 0)
    print_text(out, CHANNEL_WORDS, "its write end is still open, descriptor %ld", other);
  if (d->kind != CHANNEL_SOCKET || !socket_of(d)->peer)
    return;
  other = number_of(socket_of(d)->peer);
  if (other >= 0)
    print_text(out, CHANNEL_WORDS,
               writes ? "the other end, descriptor %ld, has no room" : "the other end is descriptor %ld", other);
}

void describe_opening(const struct description *d, struct channel_view *out)
{
  *out = (struct channel_view){.made_at = channel_at(d->channel)->made_at};
  bool writes = (d->flags & O_ACCMODE) == O_WRONLY;
  print_text(out->what, sizeof out->what, "the FIFO %s", node_at(fifo_node(d))->name);
  print_text(out->state, sizeof out->state, "nobody has opened it to %s", writes ? "read" : "write");
}

void describe_descriptor(long fd, bool writes, struct channel_view *out)
{
  const struct description *d = description_of(fd);
  *out = (struct channel_view){0};
  if (!is_modelled(d)) {
    print_text(out->what, sizeof out->what, "descriptor %ld", fd);
    return;
  }
  out->made_at = channel_at(d->channel)->made_at;
  print_text(out->what, sizeof out->what, "descriptor %ld, %s", fd, name_of_kind(d));
  say_state(d, writes, out->state);
}
