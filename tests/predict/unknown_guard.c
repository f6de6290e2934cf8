/* SPDX-License-Identifier: Apache-2.0
 *
 * Main waits until all work is done, but looks whether there is any left before it takes the lock. In the usual run the
 * work is done by then: nobody waits, and nothing in the run tells that somebody could. The program does not say so
 * either, on purpose. The twin looks under the lock.
 *
 * shape: lost wake-up behind a guard that nobody annotated
 * verdict: deadlock (and a data race, which is the cause)
 * predict: nothing, though there is something: an expected miss
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int left = 1;

static void *worker(void *arg)
{
  pthread_mutex_lock(&lock);
  left = 0;
  pthread_cond_signal(&done);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t w;
  pthread_create(&w, NULL, worker, NULL);
  usleep(1000);
#ifdef FIXED
  pthread_mutex_lock(&lock);
  while (left)
    pthread_cond_wait(&done, &lock);
  pthread_mutex_unlock(&lock);
#else
  if (left) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
  }
#endif
  pthread_join(w, NULL);
  return 0;
}
