/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait that is not repeated, where nothing depends on why it ended: explore alone cannot tell, check tries it and can.
 *
 * verdict: quiet
 * expect-text: it may make a difference that a wait on a condition ends for no reason
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int over;

static void *waker(void *unused)
{
  pthread_mutex_lock(&lock);
  over = 1;
  pthread_cond_signal(&woken);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, waker, NULL);
  pthread_mutex_lock(&lock);
  if (!over)
    pthread_cond_wait(&woken, &lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
