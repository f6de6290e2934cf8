/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/self/status tells how many threads there are; the worker may have ended or not. Natively, with pauses, it
 * failed in 28 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  char line[256];
  int threads = 0;
  pthread_create(&thread, NULL, worker, NULL);
  FILE *file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file))
    sscanf(line, "Threads: %d", &threads);
  fclose(file);
  pthread_join(thread, NULL);
  assert(threads == 2);
  return 0;
}
