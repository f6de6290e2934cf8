/* SPDX-License-Identifier: Apache-2.0
 *
 * The system call filter. Every system call that the program makes, by whatever path through libc or by itself, traps
 * (seccomp) and is decided on here: modelled (futex, sleep, output), performed and undone after the execution
 * (descriptors, mappings), performed because it is harmless, or taken as the reason to go on in another reset mode.
 * So nothing the program does to the kernel can leak from one execution into the next unnoticed.
 */
#include "core/calls.h"
#include "core/rng.h"
#include "runtime/futex.h"
#include "runtime/loop.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/util.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

long raw_syscall(long number, long a, long b, long c, long d, long e, long f);
void raw_syscall_end(void);

#define FDS 1024
#define MAPPINGS 1024
#define CHANNELS 64

static struct {
  uint64_t opened[FDS / 64];  /* descriptors of this execution */
  uint64_t closed;            /* of 0, 1, 2: closed by the program */
  uint64_t nonblocking;       /* of 0, 1, 2: made so by the program */
  uint32_t mappings;
  struct {
    uintptr_t start;
    size_t size;
  } mapping[MAPPINGS];
  uint64_t mapped; /* bytes of private memory this execution mapped */
  uint8_t channel[FDS];       /* which clock goes with the descriptor, see fd_release() */
  uint32_t channels;
  struct vclock clock[CHANNELS];
  long under_way;
  bool dirty;
} state = {.under_way = -1};

struct call {
  long number;
  long arg[6];
  uintptr_t pc;
};

long system_call_under_way(void)
{
  return state.under_way;
}

static long perform(const struct call *c)
{
  const long *a = c->arg;
  for (int i = 0; i < 6; i++) /* the kernel cannot write to a page that is only protected to see it change */
    if (a[i] > 4096)
      snapshot_touch((uintptr_t)a[i], i + 1 < 6 && a[i + 1] > 0 && a[i + 1] < (1 << 20) ? (size_t)a[i + 1] : 256);
  state.under_way = c->number;
  long result = raw_syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]);
  state.under_way = -1;
  engine_touch(rt.engine); /* it may have made descriptors ready for others, or not ready any more */
  return result;
}

/* ---- descriptors ---- */

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

static bool in_place(void)
{
  return rt.control->reset == RESET_SNAPSHOT;
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
  if (flags < 0 || flags & O_NONBLOCK)
    return;
  struct operation op = {.kind = OP_FD_WAIT, .addr = (uintptr_t)fd, .arg = (uint64_t)events, .pc = pc};
  step(&op);
  performed(0);
}

/* Waits until something is ready or the time (in ns, < 0 for ever) is over; the virtual time when it is. */
static int64_t wait_for_any(struct operation *op, int64_t timeout)
{
  int64_t deadline = timeout < 0 ? -1 : (int64_t)rt.now + timeout;
  if (timeout != 0) {
    op->kind = timeout < 0 ? OP_FD_WAIT : OP_FD_TIMEDWAIT;
    step(op);
    performed(0);
  }
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
  int64_t deadline = wait_for_any(&op, c->number == SYS_poll ? milliseconds(c->arg[2])
                                                             : nanoseconds((const struct timespec *)c->arg[2]));
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
  int64_t deadline = wait_for_any(&op, c->number == SYS_epoll_pwait2 ? nanoseconds((const struct timespec *)c->arg[3])
                                                                     : milliseconds(c->arg[3]));
  snapshot_touch((uintptr_t)c->arg[1], (size_t)(int)c->arg[2] * 12); /* struct epoll_event is packed */
  return waited(sys(SYS_epoll_wait, c->arg[0], c->arg[1], c->arg[2], 0L), deadline);
}

/* ---- mappings ---- */

