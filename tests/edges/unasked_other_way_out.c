/* SPDX-License-Identifier: Apache-2.0
 *
 * What is looked at after the wait is not what was looked at before it: a wait that ends for no reason after the door
 * was closed, and before it was told so, leaves another way.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, closed, left;

static void *guest(void *unused)
{
  pthread_mutex_lock(&lock);
  while (!ready) {
    pthread_cond_wait(&changed, &lock);
    if (closed) {
      left = !ready;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, guest, NULL);
  pthread_mutex_lock(&lock);
  closed = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  assert(!left);
  return 0;
}
