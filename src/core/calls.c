/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of system calls, for messages: those that are steps, also if they only look, and those that can block. */
#include "core/calls.h"
#include <stddef.h>
#include <sys/syscall.h>

/* clang-format off */
#define CALLS(X)                                                                                             \
  X(read) X(write) X(close) X(fstat) X(lseek) X(mmap) X(mprotect) X(munmap) X(brk) X(rt_sigaction)           \
  X(rt_sigprocmask) X(ioctl) X(pread64) X(pwrite64) X(readv) X(writev) X(sched_yield) X(mremap)              \
  X(msync) X(madvise) X(shmget) X(shmat) X(shmctl) X(dup) X(nanosleep) X(setitimer) X(getpid)                \
  X(sendfile) X(socket) X(connect) X(accept) X(sendto) X(recvfrom) X(sendmsg) X(recvmsg)                     \
  X(shutdown) X(bind) X(listen) X(clone) X(execve) X(exit) X(wait4) X(kill) X(semget) X(semop)               \
  X(semctl) X(shmdt) X(msgget) X(msgsnd) X(msgrcv) X(msgctl) X(fcntl) X(flock) X(fsync)                      \
  X(fdatasync) X(truncate) X(ftruncate) X(chdir) X(fchdir) X(fchmod) X(fchown) X(umask) X(ptrace)            \
  X(setuid) X(setgid) X(setpgid) X(setsid) X(setreuid) X(setregid) X(setgroups) X(setresuid)                 \
  X(setresgid) X(rt_sigpending) X(rt_sigtimedwait) X(rt_sigqueueinfo) X(rt_sigsuspend)                       \
  X(personality) X(setpriority) X(sched_setparam) X(sched_setscheduler) X(mlock) X(munlock)                  \
  X(mlockall) X(munlockall) X(pivot_root) X(prctl) X(adjtimex) X(setrlimit) X(chroot) X(sync)                \
  X(mount) X(umount2) X(sethostname) X(readahead) X(setxattr) X(futex) X(sched_setaffinity)                  \
  X(io_setup) X(io_destroy) X(io_getevents) X(io_submit) X(io_cancel) X(getdents64) X(semtimedop)            \
  X(fadvise64) X(timer_create) X(timer_settime) X(timer_delete) X(clock_settime)                             \
  X(clock_nanosleep) X(exit_group) X(epoll_ctl) X(mbind) X(set_mempolicy) X(mq_open) X(mq_unlink)            \
  X(mq_timedsend) X(mq_timedreceive) X(waitid) X(add_key) X(ioprio_set) X(inotify_add_watch)                 \
  X(openat) X(mkdirat) X(mknodat) X(fchownat) X(unlinkat) X(renameat) X(linkat) X(symlinkat)                 \
  X(fchmodat) X(pselect6) X(ppoll) X(unshare) X(splice) X(tee) X(sync_file_range) X(vmsplice)                \
  X(utimensat) X(epoll_pwait) X(timerfd_create) X(fallocate) X(timerfd_settime) X(accept4)                   \
  X(signalfd4) X(eventfd2) X(epoll_create1) X(dup3) X(pipe2) X(inotify_init1) X(preadv) X(pwritev)           \
  X(recvmmsg) X(prlimit64) X(sendmmsg) X(setns) X(process_vm_readv) X(process_vm_writev)                     \
  X(sched_setattr) X(renameat2) X(seccomp) X(memfd_create) X(bpf) X(execveat) X(userfaultfd)                 \
  X(mlock2) X(copy_file_range) X(preadv2) X(pwritev2) X(pkey_mprotect) X(io_uring_setup)                     \
  X(io_uring_enter) X(io_uring_register) X(pidfd_send_signal) X(clone3) X(close_range) X(openat2)            \
  X(pidfd_open) X(pidfd_getfd) X(epoll_pwait2) X(landlock_create_ruleset)                                    \
  X(mincore) X(getitimer) X(getsockname) X(getpeername) X(socketpair) X(setsockopt) X(getsockopt)            \
  X(uname) X(getcwd) X(getrlimit) X(getrusage) X(sysinfo) X(times) X(getuid) X(getgid) X(geteuid)            \
  X(getegid) X(getppid) X(getgroups) X(getresuid) X(getresgid) X(getpgid) X(setfsuid) X(setfsgid)            \
  X(getsid) X(capget) X(statfs) X(fstatfs) X(getpriority) X(sched_getparam) X(sched_getscheduler)            \
  X(sched_get_priority_max) X(sched_get_priority_min) X(sched_rr_get_interval) X(fsetxattr)                  \
  X(getxattr) X(lgetxattr) X(fgetxattr) X(listxattr) X(removexattr) X(sched_getaffinity)                     \
  X(set_tid_address) X(timer_gettime) X(timer_getoverrun) X(clock_gettime) X(clock_getres)                   \
  X(mq_getsetattr) X(inotify_rm_watch) X(newfstatat) X(readlinkat) X(faccessat) X(set_robust_list)           \
  X(get_robust_list) X(timerfd_gettime) X(getcpu) X(sched_getattr) X(membarrier) X(statx) X(rseq)            \
  X(faccessat2)
#ifdef SYS_open /* the older calls, which newer machines do not have */
#define OLD_CALLS(X)                                                                                         \
  X(open) X(stat) X(lstat) X(poll) X(access) X(pipe) X(select) X(dup2) X(pause) X(alarm) X(fork)             \
  X(vfork) X(getdents) X(rename) X(mkdir) X(rmdir) X(creat) X(link) X(unlink) X(symlink) X(chmod)            \
  X(chown) X(lchown) X(utime) X(mknod) X(epoll_create) X(epoll_wait) X(utimes) X(inotify_init)               \
  X(signalfd) X(eventfd)                                                                                     \
  X(readlink) X(getpgrp) X(arch_prctl) X(time) X(futimesat)
#else
#define OLD_CALLS(X)
#endif
/* clang-format on */

const char *system_call_name(long number)
{
  switch (number) {
#define X(name)                                                                                                        \
  case SYS_##name:                                                                                                     \
    return #name;
    CALLS(X)
    OLD_CALLS(X)
#undef X
  }
  return NULL;
}
