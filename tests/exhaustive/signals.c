/* SPDX-License-Identifier: Apache-2.0
 *
 * signals W S [KIND]: W threads {lock, wait, unlock} without a predicate, S threads that wake one of them. KIND 0:
 * signal under the lock, 1: signal without the lock, 2: broadcast under the lock, 3: broadcast without the lock. A
 * signal that comes too early is lost, and then a waiter waits for ever: a deadlock.
 *
 * signals 1 1 1 has 3 interleavings in 2 classes, one of them the lost wake-up. signals 2 1 0 has 10 classes, all of
 * which end in a deadlock.
 */
#include "together.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
  (void)arg;
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *signaller(void *arg)
{
  int kind = first(arg);

  if (kind % 2 == 0)
    pthread_mutex_lock(&lock);
  if (kind < 2)
    pthread_cond_signal(&cond);
  else
    pthread_cond_broadcast(&cond);
  if (kind % 2 == 0)
    pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv)
{
  int w = number(argc, argv, 1, 1), s = number(argc, argv, 2, 1), kind = number(argc, argv, 3, 0);

  for (int i = 0; i < w; i++)
    start(waiter, 0, 0);
  for (int i = 0; i < s; i++)
    start(signaller, kind, 0);
  finish();
  printf("\n");
  return 0;
}
