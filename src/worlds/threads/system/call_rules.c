/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of system calls: what each one reads and changes in the system (core/system.h), by which calls of two
 * threads depend on each other, and where it reads and writes memory. It decides nothing about how a call is made
 * (filter.c); one that is not listed here cannot be made in place, and no search with it is
 * complete. */
#include "worlds/threads/system/call_rules.h"
#include "core/system.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/standard.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define D SYSTEM_DESCRIPTORS
#define O SYSTEM_OPEN_FILES
#define F SYSTEM_FILES
#define N SYSTEM_NETWORK
#define CWD SYSTEM_FOLDER
#define MASK SYSTEM_CREATION
#define LIM SYSTEM_LIMITS
#define SCH SYSTEM_SCHEDULING
#define ID SYSTEM_IDENTITY
#define SIG SYSTEM_SIGNALS
#define MSG SYSTEM_MESSAGES
#define MAP SYSTEM_MAPPINGS

#define BYTES(at, n)                                                                                                   \
  {                                                                                                                    \
    at, MEMORY_BYTES, 0, n, false                                                                                      \
  }
#define SIZED(at, by)                                                                                                  \
  {                                                                                                                    \
    at, MEMORY_SIZED, by, 1, false                                                                                     \
  }
#define COUNTED(at, by, unit)                                                                                          \
  {                                                                                                                    \
    at, MEMORY_COUNTED, by, unit, false                                                                                \
  }
#define VECTOR(at, by)                                                                                                 \
  {                                                                                                                    \
    at, MEMORY_VECTOR, by, 0, false                                                                                    \
  }
#define MESSAGE(at)                                                                                                    \
  {                                                                                                                    \
    at, MEMORY_MESSAGE, 0, 0, false                                                                                    \
  }
#define MESSAGES(at, by)                                                                                               \
  {                                                                                                                    \
    at, MEMORY_MESSAGES, by, 0, false                                                                                  \
  }
#define SOCKET(at, by)                                                                                                 \
  {                                                                                                                    \
    at, MEMORY_SOCKET, by, 0, false                                                                                    \
  }
#define PAGES(at, by)                                                                                                  \
  {                                                                                                                    \
    at, MEMORY_PAGES, by, 0, false                                                                                     \
  }
#define REQUEST(at)                                                                                                    \
  {                                                                                                                    \
    at, MEMORY_REQUEST, 0, 256, false                                                                                  \
  }
/* What it reads */
#define SENT(at, by)                                                                                                   \
  {                                                                                                                    \
    at, MEMORY_SIZED, by, 1, true                                                                                      \
  }
#define SENT_VECTOR(at, by)                                                                                            \
  {                                                                                                                    \
    at, MEMORY_VECTOR, by, 0, true                                                                                     \
  }
#define SENT_MESSAGE(at)                                                                                               \
  {                                                                                                                    \
    at, MEMORY_MESSAGE, 0, 0, true                                                                                     \
  }

#define CHANGES false
#define LOOKS true

