/* SPDX-License-Identifier: Apache-2.0
 *
 * A put into a full ring must wait until somebody takes. BUG: it overwrites what is there.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#define SIZE 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ring[SIZE], head, count;

static void put(int v)
{
  pthread_mutex_lock(&m);
#ifndef BUG
  while (count == SIZE)
    pthread_cond_wait(&changed, &m);
#endif
  ring[(head + count++) % SIZE] = v;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&m);
}

static int take(void)
{
  pthread_mutex_lock(&m);
  while (count == 0)
    pthread_cond_wait(&changed, &m);
  int v = ring[head];
  head = (head + 1) % SIZE;
  count--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&m);
  return v;
}

static void *producer(void *arg)
{
  put(1);
  put(2);
  put(3);
  return arg;
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, producer, NULL);
  usleep(50000); /* now it must hang in the third put */
  assert(take() == 1);
  assert(take() == 2);
  assert(take() == 3);
  pthread_join(t, NULL);
  return 0;
}
