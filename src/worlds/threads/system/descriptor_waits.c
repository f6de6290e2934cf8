/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for descriptors. No call of the program ever waits in the kernel: a thread that would, waits for its turn
 * until the kernel says that the descriptor is ready, or, for locks of files and the opening of FIFOs, until our model
 * says so. All ends being in the program, that is as deterministic as the schedule (outside.c where they are
 * not). What a descriptor of the kernel's is ready for only its own process can ask: to others it may be, as soon as
 * any call was made since it was not, and its thread looks again when it has the turn. */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/polled.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/system/client.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/outside.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define FIFOS 64
#define LOCKS 256
#define AWAY_FROM 900 /* numbers that programs hardly come to */

struct fifo {
  uint64_t device, file;
  uint32_t readers, writers; /* descriptors, and those about to be */
  uint32_t writers_ever;
  struct vclock opened; /* what all knew who opened it */
};

struct lock {
  uint64_t device, file;
  uint32_t description; /* whose it is: of which open file description, or, of records, of which process */
  bool exclusive;
  bool record;      /* by fcntl(), of a part of the file; flock() knows nothing of it */
  int64_t from, to; /* bytes */
};

static struct {
  struct fifo fifo[FIFOS];
  unsigned fifos;
  struct lock lock[LOCKS];
  unsigned locks;
  struct vclock unlocked; /* what all knew who gave a lock back */
  struct fd_wait wait[MAX_THREADS];
} state SYSTEM;

void descriptor_waits_reset(void)
{
  state.fifos = state.locks = 0;
  vclock_clear(&state.unlocked);
}

/* ---- ready or not ---- */

long look_at_set(struct pollfd *set, size_t count, unsigned thread)
{
  long ready = 0;
  for (size_t i = 0; i < count; i++) {
    const struct polled m = {set[i].fd, set[i].events};
    set[i].revents = 0;
    if (m.fd < 0)
      continue;
    if (descriptor_is_modelled(m.fd) || descriptor_is_free(m.fd))
      set[i].revents = (short)polled_events(&m, thread);
    else
      sys(SYS_poll, &set[i], 1L, 0L);
    ready += set[i].revents != 0;
  }
  return ready;
}

static bool any_ready(const struct pollfd *set, size_t count, unsigned thread)
{
  for (size_t i = 0; i < count; i++) {
    struct pollfd one = set[i];
    if (look_at_set(&one, 1, thread))
      return true;
  }
  return false;
}

static bool is_elsewhere(unsigned thread)
{
  return rt.thread[thread].process != hd_own.process;
}

static bool may_be_ready_elsewhere(const struct fd_wait *w, unsigned thread)
{
  bool ready = w->in_vain != kernel_state() && w->kernels;
  if (w->count > SEEN_BY_OTHERS)
    fail(0, "the program has several processes, and one waits for more than %d descriptors at once", SEEN_BY_OTHERS);
  numbers_of(rt.thread[thread].process);
  for (size_t i = 0; i < w->count && !ready; i++) {
    const struct polled m = {w->seen_by_others[i].fd, w->seen_by_others[i].events};
    ready = m.fd >= 0 && descriptor_is_modelled(m.fd) && polled_events(&m, thread);
  }
  numbers_of_own();
  return ready;
}

static bool conflicts(const struct lock *l, const struct fd_wait *w)
{
  return l->device == w->device && l->file == w->file && l->description != w->description && l->record == w->record &&
         l->from < w->to && w->from < l->to && (l->exclusive || w->exclusive);
}

static bool locked_by_others(const struct fd_wait *w)
{
  for (unsigned i = 0; i < state.locks; i++)
    if (conflicts(&state.lock[i], w))
      return true;
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
    if (is_elsewhere(thread))
      return !w->later && may_be_ready_elsewhere(w, thread);
    return !w->later && w->in_vain != kernel_state() &&
           (any_ready(w->set, w->count, thread) || (w->by_flags && sys(SYS_fcntl, w->set[0].fd, F_GETFL) & O_NONBLOCK));
  }
}

/* What other processes must know of it, also those that come while it waits. */
static void tell_others(struct fd_wait *w)
{
  if (w->kind != WAIT_SET)
    return;
  w->outside = rt.engine->processes == 1; /* who knows */
  for (size_t i = 0; i < w->count; i++) {
    if (i < SEEN_BY_OTHERS)
      w->seen_by_others[i] = w->set[i];
    w->kernels |= w->set[i].fd >= 0 && !descriptor_is_modelled(w->set[i].fd);
    w->outside = w->outside || fd_is_outside(w->set[i].fd);
  }
}

/* Others let it go on, but there was nothing. */
static bool was_in_vain(struct fd_wait *w, const struct operation *op)
{
  bool vain = rt.engine->processes > 1 && op->kind == OP_FD_WAIT && w->kind == WAIT_SET && w->kernels &&
              !self_thread()->interrupted && !cancel_wanted_in_call(self_index()) && !fd_ready(self_index(), op);
  if (vain)
    w->in_vain = kernel_state();
  return vain;
}

