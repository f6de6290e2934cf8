/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of two threads, put in the order of their addresses: whose is the first one depends on which thread it is.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) first;

static void *draw(void *unused)
{
  char *mine = malloc(8), *other = atomic_exchange(&first, mine);
  assert(other < mine);
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
