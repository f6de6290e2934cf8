/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables that threads share: asked for twice, volatile.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *plain, *early, *alone;
static _Atomic(char *) good;

char *double_checked(void)
{
  if (!plain) { /* ! double-checked-locking */
    pthread_mutex_lock(&mutex);
    if (!plain)
      plain = malloc(16);
    pthread_mutex_unlock(&mutex);
  }
  return plain;
}

char *returns_early(void)
{
  if (early) /* ! double-checked-locking */
    return early;
  pthread_mutex_lock(&mutex);
  if (early == NULL)
    early = malloc(16);
  pthread_mutex_unlock(&mutex);
  return early;
}

char *with_an_atomic(void)
{
  if (!good) { /* right double-checked-locking */
    pthread_mutex_lock(&mutex);
    if (!good)
      good = malloc(16);
    pthread_mutex_unlock(&mutex);
  }
  return good;
}

char *always_locked(void)
{
  pthread_mutex_lock(&mutex);
  if (!alone) /* right double-checked-locking */
    alone = malloc(16);
  pthread_mutex_unlock(&mutex);
  return alone;
}

static volatile int stop, progress, locked_stop, before, result;
static volatile sig_atomic_t interrupted;
static atomic_int atomic_stop;

static void *worker(void *argument)
{
  while (!stop && !atomic_stop && !interrupted)
    progress++;
  pthread_mutex_lock(&mutex);
  if (locked_stop)
    argument = NULL;
  pthread_mutex_unlock(&mutex);
  if (before)
    result = 1; /* right volatile-as-atomic */
  return argument;
}

void start(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
}

/* Nothing runs beside what comes before the creation, and after the join. */
int alone_before_and_after(void)
{
  pthread_t thread;
  before = 1; /* right volatile-as-atomic */
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return result ? 0 : 1;
}

void end(void)
{
  stop = 1;        /* ! volatile-as-atomic */
  atomic_stop = 1; /* right volatile-as-atomic */
  interrupted = 1; /* right volatile-as-atomic */
  pthread_mutex_lock(&mutex);
  locked_stop = 1; /* right volatile-as-atomic */
  pthread_mutex_unlock(&mutex);
}
