/* SPDX-License-Identifier: Apache-2.0
 *
 * Where paths lead, over the real tree, as the kernel would say: folder by folder, through symbolic links, with the
 * user's permissions. What the real tree has is asked of the kernel once, and remembered as nodes. Files by which the
 * kernel tells of itself (/proc, /sys) are not looked into. Changes nothing.
 */
#include "worlds/threads/kernel/overlay_path.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/descriptors.h"
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINKS_MOST 40
#define GROUPS_MOST 64

static struct working {
  node_id folder; /* the working one; 0: not asked for yet */
  long before;    /* a descriptor of the real one that the execution began with, + 1 */
} working_of[PROCESSES] SYSTEM;

static struct working *own_working(void)
{
  return &working_of[hd_own.process];
}

void overlay_fork(unsigned process, unsigned copy)
{
  working_of[copy] = working_of[process];
}

/* ---- who may do what ---- */

bool user_is_root(void)
{
  return sys(SYS_geteuid) == 0;
}

bool user_owns(node_id id)
{
  long user = sys(SYS_geteuid);
  return user == 0 || (uint32_t)user == node_at(id)->user;
}

static bool is_in_group(uint32_t group, bool really)
{
  uint32_t list[GROUPS_MOST];
  if (group == (uint32_t)sys(really ? SYS_getgid : SYS_getegid))
    return true;
  long n = sys(SYS_getgroups, (long)GROUPS_MOST, list);
  for (long i = 0; i < n; i++)
    if (list[i] == group)
      return true;
  return false;
}

static long mode_permits(const struct file_node *n, int want, bool really)
{
  long user = sys(really ? SYS_getuid : SYS_geteuid);
  if (user == 0)
    return want & X_OK && !S_ISDIR(n->mode) && !(n->mode & 0111) ? -EACCES : 0;
  uint32_t bits = (uint32_t)user == n->user ? n->mode >> 6 : is_in_group(n->group, really) ? n->mode >> 3 : n->mode;
  return (bits & 7 & (uint32_t)want) == (uint32_t)want ? 0 : -EACCES;
}

long node_permits(node_id id, int want, bool really)
{
  const struct file_node *n = node_at(id);
  if (n->real && !n->changed) /* the kernel knows of more than these bits */
    return sys(SYS_faccessat2, AT_FDCWD, node_real_path(id), want, AT_SYMLINK_NOFOLLOW | (really ? 0 : AT_EACCESS));
  return mode_permits(n, want, really);
}

long folder_permits(node_id folder)
{
  const struct file_node *n = node_at(folder);
  if (!n->links)
    return -ENOENT;
  if (n->real) {
    long result = sys(SYS_faccessat2, AT_FDCWD, node_real_path(folder), W_OK, AT_EACCESS);
    if (result == -EROFS || (result && !n->changed))
      return result;
  }
  return mode_permits(n, W_OK | X_OK, false);
}

long folder_permits_removal(node_id folder, node_id victim)
{
  long result = folder_permits(folder);
  if (result)
    return result;
  bool kept = node_at(folder)->mode & S_ISVTX && !user_owns(victim) && !user_owns(folder);
  return kept ? -EPERM : 0;
}

/* ---- steps of a walk ---- */

static node_id root(void)
{
  struct stat s;
  if (!node_at(ROOT)->used) {
    sys(SYS_stat, "/", &s);
    node_of_real(ROOT, "", &s);
  }
  return ROOT;
}

/* What the real folder has by that name; *found is 0 if it has nothing. */
static long real_child(node_id folder, const char *name, node_id *found)
{
  static char path[PATH_MOST + NAME_MOST + 2];
  struct stat s;
  *found = 0;
  if (!node_at(folder)->real)
    return 0;
  print_text(path, sizeof path, "%s/%s", folder == ROOT ? "" : node_real_path(folder), name);
  long result = sys(SYS_lstat, path, &s);
  if (result == -ENOENT)
    return 0;
  if (result)
    return result;
  *found = node_of_real(folder, name, &s);
  entry_set(folder, name, *found, true);
  return 0;
}

static long child_of(node_id folder, const char *name, node_id *found)
{
  struct file_entry *e = entry_find(folder, name);
  if (!e)
    return real_child(folder, name, found);
  *found = e->node;
  return 0;
}

