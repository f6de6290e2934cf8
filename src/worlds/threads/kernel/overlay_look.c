/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls say of files of the overlay: stat() and its like, access(), readlink(). Numbers, dates and counts of links
 * are the same in every execution and however the program is put back.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/memory/transfer.h"
#include <errno.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool is_as_real(node_id id)
{
  const struct file_node *n = node_at(id);
  return n->real && !n->changed;
}

void fill_stat(node_id id, struct stat *out)
{
  const struct file_node *n = node_at(id);
  int64_t size = contents_size(id);
  *out = (struct stat){.st_dev = n->device,
                       .st_ino = n->number,
                       .st_mode = n->mode,
                       .st_nlink = n->links,
                       .st_uid = n->user,
                       .st_gid = n->group,
                       .st_rdev = n->special,
                       .st_size = size,
                       .st_blksize = 4096,
                       .st_blocks = S_ISREG(n->mode) || S_ISDIR(n->mode) ? (size + 4095) / 4096 * 8 : 0,
                       .st_atim = n->time[TIME_ACCESSED],
                       .st_mtim = n->time[TIME_MODIFIED],
                       .st_ctim = n->time[TIME_CHANGED]};
}

long look_stat(const struct call *c, node_id node, long flags)
{
  (void)flags;
  if (is_as_real(node))
    return UNKNOWN;
  touch_outputs(c);
  fill_stat(node, (struct stat *)c->arg[c->number == SYS_newfstatat ? 2 : 1]);
  return 0;
}

static struct statx_timestamp date_of(const struct timespec *t)
{
  return (struct statx_timestamp){.tv_sec = t->tv_sec, .tv_nsec = (uint32_t)t->tv_nsec};
}

long look_statx(const struct call *c, node_id node, long flags)
{
  (void)flags;
  struct stat s;
  if (is_as_real(node))
    return UNKNOWN;
  const struct file_node *n = node_at(node);
  fill_stat(node, &s);
  touch_outputs(c);
  *(struct statx *)c->arg[4] = (struct statx){.stx_mask = STATX_BASIC_STATS | STATX_BTIME,
                                              .stx_blksize = (uint32_t)s.st_blksize,
                                              .stx_nlink = (uint32_t)s.st_nlink,
                                              .stx_uid = s.st_uid,
                                              .stx_gid = s.st_gid,
                                              .stx_mode = (uint16_t)s.st_mode,
                                              .stx_ino = s.st_ino,
                                              .stx_size = (uint64_t)s.st_size,
                                              .stx_blocks = (uint64_t)s.st_blocks,
                                              .stx_atime = date_of(&n->time[TIME_ACCESSED]),
                                              .stx_mtime = date_of(&n->time[TIME_MODIFIED]),
                                              .stx_ctime = date_of(&n->time[TIME_CHANGED]),
                                              .stx_btime = date_of(&n->time[TIME_BORN]),
                                              .stx_rdev_major = major(s.st_rdev),
                                              .stx_rdev_minor = minor(s.st_rdev),
                                              .stx_dev_major = major(s.st_dev),
                                              .stx_dev_minor = minor(s.st_dev)};
  return 0;
}

long look_access(const struct call *c, node_id node, long flags)
{
  long want = c->arg[c->number != SYS_access ? 2 : 1];
  if (want & ~(R_OK | W_OK | X_OK))
    return -EINVAL;
  return want == F_OK ? 0 : node_permits(node, (int)want, !(flags & AT_EACCESS));
}

long look_link(const struct call *c, node_id node, long flags)
{
  (void)flags;
  bool at = c->number == SYS_readlinkat;
  const struct file_node *n = node_at(node);
  if (!S_ISLNK(n->mode))
    return -EINVAL;
  if ((int)c->arg[at + 2] <= 0)
    return -EINVAL;
  if (n->real)
    return UNKNOWN;
  const char *target = text_at(n->target);
  size_t size = text_length(target), room = (size_t)c->arg[at + 2];
  size = size < room ? size : room;
  touch_outputs(c);
  copy_bytes((void *)c->arg[at + 1], target, size);
  return (long)size;
}

/* Extended attributes of files are with their contents; what is not there is with the real one. */
long look_attribute(const struct call *c, node_id node, long flags)
{
  (void)flags;
  const struct file_node *n = node_at(node);
  struct call own = {.number = SYS_fgetxattr, .arg = {contents_here(n), c->arg[1], c->arg[2], c->arg[3]}, .pc = c->pc};
  long result = n->attributed ? perform(&own) : -ENODATA;
  return result == -ENODATA && n->real ? UNKNOWN : result;
}

long list_attributes(const struct call *c, node_id node, long flags)
{
  (void)flags;
  const struct file_node *n = node_at(node);
  if (n->attributed && n->real)
    lose(LOST_CALLS);
  if (!n->attributed)
    return n->real ? UNKNOWN : 0;
  snapshot_touch((uintptr_t)c->arg[1], (size_t)c->arg[2]);
  return sys(SYS_flistxattr, contents_here(n), c->arg[1], c->arg[2]);
}

bool overlay_stat(uint16_t node, struct stat *out)
{
  if (node)
    fill_stat(node, out);
  return node;
}

long overlay_fstat(long fd, struct stat *out)
{
  long result = sys(SYS_fstat, fd, out);
  node_id node = result || !overlay_is_on() ? 0 : node_of_identity(out);
  if (node && !is_as_real(node))
    fill_stat(node, out);
  return result;
}
