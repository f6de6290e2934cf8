/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals after a change with the mutex and without it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready, unrelated;
static atomic_bool ended;

void waits(void)
{
  pthread_mutex_lock(&mutex);
  while (!ready && !ended)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

void without(void)
{
  ready = true; /* ! unlocked-predicate */
  pthread_cond_signal(&changed);
}

/* An atomic variable does not help: the question is asked before it, the wait begins after the signal. */
void atomic(void)
{
  atomic_store(&ended, true); /* ! unlocked-predicate */
  pthread_cond_broadcast(&changed);
}

void with(void)
{
  pthread_mutex_lock(&mutex);
  ready = true; /* right unlocked-predicate */
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&changed);
}

/* The mutex between the two is enough: nobody is between the question and the wait then. */
void mutex_between(void)
{
  ended = true; /* right unlocked-predicate */
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

void something_else(void)
{
  unrelated = true; /* right unlocked-predicate */
  pthread_cond_signal(&changed);
}

static void set_by_holder(void)
{
  ready = true; /* right unlocked-predicate */
  pthread_cond_signal(&changed);
}

void holds(void)
{
  pthread_mutex_lock(&mutex);
  set_by_holder();
  pthread_mutex_unlock(&mutex);
}
