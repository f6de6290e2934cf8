/* SPDX-License-Identifier: Apache-2.0
 *
 * The frontier of a shared search, see the header: what is given out. Pure: it starts nothing and prints nothing.
 */
#include "session/frontier.h"
#include "core/invariant.h"
#include "core/threadset.h"
#include "session/place.h"
#include <stdlib.h>
#include <string.h>

bool frontier_open(struct frontier *f)
{
  *f = (struct frontier){0};
  f->root = place_new(f, NULL, NULL, WAITING);
  return f->root;
}

void frontier_close(struct frontier *f)
{
  if (f->root)
    place_free_children(f->root);
  free(f->root);
  *f = (struct frontier){.costs = f->costs, .limit = f->limit, .puts_off = f->puts_off, .heedless = f->heedless};
}

bool frontier_reset(struct frontier *f)
{
  struct frontier before = *f;
  frontier_close(f);
  bool open = frontier_open(f);
  f->lessons = before.lessons;
  f->costs = before.costs;
  f->limit = before.limit;
  f->puts_off = before.puts_off;
  f->heedless = before.heedless;
  return open;
}

void frontier_put_off(struct frontier *f)
{
  f->puts_off = f->costs = true;
  f->limit = f->limit < COST_BOUND ? COST_BOUND : f->limit; /* a search that is resumed may be further */
}

bool frontier_take_up(struct frontier *f)
{
  return frontier_raise(f, f->dropped ? UINT32_MAX : f->limit + COST_PUT_OFF);
}

bool frontier_is_finished(const struct frontier *f)
{
  bool finished = frontier_is_idle(f) && !(f->puts_off && f->dropped);
  for (struct place *p = finished && f->puts_off ? f->root : NULL; p && finished; p = place_walk(f->root, p))
    finished = p->state != BEYOND;
  return finished;
}

/* One leaf more waits, or one less. Below a unit that somebody has, only that one counts it. */
static void count_leaf(struct frontier *f, struct place *p, int more)
{
  for (; p; p = p->up) {
    p->waiting += (uint32_t)more;
    if (p->state == TAKEN)
      return;
  }
  f->waiting += (uint64_t)more;
}

/* Another reach: which leaves wait, and which are beyond it. */
static void sort_leaves(struct frontier *f)
{
  for (struct place *p = f->root; p; p = place_walk(f->root, p)) {
    bool within = !p->step || p->step->cost <= frontier_reach(f);
    if (p->state != (within ? BEYOND : WAITING))
      continue;
    p->state = within ? WAITING : BEYOND;
    count_leaf(f, p, within ? 1 : -1);
  }
}

bool frontier_raise(struct frontier *f, uint32_t limit)
{
  f->limit = limit;
  if (f->dropped)
    return frontier_reset(f);
  sort_leaves(f);
  return true;
}

void frontier_heed(struct frontier *f, bool heeds)
{
  if (f->heedless != heeds)
    return;
  f->heedless = !heeds;
  sort_leaves(f);
}

void frontier_learn(struct frontier *f, const struct hand_in *in)
{
  struct lessons *to = &f->lessons;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    to->interrupted.word[i] |= in->lessons.interrupted.word[i];
  to->creator = to->creator ? to->creator : in->lessons.creator;
  to->many_creators |= in->lessons.many_creators;
  to->polls_exit |= in->lessons.polls_exit;
  to->updates_show |= in->lessons.updates_show;
  to->told_apart |= in->lessons.told_apart;
  to->comes_round |= in->lessons.comes_round;
  to->thrifty |= in->lessons.thrifty;
  to->livelocked |= in->lessons.livelocked;
  to->chooses |= in->lessons.chooses;
  for (uint32_t i = 0; i < in->lessons.places && i < LESSON_PLACES; i++)
    lessons_add_place(to, in->lessons.place[i]);
}

/* ---- units ---- */

struct writer {
  char *at, *end;
  bool full;
};

static void put(struct writer *w, const void *data, uint64_t bytes)
{
  if (w->full || (uint64_t)(w->end - w->at) < bytes) {
    w->full = true;
    return;
  }
  memcpy(w->at, data, bytes);
  w->at += bytes;
}

