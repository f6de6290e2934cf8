/* SPDX-License-Identifier: Apache-2.0
 *
 * Races of an execution that has ended, and the witnesses that reverse them; see explorer.h.
 *
 * A race is an event e and a later step e' of another thread that depends on it, with nothing in between that happens
 * after e and before e', or only things that e' does not need in order to be possible: an unlock is no partner of the
 * lock that follows it, the lock before that unlock is. Whether e' is possible without e, and without all that happens
 * after e, is found from the states of its object that were noted along the chain. The later step may be a phantom: an
 * operation that was still pending when the execution ended.
 */
#include "core/channel.h"
#include "core/key.h"
#include "explore/explorer.h"
#include "explore/symmetry.h"
#include "explore/without.h"

uint32_t event_outcome(const struct order *o, const struct order_event *e, unsigned choices)
{
  uint32_t outcome = 0;
  for (unsigned i = 0; i < choices; i++)
    outcome = outcome_add(outcome, o->choice[e->choice + i][1]);
  return outcome;
}

/* ---- looks ---- */

/* What the late step sees without e, if it may be a look in vain. */
static bool look_without(const struct explorer *x, const struct order_event *late, uint32_t e, struct vain_look *out)
{
  const struct order *o = &x->order;
  if (!vain_knows_place(&x->vain, late->op.pc) || !late->links || !look_from(out, late->thread, &late->op, late->local))
    return false;
  const struct link *own = &o->link[late->link];
  if (own->key != out->key || order_interrupted(o, late->thread, &late->op))
    return false;
  bool object = key_is_object(out->key);
  out->sees = (object ? state_without(o, own, e) : order_state_without(o, own, e)) & order_part(out->bytes);
  return !(object && (out->sees || order_holds(o, late->thread, out->key, own->event)));
}

/* Whether the thread waits there instead. If that is in doubt, it is to be tried. */
static bool looks_in_vain_without(struct explorer *x, const struct order_event *late, uint32_t e)
{
  struct vain_look look;
  if (!look_without(x, late, e, &look))
    return false;
  enum look_verdict verdict = vain_judge(&x->vain, &x->order, late->previous, &look);
  if (verdict == IN_DOUBT && x->doubting) {
    x->doubt = look;
    x->doubt_at = e + 1;
  }
  return verdict != OF_USE;
}

/* ---- the witness ---- */

/* The step that a thread is about to take at the node before event e. */
static const struct order_event *pending_at(const struct order *o, uint32_t e, unsigned thread)
{
  const struct order_event *step = o->phantom[thread] ? &o->event[o->phantom[thread] - 1] : NULL;
  for (uint32_t f = o->last[thread]; f > e; f = o->event[f - 1].previous)
    step = &o->event[f - 1];
  return step;
}

/* Whether a step that could come instead of the event, or before it, depends on it. The round of an arrival at a
 * barrier is that of the place where it would come, and whoever fills the round puts it into the next. */
static bool step_depends(const struct order *o, const struct order_event *step, const struct order_event *g)
{
  bool arrivals = step->op.kind == OP_BARRIER_ARRIVE && g->op.kind == OP_BARRIER_ARRIVE;
  return (arrivals && g->opens && g->op.addr == step->op.addr) || order_dependent(o, step, g) ||
         (!step->links && order_watches(o, g, &step->op));
}

static void forget_cancellation(struct order_event *step)
{
  step->canceller = 0;
  step->op.traits &= ~OP_CANCELLED & OP_TRAITS;
}

static void forget_signal(struct order_event *step)
{
  step->signaller = 0;
  step->op.traits &= ~OP_SIGNALLED & OP_TRAITS;
}

/* A thread's pending step at the node before event e. failed: it is a compare-and-swap that does there. */
static struct order_event step_at(const struct order *o, uint32_t e, unsigned thread, bool failed)
{
  struct order_event step = *pending_at(o, e, thread);
  if (step.canceller > e)
    forget_cancellation(&step);
  if (step.signaller > e)
    forget_signal(&step);
  op_settle_swap(&step.op, failed);
  step.final = false; /* that the program ended in it is known of the sleeper, if it holds there */
  if (step.op.kind == OP_BARRIER_ARRIVE)
    step.op.arg = order_state_at(o, o->link[step.link].key, e, step.op.arg);
  if (order_meets_state(step.op.kind) && step.links)
    order_meet(&step.op, order_state_at(o, o->link[step.link].key, e, o->link[step.link].before));
  return step;
}

