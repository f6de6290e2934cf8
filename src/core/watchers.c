/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling all observers of an engine (observer.h). Nothing is decided here.
 */
#include "core/invariant.h"
#include "core/observer.h"

void watchers_add(struct watchers *w, const struct observer *observer, void *state)
{
  invariant(w->count < OBSERVERS_MOST, "there are more observers than OBSERVERS_MOST");
  w->watcher[w->count++] = (struct watcher){observer, state};
}

#define EACH_WATCHER(x, w, method)                                                                                     \
  for (const struct watcher *x = (w)->watcher; x < (w)->watcher + (w)->count; x++)                                     \
    if (x->observer->method)

void watchers_choose(struct watchers *w, const struct engine *e)
{
  w->looking[false] = w->looking[true] = w->awaiting = w->holding = w->keeping = 0;
  for (const struct watcher *x = w->watcher; x < w->watcher + w->count; x++) {
    const struct observer *o = x->observer;
    if (o->looks && !o->looks(x->state, e))
      continue;
    if (o->about)
      w->look[true][w->looking[true]++] = *x;
    if (o->about && !o->only_memory)
      w->look[false][w->looking[false]++] = *x;
    if (o->performed)
      w->await[w->awaiting++] = *x;
    if (o->admits && (!o->holds || o->holds(x->state, e)))
      w->hold[w->holding++] = *x;
    if (o->unseen)
      w->keep[w->keeping++] = *x;
  }
}

void watchers_begin(struct watchers *w, struct engine *e)
{
  EACH_WATCHER(x, w, begin)
  x->observer->begin(x->state, e);
  watchers_choose(w, e);
}

void watchers_about(struct watchers *w, struct engine *e, unsigned task, const struct operation *op)
{
  bool memory = op_concerns_memory(op->kind);
  for (const struct watcher *x = w->look[memory], *end = x + w->looking[memory]; x < end; x++)
    x->observer->about(x->state, e, task, op);
}

void watchers_performed(struct watchers *w, struct engine *e, unsigned task, const struct operation *op,
                        const struct effect *effect)
{
  for (unsigned i = 0; i < w->awaiting; i++)
    w->await[i].observer->performed(w->await[i].state, e, task, op, effect);
}

bool watchers_admit(struct watchers *w, const struct engine *e, unsigned task, const struct operation *op)
{
  for (unsigned i = 0; i < w->holding; i++)
    if (!w->hold[i].observer->admits(w->hold[i].state, e, task, op))
      return false;
  return true;
}

bool watchers_mind(struct watchers *w, const struct engine *e, unsigned task, const struct operation *op)
{
  for (unsigned i = 0; i < w->holding; i++) {
    const struct watcher *x = &w->hold[i];
    if (x->observer->matters && x->observer->matters(x->state, e, task, op))
      return true;
  }
  return false;
}

bool watchers_unseen(struct watchers *w, struct engine *e, unsigned task, const struct operation *op)
{
  bool kept = false;
  for (unsigned i = 0; i < w->keeping; i++)
    kept |= w->keep[i].observer->unseen(w->keep[i].state, e, task, op);
  return kept;
}

void watchers_unseen_only_read(struct watchers *w, uintptr_t addr, uint8_t order)
{
  for (unsigned i = 0; i < w->keeping; i++)
    w->keep[i].observer->unseen_only_read(w->keep[i].state, addr, order);
}

bool watchers_stopped(struct watchers *w, struct engine *e, unsigned why)
{
  enum stop stop = STOP_UNEXPLAINED;
  EACH_WATCHER(x, w, stopped)
  {
    if (stop == STOP_UNEXPLAINED)
      stop = x->observer->stopped(x->state, e, why);
  }
  return stop == STOP_GO_ON;
}

void watchers_declare(struct watchers *w, struct engine *e, struct bug *bug)
{
  EACH_WATCHER(x, w, declares)
  x->observer->declares(x->state, e, bug);
}

void watchers_renew(struct watchers *w, struct engine *e, uintptr_t addr, size_t size)
{
  EACH_WATCHER(x, w, renewed)
  x->observer->renewed(x->state, e, addr, size);
}

void watchers_end(struct watchers *w, struct engine *e)
{
  EACH_WATCHER(x, w, end)
  x->observer->end(x->state, e);
}
