/* SPDX-License-Identifier: Apache-2.0
 *
 * Which call on which descriptor is ours. A call that names a modelled descriptor never reaches the kernel: it is made
 * here or by those whose object it is about, or the program is told that heddle does not know it. Waiting for several
 * is elsewhere (system/polling.c).
 */
#include "worlds/threads/kernel/channel_calls.h"
#include "core/calls.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/kernel/ready_signals.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/standard.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const struct channel_rules *const rules[CHANNEL_KIND_COUNT] = {
    [CHANNEL_PIPE] = &pipe_rules,       [CHANNEL_EVENT] = &event_rules,   [CHANNEL_TIMER] = &timer_rules,
    [CHANNEL_SIGNALS] = &signal_rules,  [CHANNEL_EPOLL] = &epoll_rules,   [CHANNEL_NOTICES] = &notice_rules,
    [CHANNEL_PROCESS] = &process_rules, [CHANNEL_SOCKET] = &socket_rules, [CHANNEL_STANDARD] = &standard_rules};

const struct channel_rules *rules_of(const struct description *d)
{
  return rules[d->kind];
}

void kernel_reset(void)
{
  bytes_reset();
  channels_reset();
  channel_steps_reset();
  sockets_reset();
  epoll_reset();
  inotify_reset();
  ready_signals_reset();
}

/* ---- closing and duplicating ---- */

static long close_now(long fd)
{
  if (somebody_is_stuck_at(fd))
    lose(LOST_CALLS); /* whether it is in the call already decides what becomes of it */
  epoll_number_closed(fd);
  number_clear(fd);
  pending_refresh();
  return 0;
}

static long close_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  step_to_change(&fd, 1, SYSTEM_DESCRIPTORS | (fd <= 2 ? SYSTEM_STANDARD : 0u), 0, c->pc);
  return is_modelled(description_of(fd)) ? close_now(fd) : UNKNOWN;
}

/* Those that are the kernel's, too; what the process was started with is closed by another call. */
static long close_range_call(const struct call *c)
{
  unsigned long first = (unsigned)c->arg[0], last = (unsigned)c->arg[1], flags = (unsigned)c->arg[2];
  if (first > last || flags & ~(unsigned long)(CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE))
    return -EINVAL;
  last = last < (unsigned long)numbers_end() ? last : (unsigned long)numbers_end();
  for (long fd = (long)first; fd <= (long)last; fd++) {
    struct call one = {.number = SYS_close, .arg = {fd}, .pc = c->pc};
    const struct description *d = description_of(fd);
    if (flags & CLOSE_RANGE_CLOEXEC && is_modelled(d))
      set_close_on_exec(fd, true);
    else if (flags & CLOSE_RANGE_CLOEXEC && d)
      sys(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
    else if (is_modelled(d))
      close_now(fd);
    else if (!descriptor_is_free(fd))
      close_call(&one);
  }
  return 0;
}

static long dup_channel(const struct call *c)
{
  long fd = (int)c->arg[0], to = (int)c->arg[1];
  const long both[] = {fd, to};
  bool replaces = c->number != SYS_dup;
  if (replaces && fd == to) {
    step_to_change(NULL, 0, 0, SYSTEM_DESCRIPTORS, c->pc);
    return c->number == SYS_dup3 ? -EINVAL : descriptor_is_free(to) ? -EBADF : to;
  }
  step_to_change(both + 1, replaces, SYSTEM_DESCRIPTORS | (replaces && to <= 2 ? SYSTEM_STANDARD : 0u), SYSTEM_LIMITS,
                 c->pc);
  if (!is_modelled(description_of(fd)) && !is_modelled(description_of(to)))
    return UNKNOWN;
  if (replaces && description_of(to) && somebody_is_stuck_at(to))
    lose(LOST_CALLS);
  if (replaces && is_modelled(description_of(to)))
    epoll_number_closed(to);
  long result = replaces ? duplicate_to(fd, to, c->number == SYS_dup3 && c->arg[2] & O_CLOEXEC, c->pc)
                         : duplicate(fd, 0, false, c->pc);
  pending_refresh();
  return result;
}

/* ---- flags ---- */

#define SETTABLE (O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK)

static long set_flags(struct description *d, const struct call *c)
{
  d->flags = (d->flags & ~(uint32_t)SETTABLE) | (uint32_t)(c->arg[2] & SETTABLE);
  ready_signals_want(d, (int)c->arg[0], c->arg[2] & O_ASYNC);
  channel_changed(d->channel);
  return 0;
}

static void step_to_fcntl(const struct call *c)
{
  long fd = (int)c->arg[0];
  switch (c->arg[1]) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    step_to_change(NULL, 0, SYSTEM_DESCRIPTORS, SYSTEM_LIMITS, c->pc);
    break;
  case F_SETFD:
  case F_GETFD:
    step_to_change(NULL, 0, c->arg[1] == F_SETFD ? SYSTEM_DESCRIPTORS : 0, SYSTEM_DESCRIPTORS, c->pc);
    break;
  default:
    step_to_change(&fd, 1, 0, 0, c->pc);
  }
}

