/* SPDX-License-Identifier: Apache-2.0
 *
 * An event that is set lets all three waiters go. BUG: only one.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int set, awake;

static void event_set(void)
{
  pthread_mutex_lock(&m);
  set = 1;
#ifdef BUG
  pthread_cond_signal(&c);
#else
  pthread_cond_broadcast(&c);
#endif
  pthread_mutex_unlock(&m);
}

static void event_wait(void)
{
  pthread_mutex_lock(&m);
  while (!set)
    pthread_cond_wait(&c, &m);
  awake++;
  pthread_mutex_unlock(&m);
}

static int how_many(void)
{
  pthread_mutex_lock(&m);
  int n = awake;
  pthread_mutex_unlock(&m);
  return n;
}

static void *waiter(void *p)
{
  event_wait();
  return p;
}

int main(void)
{
  pthread_t t[3];
  for (int i = 0; i < 3; ++i)
    pthread_create(t + i, NULL, waiter, NULL);
  usleep(30000);
  event_set();
  usleep(30000);
  int n = how_many();
  if (n != 3) {
    printf("only %d woke up\n", n);
    _exit(1);
  }
  for (int i = 0; i < 3; ++i)
    pthread_join(t[i], NULL);
  return 0;
}
