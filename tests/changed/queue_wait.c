/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue with two consumers. They waited in a loop; the change asks once, so that one of them takes from an empty queue
 * if both are woken. */
#include "ordinary.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items, closed;

static void *consumer(void *unused)
{
  pthread_mutex_lock(&lock);
#ifdef OLD
  while (!items && !closed)
#else
  if (!items && !closed)
#endif
    pthread_cond_wait(&more, &lock);
  if (items || !closed)
    items--;
  assert(items >= 0);
  pthread_mutex_unlock(&lock);
  count_line();
  return unused;
}

static void *producer(void *unused)
{
  log_line();
  pthread_mutex_lock(&lock);
  items++;
  pthread_cond_broadcast(&more);
  pthread_mutex_unlock(&lock);
  log_line();
  pthread_mutex_lock(&lock);
  closed = 1;
  pthread_cond_broadcast(&more);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  RUN(consumer, consumer, producer);
}