static _Noreturn void refuse(const struct call *c, const struct description *d)
{
  const char *name = system_call_name(c->number);
  fail(c->pc, "the program calls %s() on a %s in a way that heddle does not know", name ? name : "an unknown call",
       rules_of(d)->name);
}

static long fcntl_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  step_to_fcntl(c);
  struct description *d = description_of(fd);
  if (!is_modelled(d))
    return UNKNOWN;
  switch (c->arg[1]) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC: {
    long result = duplicate(fd, (int)c->arg[2], c->arg[1] == F_DUPFD_CLOEXEC, c->pc);
    pending_refresh();
    return result;
  }
  case F_GETFD:
    return closes_on_exec(fd) ? FD_CLOEXEC : 0;
  case F_SETFD:
    set_close_on_exec(fd, c->arg[2] & FD_CLOEXEC);
    return 0;
  case F_GETFL:
    return (long)d->flags;
  case F_SETFL:
    return set_flags(d, c);
  case F_GETPIPE_SZ:
    return d->kind == CHANNEL_PIPE ? pipe_size(d) : -EBADF;
  case F_SETPIPE_SZ:
    return d->kind == CHANNEL_PIPE ? pipe_set_size(d, c->arg[2]) : -EBADF;
  default: {
    long result = ready_signals_fcntl(d, c->arg[1], c->arg[2]);
    if (result == UNKNOWN)
      refuse(c, d);
    return result;
  }
  }
}

static long bytes_to_read(const struct description *d)
{
  if (d->kind == CHANNEL_PIPE || d->kind == CHANNEL_NOTICES)
    return (long)channel_at(d->channel)->bytes.count;
  return d->kind == CHANNEL_SOCKET ? socket_bytes_to_read(d) : -ENOTTY;
}

static long ioctl_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  unsigned long request = (unsigned)c->arg[1];
  if (request == FIOCLEX || request == FIONCLEX) {
    set_close_on_exec(fd, request == FIOCLEX);
    return 0;
  }
  step_to_change(&fd, 1, 0, 0, c->pc);
  struct description *d = description_of(fd);
  if (!is_modelled(d))
    return UNKNOWN;
  int *value = (int *)c->arg[2];
  if (request == FIONBIO) {
    d->flags = *value ? d->flags | O_NONBLOCK : d->flags & ~(uint32_t)O_NONBLOCK;
    channel_changed(d->channel);
    return 0;
  }
  if (request == FIOASYNC) {
    ready_signals_want(d, fd, *value);
    return 0;
  }
  if (request == FIONREAD) {
    long count = bytes_to_read(d);
    if (count < 0)
      return count;
    touch_outputs(c);
    *value = (int)count;
    return 0;
  }
  if ((request & 0xff00) == 0x5400) /* of terminals */
    return -ENOTTY;
  refuse(c, d);
}

/* ---- what it is ---- */

static void fill_stat(const struct description *d, struct stat *s)
{
  if (overlay_stat(fifo_node(d), s))
    return;
  struct timespec now = virtual_now(CLOCK_REALTIME);
  unsigned mode = d->kind == CHANNEL_PIPE ? S_IFIFO | 0600u : d->kind == CHANNEL_SOCKET ? S_IFSOCK | 0777u : 0600u;
  *s = (struct stat){.st_dev = 14,
                     .st_ino = d->channel,
                     .st_mode = mode,
                     .st_nlink = 1,
                     .st_uid = (uid_t)sys(SYS_geteuid),
                     .st_gid = (gid_t)sys(SYS_getegid),
                     .st_blksize = 4096,
                     .st_atim = now,
                     .st_mtim = now,
                     .st_ctim = now};
}

