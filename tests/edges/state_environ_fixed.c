/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment is changed, and looked at, under a lock.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
  pthread_mutex_lock(&lock);
  setenv("NEW", "1", 1);
  setenv("NEW", "2", 1);
  unsetenv("NEW");
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int found = 0;
  pthread_mutex_lock(&lock);
  for (char **e = environ; *e; e++)
    found += strncmp(*e, "NEW=", 4) == 0;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  assert(!found);
  return 0;
}
