/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads stamp a log without a lock, in every execution: a data race that nobody minds. The bug is elsewhere and rare:
 * a reader that looks at the counter just before it is 4, right after, near the end and right before the end takes the
 * writer for a machine. The race must not end the search for it.
 *
 * -DFIXED: stamps are written with the lock, and the reader looks once.
 */
#include <assert.h>
#include <pthread.h>

#define TURNS 30

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
int stamp; /* who came last */

static int add(int n)
{
  pthread_mutex_lock(&lock);
  int now = counter += n;
#ifdef FIXED
  stamp = now;
#endif
  pthread_mutex_unlock(&lock);
  return now;
}

static void stamp_it(int value)
{
#ifndef FIXED
  stamp = value;
#else
  (void)value;
#endif
}

static void *writer(void *arg)
{
  stamp_it(1);
  for (int i = 0; i < TURNS; i++)
    add(1);
  return arg;
}

static void *reader(void *arg)
{
  stamp_it(2);
#ifdef FIXED
  assert(add(0) <= TURNS);
#else
  assert(!(add(0) == 3 && add(0) == 4 && add(0) == TURNS - 9 && add(0) == TURNS - 1));
#endif
  return arg;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, writer, NULL);
  pthread_create(&thread[1], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
