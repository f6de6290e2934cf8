/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that changes whom it acts as, as servers do, and then has more threads than heddle keeps ready at first:
 * its updates are lost in some schedules, and such a schedule can be followed again.
 *
 * verdict: find
 */
#include <assert.h>
#include <grp.h>
#include <pthread.h>
#include <unistd.h>

#define THREADS 10

static volatile int sum;

static void *add(void *unused)
{
  (void)unused;
  sum++;
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  assert(!setgid(getgid()) && !setuid(getuid()));
  for (int i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, add, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  assert(sum == THREADS);
  return 0;
}
