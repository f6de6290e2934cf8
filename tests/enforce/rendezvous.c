/* SPDX-License-Identifier: Apache-2.0
 *
 * A test of a queue where each put waits for its take: a thread puts until the queue is shut down, main takes once and
 * shuts it down. It should find the putter waiting in its second put, and mostly comes too early (status 1); with
 * rendezvous.mop it waits until the putter is blocked again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int full, item, shut, waiting;
};

enum { PUT, SHUT_BEFORE, SHUT_WHILE_WAITING };

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int queue_put(struct queue *q, int item)
{
  pthread_mutex_lock(&q->lock);
  int result = q->shut ? SHUT_BEFORE : PUT;
  if (result == PUT) {
    q->full = 1;
    q->item = item;
    pthread_cond_broadcast(&q->changed);
    while (q->full && !q->shut)
      pthread_cond_wait(&q->changed, &q->lock);
    result = q->full ? SHUT_WHILE_WAITING : PUT;
  }
  pthread_mutex_unlock(&q->lock);
  return result;
}

int queue_take(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  while (!q->full)
    pthread_cond_wait(&q->changed, &q->lock);
  int item = q->item;
  q->full = 0;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->lock);
  return item;
}

void queue_shutdown(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  q->shut = 1;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->lock);
}

static int completed, how;

static void *putter(void *unused)
{
  while ((how = queue_put(&queue, completed)) == PUT)
    completed++;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, putter, NULL);
  int first = queue_take(&queue);
  queue_shutdown(&queue);
  pthread_join(thread, NULL);
  if (first == 0 && completed == 1 && how == SHUT_WHILE_WAITING)
    return 0;
  printf("took %d, %d puts completed, the last one %s\n", first, completed,
         how == SHUT_BEFORE ? "never waited" : "waited");
  return 1;
}
