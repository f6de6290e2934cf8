/* SPDX-License-Identifier: Apache-2.0
 *
 * A name is freed while another thread may still print it.
 *
 * verdict: find
 * kind: memory
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name;

static void *greet(void *unused)
{
  printf("%.*s%5s\n", 3, "hello", name);
  return unused;
}

int main(void)
{
  pthread_t thread;
  name = strdup("world");
  pthread_create(&thread, NULL, greet, NULL);
  free(name);
  pthread_join(thread, NULL);
  return 0;
}
