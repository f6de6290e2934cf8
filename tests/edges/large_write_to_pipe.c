/* SPDX-License-Identifier: Apache-2.0
 *
 * A write larger than a pipe holds, with a reader that takes it in pieces.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char data[300000];

static void *reader(void *unused)
{
  (void)unused;
  static char piece[40000];
  long total = 0, count;
  while ((count = read(ends[0], piece, sizeof piece)) > 0)
    total += count;
  assert(total == (long)sizeof data);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, reader, NULL);
  assert(write(ends[1], data, sizeof data) == (long)sizeof data);
  close(ends[1]);
  pthread_join(thread, NULL);
  return 0;
}
