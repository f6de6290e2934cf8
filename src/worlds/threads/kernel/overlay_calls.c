/* SPDX-License-Identifier: Apache-2.0
 *
 * Which calls are about files, how each names the file, and what makes it; and what they touch, beyond what
 * call_rules.c says of them.
 */
#include "worlds/threads/kernel/overlay_calls.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* How a call names its one file: which argument is the folder's descriptor, the path, the AT_ flags; NO: none. A path
 * of NO means that the descriptor is the file. */
#define NO (-1)
enum { FOLLOWS = 1, EMPTY = 2, NULL_IS_FD = 4, CONTENTS = 8, NEW_CONTENTS = 16 };
struct file_call {
  short number;
  signed char folder, path, flags;
  unsigned char how;
  node_call *make; /* NULL: the real thing, or what stands for it, is asked */
};

/* clang-format off */
static const struct file_call file_calls[] = {
    {SYS_stat, NO, 0, NO, FOLLOWS | CONTENTS, look_stat},
    {SYS_lstat, NO, 0, NO, CONTENTS, look_stat},
    {SYS_fstat, 0, NO, NO, CONTENTS, look_stat},
    {SYS_newfstatat, 0, 1, 3, FOLLOWS | EMPTY | CONTENTS, look_stat},
    {SYS_statx, 0, 1, 2, FOLLOWS | EMPTY | CONTENTS, look_statx},
    {SYS_access, NO, 0, NO, FOLLOWS, look_access},
    {SYS_faccessat, 0, 1, NO, FOLLOWS, look_access},
    {SYS_faccessat2, 0, 1, 3, FOLLOWS | EMPTY, look_access},
    {SYS_readlink, NO, 0, NO, 0, look_link},
    {SYS_readlinkat, 0, 1, NO, EMPTY, look_link},
    {SYS_statfs, NO, 0, NO, FOLLOWS, NULL},
    {SYS_fstatfs, 0, NO, NO, 0, NULL},
    {SYS_getxattr, NO, 0, NO, FOLLOWS, look_attribute},
    {SYS_lgetxattr, NO, 0, NO, 0, look_attribute},
    {SYS_fgetxattr, 0, NO, NO, 0, look_attribute},
    {SYS_listxattr, NO, 0, NO, FOLLOWS, list_attributes},
    {SYS_llistxattr, NO, 0, NO, 0, list_attributes},
    {SYS_flistxattr, 0, NO, NO, 0, list_attributes},
    {SYS_setxattr, NO, 0, NO, FOLLOWS, change_attribute},
    {SYS_lsetxattr, NO, 0, NO, 0, change_attribute},
    {SYS_fsetxattr, 0, NO, NO, 0, change_attribute},
    {SYS_removexattr, NO, 0, NO, FOLLOWS, change_attribute},
    {SYS_lremovexattr, NO, 0, NO, 0, change_attribute},
    {SYS_fremovexattr, 0, NO, NO, 0, change_attribute},
    {SYS_chmod, NO, 0, NO, FOLLOWS, change_mode},
    {SYS_fchmod, 0, NO, NO, 0, change_mode},
    {SYS_fchmodat, 0, 1, NO, FOLLOWS, change_mode},
    {SYS_fchmodat2, 0, 1, 3, FOLLOWS | EMPTY, change_mode},
    {SYS_chown, NO, 0, NO, FOLLOWS, change_owner},
    {SYS_lchown, NO, 0, NO, 0, change_owner},
    {SYS_fchown, 0, NO, NO, 0, change_owner},
    {SYS_fchownat, 0, 1, 4, FOLLOWS | EMPTY, change_owner},
    {SYS_utime, NO, 0, NO, FOLLOWS, change_times},
    {SYS_utimes, NO, 0, NO, FOLLOWS, change_times},
    {SYS_futimesat, 0, 1, NO, FOLLOWS | NULL_IS_FD, change_times},
    {SYS_utimensat, 0, 1, 3, FOLLOWS | EMPTY | NULL_IS_FD, change_times},
    {SYS_truncate, NO, 0, NO, FOLLOWS | NEW_CONTENTS, change_size},
    {SYS_chdir, NO, 0, NO, FOLLOWS, change_folder},
    {SYS_fchdir, 0, NO, NO, 0, change_folder},
    {SYS_inotify_add_watch, NO, 1, NO, FOLLOWS, watch_file},
};

