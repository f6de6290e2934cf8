/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread waits in read while another closes the very descriptor: on Linux the reader waits on, for ever if nobody
 * writes. Natively, with pauses, 5 of 6 runs hung.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *closer(void *unused)
{
  (void)unused;
  close(ends[0]);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char byte;
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, closer, NULL);
  long count = read(ends[0], &byte, 1);
  assert(count == -1);
  pthread_join(thread, NULL);
  return 0;
}
