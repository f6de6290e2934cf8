/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread copies the name of the ship: it asks for the length, gets that much memory, and copies. Every access to
 * the name is under the lock, but the lock is let go to allocate, and while it is, "Ark" is renamed to "Endurance".
 * The longer name is copied into the shorter block.
 *
 * verdict: memory
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[16] = "Ark";

static void *copy_name(void *arg)
{
  pthread_mutex_lock(&lock);
  size_t length = strlen(name);
#ifndef FIXED
  pthread_mutex_unlock(&lock); /* "never hold a lock while allocating" */
#endif
  char *copy = malloc(length + 1);
  assert(copy != NULL);
#ifndef FIXED
  pthread_mutex_lock(&lock);
#endif
  strcpy(copy, name);
  pthread_mutex_unlock(&lock);
  free(copy);
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, copy_name, NULL);
  pthread_mutex_lock(&lock);
  strcpy(name, "Endurance");
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
