/* SPDX-License-Identifier: Apache-2.0
 *
 * Names come, go and move: mkdir, mknod, unlink, rmdir, rename, link, symlink. Each checks what the kernel checks, in
 * its order, and changes the tree and nothing else.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/memory/transfer.h"
#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- making ---- */

static uint32_t mask_of_new(void)
{
  long mask = sys(SYS_umask, 0L);
  sys(SYS_umask, mask);
  return (uint32_t)mask;
}

uint32_t mode_of_new(long wanted)
{
  return (uint32_t)wanted & 07777 & ~mask_of_new();
}

static void name_added(node_id folder, const char *name, node_id node)
{
  entry_set(folder, name, node, false);
  node_touch(folder, 1u << TIME_MODIFIED | 1u << TIME_CHANGED);
  tree_note_change();
}

static void name_removed(node_id folder, const char *name)
{
  struct file_entry *e = entry_find(folder, name);
  if (e)
    entry_remove(e);
  node_touch(folder, 1u << TIME_MODIFIED | 1u << TIME_CHANGED);
  tree_note_change();
}

/* A place for a new name. 0 or -errno. */
static long place_for_new(long dirfd, const char *path, bool folder, struct file_place *p)
{
  long result = path_walk(dirfd, path, NAME_ITSELF, p);
  if (result)
    return result;
  if (p->outside)
    return sys(SYS_faccessat, AT_FDCWD, p->outside, F_OK) ? -EACCES : -EEXIST;
  if (p->last != LAST_NAME || p->node)
    return -EEXIST;
  if (p->slash && !folder)
    return -ENOENT;
  return folder_permits(p->folder);
}

node_id file_made(const struct file_place *p, uint32_t mode)
{
  node_id node = node_made(p->folder, p->name, mode);
  name_added(p->folder, p->name, node);
  if (S_ISDIR(mode))
    node_at(p->folder)->links++;
  notice_name(p->folder, p->name, IN_CREATE, S_ISDIR(mode), 0);
  return node;
}

long make_folder_call(const struct call *c)
{
  bool at = c->number == SYS_mkdirat;
  struct file_place p;
  long result = place_for_new(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], true, &p);
  if (!result)
    file_made(&p, S_IFDIR | (mode_of_new(c->arg[at + 1]) & 01777));
  return result;
}

long make_node_call(const struct call *c)
{
  bool at = c->number == SYS_mknodat;
  uint32_t mode = (uint32_t)c->arg[at + 1], kind = mode & S_IFMT ? mode & S_IFMT : S_IFREG;
  struct file_place p;
  if (kind == S_IFDIR)
    return -EPERM;
  if (kind != S_IFREG && kind != S_IFIFO && kind != S_IFSOCK && kind != S_IFCHR && kind != S_IFBLK)
    return -EINVAL;
  long result = place_for_new(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], false, &p);
  if (result)
    return result;
  if (kind == S_IFCHR || kind == S_IFBLK) /* behind it would be the machine */
    return -EPERM;
  file_made(&p, kind | mode_of_new(mode));
  return 0;
}

long symlink_call(const struct call *c)
{
  bool at = c->number == SYS_symlinkat;
  const char *target = (const char *)c->arg[0];
  struct file_place p;
  if ((uintptr_t)target < PATH_MOST)
    return -EFAULT;
  if (!*target)
    return -ENOENT;
  if (text_length(target) >= PATH_MOST)
    return -ENAMETOOLONG;
  long result = place_for_new(at ? c->arg[1] : AT_FDCWD, (const char *)c->arg[at ? 2 : 1], false, &p);
  if (result)
    return result;
  struct file_node *n = node_at(file_made(&p, S_IFLNK | 0777));
  n->target = text_keep(target, text_length(target) + 1);
  n->size = (int64_t)text_length(target);
  return 0;
}

/* What is to get another name: by a path, by a descriptor, or by a path that names a descriptor. */
static long source_of(long dirfd, const char *path, long flags, struct file_place *p)
{
  unsigned how = (flags & AT_SYMLINK_FOLLOW ? FOLLOW_LAST : 0) | (flags & AT_EMPTY_PATH ? EMPTY_IS_FOLDER : 0);
  long result = path_find(dirfd, path, how, p);
  if (result || !p->outside)
    return result;
  long fd = flags & AT_SYMLINK_FOLLOW ? descriptor_in_path(p->outside) : -1;
  p->node = fd >= 0 ? node_of_open(fd) : 0;
  result = p->node ? 0 : sys(SYS_faccessat, AT_FDCWD, p->outside, F_OK);
  return p->node || result ? result : -EXDEV;
}

