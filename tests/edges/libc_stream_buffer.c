/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread reads from a stream into a buffer while main looks whether it is still empty.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char buffer[8];

static void *get(void *file)
{
  fread(buffer, 1, 5, file);
  return NULL;
}

int main(void)
{
  char text[] = "hello";
  FILE *file = fmemopen(text, 5, "r");
  pthread_t thread;
  pthread_create(&thread, NULL, get, file);
  char first = __atomic_load_n(&buffer[0], __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  fclose(file);
  assert(first == 0);
  return 0;
}
