/* SPDX-License-Identifier: Apache-2.0
 *
 * Random descents, see the header. Knows steps and objects, but nothing of the search.
 */
#include "explore/descent.h"
#include "core/footprint.h"
#include "core/rng.h"
#include <string.h>

#define SCOUTS 8
#define SCOUTED_MOST (STEPS_MOST / 4) /* steps of scouts, where executions are long */
#define LEFT_ENOUGH 60
#define STEPS_MOST 1500 /* of all of them: a few milliseconds */
#define STEPS_BESIDE 8  /* what it takes to begin an execution, in steps */
/* For programs whose steps take longer: nobody notices, be the search as short as it may. */
#define NANOSECONDS_MOST UINT64_C(5000000)
#define TOUCHES_MOST 12  /* objects of a step that are looked at */
#define LEAST_SHARE 1e-6 /* of q, where the model says never */
#define LEAST_LATER 0.02

void descent_open(struct descent *p, uint32_t probes, bool reducing)
{
  p->left = 0;
  if (!probes)
    return;
  memset(p, 0, sizeof *p);
  p->left = probes + SCOUTS;
  p->scouts = SCOUTS;
  p->reducing = reducing;
}

/* ---- the model ---- */

/* NULL: there is no room. */
static struct descent_object *object_of(struct descent *p, uint64_t key)
{
  for (uint32_t i = (uint32_t)(mix64(key) % DESCENT_KEYS);; i = (i + 1) % DESCENT_KEYS) {
    struct descent_object *o = &p->object[i];
    if (o->key == key)
      return o;
    if (o->key)
      continue;
    if (p->objects >= DESCENT_KEYS / 2) {
      p->crowded = true;
      return NULL;
    }
    p->objects++;
    o->key = key;
    return o;
  }
}

static void begin_object(struct descent_object *o)
{
  o->readers = o->changers = o->version = 0;
  o->changer = 0;
  for (unsigned t = 0; t < DESCENT_THREADS; t++) {
    o->has_read[t] = o->has_changed[t] = 0;
    o->seen[t] = 0;
    o->readers |= (uint32_t)(o->reads[t] > 0) << t;
    o->changers |= (uint32_t)(o->changes[t] > 0) << t;
  }
}

void descent_begin(struct descent *p)
{
  p->left--;
  p->surprised = false;
  p->mantissa = 1;
  p->exponent = 0;
  for (unsigned i = 0; i < DESCENT_KEYS; i++)
    if (p->object[i].key)
      begin_object(&p->object[i]);
  p->sweepers = 0;
  for (unsigned t = 0; t < DESCENT_THREADS; t++) {
    p->has_swept[t] = p->has_stepped[t] = 0;
    p->sweepers |= (uint32_t)(p->sweeps[t] > 0) << t;
  }
}

/* One more was done of so many that there are by the model. */
static void count_down(struct descent *p, uint16_t *done, uint16_t all, uint32_t *who, unsigned thread)
{
  p->surprised |= *done >= all;
  *done += *done < UINT16_MAX;
  if (*done >= all)
    *who &= ~(UINT32_C(1) << thread);
}

/* Memory is told apart by the byte; accesses that only overlap are taken for different objects. NULL: it is none that
 * counts, or there is no room. */
static struct descent_object *touched(struct descent *p, const struct footprint *f)
{
  if (f->touch == TOUCH_STANDS_ON)
    return NULL;
  return object_of(p, f->length ? key_in_space(f->space, f->addr) : f->key);
}

enum swap_memory { SWAP_UNKNOWN, SWAP_SUCCEEDED, SWAP_FAILED };

static unsigned situation(const struct descent_object *o, unsigned thread, const struct operation *op)
{
  bool fresh = o->seen[thread] == o->version;
  return (unsigned)(mix64(o->key ^ mix64(o->changer ^ mix64(op->pc ^ (uint64_t)thread << 48 ^ fresh))) % DESCENT_SWAPS);
}

void descent_note(struct descent *p, unsigned thread, const struct operation *op)
{
  struct footprint footprint[FOOTPRINTS_MOST];
  p->crowded |= thread >= DESCENT_THREADS;
  if (p->crowded)
    return;
  if (op_is_global(op)) {
    count_down(p, &p->has_swept[thread], p->sweeps[thread], &p->sweepers, thread);
    return;
  }
  unsigned n = op_footprints(op, footprint);
  for (unsigned i = 0; i < n && i < TOUCHES_MOST; i++) {
    struct descent_object *o = touched(p, &footprint[i]);
    if (!o)
      continue;
    if (footprint[i].touch == TOUCH_READS)
      count_down(p, &o->has_read[thread], o->reads[thread], &o->readers, thread);
    else
      count_down(p, &o->has_changed[thread], o->changes[thread], &o->changers, thread);
    if (op_announced_kind(op) == OP_ATOMIC_RMW)
      p->swap[situation(o, thread, op)] = op->traits & OP_FAILED ? SWAP_FAILED : SWAP_SUCCEEDED;
    if (footprint[i].touch != TOUCH_READS) {
      o->version++;
      o->changer = mix64(op->pc ^ (uint64_t)thread << 48);
    }
    o->seen[thread] = o->version;
  }
}

