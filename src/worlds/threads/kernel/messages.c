/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of datagram and sequenced sockets, and descriptors on their way in any message. A message is in the bytes of
 * its receiver's channel, after a header.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/memory/transfer.h"
#include <errno.h>
#include <fcntl.h>

#define RIGHTS 1024
#define OVERHEAD 768
#define UNIX_DATAGRAMS 11
#define UDP_MOST 65507

struct header {
  uint32_t size;
  uint32_t rights; /* that go with it, 0 for none */
  struct address from;
};

/* Descriptors that go with a message, or with the byte of a stream that has this number. */
struct rights {
  uint32_t next;
  uint64_t position;
  unsigned count;
  uint16_t description[RIGHTS_MOST];
};

static struct {
  struct rights right[RIGHTS]; /* [0] is never used */
  uint32_t fresh, free;
} pool SYSTEM;

void rights_reset(void)
{
  pool.fresh = 1;
  pool.free = 0;
}

/* ---- descriptors ---- */

static uint32_t new_rights(void)
{
  uint32_t r = pool.free;
  if (r)
    pool.free = pool.right[r].next;
  else if (pool.fresh < RIGHTS)
    r = pool.fresh++;
  else
    fail(0, "the program has descriptors in more than %u messages at once; heddle has no room for more", RIGHTS - 1);
  pool.right[r] = (struct rights){0};
  return r;
}

static void free_rights(uint32_t r)
{
  pool.right[r].next = pool.free;
  pool.free = r;
}

static void drop_rights(uint32_t r)
{
  for (unsigned i = 0; i < pool.right[r].count; i++)
    description_release(description_at(pool.right[r].description[i]));
  free_rights(r);
}

