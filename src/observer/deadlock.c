/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlock: threads are alive and none can take a step. Tells for every one of them what it waits for and who holds
 * that, and what kind of deadlock it is.
 */
#include "core/engine.h"
#include "core/finding.h"
#include "core/observer.h"
#include "core/rng.h"
#include "core/waits.h"

/* What a wait by itself makes of a deadlock. */
static enum deadlock_kind kind_of_wait(const struct engine *e, unsigned t)
{
  switch (e->thread[t].pending.kind) {
  case OP_COND_WAKE:
    return DEADLOCK_WAKE_UP;
  case OP_SEM_WAIT:
  case OP_SEMSET_OPERATE:
    return DEADLOCK_SEMAPHORE;
  case OP_QUEUE_SEND:
  case OP_QUEUE_RECEIVE:
    return DEADLOCK_QUEUE;
  case OP_BARRIER_LEAVE:
    return DEADLOCK_BARRIER;
  case OP_FUTEX_BLOCK:
    return DEADLOCK_FUTEX;
  case OP_PROCESS_GO_ON:
    return DEADLOCK_STOPPED;
  case OP_SIGNAL_WAIT:
    return DEADLOCK_SIGNAL;
  case OP_FD_WAIT:
  case OP_CHANNEL_RECEIVE:
  case OP_CHANNEL_SEND:
  case OP_CHANNEL_ACCEPT:
  case OP_CHANNEL_CONNECT:
  case OP_CHANNEL_POLL:
    return DEADLOCK_DESCRIPTOR;
  default:
    return task_waits_in_vain(e, t) ? DEADLOCK_ABANDONED : DEADLOCK_OTHER;
  }
}

/* By the thread whose wait is the cause, not by those that wait for that thread. */
static enum deadlock_kind kind_of(const struct engine *e)
{
  uintptr_t pc;
  for (unsigned t = 0; t < e->threads; t++)
    if (task_waits(e, t) && task_waits_in_circle(e, t))
      return task_waits_for(e, t, &pc) == (int)t ? DEADLOCK_SELF : DEADLOCK_CYCLE;
  enum deadlock_kind first = DEADLOCK_OTHER;
  for (unsigned t = 0; t < e->threads; t++) {
    enum deadlock_kind kind = task_waits(e, t) ? kind_of_wait(e, t) : DEADLOCK_OTHER;
    first = kind < first ? kind : first;
  }
  return first;
}

static void add_waiter(struct engine *e, struct bug *bug, unsigned t)
{
  const struct operation *op = &e->thread[t].pending;
  if (bug->parties == BUG_PARTIES)
    return;
  bug_add_party(e, bug, t, (enum op_kind)op->kind, op->addr, 0, op->pc);
  struct bug_party *party = &bug->party[bug->parties - 1];
  party->holder = task_waits_for(e, t, &party->holder_pc);
  party->signals = op->kind == OP_SIGNAL_WAIT ? op->arg : 0;
  party->left_behind = task_is_left_behind(e, t, party->holder);
}

/* Whether those that wait do so for each other, or there is nobody else who could end it: not if somebody is held back
 * by observers. */
static bool is_proved(const struct engine *e)
{
  bool held = false, circle = false;
  for (unsigned t = 0; t < e->threads; t++) {
    held |= engine_is_held(e, t);
    circle |= task_waits(e, t) && task_waits_in_circle(e, t);
  }
  return circle || !held;
}

static enum stop deadlock_stopped(void *state, struct engine *e, unsigned why)
{
  (void)state;
  if (why != NEXT_DEADLOCK || !is_proved(e))
    return STOP_UNEXPLAINED;
  const struct world *w = e->world;
  uint64_t key = 0;
  for (unsigned t = 0; t < e->threads; t++)
    if (task_waits(e, t)) /* the same places blocked, whoever is there */
      key += mix64(w->place(w->self, e->thread[t].pending.pc) + e->thread[t].pending.kind);
  struct bug *bug = bug_new(e, BUG_DEADLOCK, bug_key_of(e, BUG_DEADLOCK, key, 0));
  bug->detail = kind_of(e);
  bug_text(bug, "deadlock: %s", deadlock_sentence[bug->detail]);
  for (int circle = 1; circle >= 0; circle--) /* those in the circle first */
    for (unsigned t = 0; t < e->threads; t++)
      if (task_waits(e, t) && task_waits_in_circle(e, t) == (bool)circle)
        add_waiter(e, bug, t);
  bug_declare(e, bug);
  return STOP_END;
}

const struct observer observer_deadlock = {.name = "deadlock", .stopped = deadlock_stopped};
