/* SPDX-License-Identifier: Apache-2.0
 *
 * parker K [LATE]: a thread sleeps for a permit again and again until it is told that it may go; another gives K
 * permits, of which one at a time is kept, and tells it before the last. A mutex and a condition variable. LATE 0: the
 * signal comes with the mutex held, 1: after it.
 */
#include "together.h"

static pthread_mutex_t lock;
static pthread_cond_t given;
static int permit;
static _Alignas(64) atomic_long done;

static void park(void)
{
  pthread_mutex_lock(&lock);
  while (!permit)
    pthread_cond_wait(&given, &lock);
  permit = 0;
  pthread_mutex_unlock(&lock);
}

static void unpark(int late)
{
  pthread_mutex_lock(&lock);
  permit = 1;
  if (!late)
    pthread_cond_signal(&given);
  pthread_mutex_unlock(&lock);
  if (late)
    pthread_cond_signal(&given);
}

static void *parker(void *unused)
{
  int times = 0;
  (void)unused;
  for (; !atomic_load(&done); times++)
    park();
  return result(times);
}

static void *unparker(void *arg)
{
  for (int i = 0; i < first(arg); i++) {
    if (i == first(arg) - 1)
      atomic_store(&done, 1);
    unpark(second(arg));
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int k = number(argc, argv, 1, 2), late = number(argc, argv, 2, 0);

  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&given, NULL);
  start(parker, 0, 0);
  start(unparker, k, late);
  finish();
  printf("permit=%d\n", permit);
  return 0;
}
