/* SPDX-License-Identifier: Apache-2.0
 *
 * A function starts a thread with a pointer to its variable and returns. The thread may read it before or after that; no
 * step tells the two apart.
 *
 * verdict: found
 * kind: race
 */
#include <pthread.h>

static pthread_t thread;
static int sum;

static void *add(void *number)
{
  sum += __atomic_load_n((int *)number, __ATOMIC_SEQ_CST);
  return NULL;
}

static __attribute__((noinline)) void start(void)
{
  int number = 5;
  pthread_create(&thread, NULL, add, &number);
}

int main(void)
{
  start();
  pthread_join(thread, NULL);
  return 0;
}
