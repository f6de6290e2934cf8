/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes from one descriptor to another, several messages at once, files at a place; closing many; being told of what is
 * done to files; timers and signals by descriptor.
 */
#include "case.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

static int from[2], to[2], file;
static char text[64];

static void make(void)
{
  EXPECT(pipe(from) == 0 && pipe(to) == 0);
}

static void make_file(void)
{
  file = open("text", O_CREAT | O_EXCL | O_RDWR, 0600);
  EXPECT(file >= 0 && write(file, "abcdef", 6) == 6 && lseek(file, 0, SEEK_SET) == 0);
}

static void put(void)
{
  EXPECT(write(from[1], "xyz", 3) == 3);
}

#define COUNTS(n, function, ...)                                                                             \
  do {                                                                                                       \
    EXPECT((long)function(__VA_ARGS__) == (long)(n));                                                        \
    SEE(#function, "proceeds");                                                                              \
  } while (0)

/* ---- from one to another ---- */

static void splice_them(void)
{
  COUNTS(3, splice, from[0], NULL, to[1], NULL, 10, 0);
}

CASE(splice, pipe_to_pipe, proceeds, blocks, EAGAIN, EINVAL, EBADF, ESPIPE)
{
  make();
  make_file();
  loff_t at = 1;
  FAILS(EAGAIN, splice, from[0], NULL, to[1], NULL, 10, SPLICE_F_NONBLOCK);
  blocks_until("splice", splice_them, put);
  EXPECT(read(to[0], text, sizeof text) == 3 && !memcmp(text, "xyz", 3));
  COUNTS(5, splice, file, &at, to[1], NULL, 10, 0);
  EXPECT(at == 6 && read(to[0], text, sizeof text) == 5 && !memcmp(text, "bcdef", 5));
  FAILS(EINVAL, splice, file, NULL, file, NULL, 10, 0);
  FAILS(EBADF, splice, from[1], NULL, to[1], NULL, 10, 0);
  FAILS(ESPIPE, splice, from[0], &at, to[1], NULL, 10, 0);
}

static void tee_them(void)
{
  COUNTS(3, tee, from[0], to[1], 10, 0);
}

CASE(tee, pipe_to_pipe, proceeds, blocks, EAGAIN, EINVAL)
{
  make();
  make_file();
  FAILS(EAGAIN, tee, from[0], to[1], 10, SPLICE_F_NONBLOCK);
  blocks_until("tee", tee_them, put);
  EXPECT(read(to[0], text, sizeof text) == 3 && read(from[0], text, sizeof text) == 3); /* in both */
  FAILS(EINVAL, tee, file, to[1], 10, 0);
}

CASE(vmsplice, to_a_pipe, proceeds, EBADF)
{
  make();
  struct iovec part = {text, 2};
  COUNTS(2, vmsplice, to[1], &part, 1, 0);
  EXPECT(read(to[0], text, sizeof text) == 2);
  int counter = epoll_create1(0);
  FAILS(EBADF, vmsplice, counter, &part, 1, 0);
}

CASE(sendfile, file_to_pipe, proceeds, EINVAL, EBADF)
{
  make();
  make_file();
  COUNTS(6, sendfile, to[1], file, NULL, 100);
  EXPECT(read(to[0], text, sizeof text) == 6);
  FAILS(EINVAL, sendfile, to[1], from[0], NULL, 100);
  FAILS(EBADF, sendfile, to[1], 77, NULL, 100);
}

CASE(copy_file_range, file_to_file, proceeds, EINVAL, EBADF)
{
  make();
  make_file();
  loff_t at = 2;
  int other = open("other", O_CREAT | O_RDWR, 0600);
  COUNTS(4, copy_file_range, file, &at, other, NULL, 100, 0);
  EXPECT(pread(other, text, sizeof text, 0) == 4 && !memcmp(text, "cdef", 4));
  FAILS(EINVAL, copy_file_range, file, NULL, to[1], NULL, 100, 0);
  FAILS(EBADF, copy_file_range, 77, NULL, other, NULL, 100, 0);
}

/* ---- at a place, and several at once ---- */

CASE(preadv2, of_a_file, proceeds, ESPIPE)
{
  make();
  make_file();
  struct iovec part = {text, 3};
  COUNTS(3, preadv2, file, &part, 1, 1, 0);
  EXPECT(!memcmp(text, "bcd", 3));
  FAILS(ESPIPE, preadv2, from[0], &part, 1, 1, 0);
}

CASE(pwritev2, of_a_file, proceeds, ESPIPE)
{
  make();
  make_file();
  struct iovec part = {(void *)"XY", 2};
  COUNTS(2, pwritev2, file, &part, 1, 1, 0);
  EXPECT(pread(file, text, sizeof text, 0) == 6 && !memcmp(text, "aXYdef", 6));
  FAILS(ESPIPE, pwritev2, to[1], &part, 1, 1, 0);
}

static int pair[2];

static void make_pair(void)
{
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
}

static void send_two(void)
{
  struct iovec part[2] = {{(void *)"one", 3}, {(void *)"two", 3}};
  struct mmsghdr message[2] = {{.msg_hdr = {.msg_iov = &part[0], .msg_iovlen = 1}},
                               {.msg_hdr = {.msg_iov = &part[1], .msg_iovlen = 1}}};
  COUNTS(2, sendmmsg, pair[0], message, 2, 0);
  EXPECT(message[1].msg_len == 3);
}

static void receive_two(void)
{
  char got[2][8];
  struct iovec part[2] = {{got[0], 8}, {got[1], 8}};
  struct mmsghdr message[2] = {{.msg_hdr = {.msg_iov = &part[0], .msg_iovlen = 1}},
                               {.msg_hdr = {.msg_iov = &part[1], .msg_iovlen = 1}}};
  COUNTS(2, recvmmsg, pair[1], message, 2, 0, NULL);
  EXPECT(!memcmp(got[0], "one", 3) && !memcmp(got[1], "two", 3));
}

CASE(recvmmsg, of_a_pair, proceeds, blocks, EAGAIN, sendmmsg:proceeds)
{
  make_pair();
  struct mmsghdr message = {0};
  FAILS(EAGAIN, recvmmsg, pair[1], &message, 1, MSG_DONTWAIT, NULL);
  blocks_until("recvmmsg", receive_two, send_two);
}

CASE(sendmmsg, to_nobody, ENOTSOCK)
{
  make();
  struct mmsghdr message = {0};
  FAILS(ENOTSOCK, sendmmsg, from[1], &message, 1, 0);
}

CASE(close_range, of_pipes, proceeds, EINVAL)
{
  make();
  RETURNS(0, close_range, (unsigned)from[1], (unsigned)to[0], 0);
  EXPECT(fcntl(from[0], F_GETFD) == 0 && fcntl(from[1], F_GETFD) == -1 && fcntl(to[0], F_GETFD) == -1);
  EXPECT(fcntl(to[1], F_GETFD) == 0);
  FAILS(EINVAL, close_range, 9, 3, 0);
}

/* ---- what is done to files ---- */

static int watch;

static void make_something(void)
{
  EXPECT(mkdir("folder/made", 0700) == 0);
}

static void hear(void)
{
  const struct inotify_event *event = (const struct inotify_event *)text;
  EXPECT(read(watch, text, sizeof text) == 32 && event->wd == 1 && event->mask == (IN_CREATE | IN_ISDIR));
  EXPECT(!strcmp(event->name, "made"));
}

CASE(inotify_init1, watches, proceeds, blocks, EINVAL, EAGAIN, inotify_init:proceeds, inotify_add_watch:proceeds,
     inotify_add_watch:ENOENT, inotify_add_watch:EINVAL, inotify_add_watch:EBADF, inotify_rm_watch:proceeds,
     inotify_rm_watch:EINVAL)
{
  EXPECT(mkdir("folder", 0700) == 0);
  watch = inotify_init1(IN_NONBLOCK);
  EXPECT(watch >= 0 && read(watch, text, sizeof text) == -1 && errno == EAGAIN && close(watch) == 0);
  SAW("proceeds");
  SAW("EAGAIN");
  FAILS(EINVAL, inotify_init1, 1);
  watch = inotify_init();
  SEE("inotify_init", "proceeds");
  COUNTS(1, inotify_add_watch, watch, "folder", IN_CREATE);
  FAILS(ENOENT, inotify_add_watch, watch, "nothing", IN_CREATE);
  FAILS(EINVAL, inotify_add_watch, watch, "folder", 0);
  FAILS(EBADF, inotify_add_watch, 77, "folder", IN_CREATE);
  blocks_until("inotify_init1", hear, make_something);
  RETURNS(0, inotify_rm_watch, watch, 1);
  FAILS(EINVAL, inotify_rm_watch, watch, 1);
}

/* ---- timers and signals ---- */

static int timer;

CASE(timerfd_create, expires, proceeds, EINVAL, blocks, EAGAIN, timerfd_settime:proceeds, timerfd_settime:EINVAL,
     timerfd_settime:EBADF, timerfd_gettime:proceeds, timerfd_gettime:EBADF)
{
  uint64_t times;
  struct itimerspec never = {{0, 0}, {0, 0}}, soon = {{0, 0}, {1, 0}}, left, odd = {{0, 0}, {0, -1}};
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  EXPECT(timer >= 0 && read(timer, &times, sizeof times) == -1 && errno == EAGAIN);
  SAW("proceeds");
  SAW("EAGAIN");
  FAILS(EINVAL, timerfd_create, CLOCK_MONOTONIC, 1);
  FAILS(EINVAL, timerfd_settime, timer, 0, &odd, NULL);
  FAILS(EBADF, timerfd_settime, 77, 0, &soon, NULL);
  FAILS(EBADF, timerfd_gettime, 77, &left);
  RETURNS(0, timerfd_settime, timer, 0, &soon, NULL);
  RETURNS(0, timerfd_gettime, timer, &left);
  EXPECT(left.it_value.tv_sec <= 1);
  struct pollfd one = {.fd = timer, .events = POLLIN};
  EXPECT(poll(&one, 1, -1) == 1 && read(timer, &times, sizeof times) == sizeof times && times == 1);
  SAW("blocks");
  RETURNS(0, timerfd_settime, timer, 0, &never, NULL);
}

static int signals;

static void take_signal(void)
{
  struct signalfd_siginfo info;
  EXPECT(read(signals, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
}

static void send_signal(void)
{
  EXPECT(kill(getpid(), SIGUSR1) == 0);
}

CASE(signalfd, of_one, proceeds, blocks, EAGAIN, EINVAL, EBADF)
{
  sigset_t set;
  struct signalfd_siginfo info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  int quick = signalfd(-1, &set, SFD_NONBLOCK);
  EXPECT(quick >= 0 && read(quick, &info, sizeof info) == -1 && errno == EAGAIN && close(quick) == 0);
  SAW("proceeds");
  SAW("EAGAIN");
  FAILS(EINVAL, signalfd, -1, &set, 1);
  FAILS(EBADF, signalfd, 77, &set, 0);
  signals = signalfd(-1, &set, 0);
  blocks_until("signalfd", take_signal, send_signal);
}

static int sets;

static void wait_for_set(void)
{
  struct epoll_event event;
  EXPECT(epoll_pwait2(sets, &event, 1, NULL, NULL) == 1 && event.data.fd == from[0]);
  SEE("epoll_pwait2", "proceeds");
}

CASE(epoll_pwait2, of_a_pipe, proceeds, blocks, time_is_over, EINVAL)
{
  make();
  sets = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = from[0]};
  EXPECT(epoll_ctl(sets, EPOLL_CTL_ADD, from[0], &event) == 0);
  EXPECT(epoll_pwait2(sets, &event, 1, &(struct timespec){1, 0}, NULL) == 0);
  SAW("time_is_over");
  FAILS(EINVAL, epoll_pwait2, sets, &event, 0, NULL, NULL);
  blocks_until("epoll_pwait2", wait_for_set, put);
}

/* Programs that can do without find that there is none, as on an older kernel. */
CASE(io_uring_setup, is_not_there, ENOSYS)
{
  char parameters[128] = {0};
  EXPECT(syscall(SYS_io_uring_setup, 8, parameters) == -1 && errno == ENOSYS);
  SAW("ENOSYS");
}
