/* SPDX-License-Identifier: Apache-2.0
 *
 * A latch on the stack of who waits for it. It is opened under its mutex, but who waits is woken after that: by then the
 * other may have seen it open, and returned.
 *
 * verdict: found
 * kind: race
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct latch {
  pthread_mutex_t mutex;
  pthread_cond_t opened;
  bool open;
};

static void *work(void *arg)
{
  struct latch *latch = arg;
  pthread_mutex_lock(&latch->mutex);
  latch->open = true;
  pthread_mutex_unlock(&latch->mutex);
  pthread_cond_signal(&latch->opened);
  return NULL;
}

static __attribute__((noinline)) void wait_for_work(void)
{
  struct latch latch = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  pthread_t thread;
  pthread_create(&thread, NULL, work, &latch);
  pthread_detach(thread);
  pthread_mutex_lock(&latch.mutex);
  while (!latch.open)
    pthread_cond_wait(&latch.opened, &latch.mutex);
  pthread_mutex_unlock(&latch.mutex);
}

int main(void)
{
  wait_for_work();
  return 0;
}
