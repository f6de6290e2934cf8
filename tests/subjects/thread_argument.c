/* SPDX-License-Identifier: Apache-2.0
 *
 * Every thread is told its number by the address of the loop counter. By the time a thread reads it, the loop may have
 * moved on: both may be number 1, or number 2, which does not exist. The twin gives each thread an int of its own.
 *
 * verdict: assertion
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int present[3];

static void *worker(void *number)
{
  present[*(int *)number]++;
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int i;

  for (i = 0; i < 2; i++) {
#ifdef FIXED
    static int number[2] = {0, 1};
    pthread_create(&thread[i], NULL, worker, &number[i]);
#else
    pthread_create(&thread[i], NULL, worker, &i);
#endif
  }
  pthread_join(thread[0], NULL);
  pthread_join(thread[1], NULL);
  assert(present[0] == 1 && present[1] == 1);
  return 0;
}
