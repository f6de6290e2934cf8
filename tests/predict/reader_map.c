/* SPDX-License-Identifier: Apache-2.0
 *
 * A map for many readers and one writer. Who writes takes the write lock, and waits until no reader is left; who has
 * read must take the write lock to count itself out, before it can tell the writer. The twin counts readers under the
 * lock of the queue, which a waiting writer lets go.
 *
 * shape: the notifier needs a lock that the waiter holds
 * verdict: deadlock
 * predict: communication, the writer's wait and the reader's second lock of write_lock; only with annotations
 */
#include "conditions.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t write_queue = PTHREAD_COND_INITIALIZER;
static int readers, content;
static struct hd_predicate in_use;

#ifdef FIXED
static pthread_mutex_t *const count_lock = &queue_lock;
#else
static pthread_mutex_t *const count_lock = &write_lock;
#endif

static bool is_in_use(void *of)
{
  return *(int *)of != 0;
}

static void *writer(void *arg)
{
  arrive();
  pthread_mutex_lock(&write_lock);
  pthread_mutex_lock(&queue_lock);
  HD_WAIT_BEGIN(&in_use, &write_queue, &queue_lock);
  while (readers != 0)
    pthread_cond_wait(&write_queue, &queue_lock);
  HD_WAIT_END(&in_use);
  content++;
  pthread_mutex_unlock(&queue_lock);
  pthread_mutex_unlock(&write_lock);
  return arg;
}

static void *reader(void *arg)
{
  arrive();
  pthread_mutex_lock(count_lock);
  readers++;
  pthread_mutex_unlock(count_lock);

  /* it reads here */

  pthread_mutex_lock(count_lock);
  readers--;
  pthread_mutex_unlock(count_lock);
  pthread_mutex_lock(&queue_lock);
  pthread_cond_signal(&write_queue);
  pthread_mutex_unlock(&queue_lock);
  return arg;
}

int main(void)
{
  pthread_t r, w;
  HD_PREDICATE(&in_use, "in use", is_in_use, &readers);
  pthread_create(&r, NULL, reader, NULL);
  pthread_create(&w, NULL, writer, NULL);
  settle();
  pthread_join(r, NULL);
  pthread_join(w, NULL);
  return content != 1;
}
