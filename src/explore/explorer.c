/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk through the tree of executions: following the branch, going on from its end, and back to the next witness;
 * see explorer.h.
 */
#include "explore/explorer.h"
#include "core/control.h"
#include "core/invariant.h"
#include "explore/symmetry.h"

void explorer_open(struct explorer *x, const struct control_config *config, bool reducing)
{
  x->reducing = reducing && !config->bound.kind;
  x->widening = reducing && config->bound.kind;
  x->breadth = config->order == ORDER_BREADTH;
  x->keeps_beyond = config->keeps_beyond;
  x->hashing = config->hashes;
  x->order.symmetric = config->symmetric;
  x->bound = config->bound.kind;
  x->bound_limit = config->bound.limit;
  x->witnesses_most = EXPLORER_WITNESSES_MOST;
  x->leaves_traces = config->files != FILES_OVERLAY || config->client || config->put_back;
}

void explorer_attend(struct explorer *x, const struct job *job)
{
  x->changed = changed_of(job);
}

void explorer_forget(struct explorer *x)
{
  order_truncate(&x->order, 0);
  for (unsigned i = 0; i < POOL_CLASSES; i++)
    x->free_block[i] = 0;
  x->pool_used = x->pool_free = 0;
  x->node[0] = (struct explorer_node){0};
  x->fixed = x->fresh = x->root = x->given = x->guide = 0;
  x->finished = x->bounded = x->dropped = x->restart = x->livelocked = x->redo = x->probing = false;
  x->lost = x->laters = x->doubt_at = x->kept_beyond = x->turns = 0;
  x->probe = (struct witnesses){0};
  x->begun = false;
  x->order.updates_show |= x->order.updates_awaited;
  x->order.told_apart |= x->order.tells_apart;
  x->thrifty |= x->wasteful;
}

void explorer_begin(struct explorer *x)
{
  if (x->probing) {
    x->aside = ASIDE_REPORTED;
    explorer_probe_begin(x);
    return;
  }
  order_truncate(&x->order, x->fixed); /* what a process that died may have left */
  for (unsigned t = 0; t < x->threads; t++) {
    x->order.woken[t] = x->order.cancelled[t] = x->order.signalled[t] = x->order.closed[t] = x->order.phantom[t] = 0;
    x->order.cut[t] = 0;
  }
  x->threads = 0;
  x->moved = THREADSET_ALL;
  x->blocked = x->in_vain = x->freewheeling = x->guided = false;
  x->cycle[0] = x->cycle[1] = 0;
  x->position = x->choice_at = x->current = 0;
  x->since = 0;
  x->guide_at = x->guide;
  x->fresh = x->redo ? x->fresh : x->fixed;
  if (x->guide || !x->redo)
    explorer_find_new(x);
  x->redo = false;
  x->rounds.unsettled = (struct threadset){0};
  x->descending = x->descent.left > 0;
  x->aside = x->descending ? ASIDE_SILENT : ASIDE_NOT;
  if (x->descending)
    descent_begin(&x->descent);
}

/* ---- who can go on ---- */

static void set_member(struct threadset *set, unsigned t, bool member)
{
  if (member)
    threadset_add(set, t);
  else
    threadset_remove(set, t);
}

/* The loop it may be in, at what it is about to do. */
static const struct await *loop_of(struct explorer *x, const struct world *world, const struct thread_state *thread,
                                   unsigned t)
{
  struct await *a = &x->await[t];
  if (threadset_has(&x->moved, t)) {
    enum op_kind kind = thread[t].pending.kind;
    threadset_remove(&x->moved, t);
    await_find(&x->order, a, x->order.last[t], &thread[t].pending, world->local(world->self, t));
    set_member(&x->loops, t, a->visits);
    set_member(&x->quiet, t, kind == OP_CREATE || op_is_invisible(kind));
  }
  return a;
}

