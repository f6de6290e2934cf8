/* SPDX-License-Identifier: Apache-2.0
 *
 * The work itself is locked; the number of requests is "only statistics" and is not. It looks harmless and is a race
 * like any other. Half of the time the lock hides it. Fixed: a relaxed atomic, which is what was meant.
 *
 * verdict: race
 * truth: races=1 deadlocks=0 atomicity=1
 * foretold: races=1 proven=1 atomicity=1
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work;
#ifdef FIXED
static atomic_int requests;
#define COUNT() atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed)
#else
static int requests;
#define COUNT() (requests++)
#endif

static void *serve(void *unused)
{
  COUNT();
  pthread_mutex_lock(&lock);
  work++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, serve, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return work != 2;
}
