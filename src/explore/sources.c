/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk through the tree of prefixes: following a course, going on from its end, and on to the next course; see
 * sources.h.
 */
#include "explore/sources.h"
#include "core/invariant.h"
#include "core/loss.h"

#define PATIENCE 5000 /* steps in a row, then another one: a loop may wait for it */
#define SMALLEST 3    /* words of the smallest block, as a power of two */

void sources_open(struct sources *s, const struct control_config *config)
{
  s->hashing = config->hashes;
  s->order.by_source = true;
  s->order.observed = config->equivalence == EQUIVALENCE_OBSERVED;
}

void sources_forget(struct sources *s)
{
  order_truncate(&s->order, 0);
  for (unsigned i = 0; i < SOURCES_CLASSES; i++)
    s->free_block[i] = 0;
  s->pool_used = s->explored_count = s->partings = s->course = s->top = s->kept = 0;
  s->finished = s->restart = s->redo = s->begun = false;
  s->lost = 0;
}

/* ---- memory ---- */

static unsigned class_of(uint32_t words)
{
  unsigned c = 0;
  while ((UINT32_C(1) << (c + SMALLEST)) < words)
    c++;
  return c;
}

uint32_t pool_take(struct sources *s, uint32_t words)
{
  unsigned c = class_of(words);
  uint32_t block = c < SOURCES_CLASSES ? s->free_block[c] : 0;
  if (block) {
    s->free_block[c] = s->pool[block - 1];
    return block;
  }
  if (c >= SOURCES_CLASSES || s->pool_used + (UINT64_C(1) << (c + SMALLEST)) > SOURCES_POOL) {
    s->lost |= LOST_TOO_LONG;
    return 0;
  }
  block = s->pool_used + 1;
  s->pool_used += UINT32_C(1) << (c + SMALLEST);
  return block;
}

void pool_give(struct sources *s, uint32_t block, uint32_t words)
{
  unsigned c = class_of(words);
  s->pool[block - 1] = s->free_block[c];
  s->free_block[c] = block;
}

static void drop_course(struct sources *s)
{
  if (s->course)
    pool_give(s, s->course, course_at(s, s->course)->words);
  s->course = 0;
}

static void drop_parting(struct sources *s)
{
  struct parting *h = &s->parting[--s->partings];
  while (h->done) {
    struct part_known *p = (struct part_known *)&s->pool[h->done - 1];
    uint32_t next = p->next;
    pool_give(s, h->done, sizeof *p / 4);
    h->done = next;
  }
}

/* ---- the course ---- */

static const struct course_step *next_step(const struct sources *s)
{
  const struct course *p = s->course ? (const struct course *)&s->pool[s->course - 1] : NULL;
  return p && s->position < p->steps ? (const struct course_step *)&p->step[s->step_at] : NULL;
}

static uint32_t words_of(const struct course_step *step)
{
  return (uint32_t)(sizeof *step / 4) + step->choices;
}

/* How much of the execution before is as the course says. */
static uint32_t shared_with_course(struct sources *s)
{
  const struct order *o = &s->order;
  const struct course *p = s->course ? course_at(s, s->course) : NULL;
  uint32_t n = 0, at = 0;
  while (p && n < p->steps && n < o->events) {
    const struct course_step *step = (const struct course_step *)&p->step[at];
    const struct order_event *e = &o->event[n];
    bool same = step->thread == e->thread && step->choices == e->choices;
    for (unsigned c = 0; same && c < e->choices; c++)
      same = ((const uint32_t *)(step + 1))[c] == o->choice[e->choice + c][1];
    if (!same)
      break;
    at += words_of(step);
    n++;
  }
  return n;
}

