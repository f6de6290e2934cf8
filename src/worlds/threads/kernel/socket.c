/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets: a channel is what comes in to one; what it sends goes to the channel of its peer. What there is to read and
 * to write, and how a connection ends. How it begins is in connecting.c, messages in messages.c.
 */
#include "worlds/threads/kernel/socket.h"
#include "core/system.h"
#include "worlds/threads/kernel/epoll.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/syscall.h>

#define ROOM 212992      /* net.core.wmem_default */
#define TCP_SEND 2626560 /* what a connection on one machine comes to */
#define TCP_RECEIVE 131072

void sockets_reset(void)
{
  rights_reset();
  addresses_reset();
}

void socket_set_up(uint16_t channel, int domain, int type, int protocol)
{
  struct socket_state_of *s = &channel_at(channel)->socket;
  bool tcp = domain != AF_UNIX && type == SOCK_STREAM;
  s->domain = (uint16_t)domain;
  s->type = (uint16_t)type;
  s->protocol = (uint16_t)protocol;
  s->send_room = tcp ? TCP_SEND : ROOM;
  s->receive_room = tcp ? TCP_RECEIVE : ROOM;
}

bool socket_is_stream(const struct description *d)
{
  return is_stream(socket_of(d));
}

long socket_bytes_to_read(const struct description *d)
{
  const struct channel *c = channel_at(d->channel);
  if (c->socket.state == SOCKET_LISTENS)
    return -EINVAL;
  if (is_stream(&c->socket) || !c->bytes.count)
    return (long)c->bytes.count;
  if (c->socket.type == SOCK_SEQPACKET)
    return messages_bytes(c);
  uint32_t size = 0;
  bytes_look(&c->bytes, 0, &size, sizeof size);
  return size;
}

