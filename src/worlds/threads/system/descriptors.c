/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors: standard input and output, which are ours, and those the program opens, which are real and closed again
 * after each execution. A thread that would block on one waits for its turn (descriptor_waits.c). What one thread
 * writes and another reads orders the two. A signalfd is an eventfd that is ready when a signal of its set is pending.
 */
#include "worlds/threads/system/descriptors.h"
#include "core/rng.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/system/footprint.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define FDS 65536
#define CHANNELS 64
#define SIGNALFDS 16
#define KEPT_FROM 900 /* numbers that programs hardly come to */

static struct {
  uint64_t opened[FDS / 64]; /* descriptors of this execution */
  uint64_t closed;           /* of 0, 1, 2: closed by the program */
  int kept[3];               /* what those were, under other numbers */
  uint64_t nonblocking;      /* of 0, 1, 2: made so by the program */
  uint8_t channel[FDS];      /* which clock goes with the descriptor, see fd_release() */
  uint32_t description[FDS]; /* what it has in common with its duplicates */
  uint32_t descriptions;
  uint32_t channels;
  struct {
    int fd;
    uint64_t set;
  } signalfd[SIGNALFDS];
  unsigned signalfds;
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
    state.description[fd] = ++state.descriptions;
    state.dirty = true;
  }
  return fd;
}

bool descriptor_is_controlled(long fd)
{
  return ours(fd);
}

long descriptor_opened(long fd)
{
  return note_fd(fd);
}

uint32_t descriptor_description(long fd)
{
  return ours(fd) ? state.description[fd] : 0;
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
  if (fd >= 0 && fd < FDS && like >= 0 && like < FDS)
    state.description[fd] = state.description[like];
  return fd;
}

static void fd_release(long fd)
{
  state.dirty = true;
  if (rt.engine->threads > 1)
    release_to(&state.clock[fd >= 0 && fd < FDS ? state.channel[fd] : 0]);
}

void descriptor_released(long fd)
{
  fd_release(fd);
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
  if (c->output_bytes >= CONTROL_SIZE_OF(OUTPUT))
    return;
  if (size > CONTROL_SIZE_OF(OUTPUT) - c->output_bytes)
    size = CONTROL_SIZE_OF(OUTPUT) - c->output_bytes;
  copy_bytes(CONTROL_AT(c, CONTROL_OUTPUT_OFFSET + c->output_bytes), data, size);
  c->output_bytes += size;
}

static long read_input(void *to, size_t size)
{
  const struct job *job = &rt.engine->job;
  uint64_t left = job->bytes[JOB_INPUT] - rt.input_at;
  if (size > left)
    size = left;
  copy_bytes(to, (const char *)job->part[JOB_INPUT] + rt.input_at, size);
  rt.input_at += size;
  return (long)size;
}

static bool standard(long fd)
{
  return fd >= 0 && fd <= 2 && !ours(fd);
}

bool descriptor_is_standard(long fd)
{
  return standard(fd);
}

static bool standard_closed(long fd)
{
  return state.closed >> fd & 1;
}

