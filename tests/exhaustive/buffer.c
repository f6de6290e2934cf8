/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer P C [SIGNAL]: P producers put one item each into a buffer with one place, C consumers take as many items
 * together (P must be a multiple of C). One mutex, one condition variable for each side. SIGNAL 0: with the lock held,
 * 1: after the lock was released.
 */
#include "together.h"

static pthread_mutex_t lock;
static pthread_cond_t not_full, not_empty;
static int item; /* 0: the place is empty */

static void hand_over(pthread_cond_t *to, int late)
{
  if (!late)
    pthread_cond_signal(to);
  pthread_mutex_unlock(&lock);
  if (late)
    pthread_cond_signal(to);
}

static void *producer(void *arg)
{
  pthread_mutex_lock(&lock);
  while (item != 0)
    pthread_cond_wait(&not_full, &lock);
  item = first(arg);
  hand_over(&not_empty, second(arg));
  return NULL;
}

static void *consumer(void *arg)
{
  int seen = 0, got;

  for (int i = 0; i < first(arg); i++) {
    pthread_mutex_lock(&lock);
    while ((got = item) == 0)
      pthread_cond_wait(&not_empty, &lock);
    seen = seen * 8 + got;
    item = 0;
    hand_over(&not_full, second(arg));
  }
  return result(seen);
}

int main(int argc, char **argv)
{
  int p = number(argc, argv, 1, 1), c = number(argc, argv, 2, 1), late = number(argc, argv, 3, 0);

  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&not_full, NULL);
  pthread_cond_init(&not_empty, NULL);
  for (int i = 0; i < p; i++)
    start(producer, i + 1, late);
  for (int i = 0; i < c; i++)
    start(consumer, p / c, late);
  finish();
  printf("item=%d\n", item);
  return 0;
}
