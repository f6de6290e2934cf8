/* SPDX-License-Identifier: Apache-2.0
 *
 * Pipes, event counters, duplicates, flags, and waiting for several descriptors.
 */
#include "case.h"
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/uio.h>

static int p[2], e, set;
static char c, all[200000];

int fcntl64(int fd, int command, ...);

static void make(void)
{
  RETURNS(0, pipe, p);
}

static void make_quiet(void)
{
  make();
  signal(SIGPIPE, SIG_IGN);
}

#define MOVES(n, function, ...)                                                                              \
  do {                                                                                                       \
    EXPECT((long)function(__VA_ARGS__) == (long)(n));                                                        \
    SEE(#function, "proceeds");                                                                              \
  } while (0)

static void put(void)
{
  MOVES(1, write, p[1], "x", 1);
}

static void get(void)
{
  MOVES(1, read, p[0], &c, 1);
}

/* ---- pipes ---- */

CASE(pipe, numbers, proceeds, EMFILE)
{
  int q[2];
  make();
  RETURNS(0, pipe, q);
  EXPECT(p[0] == 3 && p[1] == 4 && q[0] == 5 && q[1] == 6);
  RETURNS(0, close, p[1]);
  RETURNS(0, close, q[0]);
  EXPECT(dup(0) == 4 && dup(0) == 5 && dup(0) == 7);
  EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){10, 10}) == 0);
  RETURNS(0, pipe, q);
  FAILS(EMFILE, pipe, q);
}

CASE(pipe2, flags, proceeds, EINVAL)
{
  RETURNS(0, pipe2, p, O_NONBLOCK | O_CLOEXEC);
  EXPECT(fcntl(p[0], F_GETFL) & O_NONBLOCK && fcntl(p[1], F_GETFD) == FD_CLOEXEC);
  FAILS(EINVAL, pipe2, p, O_CREAT);
}

CASE(pipe2, packets, proceeds)
{
  RETURNS(0, pipe2, p, O_DIRECT);
  EXPECT(write(p[1], "abc", 3) == 3 && write(p[1], "de", 2) == 2);
  EXPECT(read(p[0], all, 100) == 3 && read(p[0], all, 1) == 1);
}

static void get_handed_over(void)
{
  get();
}

CASE(read, from_pipe, proceeds, blocks, end)
{
  make();
  blocks_until("read", get_handed_over, put);
  RETURNS(0, close, p[1]);
  EXPECT(read(p[0], &c, 1) == 0);
  SAW("end");
}

CASE(read, errors, EAGAIN, EBADF, EINVAL)
{
  RETURNS(0, pipe2, p, O_NONBLOCK);
  FAILS(EAGAIN, read, p[0], &c, 1);
  FAILS(EBADF, read, p[1], &c, 1);
  FAILS(EBADF, read, 77, &c, 1);
  FAILS(EINVAL, read, eventfd(1, 0), &c, 1);
}

CASE(read, of_parts, proceeds, short)
{
  make();
  EXPECT(write(p[1], "abcdef", 6) == 6);
  EXPECT(read(p[0], all, 4) == 4 && !memcmp(all, "abcd", 4));
  EXPECT(read(p[0], all, 4) == 2 && !memcmp(all, "ef", 2));
  SAW("short");
  SAW("proceeds");
}

DEADLOCK(read, nobody_writes, "a descriptor that will never be ready")
{
  make();
  get();
}

DEADLOCK(read, own_end_open, "a descriptor that will never be ready")
{
  make();
  pthread_t t = start_call(put);
  finish(t);
  get();
  get(); /* its own writing end is what keeps it waiting */
}

static void fill(void)
{
  MOVES(sizeof all, write, p[1], all, sizeof all);
}

static void drain(void)
{
  for (size_t n = 0; n < sizeof all;) {
    long some = read(p[0], all, 70000);
    EXPECT(some > 0);
    n += (size_t)some;
  }
}

