/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child hand the turn to and fro through two process-shared semaphores.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct table {
  sem_t ping, pong;
  int ball;
};

int main(void)
{
  struct table *table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&table->ping, 1, 0);
  sem_init(&table->pong, 1, 0);
  pid_t child = fork();
  if (child == 0) {
    sem_wait(&table->ping);
    table->ball++;
    sem_post(&table->pong);
    _exit(0);
  }
  table->ball = 1;
  sem_post(&table->ping);
  sem_wait(&table->pong);
  assert(table->ball == 2);
  waitpid(child, NULL, 0);
  return 0;
}
