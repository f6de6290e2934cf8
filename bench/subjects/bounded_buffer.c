/* SPDX-License-Identifier: Apache-2.0
 *
 * One producer, one consumer and main: a buffer of two places, a mutex and two condition variables. Correct.
 */
#include <assert.h>
#include <pthread.h>

enum { PLACES = 2, ITEMS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int buffer[PLACES], count, sum;

static void *produce(void *unused)
{
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&lock);
    while (count == PLACES)
      pthread_cond_wait(&not_full, &lock);
    buffer[count++] = i + 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void *consume(void *unused)
{
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&lock);
    while (count == 0)
      pthread_cond_wait(&not_empty, &lock);
    sum += buffer[--count];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void)
{
  pthread_t producer, consumer;
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  assert(sum == ITEMS * (ITEMS + 1) / 2);
  return 0;
}