/* The heap has the same limit; a program that takes all memory would take that of everybody. */
static void count_memory(const struct call *c)
{
  uint64_t limit = rt.control->config.max_memory;
  if (!(c->arg[2] & PROT_WRITE) || !(c->arg[3] & MAP_PRIVATE) || c->arg[3] & MAP_NORESERVE)
    return;
  if ((uint64_t)c->arg[1] > limit || state.mapped > limit - (uint64_t)c->arg[1])
    fail(place_in_program(0), "the program mapped more than %lu MiB in one execution; raise the limit with --memory",
         (unsigned long)(limit >> 20));
  state.mapped += (uint64_t)c->arg[1];
}

static long do_mmap(const struct call *c)
{
  count_memory(c);
  if (c->arg[3] & MAP_FIXED && in_place())
    change_reset(RESET_FORK, c->pc, "the program maps memory at a fixed address");
  long got = perform(c);
  if (got > 0 || got < -4095) {
    if (state.mappings == MAPPINGS && in_place())
      change_reset(RESET_FORK, c->pc, "the program makes more than %d memory mappings", MAPPINGS);
    if (state.mappings < MAPPINGS) {
      state.mapping[state.mappings].start = (uintptr_t)got;
      state.mapping[state.mappings++].size = (size_t)c->arg[1];
      state.dirty = true;
    }
  }
  return got;
}

static bool mapped_by_execution(uintptr_t start, size_t size)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (start >= state.mapping[i].start && start + size <= state.mapping[i].start + state.mapping[i].size)
      return true;
  return false;
}

static long do_mapping_change(const struct call *c)
{
  if (in_place() && !mapped_by_execution((uintptr_t)c->arg[0], (size_t)c->arg[1]))
    change_reset(RESET_FORK, c->pc, "the program changes memory mappings it was started with");
  long result = perform(c);
  if (c->number == SYS_munmap && result == 0)
    state.mapped -= (uint64_t)c->arg[1] < state.mapped ? (uint64_t)c->arg[1] : state.mapped;
  return result;
}

/* ---- processes ---- */

/* POSIX lets vfork be fork. A child that shares our memory would be taken for the program itself: its _exit for the end
 * of the execution. */
EXPORT pid_t vfork(void)
{
  return fork();
}

static long do_process(const struct call *c)
{
  bool thread = (c->number == SYS_clone && c->arg[0] & CLONE_THREAD) ||
                (c->number == SYS_clone3 && ((struct clone_args *)c->arg[0])->flags & CLONE_THREAD);
  if (thread)
    fail(in_program(c->pc) ? c->pc : 0, "the program starts a thread with a raw clone() call, past pthread_create; heddle cannot control it");
  uintptr_t pc = in_program(c->pc) ? c->pc : 0;
  if (c->number == SYS_execve || c->number == SYS_execveat)
    fail(pc, "the program replaces itself by another one (%s); heddle cannot follow it there: check that one instead",
         (const char *)c->arg[c->number == SYS_execveat]);
  rt.control->wish.no_filter = 1;
  change_reset(RESET_EXEC, pc, "the program starts other processes; they run uncontrolled");
}

static long do_kill(const struct call *c)
{
  long tid = c->number == SYS_tgkill ? c->arg[1] : c->number == SYS_tkill ? c->arg[0] : -1;
  int signal = (int)c->arg[c->number == SYS_tgkill ? 2 : 1];
  if (c->number == SYS_kill) {
    if (c->arg[0] != VIRTUAL_PID && c->arg[0] != 0)
      return signal == 0 ? perform(c) : -EPERM;
    if (signal < 1 || signal > 64)
      return signal == 0 ? 0 : -EINVAL;
    return send_signal(signal_receiver(signal), signal);
  }
  if (tid == VIRTUAL_PID)
    return send_signal(0, signal);
  for (unsigned i = 0; i < rt.engine->threads; i++)
    if (rt.thread[i].fiber->tid == tid || tid == (long)(VIRTUAL_PID + i))
      return rt.thread[i].finished ? -ESRCH : send_signal(i, signal);
  return -ESRCH;
}