static long stat_channel(const struct call *c)
{
  const struct description *d = description_of((int)c->arg[0]);
  struct stat *out = (struct stat *)c->arg[c->number == SYS_fstat ? 1 : 2];
  if (c->number == SYS_newfstatat && !(c->arg[3] & AT_EMPTY_PATH && !*(const char *)c->arg[1]))
    return -ENOTDIR;
  snapshot_touch((uintptr_t)out, sizeof *out);
  fill_stat(d, out);
  return 0;
}

static long statx_channel(const struct call *c)
{
  const struct description *d = description_of((int)c->arg[0]);
  struct statx *out = (struct statx *)c->arg[4];
  struct stat s;
  if (!(c->arg[2] & AT_EMPTY_PATH && !*(const char *)c->arg[1]))
    return -ENOTDIR;
  fill_stat(d, &s);
  snapshot_touch((uintptr_t)out, sizeof *out);
  *out = (struct statx){.stx_mask = STATX_BASIC_STATS,
                        .stx_blksize = 4096,
                        .stx_nlink = 1,
                        .stx_uid = s.st_uid,
                        .stx_gid = s.st_gid,
                        .stx_mode = (uint16_t)s.st_mode,
                        .stx_ino = s.st_ino};
  out->stx_mtime.tv_sec = out->stx_atime.tv_sec = out->stx_ctime.tv_sec = s.st_mtim.tv_sec;
  return 0;
}

/* What the kernel says of calls that are for files. */
static long error_for_files(long number)
{
  switch (number) {
  case SYS_lseek:
  case SYS_pread64:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_pwrite64:
  case SYS_pwritev:
  case SYS_pwritev2:
  case SYS_fallocate:
  case SYS_fadvise64:
    return -ESPIPE;
  case SYS_ftruncate:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_readahead:
  case SYS_inotify_add_watch:
  case SYS_copy_file_range:
    return -EINVAL;
  case SYS_getdents:
  case SYS_getdents64:
  case SYS_fchdir:
  case SYS_openat:
  case SYS_mkdirat:
  case SYS_unlinkat:
  case SYS_faccessat:
  case SYS_faccessat2:
  case SYS_readlinkat:
  case SYS_renameat:
  case SYS_linkat:
  case SYS_symlinkat:
  case SYS_mknodat:
    return -ENOTDIR;
  default:
    return 0;
  }
}

/* ---- sockets have names in the file system, but no files ---- */

static const char *path_of(const struct call *c)
{
  static const short at_first[] = {SYS_open,   SYS_stat,   SYS_lstat,    SYS_access, SYS_chmod,    SYS_chown,
                                   SYS_rename, SYS_link,   SYS_mknod,    SYS_mkdir,  SYS_truncate, SYS_symlink,
                                   SYS_creat,  SYS_utimes, SYS_readlink, SYS_lchown};
  static const short at_second[] = {SYS_openat,   SYS_newfstatat, SYS_statx,     SYS_faccessat, SYS_faccessat2,
                                    SYS_fchmodat, SYS_fchownat,   SYS_renameat,  SYS_linkat,    SYS_renameat2,
                                    SYS_mknodat,  SYS_mkdirat,    SYS_utimensat, SYS_symlinkat};
  bool first = LISTED(c->number, at_first), second = LISTED(c->number, at_second);
  const char *path = (const char *)c->arg[second];
  return (first || second) && (uintptr_t)path >= 4096 ? path : NULL;
}

/* What the kernel would say of them is not known. */
static void look_for_names(const struct call *c)
{
  if (!addresses_have_names())
    return;
  const char *path = path_of(c);
  if ((path && address_is_name(path)) || c->number == SYS_getdents64)
    lose(LOST_FILES);
}

