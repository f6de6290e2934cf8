/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread makes a pipe non-blocking for itself; the description is shared, and main's blocking read fails. Natively,
 * with pauses, it failed in 40 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *impatient(void *unused)
{
  (void)unused;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  write(ends[1], "x", 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char byte;
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, impatient, NULL);
  long count = read(ends[0], &byte, 1);
  pthread_join(thread, NULL);
  assert(count == 1);
  return 0;
}
