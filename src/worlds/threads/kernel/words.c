/* SPDX-License-Identifier: Apache-2.0
 *
 * What a descriptor is, who has its other end, and why it is not ready, in words for a person.
 */
#include "worlds/threads/kernel/words.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/overlay_tree.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/thread/thread.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>

#define HOLDERS_TOLD 3

/* ---- what it is ---- */

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

static const char *brief_name(const struct description *d)
{
  static const char *const names[] = {
      [CHANNEL_PIPE] = "pipe",       [CHANNEL_EVENT] = "event counter", [CHANNEL_TIMER] = "timer",
      [CHANNEL_SIGNALS] = "signals", [CHANNEL_EPOLL] = "epoll set",     [CHANNEL_SOCKET] = "socket",
      [CHANNEL_NOTICES] = "inotify", [CHANNEL_PROCESS] = "process",     [CHANNEL_STANDARD] = ""};
  return names[d->kind];
}

/* Empty for one that nobody chose. */
static void name_address(const struct address *a, char *out, size_t size)
{
  const struct sockaddr_in *in = (const struct sockaddr_in *)&a->any;
  const uint8_t *part = (const uint8_t *)&in->sin_addr;
  *out = '\0';
  if (a->any.sa_family == AF_UNIX && a->un.sun_path[0])
    print_text(out, size, "%s", a->un.sun_path);
  else if (a->any.sa_family == AF_UNIX && a->size > offsetof(struct sockaddr_un, sun_path) + 1)
    print_text(out, size, "@%s", a->un.sun_path + 1);
  else if (a->any.sa_family == AF_INET && in->sin_port)
    print_text(out, size, "%u.%u.%u.%u:%u", part[0], part[1], part[2], part[3], ntohs(in->sin_port));
  else if (a->any.sa_family == AF_INET6 && in->sin_port)
    print_text(out, size, "port %u", ntohs(in->sin_port));
}

/* " at /tmp/a.sock", " to 127.0.0.1:8080"; empty: it has no name of its own. */
static void say_name(const struct description *d, char *out, size_t size)
{
  char name[108];
  *out = '\0';
  if (d->kind != CHANNEL_SOCKET)
    return;
  const struct socket_state_of *s = socket_of(d);
  bool listens = s->state == SOCKET_LISTENS, accepted = s->state == SOCKET_CONNECTED && s->bound;
  name_address(s->state == SOCKET_CONNECTED && !accepted ? &s->remote : &s->local, name, sizeof name);
  if (name[0])
    print_text(out, size, listens || accepted || !s->peer ? " at %s" : " to %s", name);
}

/* ---- who has it ---- */

/* An open description of the channel: one that is for writing to it, one for reading, or any. */
enum wanted { WANTS_WRITER, WANTS_READER, WANTS_ANY };

static bool is_wanted(const struct description *d, uint16_t channel, enum wanted wanted)
{
  uint32_t mode = d ? d->flags & O_ACCMODE : 0;
  return is_modelled(d) && d->channel == channel &&
         (wanted == WANTS_ANY || mode != (wanted == WANTS_WRITER ? O_RDONLY : O_WRONLY));
}

/* Its lowest number in the process; -1: it has none. */
static long number_in(unsigned process, uint16_t channel, enum wanted wanted)
{
  long found = -1;
  numbers_of(process);
  for (long fd = 0; fd < numbers_end() && found < 0; fd++)
    if (is_wanted(description_of(fd), channel, wanted))
      found = fd;
  numbers_of_own();
  return found;
}

/* "descriptor 4"; with several processes, "in P1, descriptor 4, and in P2, descriptor 4". False: nobody has it. */
static bool say_holders(uint16_t channel, enum wanted wanted, char *out, size_t size)
{
  unsigned told = 0, more = 0;
  size_t at = 0;
  *out = '\0';
  for (unsigned p = 0; p < rt.engine->processes; p++) {
    long fd = rt.process[p].exists && !rt.process[p].ended ? number_in(p, channel, wanted) : -1;
    if (fd < 0)
      continue;
    if (rt.engine->processes == 1)
      print_text(out, size, "descriptor %ld", fd);
    else if (told < HOLDERS_TOLD)
      at += print_text(out + at, size - at, "%sin %s, descriptor %ld", told ? ", and " : "",
                       thread_label(rt.process[p].first), fd);
    else
      more++;
    told++;
  }
  if (more)
    print_text(out + at, size - at, ", and in %u more", more);
  return told > 0;
}

/* ---- why it is not ready ---- */