static bool waits(struct explorer *x, const struct choice *c, unsigned t)
{
  struct await *a = &x->await[t];
  enum look_verdict verdict = x->vain.places ? judge_next_look(&x->vain, &x->order, c, t) : OF_USE;
  a->in_vain = verdict == IN_VAIN;
  a->in_doubt = verdict == IN_DOUBT;
  return a->in_vain || (a->visits && await_blocks(&x->order, a, c->world, &c->thread[t].pending));
}

static struct threadset able(struct explorer *x, const struct choice *c)
{
  struct threadset set = *c->enabled, fresh = threadset_common(&set, &x->moved);
  THREADSET_EACH(t, &fresh)
  {
    loop_of(x, c->world, c->thread, t);
  }
  struct threadset in_doubt = x->vain.places ? set : threadset_common(&set, &x->loops);
  THREADSET_EACH(t, &in_doubt)
  {
    if (waits(x, c, t))
      threadset_remove(&set, t);
  }
  return set;
}

bool explorer_asleep(const struct explorer *x, const struct explorer_node *n, unsigned thread)
{
  unsigned outcomes = 0;
  for (uint32_t i = 0; i < n->sleepers; i++) {
    const struct sleeper *s = &x->sleeper[n->sleeper + i];
    if (s->thread == thread && (!s->outcome || ++outcomes >= s->outcomes))
      return true;
  }
  return false;
}

/* Steps that nobody can tell from their absence are taken at once. In a search without reduction there is nothing to
 * correct that, so it must hold for this program. */
bool explorer_at_once(const struct explorer *x, unsigned thread, const struct operation *op)
{
  bool unseen = op->kind == OP_CREATE ? !x->many_creators && !(op->traits & OP_FAR) /* a fork copies all there is */
                                      : op_is_invisible(op->kind) && !(op->kind == OP_EXIT && x->polls_exit);
  return unseen && !order_interrupted(&x->order, thread, op);
}

/* The same for what a thread is about to do; but who only yields, again and again, lets others go first. */
bool explorer_hurries(const struct explorer *x, const struct choice *c, unsigned t)
{
  uint32_t last = x->order.last[t];
  const struct operation *op = &c->thread[t].pending;
  return explorer_at_once(x, t, op) && !(last && op_idles_on(x->order.event[last - 1].op.kind, op->kind));
}

/* The same with reduction, for steps that a guide does not name: so they do not tell executions apart that end before
 * all threads do. Nothing a guide names may depend on them. */
static bool in_haste(const struct explorer *x, const struct choice *c, unsigned t)
{
  return x->reducing && !x->polled && explorer_hurries(x, c, t);
}

/* Operations to which steps that are taken at once may matter. */
static bool looks_at_all(const struct operation *op)
{
  return op_is_global(op) && op->kind != OP_CANCEL && op->kind != OP_END;
}

/* All steps of these threads count from now on. */
static void let_steps_count(struct explorer *x, unsigned first, unsigned last)
{
  struct threadset *set = &x->order.interrupted;
  unsigned known = threadset_count(set);
  for (unsigned t = first; t <= last; t++)
    threadset_add(set, t);
  x->restart |= threadset_count(set) != known;
}

/* Who is cancelled or gets a signal may be anywhere between two steps. */
static void look_for_interruption(struct explorer *x, unsigned thread, const struct operation *op)
{
  if (op_signals(op)) /* to the process, or by its handler to others */
    let_steps_count(x, 0, MAX_THREADS - 1);
  else if (op->kind == OP_CANCEL && op->arg != thread)
    let_steps_count(x, (unsigned)op->arg, (unsigned)op->arg);
}

static void look_at(struct explorer *x, unsigned thread, const struct operation *op)
{
  enum op_kind kind = op->kind;
  x->polled |= looks_at_all(op);
  x->lost |= op->traits & OP_BEYOND ? LOST_WRITERS_FIRST : 0;
  bool polls = kind == OP_TIMEDJOIN || (kind == OP_JOIN && op_needs_nobody(op));
  if (polls && !x->polls_exit)
    x->polls_exit = x->order.exits_count = x->restart = true;
  look_for_interruption(x, thread, op);
  if ((kind != OP_CREATE && kind != OP_AIO_SUBMIT) || x->many_creators)
    return;
  x->many_creators = x->creator && x->creator != thread + 1;
  if (x->many_creators && (!x->reducing || x->ended_inside))
    x->restart = true;
  x->creator = thread + 1;
}

