/* SPDX-License-Identifier: Apache-2.0
 *
 * The frontier of a shared search, see its header: what is handed in.
 */
#include "core/invariant.h"
#include "session/frontier.h"
#include "session/place.h"
#include <stdlib.h>
#include <string.h>

/* ---- what depends on what ---- */

/* The program ended in the one (enum ending). */
static bool cuts_off(const struct unit_step *a, const struct unit_step *b)
{
  return a->final == FINAL_OVER_ALL || (a->final && !b->hidden);
}

/* The one comes because of the state of something that the other changes. */
static bool watches(const struct unit_step *a, const struct unit_step *b)
{
  for (unsigned i = 0; i < a->watched && !op_only_looks(b->op.kind); i++)
    if (order_acts_on(&b->op, unit_step_watched(a)[i].key) & unit_step_watched(a)[i].bytes)
      return true;
  return false;
}

static bool depends(const struct unit_step *a, const struct unit_step *b)
{
  return cuts_off(a, b) || cuts_off(b, a) || a->thread == b->thread ||
         op_steps_dependent(a->thread, &a->op, b->thread, &b->op) || watches(a, b) || watches(b, a);
}

/* ---- reading what was handed in ---- */

struct reader {
  const char *at, *end;
  bool bad;
};

static const void *get(struct reader *r, uint64_t bytes)
{
  if (r->bad || (uint64_t)(r->end - r->at) < bytes) {
    r->bad = true;
    return NULL;
  }
  const void *here = r->at;
  r->at += bytes;
  return here;
}

static const struct unit_step *get_step(struct reader *r)
{
  const struct unit_step *s = get(r, sizeof *s);
  if (!s || s->op.kind >= OP_COUNT || s->thread >= MAX_THREADS) {
    r->bad = true;
    return NULL;
  }
  get(r, unit_step_bytes(s) - sizeof *s);
  return r->bad ? NULL : s;
}

/* Adds trees of steps that wait; a leaf is a unit. */
static void read_trees(struct frontier *f, struct reader *r, struct place *top, uint32_t count)
{
  struct place *under = top;
  top->due = count;
  while (!r->bad && !f->failed) {
    while (under != top && !under->due)
      under = under->up;
    if (!under->due)
      return;
    under->due--;
    const struct unit_step *s = get_step(r);
    const struct unit_branch *b = get(r, sizeof *b);
    bool beyond = s && s->cost > frontier_reach(f);
    struct place *p = s && b ? place_new(f, under, s, b->then ? INNER : beyond ? BEYOND : WAITING) : NULL;
    if (p && b->then) {
      p->due = b->then;
      under = p;
    }
  }
}

static void skip_trees(struct reader *r, uint64_t count)
{
  for (; count && !r->bad; count--) {
    const struct unit_step *s = get_step(r);
    const struct unit_branch *b = get(r, sizeof *b);
    count += s && b ? b->then : 0;
  }
}

/* The unit that something is handed in for, and the places on the way to it. */
struct handed_unit {
  struct place **way;
  uint32_t depth;
  uint32_t known; /* places */
};

/* The place that a found witness goes on from. */
static struct place *find_place(struct reader *r, const struct handed_unit *unit, const struct unit_found *head)
{
  const uint32_t *id = get(r, ((uint64_t)head->known + 1) / 2 * 8);
  if (!id || head->node >= unit->depth) {
    r->bad = true;
    return NULL;
  }
  struct place *p = unit->way[head->node];
  for (uint32_t i = 0; p && i < head->known; i++) {
    p = p->first;
    while (p && p->id != id[i])
      p = p->next;
  }
  r->bad |= !p;
  return p;
}

/* Whether a step that was put there without the finder's knowledge could come before something that was found, a tree
 * that is read: then the finder would have gone on from there, or kept more of what it had. That is where nothing on
 * the way into the tree wakes it, up to itself or to the end. */
static bool could_come_first(struct reader r, const struct unit_step *step)
{
  for (uint64_t left = 1; left; left--) {
    const struct unit_step *s = get_step(&r);
    const struct unit_branch *b = get(&r, sizeof *b);
    if (!s || !b)
      return false;
    bool same = s->thread == step->thread;
    if (depends(step, s) && !(same && s->outcome == step->outcome))
      skip_trees(&r, b->then);
    else if (same || !b->then)
      return true;
    else
      left += b->then;
  }
  return false;
}

/* Whether a place that will be explored with all that begins as it does, or has been, contains what was found: a
 * sequence that has its step, which nothing keeps from coming first there. So does it contain all that goes on from
 * what was found, which the finder left out for that. That holds for orders, not for what they cost under a bound. */
static bool contains(const struct place *p, struct reader found)
{
  if (p->state == BEYOND || (p->first && !p->closed) || p->step->choices)
    return false;
  bool has = false;
  for (uint32_t then = 1; then;) {
    const struct unit_step *s = get_step(&found);
    const struct unit_branch *b = get(&found, sizeof *b);
    if (!s || !b || b->then > 1 || s->choices)
      return false;
    if (!has && s->thread == p->step->thread)
      has = s->outcome == p->step->outcome;
    else if (!has && depends(p->step, s))
      return false;
    then = b->then;
  }
  return has;
}

