/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for any of several descriptors: poll, select, epoll, and the mask of signals that some have meanwhile. Reads
 * and writes nothing.
 */
#include "core/without_libc.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <sys/select.h>
#include <sys/syscall.h>

/* The wait is over, as far as others are concerned; timers may still end it. The call is one that does not wait.
 * Several descriptors may be ready then, and which ones is known only to the kernel and the program. */
static long finish_wait(const struct call *at_once, int64_t deadline)
{
  long ready;
  enum wait_end end = WAIT_GOES_ON;
  while ((ready = sys_array(at_once->number, at_once->arg)) == 0 && end == WAIT_GOES_ON)
    end = time_goes_on(deadline);
  if (ready > 0)
    descriptors_acquired();
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
  const struct call at_once = {.number = SYS_poll, .arg = {(long)fds, c->arg[1], 0}};
  return finish_wait(&at_once, deadline);
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

/* The kernel takes those out of the sets that are not ready: each look begins with all of them. */
static long finish_select(const struct call *c, int64_t deadline)
{
  fd_set wanted[3];
  struct timespec none = {0, 0};
  struct call at_once = *c;
  at_once.arg[4] = (long)&none;
  at_once.arg[5] = 0;
  size_t bytes = ((size_t)(c->arg[0] < 0 ? 0 : c->arg[0] < FD_SETSIZE ? c->arg[0] : FD_SETSIZE) + 7) / 8;
  for (int i = 0; i < 3; i++)
    if (c->arg[i + 1])
      copy_bytes(&wanted[i], (void *)c->arg[i + 1], bytes);
  long ready;
  enum wait_end end = WAIT_GOES_ON;
  while ((ready = perform(&at_once)) == 0 && end == WAIT_GOES_ON && (end = time_goes_on(deadline)) != WAIT_IS_OVER)
    for (int i = 0; i < 3; i++)
      if (c->arg[i + 1])
        copy_bytes((void *)c->arg[i + 1], &wanted[i], bytes);
  if (ready > 0)
    descriptors_acquired();
  return ready == 0 && end == WAIT_INTERRUPTED ? -EINTR : ready;
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
  return finish_select(c, deadline);
}

static long do_epoll(const struct call *c)
{
  struct pollfd one = {.fd = (int)c->arg[0], .events = POLLIN};
  int64_t deadline, timeout = c->number == SYS_epoll_pwait2 ? nanoseconds((const struct timespec *)c->arg[3])
                                                            : milliseconds(c->arg[3]);
  long interrupted = wait_for_any(&one, 1, timeout, c->pc, &deadline);
  if (interrupted)
    return interrupted;
  snapshot_touch((uintptr_t)c->arg[1], (size_t)(int)c->arg[2] * 12); /* struct epoll_event is packed */
  const struct call at_once = {.number = SYS_epoll_wait, .arg = {c->arg[0], c->arg[1], c->arg[2], 0}};
  return finish_wait(&at_once, deadline);
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
