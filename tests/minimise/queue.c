/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentQueue: dequeue looks outside the lock whether there is something, so the last item can be taken twice.
 */
#include "harness.h"

#define ITEMS 20000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned item[ITEMS];
static atomic_uint head, tail;

static void make(void)
{
  head = tail = 0;
}

static void enqueue(unsigned value, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  item[tail] = value;
  tail++;
  pthread_mutex_unlock(&lock);
}

static void dequeue(unsigned a, unsigned b)
{
  (void)a, (void)b;
#ifndef FIXED
  if (head == tail)
    return;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  if (head != tail)
#endif
    head++;
  pthread_mutex_unlock(&lock);
}

static void check(void)
{
  assert(head <= tail);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(enqueue, 50), HD_OPERATION(dequeue))
