/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer ignores SIGPIPE and takes EPIPE for an answer.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
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
  signal(SIGPIPE, SIG_IGN);
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, reader, NULL);
  long count = write(ends[1], "x", 1);
  assert(count == 1 || errno == EPIPE);
  pthread_join(thread, NULL);
  return 0;
}
