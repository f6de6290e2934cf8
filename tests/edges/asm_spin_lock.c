/* SPDX-License-Identifier: Apache-2.0
 *
 * A spin lock by xchg and pause, as kernels write it, around a plain counter. No failure in 250 native runs with
 * pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static int lock, count;

static void acquire(int *word)
{
  int value;
  do {
    value = 1;
    __asm__ volatile("xchgl %0,%1" : "+r"(value), "+m"(*word) : : "memory");
    if (value)
      __asm__ volatile("pause");
  } while (value);
}

static void release(int *word)
{
  __asm__ volatile("movl $0,%0" : "=m"(*word) : : "memory");
}

static void *worker(void *unused)
{
  (void)unused;
  acquire(&lock);
  count++;
  release(&lock);
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
