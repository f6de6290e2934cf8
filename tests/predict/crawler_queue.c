/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers of a crawler take pages from a queue. Whether it is empty is asked in one critical section, which also finds the
 * page that comes next; it is taken in another. Two workers can both ask before the first one takes.
 *
 * Protocol, as mined (--calls 'queue_*,queue_new:new'): queue_next only directly after queue_size, on the same queue.
 * Prediction: queue_next after queue_next, from a run in which the workers took turns. Verdict: the
 * assertion in queue_next fails. Fixed: a worker asks and takes in one go, by a function that does both.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGES 4

struct queue {
  pthread_mutex_t lock;
  int count;
  int page[PAGES];
  int *front; /* the page that was found last, until somebody takes it */
};

struct queue *queue_new(void)
{
  struct queue *q = calloc(1, sizeof *q);
  if (q)
    pthread_mutex_init(&q->lock, NULL);
  return q;
}

void queue_add(struct queue *q, int page)
{
  pthread_mutex_lock(&q->lock);
  q->page[q->count++] = page;
  pthread_mutex_unlock(&q->lock);
}

int queue_size(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  int n = q->count;
  q->front = n > 0 ? &q->page[n - 1] : NULL;
  pthread_mutex_unlock(&q->lock);
  return n;
}

int queue_next(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  assert(q->front);
  int page = *q->front;
  q->front = NULL;
  q->count--;
  pthread_mutex_unlock(&q->lock);
  return page;
}

int queue_try_next(struct queue *q)
{
  pthread_mutex_lock(&q->lock);
  int page = q->count > 0 ? q->page[--q->count] : 0;
  pthread_mutex_unlock(&q->lock);
  return page;
}

static void *worker(void *arg)
{
  struct queue *q = arg;
#ifdef FIXED
  while (queue_try_next(q))
    usleep(10000); /* the download */
#else
  while (queue_size(q) > 0) {
    queue_next(q);
    usleep(10000);
  }
#endif
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  struct queue *q = queue_new();
  if (!q)
    return 1;
  for (int page = 1; page <= PAGES; page++)
    queue_add(q, page);
  for (int i = 0; i < 2; i++) {
    pthread_create(&thread[i], NULL, worker, q);
    usleep(1000); /* it finds its first page */
  }
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&q->lock);
  free(q);
  return 0;
}
