/* SPDX-License-Identifier: Apache-2.0
 *
 * A socket option is changed by one thread while the other reads it. Natively, with pauses, it failed in 195 of 1000
 * runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd;

static void *changer(void *unused)
{
  (void)unused;
  int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int value = 0;
  socklen_t size = sizeof value;
  fd = socket(AF_INET, SOCK_STREAM, 0);
  pthread_create(&thread, NULL, changer, NULL);
  getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, &size);
  pthread_join(thread, NULL);
  assert(value == 0);
  return 0;
}