static const struct {
  short number;
  call_maker *make;
} makers[] = {
    {SYS_mkdir, make_folder_call}, {SYS_mkdirat, make_folder_call},
    {SYS_mknod, make_node_call}, {SYS_mknodat, make_node_call},
    {SYS_rmdir, remove_folder_call}, {SYS_unlink, unlink_call}, {SYS_unlinkat, unlink_call},
    {SYS_rename, rename_call}, {SYS_renameat, rename_call}, {SYS_renameat2, rename_call},
    {SYS_link, link_call}, {SYS_linkat, link_call}, {SYS_symlink, symlink_call}, {SYS_symlinkat, symlink_call},
    {SYS_getcwd, working_folder_call},
};
/* clang-format on */

static const struct file_call *file_call_of(long number)
{
  for (size_t i = 0; i < sizeof file_calls / sizeof *file_calls; i++)
    if (file_calls[i].number == number)
      return &file_calls[i];
  return NULL;
}

static call_maker *maker_of(long number)
{
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
    if (makers[i].number == number)
      return makers[i].make;
  return NULL;
}

static bool opens(long number)
{
  return number == SYS_open || number == SYS_openat || number == SYS_openat2 || number == SYS_creat;
}

/* ---- the file of a call ---- */

static long flags_of(const struct call *c, const struct file_call *n)
{
  if (n->make == watch_file)
    return c->arg[2] & IN_DONT_FOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
  return n->flags == NO ? 0 : c->arg[(int)n->flags];
}

/* 0 or -errno. In p, the node or a path outside; neither: the descriptor is of no file. */
static long find_file(const struct call *c, const struct file_call *n, struct file_place *p)
{
  long folder = n->folder == NO ? AT_FDCWD : c->arg[(int)n->folder], flags = flags_of(c, n);
  const char *path = n->path == NO ? NULL : (const char *)c->arg[(int)n->path];
  *p = (struct file_place){.node = 0};
  if (n->path == NO || (!path && n->how & NULL_IS_FD)) {
    p->node = descriptor_is_standard(folder) ? 0 : node_of_open(folder);
    return 0;
  }
  bool follows = n->how & FOLLOWS ? !(flags & AT_SYMLINK_NOFOLLOW) : flags & AT_SYMLINK_FOLLOW;
  bool empty = n->how & EMPTY && (flags & AT_EMPTY_PATH || n->flags == NO);
  if (empty && (uintptr_t)path >= PATH_MOST && !*path && (int)folder != AT_FDCWD) {
    p->node = descriptor_is_standard(folder) ? 0 : node_of_open(folder);
    return 0;
  }
  long result = path_find(folder, path, (follows ? FOLLOW_LAST : 0) | (empty ? EMPTY_IS_FOLDER : 0), p);
  long fd = !result && p->outside && follows ? descriptor_in_path(p->outside) : -1;
  if (fd >= 0 && !descriptor_is_standard(fd))
    p->node = node_of_open(fd);
  return result;
}

/* The call goes on to the kernel, with a path that leads there. */
static void name_really(struct call *c, const struct file_call *n, const char *path)
{
  if (n->path == NO)
    return;
  if (n->folder != NO)
    c->arg[(int)n->folder] = AT_FDCWD;
  c->arg[(int)n->path] = (long)path;
}

/* The name by which the kernel knows what a descriptor of the overlay is of, read back. */
static long read_own_link(const struct call *c, const char *outside)
{
  static char path[PATH_MOST + 16];
  struct stat s;
  long fd = descriptor_in_path(outside);
  node_id node = fd < 0 || descriptor_is_standard(fd) ? 0 : node_of_descriptor(fd, &s);
  bool at = c->number == SYS_readlinkat;
  if (!node || node_at(node)->held < 0)
    return UNKNOWN;
  node_id folder = node_at(node)->parent;
  bool named = node_is_folder(node) ? node_path(node, path, PATH_MOST) : node_path(folder, path, PATH_MOST);
  if (!named)
    return UNKNOWN;
  size_t n = text_length(path);
  if (!node_is_folder(node))
    n += print_text(path + n, sizeof path - n, "%s%s%s", n > 1 ? "/" : "", node_at(node)->name,
                    node_at(node)->links ? "" : " (deleted)");
  size_t room = (size_t)c->arg[at + 2];
  n = n < room ? n : room;
  snapshot_touch((uintptr_t)c->arg[at + 1], n);
  copy_bytes((void *)c->arg[at + 1], path, n);
  return (long)n;
}

