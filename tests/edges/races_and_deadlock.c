/* SPDX-License-Identifier: Apache-2.0
 *
 * A hundred variables are raced for, and behind them two locks are taken in opposite orders: the deadlock is told.
 * Natively, with pauses, 5 of 135 runs hung.
 *
 * verdict: find
 * kind: deadlock
 */
#include <pthread.h>

static volatile int value[100];
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

#define ADD(n) value[n]++;
#define TEN(n)                                                                                               \
  ADD(n) ADD(n + 1) ADD(n + 2) ADD(n + 3) ADD(n + 4) ADD(n + 5) ADD(n + 6) ADD(n + 7) ADD(n + 8) ADD(n + 9)

static void *worker(void *unused)
{
  (void)unused;
  TEN(0) TEN(10) TEN(20) TEN(30) TEN(40) TEN(50) TEN(60) TEN(70) TEN(80) TEN(90) pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  TEN(0) TEN(10) TEN(20) TEN(30) TEN(40) TEN(50) TEN(60) TEN(70) TEN(80) TEN(90) pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
  pthread_join(thread, NULL);
  return 0;
}
