/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits that are repeated, as people write them: with the result in a variable, in a function of one's own, in an outer
 * loop. That one ends for no reason changes nothing.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void wait_until_changed(void)
{
  pthread_cond_wait(&changed, &lock);
}

static void *first(void *unused)
{
  int error;
  pthread_mutex_lock(&lock);
  while (stage != 1) {
    error = pthread_cond_wait(&changed, &lock);
    assert(!error);
  }
  stage = 2;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, first, NULL);
  pthread_mutex_lock(&lock);
  stage = 1;
  pthread_cond_broadcast(&changed);
  for (;;) {
    if (stage == 2)
      break;
    wait_until_changed();
  }
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
