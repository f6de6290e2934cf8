/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded buffer whose consumer tells the producer only if the buffer was full. If the producer waits because it is
 * full, and it is made larger then, the consumer finds it not full any more and says nothing; the producer sleeps for
 * ever. In the usual run the buffer grows while the producer is busy elsewhere, and nobody waits at all. The twin tells
 * everybody when it grows.
 *
 * shape: a notification skipped because its guard became false
 * verdict: deadlock
 * predict: communication, the wait in the second put(); only with annotations. Of the twin the same, which cannot be
 *   confirmed: that a larger buffer does not fill up again is not in the trace
 */
#include "conditions.h"
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int count, capacity = 1;
static struct hd_predicate full;

static bool is_full(void *of)
{
  (void)of;
  return count >= capacity;
}

static void put(void)
{
  pthread_mutex_lock(&lock);
  HD_WAIT_BEGIN(&full, &not_full, &lock);
  while (count >= capacity)
    pthread_cond_wait(&not_full, &lock);
  HD_WAIT_END(&full);
  count++;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
}

static void get(void)
{
  pthread_mutex_lock(&lock);
  while (count == 0)
    pthread_cond_wait(&not_empty, &lock);
  HD_NOTIFY_BEGIN(&full, &not_full, &lock, HD_SIGNAL);
  if (count >= capacity) {
    count--;
    pthread_cond_signal(&not_full);
  } else {
    count--;
  }
  HD_NOTIFY_END(&full);
  pthread_mutex_unlock(&lock);
}

static void *producer(void *arg)
{
  arrive();
  put();
  usleep(1000); /* the next one takes a while */
  put();
  return arg;
}

static void *resizer(void *arg)
{
  arrive();
  pthread_mutex_lock(&lock);
  capacity = 10;
#ifdef FIXED
  pthread_cond_broadcast(&not_full);
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}

static void *consumer(void *arg)
{
  arrive();
  get();
  return arg;
}

int main(void)
{
  pthread_t p, r, c;
  HD_PREDICATE(&full, "full", is_full, NULL);
  pthread_create(&p, NULL, producer, NULL);
  pthread_create(&r, NULL, resizer, NULL);
  pthread_create(&c, NULL, consumer, NULL);
  settle();
  pthread_join(p, NULL);
  pthread_join(r, NULL);
  pthread_join(c, NULL);
  return 0;
}
