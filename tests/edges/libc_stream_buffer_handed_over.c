/* SPDX-License-Identifier: Apache-2.0
 *
 * Main clears the buffer and then writes to the pipe for whose first line a thread waits, to have it in that buffer: the
 * buffer is not written before the line is there.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[16];

static void *get(void *file)
{
  assert(fgets(buffer, sizeof buffer, file));
  assert(strcmp(buffer, "line\n") == 0 && buffer[9] == 'x');
  return NULL;
}

int main(void)
{
  int end[2];
  assert(pipe(end) == 0);
  FILE *file = fdopen(end[0], "r");
  pthread_t thread;
  pthread_create(&thread, NULL, get, file);
  memset(buffer, 'x', sizeof buffer);
  assert(write(end[1], "line\n", 5) == 5);
  pthread_join(thread, NULL);
  fclose(file);
  close(end[1]);
  return 0;
}
