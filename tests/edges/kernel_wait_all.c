/* SPDX-License-Identifier: Apache-2.0
 *
 * recv with MSG_WAITALL returns when all of two bytes are there, though they are sent one by one. No failure in 200
 * native runs.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *sender(void *unused)
{
  send(ends[1], "a", 1, 0);
  send(ends[1], "b", 1, 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  char text[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  pthread_create(&thread, NULL, sender, NULL);
  assert(recv(ends[0], text, sizeof text, MSG_WAITALL) == 2);
  pthread_join(thread, NULL);
  return 0;
}
