/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread binds itself to the first processor it may use and finds that it did.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  cpu_set_t all, one, now;
  pid_t self = (pid_t)syscall(SYS_gettid);
  int cpu = 0;
  assert(sched_getaffinity(self, sizeof all, &all) == 0);
  while (!CPU_ISSET(cpu, &all))
    cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  assert(sched_setaffinity(self, sizeof one, &one) == 0);
  assert(sched_getaffinity(self, sizeof now, &now) == 0);
  assert(CPU_EQUAL(&one, &now));
  assert(sched_setaffinity(0, sizeof all, &all) == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
