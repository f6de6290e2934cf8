/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that a process goes on as (exec), where the overlay knows better than the kernel: files that the program
 * has written itself, made executable, renamed or removed. What is only here is copied to a memfd of its own, from
 * which the kernel can load it, since a file that is open for writing cannot be.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_path.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Its contents, to be loaded: a descriptor or -errno. */
static long copy_of(node_id id)
{
  const struct file_node *n = node_at(id);
  char path[32];
  long offset = 0, moved, to = sys(SYS_memfd_create, n->name, 1L /* MFD_CLOEXEC */);
  if (to < 0)
    return to;
  do
    moved = sys(SYS_sendfile, to, contents_here(n), &offset, 1L << 30);
  while (moved > 0);
  print_text(path, sizeof path, "/proc/self/fd/%ld", to);
  long copy = moved < 0 ? moved : descriptor_hold(sys(SYS_open, path, O_RDONLY | O_CLOEXEC));
  sys(SYS_close, to);
  return copy;
}

static bool only_here(node_id id)
{
  return !node_at(id)->real || node_at(id)->held >= 0;
}

/* As the kernel has it: by that path, or where it really is. */
static long find_real(const char *path, struct program_file *out)
{
  if (path)
    print_text(out->path, sizeof out->path, "%s", path);
  out->fd = sys(SYS_openat, out->folder, out->path, O_RDONLY | O_CLOEXEC, 0L);
  if (out->fd < 0)
    return out->fd;
  return sys(SYS_fstat, out->fd, &out->stat) || !S_ISREG(out->stat.st_mode) ||
                 sys(SYS_faccessat, out->folder, out->path, (long)X_OK)
             ? -EACCES
             : 0;
}

static long find_here(node_id id, struct program_file *out)
{
  out->fd = copy_of(id);
  out->copied = true;
  out->stat = (struct stat){.st_mode = node_at(id)->mode};
  if (rt.engine->processes > 1)
    lose(LOST_CALLS); /* the kernel would refuse it while anybody has it open for writing */
  return out->fd < 0 ? out->fd : 0;
}

long program_find(long folder, const char *path, struct program_file *out)
{
  struct file_place p;
  out->fd = -1;
  out->folder = folder;
  out->copied = false;
  if (!overlay_is_on() || !overlay_is_changed())
    return find_real(path, out);
  long result = path_find(folder, path, FOLLOW_LAST, &p);
  if (result)
    return result;
  out->folder = AT_FDCWD;
  if (p.outside)
    return find_real(p.outside, out);
  if (!S_ISREG(node_at(p.node)->mode))
    return -EACCES;
  result = node_permits(p.node, X_OK, false);
  if (result)
    return result;
  return only_here(p.node) ? find_here(p.node, out) : find_real(node_real_path(p.node), out);
}

long program_of_descriptor(long fd, struct program_file *out)
{
  node_id id = overlay_is_on() ? node_of_open(fd) : 0;
  out->folder = AT_FDCWD;
  out->copied = false;
  out->fd = -1;
  if (id && only_here(id))
    return find_here(id, out);
  print_text(out->path, sizeof out->path, "/proc/self/fd/%ld", fd);
  return find_real(NULL, out);
}

bool overlay_is_changed(void)
{
  return overlay_is_on() && tree_changed();
}
