/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors: standard input and output, which are ours, and those the program opens, which are real and closed again
 * after each execution. A thread that would block on one waits for its turn until the kernel says it is ready; all
 * ends being in this process, that is as deterministic as the schedule. What one thread writes and another reads orders
 * the two.
 */
#include "core/rng.h"
#include "runtime/call.h"
#include "runtime/signals.h"
#include "runtime/time.h"
#include "runtime/util.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define FDS 1024
#define CHANNELS 64

static struct {
  uint64_t opened[FDS / 64]; /* descriptors of this execution */
  uint64_t closed;           /* of 0, 1, 2: closed by the program */
  uint64_t nonblocking;      /* of 0, 1, 2: made so by the program */
  uint8_t channel[FDS];      /* which clock goes with the descriptor, see fd_release() */
  uint32_t channels;
  struct vclock clock[CHANNELS];
  bool dirty;
} state;

static bool ours(long fd)
{
  return fd >= 0 && fd < FDS && state.opened[fd / 64] >> (fd % 64) & 1;
}

static long note_fd(long fd)
{
  if (fd >= 0 && fd < FDS) {
    state.opened[fd / 64] |= UINT64_C(1) << (fd % 64);
    state.channel[fd] = 0;
    state.dirty = true;
  }
  return fd;
}

/* ---- what one thread writes to a descriptor and another reads from it orders the two ---- */

/* Channel 0 is that of sockets, files and whatever has no channel of its own. */
static uint8_t new_channel(void)
{
  if (state.channels == CHANNELS - 1)
    return 0;
  vclock_clear(&state.clock[++state.channels]);
  return (uint8_t)state.channels;
}

static void note_fds(const int *fds)
{
  note_fd(fds[0]);
  note_fd(fds[1]);
  if (fds[0] < FDS && fds[1] < FDS)
    state.channel[fds[0]] = state.channel[fds[1]] = new_channel();
}

static long note_channel(long fd, long like)
{
  if (note_fd(fd) >= 0 && fd < FDS)
    state.channel[fd] = like < 0 ? new_channel() : like < FDS ? state.channel[like] : 0;
  return fd;
}

static void fd_release(long fd)
{
  state.dirty = true;
  if (rt.engine->threads > 1)
    release_to(&state.clock[fd >= 0 && fd < FDS ? state.channel[fd] : 0]);
}

static void fd_acquire(long fd)
{
  if (rt.engine->threads > 1)
    acquire_from(&state.clock[fd >= 0 && fd < FDS ? state.channel[fd] : 0]);
}

/* Several descriptors were ready, and which ones is known only to the kernel and the program. */
static void fd_acquire_all(long ready)
{
  for (uint32_t i = 0; i <= state.channels && ready > 0 && rt.engine->threads > 1; i++)
    acquire_from(&state.clock[i]);
}

void output_write(const void *data, size_t size)
{
  struct control *c = rt.control;
  if (c->output_bytes >= CONTROL_OUTPUT_MAX)
    return;
  if (size > CONTROL_OUTPUT_MAX - c->output_bytes)
    size = CONTROL_OUTPUT_MAX - c->output_bytes;
  copy_bytes(CONTROL_AT(c, CONTROL_OUTPUT_OFFSET + c->output_bytes), data, size);
  c->output_bytes += size;
}

static long read_input(void *to, size_t size)
{
  struct control *c = rt.control;
  uint64_t left = c->input_bytes - rt.input_at;
  if (size > left)
    size = left;
  copy_bytes(to, CONTROL_AT(c, CONTROL_INPUT_OFFSET + rt.input_at), size);
  rt.input_at += size;
  return (long)size;
}

static bool standard(long fd)
{
  return fd >= 0 && fd <= 2 && !ours(fd);
}

static bool standard_closed(long fd)
{
  return state.closed >> fd & 1;
}

static bool ready(int fd, short events)
{
  struct pollfd p = {.fd = fd, .events = events};
  return sys(SYS_poll, &p, 1L, 0L) != 0;
}

bool fd_ready(const struct operation *op)
{
  if (op->second == 1) {
    struct pollfd copy[64];
    size_t n = op->arg < 64 ? op->arg : 64;
    copy_bytes(copy, (void *)op->addr, n * sizeof *copy);
    return sys(SYS_poll, copy, n, 0L) != 0;
  }
  return ready((int)op->addr, (short)op->arg);
}

