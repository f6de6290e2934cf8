/* SPDX-License-Identifier: Apache-2.0
 *
 * Main walks through the environment while a thread adds to it.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *work(void *unused)
{
  setenv("NEW", "1", 1);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int found = 0;
  for (char **e = environ; *e; e++)
    found += strncmp(*e, "NEW=", 4) == 0;
  pthread_join(thread, NULL);
  assert(!found);
  return 0;
}
