/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors come and go: open, pipe, dup, close and their like. What is done with them while they are open is
 * elsewhere (descriptor_calls.h).
 */
#include "core/rng.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_path.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

/* Bytes that look random and are the same in every execution, behind a descriptor. */
static long open_random(void)
{
  lose(LOST_CHANCE);
  long fd = sys(SYS_memfd_create, "random", 0L);
  uint64_t block[512];
  for (int i = 0; i < 512; i++)
    block[i] = rng_next(&rt.random);
  for (int i = 0; i < 16; i++)
    sys(SYS_write, fd, block, sizeof block);
  sys(SYS_lseek, fd, 0L, 0L);
  return fd;
}

static bool begins(const char *text, const char *with)
{
  while (*with && *text == *with)
    text++, with++;
  return !*with;
}

static const char *path_of(const struct call *c)
{
  return (const char *)c->arg[c->number == SYS_openat || c->number == SYS_openat2];
}

static long flags_of(const struct call *c)
{
  bool at = c->number == SYS_openat;
  return c->number == SYS_creat     ? O_WRONLY | O_CREAT | O_TRUNC
         : c->number == SYS_openat2 ? (long)*(const uint64_t *)c->arg[2] /* the first field of struct open_how */
                                    : c->arg[at + 1];
}

/* Opening one changes nothing that stays behind; what is written to it goes to whoever has it. */
static bool is_device(const struct call *c)
{
  struct stat s;
  long folder = c->number == SYS_openat || c->number == SYS_openat2 ? c->arg[0] : AT_FDCWD;
  return sys(SYS_newfstatat, folder, path_of(c), &s, 0L) == 0 && S_ISCHR(s.st_mode);
}

/* What is really there. */
static long open_real(const struct call *c)
{
  const char *path = path_of(c);
  long flags = flags_of(c);
  bool null = !text_compare(path, "/dev/null");
  bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (writes && in_place() && !null && !is_device(c))
    change_reset(RESET_FORK, c->pc, "the program writes files (opens %s); they stay behind", path);
  if (begins(path, "/proc/") || begins(path, "/sys/"))
    lose(LOST_MACHINE);
  if (writes && !null)
    be_alone();
  long fifo = open_fifo(c, flags);
  if (fifo != UNKNOWN)
    return descriptor_opened(fifo);
  if (writes && !null && !rt.control->config.put_back)
    lose(LOST_FILES);
  return descriptor_opened(perform(c));
}

/* A descriptor of the program's own by its name in /dev or /proc, where the kernel has nothing or something else behind
 * it. The kernel opens what it is of once more; as a copy it only shares what F_SETFL changes. */
static long open_again(const struct call *c, long fd)
{
  const struct description *d = description_of(fd);
  long flags = flags_of(c), mode = d ? d->flags & O_ACCMODE : fd ? O_WRONLY : O_RDONLY;
  if (is_modelled(d) && d->kind != CHANNEL_PIPE)
    return -ENXIO;
  if (is_modelled(d) && mode != O_RDWR && (flags & O_ACCMODE) != mode)
    fail(c->pc, "the program opens the other end of a pipe (%s); heddle cannot control that", path_of(c));
  return duplicate((int)fd, 0, flags & O_CLOEXEC, c->pc);
}

static bool opened; /* in this execution */

bool files_opened(void)
{
  return opened;
}

void files_opened_reset(void)
{
  opened = false;
}

long open_call(const struct call *c)
{
  opened = true;
  const char *path = path_of(c);
  struct call really = *c;
  if ((uintptr_t)path < 4096)
    return -EFAULT;
  if (!text_compare(path, "/dev/urandom") || !text_compare(path, "/dev/random"))
    return descriptor_opened(open_random());
  long again = descriptor_in_path(path);
  if (again >= 0 && (descriptor_is_modelled(again) || descriptor_is_standard(again)))
    return open_again(c, again);
  long fd = overlay_is_on() ? overlay_open(&really) : UNKNOWN;
  if (fd != UNKNOWN)
    return fd;
  fd = open_real(&really);
  if (fd >= 0 && files_are_watched() && !(flags_of(c) & O_PATH))
    notice_descriptor(fd, IN_OPEN);
  return fd;
}

long make_descriptor_call(const struct call *c)
{
  return descriptor_opened(perform(c));
}

/* Of sockets that are the kernel's. */
long pair_call(const struct call *c)
{
  int *made = (int *)c->arg[3];
  long result = perform(c);
  for (int i = 0; i < 2 && result == 0; i++)
    made[i] = (int)descriptor_opened(made[i]);
  return result;
}

long dup_call(const struct call *c)
{
  bool replaces = c->number != SYS_dup;
  long result =
      replaces ? duplicate_to((int)c->arg[0], (int)c->arg[1], c->number == SYS_dup3 && c->arg[2] & O_CLOEXEC, c->pc)
               : duplicate((int)c->arg[0], 0, false, c->pc);
  kernel_state_changed();
  return result;
}

static bool somebody_waits(long fd)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    if (t == e->current || !e->thread[t].alive || rt.thread[t].process != hd_own.process ||
        (op->kind != OP_FD_WAIT && op->kind != OP_FD_TIMEDWAIT))
      continue;
    const struct fd_wait *w = (const struct fd_wait *)op->arg;
    for (size_t i = 0; w->kind == WAIT_SET && i < w->count; i++)
      if (w->set[i].fd == (int)fd)
        return true;
  }
  return false;
}

long close_call(const struct call *c)
{
  long fd = (int)c->arg[0];
  if (descriptor_is_standard(fd))
    return standard_close(fd);
  if (descriptor_is_held(fd))
    return -EBADF;
  if (!descriptor_is_controlled(fd)) {
    if (in_place() && sys(SYS_fcntl, fd, F_GETFD) >= 0)
      change_reset(RESET_FORK, place_in_program(0), "the program closes a descriptor it was started with");
    descriptor_inherited_closed(fd);
    return perform(c);
  }
  if (somebody_waits(fd))
    lose(LOST_CALLS); /* whether it is in the call already decides what becomes of it */
  fifo_closed(fd);
  notice_closing(fd);
  records_unlocked(fd);
  queue_descriptor_closed(fd);
  descriptor_released(fd);
  descriptor_closed(fd);
  pending_refresh();
  return perform(c);
}
