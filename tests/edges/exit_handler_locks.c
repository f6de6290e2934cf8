/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker calls exit while it holds the lock that the handler wants: it waits for itself, and main for the worker, if
 * the stop was asked for before the worker looked. Natively, with pauses, 5 of 7 runs hung.
 *
 * verdict: noproof
 * kind: deadlock
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stop;

static void say_goodbye(void)
{
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  if (stop)
    exit(0);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  atexit(say_goodbye);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
