/* SPDX-License-Identifier: Apache-2.0
 *
 * HashSet: contains_all locks the set it asks, but not the one whose keys it goes through: it counts other keys than the set
 * said it has.
 */
#include "harness.h"

#define KEYS 8u

struct set {
  pthread_mutex_t lock;
  atomic_uint count;
  atomic_bool has[KEYS]; /* a perfect hash */
};

static struct set set[2];

static void make(void)
{
  for (unsigned i = 0; i < 2; i++)
    pthread_mutex_init(&set[i].lock, NULL);
}

static void add(unsigned which, unsigned key)
{
  struct set *s = &set[which];
  pthread_mutex_lock(&s->lock);
  if (!atomic_exchange(&s->has[key], true))
    s->count++;
  pthread_mutex_unlock(&s->lock);
}

static void discard(unsigned which, unsigned key)
{
  struct set *s = &set[which];
  pthread_mutex_lock(&s->lock);
  if (atomic_exchange(&s->has[key], false))
    s->count--;
  pthread_mutex_unlock(&s->lock);
}

static void contains_all(unsigned which, unsigned b)
{
  (void)b;
  struct set *of = &set[1 - which];
#ifdef FIXED
  pthread_mutex_lock(&set[0].lock); /* both, in one order */
  pthread_mutex_lock(&set[1].lock);
#else
  pthread_mutex_lock(&set[which].lock);
#endif
  unsigned expected = of->count, seen = 0;
  bool all = true;
  for (unsigned key = 0; key < KEYS; key++)
    if (of->has[key]) {
      seen++;
      all &= set[which].has[key];
    }
  (void)all;
  assert(seen == expected);
#ifdef FIXED
  pthread_mutex_unlock(&set[1 - which].lock);
#endif
  pthread_mutex_unlock(&set[which].lock);
}

static void check(void)
{
  assert(set[0].count <= KEYS && set[1].count <= KEYS);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(add, 2, KEYS), HD_OPERATION(discard, 2, KEYS),
          HD_OPERATION(contains_all, 2))
