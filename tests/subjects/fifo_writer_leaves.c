/* SPDX-License-Identifier: Apache-2.0
 *
 * Two writers bring a message each through a FIFO. When the first one leaves before the second has come, the reader is at
 * the end, and takes that for the end of all. The twin keeps a write end itself, and counts.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *writes(void *unused)
{
  int out = open("requests", O_WRONLY);
  assert(out >= 0 && write(out, "x", 1) == 1);
  close(out);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  char byte;
  int served = 0;
  assert(mkfifo("requests", 0600) == 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, writes, NULL);
#ifdef FIXED
  int in = open("requests", O_RDWR);
  while (served < 2 && read(in, &byte, 1) == 1)
    served++;
#else
  int in = open("requests", O_RDONLY);
  while (read(in, &byte, 1) == 1)
    served++;
#endif
  assert(served == 2);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  close(in);
  return unlink("requests");
}