static node_id real_above(node_id node)
{
  while (!node_at(node)->real)
    node = node_at(node)->parent;
  return node;
}

static long make_on_file(struct call *c, const struct file_call *n)
{
  struct file_place p;
  if (n->how & NEW_CONTENTS && c->arg[1] < 0) /* a length: looked at before the path */
    return -EINVAL;
  long result = find_file(c, n, &p);
  if (result)
    return result;
  if (p.outside && n->make == look_link) {
    result = read_own_link(c, p.outside);
    if (result != UNKNOWN)
      return result;
  }
  if (!p.node && n->make == watch_file)
    fail(place_in_program(c->pc),
         "the program watches the system's own files (inotify, %s); heddle cannot control that",
         (const char *)c->arg[1]);
  if (p.node && n->make) {
    result = n->make(c, p.node, flags_of(c, n));
    if (result != UNKNOWN)
      return result;
  }
  if (p.node && !n->make && n->path == NO && !node_at(p.node)->real) { /* fstatfs: of the file system it would be on */
    c->number = SYS_statfs;
    c->arg[0] = (long)node_real_path(real_above(p.node));
  } else if (p.node)
    name_really(c, n, node_real_path(n->make ? p.node : real_above(p.node)));
  else if (p.outside)
    name_really(c, n, p.outside);
  return UNKNOWN;
}

/* Which file a thread stands before that finds it by name. The kernel finds it first and then does something to it;
 * whoever takes the name away in between makes a difference that no order of whole calls does. */
static node_id found_by[MAX_THREADS] SYSTEM;
static node_id linked_by[MAX_THREADS] SYSTEM; /* the one it is about to give another name, found in the same way */
static bool used SYSTEM;                      /* by this execution */

void links_change(node_id node)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && found_by[t] == node)
      lose(LOST_CALLS);
}

void name_moves(node_id node)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && linked_by[t] == node)
      lose(LOST_CALLS);
}

/* Whether the overlay may differ from what the kernel would say; if not, it is the kernel's to say. */
static bool is_concerned(const struct call *c, const struct file_call *n)
{
  const struct call_rule *rule = call_rule(c->number);
  return tree_changed() || !rule || !rule->looks || n->make == watch_file;
}

bool overlay_call(struct call *c, long *result)
{
  used = true;
  if (!overlay_is_on())
    return false;
  found_by[self_index()] = linked_by[self_index()] = 0;
  nodes_collect();
  const struct file_call *n = file_call_of(c->number);
  call_maker *make = n ? NULL : maker_of(c->number);
  if (!n && !make)
    return socket_path_call(c, result) || use_call(c, result);
  *result = make ? make(c) : is_concerned(c, n) ? make_on_file(c, n) : UNKNOWN;
  if (*result == UNKNOWN)
    return false;
  kernel_state_changed();
  return true;
}

/* ---- what calls touch ---- */

/* A file that a call finds by name: what is in it is looked at, or becomes another. */
static void name_footprint(const struct call *c, const struct file_call *n, uint64_t *reads, uint64_t *changes)
{
  struct file_place p;
  bool about_file = n->how & (CONTENTS | NEW_CONTENTS) || *changes & SYSTEM_FILES;
  if (!about_file || find_file(c, n, &p) || !p.node)
    return;
  found_by[self_index()] = n->path == NO ? 0 : p.node;
  uint64_t file = system_file(node_at(p.node)->number);
  *reads |= n->how & CONTENTS ? file : 0;
  *changes |= n->how & NEW_CONTENTS ? file : 0;
}

