/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX message queues: names, descriptors, attributes and who is told of a message. They exist within one execution
 * only; nothing of the machine's is touched. A descriptor has a number that the kernel gives to no other one.
 */
#include "worlds/threads/model/posix_queues.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/message_queue.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/notification.h"
#include "worlds/threads/system/permission.h"
#include "worlds/threads/system/timers.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define DESCRIPTORS 256
#define PRIORITIES 32768
#define LIMIT_MOST 10 /* the kernel's own, for those without privileges */
#define LIMIT_SIZE 8192
#define HARD_MOST 65536
#define HARD_SIZE (16 << 20)
#define ANY_ROOM (UINT64_MAX / 2)

static struct posix_queue {
  struct queue *queue; /* NULL: none */
  bool unlinked;
  uint32_t opened; /* how often */
  uint32_t most, size;
  struct owner owner;
  bool tells; /* the process, by notify, of the next message */
  struct notice notify;
} known[QUEUES] SYSTEM;

static struct descriptor {
  int fd;
  int flags; /* of open() */
  uint32_t size;
  struct posix_queue *of;
  struct queue *queue; /* known even when it is closed */
  uint64_t open;       /* in these processes, which have the same number for it */
  uint64_t was_open;
  struct threadset users; /* threads that were in a call with it */
} descriptors[DESCRIPTORS] SYSTEM;
static uint32_t descriptors_made SYSTEM;
static int used_by[MAX_THREADS] SYSTEM; /* which descriptor a thread is in a call with, + 1 */
static char names SYSTEM;               /* stands for all of them, in steps */

void posix_queues_reset(void)
{
  if (!descriptors_made)
    return;
  fill_bytes(known, 0, sizeof known);
  fill_bytes(used_by, 0, sizeof used_by);
  descriptors_made = 0;
}

/* ---- descriptors: the only place that knows where their numbers come from ---- */

static int take_number(bool cloexec)
{
  return (int)descriptor_opened(sys(SYS_eventfd2, 0, cloexec ? O_CLOEXEC : 0));
}

static void give_number_back(int fd)
{
  descriptor_closed(fd);
  sys(SYS_close, fd);
}

static uint64_t in_process(unsigned process)
{
  return UINT64_C(1) << process;
}

static bool is_open(const struct descriptor *d)
{
  return d->open & in_process(hd_own.process);
}

/* One that was closed, too: whether it is open is known at a step on its queue. */
static struct descriptor *descriptor_of(long fd)
{
  for (uint32_t i = 0; i < descriptors_made; i++)
    if (is_open(&descriptors[i]) && descriptors[i].fd == (int)fd)
      return &descriptors[i];
  for (uint32_t i = descriptors_made; i-- > 0;)
    if (descriptors[i].was_open & in_process(hd_own.process) && descriptors[i].fd == (int)fd)
      return &descriptors[i];
  return NULL;
}

bool is_queue_descriptor(long fd)
{
  const struct descriptor *d = descriptors_made ? descriptor_of(fd) : NULL;
  return d && is_open(d);
}

static struct descriptor *new_descriptor(void)
{
  if (descriptors_made < DESCRIPTORS)
    return &descriptors[descriptors_made++];
  for (struct descriptor *d = descriptors; d < descriptors + DESCRIPTORS; d++)
    if (!d->open)
      return d;
  return NULL;
}

static bool may_read(const struct descriptor *d)
{
  return (d->flags & O_ACCMODE) != O_WRONLY;
}

static bool may_write(const struct descriptor *d)
{
  return (d->flags & O_ACCMODE) != O_RDONLY;
}

bool queue_wait_is_outside(const struct operation *op)
{
  if (op->kind != OP_QUEUE_SEND && op->kind != OP_QUEUE_RECEIVE)
    return false;
  bool posix = false;
  for (uint32_t i = 0; i < descriptors_made; i++) {
    const struct descriptor *d = &descriptors[i];
    if (!d->open || d->queue != queue_at(op->addr))
      continue;
    posix = true;
    if (op->kind == OP_QUEUE_SEND ? may_read(d) : may_write(d))
      return false;
  }
  return posix;
}

/* ---- names ---- */

