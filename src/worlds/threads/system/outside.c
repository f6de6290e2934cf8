/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits that only the outside of the program can end: a server that waits for its clients, a terminal, a signal that
 * people send, another process. They are no deadlocks, and what would follow them is not known.
 */
#include "worlds/threads/system/outside.h"
#include "core/observer.h"
#include "core/waits.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/kernel/polled.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/segments.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/model/sem.h"
#include "worlds/threads/process/maps.h"
#include "worlds/threads/system/aio_requests.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/client.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/standard.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define IN_VAIN 200 /* timeouts in a row of each that waits, with nothing else that could go on */

/* ---- descriptors ---- */

static bool same_address(const struct sockaddr_storage *a, socklen_t n, const struct sockaddr_storage *b, socklen_t m)
{
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  if (n != m || n <= sizeof(sa_family_t))
    return false;
  for (socklen_t i = 0; i < n; i++)
    if (x[i] != y[i])
      return false;
  return true;
}

/* Of Unix sockets the kernel knows who made the other end: this process, or the one that it was forked from. */
static bool peer_began_here(int fd)
{
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  if (sys(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
    return true;
  return peer.pid == sys(SYS_getpid) || peer.pid == sys(SYS_getppid);
}

/* Whether the other end of the socket is a descriptor of this process too. */
static bool peer_is_inside(int fd)
{
  struct sockaddr_storage peer, other;
  socklen_t size = sizeof peer;
  if (sys(SYS_getpeername, fd, &peer, &size))
    return false;
  if (peer.ss_family == AF_UNIX && size <= sizeof(sa_family_t))
    return peer_began_here(fd); /* unnamed: a pair, or its client never bound it */
  for (long i = 0; i < 1024; i++) {
    socklen_t length = sizeof other;
    if (i != fd && descriptor_is_controlled(i) && !sys(SYS_getsockname, i, &other, &length) &&
        same_address(&peer, size, &other, length))
      return true;
  }
  return false;
}

static bool socket_is_outside(int fd)
{
  int listens = 0, type = 0;
  socklen_t size = sizeof listens, also = sizeof type;
  if (!sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) && listens)
    return true;
  sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &also);
  if (type == SOCK_DGRAM) {
    struct sockaddr_storage own;
    size = sizeof own;
    bool named = !sys(SYS_getsockname, fd, &own, &size) && size > sizeof(sa_family_t);
    return named && !peer_is_inside(fd);
  }
  return !peer_is_inside(fd);
}

bool fd_is_outside(int fd)
{
  struct stat s;
  char path[64], name[64];
  const struct description *d = description_of(fd);
  if (fd < 0 || descriptor_is_standard(fd))
    return false;
  if (is_modelled(d))
    return d->kind == CHANNEL_NOTICES  ? true /* anybody may change files */
           : d->kind == CHANNEL_EPOLL  ? epoll_any(d, fd_is_outside)
           : d->kind == CHANNEL_SOCKET ? socket_waits_outside(d)
           : d->kind == CHANNEL_PIPE   ? fifo_waits_outside(d)
                                       : false;
  if (sys(SYS_fstat, fd, &s))
    return false;
  if (S_ISSOCK(s.st_mode))
    return socket_is_outside(fd);
  if (!descriptor_is_controlled(fd) || S_ISCHR(s.st_mode))
    return true;
  print_text(path, sizeof path, "/proc/self/fd/%d", fd);
  long n = sys(SYS_readlink, path, name, sizeof name - 1);
  name[n > 0 ? n : 0] = 0;
  return !text_compare(name, "anon_inode:inotify");
}

/* Signals that people and service managers send. */
static bool signals_come_from_outside(unsigned thread, const struct operation *op)
{
  static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (op->arg & SIGNAL_BIT(usual[i]) &&
        (has_handler(usual[i]) || rt.thread[thread].signal_mask & SIGNAL_BIT(usual[i])))
      return true;
  return false;
}

bool wait_is_outside(unsigned thread, const struct operation *op)
{
  if (op->kind == OP_SIGNAL_WAIT || op->kind == OP_SIGNAL_TIMEDWAIT)
    return signals_come_from_outside(thread, op);
  if (op->kind == OP_AIO_WAIT)
    return aio_is_outside();
  if (op_is_on_channels(op->kind))
    return pending_opens_to_outside(thread) || pending_any(thread, fd_is_outside);
  if (op->kind != OP_FD_WAIT && op->kind != OP_FD_TIMEDWAIT)
    return false;
  const struct fd_wait *w = (const struct fd_wait *)op->arg;
  if (w->kind == WAIT_SET && w->count == 0)
    return true; /* a signal is all that could end it */
  if (w->kind == WAIT_WRITER || w->kind == WAIT_READER)
    return true; /* anybody may open the other end of a FIFO */
  if (rt.thread[thread].process != hd_own.process)
    return w->outside;
  for (size_t i = 0; w->kind == WAIT_SET && i < w->count; i++)
    if (fd_is_outside(w->set[i].fd))
      return true;
  return false;
}

bool wait_is_only_outside(const struct operation *op)
{
  const struct fd_wait *w = (const struct fd_wait *)op->arg;
  struct stat s;
  return rt.engine->processes == 1 && op->kind == OP_FD_WAIT && w->kind == WAIT_SET && w->count == 1 &&
         !sys(SYS_fstat, w->set[0].fd, &s) && S_ISSOCK(s.st_mode) && socket_is_outside(w->set[0].fd);
}

