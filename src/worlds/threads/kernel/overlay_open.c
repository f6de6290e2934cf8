/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening files of the overlay. What is only read and not changed is opened where it really is; devices and the
 * kernel's own files are for opening.c.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <linux/openat2.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

struct opening {
  long dirfd, flags, mode;
  const char *path;
  node_id emptied; /* by opening it; 0: none */
};

/* False: it asks for more than a path and flags. */
static bool opening_of(const struct call *c, struct opening *o)
{
  const struct open_how *how = (const struct open_how *)c->arg[2];
  switch (c->number) {
  case SYS_creat:
    *o = (struct opening){AT_FDCWD, O_WRONLY | O_CREAT | O_TRUNC, c->arg[1], (const char *)c->arg[0], 0};
    return true;
  case SYS_open:
    *o = (struct opening){AT_FDCWD, c->arg[1], c->arg[2], (const char *)c->arg[0], 0};
    return true;
  case SYS_openat:
    *o = (struct opening){c->arg[0], c->arg[2], c->arg[3], (const char *)c->arg[1], 0};
    return true;
  default:
    if (!how || c->arg[3] < (long)sizeof *how || how->resolve)
      return false;
    *o = (struct opening){c->arg[0], (long)how->flags, (long)how->mode, (const char *)c->arg[1], 0};
    return true;
  }
}

static bool is_temporary(const struct opening *o)
{
  return (o->flags & O_TMPFILE) == O_TMPFILE;
}

static bool wants_to_write(const struct opening *o)
{
  return !(o->flags & O_PATH) &&
         ((o->flags & O_ACCMODE) != O_RDONLY || o->flags & (O_CREAT | O_TRUNC) || is_temporary(o));
}

static int wanted(const struct opening *o)
{
  static const int of_mode[] = {R_OK, W_OK, R_OK | W_OK, R_OK | W_OK};
  return of_mode[o->flags & O_ACCMODE] | (o->flags & O_TRUNC ? W_OK : 0);
}

/* The real thing, by its real path. */
static long open_really(struct call *c, const struct opening *o, const char *path)
{
  c->number = SYS_open;
  c->arg[0] = (long)path;
  c->arg[1] = o->flags;
  c->arg[2] = o->mode;
  return UNKNOWN;
}

static long open_made(const struct opening *o, node_id node, const struct file_place *named)
{
  long fd = contents_open(node, o->flags & ~(O_TMPFILE & ~O_DIRECTORY));
  if (fd >= 0 || !named)
    return fd;
  entry_remove(entry_find(named->folder, named->name)); /* no descriptor, no file */
  node_at(node)->links = 0;
  return fd;
}

static long open_new(const struct opening *o, const struct file_place *p)
{
  if (!(o->flags & O_CREAT))
    return -ENOENT;
  long result = folder_permits(p->folder);
  if (result)
    return result;
  return open_made(o, file_made(p, S_IFREG | mode_of_new(o->mode)), p);
}

static long open_temporary(const struct opening *o, const struct file_place *p)
{
  if ((o->flags & O_ACCMODE) == O_RDONLY)
    return -EINVAL;
  if (!node_is_folder(p->node))
    return -ENOTDIR;
  long result = folder_permits(p->node);
  if (result)
    return result;
  node_id node = node_made(p->node, "", S_IFREG | mode_of_new(o->mode));
  node_at(node)->links = 0;
  return open_made(o, node, NULL);
}

static long open_folder(struct call *c, const struct opening *o, const struct file_place *p)
{
  if (wants_to_write(o))
    return -EISDIR;
  long result = o->flags & O_PATH ? 0 : node_permits(p->node, R_OK, false);
  if (result)
    return result;
  if (node_at(p->node)->real)
    return open_really(c, o, node_real_path(p->node));
  return contents_open(p->node, o->flags);
}

