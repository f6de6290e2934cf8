/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child meet at a named semaphore.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  char name[32];
  snprintf(name, sizeof name, "/edge-%d", (int)getpid());
  sem_t *semaphore = sem_open(name, O_CREAT, 0600, 0);
  assert(semaphore != SEM_FAILED);
  sem_unlink(name);
  pid_t child = fork();
  if (child == 0) {
    sem_post(semaphore);
    _exit(0);
  }
  assert(sem_wait(semaphore) == 0);
  waitpid(child, NULL, 0);
  sem_close(semaphore);
  return 0;
}
