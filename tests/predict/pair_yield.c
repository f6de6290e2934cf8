/* SPDX-License-Identifier: Apache-2.0
 *
 * The pair with opposite orders, where the second thread takes `first` once by itself before it takes `second` and
 * `first`. Who holds the first thread back inside, with `first` in its hands, keeps the second one from ever getting
 * to its part of the circle: the first must be held back outside until the second has passed.
 *
 * With -DDELAYED the second thread has work to do first. The twin takes both in the same order.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 1
 * real: 1
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *straight(void *arg)
{
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  count++;
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return arg;
}

static void *reverse(void *arg)
{
#ifdef DELAYED
  usleep(2000);
#endif
  pthread_mutex_lock(&first);
  count++;
  pthread_mutex_unlock(&first);
#ifdef FIXED
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
#else
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
#endif
  count++;
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, straight, NULL);
  pthread_create(&b, NULL, reverse, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return count != 3;
}