CASE(write, to_pipe, proceeds, blocks)
{
  make();
  blocks_until("write", fill, drain);
}

CASE(write, errors, EPIPE, EBADF, EAGAIN, partial)
{
  make_quiet();
  FAILS(EBADF, write, p[0], "x", 1);
  EXPECT(fcntl(p[1], F_SETFL, O_NONBLOCK) == 0);
  EXPECT(write(p[1], all, sizeof all) == 65536);
  SAW("partial");
  FAILS(EAGAIN, write, p[1], "x", 1);
  RETURNS(0, close, p[0]);
  FAILS(EPIPE, write, p[1], "x", 1);
}

BUG(crash, write, to_nobody, "SIGPIPE")
{
  make();
  close(p[0]);
  write(p[1], "x", 1);
}

CASE(write, whole_or_not, EAGAIN, whole)
{
  make();
  EXPECT(fcntl(p[1], F_SETFL, O_NONBLOCK) == 0);
  EXPECT(write(p[1], all, 65000) == 65000);
  FAILS(EAGAIN, write, p[1], all, PIPE_BUF);
  EXPECT(read(p[0], all, 65000) == 65000);
  EXPECT(write(p[1], all, PIPE_BUF) == PIPE_BUF);
  SAW("whole");
}

CASE(readv, parts, proceeds, EBADF)
{
  char a[3], b[5];
  struct iovec v[] = {{a, 3}, {b, 5}};
  make();
  EXPECT(write(p[1], "abcdef", 6) == 6);
  MOVES(6, readv, p[0], v, 2);
  EXPECT(!memcmp(a, "abc", 3) && !memcmp(b, "def", 3));
  FAILS(EBADF, readv, p[1], v, 2);
}

CASE(writev, parts, proceeds, EPIPE)
{
  struct iovec v[] = {{"abc", 3}, {"de", 2}};
  make_quiet();
  MOVES(5, writev, p[1], v, 2);
  EXPECT(read(p[0], all, 9) == 5 && !memcmp(all, "abcde", 5));
  close(p[0]);
  FAILS(EPIPE, writev, p[1], v, 2);
}

static void close_other(void)
{
  RETURNS(0, close, p[1]);
}

static void read_end(void)
{
  EXPECT(read(p[0], &c, 1) == 0);
}

CASE(close, ends_a_wait, proceeds, EBADF, read:blocks)
{
  make();
  blocks_until("read", read_end, close_other);
  FAILS(EBADF, close, p[1]);
}

/* ---- duplicates ---- */

CASE(dup, of_pipe, proceeds, EBADF)
{
  make();
  int d = dup(p[1]);
  EXPECT(d == 5);
  close(p[1]);
  EXPECT(write(d, "x", 1) == 1);
  get();
  SAW("proceeds");
  FAILS(EBADF, dup, p[1]);
}

CASE(dup2, replaces, proceeds, EBADF)
{
  make();
  MOVES(p[0], dup2, p[1], p[0]);
  FAILS(EBADF, dup2, 77, 5);
  FAILS(EBADF, dup2, p[1], -1);
  EXPECT(dup2(p[1], p[1]) == p[1]);
  FAILS(EBADF, read, p[0], &c, 1);
}

CASE(dup2, of_output)
{
  make();
  int kept = dup(1);
  EXPECT(dup2(p[1], 1) == 1);
  EXPECT(write(1, "x", 1) == 1);
  EXPECT(dup2(kept, 1) == 1);
  EXPECT(read(p[0], &c, 1) == 1);
}

CASE(dup3, flags, proceeds, EINVAL)
{
  make();
  MOVES(9, dup3, p[1], 9, O_CLOEXEC);
  EXPECT(fcntl(9, F_GETFD) == FD_CLOEXEC);
  FAILS(EINVAL, dup3, p[1], p[1], 0);
}

/* ---- flags ---- */