/* ---- what a sequence of steps says about another step ---- */

/* The sequence: all that does not happen after e, but for what was taken out of it (marked), and then the late step. */
struct sequence {
  uint32_t e;
  const struct order_event *late;
  bool late_out;
  uint8_t final;    /* enum ending: the late step ends the program there too, since it meets the same */
  bool fails;       /* the late step is a compare-and-swap that does, there */
  unsigned choices; /* of the late step whose outcome is wanted: one or none */
  uint32_t value;   /* that outcome */
  bool ends;        /* the late step has not come, since the program ended in e: that follows, and ends it there too */
  struct horizon *need; /* what must stay in it when it is cut down */
  uint32_t start, end;  /* nothing before is left in it, nothing from there on is needed */
};

enum meeting {
  WAKES,   /* something in the sequence depends on the step before the step itself comes */
  INITIAL, /* the step itself is in it and could come first */
  APART    /* it is not in it and depends on nothing in it: it could come first too */
};

static bool in_sequence(const struct explorer *x, const struct sequence *s, const struct order_event *g)
{
  return g != s->late && g->mark != x->stamp && !order_before(&x->order, s->e, g);
}

/* Whether a step that ends the program, if it does, must not come before the event. */
static bool ends_after(unsigned final, const struct order_event *g)
{
  return final == FINAL_OVER_ALL || (final && !g->hidden);
}

/* Without e, an arrival at a barrier, who filled the round does not, and who came in the next fills it. */
static bool shifts(const struct order *o, uint32_t e, const struct order_event *g)
{
  const struct order_event *out = &o->event[e];
  return out->op.kind == OP_BARRIER_ARRIVE && g->op.kind == OP_BARRIER_ARRIVE && g->op.addr == out->op.addr;
}

/* The step as it is without e: itself, or a changed copy. */
static const struct order_event *without(const struct order *o, uint32_t e, const struct order_event *g,
                                         struct order_event *copy)
{
  bool uncancelled = g->canceller && !stays(o, g->canceller, e), moves = shifts(o, e, g);
  if (!uncancelled && !moves)
    return g;
  *copy = *g;
  if (uncancelled)
    forget_cancellation(copy);
  if (moves) {
    copy->opens = g->op.arg > o->event[e].op.arg;
    copy->op.arg = o->event[e].op.arg;
  }
  return copy;
}

/* Whether it is the step with that outcome. Who fills a barrier chooses, and that may be another one now: it is tried
 * with all outcomes then. */
static bool comes_alike(const struct order *o, uint32_t e, const struct order_event *g, uint32_t outcome)
{
  return shifts(o, e, g) || event_outcome(o, g, g->choices) == outcome;
}

/* The late step as it comes there: a compare-and-swap may fail where it did not, and the other way round. */
static struct order_event late_without(const struct order *o, const struct sequence *s)
{
  struct order_event copy, late = *without(o, s->e, s->late, &copy);
  op_settle_swap(&late.op, s->fails);
  if (order_meets_state(late.op.kind) && late.links)
    order_meet(&late.op, state_without(o, &o->link[late.link], s->e));
  late.final = s->final;
  return late;
}