void sources_begin(struct sources *s)
{
  struct order *o = &s->order;
  s->kept = shared_with_course(s);
  order_truncate(o, s->kept);
  for (unsigned t = 0; t < MAX_THREADS; t++)
    o->woken[t] = o->cancelled[t] = o->signalled[t] = o->closed[t] = o->phantom[t] = o->cut[t] = 0;
  s->strayed = s->blocked = s->looked_in_course = s->freewheeling = s->redo = false;
  s->position = s->choice_at = s->step_at = s->current = 0;
  s->told = s->told_count = s->told_of_fresh = 0;
  s->since = 0;
  s->rounds.unsettled = s->held = s->waiting = (struct threadset){0};
  s->impatient = s->trying = false;
  for (uint32_t h = 0; h < s->partings; h++)
    if (s->parting[h].held)
      threadset_add(&s->held, s->parting[h].held - 1);
  s->aside = ASIDE_NOT;
}

/* ---- who goes on ---- */

/* What the search does not cover. */
/* A write that changes what its bytes do not show: the next one of its kind sees it, though it reads nothing. */
static bool is_seen_by_writes(const struct world *world, const struct operation *op)
{
  return world->stands_in && op_writes_memory(op->kind) && op->kind != OP_ATOMIC_RMW &&
         world->stands_in(world->self, op->addr);
}

static bool is_covered(const struct choice *c, const struct operation *op)
{
  bool far = op_is_global(op) && op->kind != OP_END;
  return !(far || c->holding || op_waits_for_system(op) || op_is_on_channels(op->kind) || op->kind == OP_TIMEDJOIN ||
           op->kind == OP_AIO_SUBMIT || op->kind == OP_PROPERTY ||
           op->traits & (OP_BEYOND | OP_CANCELLED | OP_SIGNALLED) || is_seen_by_writes(c->world, op));
}

static bool hurries(const struct sources *s, const struct choice *c, unsigned t)
{
  uint32_t last = s->order.last[t];
  const struct operation *op = &c->thread[t].pending;
  return op_is_invisible(op->kind) && !(last && op_idles_on(s->order.event[last - 1].op.kind, op->kind));
}

/* Those who do not look in vain; and the end of the program comes last. */
static struct threadset able(const struct sources *s, const struct choice *c)
{
  struct threadset set = *c->enabled;
  unsigned ends = MAX_THREADS;
  THREADSET_EACH(t, c->enabled)
  {
    if (c->thread[t].pending.kind == OP_END)
      ends = t;
    if (threadset_has(&s->held, t) || (s->vain.places && would_look_in_vain(&s->vain, &s->order, c, t)))
      threadset_remove(&set, t);
  }
  if (ends < MAX_THREADS && threadset_count(&set) > 1)
    threadset_remove(&set, ends);
  return set;
}

