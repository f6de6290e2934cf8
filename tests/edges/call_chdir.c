/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread changes the working directory, which is everybody's, while main opens a file by a relative name. Natively,
 * with pauses, it failed in 37 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  int here = open(".", O_RDONLY | O_DIRECTORY);
  chdir("/");
  fchdir(here);
  close(here);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  close(open("relative.txt", O_CREAT | O_WRONLY, 0600));
  pthread_create(&thread, NULL, worker, NULL);
  int fd = open("relative.txt", O_RDONLY);
  pthread_join(thread, NULL);
  unlink("relative.txt");
  assert(fd >= 0);
  close(fd);
  return 0;
}
