/* SPDX-License-Identifier: Apache-2.0
 *
 * Priorities, where they decide who goes on: among threads of SCHED_FIFO and SCHED_RR that the program has bound to
 * one and the same processor. There POSIX has the one of the highest priority run that can, and no other. On different
 * processors nobody need be faster than another, whatever their priorities; and who is woken of several that wait is
 * left open, since glibc does not keep to the order of priorities there.
 *
 * A thread that sleeps, or waits with a timeout, can go on at any moment here, but until then it does not run: it keeps
 * nobody from running. Whoever has let a more important thread go on must not touch memory before it: so each access of
 * a thread that is bound is looked at (memory.c).
 */
#include "worlds/threads/thread/priorities.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/scheduling.h"

static bool decide SYSTEM; /* some thread is bound */

void priorities_reset(void)
{
  decide = false;
}

/* From now on every step may let somebody go on, and so keep others from it. */
static void begin_to_decide(void)
{
  struct engine *e = rt.engine;
  decide = true;
  for (unsigned t = 0; t < e->threads; t++)
    e->thread[t].pending.traits |= OP_FAR;
  watchers_choose(&e->watchers, e);
}

/* Its only processor, from 1 on; 0 if it may run on several. */
static uint16_t only_processor(const cpu_set_t *set)
{
  unsigned n = 0;
  while (n < CPU_SETSIZE && !CPU_ISSET(n, set))
    n++;
  return CPU_COUNT(set) == 1 ? (uint16_t)(n + 1) : 0;
}

void priorities_settle(unsigned thread)
{
  struct thread *t = &rt.thread[thread];
  bool counts = is_real_time(t->scheduling.policy) && !t->system;
  t->bound_to = counts ? only_processor(&t->processors) : 0;
  engine_touch(rt.engine);
  if (t->bound_to && !decide)
    begin_to_decide();
  if (decide && t->process == hd_own.process)
    memory_tag_thread(thread);
}

/* ---- who can go on ---- */

static bool can_run(const struct engine *e, unsigned thread)
{
  const struct thread_state *t = &e->thread[thread];
  if (!t->alive || t->cut_off || !world_enabled(thread, &t->pending))
    return false;
  return !punctual_is_timed(t->pending.kind) || punctual_is_over(thread, &t->pending) || signals_wait_for(thread);
}

#define LENDERS 8 /* one behind the other */

/* With what those lend who wait for its mutexes, if these hand priorities on. */
static int priority_of(const struct engine *e, unsigned thread, unsigned depth)
{
  int highest = scheduling_priority(thread);
  for (unsigned t = 0; t < e->threads && depth < LENDERS; t++) {
    if (t == thread || !e->thread[t].alive || mutex_lent_by(t, &e->thread[t].pending) != (int)thread)
      continue;
    int lent = priority_of(e, t, depth + 1);
    highest = lent > highest ? lent : highest;
  }
  return highest;
}

bool priorities_decide(void)
{
  return decide;
}

bool priorities_admit(unsigned thread)
{
  const struct engine *e = rt.engine;
  uint16_t processor = rt.thread[thread].bound_to;
  for (unsigned t = 0; processor && t < e->threads; t++)
    if (t != thread && rt.thread[t].bound_to == processor && can_run(e, t) &&
        priority_of(e, t, 0) > priority_of(e, thread, 0))
      return false;
  return true;
}

static bool looks(const void *state, const struct engine *e)
{
  (void)state, (void)e;
  return decide;
}

static bool admits(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)state, (void)e, (void)op;
  return priorities_admit(task);
}

static bool matters(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)state, (void)e, (void)task, (void)op;
  return true;
}

const struct observer observer_priorities = {
    .name = "priorities", .looks = looks, .admits = admits, .matters = matters};