/* A thread that would block on a descriptor waits for its turn until the descriptor is ready. */
static void wait_for_fd(long fd, short events, uintptr_t pc)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  if (flags < 0)
    return;
  struct operation op = {.kind = flags & O_NONBLOCK ? OP_FD_TIMEDWAIT : OP_FD_WAIT,
                         .addr = (uintptr_t)fd,
                         .arg = (uint64_t)events,
                         .pc = pc};
  check_cancel(pc);
  step(&op);
  check_cancel(pc);
  performed(0);
}

/* Waits until something is ready or the time (in ns, < 0 for ever) is over; the virtual time when it is. */
static int64_t wait_for_any(struct operation *op, int64_t timeout)
{
  int64_t deadline = timeout < 0 ? -1 : (int64_t)rt.now + timeout;
  op->kind = timeout < 0 ? OP_FD_WAIT : OP_FD_TIMEDWAIT;
  check_cancel(op->pc);
  step(op); /* also when it does not wait at all: it may do so in a loop */
  check_cancel(op->pc);
  performed(0);
  return deadline;
}

static long waited(long ready, int64_t deadline)
{
  if (ready == 0)
    time_pass_until(deadline);
  fd_acquire_all(ready);
  return ready;
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

static long do_read(const struct call *c)
{
  long fd = c->arg[0];
  if (standard(fd)) {
    if (standard_closed(fd) || fd != 0)
      return -EBADF;
    if (c->number == SYS_read)
      return read_input((void *)c->arg[1], (size_t)c->arg[2]);
    long total = 0;
    const struct iovec *v = (const struct iovec *)c->arg[1];
    for (long i = 0; i < c->arg[2]; i++)
      total += read_input(v[i].iov_base, v[i].iov_len);
    return total;
  }
  if (c->number != SYS_pread64)
    wait_for_fd(fd, POLLIN, c->pc);
  long result = perform(c);
  fd_acquire(fd);
  return result;
}

static long do_write(const struct call *c)
{
  long fd = c->arg[0];
  if (!standard(fd)) {
    wait_for_fd(fd, POLLOUT, c->pc);
    fd_release(fd);
    return perform(c);
  }
  if (standard_closed(fd) || fd == 0)
    return -EBADF;
  if (c->number == SYS_write) {
    output_write((void *)c->arg[1], (size_t)c->arg[2]);
    return c->arg[2];
  }
  long total = 0;
  const struct iovec *v = (const struct iovec *)c->arg[1];
  for (long i = 0; i < c->arg[2]; i++) {
    output_write(v[i].iov_base, v[i].iov_len);
    total += (long)v[i].iov_len;
  }
  return total;
}

/* Bytes that look random and are the same in every execution, behind a descriptor. */
static long open_random(void)
{
  long fd = sys(SYS_memfd_create, "random", 0L);
  uint64_t block[512];
  for (int i = 0; i < 512; i++)
    block[i] = rng_next(&rt.random);
  for (int i = 0; i < 16; i++)
    sys(SYS_write, fd, block, sizeof block);
  sys(SYS_lseek, fd, 0L, 0L);
  return fd;
}

static long do_open(const struct call *c)
{
  bool at = c->number == SYS_openat;
  const char *path = (const char *)c->arg[at];
  long flags = c->number == SYS_creat ? O_WRONLY | O_CREAT : c->arg[at + 1];
  if (!text_compare(path, "/dev/urandom") || !text_compare(path, "/dev/random"))
    return note_fd(open_random());
  bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (writes && in_place() && text_compare(path, "/dev/null"))
    change_reset(RESET_FORK, c->pc, "the program writes files (opens %s); they stay behind", path);
  return note_fd(perform(c));
}

static long do_close(const struct call *c)
{
  long fd = c->arg[0];
  if (standard(fd)) {
    if (standard_closed(fd))
      return -EBADF;
    state.closed |= UINT64_C(1) << fd;
    state.dirty = true;
    return 0;
  }
  if (!ours(fd)) {
    if (in_place() && sys(SYS_fcntl, fd, F_GETFD) >= 0)
      change_reset(RESET_FORK, place_in_program(0), "the program closes a descriptor it was started with");
    return perform(c);
  }
  state.opened[fd / 64] &= ~(UINT64_C(1) << (fd % 64));
  fd_release(fd);
  return perform(c);
}

static long do_poll(const struct call *c)
{
  struct pollfd *fds = (struct pollfd *)c->arg[0];
  struct operation op = {.second = 1, .addr = (uintptr_t)fds, .arg = (uint64_t)c->arg[1], .pc = c->pc};
  int64_t deadline = wait_for_any(
      &op, c->number == SYS_poll ? milliseconds(c->arg[2]) : nanoseconds((const struct timespec *)c->arg[2]));
  snapshot_touch((uintptr_t)fds, (size_t)c->arg[1] * sizeof *fds);
  return waited(sys(SYS_poll, fds, c->arg[1], 0L), deadline);
}

/* The descriptors of a select as those of a poll; how many, or -1 when there are too many. */
static int list_selected(const struct call *c, struct pollfd *out, int most)
{
  static const short events[] = {0, POLLIN, POLLOUT, POLLPRI};
  int n = 0;
  for (int fd = 0; fd < (int)c->arg[0] && fd < FD_SETSIZE; fd++) {
    short wanted = 0;
    for (int i = 1; i <= 3; i++)
      if (c->arg[i] && FD_ISSET(fd, (const fd_set *)c->arg[i]))
        wanted |= events[i];
    if (wanted && n == most)
      return -1;
    if (wanted)
      out[n++] = (struct pollfd){.fd = fd, .events = wanted};
  }
  return n;
}

static long do_select(const struct call *c)
{
  struct pollfd fds[64];
  int n = list_selected(c, fds, 64);
  const struct timeval *micro = (const struct timeval *)c->arg[4]; /* select's; the other has nanoseconds */
  struct timespec time = {0, 0};
  if (micro)
    time = (struct timespec){micro->tv_sec, micro->tv_usec * (c->number == SYS_select ? 1000 : 1)};
  if (n == 0 && micro)
    return -virtual_sleep(CLOCK_MONOTONIC, false, &time, c->pc);
  if (n <= 0)
    return perform(c);
  struct operation op = {.second = 1, .addr = (uintptr_t)fds, .arg = (uint64_t)n, .pc = c->pc};
  int64_t deadline = wait_for_any(&op, micro ? nanoseconds(&time) : -1);
  struct timespec none = {0, 0};
  struct call at_once = *c;
  at_once.arg[4] = (long)&none;
  at_once.arg[5] = 0;
  return waited(perform(&at_once), deadline);
}

static long do_epoll(const struct call *c)
{
  struct operation op = {.addr = (uintptr_t)(int)c->arg[0], .arg = POLLIN, .pc = c->pc};
  int64_t deadline =
      wait_for_any(&op, c->number == SYS_epoll_pwait2 ? nanoseconds((const struct timespec *)c->arg[3])
                                                      : milliseconds(c->arg[3]));
  snapshot_touch((uintptr_t)c->arg[1], (size_t)(int)c->arg[2] * 12); /* struct epoll_event is packed */
  return waited(sys(SYS_epoll_wait, c->arg[0], c->arg[1], c->arg[2], 0L), deadline);
}

/* Acts on a descriptor only; in place it must be one of this execution. */
static bool on_descriptor(long number)
{
  /* clang-format off */
  static const short calls[] = {
      SYS_lseek, SYS_fcntl, SYS_ioctl, SYS_getdents64, SYS_fadvise64, SYS_shutdown, SYS_bind, SYS_listen,
      SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_connect, SYS_epoll_ctl,
      SYS_timerfd_settime, SYS_timerfd_gettime, SYS_flock, SYS_pwrite64};
  /* clang-format on */
  return LISTED(number, calls);
}

/* Flags of the standard descriptors are the program's own affair: behind them is no file to block on. */
static long standard_flags(const struct call *c)
{
  long flags = sys(SYS_fcntl, c->arg[0], F_GETFL);
  if (flags >= 0 && c->arg[1] == F_GETFL)
    return (flags & ~O_NONBLOCK) | (state.nonblocking >> c->arg[0] & 1 ? O_NONBLOCK : 0);
  if (flags < 0)
    return flags;
  uint64_t bit = UINT64_C(1) << c->arg[0];
  state.nonblocking = c->arg[2] & O_NONBLOCK ? state.nonblocking | bit : state.nonblocking & ~bit;
  state.dirty = true;
  return 0;
}

static bool looks_only(const struct call *c)
{
  if (c->number == SYS_fcntl)
    return c->arg[1] == F_GETFL || c->arg[1] == F_GETFD;
  return c->number == SYS_ioctl || c->number == SYS_lseek || c->number == SYS_fadvise64 ||
         c->number == SYS_getsockopt;
}

/* Calls that need no thought but for whose descriptor it is; false if it is none of those. */
static bool general_call(const struct call *c, long *result)
{
  if (c->number == SYS_fcntl && standard(c->arg[0]) && (c->arg[1] == F_GETFL || c->arg[1] == F_SETFL)) {
    *result = standard_flags(c);
    return true;
  }
  if (!on_descriptor(c->number) || !(ours(c->arg[0]) || (standard(c->arg[0]) && looks_only(c))))
    return false;
  *result = perform(c);
  if (c->number == SYS_fcntl && (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC))
    note_fd(*result);
  return true;
}

/* Calls that make, use or wait for descriptors; UNKNOWN for any other. */
#define UNKNOWN LONG_MIN

static long particular_call(const struct call *c)
{
  switch (c->number) {
  case SYS_read:
  case SYS_readv:
  case SYS_pread64:
    return do_read(c);
  case SYS_write:
  case SYS_writev:
    return do_write(c);
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_accept:
  case SYS_accept4:
    wait_for_fd(c->arg[0], POLLIN, c->pc);
    fd_acquire(c->arg[0]);
    return c->number == SYS_accept || c->number == SYS_accept4 ? note_fd(perform(c)) : perform(c);
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
    wait_for_fd(c->arg[0], POLLOUT, c->pc);
    fd_release(c->arg[0]);
    return perform(c);
  case SYS_connect:
  case SYS_shutdown:
    fd_release(c->arg[0]);
    break;
  case SYS_poll:
  case SYS_ppoll:
    return do_poll(c);
  case SYS_select:
  case SYS_pselect6:
    return do_select(c);
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
    return do_epoll(c);
  case SYS_open:
  case SYS_openat:
  case SYS_creat:
    return do_open(c);
  case SYS_close:
    return do_close(c);
  case SYS_pipe:
  case SYS_pipe2:
  case SYS_socketpair: {
    long result = perform(c);
    if (result == 0)
      note_fds((const int *)c->arg[c->number == SYS_socketpair ? 3 : 0]);
    return result;
  }
  case SYS_eventfd:
  case SYS_eventfd2:
    return note_channel(perform(c), -1);
  case SYS_dup:
    return note_channel(perform(c), c->arg[0]);
  case SYS_socket:
  case SYS_epoll_create:
  case SYS_epoll_create1:
  case SYS_memfd_create:
  case SYS_timerfd_create:
  case SYS_signalfd4:
  case SYS_inotify_init1:
    return note_fd(perform(c));
  case SYS_dup2:
  case SYS_dup3:
    if (in_place() && !ours(c->arg[1]) && sys(SYS_fcntl, c->arg[1], F_GETFD) >= 0)
      change_reset(RESET_FORK, c->pc, "the program replaces a descriptor it was started with");
    return note_channel(perform(c), c->arg[0]);
  }
  return UNKNOWN;
}

bool descriptor_call(const struct call *c, long *result)
{
  *result = particular_call(c);
  return *result != UNKNOWN || general_call(c, result);
}

void descriptors_reset(void)
{
  if (!state.dirty)
    return;
  for (unsigned i = 0; i < FDS / 64; i++)
    for (; state.opened[i]; state.opened[i] &= state.opened[i] - 1)
      sys(SYS_close, i * 64L + __builtin_ctzll(state.opened[i]));
  state.channels = 0;
  vclock_clear(&state.clock[0]);
  state.closed = state.nonblocking = 0;
  state.dirty = false;
}
