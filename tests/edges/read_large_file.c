/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of three megabytes is read by one call.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static char out[3 << 20], in[3 << 20];

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  out[0] = 1;
  out[(3 << 20) - 1] = 2;
  int fd = open("large", O_CREAT | O_TRUNC | O_RDWR, 0600);
  assert(write(fd, out, sizeof out) == (long)sizeof out);
  assert(lseek(fd, 0, SEEK_SET) == 0);
  assert(read(fd, in, sizeof in) == (long)sizeof in);
  assert(in[0] == 1 && in[(3 << 20) - 1] == 2);
  close(fd);
  unlink("large");
  pthread_join(thread, NULL);
  return 0;
}
