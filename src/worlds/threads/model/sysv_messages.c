/* SPDX-License-Identifier: Apache-2.0
 *
 * System V message queues: ids, limits and what msgctl tells, over message_queue.c.
 */
#include "worlds/threads/model/sysv_messages.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/message_queue.h"
#include "worlds/threads/model/sysv.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <limits.h>
#include <sys/msg.h>
#include <sys/syscall.h>

#define LARGEST 8192 /* message */
#define ROOM 16384   /* in a queue */

static struct sysv_table ids SYSTEM;
static struct sysv_queue {
  struct queue *queue;
  pid_t sender, receiver;
  time_t sent, received, changed;
} queues[SYSV_IDS] SYSTEM;

void sysv_messages_reset(void)
{
  sysv_reset(&ids);
}

static time_t now(void)
{
  return virtual_now(CLOCK_REALTIME).tv_sec;
}

static long get(int key, int flags, uintptr_t pc)
{
  bool created;
  queue_step(OP_QUEUE_OPEN, &ids, false, pc);
  long place = sysv_find(&ids, key, flags, &created);
  if (place < 0 || !created)
    return place < 0 ? place : sysv_id_at(&ids, place);
  char name[QUEUE_NAME];
  print_text(name, sizeof name, "queue %d (key 0x%x)", sysv_id_at(&ids, place), (unsigned)key);
  struct queue *q = queue_new(name, ROOM, ROOM);
  if (!q)
    return -ENOSPC;
  queues[place] = (struct sysv_queue){.queue = q, .changed = now()};
  return q->id = sysv_take(&ids, place, key, flags);
}

/* How to wait for one that may be used that way. */
static struct queue_wait wait_for(int id, unsigned access, bool try, uintptr_t pc)
{
  long place = sysv_place(&ids, id);
  bool permitted = place >= 0 && owner_permits(&ids.id[place].owner, access);
  return (struct queue_wait){.try = try,
                             .deadline = -1,
                             .gone = place < 0   ? (int)-place
                                     : permitted ? 0
                                                 : EACCES,
                             .pc = pc};
}

static long send(int id, const struct msgbuf *message, size_t size, int flags, uintptr_t pc)
{
  if (size > LARGEST || id < 0)
    return -EINVAL;
  reads_for(message, sizeof message->mtype + size, pc);
  if (message->mtype < 1)
    return -EINVAL;
  struct queue *q = queue_by_id(id);
  if (!q)
    return -EINVAL;
  struct queue_wait how = wait_for(id, MAY_WRITE, flags & IPC_NOWAIT, pc);
  bool arrived;
  int error = queue_send(q, message->mtype, message->mtext, size, &how, &arrived);
  if (!error) {
    struct sysv_queue *s = &queues[sysv_place(&ids, id)];
    s->sender = VIRTUAL_PID;
    s->sent = now();
  }
  return -error;
}

static long receive(int id, struct msgbuf *to, size_t room, long type, int flags, uintptr_t pc)
{
  if (room > LONG_MAX || id < 0)
    return -EINVAL;
  if (flags & MSG_COPY)
    return -ENOSYS;
  struct queue *q = queue_by_id(id);
  if (!q)
    return -EINVAL;
  struct queue_wait how = wait_for(id, MAY_READ, flags & IPC_NOWAIT, pc);
  int error;
  uint32_t m =
      queue_receive(q, type, flags & MSG_EXCEPT && type > 0, flags & MSG_NOERROR ? SIZE_MAX : room, &how, &error);
  if (!m)
    return error == EAGAIN ? -ENOMSG : -error;
  struct sysv_queue *s = &queues[sysv_place(&ids, id)];
  s->receiver = VIRTUAL_PID;
  s->received = now();
  size_t size = message_size(m) < room ? message_size(m) : room;
  writes_for(to, sizeof to->mtype + size, pc);
  to->mtype = message_type(m);
  message_copy(m, to->mtext, size);
  message_free(m);
  return (long)size;
}