/* found: with INITIAL, the event; NULL for the late step. */
static enum meeting meet(struct explorer *x, struct sequence *s, const struct order_event *step, uint32_t outcome,
                         unsigned final, struct order_event **found)
{
  struct order *o = &x->order;
  struct order_event here, there;
  step = without(o, s->e, step, &here);
  while (s->start < o->events && !in_sequence(x, s, &o->event[s->start]))
    s->start++;
  for (uint32_t i = s->start; i < o->events; i++) {
    struct order_event *g = &o->event[i];
    if (!in_sequence(x, s, g))
      continue;
    bool same = g->thread == step->thread;
    if (same && comes_alike(o, s->e, g, outcome)) {
      *found = g;
      return INITIAL;
    }
    if (same || ends_after(final, g) || step_depends(o, step, without(o, s->e, g, &there))) {
      horizon_join(s->need, o, g);
      s->end = i >= s->end ? i + 1 : s->end;
      return WAKES;
    }
  }
  *found = NULL;
  if (!s->late_out && s->late->thread == step->thread)
    return s->choices && outcome_add(0, s->value) != outcome ? WAKES : INITIAL;
  struct order_event late = late_without(o, s), *end = &o->event[s->e];
  if (!s->late_out && (ends_after(final, &late) || step_depends(o, step, &late)))
    return WAKES;
  if (!s->ends || end->mark == x->stamp)
    return APART;
  bool same = end->thread == step->thread && event_outcome(o, end, end->choices) == outcome;
  *found = same ? end : NULL;
  return same ? INITIAL : end->thread == step->thread || step_depends(o, step, end) ? WAKES : APART;
}

static void need_if(const struct order *o, uint32_t e, const struct order_event *late, const struct order_event *f,
                    struct horizon *need)
{
  if (!horizon_has(need, f) && !order_before(o, e, f) && order_dependent(o, f, late))
    horizon_join(need, o, f);
}

/* All that the late step needs before it, e and what happens after e apart. */
static void needed_by(const struct order *o, uint32_t e, const struct order_event *came, bool fails,
                      struct horizon *need)
{
  struct order_event step = *came;
  const struct order_event *late = &step;
  op_settle_swap(&step.op, fails);
  horizon_clear(need);
  order_own_past(o, need, came);
  uint32_t floor = order_floor(late) > e + 1 ? order_floor(late) : e + 1;
  for (unsigned i = 0; i < late->links; i++)
    for (uint32_t l = o->link[late->link + i].prev; l && o->link[l - 1].event >= floor; l = o->link[l - 1].prev)
      need_if(o, e, late, &o->event[o->link[l - 1].event], need);
  struct zone_walk w = order_zones(o, late);
  for (uint32_t f; (f = zones_next(&w));)
    if (f > floor)
      need_if(o, e, late, &o->event[f - 1], need);
  uint32_t at = (uint32_t)(came - o->event);
  if (at > o->events)
    at = o->events;
  bool all = event_has_no_place(late);
  for (uint32_t f = all ? at : late->wide; f > floor; f = all ? f - 1 : o->event[f - 1].wide)
    need_if(o, e, late, &o->event[f - 1], need);
}

/* ---- putting it into the tree ---- */

uint32_t explorer_add_witness(struct explorer *x, struct witnesses *list, const struct order_event *g, unsigned choices)
{
  const struct order *o = &x->order;
  struct watched_key watched[ORDER_WATCHED];
  unsigned count = order_watched(o, g, watched);
  uint32_t w = witness_new(x, choices, count);
  if (!w)
    return 0;
  struct witness *at = witness_at(x, w);
  for (unsigned i = 0; i < count; i++)
    witness_watched(at)[i] = watched[i];
  at->op = g->op;
  at->thread = g->thread;
  at->nth = g->nth;
  at->outcome = event_outcome(o, g, choices);
  at->awaits = g->awaits;
  at->hidden = g->hidden;
  at->supposed = false;
  for (unsigned i = 0; i < choices; i++)
    at->choice[i] = o->choice[g->choice + i][1];
  witness_append(x, list, w);
  return w;
}

/* What follows the step is left to be found again. A step that is taken at once may come before its turn: then what
 * follows it is all there is to try. */
static bool is_enough(const struct explorer *x, const struct order_event *g)
{
  return x->thrifty && !x->probing && !g->hidden && g->op.kind != OP_CREATE;
}

