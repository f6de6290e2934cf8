/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading from channels and writing to them: when it can be done, piece by piece if need be, as the call says. What a
 * piece is, is for the object.
 */
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/ready.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/uio.h>

#define SPLICED 65536

void describe_call(const struct call *c, struct transfer_call *t)
{
  *t = (struct transfer_call){0};
  switch (c->number) {
  case SYS_readv:
  case SYS_writev:
    transfer_describe(t, (const struct iovec *)c->arg[1], (size_t)c->arg[2]);
    return;
  case SYS_recvmsg:
  case SYS_sendmsg:
    t->message = (struct msghdr *)c->arg[1];
    t->flags = (int)c->arg[2];
    t->to = t->message->msg_name;
    t->to_size = t->message->msg_namelen;
    transfer_describe(t, t->message->msg_iov, t->message->msg_iovlen);
    return;
  case SYS_sendto:
  case SYS_recvfrom:
    t->flags = (int)c->arg[3];
    t->to = (const struct sockaddr *)c->arg[4];
    t->to_size = c->number == SYS_sendto ? (socklen_t)c->arg[5] : 0;
    break;
  }
  t->single = (struct iovec){(void *)c->arg[1], (size_t)c->arg[2]};
  t->part = &t->single;
  t->parts = 1;
  t->size = t->single.iov_len;
}

/* How long a call on it waits, -1 for ever. */
static int64_t patience(const struct description *d, unsigned events)
{
  return d->kind == CHANNEL_SOCKET ? socket_patience(d, events) : -1;
}

static bool waits(const struct description *d, const struct transfer_call *t)
{
  return !(d->flags & O_NONBLOCK) && !(t->flags & MSG_DONTWAIT);
}

static long try(long fd, struct transfer_call *t, bool writes)
{
  struct description *d = description_of(fd);
  if (!is_modelled(d))
    return d ? UNKNOWN : -EBADF;
  return writes ? rules_of(d)->write(d, t) : rules_of(d)->read(d, t);
}

/* With an end: when its time has come, it is given up. */
static long move_in_time(const struct call *c, struct transfer_call *t, bool writes, int64_t wait)
{
  long fd = (int)c->arg[0];
  int64_t deadline = (int64_t)rt.now + wait;
  ends_at(deadline);
  long result = step_on_descriptor(writes ? OP_CHANNEL_TIMEDSEND : OP_CHANNEL_TIMEDRECEIVE, fd,
                                   writes ? POLLOUT : POLLIN, writes ? t : NULL, c->pc);
  if (result)
    return result;
  while ((result = try(fd, t, writes)) == -EAGAIN)
    switch (time_goes_on(deadline)) {
    case WAIT_IS_OVER:
      return -EAGAIN;
    case WAIT_INTERRUPTED:
      return -EINTR;
    case WAIT_GOES_ON:
      break;
    }
  return result;
}

/* One piece: when it can be had, or never. */
static long move_piece(const struct call *c, struct transfer_call *t, bool writes)
{
  static const enum op_kind kinds[2][2] = {{OP_CHANNEL_TIMEDRECEIVE, OP_CHANNEL_RECEIVE},
                                           {OP_CHANNEL_TIMEDSEND, OP_CHANNEL_SEND}};
  long fd = (int)c->arg[0];
  for (;;) {
    const struct description *d = description_of(fd);
    if (!is_modelled(d))
      return d ? UNKNOWN : -EBADF;
    bool may_wait = waits(d, t);
    int64_t wait = may_wait ? patience(d, writes ? POLLOUT : POLLIN) : -1;
    if (wait >= 0)
      return move_in_time(c, t, writes, wait);
    long result = step_on_descriptor(kinds[writes][may_wait], fd, writes ? POLLOUT : POLLIN, writes ? t : NULL, c->pc);
    if (result)
      return result;
    touch_outputs(c);
    result = try(fd, t, writes);
    if (result != -EAGAIN || !may_wait || !(d = description_of(fd)) || !waits(d, t))
      return result;
  }
}

