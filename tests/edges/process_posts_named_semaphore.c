/* SPDX-License-Identifier: Apache-2.0
 *
 * A child posts a semaphore that both know by its name, and main waits for it.
 *
 * verdict: complete
 */
#include <fcntl.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  sem_t *done = sem_open("/heddle_edge_named", O_CREAT, 0600, 0);
  pid_t child = fork();
  if (child == 0) {
    sem_post(done);
    _exit(0);
  }
  while (sem_wait(done) != 0)
    ;
  sem_unlink("/heddle_edge_named");
  waitpid(child, NULL, 0);
  return 0;
}
