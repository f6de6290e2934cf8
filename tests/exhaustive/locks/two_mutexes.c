/* SPDX-License-Identifier: Apache-2.0
 *
 * Two mutexes that every thread wants, each in its own order, as std::lock() gets them: who cannot have the second one
 * gives the first one back and begins with the other. They can keep each other from both for as long as the scheduler
 * pleases, and come back to where they were. BROKEN: a thread waits for the second one.
 *
 * broken: deadlock
 */
#include <pthread.h>

static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void acquire(int me)
{
  int first = me % 2;
#ifdef BROKEN
  pthread_mutex_lock(&mutex[first]);
  pthread_mutex_lock(&mutex[!first]);
#else
  for (;;) {
    pthread_mutex_lock(&mutex[first]);
    if (!pthread_mutex_trylock(&mutex[!first]))
      return;
    pthread_mutex_unlock(&mutex[first]);
    first = !first;
  }
#endif
}

static void release(int me)
{
  pthread_mutex_unlock(&mutex[me % 2]);
  pthread_mutex_unlock(&mutex[!(me % 2)]);
}

#include "contest.h"
