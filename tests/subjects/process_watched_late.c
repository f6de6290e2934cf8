/* SPDX-License-Identifier: Apache-2.0
 *
 * A supervisor has a thread that waits for any child, and another that gets a descriptor of a child (pidfd) by its number to
 * wait for its end. If it was waited for by then, there is none of that number. The twin gets the descriptor with the
 * child, before anybody waits.
 *
 * verdict: assertion
 * threads: 3
 * runs: 1000
 */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *reaps(void *unused)
{
  assert(wait(NULL) > 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pid_t child = fork();
  if (child == 0)
    _exit(0);
#ifdef FIXED
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
  pthread_create(&thread, NULL, reaps, NULL);
#else
  pthread_create(&thread, NULL, reaps, NULL);
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
#endif
  struct pollfd one = {.fd = fd, .events = POLLIN};
  assert(fd >= 0 && poll(&one, 1, -1) == 1);
  pthread_join(thread, NULL);
  return 0;
}