int64_t socket_patience(const struct description *d, unsigned events)
{
  const struct option *o = option_of(socket_of(d), SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
  if (!o || (!o->value[0] && !o->value[1]))
    return -1;
  return o->value[0] * INT64_C(1000000000) + o->value[1] * 1000;
}

long socket_error(struct socket_state_of *s)
{
  int error = s->error;
  s->error = 0;
  return -error;
}

/* ---- what there is ---- */

static size_t capacity(const struct socket_state_of *s, const struct socket_state_of *peer)
{
  return is_unix(s) || !is_stream(s) ? s->send_room : s->send_room + peer->receive_room;
}

size_t socket_room(const struct socket_state_of *s)
{
  const struct channel *to = channel_at(s->peer);
  size_t most = capacity(s, &to->socket), used = to->bytes.count;
  return used < most ? most - used : 0;
}

static unsigned events_of_listener(const struct socket_state_of *s)
{
  return s->waiting ? POLLIN | POLLRDNORM : 0;
}

static bool can_send(const struct socket_state_of *s)
{
  const struct socket_state_of *peer = &channel_at(s->peer)->socket;
  size_t most = capacity(s, peer), room = socket_room(s);
  if (s->type == SOCK_DGRAM)
    return !message_must_wait(s, channel_at(s->peer), 1);
  return is_unix(s) ? (most - room) * 4 <= most : room * 3 >= most;
}

static unsigned events_of_connection(const struct channel *c)
{
  const struct socket_state_of *s = &c->socket, *peer = &channel_at(s->peer)->socket;
  unsigned e = c->bytes.count ? POLLIN | POLLRDNORM : 0;
  if (s->shut_receive)
    e |= POLLIN | POLLRDNORM | POLLRDHUP;
  if ((s->shut_receive && s->shut_send) || (s->shut_receive && peer->gone && is_unix(s)))
    e |= POLLHUP;
  if (s->shut_send || peer->gone || can_send(s))
    e |= POLLOUT | POLLWRNORM;
  return e;
}

static unsigned events(const struct description *d, unsigned thread)
{
  (void)thread;
  const struct channel *c = channel_at(d->channel);
  const struct socket_state_of *s = &c->socket;
  unsigned error = s->error ? POLLERR | POLLIN | POLLOUT | POLLHUP : 0;
  if (s->state == SOCKET_LISTENS)
    return events_of_listener(s);
  if (s->type == SOCK_DGRAM)
    return error | (c->bytes.count ? POLLIN | POLLRDNORM : 0) | (s->shut_receive ? POLLIN | POLLRDHUP : 0) |
           (!s->peer || can_send(s) ? POLLOUT | POLLWRNORM : 0);
  if (s->state != SOCKET_CONNECTED)
    return error | POLLOUT | POLLHUP;
  return error | events_of_connection(c);
}

static bool takes(const struct description *d, const struct transfer_call *t)
{
  const struct socket_state_of *s = socket_of(d);
  uint16_t receiver = socket_receiver(d, t);
  if (!receiver || s->shut_send || s->error)
    return true; /* it fails */
  const struct channel *to = channel_at(receiver);
  if (to->socket.gone || to->socket.shut_receive)
    return true;
  return is_stream(s) ? socket_room(s) > 0 : !message_must_wait(s, to, t->size);
}

/* ---- reading ---- */

static long receive_stream(struct channel *c, struct transfer_call *t)
{
  bool peeks = t->flags & MSG_PEEK;
  size_t most = rights_receive(c, t, c->bytes.count);
  size_t done = t->done;
  size_t n = transfer_from_bytes(t, &c->bytes, most, peeks);
  if (peeks) {
    t->done = done;
    return (long)n;
  }
  c->socket.received += n;
  return (long)n;
}

static long nothing_to_read(struct socket_state_of *s, bool waits)
{
  if (s->error)
    return socket_error(s);
  if (s->shut_receive)
    return waits || s->type != SOCK_DGRAM ? 0 : -EAGAIN;
  if (s->state != SOCKET_CONNECTED && s->type != SOCK_DGRAM)
    return is_unix(s) ? -EINVAL : -ENOTCONN;
  return -EAGAIN;
}

static long read_socket(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  struct socket_state_of *s = &c->socket;
  if (s->state == SOCKET_LISTENS)
    return is_unix(s) ? -EINVAL : -ENOTCONN;
  if (t->flags & MSG_OOB)
    return -EINVAL;
  channel_drained(d->channel);
  if (!c->bytes.count)
    return nothing_to_read(s, !(d->flags & O_NONBLOCK) && !(t->flags & MSG_DONTWAIT));
  bool wakes = !s->peer || !can_send(&channel_at(s->peer)->socket);
  long n = is_stream(s) ? receive_stream(c, t) : message_receive(d, t);
  channel_changed(d->channel);
  if (wakes && !(t->flags & MSG_PEEK))
    epoll_wake(d->channel, POLLOUT);
  return n;
}

/* ---- writing ---- */

static long send_stream(struct socket_state_of *s, struct transfer_call *t)
{
  struct channel *to = channel_at(s->peer);
  size_t left = t->size - t->done, room = socket_room(s);
  if (to->socket.gone && !is_unix(s) && !to->socket.shut_receive) {
    to->socket.shut_receive = true; /* it is answered that nobody is there: known from now on */
    t->done = t->size;
    return (long)left;
  }
  if (to->socket.gone || (to->socket.shut_receive && is_unix(s)))
    return -EPIPE;
  if (!left)
    return 0;
  if (!room)
    return -EAGAIN;
  long refused = t->message && !t->done ? rights_send(s->peer, t) : 0;
  if (refused)
    return refused;
  size_t n = left < room ? left : room;
  channel_filled(s->peer, n, capacity(s, &to->socket));
  transfer_to_bytes(t, &to->bytes, n);
  to->socket.sent += n;
  channel_changed(s->peer);
  epoll_wake(s->peer, POLLIN);
  return (long)n;
}

static long write_socket(struct description *d, struct transfer_call *t)
{
  struct socket_state_of *s = socket_of(d);
  bool gone = is_unix(s) && s->peer && channel_at(s->peer)->socket.gone;
  if (s->error && !gone) /* of Unix sockets, that comes first */
    return socket_error(s);
  if (t->flags & MSG_OOB)
    return -EOPNOTSUPP;
  if (s->shut_send)
    return -EPIPE;
  if (s->type == SOCK_DGRAM)
    return message_send(d, t);
  if (s->state != SOCKET_CONNECTED)
    return is_unix(s) ? -ENOTCONN : -EPIPE;
  return is_stream(s) ? send_stream(s, t) : message_send(d, t);
}

/* ---- the end ---- */

/* The other side of a connection learns that this one is gone. */
static void part_from_peer(struct channel *c)
{
  struct socket_state_of *s = &c->socket;
  struct channel *peer = channel_at(s->peer);
  release_to(&peer->clock);
  peer->socket.shut_receive = true;
  if (c->bytes.count && s->type != SOCK_DGRAM)
    peer->socket.error = ECONNRESET;
  channel_changed(s->peer);
  epoll_wake(s->peer, POLLIN | POLLOUT);
  channel_release(s->peer); /* ours */
}

/* Connections that nobody accepted. */
static void refuse_waiting(struct socket_state_of *s)
{
  for (unsigned i = 0; i < s->waiting; i++) {
    struct channel *server = channel_at(s->backlog[i]);
    uint16_t client = server->socket.peer;
    channel_at(client)->socket.error = ECONNRESET;
    server->socket.gone = true;
    part_from_peer(server);
    channel_release(s->backlog[i]);
  }
  s->waiting = 0;
}

static void close_socket(struct description *d)
{
  struct channel *c = channel_at(d->channel);
  struct socket_state_of *s = &c->socket;
  s->gone = true;
  if (s->state == SOCKET_LISTENS)
    refuse_waiting(s);
  if (s->type == SOCK_DGRAM) {
    if (s->peer)
      channel_release(s->peer);
  } else if (s->state == SOCKET_CONNECTED) {
    part_from_peer(c);
    s->shut_receive = is_unix(s); /* of TCP, the first who writes learns it so */
  }
  rights_drop(c);
  bytes_drop(&c->bytes);
  s->bound = false;
  channel_changed(d->channel);
  channel_release(d->channel);
}

static bool fails(const struct description *d, enum op_kind kind)
{
  const struct socket_state_of *s = socket_of(d);
  if (kind == OP_CHANNEL_ACCEPT)
    return s->state != SOCKET_LISTENS;
  return kind == OP_CHANNEL_RECEIVE && s->type != SOCK_DGRAM && s->state != SOCKET_CONNECTED;
}

static void touch_receiver_of_datagrams(const struct description *d, struct channel_touch *out)
{
  uint16_t to = socket_receiver(d, &(struct transfer_call){0});
  out->system_reads |= SYSTEM_NETWORK;
  touch_channel(out, d->channel, true); /* that nobody was there is told with the next call */
  if (to)
    touch_channel(out, to, true);
}

static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  const struct socket_state_of *s = socket_of(d);
  bool parts = s->type == SOCK_DGRAM && s->peer && channel_at(s->peer)->socket.gone; /* by its next message */
  touch_channel(out, d->channel, events & POLLIN || s->error || parts);
  if (s->state == SOCKET_LISTENS && events & POLLIN)
    out->system_changes |= SYSTEM_DESCRIPTORS;
  if (s->bound && events & POLLIN && events & POLLOUT) /* it may be closed */
    out->system_changes |= SYSTEM_NETWORK;
  if (s->peer && events & POLLOUT)
    touch_channel(out, s->peer, true);
  if (s->type == SOCK_DGRAM && !is_unix(s) && s->state == SOCKET_CONNECTED && events & POLLOUT)
    touch_receiver_of_datagrams(d, out);
  for (unsigned i = 0; s->state == SOCKET_LISTENS && events & POLLIN && events & POLLOUT && i < s->waiting; i++) {
    touch_channel(out, s->backlog[i], true);
    touch_channel(out, channel_at(s->backlog[i])->socket.peer, true);
  }
}

const struct channel_rules socket_rules = {.name = "socket",
                                           .events = events,
                                           .read = read_socket,
                                           .write = write_socket,
                                           .close = close_socket,
                                           .touch = touch,
                                           .fails = fails,
                                           .takes = takes};
