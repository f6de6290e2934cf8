/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a signal handler that are not async-signal-safe (signal-safety(7)): the heap, and streams. They do harm if
 * the handler comes while the thread it interrupts is in a call of the same family, on the same stream. Handlers come
 * only at steps, of which there are none inside the heap; so this is told as races are, by what happens before what:
 * the thread made such a call where it did not block the signal, and who sent it did not know that it was over. What a
 * thread sends to itself, and signals of faults, always know. Locks need nothing of this kind: they are steps, and a
 * handler that takes one which the thread holds is a deadlock.
 */
#include "worlds/threads/system/unsafe_calls.h"
#include "core/finding.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/signals.h"
#include <string.h>

/* How much of the thread all knew who sent the signals that wait for it. */
static struct {
  uint64_t of[MAX_THREADS];
} known SYSTEM;

void unsafe_calls_note_sender(unsigned receiver, bool in_wait)
{
  uint64_t now = in_wait ? UINT64_MAX : self_thread()->clock.at[receiver];
  bool first = !rt.thread[receiver].pending_signals;
  known.of[receiver] = first || now > known.of[receiver] ? now : known.of[receiver];
}

void unsafe_calls_note_own(void)
{
  known.of[self_index()] = UINT64_MAX;
}

uint64_t unsafe_calls_known(void)
{
  return known.of[self_index()];
}

static _Noreturn void report(const struct unsafe_use *before, int signal, const char *name, uintptr_t pc)
{
  const char *of = sigabbrev_np(signal);
  uintptr_t place = place_in_program(pc);
  struct bug *bug = bug_new(rt.engine, BUG_PROPERTY, bug_key_of(rt.engine, BUG_PROPERTY, place, before->pc));
  bug_text(bug,
           "the handler of %s%s calls %s(), which is not async-signal-safe; it may interrupt %s() in the same thread",
           of ? "SIG" : "a real-time signal", of ? of : "", name, before->name);
  bug_add_party(rt.engine, bug, self_index(), OP_NONE, 0, 0, place);
  bug_add_party(rt.engine, bug, self_index(), OP_NONE, 0, 0, before->pc);
  bug_declare(rt.engine, bug);
  execution_end();
}

void unsafe_call_slowly(enum unsafe_family family, uintptr_t object, const char *name, uintptr_t pc)
{
  struct thread *t = self_thread();
  struct unsafe_use *use = &t->unsafe[family];
  uint64_t now = t->clock.at[self_index()], open_to = hd_own.handled_signals & ~t->signal_mask;
  if (hd_self->handler_sp) {
    if (use->object == object && use->open_to & SIGNAL_BIT(t->handler_signal) && use->at > t->handler_knows)
      report(use, t->handler_signal, name, pc);
    return;
  }
  if (open_to)
    *use = (struct unsafe_use){name, object, place_in_program(pc), now, open_to};
}
