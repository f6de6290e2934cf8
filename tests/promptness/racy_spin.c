/* SPDX-License-Identifier: Apache-2.0
 *
 * Three sentries look at a flag that nobody protects until the guard, which works for long, sets it: every look is a data
 * race with the write before it, tens of thousands of times in one execution. The guard finds a wrong count at the end, so
 * the execution is also replayed with a trace, told and made into a page.
 */
#include <assert.h>
#include <pthread.h>

#define WORK 3000

static volatile int relieved, rounds;

static void *sentry(void *arg)
{
  while (!relieved)
    rounds = rounds + 1;
  return arg;
}

static void *guard(void *arg)
{
  for (int i = 0; i < WORK; i++)
    rounds = rounds + 1;
  relieved = 1;
  assert(rounds < 100);
  return arg;
}

int main(void)
{
  pthread_t thread[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&thread[i], NULL, i < 3 ? sentry : guard, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
