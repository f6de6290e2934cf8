/* SPDX-License-Identifier: Apache-2.0
 *
 * An increment in assembly with the lock prefix. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static int count;

static void *worker(void *unused)
{
  (void)unused;
  __asm__ volatile("lock; incl %0" : "+m"(count) : : "cc", "memory");
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 2);
  return 0;
}
