/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads ask for what is made when it is first needed: it is made once, and the second waits for it. BUG: it is
 * made twice.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *instance;
static int made;

static void *make(void)
{
  int *p = malloc(sizeof *p);
  usleep(50000); /* it takes its time */
  __atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST);
  return p;
}

static int *get_instance(void)
{
#ifdef BUG
  if (!__atomic_load_n(&instance, __ATOMIC_ACQUIRE))
    __atomic_store_n(&instance, make(), __ATOMIC_RELEASE);
#else
  pthread_mutex_lock(&lock);
  if (!instance)
    instance = make();
  pthread_mutex_unlock(&lock);
#endif
  return __atomic_load_n(&instance, __ATOMIC_ACQUIRE);
}

static void *user(void *arg)
{
  (void)lock;
  get_instance();
  return arg;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(made == 1);
  return 0;
}
