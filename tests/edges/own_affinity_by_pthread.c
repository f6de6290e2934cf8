/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_setaffinity_np of another thread, and getcpu within it.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t bound;
static int cpu;

static void *worker(void *unused)
{
  (void)unused;
  while (sem_wait(&bound) != 0)
    ;
  assert(sched_getcpu() == cpu);
  return NULL;
}

int main(void)
{
  cpu_set_t all, one, now;
  pthread_t thread;
  sem_init(&bound, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  assert(pthread_getaffinity_np(thread, sizeof all, &all) == 0);
  while (!CPU_ISSET(cpu, &all))
    cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  assert(pthread_setaffinity_np(thread, sizeof one, &one) == 0);
  assert(pthread_getaffinity_np(thread, sizeof now, &now) == 0 && CPU_EQUAL(&one, &now));
  sem_post(&bound);
  pthread_join(thread, NULL);
  return 0;
}
