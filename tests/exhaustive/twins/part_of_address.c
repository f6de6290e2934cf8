/* SPDX-License-Identifier: Apache-2.0
 *
 * A number that is made from the address of a block tells which thread it is, though it is no address.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_uint first;

static void *draw(void *unused)
{
  void *block = malloc(8);
  unsigned mine = (unsigned)((uintptr_t)block >> 32);
  assert(atomic_exchange(&first, mine) <= mine);
  free(block);
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
