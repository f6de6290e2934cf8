/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers take numbers from a message queue; the one that means the end is sent once for two of them. In the twin twice.
 *
 * tell: deadlock: P\d waits for a message in /numbers, and nobody is left to send
 * tell: main waits for the end of P\d
 * tell: receives a message from +/numbers
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 1};
  mqd_t queue = mq_open("/numbers", O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
  char number;
  assert(queue != (mqd_t)-1);
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      while (mq_receive(queue, &number, 1, NULL) == 1 && number != 0)
        ;
      _exit(0);
    }
  mq_send(queue, "\1", 1, 0);
  mq_send(queue, "\0", 1, 0);
#ifdef FIXED
  mq_send(queue, "\0", 1, 0);
#endif
  while (wait(NULL) > 0)
    ;
  mq_unlink("/numbers");
  return 0;
}
