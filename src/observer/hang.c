/* SPDX-License-Identifier: Apache-2.0
 *
 * Hangs: an execution that passes the step limit. To tell a livelock from a run that is merely long, it is watched a
 * little further: what every thread does, where, on what and with which value. If the second half of that time brings
 * nothing that the first half did not have, the threads only repeat themselves. A thread that could have run in all that
 * time and was never let makes the schedule unfair: no real scheduler does that, so it is no hang of the program.
 */
#include "core/observer.h"
#include "core/rng.h"
#include "runtime/runtime.h"
#include "runtime/util.h"

#define WINDOW 8192 /* steps of each half */
#define SEEN_BITS 18

static uint8_t *seen; /* a bit for each hash of something done */
static bool watching;
static uint64_t start, fresh;
static struct threadset ran; /* in this half */

static void hang_begin(void)
{
  watching = false;
}

static void watch(void)
{
  watching = true;
  start = rt.engine->step;
  fresh = 0;
  ran = (struct threadset){{0}};
  if (!seen)
    seen = private_memory(1u << (SEEN_BITS - 3));
  fill_bytes(seen, 0, 1u << (SEEN_BITS - 3));
  rt.engine->max_steps += 2 * WINDOW;
}

static void demand_fairness(void)
{
  THREADSET_EACH(t, &rt.engine->enabled)
  {
    if (!threadset_has(&ran, t)) {
      rt.cut = true;
      execution_end();
    }
  }
}

static void hang_event(unsigned thread, const struct operation *op)
{
  if (likely(!watching))
    return;
  uint64_t value = 0;
  if (rt.engine->step == start + WINDOW) {
    demand_fairness();
    ran = (struct threadset){{0}};
  }
  threadset_add(&ran, thread);
  if (op_is_memory(op->kind) && op->length <= 8)
    copy_bytes(&value, (void *)op->addr, op->length);
  else if (op->object)
    value = (uint64_t)object_by_id(op->object)->owner << 32 | object_by_id(op->object)->count;
  uint64_t h = mix64(mix64(mix64(op->pc + thread) + op->addr) + value) >> (64 - SEEN_BITS);
  bool known = seen[h >> 3] >> (h & 7) & 1;
  if (!known && rt.engine->step > start + WINDOW)
    fresh++;
  seen[h >> 3] |= (uint8_t)(1u << (h & 7));
}

void hang_report(bool livelock)
{
  const struct engine *e = rt.engine;
  struct bug *bug = bug_new(BUG_HANG, bug_key_of(BUG_HANG, 0, 0)); /* one bug, wherever it is cut off */
  bug->detail = livelock;
  if (livelock)
    bug_text(bug, "livelock: the threads only repeat themselves and nothing changes any more");
  else
    bug_text(bug, "no end after %lu steps; if it is meant to run so long, raise --max-steps",
             rt.control->config.max_steps);
  for (unsigned t = 0; t < e->threads; t++)
    if (e->thread[t].alive && !rt.thread[t].finished && !rt.thread[t].system) {
      const struct operation *op = &e->thread[t].pending;
      bug_add_party(bug, t, (enum op_kind)op->kind, op->addr, op->length, op->pc);
    }
  bug_declare(bug);
}

static bool hang_stopped(unsigned why)
{
  if (why != NEXT_TOO_LONG)
    return false;
  if (!watching) {
    watch();
    return true;
  }
  demand_fairness();
  hang_report(fresh == 0);
  return false;
}

const struct observer observer_hang = {
    .name = "hang", .begin = hang_begin, .event = hang_event, .stopped = hang_stopped};
