/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue with its own lock and condition variable, inside a shop that has a lock as well. The customer comes in,
 * locks the shop, locks the queue, and waits for goods. The wait lets go of the queue's lock, not of the shop's; so
 * the supplier cannot come in, and the goods never arrive. The twin leaves the shop before it waits.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <pthread.h>

static pthread_mutex_t shop = PTHREAD_MUTEX_INITIALIZER;
static int visitors;

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;
static int goods;

static void *customer(void *arg)
{
  pthread_mutex_lock(&shop);
  visitors++;
#ifdef FIXED
  pthread_mutex_unlock(&shop);
#endif
  pthread_mutex_lock(&queue);
  while (goods == 0)
    pthread_cond_wait(&delivered, &queue);
  goods--;
  pthread_mutex_unlock(&queue);
#ifndef FIXED
  pthread_mutex_unlock(&shop);
#endif
  return arg;
}

static void supply(void)
{
  pthread_mutex_lock(&shop);
  visitors++;
  pthread_mutex_lock(&queue);
  goods++;
  pthread_cond_signal(&delivered);
  pthread_mutex_unlock(&queue);
  pthread_mutex_unlock(&shop);
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, customer, NULL);
  supply();
  pthread_join(thread, NULL);
  return 0;
}