static const char *target_of(node_id link)
{
  static char text[PATH_MOST];
  const struct file_node *n = node_at(link);
  if (!n->real)
    return text_at(n->target);
  long size = sys(SYS_readlink, node_real_path(link), text, sizeof text - 1);
  text[size < 0 ? 0 : size] = '\0';
  return text;
}

/* A walk under way: what is left of the path, which grows when a link is followed. */
struct walk {
  node_id at;
  unsigned links;
  char *rest;
  char room[2][PATH_MOST * 2];
  unsigned turn;
};

static long follow(struct walk *w, node_id link)
{
  if (++w->links > LINKS_MOST)
    return -ELOOP;
  const char *target = target_of(link);
  if (!*target)
    return -ENOENT;
  char *to = w->room[w->turn ^= 1];
  if (text_length(target) + text_length(w->rest) + 2 > PATH_MOST)
    return -ENAMETOOLONG;
  print_text(to, PATH_MOST * 2, "%s%s%s", target, *w->rest ? "/" : "", w->rest);
  if (*to == '/')
    w->at = root();
  w->rest = to;
  return 0;
}

/* The next name of the path, which is taken from it. */
static long take_name(struct walk *w, struct file_place *out)
{
  size_t n = 0;
  while (w->rest[n] && w->rest[n] != '/')
    n++;
  if (n > NAME_MOST)
    return -ENAMETOOLONG;
  copy_bytes(out->name, w->rest, n);
  out->name[n] = '\0';
  w->rest += n;
  out->slash = *w->rest == '/';
  while (*w->rest == '/')
    w->rest++;
  out->last = !text_compare(out->name, ".") ? LAST_DOT : !text_compare(out->name, "..") ? LAST_DOTDOT : LAST_NAME;
  return 0;
}

static bool is_outside(const struct walk *w, const struct file_place *out)
{
  return w->at == ROOT && (!text_compare(out->name, "proc") || !text_compare(out->name, "sys"));
}

/* One name further. 1: the walk is over. */
static long walk_step(struct walk *w, unsigned how, struct file_place *out)
{
  static char outside[2][PATH_MOST * 2];
  static unsigned turn;
  long result = take_name(w, out);
  if (!result)
    result = mode_permits(node_at(w->at), X_OK, false);
  if (result)
    return result;
  bool last = !*w->rest;
  if (out->last == LAST_NAME && is_outside(w, out)) {
    out->outside = outside[turn ^= 1];
    print_text(outside[turn], sizeof outside[turn], "/%s%s%s", out->name, out->slash ? "/" : "", w->rest);
    return 1;
  }
  out->folder = w->at;
  if (out->last == LAST_NAME && last && out->slash && how & NO_FOLDER)
    return -EISDIR;
  if (out->last == LAST_NAME)
    result = child_of(w->at, out->name, &out->node);
  else
    out->node = out->last == LAST_DOT ? w->at : node_at(w->at)->parent;
  if (result)
    return result;
  if (!out->node)
    return last ? 1 : -ENOENT;
  bool through = !last || (out->slash && !(how & NAME_ITSELF));
  if (S_ISLNK(node_at(out->node)->mode) && (through || how & FOLLOW_LAST)) {
    if (out->slash && last)
      w->rest = "/";
    return follow(w, out->node);
  }
  if (through && !node_is_folder(out->node))
    return -ENOTDIR;
  w->at = out->node;
  return last;
}

static long start_of(long dirfd, const char *path, node_id *out)
{
  struct stat s;
  if (*path == '/')
    *out = root();
  else if ((int)dirfd == AT_FDCWD)
    *out = working_folder();
  else if (sys(SYS_fstat, dirfd, &s))
    return -EBADF;
  else
    *out = node_of_open(dirfd);
  if (!*out || !node_is_folder(*out))
    return (int)dirfd == AT_FDCWD ? -ENOENT : -ENOTDIR;
  return 0;
}

