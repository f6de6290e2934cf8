/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation points: a thread that is cancelled already ends at each of these calls, and one that waits in it is
 * cancelled there; functions that are no points go on.
 */
#include "case.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>

static int fd, end[2], pair[2];
static char text[8] = "seven..";
static struct iovec vector = {text, sizeof text};
static struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
static sigset_t set;

static void *be_cancelled(void *call)
{
  EXPECT(pthread_cancel(pthread_self()) == 0);
  ((void (*)(void))call)();
  return NULL;
}

static void prepare(void)
{
  fd = open("/dev/null", O_RDWR);
  EXPECT(fd >= 0 && pipe(end) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  EXPECT(sigemptyset(&set) == 0 && sigaddset(&set, SIGUSR1) == 0);
}

/* Cancelled before the call, which would not wait, or might. */
#define POINT(function, ...)                                                                                 \
  static void point_##function(void)                                                                         \
  {                                                                                                          \
    (void)!__VA_ARGS__;                                                                                      \
  }                                                                                                          \
  CASE(function, cancelled_before, cancelled)                                                                \
  {                                                                                                          \
    prepare();                                                                                               \
    EXPECT(finish(start(be_cancelled, (void *)point_##function)) == PTHREAD_CANCELED);                       \
    SAW("cancelled");                                                                                        \
  }

/* Cancelled while it waits, or before: nothing else ends it. */
#define WAIT(function, ...)                                                                                  \
  static void wait_in_##function(void)                                                                       \
  {                                                                                                          \
    (void)!__VA_ARGS__;                                                                                      \
  }                                                                                                          \
  POINT(function, __VA_ARGS__)                                                                               \
  CASE(function, cancelled_while_it_waits, cancelled)                                                        \
  {                                                                                                          \
    prepare();                                                                                               \
    pthread_t thread = start_call(wait_in_##function);                                                       \
    let_others_run();                                                                                        \
    EXPECT(pthread_cancel(thread) == 0);                                                                     \
    EXPECT(finish(thread) == PTHREAD_CANCELED);                                                              \
    SAW("cancelled");                                                                                        \
  }

/* Cancelled, but this is no place to notice. */
#define NO_POINT(function, ...)                                                                              \
  static void no_point_##function(void)                                                                      \
  {                                                                                                          \
    (void)!__VA_ARGS__;                                                                                      \
  }                                                                                                          \
  CASE(function, not_cancelled, not_cancelled)                                                               \
  {                                                                                                          \
    prepare();                                                                                               \
    EXPECT(finish(start(be_cancelled, (void *)no_point_##function)) == NULL);                                \
    SAW("not_cancelled");                                                                                    \
  }

/* ---- files ---- */

POINT(open, open("/dev/null", O_RDONLY))
POINT(openat, openat(AT_FDCWD, "/dev/null", O_RDONLY))
POINT(creat, creat("/dev/null", 0600))
POINT(close, close(fd))
POINT(fsync, fsync(fd))
POINT(fdatasync, fdatasync(fd))
POINT(fcntl, fcntl(fd, F_SETLKW, &(struct flock){.l_type = F_RDLCK}))
POINT(lockf, lockf(fd, F_LOCK, 0))
POINT(pread, pread(fd, text, 1, 0))
POINT(pwrite, pwrite(fd, text, 1, 0))
POINT(preadv, preadv(fd, &vector, 1, 0))
POINT(pwritev, pwritev(fd, &vector, 1, 0))
POINT(write, write(fd, text, 1))
POINT(writev, writev(fd, &vector, 1))
POINT(msync, msync((void *)((uintptr_t)text & ~(uintptr_t)4095), 4096, MS_SYNC))
WAIT(readv, readv(end[0], &vector, 1))
WAIT(splice, splice(end[0], NULL, fd, NULL, 1, 0))

/* ---- sockets ---- */

static int listener(void)
{
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un any = {.sun_family = AF_UNIX};
  EXPECT(bind(s, (struct sockaddr *)&any, sizeof(sa_family_t)) == 0 && listen(s, 1) == 0);
  return s;
}

POINT(accept, accept(listener(), NULL, NULL))
POINT(accept4, accept4(listener(), NULL, NULL, 0))
POINT(connect, connect(pair[0], (struct sockaddr *)&(struct sockaddr_un){.sun_family = AF_UNIX}, sizeof(struct sockaddr_un)))
POINT(send, send(pair[0], text, 1, 0))
POINT(sendto, sendto(pair[0], text, 1, 0, NULL, 0))
POINT(sendmsg, sendmsg(pair[0], &message, 0))
WAIT(recv, recv(pair[0], text, 1, 0))
WAIT(recvfrom, recvfrom(pair[0], text, 1, 0, NULL, NULL))
WAIT(recvmsg, recvmsg(pair[0], &message, 0))

/* ---- waits ---- */

WAIT(poll, poll(&(struct pollfd){.fd = end[0], .events = POLLIN}, 1, -1))
WAIT(ppoll, ppoll(&(struct pollfd){.fd = end[0], .events = POLLIN}, 1, NULL, NULL))
static fd_set *only_end(void)
{
  static fd_set reads;
  FD_ZERO(&reads);
  FD_SET(end[0], &reads);
  return &reads;
}
WAIT(select, select(end[0] + 1, only_end(), NULL, NULL, NULL))
WAIT(pselect, pselect(end[0] + 1, only_end(), NULL, NULL, NULL, NULL))
WAIT(epoll_wait, epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, -1))
WAIT(pause, pause())
WAIT(sigsuspend, sigsuspend(&set))
WAIT(sigwait, sigwait(&set, &fd))
WAIT(sigwaitinfo, sigwaitinfo(&set, NULL))
POINT(sigtimedwait, sigtimedwait(&set, NULL, &(struct timespec){5, 0}))
POINT(tcdrain, tcdrain(fd))

/* ---- no points ---- */

NO_POINT(flock, flock(fd, LOCK_EX))
NO_POINT(shm_open, shm_open("/no-such-thing", O_RDONLY, 0))
NO_POINT(syscall, syscall(SYS_fsync, fd))
NO_POINT(lseek, lseek(fd, 0, SEEK_SET))
NO_POINT(dup, dup(fd))

/* ---- asynchronously, wherever it is ---- */

static void wait_past_libc(void)
{
  EXPECT(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
  syscall(SYS_pause);
}

CASE(pthread_setcanceltype, asynchronous_in_a_system_call, cancelled)
{
  pthread_t thread = start_call(wait_past_libc);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}

static void do_nothing(void)
{
  EXPECT(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
  for (;;)
    ;
}

CASE(pthread_setcanceltype, asynchronous_in_an_empty_loop, cancelled)
{
  pthread_t thread = start_call(do_nothing);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}
