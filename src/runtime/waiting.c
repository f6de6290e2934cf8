/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for descriptors. No call of the program ever waits in the kernel: a thread that would, waits for its turn until
 * the kernel says that the descriptor is ready, or, for locks of files and the opening of FIFOs, until our model says so.
 * All ends being in this process, that is as deterministic as the schedule (outside.c where they are not).
 */
#include "runtime/client.h"
#include "runtime/descriptors.h"
#include "runtime/outside.h"
#include "runtime/util.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define FIFOS 64
#define LOCKS 256
#define POLLED (1u << 16)

struct fifo {
  uint64_t device, file;
  uint32_t readers, writers; /* descriptors, and those about to be */
  uint32_t writers_ever;
};

struct lock {
  uint64_t device, file;
  uint32_t description;
  bool exclusive;
};

static struct {
  struct fifo fifo[FIFOS];
  unsigned fifos;
  struct lock lock[LOCKS];
  unsigned locks;
  struct vclock unlocked; /* what all knew who gave a lock back */
} state;

void waiting_reset(void)
{
  state.fifos = state.locks = 0;
  vclock_clear(&state.unlocked);
}

/* ---- ready or not ---- */

static bool any_ready(const struct pollfd *set, size_t count)
{
  static struct pollfd *copy;
  if (!copy)
    copy = private_memory(POLLED * sizeof *copy);
  if (count > POLLED)
    count = POLLED;
  copy_bytes(copy, set, count * sizeof *copy);
  return sys(SYS_poll, copy, count, 0L) != 0;
}

static bool locked_by_others(const struct fd_wait *w)
{
  for (unsigned i = 0; i < state.locks; i++) {
    const struct lock *l = &state.lock[i];
    if (l->device == w->device && l->file == w->file && l->description != w->description &&
        (l->exclusive || w->exclusive))
      return true;
  }
  return false;
}

bool fd_ready(unsigned thread, const struct operation *op)
{
  const struct fd_wait *w = (const struct fd_wait *)op->arg;
  switch (w->kind) {
  case WAIT_LOCK:
    return !locked_by_others(w);
  case WAIT_WRITER:
    return w->fifo->writers || w->fifo->writers_ever != w->seen;
  case WAIT_READER:
    return w->fifo->readers;
  default:
    descriptors_settle(thread);
    return !w->later && w->in_vain != kernel_state() && (any_ready(w->set, w->count) || (w->by_flags && sys(SYS_fcntl, w->set[0].fd, F_GETFL) & O_NONBLOCK));
  }
}

/* 0, or -EINTR. */
static long wait_for(struct fd_wait *w, enum op_kind kind, long fd, uint32_t in_set, uintptr_t pc)
{
  struct operation op = {
      .kind = kind, .addr = (uintptr_t)fd, .length = in_set, .arg = (uintptr_t)w, .pc = pc};
  check_cancel(pc);
  client_settle(&op);
  step(&op); /* also when it does not wait at all: it may do so in a loop */
  check_cancel(pc);
  descriptors_settle(self_index());
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  return performed(interrupted ? -EINTR : 0);
}

long wait_for_fd(long fd, short events, uint64_t in_vain, uintptr_t pc)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  if (flags < 0)
    return 0;
  struct pollfd one = {.fd = (int)fd, .events = events};
  struct fd_wait w = {.set = &one, .count = 1, .by_flags = true, .in_vain = in_vain};
  return wait_for(&w, flags & O_NONBLOCK ? OP_FD_TIMEDWAIT : OP_FD_WAIT, fd, 0, pc);
}

long wait_for_any(struct pollfd *set, size_t count, int64_t timeout, uintptr_t pc, int64_t *deadline)
{
  struct fd_wait w = {.set = set, .count = count};
  *deadline = timeout < 0 ? -1 : (int64_t)rt.now + timeout;
  long result = wait_for(&w, timeout < 0 ? OP_FD_WAIT : OP_FD_TIMEDWAIT, count ? set[0].fd : -1,
                         count ? (uint32_t)count : 1, pc);
  const struct operation *op = &hd_self->pending;
  if (timeout > 0 && !result && !fd_ready(self_index(), op) && outside_in_vain(op) &&
      !outside_goes_on(self_index(), false))
    execution_end();
  return result;
}

/* ---- FIFOs ---- */

