/* SPDX-License-Identifier: Apache-2.0
 *
 * Two transfers in opposite directions; each locks the account that it takes from, but not the one it gives to. An
 * update of that is lost now and then. With -DFIXED both are locked, in one order.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct account {
  pthread_mutex_t lock;
  _Alignas(64) atomic_int sum;
};

static struct account one = {.lock = PTHREAD_MUTEX_INITIALIZER, .sum = 10},
                      two = {.lock = PTHREAD_MUTEX_INITIALIZER, .sum = 10};

static void transfer(struct account *from, struct account *to)
{
#ifdef FIXED
  struct account *first = from == &one ? from : to, *second = from == &one ? to : from;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
#else
  pthread_mutex_lock(&from->lock);
#endif
  atomic_store(&from->sum, atomic_load(&from->sum) - 1);
  atomic_store(&to->sum, atomic_load(&to->sum) + 1);
#ifdef FIXED
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
#else
  pthread_mutex_unlock(&from->lock);
#endif
}

static void *forth(void *unused)
{
  transfer(&one, &two);
  return unused;
}

static void *back(void *unused)
{
  transfer(&two, &one);
  return unused;
}

int main(void)
{
  pthread_t t[2];
  pthread_create(&t[0], NULL, forth, NULL);
  pthread_create(&t[1], NULL, back, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(one.sum + two.sum == 20);
  return 0;
}
