/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue lock: who waits stores where it is to be told and then looks at its own word; who unlocks tells it there. The look
 * may overtake the store, but nobody tells before having seen it: no processor does more than interleavings do.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct place {
  _Atomic(struct place *) next;
  atomic_bool waits;
};

static _Atomic(struct place *) last;
static int inside;

static void lock(struct place *me)
{
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
  struct place *before = atomic_exchange_explicit(&last, me, memory_order_acq_rel);
  if (!before)
    return;
  atomic_store_explicit(&before->next, me, memory_order_release);
  while (atomic_load_explicit(&me->waits, memory_order_acquire))
    ;
}

static void unlock(struct place *me)
{
  struct place *expected = me, *next;
  if (!atomic_load_explicit(&me->next, memory_order_acquire) &&
      atomic_compare_exchange_strong_explicit(&last, &expected, NULL, memory_order_acq_rel, memory_order_acquire))
    return;
  while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
    ;
  atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static void *enter(void *place)
{
  lock(place);
  inside++;
  assert(inside == 1);
  inside--;
  unlock(place);
  return NULL;
}

int main(void)
{
  static struct place place[2];
  pthread_t other;
  pthread_create(&other, NULL, enter, &place[1]);
  enter(&place[0]);
  pthread_join(other, NULL);
  return 0;
}
