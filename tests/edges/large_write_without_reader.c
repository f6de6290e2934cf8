/* SPDX-License-Identifier: Apache-2.0
 *
 * A write larger than the pipe holds, and the reader only after the writer is joined: nobody goes on. Natively, with
 * pauses, 5 of 5 runs hung.
 *
 * verdict: noproof
 * kind: deadlock
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char data[300000];

static void *writer(void *unused)
{
  (void)unused;
  write(ends[1], data, sizeof data);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char byte;
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, writer, NULL);
  pthread_join(thread, NULL);
  read(ends[0], &byte, 1);
  return 0;
}
