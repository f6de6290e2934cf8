/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread starts another one with a pointer to its variable, and ends.
 *
 * verdict: found
 * kind: memory
 */
#include <pthread.h>

static pthread_t inner;
static int sum;

static void *add(void *number)
{
  sum += __atomic_load_n((int *)number, __ATOMIC_SEQ_CST);
  return NULL;
}

static void *start(void *unused)
{
  int number = 5;
  pthread_create(&inner, NULL, add, &number);
  return unused;
}

int main(void)
{
  pthread_t outer;
  pthread_create(&outer, NULL, start, NULL);
  pthread_join(outer, NULL);
  pthread_join(inner, NULL);
  return 0;
}
