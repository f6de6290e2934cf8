/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads of SCHED_FIFO are bound to one processor. The more important one runs as soon as it is created, and again
 * as soon as the other one has posted, until it waits: main never sees half of what it does, without any lock. Natively
 * it never failed in 1,000 runs. Whoever may have no such policy has nothing to test.
 *
 * verdict: quiet
 * options: --races ignore
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static sem_t go;
static volatile int first, second, third;

static void *important(void *unused)
{
  first = 1;
  sem_wait(&go);
  second = 1;
  third = 1;
  return unused;
}

static void make_important(pthread_attr_t *attr, int priority)
{
  struct sched_param param = {.sched_priority = priority};
  pthread_attr_init(attr);
  pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(attr, SCHED_FIFO);
  pthread_attr_setschedparam(attr, &param);
}

int main(void)
{
  struct sched_param param = {.sched_priority = 10};
  pthread_attr_t attr;
  pthread_t thread;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  if (sched_setaffinity(0, sizeof one, &one) || pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
    return 0;
  sem_init(&go, 0, 0);
  make_important(&attr, 20);
  pthread_create(&thread, &attr, important, NULL);
  assert(first && !second);
  sem_post(&go);
  assert(second && third);
  pthread_join(thread, NULL);
  return 0;
}
