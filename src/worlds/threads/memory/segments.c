/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory of System V (shmget) and of POSIX (shm_open): names and ids are virtual, what is behind them is memory
 * without a name (memfd), new in each execution. It is mapped as what the program maps itself, at addresses that are
 * the same in each execution (mappings.c).
 */
#include "worlds/threads/memory/segments.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/sysv.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define SEGMENTS 128
#define ATTACHED 256
#define PAGE 4096u
#define OUT_OF_THE_WAY 1000 /* of the program's descriptors */

static struct shared {
  bool used;
  bool doomed;    /* without a name or an id any more: it goes with its last use */
  uint8_t holder; /* the process that made it, and has it as long as the execution lasts, as descriptor fd */
  int fd;
  uint32_t serial; /* no other segment of the execution has it; from 1 */
  size_t size;     /* of System V's */
  int id;
  long place; /* of System V's; -1: it has a name */
  uint32_t mapped;
  struct owner owner; /* of POSIX's */
  time_t attached, detached, changed;
  pid_t last;
  char name[NAME_MAX + 1];
} segments[SEGMENTS] SYSTEM;

static struct {
  uintptr_t at; /* 0: free */
  size_t size;
  uint16_t segment;
} attached[ATTACHED];

static struct {
  int fd;
  uint16_t segment; /* + 1; 0: free */
} opened[ATTACHED];

static struct sysv_table ids SYSTEM;
static bool any SYSTEM;
static uint32_t made SYSTEM;

/* As what this process has each. */
static struct {
  uint32_t serial; /* 0: nothing */
  int fd;
} here[SEGMENTS];

static void let_go(unsigned i)
{
  if (here[i].serial)
    sys(SYS_close, here[i].fd);
  here[i].serial = 0;
}

void segments_reset(void)
{
  if (!any)
    return;
  for (unsigned i = 0; i < SEGMENTS; i++)
    let_go(i);
  fill_bytes(segments, 0, sizeof segments);
  fill_bytes(attached, 0, sizeof attached);
  fill_bytes(opened, 0, sizeof opened);
  sysv_reset(&ids);
  any = false;
  made = 0;
}

static time_t now(void)
{
  return virtual_now(CLOCK_REALTIME).tv_sec;
}

/* The descriptor is this process's for the segment. */
static int keep_here(const struct shared *s, long fd)
{
  unsigned i = (unsigned)(s - segments);
  long high = fd < 0 ? fd : sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
  if (fd >= 0)
    sys(SYS_close, fd);
  let_go(i);
  if (high < 0)
    return -1;
  here[i].serial = s->serial;
  return here[i].fd = (int)high;
}

/* The descriptor that this process has for it; another process may have made it. */
static int reach(const struct shared *s)
{
  if (here[s - segments].serial == s->serial)
    return here[s - segments].fd;
  char path[40];
  struct stat was;
  int real = rt.process[s->holder].real;
  print_text(path, sizeof path, "/proc/%d/fd/%d", real ? real : rt.first_process, s->fd);
  bool known = sys(SYS_stat, path, &was) == 0;
  sys(SYS_chmod, path, 0700); /* who made it may open it, whatever its mode */
  int fd = keep_here(s, sys(SYS_open, path, O_RDWR | O_CLOEXEC, 0));
  if (known)
    sys(SYS_fchmod, fd, was.st_mode & 07777);
  return fd;
}

static struct shared *new_segment(void)
{
  struct shared *s = segments;
  while (s < segments + SEGMENTS && s->used)
    s++;
  if (s == segments + SEGMENTS)
    return NULL;
  *s = (struct shared){.holder = (uint8_t)hd_own.process, .serial = ++made, .place = -1, .changed = now()};
  s->fd = keep_here(s, sys(SYS_memfd_create, "segment", MFD_CLOEXEC));
  s->used = s->fd >= 0;
  any |= s->used;
  return s->used ? s : NULL;
}