static long unlink_call(const struct call *c)
{
  const char *path = (const char *)c->arg[c->number == SYS_unlinkat];
  if (!addresses_have_names() || !address_is_name(path))
    return UNKNOWN;
  step_to_change(NULL, 0, SYSTEM_NETWORK | SYSTEM_FILES, 0, c->pc);
  if (!address_unlink(path))
    return UNKNOWN;
  pending_refresh();
  return 0;
}

/* ---- which is which ---- */

static call_maker *const makers[] = {
    [SYS_pipe] = pipe_call,
    [SYS_pipe2] = pipe_call,
    [SYS_eventfd] = eventfd_call,
    [SYS_eventfd2] = eventfd_call,
    [SYS_epoll_create] = epoll_create_call,
    [SYS_epoll_create1] = epoll_create_call,
    [SYS_signalfd] = signalfd_call,
    [SYS_signalfd4] = signalfd_call,
    [SYS_inotify_init] = inotify_call,
    [SYS_inotify_init1] = inotify_call,
    [SYS_pidfd_open] = pidfd_open_call,
    [SYS_socket] = socket_call,
    [SYS_socketpair] = socketpair_call,
    [SYS_close_range] = close_range_call,
    [SYS_unlink] = unlink_call,
    [SYS_unlinkat] = unlink_call,
};

static call_maker *const on_one[] = {
    [SYS_read] = read_channel,
    [SYS_readv] = read_channel,
    [SYS_write] = write_channel,
    [SYS_writev] = write_channel,
    [SYS_vmsplice] = vmsplice_channel,
    [SYS_recvfrom] = read_channel,
    [SYS_recvmsg] = read_channel,
    [SYS_recvmmsg] = receive_many_channel,
    [SYS_sendto] = write_channel,
    [SYS_sendmsg] = write_channel,
    [SYS_sendmmsg] = send_many_channel,
    [SYS_close] = close_channel,
    [SYS_dup] = dup_channel,
    [SYS_dup2] = dup_channel,
    [SYS_dup3] = dup_channel,
    [SYS_fcntl] = fcntl_channel,
    [SYS_ioctl] = ioctl_channel,
    [SYS_fstat] = stat_channel,
    [SYS_newfstatat] = stat_channel,
    [SYS_statx] = statx_channel,
    [SYS_bind] = bind_channel,
    [SYS_listen] = listen_channel,
    [SYS_connect] = connect_channel,
    [SYS_accept] = accept_channel,
    [SYS_accept4] = accept_channel,
    [SYS_shutdown] = shutdown_channel,
    [SYS_getsockopt] = get_option_channel,
    [SYS_setsockopt] = set_option_channel,
    [SYS_getsockname] = name_channel,
    [SYS_getpeername] = name_channel,
    [SYS_epoll_ctl] = epoll_ctl_channel,
    [SYS_inotify_rm_watch] = forget_watch_channel,
    [SYS_pidfd_send_signal] = pidfd_signal_channel,
    [SYS_pidfd_getfd] = pidfd_take_channel,
};

/* Where a call names descriptors, as a set of its arguments, beside those that have theirs first (on_one). Calls that
 * wait for several are not here (system/polling.c). */
