/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader closes its end: a writer that is late is killed by SIGPIPE. Natively, with pauses, it failed in 60 of 300
 * runs.
 *
 * verdict: noproof
 * kind: crash
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
  (void)unused;
  close(ends[0]);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, reader, NULL);
  write(ends[1], "x", 1);
  pthread_join(thread, NULL);
  return 0;
}