static void forget_if_unused(struct shared *s)
{
  if (!s->doomed || s->mapped)
    return;
  if (here[s - segments].serial == s->serial)
    let_go((unsigned)(s - segments));
  s->used = false;
  for (unsigned i = 0; i < ATTACHED; i++)
    if (opened[i].segment == s - segments + 1)
      opened[i].segment = 0; /* what is mapped by it from now on is anybody's */
  if (s->place < 0)
    return;
  ids.id[s->place].used = false;
  ids.id[s->place].sequence++;
}

/* ---- where they are ---- */

static struct shared *segment_behind(long fd)
{
  for (unsigned i = 0; any && i < ATTACHED; i++)
    if (opened[i].segment && opened[i].fd == (int)fd && descriptor_is_controlled(fd))
      return &segments[opened[i].segment - 1];
  for (struct shared *s = segments; any && s < segments + SEGMENTS; s++)
    if (s->used && here[s - segments].serial == s->serial && here[s - segments].fd == (int)fd)
      return s;
  return NULL;
}

bool segment_mapped(long fd, uintptr_t at, size_t size)
{
  struct shared *s = segment_behind(fd);
  unsigned i = 0;
  while (i < ATTACHED && attached[i].at)
    i++;
  if (!s || i == ATTACHED)
    return false;
  attached[i].at = at;
  attached[i].size = size;
  attached[i].segment = (uint16_t)(s - segments);
  return ++s->mapped == 1;
}

static int attachment_at(uintptr_t at)
{
  for (int i = 0; any && i < ATTACHED; i++)
    if (attached[i].at && attached[i].at == at)
      return i;
  return -1;
}

void segment_unmapped(uintptr_t at)
{
  int i = attachment_at(at);
  if (i < 0)
    return;
  struct shared *s = &segments[attached[i].segment];
  attached[i].at = 0;
  s->mapped--;
  forget_if_unused(s);
}

bool in_segment(uintptr_t addr)
{
  for (unsigned i = 0; any && i < ATTACHED; i++)
    if (attached[i].at && addr - attached[i].at < attached[i].size)
      return true;
  return false;
}

void segment_noted(const struct call *c)
{
  /* clang-format off */
  static const short calls[] = {
      SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_sendfile};
  /* clang-format on */
  if (any && LISTED(c->number, calls) && segment_behind(c->arg[0]))
    lose(LOST_SHARED);
}

/* ---- System V ---- */

static struct shared *segment_of(int id)
{
  for (struct shared *s = segments; any && s < segments + SEGMENTS; s++)
    if (s->used && s->place >= 0 && s->id == id)
      return s;
  return NULL;
}

static long get(int key, size_t size, int flags)
{
  bool created;
  long place = sysv_find(&ids, key, flags, &created);
  if (place < 0)
    return place;
  if (!created)
    return size > segment_of(sysv_id_at(&ids, place))->size ? -EINVAL : sysv_id_at(&ids, place);
  if (size == 0 || size > SSIZE_MAX)
    return -EINVAL;
  struct shared *s = new_segment();
  if (!s)
    return -ENOSPC;
  s->size = size;
  if (sys(SYS_ftruncate, s->fd, (size + PAGE - 1) & ~(size_t)(PAGE - 1))) {
    s->doomed = true;
    forget_if_unused(s);
    return -ENOMEM;
  }
  s->place = place;
  return s->id = sysv_take(&ids, place, key, flags);
}

static const struct owner *owner_of(const struct shared *s)
{
  return &ids.id[s->place].owner;
}

static long attach(int id, uintptr_t at, int flags, uintptr_t pc)
{
  struct shared *s = segment_of(id);
  if (!s)
    return -EINVAL;
  if (at % PAGE && !(flags & SHM_RND))
    return -EINVAL;
  bool reads = flags & SHM_RDONLY;
  if (!owner_permits(owner_of(s), reads ? MAY_READ : MAY_READ | MAY_WRITE))
    return -EACCES;
  long protection = PROT_READ | (reads ? 0 : PROT_WRITE) | (flags & SHM_EXEC ? PROT_EXEC : 0);
  struct call map = {.number = SYS_mmap,
                     .arg = {(long)(at & ~(uintptr_t)(PAGE - 1)), (long)s->size, protection,
                             MAP_SHARED | (at ? flags & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE : 0), reach(s), 0},
                     .pc = pc};
  long result = -EINVAL;
  mapping_call(&map, &result);
  if (result == -EEXIST)
    return -EINVAL;
  s->attached = now();
  s->last = VIRTUAL_PID;
  return result;
}

