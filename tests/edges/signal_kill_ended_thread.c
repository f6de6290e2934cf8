/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_kill of a thread that has ended but is not joined is no error in glibc since 2.34.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ended;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&ended, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  while (!atomic_load(&ended))
    ;
  assert(pthread_kill(thread, 0) == 0);
  pthread_join(thread, NULL);
  return 0;
}