/* What is left of the sequence becomes a branch of its own. */
static void grow(struct explorer *x, struct witnesses *list, const struct sequence *s)
{
  uint32_t w = 1;
  for (uint32_t i = s->start; w && i < s->end; i++) {
    const struct order_event *g = &x->order.event[i];
    if (!in_sequence(x, s, g) || !horizon_has(s->need, g))
      continue;
    w = explorer_add_witness(x, list, g, shifts(&x->order, s->e, g) ? 0 : g->choices);
    if (w && is_enough(x, g))
      return;
    if (w)
      list = &witness_at(x, w)->then;
  }
  if (w && !s->late_out) {
    w = explorer_add_witness(x, list, s->late, s->choices);
    if (!w)
      return;
    witness_at(x, w)->op = late_without(&x->order, s).op;
    witness_at(x, w)->final = s->final;
    witness_at(x, w)->supposed = op_waits_for_system(&s->late->op);
    if (s->choices) {
      witness_at(x, w)->choice[0] = s->value;
      witness_at(x, w)->outcome = outcome_add(0, s->value);
    }
    if (is_enough(x, s->late))
      return;
    list = &witness_at(x, w)->then;
  }
  const struct order_event *end = &x->order.event[s->e];
  if (w && s->ends && end->mark != x->stamp && (w = explorer_add_witness(x, list, end, end->choices)))
    witness_at(x, w)->final = end->final;
}

/* The step of a witness as an event. */
static struct order_event event_of(struct explorer *x, struct witness *w)
{
  struct order_event step = {.op = w->op, .thread = w->thread, .nth = w->nth, .hidden = w->hidden, .awaits = w->awaits};
  if (w->awaits)
    order_link_apart(&x->order, &step, witness_watched(w), w->watched);
  return step;
}

/* Whether more can be relied on of the subtree of a step than what begins with it: that whatever is apart from the step
 * comes there too. Not if only the first steps of branches are kept, nor if executions end where they come round. */
static bool has_what_is_apart(const struct explorer *x)
{
  return !x->thrifty && !x->comes_round;
}

/* The first step of a branch, or what a sleeper did, makes the sequence superfluous if it is part of it, or if its
 * subtree has it nevertheless; else what is apart from it keeps it from being found again below as long as it sleeps.
 */
static bool makes_superfluous(const struct explorer *x, enum meeting m)
{
  return m == INITIAL || (m == APART && has_what_is_apart(x));
}

/* Down the branches that begin as the sequence could. */
static void insert(struct explorer *x, struct witnesses *list, struct sequence *s)
{
  for (;;) {
    uint32_t w = list->first;
    enum meeting m = WAKES;
    struct order_event *found = NULL;
    for (; w; w = witness_at(x, w)->next) {
      struct order_event step = event_of(x, witness_at(x, w));
      m = meet(x, s, &step, witness_at(x, w)->outcome, witness_at(x, w)->final, &found);
      if (makes_superfluous(x, m))
        break;
    }
    if (!w) {
      grow(x, list, s);
      return;
    }
    if (found)
      found->mark = x->stamp;
    else if (m == INITIAL)
      s->late_out = true;
    list = &witness_at(x, w)->then;
    if (!list->first)
      return; /* whatever follows that branch is explored */
  }
}

/* Puts the sequence into the tree of the node before e, unless a sleeper's subtree has it. */
static void put(struct explorer *x, struct sequence *s)
{
  struct explorer_node *n = &x->node[s->e];
  struct order_event *found;
  uint32_t at = (uint32_t)(s->late - x->order.event);
  s->start = s->e + 1;
  s->end = at < x->order.events ? at : x->order.events;
  x->stamp++;
  needed_by(&x->order, s->e, s->late, s->fails, s->need);
  for (uint32_t i = 0; i < n->sleepers; i++) {
    const struct sleeper *sleeper = &x->sleeper[n->sleeper + i];
    struct order_event step = step_at(&x->order, s->e, sleeper->thread, sleeper->failed);
    if (makes_superfluous(x, meet(x, s, &step, sleeper->outcome, sleeper->final, &found)))
      return; /* its subtree has it */
  }
  insert(x, &n->waiting, s);
}

/* A late step that chooses depends on others only because the program ends, so its outcome is that of the choice: if it
 * ends the program itself, that outcome is wanted, and if it has not come yet, each. */
