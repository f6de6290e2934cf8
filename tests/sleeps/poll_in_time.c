/* SPDX-License-Identifier: Apache-2.0
 *
 * A poll with a timeout of seconds gets what comes meanwhile. BUG: the putter forgets to signal, and it comes late.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int value;
static int result = -1;

static int poll_queue(int seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  int error = 0;
  pthread_mutex_lock(&lock);
  while (!value && error != ETIMEDOUT)
    error = pthread_cond_timedwait(&some, &lock, &until);
  int v = error == ETIMEDOUT ? 0 : value;
  value = 0;
  pthread_mutex_unlock(&lock);
  return v;
}

static void put(int v)
{
  pthread_mutex_lock(&lock);
  value = v;
#ifndef BUG
  pthread_cond_signal(&some);
#endif
  pthread_mutex_unlock(&lock);
}

static void *consumer(void *arg)
{
  result = poll_queue(1);
  return arg;
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, consumer, NULL);
  usleep(100 * 1000);
  put(42);
  pthread_join(t, NULL);
  if (result != 42)
    fprintf(stderr, "got %d\n", result);
  return result != 42;
}
