/* SPDX-License-Identifier: Apache-2.0
 *
 * An offer to a full place gives up after its time, and takes nothing away. BUG: it puts its element there all the
 * same.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;
static int place; /* 0: empty */

static bool offer(int v, int ms)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ms * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_mutex_lock(&lock);
  int error = 0;
  while (place && error != ETIMEDOUT)
    error = pthread_cond_timedwait(&room, &lock, &until);
#ifdef BUG
  place = v;
  bool done = error != ETIMEDOUT;
#else
  bool done = !place;
  if (done)
    place = v;
#endif
  pthread_mutex_unlock(&lock);
  return done;
}

static int take(void)
{
  pthread_mutex_lock(&lock);
  int v = place;
  place = 0;
  pthread_cond_signal(&room);
  pthread_mutex_unlock(&lock);
  return v;
}

static void *offers(void *arg)
{
  assert(!offer(2, 30));
  return arg;
}

int main(void)
{
  pthread_t t;
  assert(offer(1, 10));
  pthread_create(&t, NULL, offers, NULL);
  usleep(100000); /* longer than it has patience */
  assert(take() == 1);
  pthread_join(t, NULL);
  assert(take() == 0);
  return 0;
}
