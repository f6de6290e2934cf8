/* SPDX-License-Identifier: Apache-2.0
 *
 * How sockets come to talk to each other: pairs, binding, listening, connecting, accepting, and shutting down. Who
 * talks to an address that is not of this machine gets a socket of the kernel's; with a client from outside (--client)
 * all are.
 */
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>

#define TYPE_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)

/* ---- making them ---- */

static bool is_modelled_socket(const struct call *c)
{
  long domain = (int)c->arg[0], type = (int)c->arg[1] & ~TYPE_FLAGS, protocol = (int)c->arg[2];
  bool inet = domain == AF_INET || domain == AF_INET6;
  if (rt.control->config.client)
    return false;
  if (domain == AF_UNIX)
    return (type == SOCK_STREAM || type == SOCK_DGRAM || type == SOCK_SEQPACKET) && protocol == 0;
  return inet && ((type == SOCK_STREAM && (!protocol || protocol == IPPROTO_TCP)) ||
                  (type == SOCK_DGRAM && (!protocol || protocol == IPPROTO_UDP)));
}

static struct description *describe_socket(uint16_t channel, long flags)
{
  return description_new(CHANNEL_SOCKET, channel, O_RDWR | (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0u));
}

static void set_up(uint16_t channel, const struct call *c)
{
  socket_set_up(channel, (int)c->arg[0], (int)c->arg[1] & ~TYPE_FLAGS, (int)c->arg[2]);
}

long socket_call(const struct call *c)
{
  if (!is_modelled_socket(c))
    return UNKNOWN;
  uint16_t channel = channel_new(CHANNEL_SOCKET, c->pc);
  set_up(channel, c);
  long fd = number_give(describe_socket(channel, c->arg[1]), c->arg[1] & SOCK_CLOEXEC);
  pending_refresh();
  return fd;
}

/* Each keeps the channel of the other until both are closed. */
static void join(uint16_t a, uint16_t b)
{
  struct channel *x = channel_at(a), *y = channel_at(b);
  x->socket.peer = b;
  y->socket.peer = a;
  x->references++;
  y->references++;
  x->socket.state = y->socket.state = SOCKET_CONNECTED;
  epoll_follow(a, b);
}

long socketpair_call(const struct call *c)
{
  int *out = (int *)c->arg[3];
  if (!is_modelled_socket(c))
    return UNKNOWN;
  if ((int)c->arg[0] != AF_UNIX)
    return -EOPNOTSUPP;
  long first = number_free(0), second = first < 0 ? first : number_free(first + 1);
  if (second < 0)
    return second;
  uint16_t a = channel_new(CHANNEL_SOCKET, c->pc), b = channel_twin(a, CHANNEL_SOCKET, c->pc);
  set_up(a, c);
  set_up(b, c);
  join(a, b);
  channel_at(a)->socket.local.size = channel_at(b)->socket.local.size = sizeof(sa_family_t);
  channel_at(a)->socket.local.any.sa_family = channel_at(b)->socket.local.any.sa_family = AF_UNIX;
  number_set(first, describe_socket(a, c->arg[1]), c->arg[1] & SOCK_CLOEXEC);
  number_set(second, describe_socket(b, c->arg[1]), c->arg[1] & SOCK_CLOEXEC);
  pending_refresh();
  touch_outputs(c);
  out[0] = (int)first;
  out[1] = (int)second;
  return 0;
}

/* ---- addresses ---- */

/* The socket of a call, after a step for it; NULL: it is none, and that is the result. */
static struct description *socket_after_step(const struct call *c, uint32_t changes, uint32_t reads, long *result)
{
  long fd = (int)c->arg[0];
  step_to_change(&fd, 1, changes, reads, c->pc);
  struct description *d = description_of(fd);
  *result = !d ? -EBADF : !is_modelled(d) ? UNKNOWN : d->kind != CHANNEL_SOCKET ? -ENOTSOCK : 0;
  return *result ? NULL : d;
}

