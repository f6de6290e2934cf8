/* SPDX-License-Identifier: Apache-2.0
 *
 * What a step that was performed left behind, of all that the order of an execution keeps (order.h): the states of what
 * it touched, and who can go on, is cancelled or has a signal since.
 */
#include "explore/order.h"
#include "explore/symmetry.h"

/* The thread stands before its operation since the last event, which is its own, or it was cancelled there by that. */
static void settle_cancellation(struct order *o, uint32_t e, const struct thread_state *thread, unsigned t)
{
  if (thread[t].alive && !o->cancelled[t] && thread[t].pending.traits & OP_CANCELLED)
    o->cancelled[t] = e + 1;
}

/* The same for signals, which events that may concern any thread send. */
static void settle_signals(struct order *o, uint32_t e, const struct thread_state *thread, unsigned threads)
{
  bool sends = op_is_global(&o->event[e].op);
  for (unsigned t = sends ? 0 : o->event[e].thread; t < (sends ? threads : o->event[e].thread + 1u); t++)
    if (thread[t].alive && !o->signalled[t] && thread[t].pending.traits & OP_SIGNALLED)
      o->signalled[t] = e + 1;
}

static void settle_ends(struct order *o, uint32_t e, const struct thread_state *thread, unsigned threads)
{
  for (unsigned t = 0; t < threads; t++)
    if (thread[t].cut_off && !o->cut[t])
      o->cut[t] = e + 1;
}

/* What the system lets go on, only it knows: the event since which it does was needed for that. A thread in which the
 * program ended waits no more, and what it waited for is gone. */
static void settle_waits(struct order *o, uint32_t e, const struct world *world, const struct thread_state *thread,
                         unsigned threads, bool inside)
{
  unsigned last = o->event[e].thread;
  o->system_waits |= thread[last].alive && op_waits_for_system(&thread[last].pending);
  for (unsigned t = 0; o->system_waits && t < threads; t++) {
    if (!thread[t].alive || !op_waits_for_system(&thread[t].pending) || (inside && t == last))
      continue;
    if (!world->enabled(world->self, t, &thread[t].pending)) {
      o->closed[t] = o->woken[t] ? e + 1 : o->closed[t];
      o->woken[t] = 0;
    } else if (!o->woken[t])
      o->woken[t] = e + 1;
  }
}

void order_settle_states(struct order *o, uint32_t e, const struct world *world)
{
  struct order_event *last = &o->event[e];
  for (unsigned i = 0; i < last->links; i++)
    o->link[last->link + i].after = world->state(world->self, &last->op, o->link[last->link + i].key);
  if (last->op.kind == OP_BARRIER_ARRIVE)
    last->opens = o->link[last->link].after != last->op.arg;
}

/* The step has created those that were not there before it: a thread, or a task of the system's in passing. Who was
 * there before the first step has been created by none. */
static void settle_creation(struct order *o, uint32_t e, unsigned threads)
{
  for (unsigned t = o->tasks; t < threads; t++) {
    if (o->created[t])
      continue;
    o->created[t] = e + 1;
    o->event[e].creates = o->event[e].creates ? o->event[e].creates : (uint16_t)t;
  }
  o->tasks = threads;
}

void order_settle(struct order *o, uint32_t e, const struct world *world, const struct thread_state *thread,
                  unsigned threads, bool inside)
{
  struct order_event *last = &o->event[e];
  enum op_kind kind = last->op.kind;
  if (kind == OP_CREATE) /* its number when it was announced may have been given to another one meanwhile */
    last->op.arg = threads - 1;
  settle_creation(o, e, threads);
  if (o->symmetric && kind == OP_CREATE)
    symmetry_note_creation(o, world, e);
  if (o->symmetric)
    symmetry_settle(o, world, e);
  settle_cancellation(o, e, thread, last->thread);
  if (kind == OP_CANCEL)
    settle_cancellation(o, e, thread, (unsigned)last->op.arg);
  settle_signals(o, e, thread, threads);
  if (kind == OP_PROCESS_END)
    settle_ends(o, e, thread, threads);
  settle_waits(o, e, world, thread, threads, inside);
  if (kind != OP_COND_SIGNAL && kind != OP_COND_BROADCAST && kind != OP_FUTEX_WAKE)
    return;
  for (unsigned t = 0; t < threads; t++)
    if (thread[t].alive && !o->woken[t] && world->released(world->self, t, &thread[t].pending))
      o->woken[t] = e + 1;
}
