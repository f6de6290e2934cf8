/* SPDX-License-Identifier: Apache-2.0
 *
 * mq_notify() tells of one message only. Who takes one message for each notice, and asks for the next notice afterwards, may have missed a
 * message that came in between. The twin asks first, and then takes all there are.
 *
 * verdict: deadlock
 * threads: 2
 * runs: 300
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static mqd_t queue;
static int got;

static void ask(void)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  assert(mq_notify(queue, &event) == 0);
}

int main(void)
{
  sigset_t set;
  char byte;
  int signal;
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 1};
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  mq_unlink("/notices");
  queue = mq_open("/notices", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);
  assert(queue >= 0);
  ask();
  if (fork() == 0) {
    assert(mq_send(queue, "a", 1, 0) == 0);
    assert(mq_send(queue, "b", 1, 0) == 0);
    _exit(0);
  }
  while (got < 2) {
    assert(sigwait(&set, &signal) == 0);
#ifdef FIXED
    ask();
    while (mq_receive(queue, &byte, 1, NULL) == 1)
      got++;
#else
    if (mq_receive(queue, &byte, 1, NULL) == 1)
      got++;
    ask();
#endif
  }
  assert(wait(NULL) > 0);
  mq_close(queue);
  mq_unlink("/notices");
  return 0;
}