static bool wants_all(long fd, const struct transfer_call *t, bool writes)
{
  const struct description *d = description_of(fd);
  if (!is_modelled(d) || !waits(d, t) || t->done >= t->size)
    return false;
  if (writes)
    return d->kind == CHANNEL_PIPE || (d->kind == CHANNEL_SOCKET && socket_is_stream(d));
  return t->flags & MSG_WAITALL && !(t->flags & MSG_PEEK) && d->kind == CHANNEL_SOCKET && socket_is_stream(d);
}

long read_channel(const struct call *c)
{
  struct transfer_call t;
  describe_call(c, &t);
  const struct description *d = description_of((int)c->arg[0]);
  bool receives = c->number != SYS_read && c->number != SYS_readv;
  if (receives && d->kind != CHANNEL_SOCKET)
    return -ENOTSOCK;
  for (;;) {
    long n = move_piece(c, &t, false);
    if (n == UNKNOWN || (n < 0 && !t.done))
      return n;
    if (n <= 0 || !wants_all((int)c->arg[0], &t, false))
      return receives && n >= 0 ? socket_received(c, &t, n) : n < 0 ? (long)t.done : n;
  }
}

long write_channel(const struct call *c)
{
  struct transfer_call t;
  describe_call(c, &t);
  const struct description *d = description_of((int)c->arg[0]);
  if (c->number != SYS_write && c->number != SYS_writev && d->kind != CHANNEL_SOCKET)
    return -ENOTSOCK;
  if (t.to && t.to_size && d->kind == CHANNEL_SOCKET && socket_leaves(d, t.to, t.to_size)) {
    socket_goes_outside((int)c->arg[0], c->pc);
    return UNKNOWN;
  }
  for (long done = 0;;) {
    long n = move_piece(c, &t, true);
    if (n == -EPIPE && !(t.flags & MSG_NOSIGNAL))
      or_signal(-EPIPE);
    if (n < 0)
      return done && n != UNKNOWN ? done : n;
    done += n;
    if (!n || !wants_all((int)c->arg[0], &t, true))
      return done;
  }
}

/* The pages are copied: who changes them afterwards is not seen by who reads from the pipe. */
long vmsplice_channel(const struct call *c)
{
  const struct description *d = description_of((int)c->arg[0]);
  bool writes = (d->flags & O_ACCMODE) != O_RDONLY;
  struct call as = {.number = writes ? SYS_writev : SYS_readv, .arg = {c->arg[0], c->arg[1], c->arg[2]}, .pc = c->pc};
  if (d->kind != CHANNEL_PIPE)
    return -EBADF;
  lose(LOST_CALLS);
  return writes ? write_channel(&as) : read_channel(&as);
}

/* ---- from one descriptor to another ---- */

/* So many bytes of one that is the kernel's, a file. */
static long read_file(const struct call *c, char *buffer, size_t size)
{
  bool sends = c->number == SYS_sendfile;
  long in = c->arg[sends];
  int64_t *offset = (int64_t *)c->arg[sends ? 2 : 1];
  if (!offset)
    return sys(SYS_read, in, buffer, size);
  long n = sys(SYS_pread64, in, buffer, size, *offset);
  if (n > 0)
    *offset += n;
  return n;
}

struct splice {
  long in, out;
  size_t size;
  bool tees, waits;
};

static struct splice splice_of(const struct call *c)
{
  bool sends = c->number == SYS_sendfile, tees = c->number == SYS_tee;
  long flags = sends ? 0 : c->arg[tees ? 3 : 5];
  size_t size = (size_t)c->arg[sends ? 3 : tees ? 2 : 4];
  return (struct splice){.in = (int)c->arg[sends],
                         .out = (int)c->arg[sends  ? 0
                                            : tees ? 1
                                                   : 2],
                         .size = size < SPLICED ? size : SPLICED,
                         .tees = tees,
                         .waits = !(flags & SPLICE_F_NONBLOCK)};
}