static void reverse(struct explorer *x, uint32_t e, const struct order_event *late)
{
  struct sequence s = {.e = e, .late = late, .fails = fails_without(&x->order, late, e), .need = &x->horizon[1]};
  struct order_event plain = *late;
  plain.final = false;
  struct order_event first = x->order.event[e];
  bool came = (uint32_t)(late - x->order.event) < x->order.events;
  first.final = false;
  bool apart = !order_dependent(&x->order, &first, &plain);
  s.final = apart ? late->final : 0;
  s.ends = x->order.event[e].final && !came && apart;
  bool chooses = late->op.kind == OP_CHOOSE && !event_is_wide(&plain);
  if (chooses && late->choices == 1 && s.final) {
    s.choices = 1;
    s.value = x->order.choice[late->choice][1];
    put(x, &s);
  } else if (chooses && !came && x->order.event[e].final) {
    s.choices = 1;
    for (s.value = 0; s.value < late->op.arg; s.value++) {
      s.late_out = false;
      put(x, &s);
    }
  } else {
    put(x, &s);
  }
}

/* ---- races ---- */

/* What is taken at once comes before the end of the program, and before what depends on all for no reason of its
 * own. */
static bool matters_to(const struct explorer *x, const struct order_event *f, const struct order_event *late)
{
  struct order_event plain = *late;
  plain.final = false;
  if (late->final)
    return !event_at_once(x, f) || (!event_is_wide(&plain) && order_dependent(&x->order, f, &plain));
  return !event_is_wide(late) || f->op.kind == OP_JOIN || !f->hidden;
}

static bool may_reverse(struct explorer *x, const struct order_event *f, const struct order_event *late)
{
  const struct order *o = &x->order;
  if (f->thread == late->thread || !matters_to(x, f, late) || !order_dependent(o, f, late))
    return false;
  if (op_is_global(&f->op) && late->hidden && late->op.kind != OP_JOIN)
    return false;
  uint32_t e = (uint32_t)(f - o->event);
  return possible_without(o, late, e) && !looks_in_vain_without(x, late, e);
}

/* One candidate. past: all that is ordered before the late step whatever the order of the races found so far. */
static void try_candidate(struct explorer *x, uint32_t e, const struct order_event *late, struct horizon *past)
{
  const struct order_event *f = &x->order.event[e];
  if (x->doubt_at || horizon_has(past, f) || !may_reverse(x, f, late))
    return;
  if (!x->doubting)
    reverse(x, e, late);
  horizon_join(past, &x->order, f);
}

static void sift(uint32_t *heap, uint32_t n, uint32_t at)
{
  for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && heap[child + 1] < heap[child])
      child++;
    if (heap[at] <= heap[child])
      return;
    uint32_t event = heap[at];
    heap[at] = heap[child];
    heap[child] = event;
  }
}

/* Descending. */
static void sort_events(uint32_t *event, uint32_t n)
{
  for (uint32_t i = n / 2; i-- > 0;)
    sift(event, n, i);
  while (n > 1) {
    uint32_t least = event[0];
    event[0] = event[--n];
    event[n] = least;
    sift(event, n, 0);
  }
}

/* Those in zones (+ 1), latest first; how many. */
static uint32_t candidates_in_zones(struct explorer *x, const struct order_event *late, const struct horizon *past)
{
  const struct order *o = &x->order;
  struct zone_walk w = order_zones(o, late);
  uint32_t n = 0;
  for (uint32_t f; (f = zones_next(&w));) {
    const struct order_event *g = &o->event[f - 1];
    if (!horizon_has(past, g) && n < ORDER_EVENTS)
      x->due[n++] = f;
    else if (!g->loose && order_dependent(o, g, late))
      zones_cover(&w, &g->op);
  }
  sort_events(x->due, n);
  return n;
}

/* Where the search for candidates is: in each chain, in zones, in the list of those that have no place. */
struct search {
  uint32_t at[OPERATION_LINKS];
  uint32_t zoned, zones;
  uint32_t wide;
};

static uint32_t latest(const struct explorer *x, const struct search *s, const struct order_event *late)
{
  const struct order *o = &x->order;
  uint32_t best = s->wide;
  if (s->zoned < s->zones && x->due[s->zoned] > best)
    best = x->due[s->zoned];
  for (unsigned i = 0; i < late->links; i++)
    if (s->at[i] && o->link[s->at[i] - 1].event + 1 > best)
      best = o->link[s->at[i] - 1].event + 1;
  return best > order_floor(late) ? best : 0;
}

