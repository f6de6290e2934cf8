/* SPDX-License-Identifier: Apache-2.0
 *
 * A send larger than the socket holds, with a reader in another thread.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2];
static char data[1 << 20];

static void *reader(void *unused)
{
  (void)unused;
  static char piece[100000];
  long total = 0, count;
  while ((count = recv(pair[1], piece, sizeof piece, 0)) > 0)
    total += count;
  assert(total == (long)sizeof data);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  pthread_create(&thread, NULL, reader, NULL);
  assert(send(pair[0], data, sizeof data, 0) == (long)sizeof data);
  close(pair[0]);
  pthread_join(thread, NULL);
  return 0;
}