long bind_channel(const struct call *c)
{
  long result;
  struct description *d = socket_after_step(c, SYSTEM_NETWORK, SYSTEM_FILES, &result);
  struct address a;
  if (!d)
    return result;
  struct socket_state_of *s = socket_of(d);
  if (!address_read(s, (const struct sockaddr *)c->arg[1], (socklen_t)c->arg[2], &a))
    return -EINVAL;
  if (s->bound)
    return -EINVAL;
  if (!address_is_inside(&a)) {
    socket_goes_outside((int)c->arg[0], c->pc);
    return UNKNOWN;
  }
  if (address_has_port(&a) && address_in_use(s, &a))
    return -EADDRINUSE;
  s->local = a;
  s->bound = true;
  s->named_by_path = is_unix(s) && a.size > sizeof(sa_family_t) && a.un.sun_path[0];
  if (!address_has_port(&a))
    address_give(d->channel);
  channel_changed(d->channel);
  pending_refresh();
  return 0;
}

long listen_channel(const struct call *c)
{
  long result;
  struct description *d = socket_after_step(c, SYSTEM_NETWORK, 0, &result);
  if (!d)
    return result;
  struct socket_state_of *s = socket_of(d);
  if (s->type == SOCK_DGRAM)
    return -EOPNOTSUPP;
  if (s->state == SOCKET_CONNECTED || (is_unix(s) && !s->bound))
    return -EINVAL;
  if (!s->bound)
    address_give(d->channel);
  int most = (int)c->arg[1];
  s->most = (uint16_t)(most < 0 || most > BACKLOG_MOST - 1 ? BACKLOG_MOST - 1 : most);
  s->state = SOCKET_LISTENS;
  channel_changed(d->channel);
  pending_refresh();
  return 0;
}

long name_channel(const struct call *c)
{
  const struct description *d = description_of((int)c->arg[0]);
  if (d->kind != CHANNEL_SOCKET)
    return -ENOTSOCK;
  const struct socket_state_of *s = socket_of(d);
  struct address none = {.size = sizeof(sa_family_t)};
  none.any.sa_family = s->domain;
  if (!is_unix(s))
    none.size = s->domain == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
  bool peers = c->number == SYS_getpeername;
  if (peers && s->state != SOCKET_CONNECTED)
    return -ENOTCONN;
  const struct address *a = peers ? &s->remote : &s->local;
  touch_outputs(c);
  address_write(a->size ? a : &none, (struct sockaddr *)c->arg[1], (socklen_t *)c->arg[2]);
  return 0;
}

/* ---- connecting ---- */

/* A datagram socket only remembers with whom it talks. */
static long connect_datagrams(struct description *d, const struct address *a)
{
  struct socket_state_of *s = socket_of(d);
  if (a->any.sa_family == AF_UNSPEC) {
    s->state = SOCKET_FRESH;
    s->remote.size = 0;
    return 0;
  }
  uint16_t to = is_unix(s) ? address_find(s, a, false) : 0;
  if (is_unix(s) && !to)
    return a->un.sun_path[0] && !address_is_name(a->un.sun_path) ? -ENOENT : -ECONNREFUSED;
  if (to) {
    channel_at(to)->references++;
    s->peer = to;
  }
  if (!is_unix(s) && !s->bound)
    address_give(d->channel);
  s->remote = *a;
  s->state = SOCKET_CONNECTED;
  if (!is_unix(s))
    address_fill_local(&s->local, &s->remote);
  channel_changed(d->channel);
  pending_refresh();
  return 0;
}

/* The connection waits for somebody to accept it; both sides can use it at once. */
static void make_connection(struct description *d, uint16_t listener, const struct address *to)
{
  struct channel *l = channel_at(listener);
  struct socket_state_of *s = socket_of(d);
  uint16_t server = channel_twin(d->channel, CHANNEL_SOCKET, l->made_at);
  struct socket_state_of *other = &channel_at(server)->socket;
  socket_set_up(server, s->domain, s->type, s->protocol);
  if (!is_unix(s) && !s->bound)
    address_give(d->channel);
  s->remote = is_unix(s) ? l->socket.local : *to;
  if (!is_unix(s)) {
    address_fill_local(&s->remote, to);
    address_fill_local(&s->local, &s->remote);
  }
  other->local = s->remote;
  other->remote = s->local;
  for (unsigned i = 0; i < l->socket.options; i++)
    other->option[other->options++] = l->socket.option[i];
  join(d->channel, server);
  release_to(&l->clock);
  l->socket.backlog[l->socket.waiting++] = server;
  channel_changed(listener);
  channel_changed(d->channel);
  epoll_wake(listener, POLLIN);
  epoll_wake(d->channel, POLLOUT);
  pending_refresh();
}