CASE(fcntl, flags, proceeds, EBADF, EINVAL)
{
  make();
  EXPECT((fcntl(p[0], F_GETFL) & O_ACCMODE) == O_RDONLY && (fcntl(p[1], F_GETFL) & O_ACCMODE) == O_WRONLY);
  RETURNS(0, fcntl, p[0], F_SETFL, O_NONBLOCK);
  FAILS(EAGAIN, read, p[0], &c, 1);
  EXPECT(fcntl(p[0], F_DUPFD, 20) == 20 && fcntl(p[0], F_DUPFD_CLOEXEC, 20) == 21);
  EXPECT(fcntl(21, F_GETFD) == FD_CLOEXEC && fcntl(20, F_GETFD) == 0);
  EXPECT(fcntl(p[0], F_GETPIPE_SZ) == 65536 && fcntl(p[0], F_SETPIPE_SZ, 5000) == 8192);
  FAILS(EBADF, fcntl, 77, F_GETFL);
  FAILS(EINVAL, fcntl, p[0], F_DUPFD, -1);
}

CASE(fcntl64, flags, proceeds)
{
  make();
  RETURNS(0, fcntl64, p[0], F_SETFD, FD_CLOEXEC);
  EXPECT(fcntl(p[0], F_GETFD) == FD_CLOEXEC);
}

CASE(ioctl, requests, proceeds, ENOTTY, EBADF)
{
  int n = 1;
  make();
  EXPECT(write(p[1], "abc", 3) == 3);
  RETURNS(0, ioctl, p[0], FIONREAD, &n);
  EXPECT(n == 3);
  n = 1;
  RETURNS(0, ioctl, p[0], FIONBIO, &n);
  EXPECT(fcntl(p[0], F_GETFL) & O_NONBLOCK);
  EXPECT(!isatty(p[0]));
  SAW("ENOTTY");
  FAILS(EBADF, ioctl, 77, FIONREAD, &n);
}

/* ---- event counters ---- */

static void wait_for_event(void)
{
  uint64_t n;
  EXPECT(read(e, &n, 8) == 8);
}

static void signal_event(void)
{
  uint64_t n = 3;
  EXPECT(write(e, &n, 8) == 8);
}

CASE(eventfd, counts, proceeds, EINVAL, read:blocks)
{
  e = eventfd(0, 0);
  EXPECT(e == 3);
  SAW("proceeds");
  blocks_until("read", wait_for_event, signal_event);
  FAILS(EINVAL, eventfd, 0, 0x1234567);
}

CASE(eventfd_read, values, proceeds, EAGAIN)
{
  eventfd_t n;
  e = eventfd(5, EFD_NONBLOCK);
  RETURNS(0, eventfd_read, e, &n);
  EXPECT(n == 5);
  FAILS(EAGAIN, eventfd_read, e, &n);
}

CASE(eventfd_read, semaphore, proceeds, EAGAIN)
{
  eventfd_t n;
  e = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
  RETURNS(0, eventfd_read, e, &n);
  EXPECT(n == 1);
  RETURNS(0, eventfd_read, e, &n);
  FAILS(EAGAIN, eventfd_read, e, &n);
}

static void add_one(void)
{
  RETURNS(0, eventfd_write, e, 1);
}

CASE(eventfd_write, full, proceeds, EAGAIN, EINVAL, blocks)
{
  e = eventfd(0, EFD_NONBLOCK);
  RETURNS(0, eventfd_write, e, UINT64_MAX - 1);
  FAILS(EAGAIN, eventfd_write, e, 1);
  FAILS(EINVAL, eventfd_write, e, UINT64_MAX);
  EXPECT(fcntl(e, F_SETFL, 0) == 0);
  blocks_until("eventfd_write", add_one, wait_for_event);
}

/* ---- poll and select ---- */

