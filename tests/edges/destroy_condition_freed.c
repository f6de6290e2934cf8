/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread says that it is done, unlocks, and only then signals. Main may see that it is done without waiting, and
 * destroys and frees what holds the condition variable before the signal.
 *
 * verdict: find
 * kind: memory or property
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct task {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool is_done;
};

static void *worker(void *argument)
{
  struct task *task = argument;
  pthread_mutex_lock(&task->mutex);
  task->is_done = true;
  pthread_mutex_unlock(&task->mutex);
  pthread_cond_signal(&task->changed);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct task *task = malloc(sizeof *task);
  pthread_mutex_init(&task->mutex, NULL);
  pthread_cond_init(&task->changed, NULL);
  task->is_done = false;
  pthread_create(&thread, NULL, worker, task);
  pthread_mutex_lock(&task->mutex);
  while (!task->is_done)
    pthread_cond_wait(&task->changed, &task->mutex);
  pthread_mutex_unlock(&task->mutex);
  pthread_cond_destroy(&task->changed);
  pthread_mutex_destroy(&task->mutex);
  free(task);
  pthread_join(thread, NULL);
  return 0;
}
