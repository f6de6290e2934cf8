/* SPDX-License-Identifier: Apache-2.0
 *
 * The program leaves a file behind, and the next run that finds it does something else, and fails: every run but the
 * first. Natively, with pauses, it failed in 299 of 300 runs.
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
  int fd = open("first.run", O_CREAT | O_EXCL | O_WRONLY, 0600);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(fd >= 0);
  close(fd);
  return 0;
}