static struct fifo *fifo_of(const struct stat *s)
{
  for (unsigned i = 0; i < state.fifos; i++)
    if (state.fifo[i].device == s->st_dev && state.fifo[i].file == s->st_ino)
      return &state.fifo[i];
  if (state.fifos == FIFOS)
    return NULL;
  state.fifo[state.fifos] = (struct fifo){.device = s->st_dev, .file = s->st_ino};
  return &state.fifo[state.fifos++];
}

static void count_fifo(struct fifo *f, long flags, int more)
{
  if ((flags & O_ACCMODE) != O_WRONLY)
    f->readers += (uint32_t)more;
  if ((flags & O_ACCMODE) != O_RDONLY) {
    f->writers += (uint32_t)more;
    f->writers_ever += more > 0;
  }
}

/* As the kernel does: who opens one end waits until somebody opens the other. */
long open_fifo(const struct call *c, long flags)
{
  bool at = c->number == SYS_openat;
  struct stat s;
  long found = at ? sys(SYS_newfstatat, c->arg[0], c->arg[1], &s, 0) : sys(SYS_stat, c->arg[0], &s);
  struct fifo *f = found || !S_ISFIFO(s.st_mode) ? NULL : fifo_of(&s);
  if (!f)
    return UNKNOWN;
  struct call open = *c;
  open.arg[at + 1] = flags | O_NONBLOCK;
  struct fd_wait w = {.fifo = f, .seen = f->writers_ever};
  bool waits = !(flags & O_NONBLOCK), reads = (flags & O_ACCMODE) == O_RDONLY,
       writes = (flags & O_ACCMODE) == O_WRONLY;
  long interrupted = 0;
  if (waits && writes) {
    w.kind = WAIT_READER;
    interrupted = wait_for(&w, OP_FD_WAIT, -1, 0, c->pc);
  }
  long fd = interrupted ? interrupted : perform(&open);
  if (fd < 0)
    return fd;
  count_fifo(f, flags, 1);
  engine_touch(rt.engine);
  if (waits)
    sys(SYS_fcntl, fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC));
  if (waits && reads) {
    w.kind = WAIT_WRITER;
    interrupted = wait_for(&w, OP_FD_WAIT, fd, 0, c->pc);
  }
  if (!interrupted)
    return fd;
  count_fifo(f, flags, -1);
  sys(SYS_close, fd);
  return interrupted;
}

void fifo_closed(long fd)
{
  struct stat s;
  if (!state.fifos || sys(SYS_fstat, fd, &s) || !S_ISFIFO(s.st_mode))
    return;
  for (unsigned i = 0; i < state.fifos; i++)
    if (state.fifo[i].device == s.st_dev && state.fifo[i].file == s.st_ino)
      count_fifo(&state.fifo[i], sys(SYS_fcntl, fd, F_GETFL), -1);
}

/* ---- flock ---- */

void file_unlocked(uint32_t description)
{
  unsigned before = state.locks;
  for (unsigned i = 0; i < state.locks; i++)
    if (state.lock[i].description == description)
      state.lock[i--] = state.lock[--state.locks];
  if (state.locks == before)
    return;
  release_to(&state.unlocked);
  engine_touch(rt.engine);
}

void file_lock_taken(void)
{
  acquire_from(&state.unlocked);
}

void file_lock_released(void)
{
  release_to(&state.unlocked);
}

/* flock: by open file description, so between threads too. */
long lock_file(const struct call *c)
{
  struct stat s;
  long how = c->arg[1] & ~LOCK_NB;
  uint32_t description = descriptor_description(c->arg[0]);
  if (sys(SYS_fstat, c->arg[0], &s) || !description || state.locks == LOCKS)
    return perform(c);
  struct fd_wait w = {.kind = WAIT_LOCK,
                      .device = s.st_dev,
                      .file = s.st_ino,
                      .description = description,
                      .exclusive = how == LOCK_EX};
  if (how == LOCK_UN) {
    file_unlocked(description);
    return 0;
  }
  long interrupted =
      wait_for(&w, c->arg[1] & LOCK_NB ? OP_FD_TIMEDWAIT : OP_FD_WAIT, c->arg[0], 0, c->pc);
  long result = interrupted ? interrupted : locked_by_others(&w) ? -EAGAIN : 0;
  if (result == 0) {
    file_unlocked(description); /* it may have had another kind */
    acquire_from(&state.unlocked);
    state.lock[state.locks++] = (struct lock){s.st_dev, s.st_ino, description, w.exclusive};
    engine_touch(rt.engine);
  }
  return result;
}
