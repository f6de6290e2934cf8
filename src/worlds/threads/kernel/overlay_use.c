/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs do with open files: reading, writing, moving about in them. All of it is done by the kernel, on
 * descriptors that are real; here is what each call touches, so that calls on different files commute, which thread
 * learns from which, and what becomes of dates. No call on a file ever waits.
 */
#include "core/system.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PIECE 65536
#define PAGE 4096

static struct vclock file_clock[SYSTEM_FILES_APART] SYSTEM; /* by which what is written and read orders threads */

/* What each call does to what is in the file, and to where the description stands. */
enum { LOOKS_AT = 1, CHANGES_IT = 2, MOVES = 4 };

static unsigned use_of(long number)
{
  switch (number) {
  case SYS_pread64:
  case SYS_preadv:
  case SYS_preadv2:
    return LOOKS_AT;
  case SYS_read:
  case SYS_readv:
  case SYS_lseek:
  case SYS_getdents64:
    return LOOKS_AT | MOVES;
  case SYS_pwrite64:
  case SYS_pwritev:
  case SYS_pwritev2:
  case SYS_ftruncate:
  case SYS_fallocate:
    return CHANGES_IT;
  case SYS_write:
  case SYS_writev:
    return CHANGES_IT | MOVES;
  case SYS_fsync:
  case SYS_fdatasync:
    return LOOKS_AT;
  default:
    return 0;
  }
}

bool is_use(long number)
{
  return use_of(number);
}

/* The files that a call uses: one, or from the first to the second. */
struct used {
  long fd;
  node_id node;
  uint64_t number;
  unsigned use;
  bool folder;
};

static bool find_used(long fd, unsigned use, struct used *out)
{
  struct stat s;
  if (!files_opened() || descriptor_is_standard(fd) || sys(SYS_fstat, fd, &s))
    return false;
  node_id node = node_of_identity(&s);
  const struct file_node *n = node_at(node);
  uint32_t mode = node ? n->mode : s.st_mode;
  *out = (struct used){fd, node, node ? n->number : s.st_ino, use, S_ISDIR(mode)};
  return S_ISREG(mode) || S_ISDIR(mode);
}

/* How many: 0 if any of them is no file. */
static unsigned used_by(const struct call *c, struct used out[2])
{
  unsigned use = use_of(c->number);
  bool sends = c->number == SYS_sendfile, copies = c->number == SYS_copy_file_range;
  if (!sends && !copies)
    return use && find_used(c->arg[0], use, out);
  bool there = find_used(c->arg[sends], LOOKS_AT | (c->arg[sends ? 2 : 1] ? 0 : MOVES), &out[0]) &&
               find_used(c->arg[sends ? 0 : 2], CHANGES_IT | (sends || !c->arg[3] ? MOVES : 0), &out[1]);
  return there ? 2 : 0;
}

bool use_footprint(const struct call *c, uint64_t *reads, uint64_t *changes)
{
  struct used used[2];
  unsigned n = used_by(c, used);
  if (!n)
    return false;
  *reads = SYSTEM_DESCRIPTORS | SYSTEM_OPEN_FILES;
  *changes = 0;
  for (unsigned i = 0; i < n; i++) {
    uint64_t file = system_file(used[i].number), stand = system_description(descriptor_description(used[i].fd));
    *reads |= used[i].use & LOOKS_AT ? file : SYSTEM_LIMITS;
    *reads |= used[i].folder ? SYSTEM_FILES : 0;
    *changes |= (used[i].use & CHANGES_IT ? file : 0) | (used[i].use & MOVES ? stand : 0);
  }
  return true;
}

/* ---- calls ---- */

static void note_before(const struct used *u)
{
  struct vclock *of_file = &file_clock[u->number % SYSTEM_FILES_APART];
  if (rt.engine->threads > 1 && u->use & CHANGES_IT)
    release_to(of_file);
  uint8_t mapped = node_at(u->node)->mapped;
  if (mapped == MAPPED_TO_WRITE || (mapped && u->use & CHANGES_IT))
    lose(LOST_SHARED); /* the same bytes, by memory and by calls */
}

/* The kernel does one call on a file at once as far as a page goes; more, another may see in parts. */
static void note_large(struct file_node *n, long result)
{
  uint32_t self = 1 + self_index();
  if (rt.engine->threads == 1)
    return;
  n->shared |= n->user_thread && n->user_thread != self;
  n->user_thread = self;
  n->large |= result > PAGE;
  if (n->shared && n->large)
    lose(LOST_CALLS);
}

/* Reading and writing nothing is nothing; a new length is one, whatever it was. */
static void notice_use(const struct call *c, const struct used *u, long result)
{
  static const short looks_on[] = {SYS_lseek, SYS_fsync, SYS_fdatasync}, lengths[] = {SYS_ftruncate, SYS_fallocate};
  if (LISTED(c->number, looks_on) || result < 0 || (result == 0 && !LISTED(c->number, lengths) && !u->folder))
    return;
  notice_descriptor(u->fd, u->use & CHANGES_IT ? IN_MODIFY : IN_ACCESS);
}

