/* SPDX-License-Identifier: Apache-2.0
 *
 * The process finds itself below /proc by its number.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  char name[64], target[32];
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  snprintf(name, sizeof name, "/proc/%d/status", (int)getpid());
  FILE *file = fopen(name, "r");
  assert(file);
  fclose(file);
  long length = readlink("/proc/self", target, sizeof target - 1);
  assert(length > 0);
  target[length] = 0;
  assert(atoi(target) == getpid());
  pthread_join(thread, NULL);
  return 0;
}
