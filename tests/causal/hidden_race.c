/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write the same variable; one before it has the lock, the other one after. If the first one goes first,
 * the lock orders the two, and no other execution is needed for what is read: nobody reads. But they race. With
 * -DFIXED, both have the lock.
 */
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
#ifndef FIXED
  shared = 1;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  shared = 1;
#endif
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *second(void *unused)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  shared = 2;
#endif
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  shared = 2;
#endif
  return unused;
}

int main(void)
{
  pthread_t t[2];
  pthread_create(&t[0], NULL, first, NULL);
  pthread_create(&t[1], NULL, second, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return shared < 0;
}