static void poll_it(void)
{
  struct pollfd one = {.fd = p[0], .events = POLLIN};
  EXPECT(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
  SEE("poll", "proceeds");
}

CASE(poll, of_pipe, proceeds, blocks, time_is_over, events)
{
  make();
  struct pollfd both[] = {{.fd = p[0], .events = POLLIN}, {.fd = p[1], .events = POLLOUT}, {.fd = 77}, {.fd = -1}};
  EXPECT(poll(both, 1, 0) == 0 && poll(both, 1, 10) == 0);
  SAW("time_is_over");
  blocks_until("poll", poll_it, put);
  EXPECT(poll(both, 4, 0) == 3);
  EXPECT(both[0].revents == POLLIN && both[1].revents == POLLOUT && both[2].revents == POLLNVAL && !both[3].revents);
  get();
  close(p[1]);
  EXPECT(poll(both, 1, -1) == 1 && both[0].revents == POLLHUP);
  SAW("events");
}

CASE(poll, of_full_pipe, events)
{
  make();
  struct pollfd out = {.fd = p[1], .events = POLLOUT};
  EXPECT(write(p[1], all, 65536) == 65536);
  EXPECT(poll(&out, 1, 0) == 0);
  EXPECT(read(p[0], all, 4096) == 4096);
  EXPECT(poll(&out, 1, 0) == 1);
  close(p[0]);
  EXPECT(poll(&out, 1, 0) == 1 && out.revents & POLLERR);
  SAW("events");
}

DEADLOCK(poll, nobody_writes, "a descriptor that will never be ready")
{
  make();
  poll_it();
}

static void ppoll_it(void)
{
  struct pollfd one = {.fd = p[0], .events = POLLIN};
  EXPECT(ppoll(&one, 1, NULL, NULL) == 1);
}

CASE(ppoll, of_pipe, blocks, time_is_over)
{
  make();
  struct pollfd one = {.fd = p[0], .events = POLLIN};
  struct timespec soon = {0, 1000};
  EXPECT(ppoll(&one, 1, &soon, NULL) == 0);
  SAW("time_is_over");
  blocks_until("ppoll", ppoll_it, put);
}

static void select_it(void)
{
  fd_set in;
  FD_ZERO(&in);
  FD_SET(p[0], &in);
  EXPECT(select(p[0] + 1, &in, NULL, NULL, NULL) == 1 && FD_ISSET(p[0], &in));
}

CASE(select, of_pipe, blocks, time_is_over, EBADF, ready)
{
  make();
  fd_set in, out;
  struct timeval soon = {0, 10};
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(p[0], &in);
  EXPECT(select(p[1] + 1, &in, NULL, NULL, &soon) == 0 && !FD_ISSET(p[0], &in));
  SAW("time_is_over");
  blocks_until("select", select_it, put);
  FD_SET(p[0], &in);
  FD_SET(p[1], &out);
  EXPECT(select(p[1] + 1, &in, &out, NULL, NULL) == 2 && FD_ISSET(p[0], &in) && FD_ISSET(p[1], &out));
  SAW("ready");
  close(p[0]);
  FAILS(EBADF, select, p[1] + 1, &in, NULL, NULL, NULL);
}

static void pselect_it(void)
{
  fd_set in;
  FD_ZERO(&in);
  FD_SET(p[0], &in);
  EXPECT(pselect(p[0] + 1, &in, NULL, NULL, NULL, NULL) == 1);
}

CASE(pselect, of_pipe, blocks)
{
  make();
  blocks_until("pselect", pselect_it, put);
}

/* ---- epoll ---- */

static void watch(int fd, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.fd = fd};
  RETURNS(0, epoll_ctl, set, EPOLL_CTL_ADD, fd, &event);
}

static int ready(int timeout)
{
  struct epoll_event out[4];
  int n = epoll_wait(set, out, 4, timeout);
  return n > 0 ? (int)out[0].events : n;
}

CASE(epoll_create, size, proceeds, EINVAL)
{
  EXPECT(epoll_create(1) == 3);
  SAW("proceeds");
  FAILS(EINVAL, epoll_create, 0);
}

