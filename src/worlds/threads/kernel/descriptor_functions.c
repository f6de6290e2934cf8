/* SPDX-License-Identifier: Apache-2.0
 *
 * libc's functions on descriptors: each makes the system call it stands for, without a trap. Calls that libc makes by
 * itself, and those of programs that make them by themselves, come to the same place through the filter
 * (system/filter.c). Nothing is decided here.
 */
#include "worlds/threads/system/call.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The program is under control, and its system calls are. */
static inline bool active(void)
{
  return hd_self && hd_own.filter;
}

static long answer(long result)
{
  if (result >= 0 || result < -4095)
    return result;
  errno = (int)-result;
  return -1;
}

#define MAKE(number, ...) answer(function_call(number, (const long[6]){__VA_ARGS__}, CALLER()))
#define A(x) (long)(x)

EXPORT ssize_t read(int fd, void *to, size_t size)
{
  return active() ? MAKE(SYS_read, fd, A(to), A(size)) : REAL(read)(fd, to, size);
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
  return active() ? MAKE(SYS_write, fd, A(from), A(size)) : REAL(write)(fd, from, size);
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int count)
{
  return active() ? MAKE(SYS_readv, fd, A(v), count) : REAL(readv)(fd, v, count);
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
  return active() ? MAKE(SYS_writev, fd, A(v), count) : REAL(writev)(fd, v, count);
}

EXPORT int close(int fd)
{
  return active() ? (int)MAKE(SYS_close, fd) : REAL(close)(fd);
}

EXPORT int dup(int fd)
{
  return active() ? (int)MAKE(SYS_dup, fd) : REAL(dup)(fd);
}

EXPORT int dup2(int fd, int to)
{
  return active() ? (int)MAKE(SYS_dup2, fd, to) : REAL(dup2)(fd, to);
}

EXPORT int dup3(int fd, int to, int flags)
{
  return active() ? (int)MAKE(SYS_dup3, fd, to, flags) : REAL(dup3)(fd, to, flags);
}

EXPORT int pipe(int fds[2])
{
  return active() ? (int)MAKE(SYS_pipe, A(fds)) : REAL(pipe)(fds);
}

EXPORT int pipe2(int fds[2], int flags)
{
  return active() ? (int)MAKE(SYS_pipe2, A(fds), flags) : REAL(pipe2)(fds, flags);
}

EXPORT int eventfd(unsigned count, int flags)
{
  return active() ? (int)MAKE(SYS_eventfd2, count, flags) : REAL(eventfd)(count, flags);
}

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
  if (!active())
    return REAL(eventfd_read)(fd, value);
  return MAKE(SYS_read, fd, A(value), sizeof *value) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
  if (!active())
    return REAL(eventfd_write)(fd, value);
  return MAKE(SYS_write, fd, A(&value), sizeof value) == sizeof value ? 0 : -1;
}

/* ---- sockets ---- */

EXPORT int socket(int domain, int type, int protocol)
{
  return active() ? (int)MAKE(SYS_socket, domain, type, protocol) : REAL(socket)(domain, type, protocol);
}

EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
  return active() ? (int)MAKE(SYS_socketpair, domain, type, protocol, A(fds))
                  : REAL(socketpair)(domain, type, protocol, fds);
}

EXPORT int bind(int fd, const struct sockaddr *address, socklen_t size)
{
  return active() ? (int)MAKE(SYS_bind, fd, A(address), size) : REAL(bind)(fd, address, size);
}

EXPORT int listen(int fd, int most)
{
  return active() ? (int)MAKE(SYS_listen, fd, most) : REAL(listen)(fd, most);
}

EXPORT int connect(int fd, const struct sockaddr *address, socklen_t size)
{
  return active() ? (int)MAKE(SYS_connect, fd, A(address), size) : REAL(connect)(fd, address, size);
}

EXPORT int accept(int fd, struct sockaddr *address, socklen_t *size)
{
  return active() ? (int)MAKE(SYS_accept, fd, A(address), A(size)) : REAL(accept)(fd, address, size);
}

EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
  return active() ? (int)MAKE(SYS_accept4, fd, A(address), A(size), flags) : REAL(accept4)(fd, address, size, flags);
}

EXPORT int shutdown(int fd, int how)
{
  return active() ? (int)MAKE(SYS_shutdown, fd, how) : REAL(shutdown)(fd, how);
}

EXPORT ssize_t send(int fd, const void *from, size_t size, int flags)
{
  return active() ? MAKE(SYS_sendto, fd, A(from), A(size), flags) : REAL(send)(fd, from, size, flags);
}

EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t to_size)
{
  return active() ? MAKE(SYS_sendto, fd, A(from), A(size), flags, A(to), to_size)
                  : REAL(sendto)(fd, from, size, flags, to, to_size);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
  return active() ? MAKE(SYS_sendmsg, fd, A(message), flags) : REAL(sendmsg)(fd, message, flags);
}

EXPORT ssize_t recv(int fd, void *to, size_t size, int flags)
{
  return active() ? MAKE(SYS_recvfrom, fd, A(to), A(size), flags) : REAL(recv)(fd, to, size, flags);
}

EXPORT ssize_t recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *from_size)
{
  return active() ? MAKE(SYS_recvfrom, fd, A(to), A(size), flags, A(from), A(from_size))
                  : REAL(recvfrom)(fd, to, size, flags, from, from_size);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
  return active() ? MAKE(SYS_recvmsg, fd, A(message), flags) : REAL(recvmsg)(fd, message, flags);
}

EXPORT int getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
  return active() ? (int)MAKE(SYS_getsockname, fd, A(address), A(size)) : REAL(getsockname)(fd, address, size);
}

EXPORT int getpeername(int fd, struct sockaddr *address, socklen_t *size)
{
  return active() ? (int)MAKE(SYS_getpeername, fd, A(address), A(size)) : REAL(getpeername)(fd, address, size);
}

EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
  return active() ? (int)MAKE(SYS_getsockopt, fd, level, name, A(value), A(size))
                  : REAL(getsockopt)(fd, level, name, value, size);
}

EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
  return active() ? (int)MAKE(SYS_setsockopt, fd, level, name, A(value), size)
                  : REAL(setsockopt)(fd, level, name, value, size);
}

/* ---- waiting for several ---- */

EXPORT int poll(struct pollfd *set, nfds_t count, int timeout)
{
  return active() ? (int)MAKE(SYS_poll, A(set), A(count), timeout) : REAL(poll)(set, count, timeout);
}

EXPORT int ppoll(struct pollfd *set, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
  return active() ? (int)MAKE(SYS_ppoll, A(set), A(count), A(timeout), A(mask), 8)
                  : REAL(ppoll)(set, count, timeout, mask);
}

EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
  return active() ? (int)MAKE(SYS_select, count, A(in), A(out), A(other), A(timeout))
                  : REAL(select)(count, in, out, other, timeout);
}

EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
                   const sigset_t *mask)
{
  const long masked[] = {A(mask), 8};
  return active() ? (int)MAKE(SYS_pselect6, count, A(in), A(out), A(other), A(timeout), A(masked))
                  : REAL(pselect)(count, in, out, other, timeout, mask);
}

EXPORT int epoll_create(int size)
{
  return active() ? (int)MAKE(SYS_epoll_create, size) : REAL(epoll_create)(size);
}

EXPORT int epoll_create1(int flags)
{
  return active() ? (int)MAKE(SYS_epoll_create1, flags) : REAL(epoll_create1)(flags);
}

EXPORT int epoll_ctl(int set, int op, int fd, struct epoll_event *event)
{
  return active() ? (int)MAKE(SYS_epoll_ctl, set, op, fd, A(event)) : REAL(epoll_ctl)(set, op, fd, event);
}

EXPORT int epoll_wait(int set, struct epoll_event *out, int most, int timeout)
{
  return active() ? (int)MAKE(SYS_epoll_wait, set, A(out), most, timeout) : REAL(epoll_wait)(set, out, most, timeout);
}

EXPORT int epoll_pwait(int set, struct epoll_event *out, int most, int timeout, const sigset_t *mask)
{
  return active() ? (int)MAKE(SYS_epoll_pwait, set, A(out), most, timeout, A(mask), 8)
                  : REAL(epoll_pwait)(set, out, most, timeout, mask);
}

/* ---- flags and requests ---- */

/* The third argument, which is a number or an address; libc reads it whether it is there or not. */
#define THIRD(last)                                                                                                    \
  ({                                                                                                                   \
    va_list args_;                                                                                                     \
    va_start(args_, last);                                                                                             \
    long third_ = va_arg(args_, long);                                                                                 \
    va_end(args_);                                                                                                     \
    third_;                                                                                                            \
  })

EXPORT int fcntl(int fd, int command, ...)
{
  long third = THIRD(command);
  return active() ? (int)MAKE(SYS_fcntl, fd, command, third) : REAL(fcntl)(fd, command, third);
}

EXPORT int fcntl64(int fd, int command, ...)
{
  long third = THIRD(command);
  return active() ? (int)MAKE(SYS_fcntl, fd, command, third) : REAL(fcntl64)(fd, command, third);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
  long third = THIRD(request);
  return active() ? (int)MAKE(SYS_ioctl, fd, A(request), third) : REAL(ioctl)(fd, request, third);
}
