/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker counts until it is told to stop.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stop;
static atomic_long work;

static void *worker(void *unused)
{
  (void)unused;
  while (!atomic_load(&stop))
    atomic_fetch_add(&work, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  return 0;
}
