/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads print to one stream in memory, one of them without its lock but while it holds it; main looks at the text
 * when they are through.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *print(void *file)
{
  flockfile(file);
  fputs_unlocked("ab", file);
  funlockfile(file);
  return NULL;
}

int main(void)
{
  char *text;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  pthread_t thread;
  pthread_create(&thread, NULL, print, file);
  fputs("cd", file);
  pthread_join(thread, NULL);
  fclose(file);
  assert(size == 4 && (text[0] == 'a' ? text[3] == 'd' : text[3] == 'b'));
  free(text);
  return 0;
}
