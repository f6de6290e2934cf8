/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads draw from one state, under a lock. Who gets which number depends on who is first.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned state = 1;
static int first, drawn;

static int draw(void)
{
  pthread_mutex_lock(&lock);
  int number = rand_r(&state);
  pthread_mutex_unlock(&lock);
  return number;
}

static void *drawer(void *unused)
{
  drawn = draw();
  return unused;
}

int main(void)
{
  pthread_t thread;
  unsigned same = 1;
  first = rand_r(&same);
  pthread_create(&thread, NULL, drawer, NULL);
  int mine = draw();
  pthread_join(thread, NULL);
  assert(mine == first);
  (void)drawn;
  return 0;
}
