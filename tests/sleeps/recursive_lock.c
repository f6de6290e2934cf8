/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that was taken twice is free only after it was given back twice. BUG: after the first time.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_t owner;
static int depth;
static bool other_has_it;

static void rlock(void)
{
  pthread_mutex_lock(&m);
  while (depth && !pthread_equal(owner, pthread_self()))
    pthread_cond_wait(&c, &m);
  owner = pthread_self();
  depth++;
  pthread_mutex_unlock(&m);
}

static void runlock(void)
{
  pthread_mutex_lock(&m);
#ifdef BUG
  depth = 0;
#else
  depth--;
#endif
  if (!depth)
    pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}

static void *other(void *arg)
{
  rlock();
  __atomic_store_n(&other_has_it, true, __ATOMIC_SEQ_CST);
  runlock();
  return arg;
}

int main(void)
{
  pthread_t t;
  rlock();
  rlock();
  pthread_create(&t, NULL, other, NULL);
  usleep(20000);
  runlock();
  usleep(20000);
  bool too_early = __atomic_load_n(&other_has_it, __ATOMIC_SEQ_CST);
  if (depth)
    runlock();
  pthread_join(t, NULL);
  assert(!too_early);
  return 0;
}
