/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleeps and timeouts that end in time. By default they may end at any moment, since a machine may be slow, and that is
 * what shows bugs. Here time passes only when nothing else can go on, and then to the earliest end of a wait: so
 * programs that synchronise by sleeping do what they were meant to do (--sleeps exact, and strategies that are
 * punctual).
 *
 * Threads that only look whether something has changed can always go on; so they are given some steps, not all the time
 * in the world. A schedule says which way it was made, and is followed the same way.
 */
#include "worlds/threads/system/punctual.h"
#include "core/object_model.h"
#include "worlds/threads/kernel/polled.h"
#include "worlds/threads/model/message_queue.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/model/rwlock.h"
#include "worlds/threads/model/sem.h"
#include "worlds/threads/model/sysv_semaphores.h"
#include "worlds/threads/system/aio_requests.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/timers.h"

/* Steps of others, after which time passes all the same: it may be what they wait for. */
#define IMPATIENT 2000
#define IMPATIENT_EXACT 20000
/* ns: what is further away does not come before what is nearer, however long others go on. */
#define FAR INT64_C(60000000000)

void punctual_reset(void)
{
  const struct engine *e = rt.engine;
  const struct strategy *s = e->strategy->member ? strategy_table[e->strategy->member(e->strategy_state)] : e->strategy;
  const struct schedule_record *followed = e->job.bytes[JOB_SCHEDULE] ? e->job.part[JOB_SCHEDULE] : NULL;
  rt.punctual = followed ? followed->punctual : s->punctual || rt.control->config.sleeps == SLEEPS_EXACT;
  rt.sleepers = 0;
}

void ends_at(int64_t deadline)
{
  struct thread *t = self_thread();
  if (!rt.punctual)
    return;
  t->waits = true;
  t->waits_until = deadline;
  t->waits_since = rt.engine->step;
  rt.sleepers++;
  if (rt.control->config.sleeps == SLEEPS_EXACT)
    lose(LOST_SLEEPS);
}

void sleepers_follow_wall_clock(int64_t put_on)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.thread[t].waits_by_wall_clock)
      rt.thread[t].waits_until -= put_on;
}

bool has_begun_to_wait(unsigned thread)
{
  return rt.thread[thread].waited_at == rt.engine->thread[thread].operations;
}

void seen_to_wait(unsigned thread)
{
  if (!has_begun_to_wait(thread))
    rt.thread[thread].waited_by = rt.engine->step;
  rt.thread[thread].waited_at = rt.engine->thread[thread].operations;
}

void time_passes_for_all(void)
{
  for (unsigned t = 0; rt.punctual && t < rt.engine->threads; t++)
    if (rt.engine->thread[t].alive && world_waits(t, &rt.engine->thread[t].pending))
      seen_to_wait(t);
}

void has_ended_wait(struct thread *t)
{
  rt.sleepers -= t->waits;
  t->waits = false;
}

static bool is_there(unsigned thread, const struct operation *op)
{
  if (cancel_wanted(thread))
    return true;
  switch (op->kind) {
  case OP_SEM_TIMEDWAIT:
    return sem_is_left(op);
  case OP_FD_TIMEDWAIT:
    return fd_ready(thread, op);
  case OP_CHANNEL_TIMEDRECEIVE:
  case OP_CHANNEL_TIMEDSEND:
  case OP_CHANNEL_TIMEDACCEPT:
  case OP_CHANNEL_TIMEDPOLL:
    return channel_is_ready(thread);
  case OP_SIGNAL_TIMEDWAIT:
    return signal_ready(thread, op);
  case OP_QUEUE_TIMEDSEND:
  case OP_QUEUE_TIMEDRECEIVE:
    return queue_ready(thread, op);
  case OP_SEMSET_TIMEDOPERATE:
    return semaphores_permit(op);
  case OP_AIO_TIMEDWAIT:
    return aio_ready(thread, op);
  case OP_COND_TIMEDWAKE:
  case OP_FUTEX_TIMEDBLOCK:
    return threadset_has(&object_by_id(op->object)->signalled, thread);
  case OP_MUTEX_TIMEDLOCK:
    return mutex_model.enabled(NULL, thread, op);
  case OP_RWLOCK_TIMEDRDLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    return rwlock_model.enabled(NULL, thread, op);
  case OP_TIMEDJOIN:
    return rt.thread[op->arg].finished;
  default:
    return false; /* a sleep */
  }
}

static bool is_impatient(unsigned thread)
{
  uint64_t most = rt.control->config.sleeps == SLEEPS_EXACT ? IMPATIENT_EXACT : IMPATIENT;
  return rt.engine->step - rt.thread[thread].waits_since > most;
}

/* It could go on at its time: one that wants a mutex back cannot, if somebody has it. */
static bool awaits_time(unsigned thread)
{
  const struct thread_state *t = &rt.engine->thread[thread];
  bool there = t->alive && !rt.thread[thread].finished; /* and not cut off with its process */
  return rt.thread[thread].waits && there && world_permits(thread, &t->pending);
}

/* It could go on at once; who is held back by an observer cannot. */
static bool can_go_on(unsigned thread, const struct operation *op)
{
  struct engine *e = rt.engine;
  return world_enabled(thread, op) && (!e->watchers.holding || watchers_admit(&e->watchers, e, thread, op));
}

/* Nobody can go on without time passing. */
static bool all_wait(unsigned thread)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    if (t == thread || !e->thread[t].alive || is_clock(t))
      continue;
    if (rt.thread[t].waits ? signals_wait_for(t) || (awaits_time(t) && is_there(t, op)) : can_go_on(t, op))
      return false;
  }
  return true;
}

static bool is_first(unsigned thread)
{
  int64_t until = rt.thread[thread].waits_until;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.thread[t].waits_until < until && awaits_time(t))
      return false;
  return true;
}

bool punctual_is_timed(enum op_kind kind)
{
  return op_gives_way(kind) && kind != OP_YIELD && kind != OP_TESTCANCEL && kind != OP_PROCESS_POLL;
}

bool punctual_is_over(unsigned thread, const struct operation *op)
{
  const struct thread *t = &rt.thread[thread];
  return is_there(thread, op) || (t->waits && t->waits_until <= (int64_t)rt.now);
}

bool punctual_permits(unsigned thread, const struct operation *op)
{
  int64_t until = rt.thread[thread].waits_until;
  if (until <= (int64_t)rt.now || is_there(thread, op))
    return true;
  bool first = is_first(thread);
  if (is_impatient(thread) && (first || until - (int64_t)rt.now <= FAR))
    return true;
  return first && timers_next() >= until && all_wait(thread);
}
