/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector: a copy takes the size of another vector, then its contents, and lets go of the lock in between.
 */
#include "harness.h"

#define ROOM 32u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned size, item[ROOM];

static void make(void)
{
  size = 0;
}

static void add(unsigned value, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  if (size < ROOM)
    item[size++] = value + 1;
  pthread_mutex_unlock(&lock);
}

static void clear(unsigned a, unsigned b)
{
  (void)a, (void)b;
  pthread_mutex_lock(&lock);
  size = 0;
  pthread_mutex_unlock(&lock);
}

static void copy(unsigned a, unsigned b)
{
  (void)a, (void)b;
  unsigned own[ROOM], copied = 0;
  pthread_mutex_lock(&lock);
  unsigned count = size;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  for (; copied < size; copied++)
    own[copied] = item[copied];
  pthread_mutex_unlock(&lock);
  assert(copied >= count && (!copied || own[copied - 1]));
}

static void check(void)
{
  assert(size <= ROOM);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(add, 50), HD_OPERATION(clear), HD_OPERATION(copy))
