/* SPDX-License-Identifier: Apache-2.0
 *
 * An increment in assembly without the lock prefix: on two processors an update is lost. Not seen in 1000 native runs:
 * the window is a few instructions of two processors.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>

static int count;

static void *worker(void *unused)
{
  (void)unused;
  __asm__ volatile("incl %0" : "+m"(count));
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
