/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with the wildest of pointers: it writes over the memory that it shares with heddle, from the byte given as the
 * first argument on, as many as the second says, with the value that the third names.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *nothing(void *arg)
{
  return arg;
}

static char *shared_memory(void)
{
  char line[512];
  unsigned long at = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && !at && fgets(line, sizeof line, maps))
    if (strstr(line, "heddle control"))
      at = strtoul(line, NULL, 16);
  if (maps)
    fclose(maps);
  return (char *)at;
}

int main(int argc, char **argv)
{
  pthread_t thread;
  char *at = shared_memory();
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  if (at && argc == 4)
    memset(at + strtoul(argv[1], NULL, 0), atoi(argv[3]), strtoul(argv[2], NULL, 0));
  return 0;
}