/* In the order of what they are about. Columns: kind, reads, changes, memory. */
/* clang-format off */
static const struct call_rule rules[] = {
    /* names of files */
    {SYS_stat, LOOKS, F | CWD, 0, {BYTES(1, sizeof(struct stat))}},
    {SYS_lstat, LOOKS, F | CWD, 0, {BYTES(1, sizeof(struct stat))}},
    {SYS_fstat, LOOKS, F | D, 0, {BYTES(1, sizeof(struct stat))}},
    {SYS_newfstatat, LOOKS, F | D | CWD, 0, {BYTES(2, sizeof(struct stat))}},
    {SYS_statx, LOOKS, F | D | CWD, 0, {BYTES(4, 256)}},
    {SYS_access, LOOKS, F | CWD, 0, {{0}}},
    {SYS_faccessat, LOOKS, F | D | CWD, 0, {{0}}},
    {SYS_faccessat2, LOOKS, F | D | CWD, 0, {{0}}},
    {SYS_readlink, LOOKS, F | CWD, 0, {SIZED(1, 2)}},
    {SYS_readlinkat, LOOKS, F | D | CWD, 0, {SIZED(2, 3)}},
    {SYS_statfs, LOOKS, F | CWD, 0, {BYTES(1, sizeof(struct statfs))}},
    {SYS_fstatfs, LOOKS, F | D, 0, {BYTES(1, sizeof(struct statfs))}},
    {SYS_getxattr, LOOKS, F | CWD, 0, {SIZED(2, 3)}},
    {SYS_lgetxattr, LOOKS, F | CWD, 0, {SIZED(2, 3)}},
    {SYS_fgetxattr, LOOKS, F | D, 0, {SIZED(2, 3)}},
    {SYS_listxattr, LOOKS, F | CWD, 0, {SIZED(1, 2)}},
    {SYS_getcwd, LOOKS, CWD | F, 0, {SIZED(0, 1)}},
    {SYS_mkdir, CHANGES, CWD | MASK, F, {{0}}},
    {SYS_mkdirat, CHANGES, CWD | MASK | D, F, {{0}}},
    {SYS_mknod, CHANGES, CWD | MASK, F, {{0}}},
    {SYS_mknodat, CHANGES, CWD | MASK | D, F, {{0}}},
    {SYS_rmdir, CHANGES, CWD, F, {{0}}},
    {SYS_unlink, CHANGES, CWD, F, {{0}}},
    {SYS_unlinkat, CHANGES, CWD | D, F, {{0}}},
    {SYS_rename, CHANGES, CWD, F, {{0}}},
    {SYS_renameat, CHANGES, CWD | D, F, {{0}}},
    {SYS_renameat2, CHANGES, CWD | D, F, {{0}}},
    {SYS_link, CHANGES, CWD, F, {{0}}},
    {SYS_linkat, CHANGES, CWD | D, F, {{0}}},
    {SYS_symlink, CHANGES, CWD, F, {{0}}},
    {SYS_symlinkat, CHANGES, CWD | D, F, {{0}}},
    {SYS_chmod, CHANGES, CWD, F, {{0}}},
    {SYS_fchmod, CHANGES, D, F, {{0}}},
    {SYS_fchmodat, CHANGES, CWD | D, F, {{0}}},
    {SYS_chown, CHANGES, CWD, F, {{0}}},
    {SYS_lchown, CHANGES, CWD, F, {{0}}},
    {SYS_fchown, CHANGES, D, F, {{0}}},
    {SYS_fchownat, CHANGES, CWD | D, F, {{0}}},
    {SYS_utime, CHANGES, CWD, F, {{0}}},
    {SYS_utimes, CHANGES, CWD, F, {{0}}},
    {SYS_utimensat, CHANGES, CWD | D, F, {{0}}},
    {SYS_futimesat, CHANGES, CWD | D, F, {{0}}},
    {SYS_truncate, CHANGES, CWD, F, {{0}}},
    {SYS_setxattr, CHANGES, CWD, F, {{0}}},
    {SYS_fsetxattr, CHANGES, D, F, {{0}}},
    {SYS_removexattr, CHANGES, CWD, F, {{0}}},
    {SYS_chdir, CHANGES, F, CWD, {{0}}},
    {SYS_fchdir, CHANGES, F | D, CWD, {{0}}},
    {SYS_chroot, CHANGES, F, CWD, {{0}}},
    {SYS_umask, CHANGES, 0, MASK, {{0}}},

    /* descriptors: making and closing them */
    {SYS_open, CHANGES, F | CWD | MASK | LIM, D, {{0}}},
    {SYS_openat, CHANGES, F | CWD | MASK | LIM, D, {{0}}},
    {SYS_openat2, CHANGES, F | CWD | MASK | LIM, D, {{0}}},
    {SYS_creat, CHANGES, CWD | MASK | LIM, D | F, {{0}}},
    {SYS_close, CHANGES, 0, D | O | N, {{0}}},
    {SYS_close_range, CHANGES, 0, D | O | N, {{0}}},
    {SYS_dup, CHANGES, LIM, D, {{0}}},
    {SYS_dup2, CHANGES, LIM, D | O, {{0}}},
    {SYS_dup3, CHANGES, LIM, D | O, {{0}}},
    {SYS_pipe, CHANGES, LIM, D, {BYTES(0, 8)}},
    {SYS_pipe2, CHANGES, LIM, D, {BYTES(0, 8)}},
    {SYS_socket, CHANGES, LIM, D, {{0}}},
    {SYS_socketpair, CHANGES, LIM, D, {BYTES(3, 8)}},
    {SYS_eventfd, CHANGES, LIM, D, {{0}}},
    {SYS_eventfd2, CHANGES, LIM, D, {{0}}},
    {SYS_epoll_create, CHANGES, LIM, D, {{0}}},
    {SYS_epoll_create1, CHANGES, LIM, D, {{0}}},
    {SYS_memfd_create, CHANGES, LIM, D, {{0}}},
    {SYS_timerfd_create, CHANGES, LIM, D, {{0}}},
    {SYS_signalfd, CHANGES, LIM, D, {{0}}},
    {SYS_signalfd4, CHANGES, LIM, D, {{0}}},
    {SYS_pidfd_open, CHANGES, LIM | ID, D, {{0}}},
    {SYS_inotify_init, CHANGES, LIM, D, {{0}}},
    {SYS_inotify_init1, CHANGES, LIM, D, {{0}}},
    {SYS_inotify_add_watch, CHANGES, D | CWD, O | F, {{0}}},
    {SYS_inotify_rm_watch, CHANGES, D, O | F, {{0}}},

    /* descriptors: using them without waiting */
    {SYS_lseek, CHANGES, D | F, O, {{0}}},
    {SYS_fcntl, CHANGES, D, O, {{0}}},
    {SYS_ioctl, CHANGES, D | F, O, {REQUEST(2)}},
    {SYS_getdents, CHANGES, D | F, O, {SIZED(1, 2)}},
    {SYS_getdents64, CHANGES, D | F, O, {SIZED(1, 2)}},
    {SYS_fadvise64, LOOKS, D, 0, {{0}}},
    {SYS_readahead, LOOKS, D, 0, {{0}}},
    {SYS_pread64, LOOKS, D | F, 0, {SIZED(1, 2)}},
    {SYS_preadv, LOOKS, D | F, 0, {VECTOR(1, 2)}},
    {SYS_preadv2, LOOKS, D | F, 0, {VECTOR(1, 2)}},
    {SYS_pwrite64, CHANGES, D, F, {SENT(1, 2)}},
    {SYS_pwritev, CHANGES, D, F, {SENT_VECTOR(1, 2)}},
    {SYS_pwritev2, CHANGES, D, F, {SENT_VECTOR(1, 2)}},
    {SYS_ftruncate, CHANGES, D, F, {{0}}},
    {SYS_fallocate, CHANGES, D, F, {{0}}},
    {SYS_copy_file_range, CHANGES, D, F | O, {BYTES(1, 8), BYTES(3, 8)}},
    {SYS_sendfile, CHANGES, D | F, F | O | N, {BYTES(2, 8)}},
    {SYS_splice, CHANGES, D | F, F | O | N, {BYTES(1, 8), BYTES(3, 8)}},
    {SYS_tee, CHANGES, D, O, {{0}}},
    {SYS_vmsplice, CHANGES, D, O, {PAGES(1, 2)}},
    {SYS_fsync, LOOKS, D, 0, {{0}}},
    {SYS_fdatasync, LOOKS, D, 0, {{0}}},
    {SYS_sync, LOOKS, 0, 0, {{0}}},
    {SYS_flock, CHANGES, D, O, {{0}}},
    {SYS_epoll_ctl, CHANGES, D, O, {{0}}},
    {SYS_bind, CHANGES, D | CWD | MASK, N | F, {{0}}},
    {SYS_listen, CHANGES, D, N, {{0}}},
    {SYS_connect, CHANGES, D | F | CWD, N, {{0}}},
    {SYS_shutdown, CHANGES, D, N, {{0}}},
    {SYS_setsockopt, CHANGES, D, N, {{0}}},
    {SYS_getsockopt, LOOKS, D | N, 0, {SOCKET(3, 4), BYTES(4, 4)}},
    {SYS_getsockname, LOOKS, D | N, 0, {SOCKET(1, 2), BYTES(2, 4)}},
    {SYS_getpeername, LOOKS, D | N, 0, {SOCKET(1, 2), BYTES(2, 4)}},

    /* descriptors: calls that may wait take steps of their own (descriptor_calls.c) */
    {SYS_read, CHANGES, 0, 0, {SIZED(1, 2)}},
    {SYS_readv, CHANGES, 0, 0, {VECTOR(1, 2)}},
    {SYS_write, CHANGES, 0, 0, {SENT(1, 2)}},
    {SYS_writev, CHANGES, 0, 0, {SENT_VECTOR(1, 2)}},
    {SYS_recvfrom, CHANGES, 0, 0, {SIZED(1, 2), SOCKET(4, 5), BYTES(5, 4)}},
    {SYS_recvmsg, CHANGES, 0, 0, {MESSAGE(1)}},
    {SYS_recvmmsg, CHANGES, 0, 0, {MESSAGES(1, 2)}},
    {SYS_sendto, CHANGES, 0, 0, {SENT(1, 2)}},
    {SYS_sendmsg, CHANGES, 0, 0, {SENT_MESSAGE(1)}},
    {SYS_sendmmsg, CHANGES, 0, 0, {COUNTED(1, 2, sizeof(struct mmsghdr))}},
    {SYS_accept, CHANGES, 0, 0, {SOCKET(1, 2), BYTES(2, 4)}},
    {SYS_accept4, CHANGES, 0, 0, {SOCKET(1, 2), BYTES(2, 4)}},
    {SYS_poll, CHANGES, 0, 0, {COUNTED(0, 1, 8)}},
    {SYS_ppoll, CHANGES, 0, 0, {COUNTED(0, 1, 8)}},
    {SYS_select, CHANGES, 0, 0, {BYTES(1, 128), BYTES(2, 128), BYTES(3, 128)}},
    {SYS_pselect6, CHANGES, 0, 0, {BYTES(1, 128), BYTES(2, 128), BYTES(3, 128)}},
    {SYS_epoll_wait, CHANGES, 0, 0, {COUNTED(1, 2, 12)}},
    {SYS_epoll_pwait, CHANGES, 0, 0, {COUNTED(1, 2, 12)}},
    {SYS_epoll_pwait2, CHANGES, 0, 0, {COUNTED(1, 2, 12)}},

    /* the process */
    {SYS_getrlimit, LOOKS, LIM, 0, {BYTES(1, sizeof(struct rlimit))}},
    {SYS_setrlimit, CHANGES, 0, LIM, {{0}}},
    {SYS_prlimit64, CHANGES, 0, LIM, {BYTES(3, sizeof(struct rlimit))}},
    {SYS_getpriority, LOOKS, SCH, 0, {{0}}},
    {SYS_setpriority, CHANGES, 0, SCH, {{0}}},
    {SYS_sched_getparam, LOOKS, SCH, 0, {BYTES(1, 4)}},
    {SYS_sched_getscheduler, LOOKS, SCH, 0, {{0}}},
    {SYS_sched_getattr, LOOKS, SCH, 0, {BYTES(1, 48)}},
    {SYS_sched_rr_get_interval, LOOKS, SCH, 0, {BYTES(1, sizeof(struct timespec))}},
    {SYS_sched_get_priority_max, LOOKS, 0, 0, {{0}}},
    {SYS_sched_get_priority_min, LOOKS, 0, 0, {{0}}},
    {SYS_sched_getaffinity, LOOKS, SCH, 0, {SIZED(2, 1)}},
    {SYS_sched_setaffinity, CHANGES, 0, SCH, {{0}}},
    {SYS_sched_setparam, CHANGES, 0, SCH, {{0}}},
    {SYS_sched_setscheduler, CHANGES, 0, SCH, {{0}}},
    {SYS_sched_setattr, CHANGES, 0, SCH, {{0}}},
    {SYS_getuid, LOOKS, ID, 0, {{0}}},
    {SYS_geteuid, LOOKS, ID, 0, {{0}}},
    {SYS_getgid, LOOKS, ID, 0, {{0}}},
    {SYS_getegid, LOOKS, ID, 0, {{0}}},
    {SYS_getgroups, LOOKS, ID, 0, {COUNTED(1, 0, 4)}},
    {SYS_getresuid, LOOKS, ID, 0, {BYTES(0, 4), BYTES(1, 4), BYTES(2, 4)}},
    {SYS_getresgid, LOOKS, ID, 0, {BYTES(0, 4), BYTES(1, 4), BYTES(2, 4)}},
    {SYS_getppid, LOOKS, ID, 0, {{0}}},
    {SYS_getpgrp, LOOKS, ID, 0, {{0}}},
    {SYS_getpgid, LOOKS, ID, 0, {{0}}},
    {SYS_getsid, LOOKS, ID, 0, {{0}}},
    {SYS_capget, LOOKS, ID, 0, {BYTES(0, 8), BYTES(1, 24)}},
    {SYS_setuid, CHANGES, 0, ID, {{0}}},
    {SYS_setgid, CHANGES, 0, ID, {{0}}},
    {SYS_setreuid, CHANGES, 0, ID, {{0}}},
    {SYS_setregid, CHANGES, 0, ID, {{0}}},
    {SYS_setresuid, CHANGES, 0, ID, {{0}}},
    {SYS_setresgid, CHANGES, 0, ID, {{0}}},
    {SYS_setgroups, CHANGES, 0, ID, {{0}}},
    {SYS_setfsuid, CHANGES, 0, ID, {{0}}},
    {SYS_setfsgid, CHANGES, 0, ID, {{0}}},
    {SYS_setpgid, CHANGES, 0, ID, {{0}}},
    {SYS_setsid, CHANGES, 0, ID, {{0}}},
    {SYS_uname, LOOKS, 0, 0, {BYTES(0, sizeof(struct utsname))}},
    {SYS_sysinfo, LOOKS, 0, 0, {BYTES(0, sizeof(struct sysinfo))}},
    {SYS_getrusage, LOOKS, 0, 0, {BYTES(1, sizeof(struct rusage))}},
    {SYS_times, LOOKS, 0, 0, {BYTES(0, sizeof(struct tms))}},
    {SYS_clock_getres, LOOKS, 0, 0, {BYTES(1, sizeof(struct timespec))}},
    {SYS_set_robust_list, LOOKS, 0, 0, {{0}}},
    {SYS_get_robust_list, LOOKS, 0, 0, {BYTES(1, 8), BYTES(2, 8)}},
    {SYS_arch_prctl, LOOKS, 0, 0, {REQUEST(1)}},
    {SYS_prctl, LOOKS, 0, 0, {REQUEST(1)}},
    {SYS_set_tid_address, LOOKS, 0, 0, {{0}}},
    {SYS_rseq, LOOKS, 0, 0, {{0}}},
    {SYS_getcpu, LOOKS, 0, 0, {BYTES(0, 4), BYTES(1, 4)}},
    {SYS_membarrier, LOOKS, 0, 0, {{0}}},
    {SYS_rt_sigaction, CHANGES, 0, SIG, {{0}}},
    {SYS_rt_sigpending, LOOKS, SIG, 0, {{0}}},

    /* mappings: addresses are nobody's business, contents are memory; what is unmapped or protected is */
    {SYS_mmap, CHANGES, 0, 0, {{0}}},
    {SYS_munmap, CHANGES, 0, MAP, {{0}}},
    {SYS_mprotect, CHANGES, 0, MAP, {{0}}},
    {SYS_mremap, CHANGES, 0, MAP, {{0}}},
    {SYS_madvise, CHANGES, 0, MAP, {{0}}},
    {SYS_brk, CHANGES, 0, MAP, {{0}}},
    {SYS_msync, LOOKS, 0, 0, {{0}}},
    {SYS_mlock, LOOKS, 0, 0, {{0}}},
    {SYS_munlock, LOOKS, 0, 0, {{0}}},
    {SYS_mlockall, LOOKS, 0, 0, {{0}}},
    {SYS_munlockall, LOOKS, 0, 0, {{0}}},
    {SYS_mincore, LOOKS, MAP, 0, {{0}}},
};
/* clang-format on */