enum lateness { IN_TIME, CONTAINED, TOO_LATE };

/* What others put there meanwhile may contain what was found, or have kept the finder from keeping it. */
static enum lateness lateness(const struct frontier *f, const struct place *under, uint32_t known, struct reader tree)
{
  for (const struct place *c = under->first; c; c = c->next)
    if ((c->id > known || c->settled > known) && could_come_first(tree, c->step))
      return !f->costs && contains(c, tree) ? CONTAINED : TOO_LATE;
  return IN_TIME;
}

/* The step of that thread, with that outcome, if it is about one. */
static bool has_child(const struct place *p, const struct unit_step *s)
{
  for (const struct place *c = p->first; c; c = c->next)
    if (c->step->thread == s->thread && (!s->outcome || c->step->outcome == s->outcome))
      return true;
  return false;
}

/* A single step: it is put there, unless somebody else had it, too. */
static enum taken_in read_plain(struct frontier *f, struct reader *r, const struct handed_unit *unit)
{
  const struct unit_found *head = get(r, sizeof *head);
  struct place *under = head ? find_place(r, unit, head) : NULL;
  struct reader again = *r;
  const struct unit_step *s = under ? get_step(&again) : NULL;
  if (!s)
    return HAND_IN_BAD;
  if (has_child(under, s))
    skip_trees(r, 1);
  else
    read_trees(f, r, under, 1);
  return r->bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
}

/* add: put it there; else only look whether that is possible. */
static enum taken_in read_found(struct frontier *f, struct reader *r, const struct handed_unit *unit, bool add)
{
  const struct unit_found *head = get(r, sizeof *head);
  struct place *under = head ? find_place(r, unit, head) : NULL;
  if (!under)
    return HAND_IN_BAD;
  enum lateness late = lateness(f, under, unit->known, *r);
  if (!add || late == CONTAINED) {
    skip_trees(r, 1);
    return r->bad ? HAND_IN_BAD : late == TOO_LATE ? HAND_IN_LATE : HAND_IN_TAKEN;
  }
  read_trees(f, r, under, 1);
  for (struct place *up = under; up && up->state == FINISHED; up = up->up)
    up->state = INNER;
  return r->bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
}

/* It had been left open what the step of a place chooses; now it is known, and others are to be told. */
static void settle_choices(struct frontier *f, struct place *p, const struct unit_step *s)
{
  if (p->step->choices || !s->choices || p->step->thread != s->thread)
    return;
  struct unit_step *copy = malloc(unit_step_bytes(s));
  if (!copy) {
    f->failed = true;
    return;
  }
  free(p->step);
  p->step = memcpy(copy, s, unit_step_bytes(s));
  p->settled = ++f->ids;
}

static void read_chosen(struct frontier *f, struct reader *r, const struct handed_unit *unit, uint32_t count)
{
  for (uint32_t i = 0; i < count && !r->bad; i++) {
    const uint64_t *node = get(r, sizeof *node);
    const struct unit_step *s = get_step(r);
    if (!node || !s || *node >= unit->depth)
      r->bad = true;
    else if (f)
      settle_choices(f, unit->way[*node + 1], s);
  }
}

/* What waits at a node, counted there and not above it: the way up may be long. */
static void read_waiting(struct frontier *f, struct reader *r, struct place *p, uint32_t count)
{
  struct place *up = p->up;
  p->up = NULL;
  read_trees(f, r, p, count);
  p->up = up;
}

/* Returns the last node. */
static struct place *read_branch(struct frontier *f, struct reader *r, struct place *unit, uint32_t nodes)
{
  struct place *p = unit;
  for (uint32_t i = 0; i < nodes && !r->bad && !f->failed; i++) {
    const struct unit_node *n = get(r, sizeof *n);
    if (!n)
      return p;
    p->able = n->able;
    p->state = INNER;
    for (uint32_t e = 0; e < n->explored && !r->bad; e++) {
      const struct unit_step *s = get_step(r);
      if (s)
        place_new(f, p, s, FINISHED);
    }
    /* The branch goes before what waits, as it was explored first; but its step is written last. */
    struct place *last_explored = p->last;
    read_waiting(f, r, p, n->waiting);
    if (i + 1 == nodes)
      return p;
    const struct unit_step *s = get_step(r);
    struct place *waiting = last_explored ? last_explored->next : p->first, *last = p->last;
    if (last_explored) {
      last_explored->next = NULL;
      p->last = last_explored;
    } else {
      p->first = p->last = NULL;
    }
    struct place *next = s ? place_new(f, p, s, INNER) : NULL;
    if (!next)
      return p;
    next->next = waiting;
    p->last = waiting ? last : next;
    p = next;
  }
  return p;
}