static void keep_most(uint16_t *most, const uint16_t *seen)
{
  for (unsigned t = 0; t < DESCENT_THREADS; t++)
    most[t] = seen[t] > most[t] ? seen[t] : most[t];
}

static void learn(struct descent *p)
{
  keep_most(p->sweeps, p->has_swept);
  keep_most(p->steps, p->has_stepped);
  for (struct descent_object *o = p->object; o < p->object + DESCENT_KEYS; o++)
    if (o->key) {
      keep_most(o->reads, o->has_read);
      keep_most(o->changes, o->has_changed);
    }
}

bool descent_foresees_failure(struct descent *p, unsigned thread, const struct operation *op)
{
  if (op_announced_kind(op) != OP_ATOMIC_RMW || thread >= DESCENT_THREADS)
    return false;
  struct footprint footprint = footprint_of_access(op);
  const struct descent_object *o = touched(p, &footprint);
  enum swap_memory before = o ? p->swap[situation(o, thread, op)] : SWAP_SUCCEEDED;
  return before == SWAP_UNKNOWN ? o->seen[thread] != o->version : before == SWAP_FAILED;
}

/* ---- a node ---- */

/* What is known at a node, threads as bits. */
struct view {
  const struct choice *c;
  uint32_t alive, able, awake, to_come;
  uint32_t creators; /* will create threads */
  uint32_t waiting;  /* for the end of others; by then, it is taken for granted, nobody is left to disturb */
  uint32_t sweepers; /* may do what concerns everything, soon */
  uint32_t disturbed[DESCENT_THREADS];  /* by these, at some time: the step the thread is about to take */
  double share[DESCENT_THREADS];        /* of the classes: that step comes before all that depend on it */
  struct operation op[DESCENT_THREADS]; /* that step */
};

static uint32_t bits_of(const struct threadset *set)
{
  return (uint32_t)set->word[0];
}

#define EACH(t, set) for (uint32_t rest = (set), t; rest && (t = (uint32_t)__builtin_ctz(rest), 1); rest &= rest - 1)

static double left(const uint16_t *all, const uint16_t *done, unsigned t)
{
  return all[t] > done[t] ? all[t] - done[t] : 0;
}

/* What the object adds to the view of a thread that is about to touch it. Of n steps of one thread and k of others
 * whose order counts, the first is one of the n in n/(n + k) of all orders. */
static void look_at_object(struct view *v, unsigned t, const struct descent_object *o, bool reads)
{
  uint32_t others = (v->alive | v->to_come) & ~(UINT32_C(1) << t);
  double changes = 0, own = reads ? left(o->reads, o->has_read, t) : left(o->changes, o->has_changed, t);
  own = own > 0 ? own : 1;
  EACH(u, o->changers & others)
  changes += left(o->changes, o->has_changed, u);
  v->share[t] *= own / (own + changes);
  v->disturbed[t] |= o->changers;
  if (reads)
    return;
  v->disturbed[t] |= o->readers;
  EACH(u, o->readers & others)
  v->share[t] *= (own + changes) / (own + changes + left(o->reads, o->has_read, u));
}

static bool depend(const struct view *v, unsigned s, unsigned t)
{
  return op_steps_dependent(s, &v->op[s], t, &v->op[t]);
}

static void look_at_thread(struct descent *p, struct view *v, unsigned t)
{
  const struct operation *op = &v->op[t];
  struct footprint footprint[FOOTPRINTS_MOST];
  unsigned n = op_is_global(op) ? 0 : op_footprints(op, footprint);
  v->share[t] = 1;
  v->disturbed[t] = op_is_global(op) ? UINT32_MAX : v->sweepers;
  for (unsigned i = 0; i < n && i < TOUCHES_MOST; i++) {
    const struct descent_object *o = touched(p, &footprint[i]);
    if (o)
      look_at_object(v, t, o, footprint[i].touch == TOUCH_READS);
  }
  EACH(u, v->alive & ~(UINT32_C(1) << t))
  if (depend(v, t, u))
    v->disturbed[t] |= UINT32_C(1) << u;
  v->disturbed[t] &= (v->alive | v->to_come) & ~v->waiting;
  if (v->disturbed[t] & v->to_come)
    v->disturbed[t] |= v->creators & v->alive;
  v->share[t] = v->share[t] > LEAST_SHARE ? v->share[t] : LEAST_SHARE;
}

static void look(struct descent *p, struct view *v, const struct choice *c, const struct threadset *able,
                 const struct threadset *awake)
{
  const struct descent_object *creation = object_of(p, KEY_CREATION);
  *v = (struct view){.c = c, .able = bits_of(able), .awake = bits_of(awake)};
  v->to_come = c->threads < DESCENT_THREADS ? ~UINT32_C(0) << c->threads : 0;
  for (unsigned t = 0; t < c->threads; t++) {
    v->alive |= (uint32_t)c->thread[t].alive << t;
    v->op[t] = c->thread[t].pending;
    if (c->thread[t].alive)
      op_settle_swap(&v->op[t], descent_foresees_failure(p, t, &v->op[t]));
    if (c->thread[t].alive && c->thread[t].pending.kind == OP_JOIN && !threadset_has(c->enabled, t))
      v->waiting |= UINT32_C(1) << t;
  }
  v->creators = creation ? creation->changers : 0;
  v->sweepers = p->sweepers & v->able;
  EACH(t, v->alive)
  look_at_thread(p, v, t);
}