static long random_bytes(void *to, size_t size)
{
  unsigned char *out = to;
  for (size_t i = 0; i < size; i++)
    out[i] = (unsigned char)rng_next(&rt.random);
  return (long)size;
}

static long read_clock(const struct call *c)
{
  switch (c->number) {
  case SYS_clock_gettime:
    *(struct timespec *)c->arg[1] = virtual_time((clockid_t)c->arg[0]);
    return 0;
  case SYS_time:
    if (c->arg[0])
      *(time_t *)c->arg[0] = virtual_time(CLOCK_REALTIME).tv_sec;
    return virtual_time(CLOCK_REALTIME).tv_sec;
  default: {
    struct timespec now = virtual_time(CLOCK_REALTIME);
    struct timeval *out = (struct timeval *)c->arg[0];
    if (out)
      *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
  }
  }
}

/* Looks at the system or at files, changes nothing. */
static bool harmless(long number)
{
  switch (number) {
  case SYS_stat: case SYS_fstat: case SYS_lstat: case SYS_newfstatat: case SYS_statx: case SYS_access:
  case SYS_faccessat: case SYS_faccessat2: case SYS_readlink: case SYS_readlinkat: case SYS_getcwd: case SYS_uname:
  case SYS_getuid: case SYS_geteuid: case SYS_getgid: case SYS_getegid: case SYS_getgroups: case SYS_getpgrp:
  case SYS_getpgid: case SYS_getsid: case SYS_sysinfo: case SYS_sched_getaffinity: case SYS_getrlimit:
  case SYS_getrusage: case SYS_times: case SYS_sched_getparam: case SYS_sched_getscheduler: case SYS_getpriority:
  case SYS_sched_get_priority_max: case SYS_sched_get_priority_min: case SYS_clock_getres: case SYS_statfs:
  case SYS_fstatfs: case SYS_getxattr: case SYS_capget: case SYS_set_robust_list:
  case SYS_get_robust_list: case SYS_arch_prctl: case SYS_set_tid_address: case SYS_rseq:
  case SYS_getcpu: case SYS_membarrier: case SYS_getitimer:
    return true;
  }
  return false;
}