static struct posix_queue *find(const char *name)
{
  for (struct posix_queue *p = known; p < known + QUEUES; p++)
    if (p->queue && !p->unlinked && !text_compare(p->queue->name + 1, name))
      return p;
  return NULL;
}

/* As the kernel has it: without the slash. */
static long check_name(const char *name)
{
  size_t length = text_length(name);
  if (length == 0)
    return -ENOENT;
  if (length > NAME_MAX)
    return -ENAMETOOLONG;
  for (const char *c = name; *c; c++)
    if (*c == '/')
      return -EACCES;
  return text_compare(name, ".") && text_compare(name, "..") ? 0 : -EACCES;
}

static void forget_if_unused(struct posix_queue *p)
{
  if (p->opened || !p->unlinked)
    return;
  queue_free(p->queue);
  p->queue = NULL;
}

/* The bytes that the kernel counts for it. */
static uint64_t cost_of(uint32_t most, uint32_t size)
{
  uint64_t nodes = most < PRIORITIES ? most : PRIORITIES;
  return (uint64_t)most * (48 + size) + nodes * 48;
}

static bool is_affordable(uint32_t most, uint32_t size)
{
  struct rlimit limit = {0};
  uint64_t cost = cost_of(most, size);
  sys(SYS_prlimit64, 0, RLIMIT_MSGQUEUE, NULL, &limit);
  for (const struct posix_queue *p = known; p < known + QUEUES; p++)
    cost += p->queue ? cost_of(p->most, p->size) : 0;
  return cost <= limit.rlim_cur;
}

static long make(const char *name, unsigned mode, const struct mq_attr *attr, struct posix_queue **out)
{
  bool privileged = sys(SYS_geteuid) == 0;
  long most = attr ? attr->mq_maxmsg : LIMIT_MOST, size = attr ? attr->mq_msgsize : LIMIT_SIZE;
  if (most <= 0 || size <= 0 || most > (privileged ? HARD_MOST : LIMIT_MOST) ||
      size > (privileged ? HARD_SIZE : LIMIT_SIZE))
    return -EINVAL;
  if (!is_affordable((uint32_t)most, (uint32_t)size))
    return -EMFILE;
  struct posix_queue *p = known;
  while (p < known + QUEUES && p->queue)
    p++;
  char shown[QUEUE_NAME + 1];
  print_text(shown, sizeof shown, "/%s", name);
  struct queue *q = p < known + QUEUES ? queue_new(shown, (uint32_t)most, ANY_ROOM) : NULL;
  if (!q)
    return -ENOSPC;
  q->sorted = true;
  *p = (struct posix_queue){.queue = q, .most = (uint32_t)most, .size = (uint32_t)size, .owner = owner_new(mode, true)};
  *out = p;
  return 0;
}

static unsigned access_of(int flags)
{
  int mode = flags & O_ACCMODE;
  return (mode != O_WRONLY ? MAY_READ : 0) | (mode != O_RDONLY ? MAY_WRITE : 0);
}

static long open_queue(const char *name, int flags, unsigned mode, const struct mq_attr *attr, uintptr_t pc)
{
  queue_step(OP_QUEUE_OPEN, &names, false, pc);
  long error = check_name(name);
  struct posix_queue *p = error ? NULL : find(name);
  if (error)
    return error;
  if (!p && !(flags & O_CREAT))
    return -ENOENT;
  if (p && flags & O_CREAT && flags & O_EXCL)
    return -EEXIST;
  if ((flags & O_ACCMODE) == O_ACCMODE)
    return -EINVAL;
  if (p && !owner_permits(&p->owner, access_of(flags)))
    return -EACCES;
  struct descriptor *d = new_descriptor();
  int fd = d ? take_number(flags & O_CLOEXEC) : -EMFILE;
  error = p || fd < 0 ? 0 : make(name, mode, attr, &p);
  if (error)
    give_number_back(fd);
  if (error || fd < 0)
    return error ? error : fd;
  *d = (struct descriptor){.fd = fd,
                           .size = p->size,
                           .flags = flags & (O_ACCMODE | O_NONBLOCK),
                           .of = p,
                           .queue = p->queue,
                           .open = in_process(hd_own.process),
                           .was_open = in_process(hd_own.process)};
  p->opened++;
  return fd;
}

