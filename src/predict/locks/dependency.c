/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock dependencies of a recorded run; see dependency.h.
 */
#include "predict/locks/dependency.h"
#include "predict/trace/grow_array.h"

/* Which of the thread's operations of that kind at that place this is, from 1; 0 when there is no memory. */
static uint32_t count_operation(struct dependencies *d, const struct event *e)
{
  uint32_t words[3] = {e->thread, e->op, e->site};
  uint32_t place = intern_number(&d->places, words, 3);
  if (!place || !grow_array((void **)&d->place_count, &d->place_room, place, sizeof *d->place_count))
    return 0;
  return ++d->place_count[place];
}

static uint32_t context_number(struct dependencies *d, const struct lockset *held, uint32_t site)
{
  if (!grow_array((void **)&d->context_words, &d->context_room, held->count, sizeof *d->context_words))
    return 0;
  for (uint32_t i = 0; i < held->count; i++)
    d->context_words[i] = held->held[i].site;
  d->context_words[held->count] = site;
  return intern_number(&d->contexts, d->context_words, held->count + 1);
}

/* Adds the dependency of that key, or finds it. */
static struct dependency *enter(struct dependencies *d, const struct dependency *made, const struct clock *clock)
{
  uint32_t known = d->keys.count;
  uint32_t key[] = {made->thread, made->held, 2 * made->lock + made->shared, made->context, made->op};
  uint32_t number = intern_number(&d->keys, key, sizeof key / sizeof key[0]);
  if (!number || !grow_array((void **)&d->list, &d->room, number - 1, sizeof *d->list))
    return NULL;
  struct dependency *entry = &d->list[number - 1];
  if (number > known) {
    *entry = *made;
    entry->first = intern_number(&d->clocks, clock->at, clock->count);
    return entry->first ? entry : NULL;
  }
  return entry;
}

static void request(struct dependencies *d, const struct event *e, const struct lock_use *use, uint32_t occurrence)
{
  const struct lockset *held = locksets_of(&d->now, e->thread);
  const struct clock *clock = causality_clock(&d->past, e->thread);
  struct dependency made = {.thread = e->thread,
                            .held = lockset_number(&d->locksets, held),
                            .lock = use->lock,
                            .context = context_number(d, held, e->site),
                            .site = e->site,
                            .occurrence = occurrence,
                            .event = e->number,
                            .op = e->op,
                            .shared = use->shared,
                            .hidden = use->hidden};
  struct dependency *entry = made.held && made.context && clock ? enter(d, &made, clock) : NULL;
  if (!entry) {
    d->failed = true;
    return;
  }
  entry->last = clock_get(clock, e->thread);
  entry->pending |= use->pending;
}

void dependencies_event(struct dependencies *d, const struct event *e)
{
  struct lock_use use = lock_use_of(e);
  bool again = use.step == LOCK_TAKES && !use.pending &&
               lockset_find(locksets_of(&d->now, e->thread), use.lock); /* nested, without the flag */
  d->full |= d->max_bytes && dependencies_bytes(d) > d->max_bytes;
  causality_event(&d->past, e);
  if (op_table[e->op].blocks && !d->full) {
    uint32_t occurrence = count_operation(d, e);
    d->failed |= !occurrence;
    if (use.step == LOCK_TAKES && use.blocks && !again)
      request(d, e, &use, occurrence);
  }
  locksets_event(&d->now, e);
  d->failed |= d->now.failed || d->past.failed;
}

bool dependency_before(const struct dependencies *d, const struct dependency *a, const struct dependency *b)
{
  uint32_t length;
  const uint32_t *first = intern_words(&d->clocks, b->first, &length);
  return !d->full && a->thread != b->thread && a->thread < length && first[a->thread] > a->last;
}

size_t dependencies_bytes(const struct dependencies *d)
{
  return intern_bytes(&d->keys) + intern_bytes(&d->locksets) + intern_bytes(&d->contexts) + intern_bytes(&d->clocks) +
         intern_bytes(&d->places) + d->place_room * sizeof *d->place_count + d->room * sizeof *d->list;
}

void dependencies_free(struct dependencies *d)
{
  intern_free(&d->keys);
  intern_free(&d->locksets);
  intern_free(&d->contexts);
  intern_free(&d->clocks);
  intern_free(&d->places);
  free(d->list);
  free(d->place_count);
  free(d->context_words);
  locksets_free(&d->now);
  causality_free(&d->past);
  *d = (struct dependencies){0};
}
