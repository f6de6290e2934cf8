/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of objects: whether one is left is looked at in one section, and one is taken in another. Two threads may see
 * the last one. With -DFIXED it is one section.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define MOST 1
static _Alignas(64) atomic_long active;
static _Alignas(64) pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int borrow(void)
{
  pthread_mutex_lock(&lock);
  int left = atomic_load(&active) < MOST;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (left)
    atomic_store(&active, atomic_load(&active) + 1);
  assert(atomic_load(&active) <= MOST);
  pthread_mutex_unlock(&lock);
  return left;
}

static void give_back(void)
{
  pthread_mutex_lock(&lock);
  atomic_store(&active, atomic_load(&active) - 1);
  pthread_mutex_unlock(&lock);
}

static void *user(void *unused)
{
  for (int i = 0; i < 2; i++)
    if (borrow())
      give_back();
  return unused;
}

int main(void)
{
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, user, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  return 0;
}
