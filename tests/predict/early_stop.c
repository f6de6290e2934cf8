/* SPDX-License-Identifier: Apache-2.0
 *
 * A sweeper cleans up in the background when it is told to, and ends when it is told to stop. The first thing it does is
 * to wait. If the server is stopped before the sweeper came that far, nobody tells it again. The twin writes down that it
 * is to stop.
 *
 * shape: an unconditional wait, a broadcast that may come before it
 * verdict: deadlock
 * predict: communication, the sweeper's wait and main's join; with and without annotations, since the wait has no
 *   condition
 */
#include "conditions.h"
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int stopped;
static struct hd_predicate running;

static bool is_running(void *of)
{
  return !*(int *)of;
}

static void *sweeper(void *arg)
{
  arrive();
  pthread_mutex_lock(&lock);
#ifdef FIXED
  HD_WAIT_BEGIN(&running, &wake, &lock);
  while (!stopped)
    pthread_cond_wait(&wake, &lock);
  HD_WAIT_END(&running);
#else
  do
    pthread_cond_wait(&wake, &lock);
  while (!stopped);
#endif
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t s;
  HD_PREDICATE(&running, "running", is_running, &stopped);
  pthread_create(&s, NULL, sweeper, NULL);
  settle();
  usleep(1000); /* the server is up for a while */
  pthread_mutex_lock(&lock);
  stopped = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&lock);
  pthread_join(s, NULL);
  return 0;
}
