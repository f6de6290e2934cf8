/* SPDX-License-Identifier: Apache-2.0
 *
 * Standing still for a debugger. The debugger has a breakpoint on heddle_stands() (packaging/heddle-gdb.py) and says in
 * the control block where to stand next; whether that is reached is found out here, so that the process runs at its own
 * speed until then. Nothing here changes what the program does: a replay that was looked at is the same
 * replay. */
#include "worlds/threads/process/debugger.h"
#include "worlds/threads/runtime.h"

struct steps {
  uint64_t count;
  unsigned previous; /* thread */
};

/* The objects of the execution, for the debugger to read: [1] up to [count]. */
struct {
  const struct object *objects;
  uint32_t count;
} heddle_known;

__attribute__((noinline, used)) void heddle_stands(void)
{
  __asm__ volatile("" ::: "memory"); /* whatever the debugger reads and writes */
}

/* Tell the debugger, and go on when it says so. */
static void debugger_stand(enum debugger_reason reason)
{
  heddle_known.objects = object_by_id(0);
  heddle_known.count = 0;
  while (object_known(heddle_known.count + 1))
    heddle_known.count++;
  bool stale = rt.engine->stale; /* who waits is to be read, as of now; but an effect may be half done */
  if (reason != STANDS_AT_END)
    engine_enabled(rt.engine);
  rt.engine->stale = stale;
  rt.control->debugger.reason = reason;
  heddle_stands();
  rt.control->debugger.reason = STANDS_NOT;
}

static void debugger_begin(void *state, struct engine *e)
{
  (void)e;
  *(struct steps *)state = (struct steps){0};
  struct debugger *d = &rt.control->debugger;
  d->stop_step = d->stop_switch = d->step = d->switches = d->switch_step = 0;
  debugger_stand(STANDS_AT_START);
}

/* Steps are those that are recorded (observer/trace.c). */
static void debugger_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct steps *steps = state;
  struct debugger *d = &rt.control->debugger;
  if (!engine_shows(e, op) || steps->count == CONTROL_TRACE_MAX)
    return;
  bool switched = steps->count++ && task != steps->previous;
  steps->previous = task;
  d->step = e->step;
  if (switched) {
    d->switches++;
    d->switch_step = e->step;
  }
  if ((!d->stop_step || e->step < d->stop_step) && (!d->stop_switch || d->switches < d->stop_switch))
    return;
  d->stop_step = d->stop_switch = 0;
  debugger_stand(STANDS_AT_STEP);
}

static void debugger_declares(void *state, struct engine *e, struct bug *bug)
{
  (void)state;
  const struct control *c = e->control;
  if (bug_ends_execution(bug, c->config.races, c->config.leaks) || bug->key == c->debugger.bug_key)
    debugger_stand(STANDS_AT_BUG);
}

static void debugger_end(void *state, struct engine *e)
{
  (void)state, (void)e;
  debugger_stand(STANDS_AT_END);
}

const struct observer observer_debugger = {.name = "debugger",
                                           .state_size = sizeof(struct steps),
                                           .begin = debugger_begin,
                                           .about = debugger_about,
                                           .declares = debugger_declares,
                                           .end = debugger_end};
