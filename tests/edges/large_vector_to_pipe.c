/* SPDX-License-Identifier: Apache-2.0
 *
 * Three buffers that are together larger than a pipe holds, written by one call.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];
static char data[3][70000];

static void *reader(void *unused)
{
  (void)unused;
  static char piece[40000];
  long total = 0, count;
  while ((count = read(ends[0], piece, sizeof piece)) > 0)
    total += count;
  assert(total == (long)sizeof data && piece[0] == 'x');
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct iovec parts[4];
  for (int i = 0; i < 3; i++) {
    for (unsigned long j = 0; j < sizeof data[i]; j++)
      data[i][j] = 'x';
    parts[i] = (struct iovec){data[i], sizeof data[i]};
  }
  parts[3] = (struct iovec){0};
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, reader, NULL);
  assert(writev(ends[1], parts, 4) == (long)sizeof data);
  close(ends[1]);
  pthread_join(thread, NULL);
  return 0;
}