bool descriptors_have_room_at_standard(void)
{
  return state.closed;
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

/* ---- signalfd ---- */

static long signalfd_at(long fd)
{
  for (unsigned i = 0; i < state.signalfds; i++)
    if (state.signalfd[i].fd == (int)fd)
      return i;
  return -1;
}

/* An eventfd that has a count while a signal of the set is pending for the thread that looks. */
static void settle_signalfd(unsigned i, unsigned thread)
{
  uint64_t count = 1, pending = rt.process_signals | rt.thread[thread].pending_signals;
  struct pollfd now = {.fd = state.signalfd[i].fd, .events = POLLIN};
  bool is_ready = sys(SYS_poll, &now, 1L, 0L) > 0, should = pending & state.signalfd[i].set;
  if (is_ready && !should)
    sys(SYS_read, now.fd, &count, sizeof count);
  else if (!is_ready && should)
    sys(SYS_write, now.fd, &count, sizeof count);
}

void descriptors_settle(unsigned thread)
{
  for (unsigned i = 0; i < state.signalfds; i++)
    settle_signalfd(i, thread);
}

static long do_signalfd(const struct call *c)
{
  const uint64_t *set = (const uint64_t *)c->arg[1];
  long flags = c->number == SYS_signalfd4 ? c->arg[3] : 0, i = signalfd_at(c->arg[0]);
  if ((int)c->arg[0] == -1) {
    if (state.signalfds == SIGNALFDS)
      return -EMFILE;
    long fd = note_fd(sys(SYS_eventfd2, 0L, flags)); /* the flags have the same values */
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

static long read_signalfd(unsigned i, void *to, size_t size)
{
  struct signalfd_siginfo *out = to;
  siginfo_t info;
  size_t n = 0;
  if (size < sizeof *out)
    return -EINVAL;
  for (int signal; n < size / sizeof *out && (signal = take_signal(state.signalfd[i].set, &info)); n++)
    out[n] = (struct signalfd_siginfo){.ssi_signo = (uint32_t)signal,
                                       .ssi_code = info.si_code,
                                       .ssi_pid = (uint32_t)info.si_pid,
                                       .ssi_uid = info.si_uid,
                                       .ssi_int = info.si_value.sival_int,
                                       .ssi_ptr = (uint64_t)(uintptr_t)info.si_value.sival_ptr};
  return n ? (long)(n * sizeof *out) : -EAGAIN;
}

/* ---- reading and writing ---- */

/* As it is, but never waiting in the kernel: what there is, or -EAGAIN. */
static long perform_at_once(const struct call *c, long fd)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || flags & O_NONBLOCK)
    return perform(c);
  sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
  long result = perform(c);
  sys(SYS_fcntl, fd, F_SETFL, flags);
  return result;
}

static bool blocks(long fd)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

/* The kernel sends SIGPIPE to whoever writes to a pipe that nobody reads; ours is ignored (faults.c). */
static long or_signal(long result)
{
  if (result == -EPIPE)
    send_to_self(SIGPIPE);
  return result;
}

/* How long a socket waits, by its options; -1: for ever. */
static int64_t socket_patience(long fd, short events)
{
  struct timeval t = {0, 0};
  socklen_t size = sizeof t;
  int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
  if (!blocks(fd) || sys(SYS_getsockopt, fd, SOL_SOCKET, option, &t, &size) || (!t.tv_sec && !t.tv_usec))
    return -1;
  return t.tv_sec * INT64_C(1000000000) + t.tv_usec * 1000;
}

/* Once it is ready; ready for somebody else is not enough. */
static long when_ready(const struct call *c, long fd, short events)
{
  int64_t patience = socket_patience(fd, events);
  for (uint64_t in_vain = 0;; in_vain = kernel_state()) {
    int64_t deadline;
    struct pollfd one = {.fd = (int)fd, .events = events};
    long interrupted =
        patience < 0 ? wait_for_fd(fd, events, in_vain, c->pc) : wait_for_any(&one, 1, patience, c->pc, &deadline);
    if (patience >= 0 && !interrupted && sys(SYS_poll, &one, 1L, 0L) == 0) {
      time_pass_until(deadline);
      return -EAGAIN;
    }
    if (interrupted)
      return interrupted;
    long i = events == POLLIN ? signalfd_at(fd) : -1;
    long result = i < 0 ? perform_at_once(c, fd) : read_signalfd((unsigned)i, (void *)c->arg[1], (size_t)c->arg[2]);
    if (result != -EAGAIN || !blocks(fd))
      return result;
  }
}

/* A message is sent or received when it can be, or never if the call says so. */
static long when_ready_or_never(const struct call *c, short events, bool never)
{
  if (!never)
    return when_ready(c, c->arg[0], events);
  look_at_fd(c->arg[0], events, c->pc);
  return perform(c);
}

static long do_read(const struct call *c)
{
  long fd = c->arg[0];
  if (standard(fd))
    step_on_system(c->number, SYSTEM_STANDARD, SYSTEM_OPEN_FILES, place_in_program(c->pc));
  if (standard(fd)) { /* still */
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
  long result = when_ready(c, fd, POLLIN);
  fd_acquire(fd);
  return result;
}

/* The call for what is left of it after so many bytes, of which the first piece is enough; false if nothing is. */
static bool rest_of(const struct call *c, long done, struct call *rest)
{
  bool message = c->number == SYS_sendmsg || c->number == SYS_recvmsg;
  struct iovec all = {(void *)c->arg[1], (size_t)c->arg[2]};
  const struct iovec *v = &all;
  size_t count = 1, i = 0, skip = (size_t)done;
  *rest = *c;
  if (message) {
    const struct msghdr *m = (const struct msghdr *)c->arg[1];
    v = m->msg_iov;
    count = m->msg_iovlen;
    rest->number = c->number == SYS_sendmsg ? SYS_sendto : SYS_recvfrom;
    rest->arg[3] = c->arg[2];
    rest->arg[4] = rest->arg[5] = 0;
  } else if (c->number == SYS_writev) {
    v = (const struct iovec *)c->arg[1];
    count = (size_t)c->arg[2];
    rest->number = SYS_write;
  }
  for (; i < count && skip >= v[i].iov_len; i++)
    skip -= v[i].iov_len;
  if (i == count)
    return false;
  rest->arg[1] = (long)v[i].iov_base + (long)skip;
  rest->arg[2] = (long)(v[i].iov_len - skip);
  return true;
}

/* All of it, as a call that may wait does: the part that there is, or that fits, then the rest when there is more. */
static long transfer_whole(const struct call *c, short events)
{
  long fd = c->arg[0];
  struct call rest = *c;
  for (long done = 0;;) {
    long n = when_ready(&rest, fd, events);
    if (n < 0)
      return done ? done : n;
    done += n;
    if (n == 0 || !blocks(fd) || !rest_of(c, done, &rest))
      return done;
  }
}

static long do_write(const struct call *c)
{
  long fd = c->arg[0];
  if (rt.engine->threads > 1 && standard(fd))
    step_on_system(c->number, SYSTEM_STANDARD, 0, place_in_program(c->pc));
  if (!standard(fd)) { /* now, perhaps */
    fd_release(fd);
    return or_signal(transfer_whole(c, POLLOUT));
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
  lose(LOST_CHANCE);
  long fd = sys(SYS_memfd_create, "random", 0L);
  uint64_t block[512];
  for (int i = 0; i < 512; i++)
    block[i] = rng_next(&rt.random);
  for (int i = 0; i < 16; i++)
    sys(SYS_write, fd, block, sizeof block);
  sys(SYS_lseek, fd, 0L, 0L);
  return fd;
}

static bool begins(const char *text, const char *with)
{
  while (*with && *text == *with)
    text++, with++;
  return !*with;
}

static long do_open(const struct call *c)
{
  bool at = c->number == SYS_openat;
  const char *path = (const char *)c->arg[at];
  long flags = c->number == SYS_creat ? O_WRONLY | O_CREAT : c->arg[at + 1];
  if (!text_compare(path, "/dev/urandom") || !text_compare(path, "/dev/random"))
    return note_fd(open_random());
  bool null = !text_compare(path, "/dev/null");
  bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (writes && in_place() && !null)
    change_reset(RESET_FORK, c->pc, "the program writes files (opens %s); they stay behind", path);
  if (begins(path, "/proc/") || begins(path, "/sys/"))
    lose(LOST_MACHINE);
  if (writes && !null)
    be_alone();
  long fifo = open_fifo(c, flags);
  if (fifo != UNKNOWN)
    return note_fd(fifo);
  if (writes && !null)
    lose(LOST_FILES);
  return note_fd(perform(c));
}

static bool somebody_waits(long fd)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    if (t == e->current || !e->thread[t].alive || (op->kind != OP_FD_WAIT && op->kind != OP_FD_TIMEDWAIT))
      continue;
    const struct fd_wait *w = (const struct fd_wait *)op->arg;
    for (size_t i = 0; w->kind == WAIT_SET && i < w->count; i++)
      if (w->set[i].fd == (int)fd)
        return true;
  }
  return false;
}

/* About to open one, with a footprint that does not have the number that is free now. */
static bool somebody_opens(void)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    if (t != e->current && e->thread[t].alive && op->kind == OP_SYSTEM && op->addr & SYSTEM_DESCRIPTORS &&
        !(op->addr & SYSTEM_STANDARD))
      return true;
  }
  return false;
}

