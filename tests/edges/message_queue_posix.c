/* SPDX-License-Identifier: Apache-2.0
 *
 * A POSIX message queue between two threads, with room for one message.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;

static void *sender(void *unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++)
    assert(mq_send(queue, "x", 1, 0) == 0);
  return NULL;
}

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 1, .mq_msgsize = 8};
  pthread_t thread;
  char name[32], text[8];
  snprintf(name, sizeof name, "/edge-mq-%d", (int)getpid());
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &room);
  if (queue == (mqd_t)-1)
    return 0;
  mq_unlink(name);
  pthread_create(&thread, NULL, sender, NULL);
  for (int i = 0; i < 3; i++)
    assert(mq_receive(queue, text, sizeof text, NULL) == 1);
  pthread_join(thread, NULL);
  mq_close(queue);
  return 0;
}