CASE(epoll_create1, flags, proceeds, EINVAL)
{
  EXPECT(epoll_create1(EPOLL_CLOEXEC) == 3 && fcntl(3, F_GETFD) == FD_CLOEXEC);
  SAW("proceeds");
  FAILS(EINVAL, epoll_create1, 1);
}

CASE(epoll_ctl, errors, proceeds, EEXIST, ENOENT, EBADF, EINVAL, ELOOP)
{
  struct epoll_event event = {.events = EPOLLIN};
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN);
  FAILS(EEXIST, epoll_ctl, set, EPOLL_CTL_ADD, p[0], &event);
  RETURNS(0, epoll_ctl, set, EPOLL_CTL_DEL, p[0], NULL);
  FAILS(ENOENT, epoll_ctl, set, EPOLL_CTL_DEL, p[0], NULL);
  FAILS(ENOENT, epoll_ctl, set, EPOLL_CTL_MOD, p[0], &event);
  FAILS(EBADF, epoll_ctl, set, EPOLL_CTL_ADD, 77, &event);
  FAILS(EINVAL, epoll_ctl, p[0], EPOLL_CTL_ADD, p[1], &event);
  FAILS(EINVAL, epoll_ctl, set, EPOLL_CTL_ADD, set, &event);
  int other = epoll_create1(0);
  RETURNS(0, epoll_ctl, other, EPOLL_CTL_ADD, set, &event);
  FAILS(ELOOP, epoll_ctl, set, EPOLL_CTL_ADD, other, &event);
}

static void wait_for_set(void)
{
  EXPECT(ready(-1) == EPOLLIN);
}

CASE(epoll_wait, level, blocks, time_is_over, again)
{
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN);
  EXPECT(ready(0) == 0 && ready(5) == 0);
  SAW("time_is_over");
  blocks_until("epoll_wait", wait_for_set, put);
  EXPECT(ready(0) == EPOLLIN && ready(-1) == EPOLLIN);
  SAW("again");
}

CASE(epoll_wait, edge, once, again)
{
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN | EPOLLET);
  put();
  EXPECT(ready(-1) == EPOLLIN && ready(0) == 0);
  SAW("once");
  get();
  put();
  EXPECT(ready(-1) == EPOLLIN && ready(0) == 0);
  SAW("again");
}

CASE(epoll_wait, oneshot, once, again)
{
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN | EPOLLONESHOT);
  put();
  EXPECT(ready(-1) == EPOLLIN && ready(0) == 0);
  SAW("once");
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
  RETURNS(0, epoll_ctl, set, EPOLL_CTL_MOD, p[0], &event);
  EXPECT(ready(-1) == EPOLLIN && ready(0) == 0);
  SAW("again");
}

CASE(epoll_wait, nested, proceeds, closed)
{
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN);
  int outer = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  RETURNS(0, epoll_ctl, outer, EPOLL_CTL_ADD, set, &event);
  EXPECT(epoll_wait(outer, &event, 1, 0) == 0);
  put();
  EXPECT(epoll_wait(outer, &event, 1, -1) == 1);
  SAW("proceeds");
  close(p[0]);
  EXPECT(epoll_wait(outer, &event, 1, 0) == 0 && ready(0) == 0);
  SAW("closed");
}

DEADLOCK(epoll_wait, nobody_writes, "a descriptor that will never be ready")
{
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN);
  wait_for_set();
}

static void pwait_for_set(void)
{
  struct epoll_event out;
  EXPECT(epoll_pwait(set, &out, 1, -1, NULL) == 1);
}

CASE(epoll_pwait, level, blocks, EINVAL)
{
  struct epoll_event out;
  set = epoll_create1(0);
  make();
  watch(p[0], EPOLLIN);
  blocks_until("epoll_pwait", pwait_for_set, put);
  FAILS(EINVAL, epoll_pwait, set, &out, 0, 0, NULL);
}
