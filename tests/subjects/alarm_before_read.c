/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm is to end a read that nobody answers. If it rings before the read begins, it is over, and the read waits for
 * ever. The twin has the handler write to a pipe of its own, and waits for both.
 *
 * verdict: deadlock
 * threads: 1
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static int question[2], bell[2];

static void on_alarm(int signal)
{
  (void)signal;
  int before = errno;
  assert(write(bell[1], "!", 1) == 1);
  errno = before;
}

int main(void)
{
  char byte;
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval soon = {.it_value = {.tv_usec = 500}};
  assert(pipe(question) == 0 && pipe(bell) == 0);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
#ifdef FIXED
  struct pollfd both[2] = {{.fd = question[0], .events = POLLIN}, {.fd = bell[0], .events = POLLIN}};
  int ready;
  while ((ready = poll(both, 2, -1)) == -1 && errno == EINTR)
    ;
  assert(ready == 1 && read(bell[0], &byte, 1) == 1);
#else
  assert(read(question[0], &byte, 1) == -1 && errno == EINTR);
#endif
  return 0;
}