static long open_file(struct call *c, struct opening *o, node_id node)
{
  struct file_node *n = node_at(node);
  long result = o->flags & O_PATH ? 0 : node_permits(node, wanted(o), false);
  if (result)
    return result;
  bool writes = (o->flags & O_ACCMODE) != O_RDONLY || o->flags & O_TRUNC;
  if (n->real && n->held < 0 && (!writes || o->flags & O_PATH))
    return open_really(c, o, node_real_path(node));
  result = contents_make(node, !(o->flags & O_TRUNC));
  if (result == -EACCES)
    fail(place_in_program(0),
         "the program writes to %s, which it may not read, so that heddle cannot keep a changed copy of it; use "
         "--files real",
         node_real_path(node));
  long fd = result ? result : contents_open(node, o->flags);
  if (fd < 0 || !(o->flags & O_TRUNC) || o->flags & O_PATH)
    return fd;
  sys(SYS_ftruncate, contents_here(n), 0L);
  node_touch(node, 1u << TIME_MODIFIED | 1u << TIME_CHANGED);
  n->unsynced = true;
  o->emptied = node;
  return fd;
}

/* fifo: it is one, and may be opened. */
static long open_found(struct call *c, struct opening *o, const struct file_place *p, node_id *fifo)
{
  uint32_t mode = node_at(p->node)->mode;
  if (o->flags & O_CREAT && o->flags & O_EXCL)
    return -EEXIST;
  if (S_ISLNK(mode) && !(o->flags & O_PATH))
    return o->flags & O_DIRECTORY ? -ENOTDIR : -ELOOP;
  if (S_ISDIR(mode))
    return o->flags & O_CREAT ? -EISDIR : open_folder(c, o, p);
  if (o->flags & O_DIRECTORY)
    return -ENOTDIR;
  if (S_ISREG(mode) || o->flags & O_PATH)
    return open_file(c, o, p->node);
  if (S_ISSOCK(mode))
    return -ENXIO;
  if (S_ISFIFO(mode)) {
    long result = node_permits(p->node, wanted(o), false);
    *fifo = result ? 0 : p->node;
    return result;
  }
  return open_really(c, o, node_real_path(p->node));
}

static bool is_fifo(const struct opening *o)
{
  struct stat s;
  return !(o->flags & O_PATH) && !sys(SYS_newfstatat, o->dirfd, o->path, &s, 0L) && S_ISFIFO(s.st_mode);
}

static long open_by_path(struct call *c, struct opening *o, node_id *fifo)
{
  struct file_place p;
  if (!is_temporary(o) && (o->flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY) && !(o->flags & O_PATH))
    return -EINVAL;
  if (number_free(0) < 0) /* looked for before anything else */
    return -EMFILE;
  bool itself = o->flags & O_NOFOLLOW || (o->flags & O_CREAT && o->flags & O_EXCL);
  bool makes = o->flags & O_CREAT && !(o->flags & O_PATH);
  long result = path_walk(o->dirfd, o->path, (itself ? 0 : FOLLOW_LAST) | (makes ? NO_FOLDER : 0), &p);
  if (result)
    return result;
  if (p.outside)
    return open_really(c, o, p.outside);
  if (!p.node)
    return is_temporary(o) ? -ENOENT : open_new(o, &p);
  if (is_temporary(o))
    return open_temporary(o, &p);
  return open_found(c, o, &p, fifo);
}

long overlay_open(struct call *c)
{
  struct opening o;
  node_id fifo = 0;
  if (!opening_of(c, &o))
    return -ENOSYS; /* as kernels without it */
  if (!tree_changed() && !wants_to_write(&o) && !is_fifo(&o))
    return UNKNOWN;
  long result = open_by_path(c, &o, &fifo);
  if (fifo)
    return fifo_open(fifo, o.flags, place_in_program(c->pc));
  if (result == UNKNOWN)
    return UNKNOWN;
  result = descriptor_opened(result);
  if (result >= 0 && !(o.flags & O_PATH))
    notice_descriptor(result, IN_OPEN);
  if (o.emptied)
    notice_file(o.emptied, IN_MODIFY);
  return result;
}
