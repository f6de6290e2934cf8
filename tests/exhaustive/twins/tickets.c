/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that draw a ticket each and wait for their turn. Nobody can tell them apart: one order stands for all.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int next, serving;
static int served;

static void *customer(void *unused)
{
  int mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != mine)
    ;
  served++;
  atomic_store(&serving, mine + 1);
  return unused;
}

int main(void)
{
  pthread_t thread[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, customer, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  printf("%d\n", served);
}