static void say_state_of_pipe(const struct description *d, bool writes, char *out, size_t size)
{
  char holders[CHANNEL_STATE];
  bool single = rt.engine->processes == 1;
  if (!say_holders(d->channel, writes ? WANTS_READER : WANTS_WRITER, holders, sizeof holders))
    return;
  print_text(out, size, writes ? "it is full, and its read end is still open%s%s" : "its write end is still open%s%s",
             single ? ", " : " ", holders);
}

/* The listener at which the connection waits to be accepted; 0: none. */
static uint16_t listener_of(uint16_t connection)
{
  for (uint16_t c = 2; c < channels_end(); c++) {
    const struct socket_state_of *s = &channel_at(c)->socket;
    for (unsigned i = 0; channel_at(c)->kind == CHANNEL_SOCKET && s->state == SOCKET_LISTENS && i < s->waiting; i++)
      if (s->backlog[i] == connection)
        return c;
  }
  return 0;
}

static void say_state_of_socket(const struct description *d, bool writes, char *out, size_t size)
{
  const struct socket_state_of *s = socket_of(d);
  char holders[CHANNEL_STATE];
  uint16_t listener;
  bool single = rt.engine->processes == 1;
  if (s->state == SOCKET_LISTENS)
    print_text(out, size, "nobody is left to connect to it");
  else if (s->type == SOCK_DGRAM && s->state != SOCKET_CONNECTED)
    print_text(out, size, "nobody is left to send to it");
  if (!s->peer)
    return;
  if (say_holders(s->peer, WANTS_ANY, holders, sizeof holders))
    print_text(out, size, single ? "the other end%s %s%s" : "the other end is open%s %s%s",
               single && !writes ? " is"
               : single          ? ","
                                 : "",
               holders, writes ? single ? ", has no room" : ", and has no room" : "");
  else if ((listener = listener_of(s->peer)) && say_holders(listener, WANTS_ANY, holders, sizeof holders))
    print_text(out, size, "nobody has accepted the connection; its listener is%s %s", single ? "" : " open", holders);
}

static const struct description *description_in(unsigned process, long fd)
{
  numbers_of(process);
  const struct description *d = description_of(fd);
  numbers_of_own();
  return d;
}

void describe_transfer(long fd, unsigned process, bool writes, const struct transfer_call *t, struct channel_view *out)
{
  const struct description *d = description_in(process, fd);
  if (!is_modelled(d) || (d->kind != CHANNEL_PIPE && d->kind != CHANNEL_SOCKET))
    return;
  uint16_t channel = !writes || d->kind == CHANNEL_PIPE ? d->channel
                     : t && t->to                       ? socket_receiver(d, t)
                                                        : socket_of(d)->peer;
  const struct byte_queue *bytes = &channel_at(channel)->bytes;
  if (!channel || (!writes && !bytes->count))
    return;
  out->stream = channel;
  out->position = writes ? bytes->ever : bytes->ever - bytes->count;
}

void describe_descriptor(long fd, unsigned process, bool writes, struct channel_view *out)
{
  char name[CHANNEL_WORDS / 2];
  *out = (struct channel_view){0};
  const struct description *d = description_in(process, fd);
  if (!is_modelled(d)) {
    print_text(out->what, sizeof out->what, "descriptor %ld", fd);
    return;
  }
  say_name(d, name, sizeof name);
  out->made_at = channel_at(d->channel)->made_at;
  print_text(out->what, sizeof out->what, "descriptor %ld, %s%s", fd, name_of_kind(d), name);
  print_text(out->brief, sizeof out->brief, "%s%s", brief_name(d), name);
  out->named = name[0];
  if (d->kind == CHANNEL_PIPE)
    say_state_of_pipe(d, writes, out->state, sizeof out->state);
  else if (d->kind == CHANNEL_SOCKET)
    say_state_of_socket(d, writes, out->state, sizeof out->state);
  else if (d->kind == CHANNEL_EPOLL)
    epoll_say_untold(d, out->state, sizeof out->state);
}

void describe_opening(const struct description *d, struct channel_view *out)
{
  *out = (struct channel_view){.made_at = channel_at(d->channel)->made_at};
  bool writes = (d->flags & O_ACCMODE) == O_WRONLY;
  print_text(out->what, sizeof out->what, "the FIFO %s", node_at(fifo_node(d))->name);
  print_text(out->state, sizeof out->state,
             fifo_opens_to_outside(d) ? "nobody has opened it to %s" : "nobody has it open to %s any more",
             writes ? "read" : "write");
}
