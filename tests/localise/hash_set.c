/* SPDX-License-Identifier: Apache-2.0
 *
 * contains_all() of two sets that lock themselves: the argument is counted and then walked without its lock, and is cleared in
 * between. Elements that were counted are not there.
 *
 * verdict: assertion
 * also: race
 * blame: early set[1].used[0]|set[1].used[1]|set[1].count
 */
#include <assert.h>
#include <pthread.h>

#define BUCKETS 2

struct set {
  pthread_mutex_t lock;
  int count, used[BUCKETS];
};

static struct set set[2] = {{PTHREAD_MUTEX_INITIALIZER, 2, {1, 1}}, {PTHREAD_MUTEX_INITIALIZER, 2, {1, 1}}};

static void clear(struct set *s)
{
  pthread_mutex_lock(&s->lock);
  for (int i = 0; i < BUCKETS; i++)
    s->used[i] = 0; /* <1> */
  s->count = 0;
  pthread_mutex_unlock(&s->lock);
}

static void contains_all(struct set *s, struct set *of)
{
  pthread_mutex_lock(&s->lock);
#ifdef FIXED
  pthread_mutex_lock(&of->lock);
#endif
  int count = of->count, seen = 0;
  for (int i = 0; i < BUCKETS; i++)
    seen += s->used[i] && of->used[i]; /* <2> */
  assert(seen == count);
#ifdef FIXED
  pthread_mutex_unlock(&of->lock);
#endif
  pthread_mutex_unlock(&s->lock);
}

static void *asker(void *arg)
{
  contains_all(&set[0], &set[1]);
  return arg;
}

static void *cleaner(void *arg)
{
  clear(&set[1]);
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  pthread_create(&thread[0], NULL, asker, NULL);
  pthread_create(&thread[1], NULL, cleaner, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
