/* SPDX-License-Identifier: Apache-2.0
 *
 * Following the locks that threads hold; see lockset.h.
 */
#include "predict/trace/lockset.h"
#include "predict/trace/grow_array.h"

#define WORDS_ON_STACK 16

/* A wait that ended, by whatever cause, has its mutex again. One that the end of the run found waiting asks for the
 * mutex only if it was signalled. */
static struct lock_use end_of_wait(const struct event *e)
{
  struct lock_use use = {LOCK_TAKES, e->second, false, true, true, e->flags & EVENT_PENDING};
  if (!e->second || (use.pending && !e->cause))
    use.step = LOCK_NOTHING;
  return use;
}

static struct lock_use taking(const struct event *e, bool shared, bool blocks)
{
  struct lock_use use = {LOCK_TAKES,
                         e->object,
                         shared,
                         blocks && !(e->flags & EVENT_TIMED),
                         e->flags & EVENT_HIDDEN,
                         e->flags & EVENT_PENDING};
  if (e->flags & EVENT_FAILED)
    use.step = LOCK_NOTHING;
  return use;
}

static struct lock_use giving(const struct event *e, uint32_t lock)
{
  bool done = !(e->flags & (EVENT_FAILED | EVENT_PENDING));
  return (struct lock_use){.step = done ? LOCK_GIVES : LOCK_NOTHING, .lock = lock};
}

struct lock_use lock_use_of(const struct event *e)
{
  if ((e->flags & (EVENT_NESTED | EVENT_PENDING)) == EVENT_NESTED)
    return (struct lock_use){0};
  switch (e->op) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_RWLOCK_WRLOCK:
    return taking(e, false, true);
  case OP_RWLOCK_RDLOCK:
    return taking(e, true, true);
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_TRYLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    return taking(e, false, false);
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
    return taking(e, true, false);
  case OP_MUTEX_UNLOCK:
  case OP_SPIN_UNLOCK:
  case OP_RWLOCK_UNLOCK:
    return giving(e, e->object);
  case OP_COND_WAIT:
    return giving(e, e->second);
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return end_of_wait(e);
  default:
    return (struct lock_use){0};
  }
}

static struct lockset *of_thread(struct locksets *s, uint32_t thread)
{
  bool ok = grow_array((void **)&s->of, &s->threads, thread, sizeof *s->of);
  return ok ? &s->of[thread] : NULL;
}

struct held_lock *lockset_find(const struct lockset *s, uint32_t lock)
{
  for (uint32_t i = s->count; i > 0; i--)
    if (s->held[i - 1].lock == lock)
      return &s->held[i - 1];
  return NULL;
}

static bool take(struct lockset *s, const struct lock_use *use, uint32_t site)
{
  struct held_lock *already = lockset_find(s, use->lock);
  if (already) { /* a wake-up and the lock it takes may both have been recorded */
    already->depth += !use->hidden;
    return true;
  }
  if (!grow_array((void **)&s->held, &s->room, s->count, sizeof *s->held))
    return false;
  s->held[s->count++] = (struct held_lock){use->lock, site, 1, use->shared};
  return true;
}

static void give(struct lockset *s, uint32_t lock)
{
  struct held_lock *h = lockset_find(s, lock);
  if (!h || --h->depth > 0)
    return;
  s->count--;
  memmove(h, h + 1, (size_t)(s->held + s->count - h) * sizeof *h);
}

void locksets_event(struct locksets *s, const struct event *e)
{
  struct lock_use use = lock_use_of(e);
  if (use.step == LOCK_NOTHING || use.pending)
    return;
  struct lockset *mine = of_thread(s, e->thread);
  if (mine && use.step == LOCK_GIVES)
    give(mine, use.lock);
  else if (!mine || !take(mine, &use, e->site))
    s->failed = true;
}

const struct lockset *locksets_of(const struct locksets *s, uint32_t thread)
{
  static const struct lockset none;
  return thread < s->threads ? &s->of[thread] : &none;
}

void locksets_free(struct locksets *s)
{
  for (uint32_t i = 0; i < s->threads; i++)
    free(s->of[i].held);
  free(s->of);
  *s = (struct locksets){0};
}

uint32_t lockset_number(struct intern *table, const struct lockset *s)
{
  uint32_t few[WORDS_ON_STACK] = {0};
  uint32_t *words = s->count <= WORDS_ON_STACK ? few : malloc(s->count * sizeof *words);
  if (!words) {
    table->failed = true;
    return 0;
  }
  for (uint32_t n = 0; n < s->count; n++) {
    uint32_t word = 2 * s->held[n].lock + s->held[n].shared, i = n;
    for (; i > 0 && words[i - 1] > word; i--)
      words[i] = words[i - 1];
    words[i] = word;
  }
  uint32_t number = intern_number(table, words, s->count);
  if (words != few)
    free(words);
  return number;
}

bool lockset_words_exclude(const uint32_t *a, uint32_t a_length, const uint32_t *b, uint32_t b_length)
{
  for (uint32_t i = 0, j = 0; i < a_length && j < b_length;) {
    if (a[i] / 2 == b[j] / 2) {
      if (!(a[i] & b[j] & 1))
        return true;
      i++, j++;
    } else if (a[i] < b[j]) {
      i++;
    } else {
      j++;
    }
  }
  return false;
}
