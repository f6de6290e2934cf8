/* SPDX-License-Identifier: Apache-2.0
 *
 * rendezvous K: two threads meet K times: each says with one semaphore that it is here and waits with another for its
 * partner. Each semaphore has one poster and one waiter. A post may come before or after an earlier wait that had its
 * unit already, which is why K > 1 has more classes than one.
 */
#include "together.h"
#include <semaphore.h>

static sem_t here[2];

static void *partner(void *arg)
{
  for (int i = 0; i < second(arg); i++) {
    sem_post(&here[first(arg)]);
    sem_wait(&here[!first(arg)]);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int k = number(argc, argv, 1, 1);

  sem_init(&here[0], 0, 0);
  sem_init(&here[1], 0, 0);
  start(partner, 0, k);
  start(partner, 1, k);
  finish();
  printf("\n");
  return 0;
}
