/* SPDX-License-Identifier: Apache-2.0
 *
 * A child sends to a message queue that it closes then; the parent is told by a signal, gets the message and has the
 * queue still open.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 4};
  struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  char message[4];
  siginfo_t info;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  mqd_t queue = mq_open("/process_queue_notifies", O_CREAT | O_EXCL | O_RDWR, 0600, &room);
  assert(queue != (mqd_t)-1);
  mq_unlink("/process_queue_notifies");
  assert(mq_notify(queue, &how) == 0);
  pid_t child = fork();
  if (child == 0)
    _exit(mq_send(queue, "abc", 4, 1) || mq_close(queue));
  assert(sigwaitinfo(&set, &info) == SIGUSR1);
  assert(info.si_code == SI_MESGQ && info.si_pid == child);
  assert(mq_receive(queue, message, sizeof message, NULL) == 4);
  wait(NULL);
  assert(mq_send(queue, "abc", 4, 1) == 0);
  return 0;
}
