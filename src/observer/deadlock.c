/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlock: threads are alive and none can take a step. Tells for every one of them what it waits for and who holds
 * that, and what kind of deadlock it is, in words.
 */
#include "core/observer.h"
#include "core/rng.h"
#include "runtime/outside.h"
#include "runtime/runtime.h"

/* The thread that could end this one's wait, or -1. */
static int holder_of(const struct operation *op)
{
  switch (op->kind) {
  case OP_JOIN:
    return (int)op->arg;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return object_by_id(op->second)->owner;
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_ONCE_ENTER:
    return object_by_id(op->object)->owner;
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_WRLOCK: {
    const struct object *l = object_by_id(op->object);
    if (l->owner >= 0)
      return l->owner;
    unsigned reader = threadset_next(&l->readers, 0);
    return reader < MAX_THREADS ? (int)reader : -1;
  }
  default:
    return -1;
  }
}

static bool blocked(const struct engine *e, unsigned t)
{
  return e->thread[t].alive && !rt.thread[t].finished && !rt.thread[t].system;
}

/* Follow holders from a thread; true if we come back to it. */
static bool in_cycle(const struct engine *e, unsigned start)
{
  unsigned t = start;
  for (unsigned i = 0; i < e->threads; i++) {
    int next = blocked(e, t) ? holder_of(&e->thread[t].pending) : -1;
    if (next < 0)
      return false;
    if ((unsigned)next == start)
      return true;
    t = (unsigned)next;
  }
  return false;
}

static bool woken_by_others_only(enum op_kind kind)
{
  return kind == OP_COND_WAKE || kind == OP_SEM_WAIT || kind == OP_BARRIER_LEAVE || kind == OP_FUTEX_BLOCK ||
         kind == OP_FD_WAIT || kind == OP_SIGNAL_WAIT;
}

/* The words for it: by the thread whose wait is the cause, not by those that wait for that thread. */
static const char *explain(const struct engine *e)
{
  for (unsigned t = 0; t < e->threads; t++)
    if (blocked(e, t) && in_cycle(e, t))
      return holder_of(&e->thread[t].pending) == (int)t ? "a thread waits for itself"
                                                        : "threads wait for each other in a cycle";
  const char *text = "no thread can go on";
  for (unsigned t = 0; t < e->threads; t++) {
    if (!blocked(e, t))
      continue;
    switch (e->thread[t].pending.kind) {
    case OP_COND_WAKE:
      return "a thread waits on a condition variable that nobody will signal any more";
    case OP_SEM_WAIT:
      text = "a thread waits for a semaphore that nobody will post any more";
      break;
    case OP_BARRIER_LEAVE:
      text = "threads wait at a barrier that not enough others will reach";
      break;
    case OP_FUTEX_BLOCK:
      text = "a thread sleeps on a futex that nobody will wake any more";
      break;
    case OP_SIGNAL_WAIT:
      text = "a thread waits for a signal that nobody will send any more";
      break;
    case OP_FD_WAIT:
      text = "a thread waits for a descriptor that will never be ready";
      break;
    default:
      break;
    }
  }
  if (text[0] == 'n')
    for (unsigned t = 0; t < e->threads; t++)
      if (blocked(e, t) && holder_of(&e->thread[t].pending) >= 0 &&
          rt.thread[holder_of(&e->thread[t].pending)].finished)
        return "a thread waits for a lock whose holder has ended";
  return text;
}

static void add_waiter(struct bug *bug, const struct engine *e, unsigned t)
{
  const struct operation *op = &e->thread[t].pending;
  if (bug->parties == BUG_PARTIES)
    return;
  bug_add_party(bug, t, (enum op_kind)op->kind, op->addr, 0, op->pc);
  struct bug_party *party = &bug->party[bug->parties - 1];
  if (woken_by_others_only(op->kind) && op->kind != OP_COND_WAKE)
    return;
  party->holder = holder_of(op);
  if (party->holder >= 0 && op->kind != OP_JOIN && op->object)
    party->holder_pc = object_by_id(op->kind == OP_COND_WAKE ? op->second : op->object)->owner_pc;
}

static bool any_cycle(const struct engine *e)
{
  for (unsigned t = 0; t < e->threads; t++)
    if (blocked(e, t) && in_cycle(e, t))
      return true;
  return false;
}

/* A thread that only somebody outside the program could wake: then it is no deadlock, unless others are in one anyway.
 * MAX_THREADS for none. */
static unsigned waits_outside(const struct engine *e, bool *process)
{
  if (any_cycle(e))
    return MAX_THREADS;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    *process = blocked(e, t) && processes_may_end_wait(op);
    if (blocked(e, t) && (*process || wait_is_outside(t, op)))
      return t;
  }
  return MAX_THREADS;
}

static bool deadlock_stopped(unsigned why)
{
  if (why != NEXT_DEADLOCK)
    return false;
  const struct engine *e = rt.engine;
  bool process;
  unsigned outside = waits_outside(e, &process);
  if (outside < MAX_THREADS)
    return outside_goes_on(outside, process);
  uint64_t key = 0;
  for (unsigned t = 0; t < e->threads; t++)
    if (blocked(e, t)) /* the same places blocked, whoever is there */
      key += mix64(stable_place(e->thread[t].pending.pc) + e->thread[t].pending.kind);
  struct bug *bug = bug_new(BUG_DEADLOCK, bug_key_of(BUG_DEADLOCK, key, 0));
  bug_text(bug, "deadlock: %s", explain(e));
  for (int cycle = 1; cycle >= 0; cycle--) /* those in the cycle first */
    for (unsigned t = 0; t < e->threads; t++)
      if (blocked(e, t) && in_cycle(e, t) == (bool)cycle)
        add_waiter(bug, e, t);
  bug_declare(bug);
  return false;
}

const struct observer observer_deadlock = {.name = "deadlock", .stopped = deadlock_stopped};