/* Those that the message has: a number > 0, 0 for none, or -errno. */
static long collect_rights(const struct msghdr *m)
{
  uint32_t r = 0;
  for (struct cmsghdr *c = m && m->msg_control ? CMSG_FIRSTHDR(m) : NULL; c; c = CMSG_NXTHDR((struct msghdr *)m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      fail(0, "the program sends a control message other than descriptors with sendmsg(); heddle does not know it");
    unsigned n = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    const int *fds = (const int *)CMSG_DATA(c);
    if (n > RIGHTS_MOST)
      fail(0, "the program sends more than %d descriptors in one message; heddle has no room for more", RIGHTS_MOST);
    if (!r)
      r = new_rights();
    for (unsigned i = 0; i < n; i++) {
      uint16_t id = description_to_send(fds[i]);
      if (!id) {
        drop_rights(r);
        return -EBADF;
      }
      pool.right[r].description[pool.right[r].count++] = id;
    }
  }
  return r;
}

long rights_send(uint16_t to, struct transfer_call *t)
{
  struct socket_state_of *s = &channel_at(to)->socket;
  long r = is_unix(s) ? collect_rights(t->message) : 0;
  if (r <= 0)
    return r;
  pool.right[r].position = s->sent;
  if (s->last_rights)
    pool.right[s->last_rights].next = (uint32_t)r;
  else
    s->first_rights = (uint32_t)r;
  s->last_rights = (uint32_t)r;
  return 0;
}

/* Into the program's control buffer, as far as there is room; the rest is closed. */
static void deliver_rights(uint32_t r, struct transfer_call *t)
{
  struct msghdr *m = t->message;
  unsigned room = m && m->msg_control && m->msg_controllen >= CMSG_LEN(0)
                      ? (unsigned)((m->msg_controllen - CMSG_LEN(0)) / sizeof(int))
                      : 0;
  unsigned n = pool.right[r].count < room ? pool.right[r].count : room;
  if (n < pool.right[r].count && m)
    m->msg_flags |= MSG_CTRUNC;
  struct cmsghdr *c = n ? m->msg_control : NULL;
  int *fds = c ? (int *)CMSG_DATA(c) : NULL;
  for (unsigned i = 0; i < pool.right[r].count; i++) {
    if (i < n)
      fds[i] = (int)description_received(pool.right[r].description[i], t->flags & MSG_CMSG_CLOEXEC);
    else
      description_release(description_at(pool.right[r].description[i]));
  }
  if (c) {
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    m->msg_controllen = CMSG_SPACE(n * sizeof(int));
    t->control = true;
  }
  free_rights(r);
  pending_refresh();
}

size_t rights_receive(struct channel *c, struct transfer_call *t, size_t most)
{
  struct socket_state_of *s = &c->socket;
  uint32_t r = s->first_rights;
  if (!r || t->flags & MSG_PEEK)
    return most;
  uint64_t ahead = pool.right[r].position - s->received;
  if (ahead)
    return ahead < most ? ahead : most;
  uint32_t next = pool.right[r].next;
  s->first_rights = next;
  if (!next)
    s->last_rights = 0;
  deliver_rights(r, t);
  ahead = next ? pool.right[next].position - s->received : most;
  return ahead < most ? ahead : most;
}

void rights_drop(struct channel *c)
{
  struct socket_state_of *s = &c->socket;
  for (uint32_t r = s->first_rights, next; r; r = next) {
    next = pool.right[r].next;
    drop_rights(r);
  }
  s->first_rights = s->last_rights = 0;
  struct header h;
  while (!is_stream(s) && bytes_take(&c->bytes, &h, sizeof h)) {
    bytes_take(&c->bytes, NULL, h.size);
    if (h.rights)
      drop_rights(h.rights);
  }
}

/* ---- messages ---- */

uint16_t socket_receiver(const struct description *d, const struct transfer_call *t)
{
  const struct socket_state_of *s = socket_of(d);
  struct address a;
  if (s->type != SOCK_DGRAM)
    return s->peer;
  if (t->to && t->to_size)
    return address_read(s, t->to, t->to_size, &a) ? address_find(s, &a, false) : 0;
  return is_unix(s) ? s->peer : s->state == SOCKET_CONNECTED ? address_find(s, &s->remote, false) : 0;
}

/* Why there is nobody to send it to; 0: it is lost on the way. */
static long without_receiver(struct socket_state_of *s, const struct transfer_call *t)
{
  struct address a;
  bool names = t->to && t->to_size;
  if (!names && s->state != SOCKET_CONNECTED)
    return is_unix(s) ? -ENOTCONN : -EDESTADDRREQ;
  if (names && !address_read(s, t->to, t->to_size, &a))
    return -EINVAL;
  if (names && is_unix(s))
    return a.un.sun_path[0] && !address_is_name(a.un.sun_path) ? -ENOENT : -ECONNREFUSED;
  if (!names)
    s->error = ECONNREFUSED; /* it is told with the next call */
  return 0;
}

long messages_bytes(const struct channel *c)
{
  return (long)(c->bytes.count - c->socket.messages * sizeof(struct header));
}

/* What one sends to the other end of a pair counts against its own room until it is read. Who else sends there has more
 * of his own. */
static bool has_filled(const struct socket_state_of *s, const struct channel *to)
{
  bool alone = to->socket.peer && &channel_at(to->socket.peer)->socket == s;
  return alone && (size_t)messages_bytes(to) >= s->send_room;
}

bool message_must_wait(const struct socket_state_of *s, const struct channel *to, size_t size)
{
  if (s->type != SOCK_DGRAM)
    return to->bytes.count && to->bytes.count + size + OVERHEAD > s->send_room;
  return is_unix(s) && (to->socket.messages >= UNIX_DATAGRAMS || has_filled(s, to));
}

/* A socket that is connected takes messages from nobody else; and where there is no room, nobody waits for some. */
static bool loses(const struct socket_state_of *s, const struct channel *to)
{
  const struct socket_state_of *r = &to->socket;
  if (is_unix(s))
    return false;
  bool other = r->state == SOCKET_CONNECTED && !address_is_same(&r->remote, &s->local);
  return other || r->shut_receive || to->bytes.count + r->messages * OVERHEAD > r->receive_room;
}

static long put_message(struct description *d, uint16_t to, struct transfer_call *t)
{
  struct channel *c = channel_at(to);
  struct socket_state_of *s = socket_of(d);
  long rights = is_unix(s) ? collect_rights(t->message) : 0;
  if (rights < 0)
    return rights;
  struct header h = {.size = (uint32_t)t->size, .rights = (uint32_t)rights, .from = s->local};
  uint64_t share = s->send_room / UNIX_DATAGRAMS; /* of it, as many messages as there may be */
  if (s->type == SOCK_DGRAM)
    channel_filled(to, share > t->size ? share : t->size, is_unix(s) ? s->send_room : UINT64_MAX);
  else
    channel_filled(to, t->size + OVERHEAD, s->send_room);
  bytes_put(&c->bytes, &h, sizeof h);
  transfer_to_bytes(t, &c->bytes, t->size);
  c->socket.messages++;
  channel_changed(to);
  epoll_wake(to, POLLIN);
  return (long)t->size;
}

/* Whom a datagram socket was connected to is gone: so is the connection. */
static long part_from(struct description *d, uint16_t peer)
{
  struct socket_state_of *s = socket_of(d);
  if (s->peer == peer) {
    s->peer = 0;
    s->state = SOCKET_FRESH;
    channel_release(peer);
    channel_changed(d->channel);
    pending_refresh();
  }
  return -ECONNREFUSED;
}

long message_send(struct description *d, struct transfer_call *t)
{
  struct socket_state_of *s = socket_of(d);
  struct address a;
  if (t->to && t->to_size && address_read(s, t->to, t->to_size, &a))
    address_note_try(s, &a);
  uint16_t to = socket_receiver(d, t);
  if (!is_unix(s) && !s->bound)
    address_give(d->channel);
  if (t->size > (is_unix(s) ? s->send_room : UDP_MOST))
    return -EMSGSIZE;
  long error = to ? 0 : without_receiver(s, t);
  if (error)
    return error;
  if (!to || loses(s, channel_at(to)))
    return t->done = t->size, (long)t->size;
  const struct socket_state_of *r = &channel_at(to)->socket;
  if (r->gone && s->type == SOCK_DGRAM)
    return part_from(d, to);
  if (r->gone || r->shut_receive)
    return -EPIPE;
  return message_must_wait(s, channel_at(to), t->size) ? -EAGAIN : put_message(d, to, t);
}

long message_receive(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  struct header h;
  bytes_look(&c->bytes, 0, &h, sizeof h);
  t->from = h.from;
  t->cut = h.size > t->size;
  size_t n = h.size < t->size ? h.size : t->size;
  if (t->flags & MSG_PEEK) {
    size_t left = n, at = 0;
    for (size_t i = 0; i < t->parts && left; i++) {
      size_t some = t->part[i].iov_len < left ? t->part[i].iov_len : left;
      bytes_look(&c->bytes, sizeof h + at, t->part[i].iov_base, some);
      at += some;
      left -= some;
    }
  } else {
    bytes_take(&c->bytes, NULL, sizeof h);
    transfer_from_bytes(t, &c->bytes, n, false);
    bytes_take(&c->bytes, NULL, h.size - n);
    c->socket.messages--;
    if (h.rights)
      deliver_rights(h.rights, t);
  }
  return t->flags & MSG_TRUNC ? (long)h.size : (long)n;
}

/* ---- what is told beside ---- */

/* SO_PASSCRED: who sent it, which is the program itself. */
static void tell_sender(const struct description *d, struct transfer_call *t)
{
  struct msghdr *m = t->message;
  const struct option *o = is_modelled(d) ? option_of(socket_of(d), SOL_SOCKET, SO_PASSCRED) : NULL;
  const struct ucred own = {VIRTUAL_PID, (uid_t)sys(SYS_geteuid), (gid_t)sys(SYS_getegid)};
  if (!o || !o->value[0] || !m->msg_control)
    return;
  if (t->control)
    fail(0, "the program receives descriptors and credentials in one message; heddle does not know that yet");
  if (m->msg_controllen < CMSG_LEN(sizeof own)) {
    m->msg_flags |= MSG_CTRUNC;
    return;
  }
  struct cmsghdr *c = m->msg_control;
  *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_CREDENTIALS, .cmsg_len = CMSG_LEN(sizeof own)};
  copy_bytes(CMSG_DATA(c), &own, sizeof own);
  m->msg_controllen = CMSG_SPACE(sizeof own) < m->msg_controllen ? CMSG_SPACE(sizeof own) : m->msg_controllen;
  t->control = true;
}

