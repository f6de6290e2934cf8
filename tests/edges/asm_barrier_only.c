/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembly that touches no memory: compiler barriers, pause, mfence. The program is correct and small. No failure in
 * 250 native runs with pauses.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, ready;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&data, 42);
  __asm__ volatile("" : : : "memory");
  __asm__ volatile("mfence" : : : "memory");
  atomic_store(&ready, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  while (!atomic_load(&ready))
    __asm__ volatile("pause");
  assert(atomic_load(&data) == 42);
  pthread_join(thread, NULL);
  return 0;
}
