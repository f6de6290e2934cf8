/* SPDX-License-Identifier: Apache-2.0
 *
 * The address of a variable of its own tells which thread it is.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) first;
static _Thread_local int mine;

static void *draw(void *unused)
{
  int *other = atomic_exchange(&first, &mine);
  assert(other < &mine);
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