#define CALLS_KNOWN 512 /* numbers below it */

const struct call_rule *call_rule(long number)
{
  static uint16_t index[CALLS_KNOWN]; /* + 1 */
  static bool filled;
  for (unsigned i = 0; !filled && i < sizeof rules / sizeof *rules; i++)
    index[rules[i].number] = (uint16_t)(i + 1);
  filled = true;
  return number >= 0 && number < CALLS_KNOWN && index[number] ? &rules[index[number] - 1] : NULL;
}

/* ---- the step ---- */

static bool changes_standard(const struct call *c)
{
  switch (c->number) {
  case SYS_close:
  case SYS_close_range:
    return (unsigned long)c->arg[0] <= STDERR_FILENO;
  case SYS_dup2:
  case SYS_dup3:
    return (unsigned long)c->arg[1] <= STDERR_FILENO;
  default:
    return false;
  }
}

/* What a call touches may depend on its arguments. */
static void footprint_of(const struct call *c, const struct call_rule *rule, uint64_t *reads, uint64_t *changes)
{
  *reads = rule->reads;
  *changes = rule->changes;
  bool open = c->number == SYS_open || c->number == SYS_openat;
  long flags = open ? c->arg[c->number == SYS_openat ? 2 : 1] : 0;
  if (flags & (O_CREAT | O_TRUNC) || c->number == SYS_openat2)
    *changes |= F;
  if (c->number == SYS_fcntl && (c->arg[1] == F_GETFL || c->arg[1] == F_GETFD)) {
    *reads |= O;
    *changes = 0;
  }
  bool duplicates = c->number == SYS_fcntl && (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC);
  if (duplicates)
    *reads |= LIM;
  if (duplicates || (c->number == SYS_fcntl && c->arg[1] == F_SETFD))
    *changes = D;
  if (changes_standard(c) || (*changes & D && descriptors_have_room_at_standard()))
    *changes |= SYSTEM_STANDARD;
  if (*reads & CWD) /* whoever follows a path is asked who he is */
    *reads |= ID;
  if (c->number == SYS_ioctl && !descriptor_is_controlled(c->arg[0]))
    *changes = 0;
  if (c->number == SYS_prlimit64 && !c->arg[2]) {
    *reads |= LIM;
    *changes = 0;
  }
  if (c->number == SYS_mmap && c->arg[3] & MAP_FIXED)
    *changes = MAP;
  if (c->number == SYS_prctl && c->arg[0] != PR_SET_NAME && c->arg[0] != PR_GET_NAME)
    *changes = ID;
  if (c->number == SYS_rt_sigaction && !c->arg[1]) {
    *reads |= SIG;
    *changes = 0;
  }
  if (overlay_is_on())
    overlay_footprint(c, reads, changes);
  if (files_are_watched() && (*reads | *changes) & (D | O | F | SYSTEM_ALL_FILES))
    *changes |= F; /* in the order in which it is told of */
}