static bool has_duplicate(long fd)
{
  for (long other = 0; other < FDS; other++) {
    if (!state.opened[other / 64]) {
      other |= 63;
      continue;
    }
    if (other != fd && ours(other) && state.description[other] == state.description[fd])
      return true;
  }
  return false;
}

static long do_close(const struct call *c)
{
  long fd = c->arg[0];
  if (standard(fd)) {
    if (standard_closed(fd))
      return -EBADF;
    if (somebody_opens())
      lose(LOST_CALLS);
    state.closed |= UINT64_C(1) << fd;
    state.dirty = true;
    state.kept[fd] = (int)sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_FROM); /* its number is free for others now */
    return sys(SYS_close, fd);
  }
  if (!ours(fd)) {
    if (in_place() && sys(SYS_fcntl, fd, F_GETFD) >= 0)
      change_reset(RESET_FORK, place_in_program(0), "the program closes a descriptor it was started with");
    return perform(c);
  }
  state.opened[fd / 64] &= ~(UINT64_C(1) << (fd % 64));
  if (somebody_waits(fd))
    lose(LOST_CALLS); /* whether it is in the call already decides what becomes of it */
  fifo_closed(fd);
  if (!has_duplicate(fd))
    file_unlocked(state.description[fd]);
  timers_descriptor_closed(fd);
  long i = signalfd_at(fd);
  if (i >= 0)
    state.signalfd[i] = state.signalfd[--state.signalfds];
  fd_release(fd);
  return perform(c);
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
  return waited(sys(SYS_poll, fds, c->arg[1], 0L), deadline);
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

