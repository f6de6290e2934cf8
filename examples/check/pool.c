/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool. The bug is in pool_wait(): a job that a thread has taken is not in the queue any more, but it is not done.
 * Built with FIXED the jobs under way are counted.
 */
#include "pool.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct task {
  struct task *next;
  job *run;
  void *arg;
};

struct pool {
  pthread_mutex_t lock;
  pthread_cond_t submitted, taken;
  struct task *first, **last;
  bool closing;
  int under_way;
  int threads;
  pthread_t thread[];
};

static struct task *take(struct pool *pool)
{
  while (!pool->first && !pool->closing)
    pthread_cond_wait(&pool->submitted, &pool->lock);
  struct task *task = pool->first;
  if (task) {
    pool->first = task->next;
    if (!pool->first)
      pool->last = &pool->first;
  }
  return task;
}

static void *work(void *arg)
{
  struct pool *pool = arg;
  struct task *task;
  pthread_mutex_lock(&pool->lock);
  while ((task = take(pool))) {
    pool->under_way++;
    pthread_cond_broadcast(&pool->taken);
    pthread_mutex_unlock(&pool->lock);
    task->run(task->arg);
    free(task);
    pthread_mutex_lock(&pool->lock);
    pool->under_way--;
    pthread_cond_broadcast(&pool->taken);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

struct pool *pool_create(int threads)
{
  struct pool *pool = calloc(1, sizeof *pool + (size_t)threads * sizeof pool->thread[0]);
  if (!pool)
    return NULL;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->submitted, NULL);
  pthread_cond_init(&pool->taken, NULL);
  pool->last = &pool->first;
  while (pool->threads < threads && !pthread_create(&pool->thread[pool->threads], NULL, work, pool))
    pool->threads++;
  if (pool->threads == threads)
    return pool;
  pool_destroy(pool);
  return NULL;
}

void pool_destroy(struct pool *pool)
{
  pthread_mutex_lock(&pool->lock);
  pool->closing = true;
  pthread_cond_broadcast(&pool->submitted);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->threads; i++)
    pthread_join(pool->thread[i], NULL);
  pthread_cond_destroy(&pool->taken);
  pthread_cond_destroy(&pool->submitted);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

bool pool_submit(struct pool *pool, job *run, void *arg)
{
  struct task *task = malloc(sizeof *task);
  if (!task)
    return false;
  *task = (struct task){.run = run, .arg = arg};
  pthread_mutex_lock(&pool->lock);
  *pool->last = task;
  pool->last = &task->next;
  pthread_cond_signal(&pool->submitted);
  pthread_mutex_unlock(&pool->lock);
  return true;
}

void pool_wait(struct pool *pool)
{
  pthread_mutex_lock(&pool->lock);
#ifdef FIXED
  while (pool->first || pool->under_way)
#else
  while (pool->first)
#endif
    pthread_cond_wait(&pool->taken, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
