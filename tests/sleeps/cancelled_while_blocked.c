/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that is cancelled in its wait gives the mutex back. BUG: it has no handler for that.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void give_back(void *mutex)
{
#ifndef BUG
  pthread_mutex_unlock(mutex);
#else
  (void)mutex;
#endif
}

static void *waiter(void *arg)
{
  pthread_mutex_lock(&m);
  pthread_cleanup_push(give_back, &m);
  for (;;)
    pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(1);
  return arg;
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, waiter, NULL);
  usleep(25000); /* it waits now */
  pthread_cancel(t);
  pthread_join(t, NULL);
  if (pthread_mutex_trylock(&m) != 0) {
    puts("the mutex is lost");
    return 1;
  }
  pthread_mutex_unlock(&m);
  return 0;
}
