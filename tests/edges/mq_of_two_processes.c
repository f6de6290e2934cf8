/* SPDX-License-Identifier: Apache-2.0
 *
 * A child has a descriptor of its own for the queue: closing it, or ending, leaves the parent's as it is. Who asked to
 * be told is told, whoever sends; and another process cannot take that back. A name may be as long as POSIX says.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  char name[NAME_MAX + 2], byte = 0;
  memset(name, 'q', sizeof name);
  name[0] = '/';
  name[NAME_MAX + 1] = '\0';
  struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 1};
  mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
  assert(queue != (mqd_t)-1);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 7};
  assert(mq_notify(queue, &event) == 0);
  pid_t child = fork();
  if (!child) {
    assert(mq_notify(queue, NULL) == 0 && mq_notify(queue, &event) == -1);
    assert(mq_send(queue, "x", 1, 0) == 0 && mq_close(queue) == 0 && mq_close(queue) == -1);
    _exit(0);
  }
  siginfo_t info;
  assert(sigwaitinfo(&set, &info) == SIGUSR1);
  assert(info.si_pid == child && info.si_code == SI_MESGQ && info.si_value.sival_int == 7);
  int status;
  assert(wait(&status) == child && status == 0);
  assert(mq_receive(queue, &byte, 1, NULL) == 1 && byte == 'x');
  assert(mq_unlink(name) == 0 && mq_close(queue) == 0);
  return 0;
}
