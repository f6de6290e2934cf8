/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter by lock cmpxchg that does not look whether it succeeded. Not seen in 1000 native runs: the window is a few
 * instructions of two processors.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>

static int count;

static int compare_and_swap(int *word, int old, int new)
{
  int seen;
  __asm__ volatile("lock; cmpxchgl %2,%1" : "=a"(seen), "+m"(*word) : "r"(new), "0"(old) : "memory", "cc");
  return seen;
}

static void *worker(void *unused)
{
  (void)unused;
  int old = compare_and_swap(&count, -1, -1);
  compare_and_swap(&count, old, old + 1);
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
