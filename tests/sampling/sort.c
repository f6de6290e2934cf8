/* SPDX-License-Identifier: Apache-2.0
 *
 * Quicksort by two threads: who has split a part gives the larger half to the other if that is idle, which it looks at
 * before it takes the lock; two halves can so be given at once, and one of them is never sorted.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

#define ITEMS 6
static int item[ITEMS] = {4, 1, 6, 3, 5, 2};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int low, high, over; /* the part that waits for somebody */
static atomic_int idle, working;

static void sort(int from, int to);

/* Whether the other one takes it. */
static int give(int from, int to)
{
#ifndef FIXED
  if (!idle)
    return 0;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  if (!idle || low < high) {
    pthread_mutex_unlock(&lock);
    return 0;
  }
#endif
  low = from;
  high = to;
  idle = 0;
  working++;
  pthread_cond_broadcast(&given);
  pthread_mutex_unlock(&lock);
  return 1;
}

static void sort(int from, int to)
{
  if (to - from < 2)
    return;
  int pivot = item[from], middle = from;
  for (int i = from + 1; i < to; i++)
    if (item[i] < pivot) {
      int swapped = item[i];
      item[i] = item[++middle];
      item[middle] = swapped;
    }
  item[from] = item[middle];
  item[middle] = pivot;
  if (!give(middle + 1, to))
    sort(middle + 1, to);
  sort(from, middle);
}

static void *helper(void *unused)
{
  pthread_mutex_lock(&lock);
  for (;;) {
    idle = 1;
    while (low >= high && !over)
      pthread_cond_wait(&given, &lock);
    if (low >= high)
      break;
    int from = low, to = high;
    low = high = 0;
    pthread_mutex_unlock(&lock);
    sort(from, to);
    pthread_mutex_lock(&lock);
    if (--working == 0)
      pthread_cond_broadcast(&given);
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  start(helper, 0);
  start(helper, 1);
  sort(0, ITEMS);
  pthread_mutex_lock(&lock);
  while (working > 0 && low >= high)
    pthread_cond_wait(&given, &lock);
  while (working > 0)
    pthread_cond_wait(&given, &lock);
  over = 1;
  pthread_cond_broadcast(&given);
  pthread_mutex_unlock(&lock);
  wait_for_all();
  for (int i = 0; i < ITEMS; i++)
    assert(item[i] == i + 1);
  return 0;
}
