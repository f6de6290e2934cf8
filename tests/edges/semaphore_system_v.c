/* SPDX-License-Identifier: Apache-2.0
 *
 * A System V semaphore as a lock between two threads.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;
static atomic_int inside;

static void *worker(void *unused)
{
  (void)unused;
  struct sembuf take = {0, -1, 0}, give = {0, 1, 0};
  assert(semop(set, &take, 1) == 0);
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  assert(semop(set, &give, 1) == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  set = semget(IPC_PRIVATE, 1, 0600);
  assert(semctl(set, 0, SETVAL, 1) == 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  semctl(set, 0, IPC_RMID);
  return 0;
}
