/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads increment a total without a lock: a read and a write against a read and a write. To a person that is one data
 * race, of one variable at one line, not three.
 *
 * -DFIXED: with the lock.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *arg)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  total++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return arg;
}

int main(void)
{
  pthread_t thread[2];
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, add, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
