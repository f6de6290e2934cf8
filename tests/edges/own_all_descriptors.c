/* SPDX-License-Identifier: Apache-2.0
 *
 * A program closes every descriptor above the standard ones, as daemons do, and opens a file.
 *
 * verdict: quiet
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
  for (int fd = 3; fd < 1024; fd++)
    close(fd);
  assert(open("/dev/null", O_RDONLY) == 3);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