/* 0, or -EINTR. */
static long wait_for(const struct fd_wait *what, enum op_kind kind, long fd, uint32_t in_set, uintptr_t pc)
{
  struct fd_wait *w = &state.wait[self_index()];
  struct operation op = {.kind = kind, .addr = (uintptr_t)fd, .length = in_set, .arg = (uintptr_t)w, .pc = pc};
  *w = *what;
  tell_others(w);
  check_cancel_in_call(pc);
  client_settle(&op);
  do
    step(&op); /* also when it does not wait at all: it may do so in a loop */
  while (was_in_vain(w, &op));
  check_cancel_in_call(pc);
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  return performed(interrupted ? -EINTR : 0);
}

void look_at_fd(long fd, short events, uintptr_t pc)
{
  struct pollfd one = {.fd = (int)fd, .events = events};
  struct fd_wait w = {.set = &one, .count = 1};
  wait_for(&w, OP_FD_TIMEDWAIT, fd, 0, pc);
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

/* All of it is ours, so that nobody else can make it ready. */
static bool is_inside(const struct pollfd *set, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (set[i].fd >= 0 && !descriptor_is_inside(set[i].fd) && !descriptor_is_free(set[i].fd))
      return false;
  return count;
}

/* It came to its end and nothing was there: nothing will come of it if only the outside could bring it. */
void end_if_in_vain(struct fd_wait *w)
{
  const struct operation op = {.kind = OP_FD_TIMEDWAIT, .arg = (uintptr_t)w};
  if (!fd_ready(self_index(), &op) && outside_in_vain(&op) && !outside_goes_on(self_index(), false))
    execution_end();
}

long wait_for_any(struct pollfd *set, size_t count, int64_t timeout, uintptr_t pc, int64_t *deadline)
{
  for (size_t i = 0; i < count; i++)
    if (is_queue_descriptor(set[i].fd))
      fail(pc, "the program waits for a message queue by poll() or the like; heddle does not control that, but it does "
               "mq_receive(), mq_timedreceive() and mq_notify()");
  struct fd_wait w = {.set = set, .count = count};
  *deadline = timeout < 0 ? -1 : (int64_t)rt.now + timeout;
  if (timeout > 0)
    ends_at(*deadline);
  long result = is_inside(set, count)
                    ? step_on_set(timeout < 0 ? OP_CHANNEL_POLL : OP_CHANNEL_TIMEDPOLL, set, count, pc)
                    : wait_for(&w, timeout < 0 ? OP_FD_WAIT : OP_FD_TIMEDWAIT, count ? set[0].fd : -1,
                               count ? (uint32_t)count : 1, pc);
  if (timeout > 0 && !result)
    end_if_in_vain(&w);
  return result;
}

/* ---- FIFOs of the kernel's (--files real, --client) ---- */

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

/* To others its number is free until it is the program's. The kernel has it taken by then: they get another. */
static long out_of_the_way(long fd, long flags)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && rt.thread[t].process == hd_own.process && rt.engine->thread[t].alive)
      lose(LOST_CALLS);
  long moved = sys(SYS_fcntl, fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, AWAY_FROM);
  if (moved < 0)
    return fd;
  sys(SYS_close, fd);
  return moved;
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
  bool waits = !(flags & O_NONBLOCK), reads = (flags & O_ACCMODE) == O_RDONLY, writes = (flags & O_ACCMODE) == O_WRONLY;
  long interrupted = 0;
  if (waits && writes) {
    w.kind = WAIT_READER;
    interrupted = wait_for(&w, OP_FD_WAIT, -1, 0, c->pc);
  }
  long fd = interrupted ? interrupted : perform(&open);
  if (fd < 0)
    return fd;
  count_fifo(f, flags, 1);
  release_to(&f->opened);
  engine_touch(rt.engine);
  if (waits)
    sys(SYS_fcntl, fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC));
  if (waits && reads) {
    w.kind = WAIT_WRITER;
    fd = out_of_the_way(fd, flags);
    interrupted = wait_for(&w, OP_FD_WAIT, fd, 0, c->pc);
  }
  if (!interrupted && waits)
    acquire_from(&f->opened);
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

/* ---- locks of files ---- */

#define WHOLE 0, INT64_MAX

#define OF_PROCESS UINT32_C(0x80000000) /* + its number: the owner of a lock by F_SETLK */

/* Takes that part from the locks of the owner, of all files (0) or one; what is left of them stays. */
static void give_back(uint64_t file, uint32_t description, bool record, int64_t from, int64_t to)
{
  bool any = false;
  for (unsigned i = 0; i < state.locks; i++) {
    struct lock before = state.lock[i], behind = before;
    if ((file && before.file != file) || before.description != description || before.record != record ||
        before.to <= from || to <= before.from)
      continue;
    any = true;
    before.to = from;
    behind.from = to;
    state.lock[i--] = state.lock[--state.locks];
    if (before.from < before.to)
      state.lock[state.locks++] = before;
    if (behind.from < behind.to)
      state.lock[state.locks++] = behind;
  }
  if (!any)
    return;
  release_to(&state.unlocked);
  engine_touch(rt.engine);
}

