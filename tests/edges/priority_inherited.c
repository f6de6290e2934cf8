/* SPDX-License-Identifier: Apache-2.0
 *
 * Three priorities on one processor, and a mutex that hands on the priority of whoever waits for it. Main is the least
 * important and holds it, the most important one waits for it, and the one between them looks for the end again and
 * again: it keeps neither from going on, since main has the highest priority for as long. Without the inheritance it
 * would, for ever. Whoever may have no such policy has nothing to test.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t lock;
static sem_t high_goes, middle_goes;
static _Atomic int done;

static void *high(void *unused)
{
  sem_wait(&high_goes);
  sem_post(&middle_goes);
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *middle(void *unused)
{
  sem_wait(&middle_goes);
  while (!done)
    ;
  return unused;
}

static pthread_t start(void *(*function)(void *), int priority)
{
  struct sched_param param = {.sched_priority = priority};
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &param);
  pthread_create(&thread, &attr, function, NULL);
  return thread;
}

int main(void)
{
  struct sched_param param = {.sched_priority = 10};
  pthread_mutexattr_t attr;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  if (sched_setaffinity(0, sizeof one, &one) || pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
    return 0;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&lock, &attr);
  sem_init(&high_goes, 0, 0);
  sem_init(&middle_goes, 0, 0);
  pthread_t a = start(high, 30), b = start(middle, 20);
  pthread_mutex_lock(&lock);
  sem_post(&high_goes);
  pthread_mutex_unlock(&lock);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
