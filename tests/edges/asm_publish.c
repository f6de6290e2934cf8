/* SPDX-License-Identifier: Apache-2.0
 *
 * A message is published by a mov and awaited by a mov: x86 keeps the order of stores, and of loads. No failure in 250
 * native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data;
static int ready;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&data, 42);
  __asm__ volatile("movl $1,%0" : "=m"(ready) : : "memory");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int seen;
  pthread_create(&thread, NULL, worker, NULL);
  do
    __asm__ volatile("movl %1,%0" : "=r"(seen) : "m"(ready) : "memory");
  while (!seen);
  assert(atomic_load(&data) == 42);
  pthread_join(thread, NULL);
  return 0;
}
