/* SPDX-License-Identifier: Apache-2.0
 *
 * `if` where `while` belongs. Ann waits for bread. The baker bakes one loaf and signals; before Ann has the lock
 * back, Bob walks in, sees a loaf, and takes it. Ann returns from the wait sure that there is bread, since she does
 * not look again, and takes what is not there.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t baked = PTHREAD_COND_INITIALIZER;
static int loaves;

static void *customer(void *arg)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (loaves == 0)
#else
  if (loaves == 0)
#endif
    pthread_cond_wait(&baked, &lock);
  assert(loaves > 0);
  loaves--;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void bake(void)
{
  pthread_mutex_lock(&lock);
  loaves++;
  pthread_cond_signal(&baked);
  pthread_mutex_unlock(&lock);
}

int main(void)
{
  pthread_t ann, bob;

  pthread_create(&ann, NULL, customer, NULL);
  pthread_create(&bob, NULL, customer, NULL);
  bake();
  bake();
  pthread_join(ann, NULL);
  pthread_join(bob, NULL);
  return 0;
}
