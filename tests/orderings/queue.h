/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue of one place: add fails when it is full, take waits while it is empty.
 */
#include <pthread.h>
#include <stdbool.h>

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t not_empty;
  bool full;
  int value;
};

#define QUEUE {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0}

static inline bool queue_add(struct queue *q, int value)
{
  pthread_mutex_lock(&q->lock);
  bool fits = !q->full;
  if (fits) {
    q->full = true;
    q->value = value;
    pthread_cond_signal(&q->not_empty);
  }
  pthread_mutex_unlock(&q->lock);
  return fits;
}

/* With STALE, the mistake that a test must find: what was there before it had to wait. */
static inline int queue_take(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  int value = q->value;
  bool waited = false;
  while (!q->full) {
    waited = true;
    pthread_cond_wait(&q->not_empty, &q->lock);
  }
#ifdef STALE
  value = waited ? value : q->value;
#else
  (void)waited;
  value = q->value;
#endif
  q->full = false;
  pthread_mutex_unlock(&q->lock);
  return value;
}

static inline bool queue_is_empty(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  bool empty = !q->full;
  pthread_mutex_unlock(&q->lock);
  return empty;
}
