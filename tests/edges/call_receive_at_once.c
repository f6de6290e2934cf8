/* SPDX-License-Identifier: Apache-2.0
 *
 * A message is received without waiting for it, and taken for granted. Natively, with pauses, it failed in 259 of 300
 * runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *sender(void *unused)
{
  (void)unused;
  send(ends[0], "a", 1, 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char byte;
  socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
  pthread_create(&thread, NULL, sender, NULL);
  long n = recv(ends[1], &byte, 1, MSG_DONTWAIT);
  assert(n == 1);
  pthread_join(thread, NULL);
  return 0;
}
