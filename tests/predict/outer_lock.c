/* SPDX-License-Identifier: Apache-2.0
 *
 * A library's queue does everything right, and so does the application around it, each for itself. But the consumer calls
 * the library with the application's lock held, and waits there; the producer needs that lock before it can put anything
 * in. The order of the two locks is the same everywhere. The twin's consumer lets go of the lock first.
 *
 * shape: a wait inside an outer lock
 * verdict: deadlock
 * predict: communication, the wait in take() and the producer's outer lock; only with annotations, since nobody waits in a
 *   run that passes
 */
#include "conditions.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t application = PTHREAD_MUTEX_INITIALIZER;
static int sold;

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;
static struct hd_predicate empty;

static bool is_empty(void *of)
{
  return *(int *)of == 0;
}

static void put(void)
{
  pthread_mutex_lock(&library);
  items++;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&library);
}

static void take(void)
{
  pthread_mutex_lock(&library);
  HD_WAIT_BEGIN(&empty, &filled, &library);
  while (items == 0)
    pthread_cond_wait(&filled, &library);
  HD_WAIT_END(&empty);
  items--;
  pthread_mutex_unlock(&library);
}

static void *producer(void *arg)
{
  arrive();
  pthread_mutex_lock(&application);
  put();
  pthread_mutex_unlock(&application);
  return arg;
}

static void *consumer(void *arg)
{
  arrive();
#ifdef FIXED
  take();
  pthread_mutex_lock(&application);
#else
  pthread_mutex_lock(&application);
  take();
#endif
  sold++;
  pthread_mutex_unlock(&application);
  return arg;
}

int main(void)
{
  pthread_t p, c;
  HD_PREDICATE(&empty, "empty", is_empty, &items);
  pthread_create(&p, NULL, producer, NULL);
  pthread_create(&c, NULL, consumer, NULL);
  settle();
  pthread_join(p, NULL);
  pthread_join(c, NULL);
  return sold != 1;
}