static long detach(uintptr_t at, uintptr_t pc)
{
  int i = attachment_at(at);
  struct shared *s = i < 0 ? NULL : &segments[attached[i].segment];
  if (!s || s->place < 0)
    return -EINVAL;
  s->detached = now();
  s->last = VIRTUAL_PID;
  struct call unmap = {.number = SYS_munmap, .arg = {(long)at, (long)attached[i].size}, .pc = pc};
  long result = 0;
  mapping_call(&unmap, &result);
  return result;
}

static long tell(const struct shared *s, struct shmid_ds *out, uintptr_t pc)
{
  writes_for(out, sizeof *out, pc);
  *out = (struct shmid_ds){.shm_perm = sysv_permissions(&ids.id[s->place]),
                           .shm_segsz = s->size,
                           .shm_atime = s->attached,
                           .shm_dtime = s->detached,
                           .shm_ctime = s->changed,
                           .shm_cpid = VIRTUAL_PID,
                           .shm_lpid = s->last,
                           .shm_nattch = s->mapped};
  out->shm_perm.mode |= s->doomed ? SHM_DEST : 0;
  return 0;
}

static long discard(struct shared *s)
{
  struct sysv_id *id = &ids.id[s->place];
  if (!is_owner(&id->owner) && !is_owner(&id->creator))
    return -EPERM;
  id->key = IPC_PRIVATE; /* by its id it is still found, as Linux has it */
  s->doomed = true;
  forget_if_unused(s);
  return 0;
}

static long control(int id, int command, struct shmid_ds *about, uintptr_t pc)
{
  struct shared *s = segment_of(id);
  if (!s)
    return -EINVAL;
  switch (command) {
  case IPC_STAT:
    return owner_permits(owner_of(s), MAY_READ) ? tell(s, about, pc) : -EACCES;
  case IPC_SET:
    reads_for(about, sizeof *about, pc);
    s->changed = now();
    return sysv_set_owner(&ids.id[s->place], &about->shm_perm);
  case IPC_RMID:
    return discard(s);
  case SHM_LOCK:
  case SHM_UNLOCK:
    return 0;
  default:
    return -EINVAL;
  }
}

long sysv_segment_call(const struct call *c)
{
  const long *a = c->arg;
  bool looks = c->number == SYS_shmctl && a[1] == IPC_STAT;
  step_on_system(c->number, looks ? SYSTEM_MESSAGES : 0, looks ? 0 : SYSTEM_MESSAGES, c->pc);
  switch (c->number) {
  case SYS_shmget:
    return get((int)a[0], (size_t)a[1], (int)a[2]);
  case SYS_shmat:
    return attach((int)a[0], (uintptr_t)a[1], (int)a[2], c->pc);
  case SYS_shmdt:
    return detach((uintptr_t)a[0], c->pc);
  default:
    return control((int)a[0], (int)a[1], (struct shmid_ds *)a[2], c->pc);
  }
}

/* ---- POSIX ---- */

static struct shared *find(const char *name)
{
  for (struct shared *s = segments; any && s < segments + SEGMENTS; s++)
    if (s->used && s->place < 0 && !s->doomed && !text_compare(s->name, name))
      return s;
  return NULL;
}

/* As libc has it: slashes before the name are nothing, and there is none in it. */
static const char *plain_name(const char *name)
{
  while (*name == '/')
    name++;
  return name;
}

static long check_name(const char *name)
{
  for (const char *c = name; *c; c++)
    if (*c == '/')
      return -EINVAL;
  return !*name ? -EINVAL : text_length(name) > NAME_MAX ? -ENAMETOOLONG : 0;
}

static unsigned access_of(int flags)
{
  return (flags & O_ACCMODE) == O_RDONLY ? MAY_READ : MAY_READ | MAY_WRITE;
}

