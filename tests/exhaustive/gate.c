/* SPDX-License-Identifier: Apache-2.0
 *
 * gate W [KIND]: W threads wait, with a predicate, until one thread opens the gate. KIND 0: broadcast under the lock,
 * 1: broadcast after it, 2: the gate is opened without the lock, so that the wake-up can be lost.
 */
#include "together.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int open;

static void *waiter(void *arg)
{
  int waits = 0;

  (void)arg;
  pthread_mutex_lock(&lock);
  while (!atomic_load(&open)) {
    waits++;
    pthread_cond_wait(&cond, &lock);
  }
  pthread_mutex_unlock(&lock);
  return result(waits);
}

static void *opener(void *arg)
{
  int kind = first(arg);

  if (kind < 2)
    pthread_mutex_lock(&lock);
  atomic_store(&open, 1);
  if (kind == 1)
    pthread_mutex_unlock(&lock);
  pthread_cond_broadcast(&cond);
  if (kind == 0)
    pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv)
{
  int w = number(argc, argv, 1, 1), kind = number(argc, argv, 2, 0);

  for (int i = 0; i < w; i++)
    start(waiter, 0, 0);
  start(opener, kind, 0);
  finish();
  printf("\n");
  return 0;
}
