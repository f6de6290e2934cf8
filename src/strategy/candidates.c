/* SPDX-License-Identifier: Apache-2.0
 *
 * Candidates, see the header.
 */
#include "strategy/candidates.h"

/* Of a thread some calls can be fixed that go when all of it does; but for the first, which stands for the thread. */
static bool is_fixed_thread(const struct candidates *c, uint32_t thread)
{
  return c->has_fixed && subset_has(&c->fixed, thread, 0);
}

static bool is_fixed_call(const struct candidates *c, uint32_t thread, uint32_t call)
{
  return c->has_fixed && (call == 0 || subset_has(&c->fixed, thread, call));
}

/* A reduction never ends with nothing. A thread whose first call is fixed can do without all others, so that one is a
 * factor, too, which nobody leaves out. */
static bool is_factor(const struct candidates *c, uint32_t call)
{
  return subset_has(&c->kept, c->thread, call) && (call == 0 || !is_fixed_call(c, c->thread, call));
}

static void begin_threads(struct candidates *c)
{
  c->stage = REDUCE_THREADS;
  c->removed = false;
  c->factors = 0;
  for (uint32_t t = 0; t < c->kept.threads; t++)
    if (subset_has_thread(&c->kept, t) && !is_fixed_thread(c, t))
      c->factor[c->factors++] = t;
  reduce_open(&c->reduction, c->factors);
}

static void begin_calls(struct candidates *c)
{
  c->stage = REDUCE_CALLS;
  c->factors = 0;
  for (uint32_t call = 0; call < c->kept.calls; call++)
    if (is_factor(c, call))
      c->factor[c->factors++] = call;
  reduce_open(&c->reduction, c->factors);
}

/* The first thread from this one on that is left. False: there is none. */
static bool begin_thread(struct candidates *c, uint32_t from)
{
  for (c->thread = from; c->thread < c->kept.threads; c->thread++)
    if (subset_has_thread(&c->kept, c->thread)) {
      begin_calls(c);
      return true;
    }
  return false;
}

void candidates_open(struct candidates *c, uint32_t threads, uint32_t calls, const struct subset *fixed)
{
  subset_fill(&c->kept, threads, calls);
  c->has_fixed = fixed;
  if (fixed)
    c->fixed = *fixed;
  begin_threads(c);
}

/* False: nothing that could be. */
static bool leave_out(struct candidates *c, struct reduce_range range)
{
  bool any = false;
  c->tried = c->kept;
  for (uint32_t i = range.from; i < range.to; i++) {
    bool fixed = c->stage == REDUCE_CALLS && is_fixed_call(c, c->thread, c->factor[i]);
    any |= !fixed;
    if (c->stage == REDUCE_THREADS)
      subset_remove_thread(&c->tried, c->factor[i]);
    else if (!fixed)
      subset_remove(&c->tried, c->thread, c->factor[i]);
  }
  return any;
}

/* After a stage that has nothing more to try. False: all is over. */
static bool next_stage(struct candidates *c)
{
  if (c->stage == REDUCE_CALLS && subset_thread_count(&c->kept) > 1 && !is_fixed_thread(c, c->thread)) {
    c->stage = DROP_THREAD;
    return true;
  }
  if (begin_thread(c, c->stage == REDUCE_THREADS ? 0 : c->thread + 1))
    return true;
  if (!c->removed)
    return false;
  begin_threads(c);
  return true;
}

bool candidates_next(struct candidates *c)
{
  struct reduce_range range;
  for (;;) {
    if (c->stage == DROP_THREAD) {
      c->tried = c->kept;
      subset_remove_thread(&c->tried, c->thread);
      return true;
    }
    if (c->stage != THREAD_DONE && reduce_next(&c->reduction, &range)) {
      if (leave_out(c, range))
        return true;
      reduce_tell(&c->reduction, true);
      continue;
    }
    if (!next_stage(c))
      return false;
  }
}

void candidates_tell(struct candidates *c, bool fails)
{
  if (fails) {
    c->kept = c->tried;
    c->removed = true;
  }
  if (c->stage != DROP_THREAD)
    reduce_tell(&c->reduction, fails);
  else
    c->stage = THREAD_DONE;
}
