/* SPDX-License-Identifier: Apache-2.0
 *
 * The program leaves a file behind, and the next run that finds it does something else, and fails: every run but the
 * first. Natively, with pauses, it failed in 299 of 300 runs. To heddle what is in the folder is given, and every
 * execution is a first run: with the folder as it is, there is no failure. With --files real there is one
 * (tests/e2e/files.sh).
 *
 * verdict: complete
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
