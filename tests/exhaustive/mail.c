/* SPDX-License-Identifier: Apache-2.0
 *
 * mail N M C [V]: N threads send M messages each, another one receives them all, by a queue with room for C. The queue is
 * POSIX's, where the thread that was started last has the highest priority, or with V = 1 System V's, in the order they
 * were sent. All that is done to one queue is in one order, so there are as many classes as interleavings.
 */
#include "together.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static mqd_t posix_queue = -1;
static int system_v_queue = -1;

struct letter {
  long type;
  char from;
};

static void *sender(void *arg)
{
  struct letter letter = {1, (char)first(arg)};
  for (int i = 0; i < second(arg); i++)
    if (system_v_queue < 0)
      assert(mq_send(posix_queue, &letter.from, 1, (unsigned)letter.from) == 0);
    else
      assert(msgsnd(system_v_queue, &letter, 1, 0) == 0);
  return NULL;
}

static void *receiver(void *arg)
{
  int all = 0;
  struct letter letter = {0, 0};
  for (int i = 0; i < first(arg); i++) {
    if (system_v_queue < 0)
      assert(mq_receive(posix_queue, &letter.from, 1, NULL) == 1);
    else
      assert(msgrcv(system_v_queue, &letter, 1, 0, 0) == 1);
    all = all * 8 + letter.from;
  }
  return result(all);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), m = number(argc, argv, 2, 1), room = number(argc, argv, 3, 1);

  if (number(argc, argv, 4, 0)) {
    struct msqid_ds about;
    system_v_queue = msgget(IPC_PRIVATE, 0600);
    assert(msgctl(system_v_queue, IPC_STAT, &about) == 0);
    about.msg_qbytes = (msglen_t)room;
    assert(msgctl(system_v_queue, IPC_SET, &about) == 0);
  } else {
    struct mq_attr attr = {.mq_maxmsg = room, .mq_msgsize = 1};
    posix_queue = mq_open("/mail", O_CREAT | O_RDWR, 0600, &attr);
    assert(posix_queue >= 0);
  }
  for (int i = 1; i <= n; i++)
    start(sender, i, m);
  start(receiver, n * m, 0);
  finish();
  printf("\n");
  return 0;
}
