/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer waits for a reader of its FIFO. The one that comes leaves at once, and the writer goes on nevertheless; the
 * number of its descriptor was taken before the wait, so that a pipe that is made meanwhile has others.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static void *writer(void *unused)
{
  (void)unused;
  int fd = open("way", O_WRONLY);
  assert(fd >= 3);
  assert(write(fd, "a", 1) == 1 || errno == EPIPE);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int end[2];
  signal(SIGPIPE, SIG_IGN);
  assert(mkfifo("way", 0600) == 0);
  pthread_create(&thread, NULL, writer, NULL);
  assert(pipe(end) == 0);
  assert(end[1] == end[0] + 1 || (end[0] == 3 && end[1] == 5)); /* the writer has 3, 4 or 5 */
  assert(close(open("way", O_RDONLY)) == 0);
  pthread_join(thread, NULL);
  return unlink("way");
}