/* libc looks at those before it prints; there is nothing about them that anybody could change. */
static bool looks_at_standard(const struct call *c)
{
  bool by_number = c->number == SYS_fstat || c->number == SYS_lseek || c->number == SYS_ioctl ||
                   (c->number == SYS_fcntl && c->arg[1] != F_DUPFD && c->arg[1] != F_DUPFD_CLOEXEC) ||
                   (c->number == SYS_newfstatat && c->arg[3] & AT_EMPTY_PATH);
  return by_number && descriptor_is_standard((int)c->arg[0]);
}

/* What others are given by it they look at when they create threads, too. */
static bool changes_others(const struct call *c, uint32_t changes)
{
  bool nice = c->number == SYS_setpriority;
  long who = (int)c->arg[nice];
  return changes & SCH && ((nice && c->arg[0] != PRIO_PROCESS) || (who && thread_of_number(who) != (int)self_index()));
}

void step_to_call(struct call *c)
{
  const struct call_rule *rule = rt.engine->threads > 1 ? call_rule(c->number) : NULL;
  if (!rule || looks_at_standard(c))
    return;
  uint64_t reads, changes, reads_now, changes_now;
  footprint_of(c, rule, &reads, &changes);
  if (!(reads | changes))
    return;
  c->pc = place_in_program(c->pc);
  if (c->number == SYS_rt_sigaction) {
    step_on_action(changes, c->pc);
    return;
  }
  if (changes_others(c, changes)) {
    step_on_everything(c->number, c->pc);
    return;
  }
  for (;;) {
    step_on_system(c->number, reads, changes, c->pc);
    footprint_of(c, rule, &reads_now, &changes_now);
    if (reads_now == reads && changes_now == changes)
      return;
    reads = reads_now; /* the name or the number means another file by now: that was only a look */
    changes = changes_now;
  }
}

void step_on_system(long number, uint64_t reads, uint64_t changes, uintptr_t pc)
{
  if (rt.engine->threads == 1)
    return;
  struct operation op = {.kind = OP_SYSTEM, .length = (uint32_t)number, .addr = changes, .arg = reads, .pc = pc};
  step(&op);
  performed(0);
}

void step_on_everything(long number, uintptr_t pc)
{
  if (rt.engine->threads == 1)
    return;
  struct operation op = {.kind = OP_SYSTEM, .traits = OP_FAR, .length = (uint32_t)number, .pc = pc};
  step(&op);
  performed(0);
}

void step_on_action(bool changes, uintptr_t pc)
{
  if (changes)
    step_on_everything(SYS_rt_sigaction, pc);
  else
    step_on_system(SYS_rt_sigaction, SIG, 0, pc);
}
