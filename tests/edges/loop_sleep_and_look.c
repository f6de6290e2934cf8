/* SPDX-License-Identifier: Apache-2.0
 *
 * Main sleeps and looks until the worker is through.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int done;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&done, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  while (!atomic_load(&done))
    usleep(100);
  pthread_join(thread, NULL);
  return 0;
}