/* clang-format off */
static const uint8_t named_by[] = {
    [SYS_dup2] = 3, [SYS_dup3] = 3, [SYS_sendfile] = 3, [SYS_tee] = 3, [SYS_kexec_file_load] = 3, [SYS_splice] = 5,
    [SYS_copy_file_range] = 5, [SYS_renameat] = 5, [SYS_renameat2] = 5, [SYS_linkat] = 5, [SYS_mmap] = 16,
    [SYS_symlinkat] = 2, [SYS_vmsplice] = 1, [SYS_flock] = 1, [SYS_dup] = 1, [SYS_openat] = 1, [SYS_openat2] = 1,
    [SYS_mkdirat] = 1, [SYS_mknodat] = 1, [SYS_fchownat] = 1, [SYS_futimesat] = 1, [SYS_unlinkat] = 1,
    [SYS_readlinkat] = 1, [SYS_fchmodat] = 1, [SYS_faccessat] = 1, [SYS_faccessat2] = 1, [SYS_utimensat] = 1,
    [SYS_fchmod] = 1, [SYS_fchown] = 1, [SYS_fchdir] = 1, [SYS_fsync] = 1, [SYS_fdatasync] = 1, [SYS_ftruncate] = 1,
    [SYS_fallocate] = 1, [SYS_fadvise64] = 1, [SYS_readahead] = 1, [SYS_sync_file_range] = 1, [SYS_syncfs] = 1,
    [SYS_lseek] = 1, [SYS_pread64] = 1, [SYS_preadv] = 1, [SYS_preadv2] = 1, [SYS_pwrite64] = 1, [SYS_pwritev] = 1,
    [SYS_pwritev2] = 1, [SYS_getdents] = 1, [SYS_getdents64] = 1, [SYS_fstatfs] = 1, [SYS_fgetxattr] = 1,
    [SYS_fsetxattr] = 1, [SYS_flistxattr] = 1, [SYS_fremovexattr] = 1, [SYS_inotify_add_watch] = 1,
    [SYS_inotify_rm_watch] = 1, [SYS_timerfd_settime] = 1, [SYS_timerfd_gettime] = 1, [SYS_pidfd_send_signal] = 1,
};
/* clang-format on */

static unsigned names_descriptors(long number)
{
  unsigned named = (unsigned long)number < sizeof named_by ? named_by[number] : 0;
  return named ? named : CALL_IN(number, on_one) != NULL;
}

/* The first of the descriptors that the call names that is modelled; NULL: none is. */
static const struct description *modelled_one(const struct call *c)
{
  for (unsigned named = names_descriptors(c->number); named; named &= named - 1) {
    const struct description *d = description_of((int)c->arg[__builtin_ctz(named)]);
    if (is_modelled(d))
      return d;
  }
  return NULL;
}

/* The call names a number that means nothing, and may come to mean something before it is made. */
static bool names_nothing(const struct call *c)
{
  long fd = (int)c->arg[0];
  return CALL_IN(c->number, on_one) && fd >= 0 && !descriptor_is_standard(fd) && descriptor_is_free(fd);
}

/* What is said of the file of a FIFO is the overlay's to change, and so are the files that are watched. */
static bool is_about_file(const struct call *c, const struct description *d)
{
  static const short calls[] = {SYS_fchmod, SYS_fchown, SYS_utimensat, SYS_futimesat};
  return (fifo_node(d) && LISTED(c->number, calls)) ||
         (d->kind == CHANNEL_NOTICES && c->number == SYS_inotify_add_watch);
}

static bool make(struct call *c, const struct description *d, long *result)
{
  if (is_about_file(c, d))
    return false;
  call_maker *maker = CALL_IN(c->number, on_one);
  if (c->number == SYS_splice || c->number == SYS_sendfile || c->number == SYS_tee)
    maker = splice_channel;
  if (!maker && (c->number == SYS_timerfd_settime || c->number == SYS_timerfd_gettime))
    return false; /* timers.c */
  if (c->number == SYS_mmap)
    *result = c->arg[3] & MAP_ANONYMOUS ? UNKNOWN : -ENODEV;
  else if (maker)
    *result = maker(c);
  else
    *result = error_for_files(c->number);
  if (*result == 0 && !maker)
    refuse(c, d);
  return *result != UNKNOWN;
}

bool kernel_call(struct call *c, long *result)
{
  call_maker *maker = CALL_IN(c->number, makers);
  look_for_names(c);
  if (maker) {
    c->pc = place_in_program(c->pc);
    if (c->number != SYS_unlink && c->number != SYS_unlinkat)
      step_to_call(c);
    *result = maker(c);
    return *result != UNKNOWN;
  }
  const struct description *d = modelled_one(c);
  if (!d && names_nothing(c)) {
    step_to_change(NULL, 0, 0, SYSTEM_DESCRIPTORS, c->pc);
    d = modelled_one(c);
    if (!d && names_nothing(c)) {
      *result = -EBADF;
      return true;
    }
  }
  if (!d)
    return false;
  c->pc = place_in_program(c->pc);
  return make(c, d, result);
}

bool kernel_call_by_now(const struct call *original, long *result)
{
  struct call c = *original;
  const struct description *d = modelled_one(&c);
  return d && make(&c, d, result);
}
