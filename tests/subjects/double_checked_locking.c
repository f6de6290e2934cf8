/* SPDX-License-Identifier: Apache-2.0
 *
 * Double-checked locking, published too early. The first thread allocates the settings, stores the pointer where all
 * can see it, and then fills them in. The second thread's unlocked check finds the pointer set, skips the lock, and
 * reads a port that nobody has written yet. The twin fills in first and publishes last.
 *
 * verdict: assertion
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct settings {
  int port;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct settings *) instance;

static struct settings *get_settings(void)
{
  if (instance == NULL) {
    pthread_mutex_lock(&lock);
    if (instance == NULL) {
      struct settings *fresh = calloc(1, sizeof *fresh);
      assert(fresh != NULL);
#ifdef FIXED
      fresh->port = 8080;
      instance = fresh;
#else
      instance = fresh;
      fresh->port = 8080;
#endif
    }
    pthread_mutex_unlock(&lock);
  }
  return instance;
}

static void *listener(void *arg)
{
  assert(get_settings()->port == 8080);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, listener, NULL);
  pthread_create(&b, NULL, listener, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(instance);
  return 0;
}
