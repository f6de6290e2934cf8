/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of two slots. The producer waits while there are more than two items in it, which is one too late: with
 * both slots full and the consumer slow, the third item overwrites the first. The consumer then reads 3 where 1 was.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>

enum { SLOTS = 2, ITEMS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int ring[SLOTS];
static int count;

static void *producer(void *arg)
{
  for (int item = 1; item <= ITEMS; item++) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (count == SLOTS)
#else
    while (count > SLOTS)
#endif
      pthread_cond_wait(&not_full, &lock);
    ring[item % SLOTS] = item;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, producer, NULL);
  for (int item = 1; item <= ITEMS; item++) {
    pthread_mutex_lock(&lock);
    while (count == 0)
      pthread_cond_wait(&not_empty, &lock);
    assert(ring[item % SLOTS] == item);
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, NULL);
  return 0;
}
