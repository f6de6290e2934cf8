/* SPDX-License-Identifier: Apache-2.0
 *
 * A child takes a semaphore of System V and leaves it to the system to give it back when it ends (SEM_UNDO). Its parent
 * takes it then.
 *
 * verdict: complete
 */
#include <assert.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int set = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf take = {.sem_op = -1}, take_for_a_while = {.sem_op = -1, .sem_flg = SEM_UNDO};
  assert(semctl(set, 0, SETVAL, 1) == 0);
  if (fork() == 0) {
    assert(semop(set, &take_for_a_while, 1) == 0);
    assert(semctl(set, 0, GETPID) == getpid());
    _exit(0);
  }
  wait(NULL);
  assert(semop(set, &take, 1) == 0);
  semctl(set, 0, IPC_RMID);
  return 0;
}
