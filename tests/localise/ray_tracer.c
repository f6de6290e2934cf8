/* SPDX-License-Identifier: Apache-2.0
 *
 * Sixteen workers add what they have rendered to one checksum, each under a lock: its own. Updates are lost.
 *
 * verdict: assertion
 * also: race
 * blame: R W W checksum
 */
#include <assert.h>
#include <pthread.h>

#define WORKERS 16

static pthread_mutex_t own[WORKERS];
static const int rows[WORKERS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static long checksum;
#ifdef FIXED
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *render(void *arg)
{
  const int *mine = arg;
#ifdef FIXED
  pthread_mutex_t *lock = &all;
#else
  pthread_mutex_t *lock = &own[mine - rows];
#endif
  pthread_mutex_lock(lock);
  checksum += *mine; /* <1> <2> <3> */
  pthread_mutex_unlock(lock);
  return NULL;
}

int main(void)
{
  pthread_t thread[WORKERS];

  for (int i = 0; i < WORKERS; i++) {
    pthread_mutex_init(&own[i], NULL);
    pthread_create(&thread[i], NULL, render, (void *)&rows[i]);
  }
  for (int i = 0; i < WORKERS; i++)
    pthread_join(thread[i], NULL);
  assert(checksum == WORKERS * (WORKERS + 1) / 2);
  return 0;
}
