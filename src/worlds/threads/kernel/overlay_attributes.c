/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of what is said of a file: mode, owner, dates, length; and the folder that the program works in.
 */
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static void note_change(node_id node)
{
  node_touch(node, 1u << TIME_CHANGED);
  tree_note_change();
  notice_file(node, IN_ATTRIB);
}

long change_mode(const struct call *c, node_id node, long flags)
{
  (void)flags;
  struct file_node *n = node_at(node);
  bool at = c->number != SYS_chmod && c->number != SYS_fchmod;
  if (S_ISLNK(n->mode))
    return -EOPNOTSUPP;
  if (!user_owns(node))
    return -EPERM;
  n->mode = (n->mode & S_IFMT) | ((uint32_t)c->arg[at ? 2 : 1] & 07777);
  note_change(node);
  return 0;
}

long change_owner(const struct call *c, node_id node, long flags)
{
  (void)flags;
  struct file_node *n = node_at(node);
  bool at = c->number == SYS_fchownat;
  uint32_t user = (uint32_t)c->arg[at ? 2 : 1], group = (uint32_t)c->arg[at ? 3 : 2], same = UINT32_MAX;
  bool own_group = group == same || group == n->group || group == (uint32_t)sys(SYS_getegid);
  if (!user_is_root() && (!user_owns(node) || (user != same && user != n->user) || !own_group))
    return -EPERM;
  if (user != same)
    n->user = user;
  if (group != same)
    n->group = group;
  if (S_ISREG(n->mode) && (user != same || group != same)) /* who runs it is not who it was meant for */
    n->mode &= n->mode & S_IXGRP ? ~(uint32_t)(S_ISUID | S_ISGID) : ~(uint32_t)S_ISUID;
  note_change(node);
  return 0;
}

/* The two dates that the call gives, whatever way it has to; false: both are now. */
static bool dates_of(const struct call *c, struct timespec out[2])
{
  bool at = c->number == SYS_utimensat || c->number == SYS_futimesat;
  const void *given = (const void *)c->arg[at ? 2 : 1];
  const struct utimbuf *seconds = given;
  const struct timeval *micro = given;
  const struct timespec *nano = given;
  for (int i = 0; i < 2 && given; i++)
    out[i] = c->number == SYS_utime       ? (struct timespec){i ? seconds->modtime : seconds->actime, 0}
             : c->number == SYS_utimensat ? nano[i]
                                          : (struct timespec){micro[i].tv_sec, micro[i].tv_usec * 1000};
  return given;
}

static bool is_date(const struct timespec *t)
{
  return t->tv_nsec == UTIME_NOW || t->tv_nsec == UTIME_OMIT || (t->tv_nsec >= 0 && t->tv_nsec < 1000000000);
}

long change_times(const struct call *c, node_id node, long flags)
{
  (void)flags;
  struct timespec date[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  bool given = dates_of(c, date);
  if (!is_date(&date[0]) || !is_date(&date[1]))
    return -EINVAL;
  if (date[0].tv_nsec == UTIME_OMIT && date[1].tv_nsec == UTIME_OMIT)
    return 0;
  bool now = !given || (date[0].tv_nsec == UTIME_NOW && date[1].tv_nsec == UTIME_NOW);
  if (!user_owns(node) && (!now || node_permits(node, W_OK, false)))
    return now ? -EACCES : -EPERM;
  for (unsigned i = 0; i < 2; i++)
    if (date[i].tv_nsec == UTIME_NOW)
      node_touch(node, 1u << (i ? TIME_MODIFIED : TIME_ACCESSED));
    else if (date[i].tv_nsec != UTIME_OMIT)
      node_at(node)->time[i ? TIME_MODIFIED : TIME_ACCESSED] = date[i];
  node_touch(node, 1u << TIME_CHANGED);
  tree_note_change();
  notice_file(node, date[0].tv_nsec == UTIME_OMIT ? IN_MODIFY : date[1].tv_nsec == UTIME_OMIT ? IN_ACCESS : IN_ATTRIB);
  return 0;
}

/* Only files have them here: others are as on file systems without. */
long change_attribute(const struct call *c, node_id node, long flags)
{
  (void)flags;
  struct file_node *n = node_at(node);
  bool sets = c->number == SYS_setxattr || c->number == SYS_lsetxattr || c->number == SYS_fsetxattr;
  if (!S_ISREG(n->mode) || (!sets && n->real)) {
    lose(LOST_CALLS);
    return -EOPNOTSUPP;
  }
  long result = node_permits(node, W_OK, false);
  if (!result)
    result = contents_make(node, true);
  if (!result)
    result = sets ? sys(SYS_fsetxattr, contents_here(n), c->arg[1], c->arg[2], c->arg[3], c->arg[4])
                  : sys(SYS_fremovexattr, contents_here(n), c->arg[1]);
  if (!result)
    note_change(node);
  n->attributed |= !result;
  return result;
}

long change_size(const struct call *c, node_id node, long flags)
{
  (void)flags;
  struct file_node *n = node_at(node);
  if (!S_ISREG(n->mode) && !S_ISDIR(n->mode))
    return -EINVAL;
  if (S_ISDIR(n->mode))
    return -EISDIR;
  long result = node_permits(node, W_OK, false);
  if (!result)
    result = contents_make(node, c->arg[1] > 0);
  if (!result)
    result = sys(SYS_ftruncate, contents_here(n), c->arg[1]);
  if (!result) {
    node_touch(node, 1u << TIME_MODIFIED | 1u << TIME_CHANGED);
    n->unsynced = true;
    notice_file(node, IN_MODIFY);
  }
  return result;
}

long change_folder(const struct call *c, node_id node, long flags)
{
  (void)c, (void)flags;
  if (!node_is_folder(node))
    return -ENOTDIR;
  long result = node_permits(node, X_OK, false);
  return result ? result : working_folder_set(node);
}