static void note_after(const struct call *c, const struct used *u, long result)
{
  struct file_node *n = node_at(u->node);
  if (u->node)
    note_large(n, result);
  if (rt.engine->threads > 1 && u->use & LOOKS_AT)
    acquire_from(&file_clock[u->number % SYSTEM_FILES_APART]);
  if (files_are_watched())
    notice_use(c, u, result);
  if (!u->node || result < 0 || !(u->use & CHANGES_IT))
    return;
  node_touch(u->node, 1u << TIME_MODIFIED | 1u << TIME_CHANGED);
  if (n->mapped == MAPPED_TO_WRITE && n->held >= 0)
    mapped_note(u->node, true);
  n->unsynced = true;
}

/* Between file systems the kernel does not copy; the real file and its copy are on different ones. */
static long copy_by_hand(const struct call *c)
{
  static char piece[PIECE];
  int64_t *at[2] = {(int64_t *)c->arg[1], (int64_t *)c->arg[3]};
  long done = 0;
  while (done < c->arg[4]) {
    long want = c->arg[4] - done < PIECE ? c->arg[4] - done : PIECE;
    long n = at[0] ? sys(SYS_pread64, c->arg[0], piece, want, *at[0]) : sys(SYS_read, c->arg[0], piece, want);
    if (n > 0)
      n = at[1] ? sys(SYS_pwrite64, c->arg[2], piece, n, *at[1]) : sys(SYS_write, c->arg[2], piece, n);
    if (n <= 0)
      return done ? done : n;
    for (int i = 0; i < 2; i++)
      if (at[i])
        *at[i] += n;
    done += n;
  }
  return done;
}

static long sync_file(const struct used *u)
{
  node_at(u->node)->unsynced = false;
  return 0;
}

static long use_folder(const struct call *c, const struct used *u)
{
  bool ours = u->node && !is_as_real(u->node);
  if (c->number == SYS_getdents64)
    return ours ? list_call(c, u->node) : UNKNOWN;
  if (c->number == SYS_lseek)
    return ours ? list_seek(c, u->node) : UNKNOWN;
  return u->use == (LOOKS_AT | MOVES) || c->number == SYS_pread64 ? -EISDIR : UNKNOWN;
}

static long use_file(const struct call *c, const struct used *u)
{
  if (c->number == SYS_getdents64)
    return -ENOTDIR;
  if ((c->number == SYS_fsync || c->number == SYS_fdatasync) && u->node)
    return sync_file(u);
  long result = perform(c);
  return c->number == SYS_copy_file_range && result == -EXDEV ? copy_by_hand(c) : result;
}

bool use_call(const struct call *c, long *result)
{
  struct used used[2];
  unsigned n = used_by(c, used);
  if (!n)
    return false;
  if (n == 1 && used[0].folder) {
    *result = use_folder(c, &used[0]);
    if (*result == UNKNOWN && files_are_watched() && c->number == SYS_getdents64)
      *result = perform(c);
    if (*result != UNKNOWN && files_are_watched())
      notice_use(c, &used[0], *result);
    return *result != UNKNOWN;
  }
  for (unsigned i = 0; i < n; i++)
    note_before(&used[i]);
  if (n > 1 && rt.engine->threads > 1)
    lose(LOST_CALLS); /* it reads, and then it writes */
  *result = use_file(c, &used[0]);
  for (unsigned i = 0; i < n; i++)
    note_after(c, &used[i], *result);
  return true;
}

/* ---- mappings ---- */

bool overlay_maps(long fd, long protection, long flags)
{
  struct stat s;
  if (!overlay_is_on() || sys(SYS_fstat, fd, &s) || !S_ISREG(s.st_mode))
    return false;
  node_id node = node_of_open(fd);
  struct file_node *n = node_at(node);
  if (!node)
    return false;
  bool may_write = (sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  enum mapped how =
      (flags & MAP_TYPE) == MAP_PRIVATE || !(may_write || protection & PROT_WRITE) ? MAPPED_TO_READ : MAPPED_TO_WRITE;
  if (n->mapped && (how == MAPPED_TO_WRITE || n->mapped == MAPPED_TO_WRITE))
    lose(LOST_SHARED); /* the same memory at two addresses */
  n->mapped = n->mapped > how ? n->mapped : how;
  if (n->held < 0)
    return false;
  node_touch(node, 1u << TIME_ACCESSED);
  if (n->mapped == MAPPED_TO_WRITE)
    mapped_note(node, false);
  return true;
}

void use_reset(void)
{
  for (unsigned i = 0; i < SYSTEM_FILES_APART; i++)
    vclock_clear(&file_clock[i]);
  files_opened_reset();
  mapped_reset();
}