static unsigned next_after(const struct threadset *set, unsigned t)
{
  unsigned next = t + 1 < MAX_THREADS ? threadset_next(set, t + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(set, 0);
}

static unsigned by_itself(const struct sources *s, const struct choice *c, const struct threadset *set)
{
  THREADSET_EACH(t, set)
  {
    if (hurries(s, c, t))
      return t;
  }
  bool on = threadset_has(set, s->current) && !op_lets_others(&c->thread[s->current].pending);
  return on && c->step - s->since < PATIENCE ? s->current : next_after(set, s->current);
}

static void add_phantoms(struct sources *s, const struct world *world, const struct thread_state *thread,
                         unsigned threads, unsigned but)
{
  uint32_t links = s->order.links;
  for (unsigned t = 0; t < threads; t++)
    if (thread[t].alive && t != but)
      order_add_phantom(&s->order, world, t, &thread[t].pending, NULL, world->local(world->self, t), &links);
}

/* The last step was performed. */
static void settle(struct sources *s, const struct world *world, const struct thread_state *thread, unsigned threads,
                   bool inside)
{
  if (!s->position) {
    s->order.tasks = threads;
    return;
  }
  const struct order_event *last = &s->order.event[s->position - 1];
  if (op_announced_kind(&last->op) == OP_ATOMIC_RMW)
    order_settle_swap(&s->order, s->position - 1, thread[last->thread].failed == s->operation);
  order_settle_states(&s->order, s->position - 1, world);
  order_settle(&s->order, s->position - 1, world, thread, threads, inside);
}

/* ---- looks in vain ---- */

/* The step, + 1, by which the thread of the last one came where it stands, if that was a look. 0: it was none. */
static uint32_t last_look(const struct sources *s, const struct choice *c, struct vain_look *look)
{
  const struct order *o = &s->order;
  uint32_t e = s->position;
  unsigned t = e ? o->event[e - 1].thread : 0;
  if (!e || !c->thread[t].alive || op_is_invisible(c->thread[t].pending.kind))
    return 0;
  while (e && o->event[e - 1].thread == t && o->event[e - 1].hidden && !o->event[e - 1].links)
    e--;
  return e && o->event[e - 1].thread == t && look_of_event(look, o, &o->event[e - 1]) ? e : 0;
}

/* Back to where the thread stood: it is no step of any execution. One that the course asks for makes the course void;
 * else the execution comes again without it. */
static bool looked_in_vain(struct sources *s, const struct choice *c)
{
  struct vain_look look;
  uint32_t e = s->position > s->kept && !s->order.full ? last_look(s, c, &look) : 0;
  if (!e || (c->world->is_known && !c->world->is_known(c->world->self, look.key)))
    return false;
  const struct order_event *event = &s->order.event[e - 1];
  unsigned t = event->thread;
  uint64_t here = stands_at(t, &c->thread[t].pending, c->world->local(c->world->self, t));
  bool returns = here && look_returns(&s->order, event->previous, &look, here);
  s->restart |= returns && vain_add_place(&s->vain, look.pc) && s->begun;
  if (!vain_knows_place(&s->vain, look.pc))
    return false;
  vain_remember(&s->vain, &look, here);
  if (!returns)
    return false;
  s->looked_in_course = s->course && e <= course_at(s, s->course)->steps;
  s->redo = !s->looked_in_course;
  s->aside = ASIDE_REPORTED;
  return true;
}

/* Nobody can go on but those who wait in a loop. */
static unsigned freewheel(struct sources *s, const struct choice *c)
{
  unsigned round = rounds_next(&s->rounds, c);
  if (round == PICK_BLOCKED) {
    s->blocked = true;
    s->aside = ASIDE_REPORTED;
  }
  if (round != MAX_THREADS)
    return round;
  return s->current = next_after(c->enabled, s->current);
}

/* One of the held, of whose look it is not known where it leads; MAX_THREADS: there is none. */
static unsigned in_doubt(struct sources *s, const struct choice *c)
{
  THREADSET_EACH(t, c->enabled)
  {
    if (threadset_has(&s->held, t) && look_ahead(c->world, t, &c->thread[t].pending, &s->tried) &&
        vain_judge(&s->vain, &s->order, s->order.last[t], &s->tried) == IN_DOUBT)
      return t;
  }
  return MAX_THREADS;
}

/* It came out of its loop, or ended. The execution comes again, now that this is known. */
static void conclude_trial(struct sources *s, uint64_t here)
{
  vain_remember(&s->vain, &s->tried, here);
  s->redo = true;
  s->aside = ASIDE_REPORTED;
}

/* The next step of the one that tries; PICK_BLOCKED: it has. */
static unsigned go_on_trying(struct sources *s, const struct choice *c)
{
  unsigned t = s->current;
  if (threadset_has(c->enabled, t) && op_is_invisible(c->thread[t].pending.kind))
    return t;
  bool known = c->thread[t].alive;
  conclude_trial(s, known ? stands_at(t, &c->thread[t].pending, c->world->local(c->world->self, t)) : 0);
  return PICK_BLOCKED;
}

static unsigned get_stuck(struct sources *s, const struct choice *c)
{
  s->freewheeling = true;
  THREADSET_EACH(t, c->enabled)
  {
    if (would_look_in_vain(&s->vain, &s->order, c, t))
      threadset_add(&s->waiting, t);
    else
      s->impatient |= threadset_has(&s->held, t);
  }
  s->rounds.stood = 0;
  s->rounds.unsettled = *c->enabled;
  add_phantoms(s, c->world, c->thread, c->threads, MAX_THREADS);
  if (s->impatient) {
    s->blocked = true;
    s->aside = ASIDE_REPORTED;
    return PICK_BLOCKED;
  }
  return freewheel(s, c);
}

/* ---- an execution ---- */

/* The course cannot be followed, which should not be. */
static unsigned stray(struct sources *s)
{
  s->strayed = true;
  s->lost |= LOST_EQUIVALENCE;
  s->aside = ASIDE_REPORTED;
  return PICK_BLOCKED;
}

/* What the course is for has been found out to be in vain. */
static unsigned drop_part(struct sources *s)
{
  s->looked_in_course = true;
  s->aside = ASIDE_REPORTED;
  return PICK_BLOCKED;
}

static unsigned planned(struct sources *s, const struct choice *c, const struct course_step *step)
{
  if (!threadset_has(c->enabled, step->thread))
    return MAX_THREADS;
  s->told = s->course - 1 + (uint32_t)(offsetof(struct course, step) / 4) + s->step_at + (uint32_t)(sizeof *step / 4);
  s->told_count = step->choices;
  if (step->fresh)
    s->told_of_fresh = step->choices;
  s->fresh[s->position] = step->fresh;
  s->step_at += words_of(step);
  return step->thread;
}

unsigned sources_pick(struct sources *s, const struct choice *c)
{
  unsigned t;
  if (s->freewheeling)
    return freewheel(s, c);
  settle(s, c->world, c->thread, c->threads, false);
  s->choice_at = s->told_count = 0;
  if (looked_in_vain(s, c))
    return PICK_BLOCKED;
  const struct course_step *step = next_step(s);
  if (s->trying) {
    t = go_on_trying(s, c);
    if (t == PICK_BLOCKED)
      return t;
  } else if (step) {
    t = planned(s, c, step);
    if (t == MAX_THREADS)
      return stray(s);
    if (step->fresh && s->vain.places && would_look_in_vain(&s->vain, &s->order, c, t))
      return drop_part(s);
  } else {
    struct threadset set = able(s, c);
    bool stuck = threadset_empty(&set) || s->order.full;
    t = stuck ? in_doubt(s, c) : by_itself(s, c, &set);
    if (t == MAX_THREADS)
      return get_stuck(s, c);
    s->trying = stuck;
    s->fresh[s->position] = true;
  }
  const struct operation *op = &c->thread[t].pending;
  if (!is_covered(c, op)) {
    s->lost |= LOST_EQUIVALENCE;
    s->finished = true;
    return PICK_BLOCKED;
  }
  if (s->position >= s->kept)
    order_add(&s->order, c->world, t, op, NULL, c->world->local(c->world->self, t));
  else
    s->order.woken[t] = 0;
  s->operation = c->thread[t].operations;
  s->position++;
  if ((!op_is_invisible(op->kind) || s->trying) && t != s->current) {
    s->current = t;
    s->since = c->step;
  }
  return t;
}

unsigned sources_choose(struct sources *s, unsigned n)
{
  if (s->freewheeling || !s->position)
    return 0;
  uint32_t at = s->choice_at++;
  if (s->position <= s->kept) {
    const struct order_event *e = &s->order.event[s->position - 1];
    return at < e->choices ? s->order.choice[e->choice + at][1] : 0;
  }
  unsigned value = at < s->told_count ? s->pool[s->told + at] : 0;
  value = value < n ? value : 0;
  order_choose(&s->order, n, value);
  return value;
}

/* ---- the end of an execution ---- */

static bool divides(const struct order_event *e)
{
  if (e->op.kind == OP_END)
    return false;
  return e->choices || (!e->hidden && (e->links || event_is_wide(e)));
}

static uint32_t new_parting(struct sources *s, uint32_t at)
{
  if (s->partings == SOURCES_PARTINGS) {
    s->lost |= LOST_TOO_LONG;
    return 0;
  }
  s->parting[s->partings++] = (struct parting){.at = at};
  return s->partings;
}

/* What was planned or came by itself is explored now. The event that stands for the parting of the course. */
static uint32_t extend(struct sources *s)
{
  const struct order *o = &s->order;
  const struct course *p = s->course ? course_at(s, s->course) : NULL;
  uint32_t stands = 0;
  for (uint32_t i = 0; i < o->events; i++) {
    const struct order_event *e = &o->event[i];
    bool in_course = p && i < p->steps, its = in_course && p->thread == e->thread && p->nth == e->nth;
    stands = its ? i : stands;
    if (s->at[i] != UINT32_MAX)
      continue;
    uint32_t parting = in_course ? (its ? s->top : 0) : divides(e) ? new_parting(s, s->explored_count) : 0;
    s->at[i] = s->explored_count;
    s->explored[s->explored_count++] = (struct explored_event){.id = {e->thread, e->nth}, .parting = parting};
  }
  return stands;
}

/* Every read of the course has read from where it should, and choices were made where they were made before. */
static bool went_as_planned(struct sources *s)
{
  const struct order *o = &s->order;
  const struct course *p = s->course ? course_at(s, s->course) : NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; p && i < p->steps; i++) {
    const struct course_step *step = (const struct course_step *)&p->step[at];
    if (i >= o->events)
      return false;
    const struct order_event *e = &o->event[i];
    uint32_t thread = e->source ? o->event[e->source - 1].thread : 0, nth = e->source ? o->event[e->source - 1].nth : 0;
    if (!step->fresh && step->choices != e->choices)
      return false;
    if (step->reads && (step->source.nth != nth || (nth && step->source.thread != thread)))
      return false;
    at += words_of(step);
  }
  return true;
}