/* The threads whose steps must be tried here if this one's is: who could disturb it, who could disturb those, and so
 * on. */
static uint32_t closure_of(const struct view *v, unsigned t)
{
  uint32_t all = UINT32_C(1) << t, done = 0;
  while (all != done) {
    uint32_t fresh = all & ~done & v->alive;
    done = all;
    EACH(u, fresh)
    all |= v->disturbed[u];
  }
  return all & v->able;
}

/* The smallest set that will do, of those who are awake. */
static uint32_t candidates(const struct view *v)
{
  uint32_t best = v->awake;
  EACH(t, v->awake)
  {
    uint32_t set = closure_of(v, t) & v->awake;
    if (__builtin_popcount(set) < __builtin_popcount(best))
      best = set;
  }
  return best;
}

/* The share of the classes in which t comes first of the candidates: those in which it comes before all that depend on
 * it, and who sleeps by then does not. */
static double share_of(const struct view *v, unsigned t, uint32_t sleepers)
{
  double share = v->share[t];
  EACH(u, sleepers)
  if (!depend(v, t, u))
    share *= 1 - v->share[u] > LEAST_LATER ? 1 - v->share[u] : LEAST_LATER;
  return share;
}

static void multiply(struct descent *p, double by)
{
  p->mantissa *= by;
  for (; p->mantissa >= 0x1p32; p->exponent += 32)
    p->mantissa *= 0x1p-32;
}

static unsigned any_of(struct descent *p, const struct threadset *set)
{
  return threadset_nth(set, rng_below(&p->stream, threadset_count(set)));
}

/* One of them, by their shares. */
static unsigned draw(struct descent *p, uint32_t set, const double share[DESCENT_THREADS])
{
  unsigned chosen = 0;
  double sum = 0;
  EACH(t, set)
  sum += share[t];
  double at = (double)(rng_next(&p->stream) >> 11) * 0x1p-53 * sum;
  EACH(t, set)
  {
    chosen = t;
    at -= share[t];
    if (at < 0)
      break;
  }
  multiply(p, sum / share[chosen]);
  return chosen;
}

static unsigned pick_reduced(struct descent *p, const struct view *view, struct threadset *passed)
{
  uint32_t set = candidates(view), asleep = view->able & ~view->awake;
  double share[DESCENT_THREADS];
  EACH(t, set)
  share[t] = share_of(view, t, asleep | (set & ((UINT32_C(1) << t) - 1)));
  unsigned chosen = draw(p, set, share);
  passed->word[0] = set & ((UINT32_C(1) << chosen) - 1);
  return chosen;
}

static unsigned pick_any(struct descent *p, uint32_t set)
{
  double share[DESCENT_THREADS];
  EACH(t, set)
  share[t] = p->steps[t] > p->has_stepped[t] ? p->steps[t] - p->has_stepped[t] : 1;
  return draw(p, set, share);
}

unsigned descent_pick(struct descent *p, const struct choice *c, const struct threadset *able,
                      const struct threadset *awake, struct threadset *passed)
{
  struct view view;
  unsigned chosen;
  *passed = (struct threadset){0};
  p->crowded |= c->threads > DESCENT_THREADS;
  if (p->crowded)
    return any_of(p, awake);
  if (p->scouts || threadset_count(awake) == 1) {
    chosen = any_of(p, awake);
  } else if (p->reducing) {
    look(p, &view, c, able, awake);
    chosen = pick_reduced(p, &view, passed);
  } else {
    chosen = pick_any(p, bits_of(awake));
  }
  p->has_stepped[chosen] += p->has_stepped[chosen] < UINT16_MAX;
  return chosen;
}

unsigned descent_choose(struct descent *p, unsigned outcomes)
{
  multiply(p, outcomes);
  return rng_below(&p->stream, outcomes);
}

bool descent_end(struct descent *p, bool in_vain, const struct outcome *outcome, struct probe_line *line, bool *anew)
{
  bool scout = p->scouts > 0;
  p->scouts -= scout;
  p->walked += outcome->steps + STEPS_BESIDE;
  p->nanoseconds += outcome->nanoseconds;
  if (p->walked > SCOUTED_MOST)
    p->scouts = 0;
  if (p->crowded || p->walked > STEPS_MOST || p->nanoseconds > NANOSECONDS_MOST)
    p->left = 0;
  if (!p->crowded)
    learn(p);
  *anew = p->surprised && p->left > LEFT_ENOUGH && p->walked < STEPS_MOST / 2;
  *line = (struct probe_line){in_vain ? 0 : p->mantissa, in_vain ? 0 : p->exponent};
  return !scout && !p->crowded;
}