/* The candidates in the order of their events, latest first. */
static void search_places(struct explorer *x, const struct order_event *late, struct horizon *past)
{
  const struct order *o = &x->order;
  struct search s = {.wide = late->wide, .zones = late->zones ? candidates_in_zones(x, late, past) : 0};
  for (unsigned i = 0; i < late->links; i++)
    s.at[i] = order_earlier(o, late, &o->link[late->link + i]);
  for (uint32_t best; (best = latest(x, &s, late));) {
    const struct order_event *f = &o->event[best - 1];
    try_candidate(x, best - 1, late, past);
    bool known = horizon_has(past, f) && order_dependent(o, f, late);
    if (s.wide == best)
      s.wide = known && event_ends_list(f) ? 0 : f->wide;
    while (s.zoned < s.zones && x->due[s.zoned] == best)
      s.zoned++;
    for (unsigned i = 0; i < late->links; i++)
      if (s.at[i] && o->link[s.at[i] - 1].event + 1 == best) {
        bool over = known && order_covers(o, f, late, &o->link[late->link + i]);
        s.at[i] = over ? 0 : order_earlier(o, late, &o->link[s.at[i] - 1]);
      }
  }
}

static void search_all(struct explorer *x, const struct order_event *late)
{
  struct horizon *past = &x->horizon[0];
  uint32_t at = (uint32_t)(late - x->order.event);
  horizon_clear(past);
  order_own_past(&x->order, past, late);
  if (!event_has_no_place(late)) {
    search_places(x, late, past);
    return;
  }
  for (uint32_t e = at < x->order.events ? at : x->order.events; e-- > order_floor(late);)
    try_candidate(x, e, late, past);
}

bool explorer_doubts(struct explorer *x, const struct order_event *late)
{
  x->doubting = true;
  x->doubt_at = 0;
  search_all(x, late);
  bool found = x->doubt_at;
  x->doubting = false;
  x->doubt_at = found ? x->doubt_at : 0;
  return found;
}

/* A late step that may be a look in vain is left for later, until that was tried. */
static void search(struct explorer *x, const struct order_event *late)
{
  bool doubts = vain_knows_place(&x->vain, late->op.pc) && explorer_doubts(x, late);
  x->doubt_at = 0;
  if (doubts)
    x->later[x->laters++] = (uint32_t)(late - x->order.event);
  else
    search_all(x, late);
}

void explorer_reverse(struct explorer *x, uint32_t late)
{
  search_all(x, &x->order.event[late]);
}

void explorer_grow_probe(struct explorer *x, uint32_t e, const struct order_event *late)
{
  uint32_t at = (uint32_t)(late - x->order.event);
  struct sequence s = {.e = e,
                       .late = late,
                       .fails = fails_without(&x->order, late, e),
                       .need = &x->horizon[1],
                       .start = e + 1,
                       .end = at < x->order.events ? at : x->order.events};
  x->stamp++;
  needed_by(&x->order, e, late, s.fails, s.need);
  grow(x, &x->probe, &s);
}

/* What the system had for it, another one took: it could have come before that. */
static void search_closed(struct explorer *x, const struct order_event *late)
{
  if (!late->closed)
    return;
  struct horizon *past = &x->horizon[0];
  horizon_clear(past);
  if (late->previous)
    horizon_join(past, &x->order, &x->order.event[late->previous - 1]);
  try_candidate(x, late->closed - 1, late, past);
}

/* What a blocked thread waits for, be it in a loop, may have been there earlier; and when the program ends, all that
 * could still have run might have run before its last step. */
