/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of workers is set up: with the pool's lock held, the first task is locked and entered. Then the worker is started;
 * it takes its task and, to say that it is done, the pool. The orders are opposite, but the worker does not exist yet when
 * the pool is set up: a circle is predicted that no schedule can make. With the order of creation it is not.
 *
 * There is no bug, and no twin.
 *
 * verdict: none
 * threads: 2
 * predicted: 1
 * real: 0
 */
#include <pthread.h>

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER, task_lock = PTHREAD_MUTEX_INITIALIZER;
static int tasks, left;

static void set_up(void)
{
  pthread_mutex_lock(&pool_lock);
  pthread_mutex_lock(&task_lock);
  tasks = left = 1;
  pthread_mutex_unlock(&task_lock);
  pthread_mutex_unlock(&pool_lock);
}

static void *worker(void *arg)
{
  pthread_mutex_lock(&task_lock);
  tasks--;
  pthread_mutex_lock(&pool_lock);
  left--;
  pthread_mutex_unlock(&pool_lock);
  pthread_mutex_unlock(&task_lock);
  return arg;
}

int main(void)
{
  pthread_t thread;

  set_up();
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return tasks + left;
}
