/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of an exhaustive search: taken from the control block and handed in there. Between two units the process waits
 * at the start of an execution. All workers must know the same memory to be shared, or the steps of a unit would not be
 * those of the one who found it; so what others learnt comes with each unit.
 */
#include "worlds/threads/process/work.h"
#include "core/invariant.h"
#include "worlds/threads/memory/names.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/runtime.h"
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

/* Each is known from now on, and noted as found. */
static void share_all(const uint64_t *location, uint64_t bytes)
{
  for (uint64_t i = 0; i < bytes / sizeof *location; i++)
    shadow_learn(location[i]);
}

void work_relocate(void)
{
  struct control *c = rt.control;
  uint64_t layout = names_layout(), before = c->work.layout;
  c->work.layout = layout;
  if (!before || before == layout)
    return;
  shadow_clear();
  rt.engine->locations = 0;
  uint64_t known = c->answer_bytes[ANSWER_LOCATIONS];
  c->answer_bytes[ANSWER_LOCATIONS] = 0; /* each is written again where it was read */
  share_all(rt.engine->job.answer[ANSWER_LOCATIONS], known);
}

void work_know(void)
{
  const struct job job = control_job(rt.control);
  if (!rt.control->work.shared)
    share_all(job.part[JOB_LOCATIONS], job.bytes[JOB_LOCATIONS]);
}

/* The pages of what was read and is not needed again go back to the system: trees of witnesses may be large. */
static void give_back(const void *bytes, uint64_t size)
{
  uintptr_t from = ((uintptr_t)bytes + 4095) & ~(uintptr_t)4095, to = ((uintptr_t)bytes + size) & ~(uintptr_t)4095;
  if (from < to)
    sys(SYS_madvise, from, to - from, MADV_REMOVE);
}

void work_take(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  if (!c->work.given)
    return;
  e->job = control_job(c);
  share_all(e->job.part[JOB_LOCATIONS], e->job.bytes[JOB_LOCATIONS]);
  e->strategy->take(e->strategy_state, e->world, &e->job);
  give_back(e->job.part[JOB_UNIT], e->job.bytes[JOB_UNIT]);
  c->work.given = c->work.asked = c->work.learnt = 0;
  c->finished = 0;
}

void work_hand_in(bool only_lessons)
{
  struct engine *e = rt.engine;
  e->strategy->hand_in(e->strategy_state, e->world, &e->job, only_lessons);
  work_note_time();
  invariant(e->job.answered[ANSWER_HAND_IN] <= ANSWER_HAND_IN_MOST, "more was handed in than there is room for");
}

void work_note_time(void)
{
  static uint64_t before;
  struct timespec t;
  sys(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
  rt.control->work.worked += now - before;
  before = now;
}

void work_tell(void)
{
  struct control *c = rt.control;
  c->state = WORKER_HANDED;
  if (c->work.listener > 0)
    sys(SYS_kill, c->work.listener, SIGURG);
}

bool work_wait(void)
{
  struct control *c = rt.control;
  while (c->state == WORKER_HANDED)
    sys(SYS_futex, &c->state, FUTEX_WAIT, WORKER_HANDED, NULL, NULL, 0);
  if (c->state != WORKER_RUNNING)
    return false;
  work_take();
  return true;
}
