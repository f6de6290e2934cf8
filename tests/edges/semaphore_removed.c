/* SPDX-License-Identifier: Apache-2.0
 *
 * A set of semaphores is removed while a thread may wait for it, which counts on being told so (EIDRM). If it is too late
 * to begin with, there is no such set (EINVAL).
 *
 * verdict: found
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void *waiter(void *unused)
{
  struct sembuf take = {0, -1, 0};

  assert(semop(set, &take, 1) == -1 && errno == EIDRM);
  return unused;
}

int main(void)
{
  pthread_t thread;

  set = semget(IPC_PRIVATE, 1, 0600);
  pthread_create(&thread, NULL, waiter, NULL);
  semctl(set, 0, IPC_RMID);
  pthread_join(thread, NULL);
  return 0;
}
