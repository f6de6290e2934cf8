/* SPDX-License-Identifier: Apache-2.0
 *
 * A main loop takes its signals from a signalfd in a poll set.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void *sender(void *unused)
{
  (void)unused;
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGTERM);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sigset_t set;
  int reloads = 0, stop = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, SFD_NONBLOCK);
  pthread_create(&thread, NULL, sender, NULL);
  while (!stop || !reloads) {
    struct pollfd wanted = {fd, POLLIN, 0};
    struct signalfd_siginfo got;
    assert(poll(&wanted, 1, -1) == 1);
    while (read(fd, &got, sizeof got) == sizeof got) {
      reloads += got.ssi_signo == SIGHUP;
      stop |= got.ssi_signo == SIGTERM;
    }
  }
  assert(reloads == 1);
  pthread_join(thread, NULL);
  return 0;
}
