/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache's cleaner says when it sleeps, and may be interrupted then. To see that it sleeps and to interrupt it are two steps:
 * it wakes in between, and the interrupt hits it at work.
 *
 * verdict: assertion
 * blame: R W R interrupted
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sleeping = 1, interrupted;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *cleaner(void *arg)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  sleeping = 0;
  int before = interrupted; /* <1> */
  int after = interrupted;  /* <3> */
  assert(before == after);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, cleaner, NULL);
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  if (sleeping)
    interrupted = 1; /* <2> */
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  pthread_join(thread, NULL);
  return 0;
}