long socket_received(const struct call *c, struct transfer_call *t, long n)
{
  const struct description *d = description_of((int)c->arg[0]);
  bool stream = is_modelled(d) && socket_is_stream(d);
  long got = stream && t->done && !(t->flags & MSG_PEEK) ? (long)t->done : n;
  if (c->number == SYS_recvfrom && c->arg[4] && c->arg[5]) {
    if (stream)
      *(socklen_t *)c->arg[5] = 0;
    else
      address_write(&t->from, (struct sockaddr *)c->arg[4], (socklen_t *)c->arg[5]);
  }
  struct msghdr *m = t->message;
  if (!m)
    return got;
  if (stream || !m->msg_name)
    m->msg_namelen = 0;
  else
    address_write(&t->from, m->msg_name, &m->msg_namelen);
  m->msg_flags = (m->msg_flags & MSG_CTRUNC) | (t->cut ? MSG_TRUNC : 0) |
                 (is_modelled(d) && socket_of(d)->type == SOCK_SEQPACKET ? MSG_EOR : 0);
  tell_sender(d, t);
  if (!t->control)
    m->msg_controllen = 0;
  return got;
}

/* ---- several at once ---- */

static long one_of_many(const struct call *c, long i, bool sends)
{
  struct mmsghdr *m = (struct mmsghdr *)c->arg[1] + i;
  long flags = c->arg[3] & ~MSG_WAITFORONE;
  if (i && (sends || c->arg[3] & MSG_WAITFORONE))
    flags |= sends ? 0 : MSG_DONTWAIT;
  struct call one = {
      .number = sends ? SYS_sendmsg : SYS_recvmsg, .arg = {c->arg[0], (long)&m->msg_hdr, flags}, .pc = c->pc};
  long n = sends ? write_channel(&one) : read_channel(&one);
  if (n >= 0)
    m->msg_len = (unsigned)n;
  return n;
}

static long many(const struct call *c, bool sends)
{
  touch_outputs(c);
  for (long i = 0; i < (long)(unsigned)c->arg[2]; i++) {
    long n = one_of_many(c, i, sends);
    if (n < 0)
      return i ? i : n;
    if (!n && !sends && is_modelled(description_of((int)c->arg[0])) && socket_is_stream(description_of((int)c->arg[0])))
      return i + 1;
  }
  return (long)(unsigned)c->arg[2];
}

long receive_many_channel(const struct call *c)
{
  return many(c, false);
}

long send_many_channel(const struct call *c)
{
  return many(c, true);
}
