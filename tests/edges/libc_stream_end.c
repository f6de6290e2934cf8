/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a stream is at its end depends on who is first.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *drain(void *file)
{
  while (fgetc(file) != EOF) {
  }
  return NULL;
}

int main(void)
{
  char text[] = "1";
  FILE *file = fmemopen(text, 1, "r");
  pthread_t thread;
  pthread_create(&thread, NULL, drain, file);
  int at_end = feof(file);
  pthread_join(thread, NULL);
  fclose(file);
  assert(!at_end);
  return 0;
}
