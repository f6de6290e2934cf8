/* SPDX-License-Identifier: Apache-2.0
 *
 * A file is there when it is looked for and gone when it is opened: the other thread unlinks it in between. Natively,
 * with pauses, it failed in 140 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *cleaner(void *unused)
{
  (void)unused;
  unlink("report.txt");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  close(open("report.txt", O_CREAT | O_WRONLY, 0600));
  pthread_create(&thread, NULL, cleaner, NULL);
  if (access("report.txt", R_OK) == 0) {
    int fd = open("report.txt", O_RDONLY);
    assert(fd >= 0);
    close(fd);
  }
  pthread_join(thread, NULL);
  return 0;
}
