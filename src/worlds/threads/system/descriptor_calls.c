/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that make, use or wait for descriptors, each with the function that makes it; and those that only act on one,
 * and need no thought but for whose it is.
 */
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/memory/segments.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/standard.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Acts on a descriptor only; in place it must be one of this execution. */
static bool on_descriptor(long number)
{
  /* clang-format off */
  static const short calls[] = {
      SYS_lseek, SYS_fcntl, SYS_ioctl, SYS_getdents64, SYS_fadvise64, SYS_shutdown, SYS_bind, SYS_listen,
      SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_connect,
      SYS_pread64, SYS_preadv, SYS_pwrite64, SYS_pwritev, SYS_ftruncate, SYS_fallocate,
      SYS_inotify_add_watch, SYS_inotify_rm_watch};
  /* clang-format on */
  return LISTED(number, calls);
}

static bool looks_only(const struct call *c)
{
  if (c->number == SYS_fcntl)
    return c->arg[1] == F_GETFL || c->arg[1] == F_GETFD;
  return c->number == SYS_ioctl || c->number == SYS_lseek || c->number == SYS_fadvise64 || c->number == SYS_getsockopt;
}

static bool locks_records(const struct call *c)
{
  return c->number == SYS_fcntl &&
         (c->arg[1] == F_OFD_SETLK || c->arg[1] == F_OFD_SETLKW || c->arg[1] == F_SETLK || c->arg[1] == F_SETLKW);
}

/* What the kernel says about processes, by the numbers that they have to the program. */
static long name_process(const struct call *c, long result)
{
  struct f_owner_ex *owner = (struct f_owner_ex *)c->arg[2]; /* libc's way to ask */
  if (c->number == SYS_fcntl && c->arg[1] == F_GETOWN_EX && result == 0)
    owner->pid = process_id_of_kernel(owner->pid);
  struct flock *lock = (struct flock *)c->arg[2];
  if (c->number == SYS_fcntl && c->arg[1] == F_GETLK && result == 0 && lock->l_type != F_UNLCK)
    lock->l_pid = process_id_of_kernel(lock->l_pid);
  struct ucred *peer = (struct ucred *)c->arg[3];
  bool asks = c->number == SYS_getsockopt && c->arg[1] == SOL_SOCKET && c->arg[2] == SO_PEERCRED;
  if (asks && result == 0)
    peer->pid = process_id_of_kernel(peer->pid);
  return result;
}

/* Calls that need no thought but for whose descriptor it is; false if it is none of those. */
static bool general_call(const struct call *c, long *result)
{
  bool flags = c->number == SYS_fcntl &&
               (c->arg[1] == F_GETFL || c->arg[1] == F_SETFL || c->arg[1] == F_GETFD || c->arg[1] == F_SETFD);
  if (flags && descriptor_is_standard(c->arg[0])) {
    *result = standard_flags(c);
    return true;
  }
  bool duplicates = c->number == SYS_fcntl && (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC);
  if (duplicates && (descriptor_is_controlled(c->arg[0]) || descriptor_is_standard(c->arg[0]))) {
    *result = duplicate((int)c->arg[0], (int)c->arg[2], c->arg[1] == F_DUPFD_CLOEXEC, c->pc);
    return true;
  }
  if (!on_descriptor(c->number) ||
      !(descriptor_is_controlled(c->arg[0]) || (descriptor_is_standard(c->arg[0]) && looks_only(c))))
    return false;
  if (c->number == SYS_bind)
    be_alone();
  if (c->number == SYS_epoll_ctl && is_queue_descriptor(c->arg[2]))
    fail(c->pc, "the program waits for a message queue by epoll; heddle does not control that, but it does "
                "mq_receive(), mq_timedreceive() and mq_notify()");
  if (c->number == SYS_fcntl && c->arg[1] == F_SETFL && c->arg[2] & O_ASYNC)
    fail(c->pc,
         "the program wants a signal from the kernel when a descriptor is ready (O_ASYNC); heddle cannot control that");
  struct call now = *c;
  bool owns = c->number == SYS_fcntl && c->arg[1] == F_SETOWN && c->arg[2] == VIRTUAL_PID;
  if (owns)
    now.arg[2] = sys(SYS_getpid);
  if (locks_records(c)) {
    if (!overlay_is_on())
      be_alone();
    *result = lock_records(c);
    return true;
  }
  *result = name_process(c, perform(&now));
  return true;
}

static call_maker *const particular[] = {
    [SYS_read] = read_call,
    [SYS_readv] = read_call,
    [SYS_write] = write_call,
    [SYS_writev] = write_call,
    [SYS_splice] = splice_call,
    [SYS_sendfile] = splice_call,
    [SYS_tee] = splice_call,
    [SYS_copy_file_range] = copy_range_call,
    [SYS_flock] = lock_file,

    [SYS_connect] = connect_call,
    [SYS_accept] = accept_call,
    [SYS_accept4] = accept_call,
    [SYS_shutdown] = shutdown_call,
    [SYS_recvfrom] = receive_call,
    [SYS_recvmsg] = receive_call,
    [SYS_recvmmsg] = receive_many_call,
    [SYS_sendto] = send_call,
    [SYS_sendmsg] = send_call,
    [SYS_sendmmsg] = send_call,

    [SYS_poll] = poll_call,
    [SYS_ppoll] = poll_call,
    [SYS_select] = select_call,
    [SYS_pselect6] = select_call,
    [SYS_epoll_wait] = epoll_call,
    [SYS_epoll_pwait] = epoll_call,
    [SYS_epoll_pwait2] = epoll_call,

    [SYS_open] = open_call,
    [SYS_openat] = open_call,
    [SYS_openat2] = open_call,
    [SYS_creat] = open_call,
    [SYS_close] = close_call,
    [SYS_dup] = dup_call,
    [SYS_dup2] = dup_call,
    [SYS_dup3] = dup_call,
    [SYS_socket] = make_descriptor_call,
    [SYS_socketpair] = pair_call,
    [SYS_memfd_create] = make_descriptor_call,
    [SYS_inotify_init] = make_descriptor_call,
    [SYS_inotify_init1] = make_descriptor_call,
};

bool descriptor_call(const struct call *c, long *result)
{
  call_maker *make = CALL_IN(c->number, particular);
  segment_noted(c);
  *result = make ? make(c) : UNKNOWN;
  return *result != UNKNOWN || general_call(c, result);
}