static void open_footprint(const struct call *c, uint64_t *changes)
{
  static const struct file_call opening = {.folder = NO, .path = 0, .flags = NO, .how = FOLLOWS},
                                opening_at = {.folder = 0, .path = 1, .flags = NO, .how = FOLLOWS};
  struct file_place p;
  bool at = c->number == SYS_openat || c->number == SYS_openat2;
  long flags = c->number == SYS_creat ? O_TRUNC : c->number == SYS_openat2 ? 0 : c->arg[at + 1];
  if (c->number == SYS_openat2)
    *changes |= SYSTEM_ALL_FILES;
  else if (flags & O_TRUNC && !find_file(c, at ? &opening_at : &opening, &p) && p.node) {
    found_by[self_index()] = p.node;
    *changes |= system_file(node_at(p.node)->number);
  }
}

static bool links(long number)
{
  return number == SYS_link || number == SYS_linkat;
}

void overlay_footprint(const struct call *c, uint64_t *reads, uint64_t *changes)
{
  if (use_footprint(c, reads, changes))
    return;
  const struct file_call *n = file_call_of(c->number);
  if (n)
    name_footprint(c, n, reads, changes);
  else if (opens(c->number))
    open_footprint(c, changes);
  else if (links(c->number))
    linked_by[self_index()] = linked_node(c);
  else if (!maker_of(c->number)) {
    *reads |= *reads & SYSTEM_FILES ? SYSTEM_ALL_FILES : 0;
    *changes |= *changes & SYSTEM_FILES ? SYSTEM_ALL_FILES : 0;
  }
}

/* ---- names for stories ---- */

#define SUBJECT_SIZE 40
static char subject[MAX_THREADS][SUBJECT_SIZE] SYSTEM; /* whichever process tells of it */

const char *overlay_subject(unsigned thread)
{
  return subject[thread];
}

static const char *last_part(const char *path)
{
  const char *part = path;
  for (; *path; path++)
    if (*path == '/' && path[1])
      part = path + 1;
  return part;
}

/* Which argument is the path; -1: none. */
static int path_argument(const struct call *c)
{
  static const short at_second[] = {SYS_openat,   SYS_openat2,   SYS_mkdirat, SYS_mknodat, SYS_unlinkat,
                                    SYS_renameat, SYS_renameat2, SYS_linkat,  SYS_symlink};
  const struct file_call *n = file_call_of(c->number);
  if (n)
    return n->path;
  if (LISTED(c->number, at_second))
    return 1;
  if (c->number == SYS_symlinkat)
    return 2;
  return opens(c->number) || (maker_of(c->number) && c->number != SYS_getcwd) ? 0 : NO;
}

static void name_descriptor(long fd, char out[SUBJECT_SIZE])
{
  static char path[PATH_MOST];
  char link[32];
  struct stat s;
  node_id node = descriptor_is_standard(fd) ? 0 : node_of_descriptor(fd, &s);
  if (node) {
    print_text(out, SUBJECT_SIZE, "%s", node_at(node)->name);
    return;
  }
  print_text(link, sizeof link, "/proc/self/fd/%ld", fd);
  long n = descriptor_is_standard(fd) ? 0 : sys(SYS_readlink, link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = '\0';
  if (*path == '/')
    print_text(out, SUBJECT_SIZE, "%s", last_part(path));
}

void overlay_note_subject(const struct call *c)
{
  static const short on_files[] = {SYS_flock, SYS_fcntl,  SYS_sendfile, SYS_copy_file_range,
                                   SYS_fstat, SYS_fchmod, SYS_close};
  char *out = subject[self_index()];
  int at = path_argument(c);
  *out = '\0';
  if (at >= 0 && (uintptr_t)c->arg[at] >= PATH_MOST && *(const char *)c->arg[at])
    print_text(out, SUBJECT_SIZE, "%s", last_part((const char *)c->arg[at]));
  else if (is_use(c->number) || LISTED(c->number, on_files) || (at >= 0 && file_call_of(c->number)))
    name_descriptor(c->arg[0], out);
}

void overlay_reset(void)
{
  if (!used)
    return;
  used = false;
  working_folder_reset();
  fill_bytes(found_by, 0, sizeof found_by);
  fill_bytes(linked_by, 0, sizeof linked_by);
  lists_reset();
  use_reset();
  contents_reset();
  tree_reset();
}