static void read_nodes(struct frontier *f, struct reader *r, struct place *unit, uint32_t nodes)
{
  for (struct place *p = read_branch(f, r, unit, nodes); p != unit; p = p->up)
    p->up->waiting += p->waiting;
  for (struct place *p = unit->up; p; p = p->up)
    p->waiting += unit->waiting;
}

/* Who goes on at the place by itself: the thread that led there, else the next one of those that can. */
static unsigned usual_thread(const struct place *p)
{
  unsigned running = p->step ? p->step->thread : 0, next = MAX_THREADS, least = MAX_THREADS;
  for (const struct place *c = p->first; c; c = c->next) {
    unsigned t = c->step->thread;
    if (t >= running && t < next)
      next = t;
    least = t < least ? t : least;
  }
  return next < MAX_THREADS ? next : least;
}

/* The children stand in the order in which a search comes to them that does not heed the change. */
static void order_children(struct place *p)
{
  unsigned usual = usual_thread(p);
  struct place *rest = p->first;
  p->first = p->last = NULL;
  while (rest) {
    struct place *c = rest, **at = &p->first;
    rest = rest->next;
    while (*at && (*at)->step->thread != c->step->thread &&
           ((*at)->step->thread == usual || (c->step->thread != usual && (*at)->step->thread < c->step->thread)))
      at = &(*at)->next;
    while (*at && (*at)->step->thread == c->step->thread)
      at = &(*at)->next;
    c->next = *at;
    *at = c;
    if (!c->next)
      p->last = c;
  }
}

static void order_all(struct place *top)
{
  for (struct place *p = top; p; p = place_walk(top, p))
    order_children(p);
}

/* Whether somebody can find something for what is below the place: who explores what comes before it or before a place
 * above it, up to one that was taken. */
static bool is_awaited(const struct place *p)
{
  for (; p->up && !p->closed; p = p->up)
    for (const struct place *left = p->up->first; left != p; left = left->next)
      if (left->state != FINISHED)
        return true;
  return false;
}

/* A place whose children are all finished is finished. */
static void close_up(const struct handed_unit *unit)
{
  for (uint32_t i = unit->depth + 1; i-- > 0;) {
    struct place *p = unit->way[i];
    bool finished = p->first || p->state == FINISHED;
    for (struct place *c = p->first; c && finished; c = c->next)
      finished = c->state == FINISHED;
    if (!finished)
      return;
    p->state = FINISHED;
    if (!is_awaited(p))
      place_free_children(p);
  }
}

/* Those of one hand-in know of each other: they are looked at together before the first is put there. */
static enum taken_in read_founds(struct frontier *f, struct reader *r, const struct handed_unit *unit, uint32_t founds,
                                 bool plain)
{
  struct reader again = *r;
  enum taken_in is = HAND_IN_TAKEN;
  for (uint32_t i = 0; i < founds && plain && is == HAND_IN_TAKEN; i++)
    is = read_plain(f, r, unit);
  if (plain)
    return is;
  for (uint32_t i = 0; i < founds && is == HAND_IN_TAKEN; i++)
    is = read_found(f, &again, unit, false);
  for (uint32_t i = 0; i < founds && is == HAND_IN_TAKEN; i++)
    is = read_found(f, r, unit, true);
  return is;
}

static enum taken_in read_hand_in(struct frontier *f, const struct handed_unit *unit, struct reader *r,
                                  const struct hand_in *head)
{
  struct place *place = unit->way[unit->depth];
  struct reader chosen = *r;
  read_chosen(NULL, r, unit, head->chosen); /* over it: it counts only if the rest is taken */
  enum taken_in is = read_founds(f, r, unit, head->founds, head->plain);
  f->redone += is == HAND_IN_LATE;
  if (is != HAND_IN_TAKEN)
    return is;
  frontier_learn(f, head);
  f->dropped |= head->dropped;
  read_chosen(f, &chosen, unit, head->chosen);
  if (!head->nodes && !head->finished)
    return HAND_IN_TAKEN;
  place_count(f, place, -(int64_t)place->waiting, 0);
  place_free_children(place);
  place->state = head->nodes ? INNER : FINISHED;
  read_nodes(f, r, place, head->nodes);
  if (f->puts_off && !f->heedless)
    order_all(place);
  close_up(unit);
  return r->bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
}

enum taken_in frontier_hand_in(struct frontier *f, struct place *unit, uint32_t known, const struct hand_in *in,
                               uint64_t size)
{
  struct hand_in head = *in;
  frontier_return(f, unit);
  if (head.full || head.bytes > size || head.bytes < sizeof head)
    return HAND_IN_BAD;
  if (head.lessons.chooses && !f->lessons.chooses && f->abreast) {
    frontier_learn(f, in);
    return HAND_IN_ANEW;
  }
  struct handed_unit handed = {.known = known};
  handed.way = place_way(unit, &handed.depth);
  if (!handed.way) {
    f->failed = true;
    return HAND_IN_BAD;
  }
  struct reader r = {(const char *)(in + 1), (const char *)in + head.bytes, false};
  enum taken_in is = read_hand_in(f, &handed, &r, &head);
  free(handed.way);
  return is;
}
