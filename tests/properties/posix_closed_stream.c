/* SPDX-License-Identifier: Apache-2.0
 *
 * ClosedStream: one thread writes to a log while main closes it. Fixed: main waits for the thread first. */
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int open_still = 1;

static void *writer(void *unused)
{
  pthread_mutex_lock(&lock);
  int may_write = open_still;
  pthread_mutex_unlock(&lock);
  if (may_write)
    fputs("a line\n", stream);
  return unused;
}

int main(void)
{
  pthread_t thread;
  stream = fopen("/dev/null", "w");
  pthread_create(&thread, NULL, writer, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
#endif
  pthread_mutex_lock(&lock);
  open_still = 0;
  pthread_mutex_unlock(&lock);
  fclose(stream);
#ifndef FIXED
  pthread_join(thread, NULL);
#endif
  return 0;
}
