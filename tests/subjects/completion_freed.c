/* SPDX-License-Identifier: Apache-2.0
 *
 * Main waits for a request to be done and frees it. The worker marks it as done, unlocks, and only then signals. In
 * that gap main may take the lock, find the request done without ever having slept, and destroy and free it: the
 * worker signals a condition variable in freed memory. The twin signals while it holds the lock, and its last touch
 * is the unlock.
 *
 * verdict: memory
 * also: property race
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct request {
  pthread_mutex_t lock;
  pthread_cond_t finished;
  int done;
};

static void *worker(void *arg)
{
  struct request *request = arg;

  pthread_mutex_lock(&request->lock);
  request->done = 1;
#ifdef FIXED
  pthread_cond_signal(&request->finished);
#endif
  pthread_mutex_unlock(&request->lock);
#ifndef FIXED
  pthread_cond_signal(&request->finished); /* "cheaper: the waiter will not bump into the lock" */
#endif
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct request *request = malloc(sizeof *request);

  assert(request != NULL);
  pthread_mutex_init(&request->lock, NULL);
  pthread_cond_init(&request->finished, NULL);
  request->done = 0;
  pthread_create(&thread, NULL, worker, request);

  pthread_mutex_lock(&request->lock);
  while (!request->done)
    pthread_cond_wait(&request->finished, &request->lock);
  pthread_mutex_unlock(&request->lock);
  pthread_cond_destroy(&request->finished);
  pthread_mutex_destroy(&request->lock);
  free(request);

  pthread_join(thread, NULL);
  return 0;
}
