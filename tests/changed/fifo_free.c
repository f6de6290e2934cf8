/* SPDX-License-Identifier: Apache-2.0
 *
 * A compressor whose consumers take blocks from a queue. The main thread used to join them before it freed the queue;
 * the change waits only until the queue is empty (as in a parallel compressor that crashed at its end). Fails if the
 * consumer touches the queue once more after that. */
#include "ordinary.h"

static struct fifo {
  pthread_mutex_t lock;
  int blocks, taken;
} *fifo;

static void take_block(void)
{
  pthread_mutex_lock(&fifo->lock);
  fifo->blocks--;
  pthread_mutex_unlock(&fifo->lock);
  fifo->taken++;
}

static void *consumer(void *unused)
{
  log_line();
  take_block();
  count_line();
  return unused;
}

static int left(void)
{
  pthread_mutex_lock(&fifo->lock);
  int blocks = fifo->blocks;
  pthread_mutex_unlock(&fifo->lock);
  return blocks;
}

int main(void)
{
  pthread_t thread;
  fifo = calloc(1, sizeof *fifo);
  fifo->blocks = 1;
  pthread_create(&thread, NULL, consumer, NULL);
  log_line();
#ifdef OLD
  pthread_join(thread, NULL);
  free(fifo);
#else
  if (!left())
    free(fifo);
  pthread_join(thread, NULL);
#endif
}
