/* SPDX-License-Identifier: Apache-2.0
 *
 * See waits.h.
 */
#include "core/waits.h"
#include "core/finding.h"
#include "core/footprint.h"

bool task_waits(const struct engine *e, unsigned task)
{
  const struct world *w = e->world;
  return e->thread[task].alive && !w->ended(w->self, task) && !w->is_system(w->self, task) && !engine_is_held(e, task);
}

int task_waits_for(const struct engine *e, unsigned task, uintptr_t *pc)
{
  const struct world *w = e->world;
  const struct operation *op = &e->thread[task].pending;
  const struct object_model *model = w->model(w->self, op_table[op->kind].object);
  *pc = 0;
  return model && model->holder ? model->holder(w->self, op, pc) : -1;
}

bool task_is_left_behind(const struct engine *e, unsigned task, int holder)
{
  const struct operation *op = &e->thread[task].pending;
  return holder >= 0 && op_has_address(op->kind) && op->space < SPACE_SHARED &&
         e->control->thread[holder].process != op->space;
}

bool task_waits_in_vain(const struct engine *e, unsigned task)
{
  uintptr_t pc;
  int holder = task_waits_for(e, task, &pc);
  return holder >= 0 && (e->world->ended(e->world->self, (unsigned)holder) || task_is_left_behind(e, task, holder));
}

/* Signals end the wait for a child, too: of somebody who is held back. */
static bool may_be_interrupted(const struct engine *e, unsigned task)
{
  return e->thread[task].pending.kind == OP_PROCESS_WAIT && e->watchers.holding;
}

bool task_waits_in_circle(const struct engine *e, unsigned task)
{
  unsigned t = task;
  uintptr_t pc;
  for (unsigned i = 0; i < e->threads; i++) {
    int next = task_waits(e, t) ? task_waits_for(e, t, &pc) : -1;
    if (next < 0 || task_is_left_behind(e, t, next) || may_be_interrupted(e, t))
      return false;
    if ((unsigned)next == task)
      return true;
    t = (unsigned)next;
  }
  return false;
}

void bug_add_waiting(struct engine *e, struct bug *bug, unsigned task)
{
  const struct operation *op = &e->thread[task].pending;
  if (bug->parties == BUG_PARTIES)
    return;
  bug_add_party(e, bug, task, (enum op_kind)op->kind, op->addr, 0, op->pc);
  struct bug_party *party = &bug->party[bug->parties - 1];
  party->holder = task_waits_for(e, task, &party->holder_pc);
}
