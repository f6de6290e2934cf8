/* SPDX-License-Identifier: Apache-2.0
 *
 * Hangs: an execution that passes the step limit. That it is long is no bug; that it never ends is one, and needs
 * proof: the same state twice. So it is watched for a while. From an anchor on, a step now and then, what every thread
 * holds by itself (world.h: local) and what the shared memory and the objects held that were used since is kept. When
 * all of it is as it was, and every thread that could have run meanwhile did, the threads can go on like that for ever,
 * under a fair scheduler too.
 *
 * Without proof the limit is raised, as long as that is allowed, and in the end the execution is cut off: it says
 * nothing.
 */
#include "core/engine.h"
#include "core/finding.h"
#include "core/key.h"
#include "core/observer.h"
#include "core/rng.h"
#include "core/waits.h"
#include "core/without_libc.h"

#define WINDOW 16384 /* steps that are watched */
#define KEYS 4096    /* words and objects that are used in them, a power of two */
#define FIRST_SPAN 32

struct watch {
  bool on;
  uint64_t anchor, span; /* the step it was set at, and how many steps it is good for */
  bool sound;            /* all that happened since is covered by what is kept */
  struct threadset ran, able;
  uint64_t local[MAX_THREADS];
  uint32_t keys;
  struct {
    uint64_t key, value;
  } seen[KEYS];
};

static bool hang_looks(const void *state, const struct engine *e)
{
  (void)e;
  return ((const struct watch *)state)->on;
}

static void hang_begin(void *state, struct engine *e)
{
  (void)e;
  ((struct watch *)state)->on = false;
}

/* ---- the state of what is shared ---- */

static uint64_t value_of(const struct engine *e, uint64_t key)
{
  const struct world *w = e->world;
  struct object_view object;
  if (!(key & KEY_NUMBERED))
    return w->state(w->self, NULL, key);
  return w->object(w->self, (uint32_t)key, &object) ? object.state : 0;
}

static void keep(struct watch *watch, const struct engine *e, uint64_t key)
{
  uint32_t at = (uint32_t)(mix64(key) & (KEYS - 1));
  while (watch->seen[at].key && watch->seen[at].key != key)
    at = (at + 1) & (KEYS - 1);
  if (watch->seen[at].key)
    return;
  if (++watch->keys > KEYS / 2) {
    watch->sound = false;
    return;
  }
  watch->seen[at].key = key;
  watch->seen[at].value = value_of(e, key);
}

/* What the step touches, before it does; steps that may touch anything else prove nothing. */
static void keep_all(struct watch *watch, const struct engine *e, const struct operation *op)
{
  if (op_is_memory(op->kind) && op->kind != OP_FREE) {
    for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length && watch->sound; g += 8)
      keep(watch, e, key_of_word(op->space, g));
    return;
  }
  bool idles = op->kind == OP_YIELD || op->kind == OP_SLEEP || op->kind == OP_FENCE || op->kind == OP_EVENT ||
               op->kind == OP_TESTCANCEL;
  bool on_object = op->object && op_table[op->kind].object != OBJECT_THREAD && !op_makes_object(op);
  if (!idles && !on_object)
    watch->sound = false;
  if (on_object)
    keep(watch, e, KEY_NUMBERED | op->object);
  if (on_object && op->second)
    keep(watch, e, KEY_NUMBERED | op->second);
}

/* ---- the anchor ---- */

/* Where a thread stands: what it holds by itself, where its code is, and which step of the call it is in comes next. 0:
 * not known. */
static uint64_t standing(const struct engine *e, unsigned t)
{
  const struct operation *op = &e->thread[t].pending;
  uint64_t local = e->world->local(e->world->self, t);
  return local ? mix64(local + op->kind + mix64(op->addr + mix64(op->pc))) | 1 : 0;
}

static void set_anchor(struct watch *watch, const struct engine *e)
{
  watch->anchor = e->step;
  watch->span *= 2;
  watch->sound = e->world->timeless(e->world->self);
  watch->ran = watch->able = (struct threadset){{0}};
  for (unsigned t = 0; t < e->threads; t++)
    watch->local[t] = standing(e, t);
  watch->keys = 0;
  fill_bytes(watch->seen, 0, sizeof watch->seen);
}