static long tell(long place, struct msqid_ds *out, uintptr_t pc)
{
  const struct sysv_queue *s = &queues[place];
  writes_for(out, sizeof *out, pc);
  *out = (struct msqid_ds){.msg_perm = sysv_permissions(&ids.id[place]),
                           .msg_stime = s->sent,
                           .msg_rtime = s->received,
                           .msg_ctime = s->changed,
                           .__msg_cbytes = s->queue->bytes,
                           .msg_qnum = s->queue->count,
                           .msg_qbytes = s->queue->room,
                           .msg_lspid = s->sender,
                           .msg_lrpid = s->receiver};
  return 0;
}

static long set(long place, const struct msqid_ds *to)
{
  struct sysv_queue *s = &queues[place];
  if (to->msg_qbytes > ROOM && sys(SYS_geteuid) != 0)
    return -EPERM;
  long error = sysv_set_owner(&ids.id[place], &to->msg_perm);
  if (error)
    return error;
  queue_resize(s->queue, (uint32_t)to->msg_qbytes, to->msg_qbytes);
  s->changed = now();
  return 0;
}

static long discard(long place)
{
  struct sysv_id *id = &ids.id[place];
  if (!is_owner(&id->owner) && !is_owner(&id->creator))
    return -EPERM;
  queue_remove(queues[place].queue);
  id->used = false;
  id->sequence++;
  return 0;
}

static long control(int id, int command, struct msqid_ds *about, uintptr_t pc)
{
  const struct queue *q = queue_by_id(id);
  if (!q)
    return -EINVAL;
  if (command == IPC_SET)
    reads_for(about, sizeof *about, pc);
  if (command == IPC_RMID) /* nobody finds it any more */
    queue_step(OP_QUEUE_CHANGE, &ids, false, pc);
  /* who is in a call with it, or only about to make one, is told something else when it goes */
  queue_step(command == IPC_STAT ? OP_QUEUE_LOOK : OP_QUEUE_CHANGE, q, command == IPC_RMID, pc);
  long place = sysv_place(&ids, id);
  if (place < 0)
    return place;
  switch (command) {
  case IPC_STAT:
    return owner_permits(&ids.id[place].owner, MAY_READ) ? tell(place, about, pc) : -EACCES;
  case IPC_SET:
    return set(place, about);
  case IPC_RMID:
    return discard(place);
  default:
    return -EINVAL;
  }
}

long sysv_message_call(const struct call *c)
{
  const long *a = c->arg;
  switch (c->number) {
  case SYS_msgget:
    return get((int)a[0], (int)a[1], c->pc);
  case SYS_msgsnd:
    return send((int)a[0], (const struct msgbuf *)a[1], (size_t)a[2], (int)a[3], c->pc);
  case SYS_msgrcv:
    return receive((int)a[0], (struct msgbuf *)a[1], (size_t)a[2], a[3], (int)a[4], c->pc);
  default:
    return control((int)a[0], (int)a[1], (struct msqid_ds *)a[2], c->pc);
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

EXPORT int msgget(key_t key, int flags)
{
  return SYSV_IS_MODELLED ? (int)answer(get(key, flags, CALLER())) : REAL(msgget)(key, flags);
}

EXPORT int msgsnd(int id, const void *message, size_t size, int flags)
{
  return SYSV_IS_MODELLED ? (int)answer(send(id, message, size, flags, CALLER()))
                          : REAL(msgsnd)(id, message, size, flags);
}

EXPORT ssize_t msgrcv(int id, void *to, size_t room, long type, int flags)
{
  return SYSV_IS_MODELLED ? answer(receive(id, to, room, type, flags, CALLER()))
                          : REAL(msgrcv)(id, to, room, type, flags);
}

EXPORT int msgctl(int id, int command, struct msqid_ds *about)
{
  return SYSV_IS_MODELLED ? (int)answer(control(id, command, about, CALLER())) : REAL(msgctl)(id, command, about);
}