long path_walk(long dirfd, const char *path, unsigned how, struct file_place *out)
{
  static struct walk w; /* stacks of programs are small; nobody else runs meanwhile */
  *out = (struct file_place){.last = LAST_ROOT};
  if ((uintptr_t)path < PATH_MOST)
    return -EFAULT;
  if (!*path)
    return -ENOENT;
  if (text_length(path) >= PATH_MOST)
    return -ENAMETOOLONG;
  long result = start_of(dirfd, path, &w.at);
  if (result)
    return result;
  w.links = w.turn = 0;
  w.rest = w.room[0];
  print_text(w.rest, PATH_MOST, "%s", path);
  while (*w.rest == '/')
    w.rest++;
  out->node = out->folder = w.at;
  while (*w.rest) {
    if (w.links && *w.rest == '/') { /* a link that leads elsewhere */
      while (*w.rest == '/')
        w.rest++;
      out->node = out->folder = w.at;
      out->last = LAST_ROOT;
      continue;
    }
    result = walk_step(&w, how, out);
    if (result)
      return result < 0 ? result : 0;
  }
  return 0;
}

long path_find(long dirfd, const char *path, unsigned how, struct file_place *out)
{
  if (how & EMPTY_IS_FOLDER && (uintptr_t)path >= PATH_MOST && !*path) {
    struct stat s;
    *out = (struct file_place){.last = LAST_NAME};
    out->node = (int)dirfd == AT_FDCWD ? working_folder() : node_of_open(dirfd);
    return out->node ? 0 : (int)dirfd != AT_FDCWD && sys(SYS_fstat, dirfd, &s) ? -EBADF : -ENOENT;
  }
  long result = path_walk(dirfd, path, how, out);
  return result || out->node || out->outside ? result : -ENOENT;
}

bool overlay_has(const char *path)
{
  struct file_place p;
  struct stat s;
  if (!overlay_is_on() || path_walk(AT_FDCWD, path, 0, &p) || p.outside)
    return !sys(SYS_stat, path, &s);
  return p.node;
}

/* ---- descriptors and the working folder ---- */

/* The kernel's name of what is open there, by its link in /proc; a node if the walk leads to the same. */
static node_id node_by_link(const char *link, const struct stat *s)
{
  static char path[PATH_MOST];
  struct file_place p;
  long n = sys(SYS_readlink, link, path, sizeof path - 1);
  if (n <= 0 || *path != '/')
    return 0;
  path[n] = '\0';
  if (path_walk(AT_FDCWD, path, 0, &p) || !p.node)
    return 0;
  const struct file_node *found = node_at(p.node);
  return found->real && found->number == s->st_ino && found->device == s->st_dev ? p.node : 0;
}

node_id node_of_open(long fd)
{
  if (descriptor_is_modelled(fd))
    return fifo_node(description_of(fd));
  struct stat s;
  char link[32];
  node_id known = node_of_descriptor(fd, &s);
  print_text(link, sizeof link, "/proc/self/fd/%ld", fd);
  return known ? known : node_by_link(link, &s);
}

node_id working_folder(void)
{
  static char path[PATH_MOST];
  struct stat s;
  struct file_place p;
  if (own_working()->folder)
    return own_working()->folder;
  if (sys(SYS_stat, ".", &s))
    return 0;
  own_working()->folder = node_of_identity(&s);
  if (!own_working()->folder && sys(SYS_getcwd, path, sizeof path) > 0 && *path == '/' &&
      !path_walk(AT_FDCWD, path, 0, &p))
    own_working()->folder = p.node;
  return own_working()->folder;
}

long working_folder_set(node_id folder)
{
  if (!own_working()->before)
    own_working()->before = 1 + descriptor_hold(sys(SYS_open, ".", O_PATH | O_CLOEXEC));
  if (node_at(folder)->real) {
    long result = sys(SYS_chdir, node_real_path(folder));
    if (result)
      return result;
  }
  own_working()->folder = folder;
  return 0;
}

void working_folder_reset(void)
{
  if (own_working()->before > 0) {
    sys(SYS_fchdir, own_working()->before - 1);
    sys(SYS_close, own_working()->before - 1);
  }
  own_working()->before = own_working()->folder = 0;
}

long descriptor_in_path(const char *path)
{
  static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"};
  static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *at = path, *with = folders[i];
    while (*with && *at == *with)
      at++, with++;
    long fd = *with || *at < '0' || *at > '9' ? -1 : 0;
    while (fd >= 0 && *at >= '0' && *at <= '9' && fd < 1000000)
      fd = fd * 10 + *at++ - '0';
    if (fd >= 0 && !*at)
      return fd;
  }
  for (long fd = 0; fd <= 2; fd++)
    if (!text_compare(path, standard[fd]))
      return fd;
  return -1;
}