static bool threads_are_back(const struct watch *watch, const struct engine *e)
{
  THREADSET_EACH(t, &watch->ran) /* who did not run stands where it stood */
  {
    if (!watch->local[t] || standing(e, t) != watch->local[t])
      return false;
  }
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    if (watch->able.word[i] & ~watch->ran.word[i])
      return false;
  return true;
}

static bool all_is_back(const struct watch *watch, const struct engine *e)
{
  for (unsigned i = 0; i < KEYS; i++)
    if (watch->seen[i].key && value_of(e, watch->seen[i].key) != watch->seen[i].value)
      return false;
  return true;
}

static void report(struct engine *e, bool livelock)
{
  struct bug *bug = bug_new(e, BUG_HANG, bug_key_of(e, BUG_HANG, 0, 0)); /* one bug, wherever it is cut off */
  bug->detail = livelock;
  bug_text(bug, "livelock: the threads only repeat themselves and nothing changes any more");
  for (unsigned t = 0; t < e->threads; t++)
    if (task_waits(e, t)) {
      const struct operation *op = &e->thread[t].pending;
      bug_add_party(e, bug, t, (enum op_kind)op->kind, op->addr, op->length, op->pc);
    }
  bug_declare(e, bug);
}

static void hang_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct watch *watch = state;
  const struct threadset *enabled = engine_enabled(e);
  bool back = watch->sound && e->step > watch->anchor && standing(e, task) == watch->local[task];
  if (back && threads_are_back(watch, e) && all_is_back(watch, e)) {
    report(e, true);
    return;
  }
  if (!watch->anchor || e->step - watch->anchor >= watch->span || !watch->sound)
    set_anchor(watch, e);
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    watch->able.word[i] |= enabled->word[i];
  threadset_add(&watch->ran, task);
  keep_all(watch, e, op);
}

/* ---- the limit ---- */

static void set_watching(struct watch *watch, struct engine *e, bool on)
{
  watch->on = on;
  e->world->attend(e->world->self, on);
  watchers_choose(&e->watchers, e);
}

static void start_watching(struct watch *watch, struct engine *e)
{
  set_watching(watch, e, true);
  watch->anchor = 0;
  watch->span = FIRST_SPAN;
  e->max_steps += WINDOW;
}

/* How often the limit may be doubled: patience that was in vain is not given again. */
static unsigned raises(const struct engine *e)
{
  unsigned most = e->control->config.raises;
  switch (e->control->in_vain) {
  case 0:
    return most;
  case 1:
    return most > 1;
  default:
    return 0;
  }
}

static enum stop too_long(struct watch *watch, struct engine *e)
{
  if (e->step < e->first_limit << raises(e) && e->world->hasten_timer(e->world->self)) {
    e->max_steps += e->first_limit; /* it may wait for that in a loop */
    return STOP_GO_ON;
  }
  if (!watch->on) {
    start_watching(watch, e);
    return STOP_GO_ON;
  }
  set_watching(watch, e, false);
  if (e->step < e->first_limit << raises(e)) {
    e->max_steps = e->step * 2; /* it may just be long */
    return STOP_GO_ON;
  }
  e->control->in_vain++;
  return STOP_END;
}

/* A schedule of a hang is followed to its end; that the program still goes on there is the bug again. */
static enum stop schedule_over(struct engine *e)
{
  char words[8];
  uint32_t hang = e->control->config.replay_hang;
  if (!hang || !e->strategy->expected || e->strategy->expected(e->strategy_state, words, sizeof words))
    return STOP_UNEXPLAINED;
  report(e, hang == 2);
  return STOP_END;
}

static enum stop hang_stopped(void *state, struct engine *e, unsigned why)
{
  if (why == NEXT_TOO_LONG)
    return too_long(state, e);
  return why == NEXT_DIVERGED ? schedule_over(e) : STOP_UNEXPLAINED;
}

const struct observer observer_hang = {.name = "hang",
                                       .state_size = sizeof(struct watch),
                                       .begin = hang_begin,
                                       .looks = hang_looks,
                                       .about = hang_about,
                                       .stopped = hang_stopped};