node_id linked_node(const struct call *c)
{
  bool at = c->number == SYS_linkat;
  struct file_place from;
  long result = source_of(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], at ? c->arg[4] : 0, &from);
  return result ? 0 : from.node;
}

long link_call(const struct call *c)
{
  bool at = c->number == SYS_linkat;
  long flags = at ? c->arg[4] : 0;
  struct file_place from, to;
  if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
    return -EINVAL;
  long result = source_of(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], flags, &from);
  if (result)
    return result;
  result = place_for_new(at ? c->arg[2] : AT_FDCWD, (const char *)c->arg[at ? 3 : 1], false, &to);
  if (result)
    return result;
  struct file_node *n = node_at(from.node);
  if (n->device != node_at(to.folder)->device)
    return -EXDEV;
  if (S_ISDIR(n->mode))
    return -EPERM;
  if (!n->links && n->name[0]) /* one that never had a name may get its first */
    return -ENOENT;
  if (!n->name[0]) {
    n->parent = to.folder;
    print_text(n->name, sizeof n->name, "%s", to.name);
  }
  links_change(from.node);
  n->links++;
  node_touch(from.node, 1u << TIME_CHANGED);
  name_added(to.folder, to.name, from.node);
  notice_itself(from.node, IN_ATTRIB);
  notice_name(to.folder, to.name, IN_CREATE, false, 0);
  return 0;
}

/* ---- removing ---- */

static void link_removed(node_id node)
{
  struct file_node *n = node_at(node);
  links_change(node);
  n->links -= S_ISDIR(n->mode) ? n->links : n->links > 0;
  node_touch(node, 1u << TIME_CHANGED);
  notice_unlinked(node);
}

long remove_folder_call(const struct call *c)
{
  bool at = c->number == SYS_unlinkat;
  struct file_place p;
  long result = path_walk(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], NAME_ITSELF, &p);
  if (result)
    return result;
  if (p.outside)
    return -EPERM;
  if (p.last != LAST_NAME)
    return p.last == LAST_DOT ? -EINVAL : p.last == LAST_DOTDOT ? -ENOTEMPTY : -EBUSY;
  if (!p.node)
    return -ENOENT;
  result = folder_permits_removal(p.folder, p.node);
  if (result)
    return result;
  if (!node_is_folder(p.node))
    return -ENOTDIR;
  if (!folder_is_empty(p.node))
    return -ENOTEMPTY;
  name_removed(p.folder, p.name);
  link_removed(p.node);
  node_at(p.folder)->links--;
  notice_forgotten(p.node);
  notice_name(p.folder, p.name, IN_DELETE, true, 0);
  return 0;
}

long unlink_call(const struct call *c)
{
  bool at = c->number == SYS_unlinkat;
  struct file_place p;
  if (at && c->arg[2] & ~AT_REMOVEDIR)
    return -EINVAL;
  if (at && c->arg[2] & AT_REMOVEDIR)
    return remove_folder_call(c);
  long result = path_walk(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], NAME_ITSELF, &p);
  if (result)
    return result;
  if (p.outside)
    return -EPERM;
  if (p.last != LAST_NAME)
    return -EISDIR;
  if (!p.node)
    return -ENOENT;
  if (p.slash)
    return node_is_folder(p.node) ? -EISDIR : -ENOTDIR;
  result = folder_permits_removal(p.folder, p.node);
  if (result)
    return result;
  if (node_is_folder(p.node))
    return -EISDIR;
  name_removed(p.folder, p.name);
  link_removed(p.node);
  notice_name(p.folder, p.name, IN_DELETE, false, 0);
  notice_forgotten(p.node);
  return 0;
}

/* ---- moving ---- */

static bool is_within(node_id node, node_id folder)
{
  for (; node != ROOT; node = node_at(node)->parent)
    if (node == folder)
      return true;
  return folder == ROOT;
}

/* What forbids it before anything is known of permissions. */
static long rename_is_odd(const struct file_place *from, const struct file_place *to, long flags)
{
  bool exchange = flags & RENAME_EXCHANGE;
  if (from->outside || to->outside || node_at(from->folder)->device != node_at(to->folder)->device)
    return -EXDEV;
  if (from->last != LAST_NAME)
    return -EBUSY;
  if (to->last != LAST_NAME)
    return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
  if (!from->node)
    return -ENOENT;
  if (flags & RENAME_NOREPLACE && to->node)
    return -EEXIST;
  if (exchange && !to->node)
    return -ENOENT;
  if (exchange && to->slash && !node_is_folder(to->node))
    return -ENOTDIR;
  if (!node_is_folder(from->node) && (from->slash || (!exchange && to->slash)))
    return -ENOTDIR;
  if (node_is_folder(from->node) && is_within(to->folder, from->node))
    return -EINVAL;
  if (to->node && node_is_folder(to->node) && is_within(from->folder, to->node))
    return exchange ? -EINVAL : -ENOTEMPTY;
  return 0;
}

