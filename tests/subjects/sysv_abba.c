/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take two System V semaphores in opposite orders, each with the first one in hand when it wants the second.
 * Fixed: both are taken by one semop(), all or none.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void *transfer(void *arg)
{
  unsigned short first = *(int *)arg != 0, second = !first;
  struct sembuf take[2] = {{first, -1, SEM_UNDO}, {second, -1, SEM_UNDO}};
  struct sembuf give[2] = {{first, 1, SEM_UNDO}, {second, 1, SEM_UNDO}};

#ifdef FIXED
  semop(set, take, 2);
#else
  semop(set, &take[0], 1);
  semop(set, &take[1], 1);
#endif
  semop(set, give, 2);
  return NULL;
}

int main(void)
{
  unsigned short ones[2] = {1, 1};
  int there = 0, back = 1;
  pthread_t a, b;

  set = semget(IPC_PRIVATE, 2, 0600);
  semctl(set, 0, SETALL, ones);
  pthread_create(&a, NULL, transfer, &there);
  pthread_create(&b, NULL, transfer, &back);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  semctl(set, 0, IPC_RMID);
  return 0;
}
