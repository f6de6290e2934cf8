/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread binds main to one processor while main counts those that it may run on. Natively, with pauses, it failed
 * in 97 of 200 runs. With a single processor there is nothing to see, and it fails always.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_t main_thread;
static cpu_set_t one;

static void *worker(void *unused)
{
  pthread_setaffinity_np(main_thread, sizeof one, &one);
  return unused;
}

int main(void)
{
  pthread_t thread;
  cpu_set_t all, now;
  int cpu = 0;
  main_thread = pthread_self();
  pthread_getaffinity_np(main_thread, sizeof all, &all);
  while (!CPU_ISSET(cpu, &all))
    cpu++;
  CPU_SET(cpu, &one);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_getaffinity_np(main_thread, sizeof now, &now);
  pthread_join(thread, NULL);
  assert(CPU_COUNT(&now) > 1);
  return 0;
}