static long do_select(const struct call *c)
{
  struct pollfd fds[FD_SETSIZE];
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
  struct timespec none = {0, 0};
  struct call at_once = *c;
  at_once.arg[4] = (long)&none;
  at_once.arg[5] = 0;
  return waited(perform(&at_once), deadline);
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
  return waited(sys(SYS_epoll_wait, c->arg[0], c->arg[1], c->arg[2], 0L), deadline);
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

/* A connection that cannot be made at once: when the other side has taken it, or given it up. */
static long do_connect(const struct call *c)
{
  long fd = c->arg[0];
  fd_release(fd);
  if (!blocks(fd))
    return perform(c);
  long result = perform_at_once(c, fd);
  while (result == -EAGAIN) { /* no room in the queue of a Unix socket, and nothing to wait for it by */
    virtual_yield(c->pc);
    result = perform_at_once(c, fd);
  }
  if (result != -EINPROGRESS)
    return result;
  long interrupted = wait_for_fd(fd, POLLOUT, 0, c->pc);
  int error = 0;
  socklen_t size = sizeof error;
  sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return interrupted ? interrupted : -error;
}

/* From one descriptor to another. */
static long do_transfer(const struct call *c)
{
  bool sends = c->number == SYS_sendfile;
  long in = c->arg[sends], out = c->arg[sends ? 0 : c->number == SYS_splice ? 2 : 1];
  for (;;) {
    long interrupted = wait_for_fd(in, POLLIN, 0, c->pc);
    if (!interrupted)
      interrupted = wait_for_fd(out, POLLOUT, 0, c->pc);
    if (interrupted)
      return interrupted;
    long flags = sys(SYS_fcntl, in, F_GETFL);
    sys(SYS_fcntl, in, F_SETFL, flags | O_NONBLOCK);
    long result = perform_at_once(c, out);
    sys(SYS_fcntl, in, F_SETFL, flags);
    if (result != -EAGAIN || !blocks(in))
      return or_signal(result);
  }
}

/* Acts on a descriptor only; in place it must be one of this execution. */
static bool on_descriptor(long number)
{
  /* clang-format off */
  static const short calls[] = {
      SYS_lseek, SYS_fcntl, SYS_ioctl, SYS_getdents64, SYS_fadvise64, SYS_shutdown, SYS_bind, SYS_listen,
      SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_connect, SYS_epoll_ctl,
      SYS_pread64, SYS_preadv, SYS_pwrite64, SYS_pwritev, SYS_ftruncate, SYS_fallocate,
      SYS_inotify_add_watch, SYS_inotify_rm_watch};
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
  return c->number == SYS_ioctl || c->number == SYS_lseek || c->number == SYS_fadvise64 || c->number == SYS_getsockopt;
}

/* Locks of open file descriptions are between threads, too. */
static bool locks_description(const struct call *c)
{
  return c->number == SYS_fcntl && (c->arg[1] == F_OFD_SETLK || c->arg[1] == F_OFD_SETLKW);
}

/* What the kernel says about processes, by the number that this one has to the program. */
static long name_process(const struct call *c, long result)
{
  struct f_owner_ex *owner = (struct f_owner_ex *)c->arg[2]; /* libc's way to ask */
  if (c->number == SYS_fcntl && c->arg[1] == F_GETOWN_EX && result == 0 && owner->pid == sys(SYS_getpid))
    owner->pid = VIRTUAL_PID;
  struct ucred *peer = (struct ucred *)c->arg[3];
  bool asks = c->number == SYS_getsockopt && c->arg[1] == SOL_SOCKET && c->arg[2] == SO_PEERCRED;
  if (asks && result == 0 && peer->pid == sys(SYS_getpid))
    peer->pid = VIRTUAL_PID;
  return result;
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
  if (c->number == SYS_bind)
    be_alone();
  if (c->number == SYS_fcntl && c->arg[1] == F_SETFL && c->arg[2] & O_ASYNC)
    fail(c->pc,
         "the program wants a signal from the kernel when a descriptor is ready (O_ASYNC); heddle cannot control that");
  struct call now = *c;
  bool owns = c->number == SYS_fcntl && c->arg[1] == F_SETOWN && c->arg[2] == VIRTUAL_PID;
  if (owns)
    now.arg[2] = sys(SYS_getpid);
  if (locks_description(c)) {
    be_alone();
    *result = lock_records(c);
    return true;
  }
  bool waits = c->number == SYS_fcntl && c->arg[1] == F_SETLKW;
  if (waits) /* threads of one process never wait for each other here */
    now.arg[1] = F_SETLK;
  *result = perform(&now);
  while (waits && (*result == -EAGAIN || *result == -EACCES)) {
    virtual_yield(c->pc);
    *result = perform(&now);
  }
  if (c->number == SYS_fcntl && (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC))
    note_channel(*result, c->arg[0]);
  *result = name_process(c, *result);
  return true;
}

static bool dont_wait(const struct call *c)
{
  long flags = c->arg[c->number == SYS_recvmsg || c->number == SYS_sendmsg ? 2 : 3];
  return flags & MSG_DONTWAIT;
}

static bool is_stream(long fd)
{
  int type = 0;
  socklen_t size = sizeof type;
  return !sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

static long do_send(const struct call *c)
{
  struct call quiet = *c;
  long *flags = &quiet.arg[c->number == SYS_sendmsg ? 2 : 3];
  bool signals = !(*flags & MSG_NOSIGNAL), one = c->number != SYS_sendmmsg;
  *flags |= MSG_NOSIGNAL;
  fd_release(c->arg[0]);
  long result = one && !dont_wait(c) && is_stream(c->arg[0]) ? transfer_whole(&quiet, POLLOUT)
                                                             : when_ready_or_never(&quiet, POLLOUT, dont_wait(c));
  return signals ? or_signal(result) : result;
}

static long do_receive(const struct call *c)
{
  bool whole = c->arg[c->number == SYS_recvmsg ? 2 : 3] & MSG_WAITALL && !dont_wait(c) && is_stream(c->arg[0]);
  long result = whole ? transfer_whole(c, POLLIN) : when_ready_or_never(c, POLLIN, dont_wait(c));
  fd_acquire(c->arg[0]);
  return result;
}

/* As many messages as were asked for, unless it is told not to wait. */
static long receive_many(const struct call *c)
{
  struct call rest = *c;
  for (long done = 0;;) {
    long n = when_ready_or_never(&rest, POLLIN, dont_wait(c));
    if (n < 0)
      return done ? done : n;
    done += n;
    if (n == 0 || done >= c->arg[2] || c->arg[3] & (MSG_DONTWAIT | MSG_WAITFORONE) || c->arg[4] || !blocks(c->arg[0]))
      return done;
    rest.arg[1] = c->arg[1] + done * (long)sizeof(struct mmsghdr);
    rest.arg[2] = c->arg[2] - done;
  }
}

/* Calls that make, use or wait for descriptors; UNKNOWN for any other. */
static long particular_call(const struct call *c)
{
  switch (c->number) {
  case SYS_read:
  case SYS_readv:
    return do_read(c);
  case SYS_write:
  case SYS_writev:
    return do_write(c);
  case SYS_recvfrom:
  case SYS_recvmsg:
    return do_receive(c);
  case SYS_recvmmsg: {
    long result = receive_many(c);
    fd_acquire(c->arg[0]);
    return result;
  }
  case SYS_accept:
  case SYS_accept4: {
    long result = when_ready(c, c->arg[0], POLLIN);
    fd_acquire(c->arg[0]);
    return note_fd(result);
  }
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
    return do_send(c);
  case SYS_connect:
    return do_connect(c);
  case SYS_shutdown:
    fd_release(c->arg[0]);
    break;
  case SYS_flock:
    return lock_file(c);
  case SYS_splice:
  case SYS_sendfile:
  case SYS_tee:
    return do_transfer(c);
  case SYS_signalfd:
  case SYS_signalfd4:
    return do_signalfd(c);
  case SYS_poll:
  case SYS_ppoll:
    return wait_masked(c, do_poll);
  case SYS_select:
  case SYS_pselect6:
    return wait_masked(c, do_select);
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
    return wait_masked(c, do_epoll);
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
  case SYS_inotify_init:
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
  for (long fd = 0; fd <= 2; fd++)
    if (standard_closed(fd) && state.kept[fd] >= 0) {
      sys(SYS_dup2, state.kept[fd], fd);
      sys(SYS_close, state.kept[fd]);
    }
  state.channels = state.descriptions = state.signalfds = 0;
  descriptor_waits_reset();
  vclock_clear(&state.clock[0]);
  state.closed = state.nonblocking = 0;
  state.dirty = false;
}
