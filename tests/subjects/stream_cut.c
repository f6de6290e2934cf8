/* SPDX-License-Identifier: Apache-2.0
 *
 * Two messages go through a stream, and what one recv() gives is taken for one message: it may be both, or the first half of
 * one. The twin reads as many bytes as a message has.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2];

static void *sends(void *unused)
{
  assert(send(pair[1], "one.", 4, 0) == 4);
  assert(send(pair[1], "two.", 4, 0) == 4);
  close(pair[1]);
  return unused;
}

static long receive(char *message)
{
#ifdef FIXED
  return recv(pair[0], message, 4, MSG_WAITALL);
#else
  return recv(pair[0], message, 64, 0);
#endif
}

int main(void)
{
  pthread_t thread;
  char message[64];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  pthread_create(&thread, NULL, sends, NULL);
  assert(receive(message) == 4 && !memcmp(message, "one.", 4));
  assert(receive(message) == 4 && !memcmp(message, "two.", 4));
  pthread_join(thread, NULL);
  return 0;
}