/* Orders of writes that are taken for the same and are seen nevertheless: that is not covered. */
static bool shows_more(const struct sources *s)
{
  for (uint32_t i = 0; i < s->order.events && !s->order.full; i++)
    if (s->fresh[i] && order_shows_more(&s->order, &s->order.event[i]))
      return true;
  return false;
}

/* The next course of the last parting that has one. False: there is none. */
static bool back_up(struct sources *s)
{
  drop_course(s);
  while (s->partings) {
    struct parting *h = &s->parting[s->partings - 1];
    h->held = 0;
    if (h->todo) {
      s->course = h->todo;
      s->top = s->partings;
      h->todo = course_at(s, s->course)->next;
      h->held = course_at(s, s->course)->held;
      s->explored_count = h->at;
      return true;
    }
    drop_parting(s);
  }
  s->finished = true;
  return false;
}

/* If the program ended while others were alive, or failed, not all was tried that they could have done before. */
static void finish_order(struct sources *s, const struct outcome *outcome)
{
  struct order *o = &s->order;
  settle(s, outcome->world, outcome->thread, outcome->threads, outcome->inside);
  unsigned last = outcome->inside && o->events ? o->event[o->events - 1].thread : MAX_THREADS;
  bool others = false;
  for (unsigned t = 0; t < outcome->threads; t++)
    others |= outcome->thread[t].alive && t != last;
  if (outcome->inside && others)
    s->lost |= LOST_BEFORE_END;
  add_phantoms(s, outcome->world, outcome->thread, outcome->threads, last);
}

bool sources_end(struct sources *s, const struct outcome *outcome)
{
  if (s->restart) {
    sources_forget(s);
    return true;
  }
  if (s->finished)
    return false;
  if (s->trying && !s->redo)
    conclude_trial(s, 0);
  if (s->redo)
    return true;
  if (s->strayed)
    return back_up(s);
  if (s->looked_in_course) {
    sources_add_waiting(s);
    return back_up(s);
  }
  if (!s->freewheeling)
    finish_order(s, outcome);
  if (outcome->too_long || s->order.full)
    s->lost |= LOST_TOO_LONG;
  if (s->freewheeling && !outcome->bug && !s->blocked)
    s->lost |= LOST_LOOP;
  if (shows_more(s))
    s->lost |= LOST_EQUIVALENCE;
  if (!went_as_planned(s)) {
    s->lost |= LOST_EQUIVALENCE;
    return back_up(s);
  }
  s->begun = true;
  sources_identify(s);
  s->class_hash = s->hashing ? sources_class(s) : 0;
  uint32_t stands = extend(s);
  sources_find_parts(s, outcome);
  sources_add_outcomes(s, stands);
  return back_up(s);
}
