/* SPDX-License-Identifier: Apache-2.0
 *
 * Main counts, in memory of its own, how often it had to look before the worker was through.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

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
  volatile unsigned looks = 0;
  pthread_create(&thread, NULL, worker, NULL);
  while (!atomic_load(&done))
    looks++;
  pthread_join(thread, NULL);
  return 0;
}