uint16_t socket_listener(const struct description *d, const struct transfer_call *t)
{
  const struct socket_state_of *s = socket_of(d);
  struct address a;
  if (!address_read(s, t->to, t->to_size, &a))
    return 0;
  return address_find(s, &a, s->type != SOCK_DGRAM);
}

bool socket_can_connect(const struct description *d, const struct transfer_call *t)
{
  uint16_t listener = socket_of(d)->type == SOCK_DGRAM ? 0 : socket_listener(d, t);
  return !listener || channel_at(listener)->socket.waiting <= channel_at(listener)->socket.most;
}

static long connect_now(struct description *d, const struct address *a)
{
  struct socket_state_of *s = socket_of(d);
  address_note_try(s, a);
  if (s->type == SOCK_DGRAM)
    return connect_datagrams(d, a);
  if (s->state == SOCKET_LISTENS)
    return is_unix(s) ? -EINVAL : -EISCONN;
  uint16_t listener = address_find(s, a, true);
  if (!listener)
    return is_unix(s) && a->un.sun_path[0] && !address_is_name(a->un.sun_path) ? -ENOENT : -ECONNREFUSED;
  struct socket_state_of *l = &channel_at(listener)->socket;
  if (l->waiting > l->most)
    return -EAGAIN;
  make_connection(d, listener, a);
  return 0;
}

/* Of a socket that was connected before, or tried to be and was not told yet how it went; UNKNOWN: of no such. */
static long outcome_so_far(struct socket_state_of *s)
{
  bool in_progress = s->in_progress;
  s->in_progress = false;
  if (s->type == SOCK_DGRAM)
    return UNKNOWN;
  if (s->state == SOCKET_CONNECTED)
    return in_progress ? 0 : -EISCONN;
  return s->error ? socket_error(s) : UNKNOWN;
}

/* TCP that does not wait is told later how it went. */
static long told_later(struct socket_state_of *s, long result)
{
  if (is_unix(s) || s->type == SOCK_DGRAM || (result && result != -ECONNREFUSED))
    return result;
  s->in_progress = !result;
  s->error = (int)-result;
  return -EINPROGRESS;
}

long connect_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  struct transfer_call t = {.to = (const struct sockaddr *)c->arg[1], .to_size = (socklen_t)c->arg[2]};
  struct address a;
  for (;;) {
    struct description *d = description_of(fd);
    if (!is_modelled(d))
      return d ? UNKNOWN : -EBADF;
    if (d->kind != CHANNEL_SOCKET)
      return -ENOTSOCK;
    if (!address_read(socket_of(d), t.to, t.to_size, &a))
      return -EINVAL;
    if (socket_leaves(d, t.to, t.to_size)) {
      socket_goes_outside(fd, c->pc);
      return UNKNOWN;
    }
    bool waits = !(d->flags & O_NONBLOCK);
    long result = step_on_descriptor(OP_CHANNEL_CONNECT, fd, POLLOUT | POLLIN, &t, c->pc);
    if (result)
      return result;
    d = description_of(fd);
    if (!is_modelled(d) || d->kind != CHANNEL_SOCKET)
      continue;
    long told = outcome_so_far(socket_of(d));
    if (told != UNKNOWN)
      return told;
    result = connect_now(d, &a);
    if (result == -EAGAIN && waits)
      continue;
    return waits ? result : told_later(socket_of(d), result);
  }
}

static long accept_first(struct description *d, const struct call *c, long flags)
{
  struct channel *l = channel_at(d->channel);
  struct socket_state_of *s = &l->socket;
  uint16_t channel = s->backlog[0];
  acquire_from(&l->clock);
  for (unsigned i = 1; i < s->waiting; i++)
    s->backlog[i - 1] = s->backlog[i];
  s->waiting--;
  channel_changed(d->channel);
  const struct address remote = channel_at(channel)->socket.remote;
  long fd = number_give(describe_socket(channel, flags), flags & SOCK_CLOEXEC);
  pending_refresh();
  if (fd < 0 || !c->arg[1] || !c->arg[2])
    return fd;
  touch_outputs(c);
  const struct address none = {.size = sizeof(sa_family_t), .any.sa_family = AF_UNIX};
  address_write(remote.size ? &remote : &none, (struct sockaddr *)c->arg[1], (socklen_t *)c->arg[2]);
  return fd;
}

