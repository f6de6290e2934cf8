/* SPDX-License-Identifier: Apache-2.0
 *
 * A program looks up whether its data may be written to. It may, but heddle protects what it puts back after each
 * execution: what only that changes is no bug of the program.
 *
 * verdict: quiet
 * expect-text: it shows only where the program is put back by snapshot
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static _Alignas(4096) int data[1024] = {1};

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  char line[512], how[8] = "";
  unsigned long from, to, at = (unsigned long)data;
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %7s", &from, &to, how) == 3 && from <= at && at < to)
      break;
  fclose(maps);
  assert(how[1] == 'w');
  return 0;
}
