/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps with a lock each. To compare two, or to get a value of one by a value of the other, locks its own and then the
 * other one. One thread does both with a and b, the other with b and a: four circles on two locks. The one that is
 * asked for is often overtaken by another of them.
 *
 * The twin locks the map at the lower address first.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 4
 * real: 4
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define KEYS 4

struct map {
  pthread_mutex_t lock;
  int value[KEYS];
};

static struct map a = {PTHREAD_MUTEX_INITIALIZER, {1, 2, 3, 0}},
                  b = {PTHREAD_MUTEX_INITIALIZER, {3, 2, 1, 0}};

static struct map *outer(struct map *mine, struct map *other)
{
#ifdef FIXED
  return mine < other ? mine : other;
#else
  (void)other;
  return mine;
#endif
}

static struct map *inner(struct map *mine, struct map *other)
{
  return outer(mine, other) == mine ? other : mine;
}

static int equals(struct map *mine, struct map *other)
{
  pthread_mutex_lock(&outer(mine, other)->lock);
  pthread_mutex_lock(&inner(mine, other)->lock);
  int same = memcmp(mine->value, other->value, sizeof mine->value) == 0;
  pthread_mutex_unlock(&inner(mine, other)->lock);
  pthread_mutex_unlock(&outer(mine, other)->lock);
  return same;
}

static int get_by(struct map *mine, struct map *other, int key)
{
  pthread_mutex_lock(&outer(mine, other)->lock);
  pthread_mutex_lock(&inner(mine, other)->lock);
  int value = mine->value[other->value[key] % KEYS];
  pthread_mutex_unlock(&inner(mine, other)->lock);
  pthread_mutex_unlock(&outer(mine, other)->lock);
  return value;
}

static void *forth(void *arg)
{
  return equals(&a, &b) + get_by(&a, &b, 1) ? arg : NULL;
}

static void *back(void *arg)
{
  usleep(5000);
  return equals(&b, &a) + get_by(&b, &a, 2) ? arg : NULL;
}

int main(void)
{
  pthread_t one, two;

  pthread_create(&one, NULL, forth, NULL);
  pthread_create(&two, NULL, back, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
