/* SPDX-License-Identifier: Apache-2.0
 *
 * RwlockPairing: a reader that did not get the lock unlocks it all the same, while the writer has it. Fixed: it asks. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
  int taken = pthread_rwlock_tryrdlock(&lock);
#ifdef FIXED
  if (taken == 0)
#endif
    pthread_rwlock_unlock(&lock);
  (void)taken;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