/* Acts on a descriptor only; in place it must be one of this execution. */
static bool on_descriptor(long number)
{
  switch (number) {
  case SYS_lseek: case SYS_fcntl: case SYS_ioctl: case SYS_getdents64: case SYS_fadvise64: case SYS_shutdown:
  case SYS_bind: case SYS_listen: case SYS_setsockopt: case SYS_getsockopt: case SYS_getsockname:
  case SYS_getpeername: case SYS_connect: case SYS_epoll_ctl: case SYS_timerfd_settime: case SYS_timerfd_gettime:
  case SYS_flock: case SYS_pwrite64:
    return true;
  }
  return false;
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

static long do_other(const struct call *c)
{
  if (harmless(c->number))
    return perform(c);
  if (c->number == SYS_fcntl && standard(c->arg[0]) && (c->arg[1] == F_GETFL || c->arg[1] == F_SETFL))
    return standard_flags(c);
  if (on_descriptor(c->number) && (ours(c->arg[0]) || (standard(c->arg[0]) && looks_only(c)))) {
    long result = perform(c);
    if (c->number == SYS_fcntl && (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC))
      note_fd(result);
    return result;
  }
  const char *name = system_call_name(c->number);
  if (in_place() && name)
    change_reset(RESET_FORK, c->pc, "the program calls %s(), which restoring its memory does not undo", name);
  if (in_place())
    change_reset(RESET_FORK, c->pc, "the program makes system call %ld, which restoring its memory does not undo",
                 c->number);
  return perform(c);
}

/* A filter of the program's own would hit our calls, a death signal of its own would replace ours. */
static long do_prctl(const struct call *c)
{
  bool kept = c->arg[0] == PR_SET_SECCOMP || c->arg[0] == PR_SET_PDEATHSIG;
  return kept ? 0 : perform(c);
}

static long decide(const struct call *c)
{
  switch (c->number) {
  case SYS_read: case SYS_readv: case SYS_pread64:
    return do_read(c);
  case SYS_write: case SYS_writev:
    return do_write(c);
  case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg: case SYS_accept: case SYS_accept4:
    wait_for_fd(c->arg[0], POLLIN, c->pc);
    fd_acquire(c->arg[0]);
    return c->number == SYS_accept || c->number == SYS_accept4 ? note_fd(perform(c)) : perform(c);
  case SYS_sendto: case SYS_sendmsg: case SYS_sendmmsg:
    wait_for_fd(c->arg[0], POLLOUT, c->pc);
    fd_release(c->arg[0]);
    return perform(c);
  case SYS_connect: case SYS_shutdown:
    fd_release(c->arg[0]);
    return do_other(c);
  case SYS_poll: case SYS_ppoll:
    return do_poll(c);
  case SYS_select: case SYS_pselect6:
    return do_select(c);
  case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2:
    return do_epoll(c);
  case SYS_open: case SYS_openat: case SYS_creat:
    return do_open(c);
  case SYS_close:
    return do_close(c);
  case SYS_pipe: case SYS_pipe2: case SYS_socketpair: {
    long result = perform(c);
    if (result == 0)
      note_fds((const int *)c->arg[c->number == SYS_socketpair ? 3 : 0]);
    return result;
  }
  case SYS_eventfd: case SYS_eventfd2:
    return note_channel(perform(c), -1);
  case SYS_dup:
    return note_channel(perform(c), c->arg[0]);
  case SYS_socket: case SYS_epoll_create: case SYS_epoll_create1: case SYS_memfd_create: case SYS_timerfd_create:
  case SYS_signalfd4: case SYS_inotify_init1:
    return note_fd(perform(c));
  case SYS_dup2: case SYS_dup3:
    if (in_place() && !ours(c->arg[1]) && sys(SYS_fcntl, c->arg[1], F_GETFD) >= 0)
      change_reset(RESET_FORK, c->pc, "the program replaces a descriptor it was started with");
    return note_channel(perform(c), c->arg[0]);
  case SYS_mmap:
    return do_mmap(c);
  case SYS_munmap: case SYS_mprotect: case SYS_madvise: case SYS_mremap: case SYS_brk:
    return do_mapping_change(c);
  case SYS_futex:
    return futex_call((uint32_t *)c->arg[0], (int)c->arg[1], (uint32_t)c->arg[2], c->arg[3], (uint32_t *)c->arg[4],
                      (uint32_t)c->arg[5], c->pc);
  case SYS_exit_group: case SYS_exit:
    execution_exit((int)c->arg[0] & 255);
  case SYS_clone: case SYS_clone3: case SYS_fork: case SYS_vfork: case SYS_execve: case SYS_execveat:
    return do_process(c);
  case SYS_kill: case SYS_tkill: case SYS_tgkill:
    return do_kill(c);
  case SYS_getpid:
    return VIRTUAL_PID;
  case SYS_getppid:
    return VIRTUAL_PID - 1;
  case SYS_gettid:
    return VIRTUAL_PID + self_index();
  case SYS_rt_sigprocmask:
    return change_mask((int)c->arg[0], (const uint64_t *)c->arg[1], (uint64_t *)c->arg[2]);
  case SYS_rt_sigaction:
    return change_action((int)c->arg[0], (const void *)c->arg[1], (void *)c->arg[2]);
  case SYS_sigaltstack:
    return change_alternate_stack((const stack_t *)c->arg[0], (stack_t *)c->arg[1]);
  case SYS_pause: case SYS_rt_sigsuspend:
    return suspend_for_signal(c->number == SYS_rt_sigsuspend ? (const uint64_t *)c->arg[0] : NULL, c->pc);
  case SYS_rt_sigtimedwait:
    return wait_for_signal((const uint64_t *)c->arg[0], (siginfo_t *)c->arg[1], (const struct timespec *)c->arg[2],
                           c->pc);
  case SYS_prctl:
    return do_prctl(c);
  case SYS_seccomp:
    return c->arg[0] == SECCOMP_SET_MODE_STRICT || c->arg[0] == SECCOMP_SET_MODE_FILTER ? 0 : perform(c);
  case SYS_getrandom:
    return random_bytes((void *)c->arg[0], (size_t)c->arg[1]);
  case SYS_clock_gettime: case SYS_time: case SYS_gettimeofday:
    return read_clock(c);
  case SYS_nanosleep: case SYS_clock_nanosleep: {
    bool clock = c->number == SYS_clock_nanosleep;
    return -virtual_sleep(clock ? (clockid_t)c->arg[0] : CLOCK_REALTIME, clock && c->arg[1] & TIMER_ABSTIME,
                          (const struct timespec *)c->arg[clock ? 2 : 0], c->pc);
  }
  case SYS_sched_yield: {
    struct operation op = {.kind = OP_YIELD, .pc = c->pc};
    step(&op);
    return performed(0);
  }
  case SYS_prlimit64:
    return c->arg[2] ? do_other(c) : perform(c);
  case SYS_io_uring_setup:
    return -ENOSYS;
  }
  return do_other(c);
}

static bool wants_place(long number)
{
  switch (number) {
  case SYS_write: case SYS_exit_group: case SYS_getpid: case SYS_gettid: case SYS_rt_sigprocmask: case SYS_mmap:
  case SYS_fstat: case SYS_newfstatat: case SYS_lseek: case SYS_close:
    return false;
  }
  return !harmless(number);
}

long system_call(const long number, const long *arg, uintptr_t pc)
{
  struct call c = {.number = number, .pc = pc};
  for (int i = 0; i < 6; i++)
    c.arg[i] = arg[i];
  return decide(&c);
}

void on_system_call(int signal, siginfo_t *info, void *context)
{
  (void)signal;
  ucontext_t *u = context;
  greg_t *g = u->uc_mcontext.gregs;
  struct call c = {.number = info->si_syscall,
                   .arg = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]}};
  if (!hd_self) {
    g[REG_RAX] = raw_syscall(c.number, c.arg[0], c.arg[1], c.arg[2], c.arg[3], c.arg[4], c.arg[5]);
    return;
  }
  c.pc = wants_place(c.number) ? place_in_program((uintptr_t)g[REG_RIP]) : (uintptr_t)g[REG_RIP];
  g[REG_RAX] = decide(&c);
}

void filter_reset(void)
{
  if (!state.dirty)
    return;
  for (unsigned i = 0; i < FDS / 64; i++)
    for (; state.opened[i]; state.opened[i] &= state.opened[i] - 1)
      sys(SYS_close, i * 64L + __builtin_ctzll(state.opened[i]));
  for (uint32_t i = 0; i < state.mappings; i++)
    sys(SYS_munmap, state.mapping[i].start, state.mapping[i].size);
  state.mappings = 0;
  state.channels = 0;
  vclock_clear(&state.clock[0]);
  state.closed = state.nonblocking = 0;
  state.mapped = 0;
  state.dirty = false;
}

void filter_boot(void)
{
  if (rt.control->wish.no_filter || rt.filter)
    return;
  uintptr_t ip = (uintptr_t)raw_syscall_end;
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 4, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ip, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(ip >> 32), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  struct sock_fprog filter = {sizeof program / sizeof *program, program};
  if (sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) ||
      sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0L, &filter))
    fail(0, "cannot install the system call filter (seccomp); is it denied in this container?");
  rt.filter = true;
}
