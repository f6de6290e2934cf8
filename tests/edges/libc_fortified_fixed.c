/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and texts with checks of sizes, each thread in a buffer of its own.
 *
 * verdict: complete
 * flags: -O2 -D_FORTIFY_SOURCE=2
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char buffer[2][40];

static void *fill(void *to)
{
  char *mine = to == buffer ? buffer[0] : buffer[1];
  memset(buffer[to != buffer], 'x', 33);
  strcpy(mine, "number ");
  strncat(mine, "of", 2);
  snprintf(mine + strlen(mine), 8, " %d", 5);
  assert(strcmp(mine, "number of 5") == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, fill, buffer[1]);
  fill(buffer);
  pthread_join(thread, NULL);
  return 0;
}
