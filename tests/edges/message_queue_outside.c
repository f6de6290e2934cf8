/* SPDX-License-Identifier: Apache-2.0
 *
 * A server that only reads from its queue: who sends is another program.
 *
 * verdict: outside
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 8};
  char text[8];

  mqd_t queue = mq_open("/commands", O_CREAT | O_RDONLY, 0600, &room);
  assert(queue >= 0);
  while (mq_receive(queue, text, sizeof text, NULL) > 0 && text[0] != 'q')
    putchar(text[0]);
  mq_unlink("/commands");
  return 0;
}
