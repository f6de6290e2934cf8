/* SPDX-License-Identifier: Apache-2.0
 *
 * A helper starts, and main looks again and again whether it has; then main changes what the helper must see only when
 * told. BUG: the helper reads its orders before they are given.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ready, seen = -1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int orders, told;

static void *helper(void *arg)
{
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  pthread_mutex_lock(&m);
#ifndef BUG
  while (!told)
    pthread_cond_wait(&c, &m);
#endif
  seen = orders;
  pthread_mutex_unlock(&m);
  return arg;
}

static void tell(int v)
{
  pthread_mutex_lock(&m);
  orders = v;
  told = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, helper, NULL);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
    usleep(1000);
  usleep(30000); /* it waits */
  tell(8);
  pthread_join(t, NULL);
  assert(seen == 8);
  return 0;
}
