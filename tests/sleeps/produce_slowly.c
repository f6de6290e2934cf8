/* SPDX-License-Identifier: Apache-2.0
 *
 * A slow producer and a fast consumer: the consumer waits for each of three elements. BUG: it takes a place that is
 * empty.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items[8], in, out;

static void push(int v)
{
  pthread_mutex_lock(&m);
  items[in++] = v;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}

static int pop(void)
{
  pthread_mutex_lock(&m);
#ifndef BUG
  while (in == out)
    pthread_cond_wait(&c, &m);
#endif
  int v = items[out++];
  pthread_mutex_unlock(&m);
  return v;
}

static void *producer(void *arg)
{
  for (int i = 1; i <= 3; i++) {
    usleep(20000);
    push(i);
  }
  return arg;
}

int main(void)
{
  pthread_t t;
  int sum = 0;
  pthread_create(&t, NULL, producer, NULL);
  for (int i = 0; i < 3; i++)
    sum += pop();
  pthread_join(t, NULL);
  assert(sum == 6);
  return 0;
}
