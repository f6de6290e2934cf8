/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for any of several descriptors: poll, select, epoll, and the mask of signals that some have meanwhile. Reads
 * and writes nothing.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/polled.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

static void acquire_ready(const struct pollfd *set, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (set[i].revents && descriptor_is_modelled(set[i].fd))
      descriptor_acquired(set[i].fd);
  descriptors_acquired();
}

/* The wait is over, as far as others are concerned; timers may still end it. How many are ready. */
static long finish_wait(struct pollfd *set, size_t count, int64_t deadline)
{
  long ready;
  enum wait_end end = WAIT_GOES_ON;
  while ((ready = look_at_set(set, count, self_index())) == 0 && end == WAIT_GOES_ON)
    end = time_goes_on(deadline);
  acquire_ready(set, count);
  return ready == 0 && end == WAIT_INTERRUPTED ? -EINTR : ready;
}

static int64_t nanoseconds(const struct timespec *t)
{
  if (!t)
    return -1;
  return t->tv_sec > 1000000000 ? INT64_C(1000000000000000000) : t->tv_sec * 1000000000 + t->tv_nsec;
}

static int64_t milliseconds(long timeout) /* an int: the upper half of the register is anything */
{
  return (int)timeout < 0 ? -1 : (int)timeout * INT64_C(1000000);
}

static long do_poll(const struct call *c)
{
  struct pollfd *fds = (struct pollfd *)c->arg[0];
  int64_t deadline,
      timeout = c->number == SYS_poll ? milliseconds(c->arg[2]) : nanoseconds((const struct timespec *)c->arg[2]);
  long interrupted = wait_for_any(fds, (size_t)c->arg[1], timeout, c->pc, &deadline);
  if (interrupted)
    return interrupted;
  snapshot_touch((uintptr_t)fds, (size_t)c->arg[1] * sizeof *fds);
  return finish_wait(fds, (size_t)c->arg[1], deadline);
}

/* The descriptors of a select as those of a poll; how many. */
static size_t list_selected(const struct call *c, struct pollfd *out)
{
  static const short events[] = {0, POLLIN, POLLOUT, POLLPRI};
  size_t n = 0;
  for (int fd = 0; fd < (int)c->arg[0] && fd < FD_SETSIZE; fd++) {
    short wanted = 0;
    for (int i = 1; i <= 3; i++)
      if (c->arg[i] && FD_ISSET(fd, (const fd_set *)c->arg[i]))
        wanted |= events[i];
    if (wanted)
      out[n++] = (struct pollfd){.fd = fd, .events = wanted};
  }
  return n;
}

/* Those that are not ready are taken out of the sets; how many are left in all of them. */
static long give_selected(const struct call *c, const struct pollfd *set, size_t count)
{
  static const short ready[] = {0, POLLIN | POLLHUP | POLLERR | POLLRDNORM, POLLOUT | POLLERR | POLLWRNORM, POLLPRI};
  size_t bytes = ((size_t)(c->arg[0] < 0 ? 0 : c->arg[0] < FD_SETSIZE ? c->arg[0] : FD_SETSIZE) + 63) / 64 * 8;
  long n = 0;
  for (int i = 1; i <= 3; i++) {
    fd_set *out = (fd_set *)c->arg[i], left;
    FD_ZERO(&left);
    for (size_t k = 0; out && k < count; k++)
      if (FD_ISSET(set[k].fd, out) && set[k].revents & ready[i]) {
        FD_SET(set[k].fd, &left);
        n++;
      }
    if (!out)
      continue;
    snapshot_touch((uintptr_t)out, bytes);
    copy_bytes(out, &left, bytes);
  }
  return n;
}

static bool any_is_closed(const struct pollfd *set, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (set[i].revents & POLLNVAL)
      return true;
  return false;
}