static void search_phantoms(struct explorer *x, const struct outcome *outcome)
{
  struct order *o = &x->order;
  const struct order_event *last = o->events ? &o->event[o->events - 1] : NULL;
  for (unsigned t = 0; t < outcome->threads; t++) {
    if (!o->phantom[t] || (last->final && t == last->thread))
      continue;
    struct order_event *late = &o->event[o->phantom[t] - 1];
    if (o->symmetric && symmetry_waits(o, late))
      continue;
    bool enabled = threadset_has(outcome->enabled, t);
    late->able = enabled && !x->freewheeling; /* else that is not how it was then */
    bool waits_for_others = late->op.kind == OP_BARRIER_LEAVE || late->op.kind == OP_FUTEX_BLOCK ||
                            (late->op.kind == OP_COND_WAKE && !late->enabler && !op_needs_nobody(&late->op)) ||
                            late->op.kind == OP_JOIN || op_waits_for_system(&late->op);
    if (enabled || !waits_for_others)
      search(x, late);
    search_closed(x, late);
  }
}

void explorer_reverse_races(struct explorer *x, const struct outcome *outcome)
{
  struct order *o = &x->order;
  o->world = outcome->world;
  for (uint32_t i = x->fresh; i < o->events; i++) {
    if (o->event[i].races)
      search(x, &o->event[i]);
    search_closed(x, &o->event[i]);
  }
  if (o->events)
    search_phantoms(x, outcome);
}

/* ---- data choices ---- */

static bool outcome_known(struct explorer *x, uint32_t node, unsigned thread, uint32_t outcome)
{
  const struct explorer_node *n = &x->node[node];
  for (uint32_t i = 0; i < n->sleepers; i++)
    if (x->sleeper[n->sleeper + i].thread == thread && x->sleeper[n->sleeper + i].outcome == outcome)
      return true;
  for (uint32_t w = n->waiting.first; w; w = witness_at(x, w)->next)
    if (witness_at(x, w)->thread == thread && witness_at(x, w)->outcome == outcome)
      return true;
  return false;
}

/* Some outcome of the sleeping thread's step does. */
static bool ends_program(const struct explorer *x, const struct explorer_node *n, unsigned thread)
{
  bool final = false;
  for (uint32_t i = 0; i < n->sleepers; i++)
    final |= x->sleeper[n->sleeper + i].thread == thread && x->sleeper[n->sleeper + i].final;
  return final;
}

/* A sleeper that the step leaves asleep stands for a subtree in which the step has this outcome too. If the program
 * ended in it, with another outcome it may not: if it does, the races in that subtree tell. */
static bool outcome_contained(struct explorer *x, uint32_t node, const struct order_event *e)
{
  struct order_event other = *e;
  if (e->op.kind == OP_CHOOSE)
    other.final = FINAL_NOT;
  const struct explorer_node *n = &x->node[node];
  for (uint32_t i = 0; x->reducing && has_what_is_apart(x) && i < n->sleepers; i++) {
    const struct sleeper *s = &x->sleeper[n->sleeper + i];
    if (s->thread == e->thread || ends_program(x, n, s->thread))
      continue;
    struct order_event step = step_at(&x->order, node, s->thread, s->failed);
    if (!step_depends(&x->order, &step, &other))
      return true;
  }
  return false;
}

static void add_outcome(struct explorer *x, uint32_t node, const struct order_event *e, unsigned nth, uint32_t value)
{
  uint32_t w = explorer_add_witness(x, &x->node[node].waiting, e, nth + 1);
  if (!w)
    return;
  witness_at(x, w)->choice[nth] = value;
  witness_at(x, w)->outcome = outcome_add(event_outcome(&x->order, e, nth), value);
  witness_at(x, w)->turn = ++x->turns;
}

void explorer_add_outcomes(struct explorer *x)
{
  const struct order *o = &x->order;
  for (uint32_t i = x->reducing ? x->fresh : x->new_event; i < o->events; i++) {
    const struct order_event *e = &o->event[i];
    if (!e->choices || outcome_contained(x, i, e))
      continue;
    for (unsigned c = !x->reducing && i == x->new_event ? x->new_choice : 0; c < e->choices; c++)
      for (uint32_t v = 0; v < o->choice[e->choice + c][0]; v++)
        if (v != o->choice[e->choice + c][1] && !outcome_known(x, i, e->thread, outcome_add(event_outcome(o, e, c), v)))
          add_outcome(x, i, e, c, v);
  }
}