/* ---- processes ---- */

bool in_shared_mapping(uintptr_t addr)
{
  static struct mapping mapping[4096];
  size_t n = maps_read(mapping, sizeof mapping / sizeof *mapping);
  for (size_t i = 0; i < n; i++)
    if (addr >= mapping[i].start && addr < mapping[i].end)
      return mapping[i].shared;
  return false;
}

bool processes_may_end_wait(const struct operation *op)
{
  bool object = op->object && op_table[op->kind].object != OBJECT_THREAD;
  return object && (queue_wait_is_outside(op) ||
                    (space_of(op->addr) != SPACE_SHARED && in_shared_mapping(op->addr) && !in_segment(op->addr)));
}

/* ---- taking note ---- */

static void describe(unsigned thread, bool process)
{
  struct control *c = rt.control;
  const struct operation *op = &rt.engine->thread[thread].pending;
  bool calls = op_is_on_channels(op->kind) || op->kind == OP_FD_WAIT || op->kind == OP_FD_TIMEDWAIT ||
               op->kind == OP_SIGNAL_WAIT;
  c->outside.process = process;
  c->outside.thread = thread;
  c->outside.call = calls ? rt.thread[thread].call : -1;
  c->outside.pc = op->pc;
  c->outside.at[0] = '\0';
  if (!op_is_on_channels(op->kind) || !rt.engine->over) /* or its wait is over */
    return;
  struct channel_view view;
  pending_describe(thread, &view);
  print_text(c->outside.at, sizeof c->outside.at, "%s", view.what);
}

/* The execution ends there, and proves nothing. */
static void take_note(unsigned thread, bool process)
{
  struct control *c = rt.control;
  lose(process ? LOST_PROCESSES : LOST_OUTSIDE);
  rt.engine->outcome.cut = true;
  if (c->outside.known)
    return;
  describe(thread, process);
  c->outside.known = 1;
}

bool outside_goes_on(unsigned thread, bool process)
{
  switch (process ? CLIENT_IN_VAIN : client_wait()) {
  case CLIENT_CAME:
    return true;
  case CLIENT_SERVED: /* what was to be tried was tried: the end of this execution */
    return false;
  case CLIENT_STOPPED:
    rt.engine->outcome.cut = true;
    return false;
  default:
    take_note(thread, process);
    return false;
  }
}

/* The execution is very long. A thread that waits for the outside now is the likely reason: a server that only its
 * timers keep busy. It goes on; this is told if no execution comes to its end. */
static void suspect(const struct engine *e)
{
  struct control *c = rt.control;
  for (unsigned t = 0; t < e->threads && !c->outside.known && !c->outside.likely; t++)
    if (task_waits(e, t) && wait_is_outside(t, &e->thread[t].pending)) {
      describe(t, false);
      c->outside.likely = 1;
    }
}

static bool any_waits_in_circle(const struct engine *e)
{
  for (unsigned t = 0; t < e->threads; t++)
    if (task_waits(e, t) && task_waits_in_circle(e, t))
      return true;
  return false;
}

/* A thread that only somebody outside the program could wake: then it is no deadlock, unless others are in one anyway.
 * MAX_THREADS for none. */
static unsigned waits_outside(const struct engine *e, bool *process)
{
  if (any_waits_in_circle(e))
    return MAX_THREADS;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    *process = task_waits(e, t) && processes_may_end_wait(op);
    if (task_waits(e, t) && (*process || wait_is_outside(t, op)))
      return t;
  }
  return MAX_THREADS;
}

static enum stop outside_stopped(void *state, struct engine *e, unsigned why)
{
  (void)state;
  bool process;
  if (why == NEXT_DEADLOCK && rt.process[0].ended && !any_waits_in_circle(e))
    return STOP_END; /* the program is over; those that it left behind wait for work or to be told to end */
  if (why == NEXT_TOO_LONG)
    suspect(e);
  unsigned thread = why == NEXT_DEADLOCK ? waits_outside(e, &process) : MAX_THREADS;
  if (thread == MAX_THREADS)
    return STOP_UNEXPLAINED;
  return outside_goes_on(thread, process) ? STOP_GO_ON : STOP_END;
}

const struct observer observer_outside = {.name = "outside", .stopped = outside_stopped};

/* Whether it can go on without time passing. */
static bool is_busy(unsigned t)
{
  const struct thread_state *other = &rt.engine->thread[t];
  return t != rt.engine->current && other->alive && !rt.thread[t].system && !rt.thread[t].waits &&
         world_enabled(t, &other->pending);
}

/* Whether it waits for a time, after which it may do something else than it did so often. */
static bool awaits_its_turn(unsigned t)
{
  return t != rt.engine->current && rt.engine->thread[t].alive && !rt.thread[t].finished && rt.thread[t].waits &&
         rt.thread[t].in_vain < IN_VAIN;
}

bool outside_in_vain(const struct operation *op)
{
  const struct fd_wait *w = (const struct fd_wait *)op->arg;
  const struct engine *e = rt.engine;
  bool busy = w->count == 0, others = false; /* who waits for nothing sleeps */
  for (unsigned t = 0; t < e->threads; t++) {
    busy |= is_busy(t);
    others |= awaits_its_turn(t);
  }
  for (unsigned t = 0; t < e->threads && busy; t++)
    rt.thread[t].in_vain = 0;
  if (busy || ++rt.thread[e->current].in_vain < IN_VAIN || others)
    return false;
  return wait_is_outside(e->current, op);
}
