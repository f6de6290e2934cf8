/* SPDX-License-Identifier: Apache-2.0
 *
 * A client sends all its requests before it reads a reply, a server replies to each request before it reads the next.
 * There is room for one request and one reply: the server waits for room for its second reply, the client for room for
 * a request that the server does not read any more. Fixed: the client reads a reply after each request.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>

enum { REQUESTS = 4 };

static mqd_t requests, replies;

static void *client(void *arg)
{
  char text = 'q';

  for (int i = 0; i < REQUESTS; i++) {
    mq_send(requests, &text, 1, 0);
#ifdef FIXED
    mq_receive(replies, &text, 1, NULL);
#endif
  }
#ifndef FIXED
  for (int i = 0; i < REQUESTS; i++)
    mq_receive(replies, &text, 1, NULL);
#endif
  return arg;
}

static void *server(void *arg)
{
  char text;

  for (int i = 0; i < REQUESTS; i++) {
    mq_receive(requests, &text, 1, NULL);
    mq_send(replies, &text, 1, 0);
  }
  return arg;
}

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 1, .mq_msgsize = 1};
  pthread_t a, b;

  requests = mq_open("/requests", O_CREAT | O_RDWR, 0600, &room);
  replies = mq_open("/replies", O_CREAT | O_RDWR, 0600, &room);
  pthread_create(&a, NULL, client, NULL);
  pthread_create(&b, NULL, server, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  mq_unlink("/requests");
  mq_unlink("/replies");
  return 0;
}