void file_unlocked(uint32_t description)
{
  give_back(0, description, false, WHOLE);
  give_back(0, description, true, WHOLE);
}

void records_unlocked(long fd)
{
  struct stat s;
  if (state.locks && !overlay_fstat(fd, &s))
    give_back(s.st_ino, OF_PROCESS + hd_own.process, true, WHOLE);
}

static void take(const struct fd_wait *w)
{
  give_back(w->file, w->description, w->record, w->from, w->to); /* it may have had another kind */
  acquire_from(&state.unlocked);
  state.lock[state.locks++] =
      (struct lock){w->device, w->file, w->description, w->exclusive, w->record, w->from, w->to};
  engine_touch(rt.engine);
}

/* What a lock on the descriptor's file is about; false: the model does not know it. */
static bool describe(long fd, struct stat *s, struct fd_wait *w)
{
  w->kind = WAIT_LOCK;
  w->description = descriptor_description(fd);
  if (overlay_fstat(fd, s) || !w->description || state.locks + 3 > LOCKS) /* a part in the middle leaves two */
    return false;
  w->device = s->st_dev;
  w->file = s->st_ino;
  return true;
}

/* flock: by open file description, so between threads too. */
long lock_file(const struct call *c)
{
  struct stat s;
  long how = c->arg[1] & ~LOCK_NB;
  struct fd_wait w = {.exclusive = how == LOCK_EX, .to = INT64_MAX};
  if (!describe(c->arg[0], &s, &w))
    return perform(c);
  if (how == LOCK_UN) {
    give_back(0, w.description, false, WHOLE);
    return 0;
  }
  long interrupted = wait_for(&w, c->arg[1] & LOCK_NB ? OP_FD_TIMEDWAIT : OP_FD_WAIT, c->arg[0], 0, c->pc);
  long result = interrupted ? interrupted : locked_by_others(&w) ? -EAGAIN : 0;
  if (result == 0)
    take(&w);
  return result;
}

static void set_part(const struct flock *lock, long fd, const struct stat *s, struct fd_wait *w)
{
  int64_t at = lock->l_start;
  if (lock->l_whence == SEEK_CUR)
    at += sys(SYS_lseek, fd, 0L, SEEK_CUR);
  else if (lock->l_whence == SEEK_END)
    at += s->st_size;
  w->from = lock->l_len < 0 ? at + lock->l_len : at;
  w->to = lock->l_len > 0 ? at + lock->l_len : lock->l_len < 0 ? at : INT64_MAX;
}

/* Whether a process waits for a record that this one has, perhaps by way of others. */
static bool waits_for_own(const struct fd_wait *w, unsigned depth)
{
  for (unsigned i = 0; i < state.locks && depth; i++) {
    const struct lock *l = &state.lock[i];
    if (l->description < OF_PROCESS || !conflicts(l, w))
      continue;
    if (l->description == OF_PROCESS + hd_own.process)
      return true;
    for (unsigned t = 0; t < rt.engine->threads; t++) {
      const struct operation *op = &rt.engine->thread[t].pending;
      const struct fd_wait *next = &state.wait[t];
      if (OF_PROCESS + rt.thread[t].process == l->description && rt.engine->thread[t].alive && op->kind == OP_FD_WAIT &&
          op->arg == (uintptr_t)next && next->kind == WAIT_LOCK && next->description == l->description &&
          waits_for_own(next, depth - 1))
        return true;
    }
  }
  return false;
}

/* fcntl: of parts of a file, by open file description or by process. The kernel has the locks as well, and says what is
 * wrong with the call. */
long lock_records(const struct call *c)
{
  struct stat s;
  struct call now = *c;
  const struct flock *lock = (const struct flock *)c->arg[2];
  bool of_process = c->arg[1] == F_SETLK || c->arg[1] == F_SETLKW;
  bool waits = (c->arg[1] == F_OFD_SETLKW || c->arg[1] == F_SETLKW) && lock->l_type != F_UNLCK;
  struct fd_wait w = {.exclusive = lock->l_type == F_WRLCK, .record = true};
  bool known = describe(c->arg[0], &s, &w);
  if (of_process)
    w.description = OF_PROCESS + hd_own.process;
  if (known)
    set_part(lock, c->arg[0], &s, &w);
  if (known && waits && of_process && waits_for_own(&w, PROCESSES))
    return -EDEADLK;
  long result = known && waits ? wait_for(&w, OP_FD_WAIT, c->arg[0], 0, c->pc) : 0;
  if (result)
    return result;
  now.arg[1] = of_process ? F_SETLK : F_OFD_SETLK;
  while ((result = perform(&now)) == -EAGAIN && waits) {
    virtual_yield(c->pc);
    check_cancel_in_call(c->pc);
  }
  if (result || !known)
    return result;
  if (lock->l_type == F_UNLCK)
    give_back(w.file, w.description, true, w.from, w.to);
  else
    take(&w);
  return 0;
}
