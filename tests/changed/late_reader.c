/* SPDX-License-Identifier: Apache-2.0
 *
 * A pair of numbers that belong together, and a reader that has much to do before it looks at them. Both were written
 * under one lock; the change writes each under its own. Fails if the reader comes between. */
#include "ordinary.h"

static pthread_mutex_t pair_lock = PTHREAD_MUTEX_INITIALIZER, work_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second, worked;

static void work(int times)
{
  for (int i = 0; i < times; i++) {
    pthread_mutex_lock(&work_lock);
    worked++;
    pthread_mutex_unlock(&work_lock);
  }
}

static void set_pair(int value)
{
  pthread_mutex_lock(&pair_lock);
  first = value;
#ifndef OLD
  pthread_mutex_unlock(&pair_lock);
  pthread_mutex_lock(&pair_lock);
#endif
  second = value;
  pthread_mutex_unlock(&pair_lock);
}

static void *writer(void *unused)
{
  set_pair(1);
  work(3);
  count_line();
  return unused;
}

static void *reader(void *unused)
{
  work(3);
  pthread_mutex_lock(&pair_lock);
  int torn = first != second;
  pthread_mutex_unlock(&pair_lock);
  assert(!torn);
  return unused;
}

int main(void)
{
  RUN(writer, reader);
}
