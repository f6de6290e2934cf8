/* SPDX-License-Identifier: Apache-2.0
 *
 * See waits.h.
 */
#include "core/waits.h"

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

bool task_waits_in_circle(const struct engine *e, unsigned task)
{
  unsigned t = task;
  uintptr_t pc;
  for (unsigned i = 0; i < e->threads; i++) {
    int next = task_waits(e, t) ? task_waits_for(e, t, &pc) : -1;
    if (next < 0)
      return false;
    if ((unsigned)next == task)
      return true;
    t = (unsigned)next;
  }
  return false;
}