static long rename_is_allowed(const struct file_place *from, const struct file_place *to, bool exchange)
{
  long result = folder_permits_removal(from->folder, from->node);
  if (!result)
    result = to->node ? folder_permits_removal(to->folder, to->node) : folder_permits(to->folder);
  bool replaces = to->node && !exchange;
  if (!result && replaces && node_is_folder(from->node) != node_is_folder(to->node))
    result = node_is_folder(from->node) ? -ENOTDIR : -EISDIR;
  bool moves = from->folder != to->folder; /* then .. of a folder becomes another */
  if (!result && moves && node_is_folder(from->node))
    result = node_permits(from->node, W_OK, false);
  if (!result && moves && exchange && node_is_folder(to->node))
    result = node_permits(to->node, W_OK, false);
  if (result || !replaces)
    return result;
  return node_is_folder(to->node) && !folder_is_empty(to->node) ? -ENOTEMPTY : 0;
}

/* What others hear of it. */
static void notice_rename(const struct file_place *from, const struct file_place *to)
{
  bool is_folder = node_is_folder(from->node);
  uint32_t moves = notice_moves();
  notice_name(from->folder, from->name, IN_MOVED_FROM, is_folder, moves);
  notice_name(to->folder, to->name, IN_MOVED_TO, is_folder, moves);
}

static void name_moved(node_id node, node_id from, node_id to, const char *name)
{
  struct file_node *n = node_at(node);
  if (S_ISDIR(n->mode) && from != to) {
    node_at(from)->links--;
    node_at(to)->links++;
  }
  n->parent = to;
  if (!n->real)
    print_text(n->name, sizeof n->name, "%s", name);
  node_touch(node, 1u << TIME_CHANGED);
}

long rename_call(const struct call *c)
{
  bool at = c->number != SYS_rename;
  long flags = c->number == SYS_renameat2 ? c->arg[4] : 0;
  bool exchange = flags & RENAME_EXCHANGE;
  struct file_place from, to;
  if (flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE) || (flags & RENAME_NOREPLACE && exchange))
    return -EINVAL;
  long result = path_walk(at ? c->arg[0] : AT_FDCWD, (const char *)c->arg[at], NAME_ITSELF, &from);
  if (!result)
    result = path_walk(at ? c->arg[2] : AT_FDCWD, (const char *)c->arg[at ? 3 : 1], NAME_ITSELF, &to);
  if (!result)
    result = rename_is_odd(&from, &to, flags);
  if (result || from.node == to.node)
    return result;
  result = rename_is_allowed(&from, &to, exchange);
  if (result)
    return result;
  name_moves(from.node);
  if (exchange) {
    name_moves(to.node);
    name_added(from.folder, from.name, to.node);
  } else
    name_removed(from.folder, from.name);
  name_added(to.folder, to.name, from.node);
  name_moved(from.node, from.folder, to.folder, to.name);
  if (exchange)
    name_moved(to.node, to.folder, from.folder, from.name);
  else if (to.node && node_is_folder(to.node))
    node_at(to.folder)->links--;
  notice_rename(&from, &to);
  bool replaced = to.node && !exchange;
  if (replaced)
    link_removed(to.node);
  notice_itself(from.node, IN_MOVE_SELF);
  if (replaced)
    notice_forgotten(to.node);
  if (exchange) {
    notice_rename(&to, &from);
    notice_itself(to.node, IN_MOVE_SELF);
  }
  return 0;
}

/* ---- where the program works ---- */

long working_folder_call(const struct call *c)
{
  static char path[PATH_MOST];
  node_id folder = tree_changed() ? working_folder() : 0;
  if (!folder || is_as_real(folder))
    return UNKNOWN;
  if (!node_at(folder)->links || !node_path(folder, path, sizeof path))
    return -ENOENT;
  size_t size = text_length(path) + 1;
  if (size > (size_t)c->arg[1])
    return -ERANGE;
  touch_outputs(c);
  copy_bytes((void *)c->arg[0], path, size);
  return (long)size;
}