static long unlink_queue(const char *name, uintptr_t pc)
{
  queue_step(OP_QUEUE_CHANGE, &names, false, pc);
  long error = check_name(name);
  struct posix_queue *p = error ? NULL : find(name);
  if (!p)
    return error ? error : -ENOENT;
  if (!is_owner(&p->owner))
    return -EACCES;
  p->unlinked = true;
  forget_if_unused(p);
  return 0;
}

/* What other processes do with theirs is their own affair. */
static bool is_other_thread(unsigned t)
{
  return t != self_index() && rt.thread[t].process == hd_own.process;
}

static bool is_shared(const struct descriptor *d)
{
  THREADSET_EACH(t, &d->users)
  {
    if (is_other_thread(t))
      return true;
  }
  return false;
}

static bool is_in_use(const struct descriptor *d)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_other_thread(t) && used_by[t] == 1 + (int)(d - descriptors))
      return true;
  return false;
}

/* In one process. Who wanted to be told there is not any more. */
static void close_in(struct descriptor *d, unsigned process)
{
  struct posix_queue *p = d->of;
  d->open &= ~in_process(process);
  if (p->tells && p->notify.process == process) {
    p->tells = false;
    queue_announce(p->queue, false);
  }
  p->opened--;
  forget_if_unused(p);
}

void queue_descriptor_closed(long fd)
{
  struct descriptor *d = descriptor_of(fd);
  if (!d || !is_open(d))
    return;
  if (is_in_use(d))
    lose(LOST_CALLS); /* whether it is in the call already decides what becomes of it */
  threadset_add(&d->users, self_index());
  close_in(d, hd_own.process);
}

void posix_queues_fork(unsigned process, unsigned copy)
{
  for (struct descriptor *d = descriptors; d < descriptors + descriptors_made; d++)
    if (d->open & in_process(process)) {
      d->open |= in_process(copy);
      d->was_open |= in_process(copy);
      d->of->opened++;
    }
}

void posix_queues_process_ended(unsigned process)
{
  for (struct descriptor *d = descriptors; d < descriptors + descriptors_made; d++)
    if (d->open & in_process(process))
      close_in(d, process);
}

static long close_queue(long fd, uintptr_t pc)
{
  struct descriptor *d = descriptor_of(fd);
  if (!d)
    return -EBADF;
  queue_step(OP_QUEUE_CHANGE, d->queue, is_shared(d) || (is_open(d) && d->of->tells), pc);
  queue_step(OP_QUEUE_CHANGE, &names, false, pc);
  if (!is_open(d))
    return -EBADF;
  queue_descriptor_closed(fd);
  give_number_back((int)fd);
  return 0;
}

/* ---- sending and receiving ---- */

static long wait_of(const struct descriptor *d, const struct timespec *until, uintptr_t pc, struct queue_wait *how)
{
  *how = (struct queue_wait){
      .try = d->flags & O_NONBLOCK, .restarts = true, .deadline = -1, .gone = is_open(d) ? 0 : EBADF, .pc = pc};
  if (!until)
    return 0;
  int64_t deadline = until->tv_sec < 0 ? -1 : deadline_of(CLOCK_REALTIME, until);
  how->deadline = how->try ? -1 : deadline;
  return deadline < 0 ? -EINVAL : 0;
}

/* Another one has closed it: whether that was before the call is anybody's guess, and not tried. */
static void enter_call(struct descriptor *d)
{
  used_by[self_index()] = 1 + (int)(d - descriptors);
  threadset_add(&d->users, self_index());
  if (!is_open(d) && is_shared(d))
    lose(LOST_CALLS);
}

static void tell(struct posix_queue *p)
{
  struct notice n = p->notify;
  p->tells = false;
  queue_announce(p->queue, false);
  notification_send(&n, SI_MESGQ);
  run_signals();
}

