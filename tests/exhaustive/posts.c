/* SPDX-License-Identifier: Apache-2.0
 *
 * posts N W: N threads post a semaphore once, W <= N threads wait for it once. Posts commute with posts. With one
 * waiter a class is the set of posts before the wait, which cannot be empty: 2^N - 1.
 */
#include "together.h"
#include <semaphore.h>

static sem_t sem;

static void *poster(void *arg)
{
  (void)arg;
  sem_post(&sem);
  return NULL;
}

static void *waiter(void *arg)
{
  (void)arg;
  sem_wait(&sem);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), w = number(argc, argv, 2, 1);

  sem_init(&sem, 0, 0);
  for (int i = 0; i < w; i++)
    start(waiter, 0, 0);
  for (int i = 0; i < n; i++)
    start(poster, 0, 0);
  finish();
  printf("\n");
  return 0;
}