static void put_step(struct writer *w, const struct unit_step *s)
{
  put(w, s, unit_step_bytes(s));
}

/* Which step it was, not what it chose. */
static void put_explored(struct writer *w, const struct unit_step *s)
{
  struct unit_step step = *s;
  step.choices = 0;
  put(w, &step, sizeof step);
  put(w, unit_step_watched(s), s->watched * sizeof(struct watched_key));
}

/* The first of what is to be told below a place: of the unit's own, nothing that is finished. */
static const struct place *told(const struct place *p, bool own)
{
  while (own && p && p->state == FINISHED)
    p = p->next;
  return p;
}

static const struct place *below(const struct place *p, bool own)
{
  return p->closed && !own ? NULL : told(p->first, own);
}

static uint32_t count_told(const struct place *p, bool own)
{
  uint32_t n = 0;
  for (p = told(p, own); p; p = told(p->next, own))
    n++;
  return n;
}

/* A tree of steps that wait, down to those that contain all that begins as they do. own: it is the unit's. */
static void put_tree(struct writer *w, const struct place *top, bool own)
{
  for (const struct place *p = top; p && !w->full;) {
    struct unit_branch branch = {count_told(below(p, own), own), own ? 0 : p->id};
    put_step(w, p->step);
    put(w, &branch, sizeof branch);
    if (below(p, own)) {
      p = below(p, own);
      continue;
    }
    while (p != top && !told(p->next, own))
      p = p->up;
    p = p == top ? NULL : told(p->next, own);
  }
}

/* Those to the left of the way come before it, but for what is left out for the bound; those to the right wait. */
static void write_level(struct writer *w, const struct place *p, bool own)
{
  struct unit_level level = {0, count_told(p->next, own)};
  for (const struct place *left = p->up->first; left != p; left = left->next)
    *(own && left->state != FINISHED ? &level.waiting : &level.before) += 1;
  put(w, &level, sizeof level);
  for (const struct place *left = p->up->first; left != p; left = left->next)
    if (!own || left->state == FINISHED)
      put_explored(w, left->step);
  for (const struct place *left = p->up->first; left != p; left = left->next)
    if (own && left->state != FINISHED)
      put_tree(w, left, own);
  for (const struct place *right = told(p->next, own); right; right = told(right->next, own))
    put_tree(w, right, own);
  put_step(w, p->step);
}

/* But for what is left out for the bound. */
static struct place *first_unfinished(const struct place *p)
{
  struct place *c = p->first;
  while (c && (c->state == FINISHED || (!c->waiting && !c->taken && c->state != TAKEN)))
    c = c->next;
  return c;
}

static bool write_unit(const struct frontier *f, struct place *unit, struct unit *out, uint64_t size)
{
  uint32_t depth;
  struct place **way = place_way(unit, &depth);
  struct writer w = {(char *)(out + 1), (char *)out + size, !way};
  for (uint32_t i = 1; i <= depth && !w.full; i++)
    write_level(&w, way[i], false);
  free(way);
  uint32_t steps = depth;
  for (struct place *p = unit; (p = first_unfinished(p)) && !w.full; steps++)
    write_level(&w, p, true);
  *out = (struct unit){.steps = steps,
                       .root = depth,
                       .known = f->ids,
                       .bytes = (uint64_t)(w.at - (char *)(out + 1)),
                       .lessons = f->lessons,
                       .put_off = f->puts_off ? frontier_reach(f) / COST_PUT_OFF : 0};
  return !w.full;
}

/* ---- which one is next ---- */

/* Nobody has begun with any of it. */
static bool is_untouched(const struct place *top)
{
  for (const struct place *p = top; p; p = place_walk(top, (struct place *)p))
    if (p->state == FINISHED || p->state == TAKEN || p->closed)
      return false;
  return true;
}

/* Whether the place can be given out with all that is below it: what stands to the right of where its exploration goes
 * on comes later, so nothing of that may have been explored. */
static bool is_one_piece(const struct place *top)
{
  if (top->taken)
    return false;
  for (const struct place *p = top; (p = first_unfinished(p));)
    for (const struct place *right = p->next; right; right = right->next)
      if (!is_untouched(right))
        return false;
  return true;
}

