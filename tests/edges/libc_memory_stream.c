/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream in memory says in fflush() how long the text is by now.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *text;
static size_t size;

static void *print(void *file)
{
  fputs("abc", file);
  fflush(file);
  return NULL;
}

int main(void)
{
  FILE *file = open_memstream(&text, &size);
  fflush(file);
  pthread_t thread;
  pthread_create(&thread, NULL, print, file);
  size_t seen = __atomic_load_n(&size, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  fclose(file);
  free(text);
  assert(seen == 0);
  return 0;
}