/* Why it cannot be done at all; 0: it can. */
static long splice_fails(const struct call *c, const struct splice *s)
{
  const struct description *in = description_of(s->in), *out = description_of(s->out);
  bool from_pipe = in && in->kind == CHANNEL_PIPE, to_pipe = out && out->kind == CHANNEL_PIPE;
  if (descriptor_is_free(s->in) || descriptor_is_free(s->out))
    return -EBADF;
  if (is_modelled(in) && ((in->flags & O_ACCMODE) == O_WRONLY))
    return -EBADF;
  if (is_modelled(out) && ((out->flags & O_ACCMODE) == O_RDONLY))
    return -EBADF;
  if (s->tees ? !from_pipe || !to_pipe : c->number == SYS_splice ? !from_pipe && !to_pipe : is_modelled(in))
    return -EINVAL;
  if (c->number == SYS_splice && ((from_pipe && c->arg[1]) || (to_pipe && c->arg[3])))
    return -ESPIPE;
  return from_pipe && to_pipe && in->channel == out->channel ? -EINVAL : 0;
}

/* All of it at once, or -EAGAIN. */
static long splice_now(const struct call *c, const struct splice *s, char *buffer)
{
  struct description *in = description_of(s->in), *out = description_of(s->out);
  struct transfer_call read = {.single = {buffer, s->size}, .parts = 1, .size = s->size};
  struct transfer_call write = {.parts = 1};
  read.part = &read.single;
  write.part = &write.single;
  if (is_modelled(out)) { /* where there is no room, nothing is taken */
    size_t room = out->kind == CHANNEL_PIPE ? pipe_room(out) : s->size;
    read.size = read.single.iov_len = room < s->size ? room : s->size;
    write.single = (struct iovec){buffer, 1};
    write.size = 1;
    if (!rules_of(out)->takes(out, &write) || (!room && !(rules_of(out)->events(out, self_index()) & POLLERR)))
      return -EAGAIN;
    if (rules_of(out)->events(out, self_index()) & POLLERR)
      return -EPIPE;
  }
  long n = !is_modelled(in) ? read_file(c, buffer, read.size)
           : s->tees        ? pipe_look(in, buffer, read.size)
                            : rules_of(in)->read(in, &read);
  if (n <= 0)
    return n;
  write.single = (struct iovec){buffer, (size_t)n};
  write.size = (size_t)n;
  const int64_t *offset = c->number == SYS_splice ? (const int64_t *)c->arg[3] : NULL;
  if (is_modelled(out))
    return rules_of(out)->write(out, &write);
  return offset ? sys(SYS_pwrite64, s->out, buffer, n, *offset) : sys(SYS_write, s->out, buffer, n);
}

/* Files at either end. */
static void notice_splice(const struct splice *s)
{
  if (!is_modelled(description_of(s->in)))
    notice_descriptor(s->in, IN_ACCESS);
  if (!is_modelled(description_of(s->out)))
    notice_descriptor(s->out, IN_MODIFY);
}

/* Something must have come, and there must be room for it; then both sides are changed in one step. */
long splice_channel(const struct call *c)
{
  static char *buffers;
  if (!buffers)
    buffers = private_memory((size_t)SPLICED * MAX_THREADS);
  struct splice s = splice_of(c);
  const struct transfer_call any = {.size = 1};
  const long both[] = {s.in, s.out};
  for (;;) {
    step_to_change(both, 2, SYSTEM_FILES, SYSTEM_DESCRIPTORS, c->pc);
    long result = splice_fails(c, &s);
    if (result || !s.size)
      return result;
    result = splice_now(c, &s, buffers + (size_t)SPLICED * self_index());
    if (result > 0)
      notice_splice(&s);
    if (result != -EAGAIN || !s.waits)
      return or_signal(result);
    result = 0;
    if (is_modelled(description_of(s.in)))
      result = step_on_descriptor(OP_CHANNEL_RECEIVE, s.in, POLLIN, NULL, c->pc);
    if (!result && is_modelled(description_of(s.out)))
      result = step_on_descriptor(OP_CHANNEL_SEND, s.out, POLLOUT, &any, c->pc);
    if (result)
      return result;
  }
}
