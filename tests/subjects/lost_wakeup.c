/* SPDX-License-Identifier: Apache-2.0
 *
 * A condition variable has no memory. The runner waits for the starting pistol, but does not ask whether it has
 * gone off already. If the starter signals before the runner waits, nobody hears it and the runner stays at the
 * line. The twin writes down that the pistol was fired, and looks there first.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pistol = PTHREAD_COND_INITIALIZER;
static int fired;

static void *runner(void *arg)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (!fired)
#endif
    pthread_cond_wait(&pistol, &lock);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, runner, NULL);
  pthread_mutex_lock(&lock);
  fired = 1;
  pthread_cond_signal(&pistol);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
