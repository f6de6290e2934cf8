/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads meet and exchange what they bring. BUG: the first one gets its own back.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t met = PTHREAD_COND_INITIALIZER;
static bool one_waits, done;
static int brought_first, brought_second;

static int exchange(int mine)
{
  int theirs;
  pthread_mutex_lock(&lock);
  if (!one_waits) {
    one_waits = true;
    brought_first = mine;
    while (!done)
      pthread_cond_wait(&met, &lock);
#ifdef BUG
    theirs = brought_first;
#else
    theirs = brought_second;
#endif
    one_waits = done = false;
  } else {
    brought_second = mine;
    theirs = brought_first;
    done = true;
    pthread_cond_signal(&met);
  }
  pthread_mutex_unlock(&lock);
  return theirs;
}

static void *partner(void *arg)
{
  usleep(30000); /* main comes first */
  int got = exchange(7);
  assert(got == 3);
  return arg;
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, partner, NULL);
  int got = exchange(3);
  assert(got == 7);
  pthread_join(t, NULL);
  return 0;
}