static long send_message(long fd, const char *data, size_t size, unsigned priority, const struct timespec *until,
                         uintptr_t pc)
{
  struct queue_wait how;
  reads_for(until, sizeof *until, pc);
  if (priority >= PRIORITIES)
    return -EINVAL;
  struct descriptor *d = descriptor_of(fd);
  long error = d ? wait_of(d, until, pc, &how) : 0;
  if (error)
    return error;
  if (!d || !may_write(d))
    return -EBADF;
  struct posix_queue *p = d->of;
  if (size > d->size)
    return -EMSGSIZE;
  reads_for(data, size, pc);
  enter_call(d);
  bool arrived;
  error = queue_send(d->queue, priority, data, size, &how, &arrived);
  used_by[self_index()] = 0;
  if (arrived && p->queue == d->queue && p->tells)
    tell(p);
  return -error;
}

static long receive_message(long fd, char *to, size_t room, unsigned *priority, const struct timespec *until,
                            uintptr_t pc)
{
  struct queue_wait how;
  reads_for(until, sizeof *until, pc);
  struct descriptor *d = descriptor_of(fd);
  long error = d ? wait_of(d, until, pc, &how) : 0;
  if (error)
    return error;
  if (!d || !may_read(d))
    return -EBADF;
  if (room < d->size)
    return -EMSGSIZE;
  int failed;
  enter_call(d);
  uint32_t m = queue_receive(d->queue, 0, false, SIZE_MAX, &how, &failed);
  used_by[self_index()] = 0;
  if (!m)
    return -failed;
  size_t size = message_size(m);
  writes_for(to, size, pc);
  message_copy(m, to, size);
  writes_for(priority, sizeof *priority, pc);
  if (priority)
    *priority = (unsigned)message_type(m);
  message_free(m);
  return (long)size;
}

/* ---- attributes, and being told ---- */

static long attributes(long fd, const struct mq_attr *to, struct mq_attr *old, uintptr_t pc)
{
  struct descriptor *d = descriptor_of(fd);
  reads_for(to, sizeof *to, pc);
  if (to && to->mq_flags & ~(long)O_NONBLOCK)
    return -EINVAL;
  if (!d)
    return -EBADF;
  bool changes = to && (to->mq_flags ^ d->flags) & O_NONBLOCK;
  queue_step(changes ? OP_QUEUE_CHANGE : OP_QUEUE_LOOK, d->queue, changes, pc);
  if (!is_open(d))
    return -EBADF;
  const struct mq_attr now = {.mq_flags = d->flags & O_NONBLOCK,
                              .mq_maxmsg = d->of->most,
                              .mq_msgsize = d->of->size,
                              .mq_curmsgs = d->of->queue->count};
  if (to)
    d->flags = (d->flags & ~O_NONBLOCK) | (int)to->mq_flags;
  writes_for(old, sizeof *old, pc);
  if (old)
    *old = now;
  return 0;
}

static long notify(long fd, const struct sigevent *event, uintptr_t pc)
{
  struct notice wanted;
  reads_for(event, sizeof *event, pc);
  if (!notification_wanted(event, &wanted))
    return -EINVAL;
  struct descriptor *d = descriptor_of(fd);
  if (!d)
    return -EBADF;
  struct posix_queue *p = d->of;
  struct operation op = {.kind = OP_QUEUE_CHANGE,
                         .object = object_at(d->queue, OBJECT_QUEUE, NULL)->id,
                         .addr = (uintptr_t)d->queue,
                         .traits = OP_FAR,
                         .pc = pc};
  step(&op);
  if (!is_open(d))
    return performed(-EBADF);
  if (event && p->tells)
    return performed(-EBUSY);
  if (!event && p->notify.process != hd_own.process) /* it is another one that is told */
    return performed(0);
  p->tells = event;
  p->notify = wanted;
  queue_announce(p->queue, event);
  if (wanted.how == SIGEV_THREAD)
    timers_need_clock(); /* which starts the thread, if another process sends the message */
  return performed(0);
}

/* ---- system calls ---- */

