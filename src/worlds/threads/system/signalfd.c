/* SPDX-License-Identifier: Apache-2.0
 *
 * signalfd: an eventfd that is ready while a signal of its set is pending. Knows no other descriptors, and sends no
 * signals (signals.c).
 */
#include "core/without_libc.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define SIGNALFDS 16

static struct {
  struct {
    int fd;
    uint64_t set;
  } signalfd[SIGNALFDS];
  unsigned signalfds;
} state;

static long signalfd_at(long fd)
{
  for (unsigned i = 0; i < state.signalfds; i++)
    if (state.signalfd[i].fd == (int)fd)
      return i;
  return -1;
}

bool is_signalfd(long fd)
{
  return signalfd_at(fd) >= 0;
}

/* An eventfd that has a count while a signal of the set is pending for the thread that looks. */
static void settle_signalfd(unsigned i, unsigned thread)
{
  uint64_t count = 1, pending = rt.process[rt.thread[thread].process].signals | rt.thread[thread].pending_signals;
  struct pollfd now = {.fd = state.signalfd[i].fd, .events = POLLIN};
  bool is_ready = sys(SYS_poll, &now, 1L, 0L) > 0, should = pending & state.signalfd[i].set;
  if (is_ready && !should)
    sys(SYS_read, now.fd, &count, sizeof count);
  else if (!is_ready && should)
    sys(SYS_write, now.fd, &count, sizeof count);
}

void signalfds_settle(unsigned thread)
{
  for (unsigned i = 0; i < state.signalfds; i++)
    settle_signalfd(i, thread);
}

long signalfd_call(const struct call *c)
{
  const uint64_t *set = (const uint64_t *)c->arg[1];
  long flags = c->number == SYS_signalfd4 ? c->arg[3] : 0, i = signalfd_at(c->arg[0]);
  if ((int)c->arg[0] == -1) {
    if (state.signalfds == SIGNALFDS)
      return -EMFILE;
    long fd = descriptor_opened(sys(SYS_eventfd2, 0L, flags)); /* the flags have the same values */
    if (fd < 0)
      return fd;
    i = state.signalfds++;
    state.signalfd[i].fd = (int)fd;
  }
  if (i < 0)
    return -EINVAL;
  state.signalfd[i].set = *set;
  return state.signalfd[i].fd;
}

/* Where the bytes from there on go, into however many pieces of memory. */
static void scatter(const struct iovec *piece, size_t pieces, size_t at, const void *from, size_t size)
{
  const char *bytes = from;
  for (; pieces > 0 && size > 0; piece++, pieces--) {
    size_t skipped = at < piece->iov_len ? at : piece->iov_len, room = piece->iov_len - skipped;
    size_t n = size < room ? size : room;
    copy_bytes((char *)piece->iov_base + skipped, bytes, n);
    at -= skipped;
    bytes += n;
    size -= n;
  }
}

static struct signalfd_siginfo described(int signal, const siginfo_t *info)
{
  struct signalfd_siginfo out = {.ssi_signo = (uint32_t)signal, .ssi_code = info->si_code};
  out.ssi_int = info->si_value.sival_int;
  out.ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
  if (info->si_code == SI_TIMER) {
    out.ssi_tid = (uint32_t)info->si_timerid;
    out.ssi_overrun = (uint32_t)info->si_overrun;
  } else {
    out.ssi_pid = (uint32_t)info->si_pid;
    out.ssi_uid = info->si_uid;
  }
  return out;
}

long read_signalfd(const struct call *c)
{
  const struct iovec all = {(void *)c->arg[1], (size_t)c->arg[2]};
  bool vector = c->number == SYS_readv;
  const struct iovec *piece = vector ? (const struct iovec *)c->arg[1] : &all;
  size_t pieces = vector ? (size_t)c->arg[2] : 1, room = 0, n = 0;
  for (size_t i = 0; i < pieces; i++)
    room += piece[i].iov_len;
  uint64_t set = state.signalfd[signalfd_at(c->arg[0])].set;
  siginfo_t info;
  if (room < sizeof(struct signalfd_siginfo))
    return -EINVAL;
  for (int signal; n < room / sizeof(struct signalfd_siginfo) && (signal = take_signal(set, &info)); n++) {
    struct signalfd_siginfo out = described(signal, &info);
    scatter(piece, pieces, n * sizeof out, &out, sizeof out);
  }
  return n ? (long)(n * sizeof(struct signalfd_siginfo)) : -EAGAIN;
}

void signalfd_closed(long fd)
{
  long i = signalfd_at(fd);
  if (i >= 0)
    state.signalfd[i] = state.signalfd[--state.signalfds];
}

void signalfds_reset(void)
{
  state.signalfds = 0;
}