static long do_select(const struct call *c)
{
  struct pollfd fds[FD_SETSIZE];
  if ((int)c->arg[0] < 0)
    return -EINVAL;
  size_t n = list_selected(c, fds);
  const struct timeval *micro = (const struct timeval *)c->arg[4]; /* select's; the other has nanoseconds */
  struct timespec time = {0, 0};
  if (micro)
    time = (struct timespec){micro->tv_sec, micro->tv_usec * (c->number == SYS_select ? 1000 : 1)};
  if (n == 0 && micro)
    return -virtual_sleep(CLOCK_MONOTONIC, false, &time, NULL, c->pc);
  int64_t deadline;
  long interrupted = wait_for_any(fds, n, micro ? nanoseconds(&time) : -1, c->pc, &deadline);
  if (interrupted)
    return interrupted;
  long ready = finish_wait(fds, n, deadline);
  if (ready < 0)
    return ready;
  return any_is_closed(fds, n) ? -EBADF : give_selected(c, fds, n);
}

/* The set, and what is ready in it at once. */
static long take_ready(const struct call *c)
{
  struct description *d = description_of((int)c->arg[0]);
  if (!d)
    return -EBADF;
  if (d->kind != CHANNEL_EPOLL)
    return -EINVAL;
  return epoll_take(d, (struct epoll_event *)c->arg[1], (int)c->arg[2], self_index());
}

/* The turn to take what is ready. */
static long wait_for_epoll(const struct call *c, int64_t timeout, int64_t *deadline)
{
  struct pollfd one = {.fd = (int)c->arg[0], .events = POLLIN};
  const struct description *d = description_of(one.fd);
  if (!d || d->kind != CHANNEL_EPOLL || epoll_has_real(d))
    return wait_for_any(&one, 1, timeout, c->pc, deadline);
  *deadline = timeout < 0 ? -1 : (int64_t)rt.now + timeout;
  if (timeout > 0)
    ends_at(*deadline);
  long result = step_on_descriptor(timeout < 0 ? OP_CHANNEL_POLL : OP_CHANNEL_TIMEDPOLL, one.fd, POLLIN | POLL_TAKES,
                                   NULL, c->pc);
  if (timeout > 0 && !result)
    end_if_in_vain(&(struct fd_wait){.set = &one, .count = 1});
  return result;
}

static long do_epoll(const struct call *c)
{
  int64_t deadline, timeout = c->number == SYS_epoll_pwait2 ? nanoseconds((const struct timespec *)c->arg[3])
                                                            : milliseconds(c->arg[3]);
  const struct description *d = description_of((int)c->arg[0]);
  enum wait_end end = WAIT_GOES_ON;
  long ready, interrupted;
  if ((int)c->arg[2] <= 0)
    return -EINVAL;
  if (d && d->kind != CHANNEL_EPOLL)
    timeout = 0; /* it fails */
  do {
    interrupted = wait_for_epoll(c, timeout, &deadline);
    if (interrupted)
      return interrupted;
    snapshot_touch((uintptr_t)c->arg[1], (size_t)(int)c->arg[2] * 12); /* struct epoll_event is packed */
    ready = take_ready(c);
  } while (ready == 0 && timeout < 0);
  while (ready == 0 && end == WAIT_GOES_ON) {
    end = time_goes_on(deadline);
    ready = take_ready(c);
  }
  descriptors_acquired();
  return ready == 0 && end == WAIT_INTERRUPTED ? -EINTR : ready;
}

static const uint64_t *mask_meanwhile(const struct call *c)
{
  const struct {
    const uint64_t *mask;
    size_t size;
  } *selects = (const void *)c->arg[5];
  switch (c->number) {
  case SYS_ppoll:
    return (const uint64_t *)c->arg[3];
  case SYS_pselect6:
    return selects ? selects->mask : NULL;
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
    return (const uint64_t *)c->arg[4];
  default:
    return NULL;
  }
}

/* poll, select, epoll_wait, and their like with a mask of signals that holds only while they wait. */
static long wait_masked(const struct call *c, long (*wait)(const struct call *))
{
  const uint64_t *meanwhile = mask_meanwhile(c);
  if (!meanwhile)
    return wait(c);
  struct thread *t = self_thread();
  uint64_t before = t->signal_mask;
  t->signal_mask = *meanwhile & ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
  t->let_through = before & ~t->signal_mask;
  long result = wait(c);
  t->let_through = 0;
  t->signal_mask = before;
  run_signals();
  return result;
}

long poll_call(const struct call *c)
{
  return wait_masked(c, do_poll);
}

long select_call(const struct call *c)
{
  return wait_masked(c, do_select);
}

long epoll_call(const struct call *c)
{
  return wait_masked(c, do_epoll);
}
