/* SPDX-License-Identifier: Apache-2.0
 *
 * A byte of /dev/urandom decides: one value in four is not foreseen. Natively, with pauses, it failed in 73 of 300
 * runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  unsigned char byte = 1;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  int fd = open("/dev/urandom", O_RDONLY);
  read(fd, &byte, 1);
  close(fd);
  assert(byte % 4 != 0);
  return 0;
}
