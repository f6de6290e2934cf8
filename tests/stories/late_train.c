/* SPDX-License-Identifier: Apache-2.0
 *
 * The wait for a train times out, but it has come before the traveller looks up.
 * tell: T1 +\S+ +times out on +arrival
 * tell: bug +a timeout is taken as proof that nothing has happened: T1 reads `arrived` at
 * tell: fix +after the wait T1 must decide by `arrived`, not by ETIMEDOUT
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t station = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static int arrived;

static void *travel(void *arg)
{
  struct timespec until;
  int result = 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  pthread_mutex_lock(&station);
  while (arrived == 0 && result == 0)
    result = pthread_cond_timedwait(&arrival, &station, &until);
#ifdef FIXED
  if (arrived == 0)
#else
  if (result == ETIMEDOUT)
#endif
    assert(arrived == 0); /* walks home */
  pthread_mutex_unlock(&station);
  return arg;
}

int main(void)
{
  pthread_t traveller;
  pthread_create(&traveller, NULL, travel, NULL);
  pthread_mutex_lock(&station);
  arrived = 1;
  pthread_cond_signal(&arrival);
  pthread_mutex_unlock(&station);
  pthread_join(traveller, NULL);
}
