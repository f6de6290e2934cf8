/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread polls the clock until its deadline.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static void *worker(void *unused)
{
  (void)unused;
  long deadline = now() + 1000000;
  while (now() < deadline)
    ;
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