/* ---- a new step ---- */

/* The program does not end in the sleeper's step as it did before the event. */
static bool ends_after(const struct sleeper *s, const struct order_event *e)
{
  return s->final == FINAL_OVER_ALL || (s->final && !e->hidden);
}

static void add_sleeper(struct explorer *x, struct explorer_node *n, struct sleeper s)
{
  if (n->sleeper + n->sleepers < EXPLORER_SLEEPERS)
    x->sleeper[n->sleeper + n->sleepers++] = s;
}

/* The sleepers that the last event does not wake are those of the node after it. */
static void inherit_sleepers(struct explorer *x, const struct choice *c, uint32_t i)
{
  struct explorer_node *n = &x->node[i];
  const struct explorer_node *up = n - 1; /* without reduction nobody sleeps below */
  const struct order_event *last = &x->order.event[i - 1];
  n->sleeper = up->sleeper + up->sleepers;
  for (uint32_t s = 0; x->reducing && s < up->sleepers; s++) {
    struct sleeper *from = &x->sleeper[up->sleeper + s];
    struct operation op = c->thread[from->thread].pending; /* it has not moved since it fell asleep */
    const struct await *a = &x->await[from->thread];
    op_settle_swap(&op, from->failed);
    if (from->thread == last->thread || ends_after(from, last) ||
        order_dependent_pending(&x->order, from->thread, &op, a->visits ? &a->watched : NULL, last))
      continue;
    add_sleeper(x, n, *from);
  }
  n->inherited = n->sleepers;
}

/* A step that was explored, or is by others, as it came with a unit. */
static void add_explored(struct explorer *x, struct explorer_node *n, struct witness *at)
{
  struct explored *done = &x->done[n->sleeper + n->sleepers];
  *done = (struct explored){
      .op = at->op, .nth = at->nth, .watched = at->watched, .awaits = at->awaits, .hidden = at->hidden};
  for (unsigned i = 0; i < at->watched; i++)
    done->key[i] = witness_watched(at)[i];
  add_sleeper(x, n,
              (struct sleeper){.thread = at->thread,
                               .final = at->final & 3,
                               .failed = !!(at->op.traits & OP_FAILED),
                               .outcomes = at->outcomes & OUTCOMES_MOST,
                               .outcome = at->outcome});
}

/* On the way into a unit, what was explored and what waits there came with it. */
static void open_node(struct explorer *x, const struct choice *c, uint32_t i)
{
  struct explorer_node *n = &x->node[i];
  if (i < x->given)
    *n = (struct explorer_node){
        .cost = n->cost, .waiting = n->waiting, .before = n->before, .beyond = n->beyond, .widened = n->widened};
  else
    *n = (struct explorer_node){.cost = i ? n->cost : 0};
  if (i)
    inherit_sleepers(x, c, i);
  for (uint32_t w = n->before.first; w && n->sleeper + n->sleepers < EXPLORER_SLEEPERS; w = witness_at(x, w)->next)
    add_explored(x, n, witness_at(x, w));
}

