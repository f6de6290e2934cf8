/* SPDX-License-Identifier: Apache-2.0
 *
 * The same with the number that the kernel knows the thread by: the larger one must not be first.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int before;

static void *draw(void *unused)
{
  int other = atomic_exchange(&before, gettid());
  assert(other < gettid());
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, draw, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
}
