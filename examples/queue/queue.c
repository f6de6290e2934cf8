/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue. Its bug is in queue_close(): built with QUEUE_FIXED it is right.
 */
#include "queue.h"
#include <pthread.h>
#include <stdlib.h>

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool closed;
  int capacity, count, first;
  int value[];
};

struct queue *queue_create(int capacity)
{
  struct queue *q = calloc(1, sizeof *q + (size_t)capacity * sizeof q->value[0]);
  if (!q)
    abort();
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->changed, NULL);
  q->capacity = capacity;
  return q;
}

void queue_destroy(struct queue *q)
{
  pthread_cond_destroy(&q->changed);
  pthread_mutex_destroy(&q->lock);
  free(q);
}

void queue_put(struct queue *q, int value)
{
  pthread_mutex_lock(&q->lock);
  while (q->count == q->capacity)
    pthread_cond_wait(&q->changed, &q->lock);
  q->value[(q->first + q->count++) % q->capacity] = value;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->lock);
}

bool queue_take(struct queue *q, int *value)
{
  pthread_mutex_lock(&q->lock);
  while (q->count == 0 && !q->closed)
    pthread_cond_wait(&q->changed, &q->lock);
  bool got = q->count > 0;
  if (got) {
    *value = q->value[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    pthread_cond_broadcast(&q->changed);
  }
  pthread_mutex_unlock(&q->lock);
  return got;
}

void queue_close(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  q->closed = true;
#ifdef QUEUE_FIXED
  pthread_cond_broadcast(&q->changed);
#else
  pthread_cond_signal(&q->changed); /* wakes one consumer; the others sleep for ever */
#endif
  pthread_mutex_unlock(&q->lock);
}
