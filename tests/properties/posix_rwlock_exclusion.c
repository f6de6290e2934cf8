/* SPDX-License-Identifier: Apache-2.0
 *
 * RwlockExclusion: a cache that finds its entry missing fills it while it still holds the lock for reading. Fixed: it
 * gives the lock back before it asks for it once more. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entry;

static void *fill(void *unused)
{
  pthread_rwlock_rdlock(&lock);
  int missing = entry == 0;
#ifdef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  if (missing) {
    pthread_rwlock_wrlock(&lock);
    entry = 1;
    pthread_rwlock_unlock(&lock);
  }
#ifndef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, fill, NULL);
  pthread_join(thread, NULL);
  return 0;
}