long posix_queue_call(const struct call *c)
{
  const long *a = c->arg;
  switch (c->number) {
  case SYS_mq_open:
    return open_queue((const char *)a[0], (int)a[1], (unsigned)a[2], (const struct mq_attr *)a[3], c->pc);
  case SYS_mq_unlink:
    return unlink_queue((const char *)a[0], c->pc);
  case SYS_mq_timedsend:
    return send_message(a[0], (const char *)a[1], (size_t)a[2], (unsigned)a[3], (const struct timespec *)a[4], c->pc);
  case SYS_mq_timedreceive:
    return receive_message(a[0], (char *)a[1], (size_t)a[2], (unsigned *)a[3], (const struct timespec *)a[4], c->pc);
  case SYS_mq_getsetattr:
    return attributes(a[0], (const struct mq_attr *)a[1], (struct mq_attr *)a[2], c->pc);
  default:
    if (a[1] && ((const struct sigevent *)a[1])->sigev_notify == SIGEV_THREAD)
      fail(c->pc,
           "the program wants to be told of messages by a socket (a system call mq_notify); heddle cannot control "
           "that, but it can mq_notify() of libc");
    return notify(a[0], (const struct sigevent *)a[1], c->pc);
  }
}

/* ---- libc's functions ---- */

static long answer(long result)
{
  if (result >= 0)
    return result;
  errno = (int)-result;
  return -1;
}

#define IS_MODELLED (hd_self && hd_own.filter)

EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
  unsigned mode = 0;
  struct mq_attr *attr = NULL;
  if (flags & O_CREAT) {
    va_list args;
    va_start(args, flags);
    mode = va_arg(args, unsigned);
    attr = va_arg(args, struct mq_attr *);
    va_end(args);
  }
  if (!IS_MODELLED)
    return REAL(mq_open)(name, flags, mode, attr);
  reads_for(attr, sizeof *attr, CALLER());
  return (mqd_t)answer(*name == '/' ? open_queue(name + 1, flags, mode, attr, CALLER()) : -EINVAL);
}

mqd_t __mq_open_2(const char *name, int flags);

EXPORT mqd_t __mq_open_2(const char *name, int flags)
{
  return IS_MODELLED ? (mqd_t)answer(*name == '/' ? open_queue(name + 1, flags, 0, NULL, CALLER()) : -EINVAL)
                     : REAL(__mq_open_2)(name, flags);
}

EXPORT int mq_close(mqd_t fd)
{
  return IS_MODELLED ? (int)answer(close_queue(fd, CALLER())) : REAL(mq_close)(fd);
}

EXPORT int mq_unlink(const char *name)
{
  if (!IS_MODELLED)
    return REAL(mq_unlink)(name);
  return (int)answer(*name == '/' ? unlink_queue(name + 1, CALLER()) : -EINVAL);
}

EXPORT int mq_send(mqd_t fd, const char *data, size_t size, unsigned priority)
{
  return IS_MODELLED ? (int)answer(send_message(fd, data, size, priority, NULL, CALLER()))
                     : REAL(mq_send)(fd, data, size, priority);
}

EXPORT int mq_timedsend(mqd_t fd, const char *data, size_t size, unsigned priority, const struct timespec *until)
{
  return IS_MODELLED ? (int)answer(send_message(fd, data, size, priority, until, CALLER()))
                     : REAL(mq_timedsend)(fd, data, size, priority, until);
}

EXPORT ssize_t mq_receive(mqd_t fd, char *to, size_t room, unsigned *priority)
{
  return IS_MODELLED ? answer(receive_message(fd, to, room, priority, NULL, CALLER()))
                     : REAL(mq_receive)(fd, to, room, priority);
}

EXPORT ssize_t mq_timedreceive(mqd_t fd, char *restrict to, size_t room, unsigned *restrict priority,
                               const struct timespec *restrict until)
{
  return IS_MODELLED ? answer(receive_message(fd, to, room, priority, until, CALLER()))
                     : REAL(mq_timedreceive)(fd, to, room, priority, until);
}

EXPORT int mq_getattr(mqd_t fd, struct mq_attr *out)
{
  return IS_MODELLED ? (int)answer(attributes(fd, NULL, out, CALLER())) : REAL(mq_getattr)(fd, out);
}

EXPORT int mq_setattr(mqd_t fd, const struct mq_attr *restrict to, struct mq_attr *restrict old)
{
  return IS_MODELLED ? (int)answer(attributes(fd, to, old, CALLER())) : REAL(mq_setattr)(fd, to, old);
}

EXPORT int mq_notify(mqd_t fd, const struct sigevent *event)
{
  return IS_MODELLED ? (int)answer(notify(fd, event, CALLER())) : REAL(mq_notify)(fd, event);
}
