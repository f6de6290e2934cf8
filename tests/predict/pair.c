/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take two locks in opposite orders, but one of them has long work to do first, so in an ordinary run they
 * never meet. One circle of two: T1 holds first and wants second, T2 holds second and wants first.
 *
 * The twin takes both in the same order.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 1
 * real: 1
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void long_work(void)
{
  usleep(2000);
}

static void both(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  done++;
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

static void *late(void *arg)
{
  long_work();
  long_work();
  long_work();
  long_work();
  both(&first, &second);
  return arg;
}

static void *early(void *arg)
{
#ifdef FIXED
  both(&first, &second);
#else
  both(&second, &first);
#endif
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, late, NULL);
  pthread_create(&b, NULL, early, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return done != 2;
}
