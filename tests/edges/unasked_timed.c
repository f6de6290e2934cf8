/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait with a timeout may end with 0 though nobody signalled and its time has not come.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int letter;

static void *deliver(void *unused)
{
  pthread_mutex_lock(&door);
  letter = 1;
  pthread_cond_signal(&bell);
  pthread_mutex_unlock(&door);
  return unused;
}

int main(void)
{
  pthread_t postman;
  struct timespec noon;
  int result = 0;
  clock_gettime(CLOCK_REALTIME, &noon);
  noon.tv_sec += 100;
  pthread_create(&postman, NULL, deliver, NULL);
  pthread_mutex_lock(&door);
  if (letter == 0)
    result = pthread_cond_timedwait(&bell, &door, &noon);
  assert(letter != 0 || result != 0);
  pthread_mutex_unlock(&door);
  pthread_join(postman, NULL);
}
