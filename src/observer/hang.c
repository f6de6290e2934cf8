/* SPDX-License-Identifier: Apache-2.0
 *
 * Hangs: an execution that passes the step limit. That it is long is no bug; that it never ends is one, and needs proof: the
 * same state twice. So it is watched for a while. From an anchor on, a step now and then, what every thread holds by itself
 * (world.h: local) and what the shared memory and the objects held that were used since is kept. When all of it is as it was,
 * and every thread that could have run meanwhile did, the threads can go on like that for ever, under a fair scheduler too.
 *
 * Without proof the limit is raised, as long as that is allowed, and in the end the execution is cut off: it says nothing.
 */
#include "core/observer.h"
#include "core/rng.h"
#include "runtime/outside.h"
#include "runtime/runtime.h"
#include "runtime/timers.h"
#include "runtime/util.h"

#define WINDOW 16384 /* steps that are watched */
#define KEYS 4096    /* words and objects that are used in them, a power of two */
#define FIRST_SPAN 32

static struct {
  bool on;
  uint64_t anchor, span; /* the step it was set at, and how many steps it is good for */
  bool sound;            /* all that happened since is covered by what is kept */
  struct threadset ran, able;
  uint64_t local[MAX_THREADS];
  uint32_t keys;
  struct {
    uint64_t key, value;
  } seen[KEYS];
} *watch;

static void hang_begin(void)
{
  if (watch)
    watch->on = false;
}

/* ---- the state of what is shared ---- */

static uint64_t set_number(const struct threadset *set)
{
  uint64_t h = 0;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    h = mix64(h ^ set->word[i]);
  return h;
}

static uint64_t object_number(const struct object *o)
{
  uint64_t h = mix64((uint64_t)(uint32_t)o->owner << 32 | o->count) + mix64(o->phase) + o->destroyed;
  return h + set_number(&o->waiters) + mix64(set_number(&o->signalled)) + mix64(set_number(&o->readers) + 1);
}

#define OBJECT_KEY (UINT64_C(1) << 63)

static uint64_t value_of(uint64_t key)
{
  return key & OBJECT_KEY ? object_number(object_by_id((uint32_t)key)) : memory_content(key);
}

static void keep(uint64_t key)
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
  watch->seen[at].value = value_of(key);
}

/* What the step touches, before it does; steps that may touch anything else prove nothing. */
static void keep_all(const struct operation *op)
{
  if (op_is_memory(op->kind) && op->kind != OP_FREE) {
    for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length && watch->sound; g += 8)
      keep(g);
    return;
  }
  bool idles = op->kind == OP_YIELD || op->kind == OP_SLEEP || op->kind == OP_FENCE || op->kind == OP_EVENT ||
               op->kind == OP_TESTCANCEL;
  bool on_object = op->object && op_table[op->kind].object != OBJECT_THREAD && !op_makes_object(op);
  if (!idles && !on_object)
    watch->sound = false;
  if (on_object)
    keep(OBJECT_KEY | op->object);
  if (on_object && op->second)
    keep(OBJECT_KEY | op->second);
}

/* ---- the anchor ---- */

/* Where a thread stands: what it holds by itself, and which step of the call it is in comes next. 0: not known. */
static uint64_t standing(unsigned t)
{
  const struct operation *op = &rt.engine->thread[t].pending;
  return rt.local[t] ? mix64(rt.local[t] + op->kind + mix64(op->addr)) | 1 : 0;
}

static void set_anchor(void)
{
  const struct engine *e = rt.engine;
  watch->anchor = e->step;
  watch->span *= 2;
  watch->sound = timers_next() == INT64_MAX;
  watch->ran = watch->able = (struct threadset){{0}};
  for (unsigned t = 0; t < e->threads; t++)
    watch->local[t] = standing(t);
  watch->keys = 0;
  fill_bytes(watch->seen, 0, sizeof watch->seen);
}

static bool threads_are_back(void)
{
  THREADSET_EACH(t, &watch->ran) /* who did not run stands where it stood */
  {
    if (!watch->local[t] || standing(t) != watch->local[t])
      return false;
  }
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    if (watch->able.word[i] & ~watch->ran.word[i])
      return false;
  return true;
}

static bool all_is_back(void)
{
  for (unsigned i = 0; i < KEYS; i++)
    if (watch->seen[i].key && value_of(watch->seen[i].key) != watch->seen[i].value)
      return false;
  return true;
}

static void hang_event(unsigned thread, const struct operation *op)
{
  if (likely(!watch || !watch->on))
    return;
  const struct threadset *enabled = engine_enabled(rt.engine);
  bool back = watch->sound && rt.engine->step > watch->anchor && standing(thread) == watch->local[thread];
  if (back && threads_are_back() && all_is_back())
    hang_report(true);
  if (!watch->anchor || rt.engine->step - watch->anchor >= watch->span || !watch->sound)
    set_anchor();
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    watch->able.word[i] |= enabled->word[i];
  threadset_add(&watch->ran, thread);
  keep_all(op);
}

/* ---- the limit ---- */

static void start_watching(void)
{
  if (!watch)
    watch = private_memory(sizeof *watch);
  watch->on = true;
  for (unsigned t = 0; t < MAX_THREADS && !(rt.keeps_local & LOCAL_FOR_SEARCH); t++)
    rt.local[t] = 0; /* of another time */
  watch->anchor = 0;
  watch->span = FIRST_SPAN;
  rt.keeps_local |= LOCAL_FOR_HANG;
  memory_retag(); /* what is private from now on is watched */
  rt.engine->max_steps += WINDOW;
}

void hang_report(bool livelock)
{
  const struct engine *e = rt.engine;
  struct bug *bug = bug_new(BUG_HANG, bug_key_of(BUG_HANG, 0, 0)); /* one bug, wherever it is cut off */
  bug->detail = livelock;
  bug_text(bug, "livelock: the threads only repeat themselves and nothing changes any more");
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
  struct engine *e = rt.engine;
  uint32_t *raises = &rt.control->config.raises;
  if (e->step < e->first_limit << *raises && timers_come_due()) {
    e->max_steps += e->first_limit; /* it may wait for that in a loop */
    return true;
  }
  if (!watch || !watch->on) {
    start_watching();
    return true;
  }
  watch->on = false;
  rt.keeps_local &= (uint8_t)~LOCAL_FOR_HANG;
  outside_suspect();
  if (e->step < e->first_limit << *raises) {
    e->max_steps = e->step * 2; /* it may just be long */
    return true;
  }
  *raises = *raises > 1; /* all that patience was in vain: other executions get less of it */
  rt.cut = true;
  return false;
}

const struct observer observer_hang = {
    .name = "hang", .begin = hang_begin, .event = hang_event, .stopped = hang_stopped};
