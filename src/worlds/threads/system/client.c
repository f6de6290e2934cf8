/* SPDX-License-Identifier: Apache-2.0
 *
 * The client of a program that waits for the outside (--client). The command line starts it, once for each execution,
 * when we ask for it in the control block; it runs uncontrolled, in real time, while the program's time stands still.
 *
 * What the client does comes between two steps of the program at a moment that nobody can choose. To make executions
 * repeat themselves all the same, the client is taken for one that is either quick or slow: what it does within SETTLE
 * of the moment when a thread begins to wait for it has happened before, and what it does later happens only when all
 * threads wait. Where a thread waits for others of the program at the same time (epoll), it happens when it
 * happens. */
#include "worlds/threads/system/client.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/outside.h"
#include <sys/syscall.h>
#include <time.h>

#define SETTLE 20 /* milliseconds: on a busy machine, too */

static struct {
  bool asked_for; /* in this execution */
  bool came;      /* some wait for the outside came to its end since */
} client;

static uint64_t milliseconds_now(void)
{
  struct timespec t;
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A moment of real time, in which we are not stuck. */
static void let_pass(void)
{
  static const struct timespec moment = {0, 1000000};
  sys(SYS_nanosleep, &moment, NULL);
  rt.control->heartbeat++;
}

void client_reset(void)
{
  struct control *c = rt.control;
  client.asked_for = client.came = false;
  while (c->client.state != CLIENT_NONE) {
    if (c->client.state == CLIENT_ENDED)
      c->client.state = CLIENT_NONE;
    else if (c->client.state == CLIENT_RUNS)
      c->client.state = CLIENT_OVER;
    let_pass();
  }
}

static void ask_for_client(void)
{
  if (client.asked_for)
    return;
  client.asked_for = true;
  lose(LOST_CLIENT);
  rt.control->client.state = CLIENT_WANTED;
}

static bool is_ready(unsigned thread, const struct operation *op)
{
  if (op->kind != OP_FD_WAIT && op->kind != OP_FD_TIMEDWAIT)
    return world_enabled(thread, op);
  struct fd_wait *w = (struct fd_wait *)op->arg;
  w->later = false;
  bool ready = fd_ready(thread, op);
  w->later = !ready && wait_is_only_outside(op);
  return ready;
}

/* Whether somebody can go on by now. All look again: who can, may. */
static bool somebody_is_ready(void)
{
  const struct engine *e = rt.engine;
  bool any = false;
  for (unsigned t = 0; t < e->threads; t++)
    if (e->thread[t].alive && !rt.thread[t].finished && !rt.thread[t].system)
      any |= is_ready(t, &e->thread[t].pending);
  return any;
}

/* There is nothing to be gained by trying it again. */
static enum client_answer give_up(enum client_failure why)
{
  rt.control->client.failed = why;
  rt.control->stop = 1;
  return CLIENT_IN_VAIN;
}

enum client_answer client_wait(void)
{
  struct control *c = rt.control;
  if (!c->config.client)
    return CLIENT_IN_VAIN;
  ask_for_client();
  for (uint64_t since = milliseconds_now();; let_pass()) {
    bool ended = c->client.state == CLIENT_ENDED; /* before we look: what it did last is seen */
    if (somebody_is_ready())
      break;
    if (ended)
      return client.came ? CLIENT_SERVED : give_up(CLIENT_NEVER_CAME);
    if (c->stop)
      return CLIENT_STOPPED;
    if (milliseconds_now() - since > c->config.client)
      return give_up(CLIENT_SILENT);
  }
  client.came = true;
  for (uint64_t since = milliseconds_now(); milliseconds_now() - since < SETTLE && c->client.state == CLIENT_RUNS;)
    let_pass();
  somebody_is_ready();
  engine_touch(rt.engine);
  return CLIENT_CAME;
}

void client_settle(const struct operation *op)
{
  if (!client.asked_for || !wait_is_only_outside(op))
    return;
  for (uint64_t since = milliseconds_now();; let_pass()) {
    bool waits = rt.control->client.state == CLIENT_RUNS && milliseconds_now() - since < SETTLE;
    if (is_ready(self_index(), op) || !waits)
      return;
  }
}
