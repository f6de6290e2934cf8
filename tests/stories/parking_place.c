/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver waits for a free place with `if`: when it wakes, another one that never waited has taken it.
 * tell: T\d +\S+ +waits on +place_left
 * tell: bug +what was waited for is gone again when the thread wakes: T\d reads `places` at
 * tell: fix +the wait must be in a loop that checks again: while, not if
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t place_left = PTHREAD_COND_INITIALIZER;
static int places;

static void *park(void *arg)
{
  pthread_mutex_lock(&gate);
#ifdef FIXED
  while (places == 0)
#else
  if (places == 0)
#endif
    pthread_cond_wait(&place_left, &gate);
  places--;
  assert(places >= 0);
  pthread_mutex_unlock(&gate);
  return arg;
}

static void leave(void)
{
  pthread_mutex_lock(&gate);
  places++;
  pthread_cond_signal(&place_left);
  pthread_mutex_unlock(&gate);
}

int main(void)
{
  pthread_t red, blue;
  pthread_create(&red, NULL, park, NULL);
  pthread_create(&blue, NULL, park, NULL);
  leave();
  leave();
  pthread_join(red, NULL);
  pthread_join(blue, NULL);
}
