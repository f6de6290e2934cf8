/* SPDX-License-Identifier: Apache-2.0
 *
 * A program closes its standard streams, as daemons do, and goes on.
 *
 * verdict: quiet
 */
#include <assert.h>
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
  for (int fd = 0; fd < 3; fd++)
    close(fd);
  int ends[2];
  assert(pipe(ends) == 0 && ends[0] == 0 && ends[1] == 1);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
