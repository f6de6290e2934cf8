/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages are received without waiting for them; where there is none, the program goes on. Nobody waits for ever.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static long look(void)
{
  char byte;
  long n = recv(ends[1], &byte, 1, MSG_DONTWAIT);
  assert(n == 1 || (n < 0 && errno == EAGAIN));
  return n > 0;
}

static void *receiver(void *unused)
{
  (void)unused;
  return (void *)look();
}

int main(void)
{
  pthread_t thread;
  void *theirs;
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  pthread_create(&thread, NULL, receiver, NULL);
  send(ends[0], "a", 1, MSG_DONTWAIT);
  long mine = look();
  pthread_join(thread, &theirs);
  assert(mine + (long)theirs == 1);
  return 0;
}