static struct shared *make(const char *name, unsigned mode)
{
  struct shared *s = new_segment();
  if (!s)
    return NULL;
  s->owner = owner_new(mode, true);
  sys(SYS_fchmod, s->fd, s->owner.mode);
  print_text(s->name, sizeof s->name, "%s", name);
  return s;
}

/* A description of its own, with the flags that the program wants. */
static long open_again(const struct shared *s, int flags)
{
  char path[40];
  int reached = reach(s);
  print_text(path, sizeof path, "/proc/self/fd/%d", reached);
  int kept = flags & (O_ACCMODE | O_TRUNC | O_APPEND | O_NONBLOCK);
  struct stat now;
  bool known = sys(SYS_fstat, reached, &now) == 0;
  sys(SYS_fchmod, reached, 0700); /* who makes it may open it, whatever its mode */
  long fd = descriptor_opened(sys(SYS_open, path, kept | O_CLOEXEC, 0));
  if (known)
    sys(SYS_fchmod, reached, now.st_mode & 07777);
  return fd;
}

static long open_segment(const char *whole, int flags, unsigned mode, uintptr_t pc)
{
  const char *name = plain_name(whole);
  step_on_system(SYS_open, 0, SYSTEM_MESSAGES | SYSTEM_DESCRIPTORS, pc);
  long error = check_name(name);
  struct shared *s = error ? NULL : find(name);
  if (error)
    return error;
  if (s && flags & O_CREAT && flags & O_EXCL)
    return -EEXIST;
  if (!s && !(flags & O_CREAT))
    return -ENOENT;
  if (s && !owner_permits(&s->owner, access_of(flags)))
    return -EACCES;
  s = s ? s : make(name, mode);
  unsigned i = 0;
  while (i < ATTACHED && opened[i].segment && descriptor_is_controlled(opened[i].fd))
    i++;
  if (!s || i == ATTACHED)
    return -EMFILE;
  long fd = open_again(s, flags);
  if (fd < 0)
    return fd;
  opened[i].fd = (int)fd;
  opened[i].segment = (uint16_t)(s - segments + 1);
  return fd;
}

static long unlink_segment(const char *whole, uintptr_t pc)
{
  const char *name = plain_name(whole);
  step_on_system(SYS_unlink, 0, SYSTEM_MESSAGES, pc);
  long error = check_name(name);
  struct shared *s = error ? NULL : find(name);
  if (!s)
    return error ? error : -ENOENT;
  if (!is_owner(&s->owner))
    return -EACCES;
  s->doomed = true;
  return 0;
}

/* ---- libc's functions ---- */

static long answer(long result)
{
  if (result >= 0 || result < -4095)
    return result;
  errno = (int)-result;
  return -1;
}

static long make_call(long number, long a, long b, long c, uintptr_t pc)
{
  struct call call = {.number = number, .arg = {a, b, c}, .pc = pc};
  return answer(sysv_segment_call(&call));
}

EXPORT int shmget(key_t key, size_t size, int flags)
{
  return SYSV_IS_MODELLED ? (int)make_call(SYS_shmget, key, (long)size, flags, CALLER())
                          : REAL(shmget)(key, size, flags);
}

EXPORT void *shmat(int id, const void *at, int flags)
{
  return SYSV_IS_MODELLED ? (void *)make_call(SYS_shmat, id, (long)at, flags, CALLER()) : REAL(shmat)(id, at, flags);
}

EXPORT int shmdt(const void *at)
{
  return SYSV_IS_MODELLED ? (int)make_call(SYS_shmdt, (long)at, 0, 0, CALLER()) : REAL(shmdt)(at);
}

EXPORT int shmctl(int id, int command, struct shmid_ds *about)
{
  return SYSV_IS_MODELLED ? (int)make_call(SYS_shmctl, id, command, (long)about, CALLER())
                          : REAL(shmctl)(id, command, about);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
  return SYSV_IS_MODELLED ? (int)answer(open_segment(name, flags, mode, CALLER())) : REAL(shm_open)(name, flags, mode);
}

EXPORT int shm_unlink(const char *name)
{
  return SYSV_IS_MODELLED ? (int)answer(unlink_segment(name, CALLER())) : REAL(shm_unlink)(name);
}
