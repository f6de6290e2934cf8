/* SPDX-License-Identifier: Apache-2.0
 *
 * The parent waits on a process-shared condition for its child's word: this process alone cannot see who will wake it.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct board {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int word;
};

int main(void)
{
  struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t mutex_kind;
  pthread_condattr_t cond_kind;
  pthread_mutexattr_init(&mutex_kind);
  pthread_mutexattr_setpshared(&mutex_kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&board->mutex, &mutex_kind);
  pthread_condattr_init(&cond_kind);
  pthread_condattr_setpshared(&cond_kind, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&board->changed, &cond_kind);
  pid_t child = fork();
  if (child == 0) {
    usleep(1000);
    pthread_mutex_lock(&board->mutex);
    board->word = 1;
    pthread_cond_signal(&board->changed);
    pthread_mutex_unlock(&board->mutex);
    _exit(0);
  }
  pthread_mutex_lock(&board->mutex);
  while (!board->word)
    pthread_cond_wait(&board->changed, &board->mutex);
  pthread_mutex_unlock(&board->mutex);
  waitpid(child, NULL, 0);
  return 0;
}
