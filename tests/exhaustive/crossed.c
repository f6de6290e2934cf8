/* SPDX-License-Identifier: Apache-2.0
 *
 * crossed M C: two threads, two queues with room for C messages. Each sends M messages to its own and then receives M
 * from the other's. What they do to different queues commutes. With M > C both wait for room, whatever the order.
 */
#include "together.h"
#include <fcntl.h>
#include <mqueue.h>

static mqd_t queues[2];

static void *body(void *arg)
{
  char text = 0;
  for (int i = 0; i < second(arg); i++)
    assert(mq_send(queues[first(arg)], &text, 1, 0) == 0);
  for (int i = 0; i < second(arg); i++)
    assert(mq_receive(queues[!first(arg)], &text, 1, NULL) == 1);
  return NULL;
}

int main(int argc, char **argv)
{
  struct mq_attr attr = {.mq_maxmsg = number(argc, argv, 2, 1), .mq_msgsize = 1};

  queues[0] = mq_open("/there", O_CREAT | O_RDWR, 0600, &attr);
  queues[1] = mq_open("/back", O_CREAT | O_RDWR, 0600, &attr);
  for (int i = 0; i < 2; i++)
    start(body, i, number(argc, argv, 1, 1));
  finish();
  printf("\n");
  return 0;
}
