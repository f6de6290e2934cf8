/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader looks at the flag before it takes the lock, and waits if it is not set. If the writer sets it and tells of
 * it in between, the reader waits for news that is over. The twin looks again under the lock.
 *
 * shape: lost wake-up, a flag without its lock
 * verdict: deadlock (and a data race, which is the cause)
 * predict: communication, the reader's wait
 */
#include "conditions.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int flag;
static struct hd_predicate unset;

static bool is_unset(void *of)
{
  return !*(int *)of;
}

static void *reader(void *arg)
{
  arrive();
#ifdef FIXED
  pthread_mutex_lock(&lock);
  HD_WAIT_BEGIN(&unset, &told, &lock);
  while (!flag)
    pthread_cond_wait(&told, &lock);
  HD_WAIT_END(&unset);
  pthread_mutex_unlock(&lock);
#else
  HD_WAIT_BEGIN(&unset, &told, &lock);
  if (!flag) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
  }
  HD_WAIT_END(&unset);
#endif
  return arg;
}

static void *writer(void *arg)
{
  arrive();
#ifdef FIXED
  pthread_mutex_lock(&lock);
  flag = 1;
#else
  flag = 1;
  pthread_mutex_lock(&lock);
#endif
  pthread_cond_broadcast(&told);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t r, w;
  HD_PREDICATE(&unset, "unset", is_unset, &flag);
  pthread_create(&r, NULL, reader, NULL);
  pthread_create(&w, NULL, writer, NULL);
  settle();
  pthread_join(r, NULL);
  pthread_join(w, NULL);
  return 0;
}
