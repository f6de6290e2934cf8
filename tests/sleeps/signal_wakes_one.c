/* SPDX-License-Identifier: Apache-2.0
 *
 * An event that resets itself lets one waiter go, and the other stays. BUG: both go.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int tokens, gone;

static void *waits(void *arg)
{
  pthread_mutex_lock(&mutex);
  while (!tokens)
    pthread_cond_wait(&cond, &mutex);
#ifndef BUG
  tokens--;
#endif
  gone++;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void pulse(void)
{
  pthread_mutex_lock(&mutex);
  tokens++;
  pthread_cond_broadcast(&cond);
  pthread_mutex_unlock(&mutex);
}

static int count_gone(void)
{
  pthread_mutex_lock(&mutex);
  int n = gone;
  pthread_mutex_unlock(&mutex);
  return n;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, waits, NULL);
  pthread_create(&b, NULL, waits, NULL);
  usleep(10 * 1000);
  pulse();
  usleep(10 * 1000);
  assert(count_gone() == 1);
  pulse();
  usleep(10 * 1000);
  assert(count_gone() == 2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
