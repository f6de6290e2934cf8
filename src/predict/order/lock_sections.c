/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections of locks, and ideals: which sets of operations can be performed without the rest. See run_order.h for what
 * an ideal is and why that is sound.
 */
#include "predict/order/run_order.h"
#include <stdlib.h>

static struct lock_section *section_at(struct holder *h, uint32_t i)
{
  return &h->section[(h->oldest + i) % SECTIONS_KEPT];
}

static struct holder *holder_of(struct run_order *o, uint32_t me, uint32_t object)
{
  struct run_order_object *l = &o->object[object];
  if (!grow_array((void **)&l->holder, &l->holder_room, me, sizeof(struct holder *)))
    return NULL;
  if (!l->holder[me])
    l->holder[me] = calloc(1, sizeof(struct holder));
  return l->holder[me];
}

static void note_contention(struct run_order *o, uint32_t object)
{
  struct run_order_object *l = &o->object[object];
  uint32_t holders = 0;
  for (uint32_t t = 0; t < l->holder_room; t++)
    holders += l->holder[t] != NULL;
  if (l->contended || holders < 2)
    return;
  if (!grow_array((void **)&o->contended, &o->contended_room, o->contended_count, sizeof *o->contended)) {
    o->failed = true;
    return;
  }
  o->contended[o->contended_count++] = object;
  l->contended = true;
}

static void forget_oldest(struct holder *h)
{
  struct lock_section *s = section_at(h, 0);
  h->forgot = true;
  if (!s->reads)
    h->forgotten_write = s->number;
  shared_clock_drop(s->leaving.clock);
  h->oldest = (h->oldest + 1) % SECTIONS_KEPT;
  h->count--;
}

void lock_taken(struct run_order *o, uint32_t me, uint32_t object, bool reads, const struct event *e)
{
  struct holder *h = holder_of(o, me, object);
  if (!h) {
    o->failed = true;
    return;
  }
  if (h->count == SECTIONS_KEPT)
    forget_oldest(h);
  uint32_t now = o->thread[me].time;
  *section_at(h, h->count++) = (struct lock_section){.taken = now, .reads = reads, .number = e->number};
  h->first = h->first ? h->first : now;
  note_contention(o, object);
}

void lock_left(struct run_order *o, uint32_t me, uint32_t object)
{
  struct run_order_object *l = &o->object[object];
  struct holder *h = me < l->holder_room ? l->holder[me] : NULL;
  if (!h || !h->count)
    return;
  struct lock_section *s = section_at(h, h->count - 1);
  struct stamp now = stamp_of(o, me, ORDER_DATA);
  s->left = true;
  stamp_set(&s->leaving, &now);
}

void lock_free(struct run_order_object *l)
{
  for (uint32_t t = 0; t < l->holder_room; t++) {
    for (uint32_t i = 0; l->holder[t] && i < l->holder[t]->count; i++)
      shared_clock_drop(section_at(l->holder[t], i)->leaving.clock);
    free(l->holder[t]);
  }
  free(l->holder);
}

/* The last section that was entered by that time: its index; -1 if there is none. One that is forgotten counts as the
 * oldest that is not, and *forgotten is set. */
static int last_entered(struct holder *h, uint32_t time, bool *forgotten)
{
  *forgotten = false;
  if (!h || !h->count || h->first > time)
    return -1;
  for (uint32_t i = h->count; i-- > 0;)
    if (section_at(h, i)->taken <= time)
      return (int)i;
  *forgotten = h->forgot;
  return h->forgot ? 0 : -1;
}

static uint64_t last_write(struct holder *h, int section)
{
  for (; section >= 0; section--)
    if (!section_at(h, (uint32_t)section)->reads)
      return section_at(h, (uint32_t)section)->number;
  return h->forgotten_write;
}

void ideal_begin(struct run_order *o)
{
  if (!grow_array((void **)&o->ideal, &o->ideal_room, o->thread_room, sizeof *o->ideal))
    o->failed = true;
  for (uint32_t t = 0; t < o->ideal_room; t++)
    o->ideal[t] = 0;
}

void ideal_add(struct run_order *o, const struct shared_clock *clock, uint32_t thread, uint32_t time)
{
  for (uint32_t t = 0; clock && t < clock->count && t < o->ideal_room; t++)
    if (clock->at[t] > o->ideal[t]) {
      o->ideal[t] = clock->at[t];
      o->ideal_grew = true;
    }
  if (thread < o->ideal_room && time > o->ideal[thread]) {
    o->ideal[thread] = time;
    o->ideal_grew = true;
  }
}

/* Adds the leaving of sections that must be left. False if one is never left. */
static bool close_lock(struct run_order *o, struct run_order_object *l)
{
  uint64_t newest = 0, newest_write = 0;
  uint32_t threads = l->holder_room < o->ideal_room ? l->holder_room : o->ideal_room;
  bool forgotten;
  for (uint32_t t = 0; t < threads; t++) {
    int i = last_entered(l->holder[t], o->ideal[t], &forgotten);
    if (i < 0)
      continue;
    uint64_t number = section_at(l->holder[t], (uint32_t)i)->number, write = last_write(l->holder[t], i);
    newest = number > newest ? number : newest;
    newest_write = write > newest_write ? write : newest_write;
  }
  for (uint32_t t = 0; t < threads; t++) {
    int i = last_entered(l->holder[t], o->ideal[t], &forgotten);
    if (i < 0)
      continue;
    const struct lock_section *s = section_at(l->holder[t], (uint32_t)i);
    if (!forgotten && s->number >= newest_write && (s->reads || s->number >= newest))
      continue;
    if (!s->left)
      return false;
    ideal_add(o, s->leaving.clock, s->leaving.thread, s->leaving.time);
  }
  return true;
}

bool ideal_close(struct run_order *o, uint32_t avoid, uint32_t time)
{
  do {
    o->ideal_grew = false;
    if (o->failed || o->ideal[avoid] >= time)
      return false;
    for (uint32_t i = 0; i < o->contended_count; i++)
      if (!close_lock(o, &o->object[o->contended[i]]))
        return false;
  } while (o->ideal_grew);
  return true;
}

bool ideal_leaves_free(const struct run_order *o, uint32_t object)
{
  const struct run_order_object *l = &o->object[object];
  for (uint32_t t = 0; t < l->holder_room && t < o->ideal_room; t++) {
    bool forgotten;
    int i = last_entered(l->holder[t], o->ideal[t], &forgotten);
    if (i < 0)
      continue;
    const struct lock_section *s = section_at(l->holder[t], (uint32_t)i);
    if (!s->left || o->ideal[t] < s->leaving.time)
      return false;
  }
  return true;
}

bool run_order_may_meet(struct run_order *o, const struct kept_access *earlier, const struct run_order_thread *t,
                        uint32_t me)
{
  uint32_t other = interned(&o->places, earlier->place)[PLACE_THREAD];
  ideal_begin(o);
  ideal_add(o, earlier->before, other, earlier->time - 1);
  ideal_add(o, t->knows[ORDER_DATA], me, t->time - 1);
  return ideal_close(o, other, earlier->time);
}
