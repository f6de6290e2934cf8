/* SPDX-License-Identifier: Apache-2.0
 *
 * Both threads are of SCHED_FIFO and bound to one processor. The more important one waits for a flag by looking at it
 * again and again, and does not let the other one run that would set it: a hang. Natively it never ends. Whoever may
 * have no such policy has nothing to test, and aborts.
 *
 * verdict: find
 * kind: hang
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static _Atomic int flag;

static void *important(void *unused)
{
  while (!flag)
    ;
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
    abort();
  make_important(&attr, 20);
  pthread_create(&thread, &attr, important, NULL);
  flag = 1;
  pthread_join(thread, NULL);
  return 0;
}
