/* SPDX-License-Identifier: Apache-2.0
 *
 * MutexPairing: a thread that found the mutex taken unlocks it all the same. Fixed: it asks. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *visitor(void *unused)
{
  int taken = pthread_mutex_trylock(&lock);
#ifdef FIXED
  if (taken == 0)
#endif
    pthread_mutex_unlock(&lock);
  (void)taken;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, visitor, NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