long accept_channel(const struct call *c)
{
  long fd = (int)c->arg[0], flags = c->number == SYS_accept4 ? c->arg[3] : 0;
  for (;;) {
    struct description *d = description_of(fd);
    if (!is_modelled(d))
      return d ? UNKNOWN : -EBADF;
    if (d->kind != CHANNEL_SOCKET)
      return -ENOTSOCK;
    bool waits = !(d->flags & O_NONBLOCK);
    long result = step_on_descriptor(waits ? OP_CHANNEL_ACCEPT : OP_CHANNEL_TIMEDACCEPT, fd, POLLIN, NULL, c->pc);
    if (result)
      return result;
    d = description_of(fd);
    if (!is_modelled(d) || d->kind != CHANNEL_SOCKET)
      continue;
    struct socket_state_of *s = socket_of(d);
    if (s->type == SOCK_DGRAM)
      return -EOPNOTSUPP;
    if (s->state != SOCKET_LISTENS)
      return -EINVAL;
    if (s->waiting)
      return accept_first(d, c, flags);
    if (!waits)
      return -EAGAIN;
  }
}

/* ---- shutting down ---- */

static void shut(struct channel *c, uint16_t id)
{
  release_to(&c->clock);
  c->socket.shut_receive = true;
  channel_changed(id);
  epoll_wake(id, POLLIN | POLLOUT);
}

long shutdown_channel(const struct call *c)
{
  long result, how = (int)c->arg[1];
  struct description *d = socket_after_step(c, 0, 0, &result);
  if (!d)
    return result;
  struct socket_state_of *s = socket_of(d);
  if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
    return -EINVAL;
  if (s->state == SOCKET_LISTENS && !is_unix(s)) { /* who waits to accept is told that it does not listen */
    s->state = SOCKET_FRESH;
    channel_changed(d->channel);
    pending_refresh();
    return 0;
  }
  if (s->state != SOCKET_CONNECTED && !is_unix(s))
    return -ENOTCONN;
  if (how != SHUT_WR) {
    shut(channel_at(d->channel), d->channel);
    if (is_unix(s) && s->peer && s->type != SOCK_DGRAM) { /* the other side of a Unix socket learns it */
      channel_at(s->peer)->socket.shut_send = true;
      channel_changed(s->peer);
      epoll_wake(s->peer, POLLIN | POLLOUT);
    }
  }
  if (how != SHUT_RD) {
    s->shut_send = true;
    if (s->peer && s->type != SOCK_DGRAM)
      shut(channel_at(s->peer), s->peer);
    channel_changed(d->channel);
  }
  return 0;
}

/* ---- outside ---- */

bool socket_leaves(const struct description *d, const struct sockaddr *to, socklen_t size)
{
  struct address a;
  return address_read(socket_of(d), to, size, &a) && a.any.sa_family != AF_UNSPEC && !address_is_inside(&a) &&
         socket_of(d)->state != SOCKET_CONNECTED;
}

/* What was said of the socket so far is said again, to the kernel. */
void socket_goes_outside(long fd, uintptr_t pc)
{
  struct description *d = description_of(fd);
  struct socket_state_of *s = socket_of(d);
  long made = sys(SYS_socket, s->domain, s->type | (d->flags & O_NONBLOCK ? SOCK_NONBLOCK : 0), s->protocol);
  if (made < 0)
    fail(pc, "the program talks to an address outside this machine, and no socket can be made for that");
  for (unsigned i = 0; i < s->options; i++) {
    const struct option *o = &s->option[i];
    sys(SYS_setsockopt, made, o->level, o->name, o->value, o->size);
  }
  if (s->bound)
    sys(SYS_bind, made, &s->local.any, s->local.size);
  rules_of(d)->close(d);
  d->kind = CHANNEL_NONE;
  d->channel = 0;
  numbers_become_real(d, made);
  pending_refresh();
}

bool socket_waits_outside(const struct description *d)
{
  const struct socket_state_of *s = socket_of(d);
  bool awaits_anybody =
      s->state == SOCKET_LISTENS || (s->type == SOCK_DGRAM && s->bound && s->state != SOCKET_CONNECTED);
  return awaits_anybody && !address_was_tried(s);
}
