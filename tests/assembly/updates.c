/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads update a counter by inline assembly. UPDATE says how; an update without a lock, or in two pieces, can be lost.
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *unused)
{
#if UPDATE == 1 /* in two pieces */
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(counter));
  value++;
  __asm__ volatile("movl %1, %0" : "=m"(counter) : "r"(value));
#elif UPDATE == 2 /* without a lock */
  __asm__ volatile("incl %0" : "+m"(counter) : : "cc");
#elif UPDATE == 3
  int value = 1;
  __asm__ volatile("xaddl %0, %1" : "+r"(value), "+m"(counter) : : "cc");
#elif UPDATE == 4
  __asm__ volatile("lock incl %0" : "+m"(counter) : : "cc");
#elif UPDATE == 5
  __asm__ volatile("lock\n\taddl $1, %0" : "+m"(counter) : : "cc");
#elif UPDATE == 6
  int old, swapped = 0;
  do {
    __asm__ volatile("movl %1, %0" : "=r"(old) : "m"(counter));
    int seen = old;
    __asm__ volatile("lock cmpxchgl %2, %0" : "+m"(counter), "+a"(seen) : "r"(old + 1) : "memory", "cc");
    swapped = seen == old;
  } while (!swapped);
#endif
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(counter == 2);
  return 0;
}