static bool has_work(const struct place *p)
{
  return p->waiting && p->state != TAKEN;
}

static struct place *last_with_work(const struct place *p)
{
  struct place *last = NULL;
  for (struct place *c = p->first; c; c = c->next)
    if (has_work(c))
      last = c;
  return last;
}

/* From the root down. Nobody else finds anything for what is below a place that was taken once, nor below one to the
 * left of which everything is finished: such a place is given out as a whole. Of others, only leaves, from the
 * right: what is left is in as large pieces as can be when the search comes there. No more than so many leaves. Who
 * heeds a change begins at the right, too, and stays out of the way of who does not. */
static struct place *choose(const struct frontier *f, uint64_t most)
{
  struct place *p = f->root;
  for (bool alone = !f->puts_off || f->heedless; p->first;) {
    if (alone && p->waiting <= most && is_one_piece(p))
      break;
    struct place *leftmost = first_unfinished(p), *c = leftmost;
    if (!alone || !has_work(c))
      c = last_with_work(p);
    alone = c->closed || (alone && c == leftmost);
    p = c;
  }
  return p;
}

static struct place *first_leaf(struct place *p)
{
  while (p->first) {
    p = p->first;
    while (!has_work(p))
      p = p->next;
  }
  return p;
}

struct place *frontier_take(struct frontier *f, unsigned others, struct unit *out, uint64_t size)
{
  if (!f->waiting || (f->taken && f->lessons.chooses))
    return NULL;
  uint64_t share = others && !f->lessons.chooses ? f->waiting / (others + 1) : f->waiting;
  struct place *p = choose(f, share ? share : 1);
  if (!write_unit(f, p, out, size)) {
    p = first_leaf(p); /* less of it */
    if (!write_unit(f, p, out, size))
      return NULL;
  }
  invariant(p->first || p->state == WAITING, "a leaf was given out that does not wait");
  p->state = TAKEN;
  p->closed = true;
  f->abreast |= f->taken;
  p->taken++;
  place_count_above(f, p, -(int64_t)p->waiting, 1);
  return p;
}

void frontier_return(struct frontier *f, struct place *unit)
{
  invariant(f->taken && unit->state == TAKEN, "a unit came back that nobody had");
  unit->state = unit->first ? INNER : WAITING;
  unit->taken--;
  place_count_above(f, unit, unit->waiting, -1);
}

bool frontier_precedes(struct place *a, struct place *b)
{
  uint32_t depth_a = place_depth(a), depth_b = place_depth(b);
  for (; depth_a > depth_b; depth_a--)
    a = a->up;
  for (; depth_b > depth_a; depth_b--)
    b = b->up;
  while (a->up != b->up) {
    a = a->up;
    b = b->up;
  }
  while (a && a != b)
    a = a->next;
  return a;
}

/* ---- how much is done ---- */

/* Bottom up without recursion: the share of a place is added to that of its parent when the walk leaves it. */
struct level {
  struct scaled lazy, eager;
};

void frontier_share(const struct frontier *f, struct scaled *lazy, struct scaled *eager)
{
  size_t room = 0, depth = 0;
  struct level *level = NULL;
  struct place *p = f->root;
  *lazy = *eager = scaled_from_double(0);
  for (bool down = true; p;) {
    if (down) {
      if (depth == room) {
        struct level *grown = realloc(level, (room = 2 * room + 64) * sizeof *level);
        if (!grown)
          break;
        level = grown;
      }
      double done = p->state == FINISHED;
      level[depth++] = (struct level){scaled_from_double(done), scaled_from_double(done)};
      if (p->first && p->state != FINISHED) {
        p = p->first;
        continue;
      }
    }
    struct level own = level[--depth];
    if (p == f->root) {
      *lazy = own.lazy;
      *eager = own.eager;
      break;
    }
    uint32_t children = place_count_from(p->up->first), able = p->up->able > children ? p->up->able : children;
    struct level *up = &level[depth - 1];
    up->lazy = scaled_add(up->lazy, scaled_divide(own.lazy, scaled_from_double(children)));
    up->eager = scaled_add(up->eager, scaled_divide(own.eager, scaled_from_double(able)));
    down = p->next;
    p = p->next ? p->next : p->up;
  }
  free(level);
}