unsigned explorer_next_after(const struct threadset *set, unsigned t)
{
  unsigned next = t + 1 < MAX_THREADS ? threadset_next(set, t + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(set, 0);
}

/* Who goes on if nobody says otherwise: the same thread, else the next one. */
unsigned explorer_by_itself(const struct explorer *x, const struct choice *c, const struct threadset *set)
{
  struct threadset quiet = threadset_common(set, &x->quiet);
  THREADSET_EACH(t, &quiet)
  {
    if (explorer_hurries(x, c, t))
      return t;
  }
  bool on = threadset_has(set, x->current) && !op_lets_others(&c->thread[x->current].pending);
  if (on && c->step - x->since < EXPLORER_PATIENCE)
    return x->current;
  return explorer_next_after(set, x->current);
}

/* Without reduction every other thread is to be tried here too; else that is to be seen (widening.c, cycle.c). */
static void add_others(struct explorer *x, const struct choice *c, const struct threadset *set, unsigned chosen)
{
  struct explorer_node *n = &x->node[x->position];
  if (explorer_hurries(x, c, chosen))
    return;
  THREADSET_EACH(t, set)
  {
    if (t == chosen)
      continue;
    uint32_t cost = n->cost + explorer_cost(x, c, set, t);
    uint32_t w = explorer_add_step(x, &n->others, t, &c->thread[t].pending, cost);
    if (w && !x->widening && !x->reducing)
      explorer_sort_in(x, x->position, witness_take(x, &n->others));
  }
}

static struct threadset awake_of(const struct explorer *x, const struct threadset *set)
{
  struct threadset awake = *set;
  const struct explorer_node *n = &x->node[x->position];
  for (uint32_t i = 0; i < n->sleepers; i++) {
    unsigned t = x->sleeper[n->sleeper + i].thread;
    if (threadset_has(&awake, t) && explorer_asleep(x, n, t))
      threadset_remove(&awake, t);
  }
  return awake;
}

static unsigned go_on(struct explorer *x, const struct choice *c, const struct threadset *set)
{
  struct threadset awake = awake_of(x, set);
  if (threadset_empty(&awake))
    return PICK_BLOCKED;
  unsigned t = explorer_by_itself(x, c, &awake);
  if (x->breadth && !explorer_hurries(x, c, t))
    t = explorer_another(x, c, set, t);
  if (x->changed.map && !explorer_hurries(x, c, t))
    t = explorer_by_change(x, c, set, &awake, t);
  if (!x->reducing && !x->widening)
    add_others(x, c, set, t);
  return t;
}

/* A step that is taken at once although the guide names another one. Not at its first node, where other guides wait,
 * nor on the way into a unit, whose steps are counted. */
static unsigned hasty(const struct explorer *x, const struct choice *c, const struct threadset *set)
{
  if (x->position == x->fixed || x->position < x->given || !x->guide_at)
    return MAX_THREADS;
  struct threadset quiet = threadset_common(set, &x->quiet);
  THREADSET_EACH(t, &quiet)
  {
    if (in_haste(x, c, t) && !explorer_asleep(x, &x->node[x->position], t))
      return t;
  }
  return MAX_THREADS;
}

/* Nothing is between this step and the one before of the running thread but steps that are taken at once. */
static bool runs_on(const struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t)
{
  return x->position && (explorer_hurries(x, c, t) || (t == x->current && t == explorer_by_itself(x, c, set) &&
                                                       !op_lets_others(&c->thread[t].pending)));
}

/* What the reduction within a bound must know of the node. */
static void note_node(struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t)
{
  struct explorer_node *n = &x->node[x->position];
  n->forced = explorer_hurries(x, c, t);
  n->stretch = runs_on(x, c, set, t) ? n[-1].stretch : x->position;
  n->widened |= x->guided && witness_at(x, x->guide_at)->wide;
  witness_free_all(x, &n->others);
  if (!n->widened)
    add_others(x, c, set, t);
  bool impatient = threadset_has(set, x->current) && c->step - x->since >= EXPLORER_PATIENCE;
  if (c->holding || impatient)
    explorer_widen(x, x->position);
}

/* Where looks were in vain, whether one is taken depends on what it would see. */
static void note_look(struct explorer *x, const struct order_event *e)
{
  if (!x->vain.places || !vain_knows_place(&x->vain, e->op.pc))
    return;
  for (unsigned i = 0; i < e->links; i++)
    order_await(&x->order, x->order.link[e->link + i].key);
}

static void record(struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t)
{
  struct explorer_node *n = &x->node[x->position];
  if (x->widening && !x->descending)
    note_node(x, c, set, t);
  if (x->comes_round && x->reducing && !x->descending) {
    witness_free_all(x, &n->others);
    add_others(x, c, set, t);
  }
  const struct await *a = &x->await[t];
  const struct operation *op = &c->thread[t].pending;
  n[1].cost = n->cost + (x->bound || x->changed.map ? explorer_cost(x, c, set, t) : 0);
  if (x->position + 1 >= x->given)
    n[1].waiting = n[1].others = n[1].beyond = (struct witnesses){0};
  look_at(x, t, op);
  if (x->order.symmetric)
    symmetry_look_at(&x->order, t, op);
  order_add(&x->order, c->world, t, op, a->visits ? &a->watched : NULL, c->world->local(c->world->self, t));
  if (!x->order.full)
    note_look(x, &x->order.event[x->order.events - 1]);
}

/* There is nothing below the unit. A search that is not divided would go on with another step from here: that is handed
 * in as found, unless somebody has it already. */
static unsigned leave_way(struct explorer *x, const struct choice *c, const struct threadset *set)
{
  struct witnesses *waiting = &x->node[x->position].waiting;
  unsigned t = go_on(x, c, set);
  bool known = t == PICK_BLOCKED;
  for (uint32_t w = waiting->first; w; w = witness_at(x, w)->next)
    known |= witness_at(x, w)->thread == t;
  uint32_t e = x->order.events;
  if (!known)
    record(x, c, set, t);
  if (x->order.events > e)
    explorer_add_witness(x, waiting, &x->order.event[e], 0);
  order_truncate(&x->order, e);
  x->blocked = x->in_vain = true;
  return PICK_BLOCKED;
}

/* The step of a probe. */
static unsigned descend(struct explorer *x, const struct choice *c, const struct threadset *set)
{
  struct threadset awake = awake_of(x, set), passed = {0};
  if (threadset_empty(&awake)) {
    x->blocked = true;
    return PICK_BLOCKED;
  }
  unsigned t = explorer_by_itself(x, c, &awake);
  if (!explorer_hurries(x, c, t))
    t = descent_pick(&x->descent, c, set, &awake, &passed);
  THREADSET_EACH(u, &passed)
  {
    bool fails = descent_foresees_failure(&x->descent, u, &c->thread[u].pending);
    add_sleeper(x, &x->node[x->position], (struct sleeper){.thread = (uint16_t)u, .failed = fails});
  }
  return t;
}

/* ---- the branch as it is ---- */

unsigned explorer_follow(const struct explorer *x, const struct choice *c)
{
  const struct order_event *e = &x->order.event[x->position];
  bool same = threadset_has(c->enabled, e->thread) && explorer_same_step(&c->thread[e->thread].pending, &e->op);
  return same ? e->thread : PICK_DIVERGED;
}

static void add_phantoms(struct explorer *x, const struct world *world, const struct thread_state *thread,
                         unsigned threads, unsigned but)
{
  uint32_t links = x->order.links;
  for (unsigned t = 0; t < threads; t++) {
    if (!thread[t].alive || t == but)
      continue;
    const struct await *a = loop_of(x, world, thread, t);
    x->polled |= looks_at_all(&thread[t].pending);
    order_add_phantom(&x->order, world, t, &thread[t].pending, a->visits ? &a->watched : NULL,
                      world->local(world->self, t), &links);
    note_look(x, &x->order.event[x->order.phantom[t] - 1]);
    if (x->order.symmetric)
      symmetry_look_at_end(&x->order, &x->order.event[x->order.phantom[t] - 1]);
  }
}

/* The next one of the events that are repeated, else the next thread. */
static unsigned freewheel(struct explorer *x, const struct choice *c)
{
  unsigned round = rounds_next(&x->rounds, c);
  if (round == PICK_BLOCKED)
    explorer_abandon(x);
  else if (round != MAX_THREADS)
    x->current = round;
  if (round != MAX_THREADS)
    return round;
  uint32_t length = x->cycle[1] - x->cycle[0];
  unsigned t = length ? x->order.event[x->cycle[0] + x->position++ % length].thread : MAX_THREADS;
  x->current = length && threadset_has(c->enabled, t) ? t : explorer_next_after(c->enabled, x->current);
  return x->current;
}

/* Not all of them wait, but they keep each other busy: that execution is shown once. */
static bool livelock(struct explorer *x, const struct choice *c)
{
  uint32_t since;
  if (x->livelocked || !await_cycles(&x->order, x->await, c->enabled, c->world, &since))
    return false;
  x->livelocked = x->freewheeling = true;
  x->cycle[0] = since;
  x->cycle[1] = x->order.events;
  x->position = 0;
  return true;
}

/* The last step was performed. */
static void settle(struct explorer *x, const struct world *world, const struct thread_state *thread, unsigned threads,
                   bool inside)
{
  if (!x->position) {
    x->order.tasks = threads;
    return;
  }
  uint32_t e = x->position - 1;
  const struct order_event *last = &x->order.event[e];
  if (e >= x->fixed && op_announced_kind(&last->op) == OP_ATOMIC_RMW)
    order_settle_swap(&x->order, e, thread[last->thread].failed == x->operation);
  if (e >= x->fixed) /* those before left the same when they came first */
    order_settle_states(&x->order, e, world);
  order_settle(&x->order, e, world, thread, threads, inside);
  if (x->descending)
    descent_note(&x->descent, last->thread, &last->op);
}

/* The guide's step, or the one that comes by itself. PICK_BLOCKED, PICK_DIVERGED: there is none. */
static unsigned next_step(struct explorer *x, const struct choice *c, const struct threadset *set)
{
  unsigned t = explorer_guided(x, set);
  if (explorer_leave_guide(x, c))
    return PICK_BLOCKED;
  if (explorer_turns_out_impossible(x, c, t)) {
    if (x->position < x->root)
      return leave_way(x, c, set);
    x->given = x->position; /* another step from here: it is all within the unit */
    x->guide_at = 0;
    t = MAX_THREADS;
  }
  if (explorer_strays(x, c, set, t))
    return PICK_DIVERGED;
  unsigned first = hasty(x, c, set);
  x->guided = t < MAX_THREADS && first == MAX_THREADS;
  if (first < MAX_THREADS)
    return first;
  if (x->guided)
    return t;
  t = go_on(x, c, set);
  x->blocked = t == PICK_BLOCKED;
  return t;
}

unsigned explorer_pick(struct explorer *x, const struct choice *c)
{
  unsigned t;
  x->threads = c->threads;
  if (x->probing)
    return explorer_probe_pick(x, c);
  if (x->freewheeling)
    return freewheel(x, c);
  settle(x, c->world, c->thread, c->threads, false);
  x->choice_at = 0;
  if (explorer_looked_in_vain(x, c))
    return PICK_BLOCKED;
  if (x->position < x->fixed) {
    t = explorer_follow(x, c);
    if (t >= MAX_THREADS)
      return t;
    x->order.woken[t] = x->order.cancelled[t] = x->order.signalled[t] = x->order.closed[t] = 0;
  } else {
    struct threadset set = able(x, c);
    if (x->order.symmetric && !x->order.told_apart)
      symmetry_hold(&x->order, c->thread, &set);
    if (c->holding)
      let_steps_count(x, 0, MAX_THREADS - 1); /* before any of them, or for its sake, somebody may be held back */
    if (!threadset_empty(&set) && livelock(x, c))
      return freewheel(x, c);
    if (explorer_comes_round(x, c, &set))
      return PICK_BLOCKED;
    if (threadset_empty(&set) || x->order.full) {
      x->freewheeling = true;
      x->rounds.stood = 0;
      THREADSET_EACH(i, c->enabled)
      {
        if (x->await[i].in_vain)
          threadset_add(&x->rounds.unsettled, i);
      }
      add_phantoms(x, c->world, c->thread, c->threads, MAX_THREADS);
      return explorer_pick(x, c);
    }
    if (x->position > x->fixed || !x->node[x->position].explored) {
      open_node(x, c, x->position);
      x->node[x->position].able = threadset_count(&set);
    }
    if (x->changed.map)
      explorer_find_kept(x, c, &set);
    t = x->descending ? descend(x, c, &set) : next_step(x, c, &set);
    if (t >= MAX_THREADS)
      return t;
    if (explorer_hurries(x, c, t))
      x->node[x->position].able = 1; /* nothing else is tried there */
    record(x, c, &set, t);
  }
  x->operation = c->thread[t].operations;
  threadset_add(&x->moved, t);
  x->position++;
  if (!explorer_at_once(x, t, &c->thread[t].pending) && t != x->current) { /* those do not make it the running one */
    x->current = t;
    x->since = c->step;
  }
  return t;
}

/* ---- the end of an execution ---- */

static void put_to_sleep(struct explorer *x, uint32_t node, const struct order_event *e)
{
  struct explorer_node *n = &x->node[node];
  const struct order *o = &x->order;
  unsigned first = e->choices ? 1 : 0;
  n->explored++;
  for (unsigned c = first; c <= e->choices && n->sleeper + n->sleepers < EXPLORER_SLEEPERS; c++) {
    uint32_t outcome = event_outcome(o, e, c);
    bool known = false;
    for (uint32_t i = 0; i < n->sleepers; i++) {
      const struct sleeper *s = &x->sleeper[n->sleeper + i];
      known |= s->thread == e->thread && s->outcome == outcome;
    }
    uint32_t outcomes = c == 1 && e->choices == 1 ? o->choice[e->choice][0] : OUTCOMES_MOST;
    if (known)
      continue;
    struct explored *done = &x->done[n->sleeper + n->sleepers];
    done->op = e->op;
    done->nth = e->nth;
    done->awaits = e->awaits;
    done->hidden = e->hidden;
    done->watched = (uint8_t)order_watched(o, e, done->key);
    x->sleeper[n->sleeper + n->sleepers++] = (struct sleeper){
        .thread = e->thread,
        .final = e->final & 3,
        .failed = !!(e->op.traits & OP_FAILED),
        .outcomes = e->choices ? (outcomes < OUTCOMES_MOST ? outcomes : OUTCOMES_MOST) & OUTCOMES_MOST : 0,
        .outcome = outcome,
    };
  }
}

/* Back to the deepest node with something left to try. False: there is none. */
static bool back_up(struct explorer *x)
{
  struct order *o = &x->order;
  while (o->events > x->root) {
    uint32_t i = o->events - 1;
    put_to_sleep(x, i, &o->event[i]);
    explorer_leave_node(x, i + 1);
    order_truncate(o, i);
    x->guide = witness_take(x, &x->node[i].waiting);
    if (x->guide) {
      invariant(i >= x->root, "a search went back beyond the unit it was given");
      x->fixed = i;
      x->given = x->given < i ? x->given : i;
      return true;
    }
  }
  x->finished = true;
  return false;
}

/* If the program ended during the last step, others were cut off by it; not if that was the end of the last thread. */
static void finish_order(struct explorer *x, const struct outcome *outcome)
{
  struct order *o = &x->order;
  struct order_event *last = outcome->inside && o->events ? &o->event[o->events - 1] : NULL;
  if (last && (last->op.kind == OP_EXIT || last->op.kind == OP_END))
    last = NULL; /* a step of its own, which depends on what it cuts off */
  bool others = last && !order_ends_in_last(o);
  settle(x, outcome->world, outcome->thread, outcome->threads, outcome->inside);
  for (unsigned t = 0; t < outcome->threads; t++)
    others |= outcome->thread[t].alive && (!last || t != last->thread);
  if (last && others) {
    order_make_final(o, event_at_once(x, last) ? FINAL_OVER_ALL : FINAL_OVER_SEEN);
    x->ended_inside = true;
  }
  /* A thread that was created in it never ran: what it would have shared is not known. */
  if (last && others && (last->op.kind == OP_CREATE || (!x->reducing && event_at_once(x, last))))
    x->lost |= LOST_BEFORE_END;
  add_phantoms(x, outcome->world, outcome->thread, outcome->threads, last ? last->thread : MAX_THREADS);
}

/* The program ended before all steps that are taken at once: which of them came tells executions apart. */
static bool ended_in_haste(const struct explorer *x, const struct outcome *outcome)
{
  const struct order *o = &x->order;
  bool left = explorer_ended_at_once(x);
  for (unsigned t = 0; t < outcome->threads && o->events && o->event[o->events - 1].final; t++)
    left |= o->phantom[t] && threadset_has(outcome->enabled, t) && event_at_once(x, &o->event[o->phantom[t] - 1]);
  return left;
}

/* One that was abandoned for a look in vain says nothing: it could have gone on without that. */
static void end_probe(struct explorer *x, const struct outcome *outcome)
{
  volatile uint64_t *bytes = &outcome->job->answered[ANSWER_PROBES];
  struct probe_line *lines = outcome->job->answer[ANSWER_PROBES], line;
  if (!x->blocked && !x->freewheeling) /* else the last step was settled before */
    settle(x, outcome->world, outcome->thread, outcome->threads, outcome->inside);
  bool anew, told = descent_end(&x->descent, x->blocked, outcome, &line, &anew);
  if (anew)
    *bytes = 0;
  if (told && !x->in_vain && *bytes + sizeof line <= ANSWER_PROBES_MOST) {
    lines[*bytes / sizeof line] = line;
    *bytes += sizeof line;
  }
  explorer_forget(x);
}

/* What was taken for granted does not hold. All who share the search must be told, so this is known before its end. */
static bool must_restart(const struct explorer *x)
{
  const struct order *o = &x->order;
  return x->restart || (x->wasteful && !x->thrifty) || (o->updates_awaited && !o->updates_show) ||
         (o->tells_apart && !o->told_apart);
}

bool explorer_end(struct explorer *x, const struct outcome *outcome)
{
  struct order *o = &x->order;
  if (must_restart(x)) {
    explorer_forget(x);
    return true;
  }
  if (x->descending) {
    end_probe(x, outcome);
    return true;
  }
  if (x->in_vain) {
    x->finished = true;
    return false;
  }
  if (x->redo) {
    x->redo = x->guide || !x->node[x->fixed].explored;
    return x->redo || (x->breadth ? explorer_next_in_breadth(x) : back_up(x));
  }
  if (x->probing) {
    explorer_probe_end(x);
    return explorer_probe_next(x) || back_up(x);
  }
  if (!x->freewheeling)
    finish_order(x, outcome);
  if (must_restart(x))
    return true; /* the next one will */
  if (outcome->too_long || o->full)
    x->lost |= LOST_TOO_LONG;
  if (x->freewheeling && !outcome->bug && !x->blocked)
    x->lost |= LOST_LOOP;
  if (x->hashing)
    x->class_hash = order_class(o, ended_in_haste(x, outcome));
  if (x->cycle[1])
    return true; /* the same branch again, now to its end */
  x->begun = true;
  x->wasteful |= x->pool_used - x->pool_free > x->witnesses_most;
  explorer_dissolve_guide(x);
  explorer_add_outcomes(x);
  if (x->reducing)
    explorer_reverse_races(x, outcome);
  if (x->widening)
    explorer_widen_at_races(x, outcome);
  if (outcome->job->config->record_branches && !x->blocked)
    explorer_write_branch(x, outcome);
  if (x->breadth)
    return explorer_next_in_breadth(x);
  return explorer_probe_next(x) || back_up(x);
}

struct standing explorer_standing(const struct explorer *x)
{
  return (struct standing){.finished = x->finished,
                           .bounded = x->bounded,
                           .restarts = must_restart(x),
                           .busy = x->redo || x->probing || x->descending,
                           .aside = x->aside,
                           .lost = x->lost,
                           .class_hash = x->class_hash};
}
