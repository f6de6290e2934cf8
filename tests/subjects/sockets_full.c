/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads send each other a large message before they read. Neither fits into what a connection can hold, so
 * each waits for the other to read. In the twin one of them reads first. (Fails under every schedule.)
 *
 * verdict: deadlock
 * threads: 3
 * runs: 200
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGE 500000

static int fds[2];

static void get(int fd, char *to)
{
  for (size_t n = 0; n < LARGE;) {
    ssize_t more = read(fd, to, LARGE);
    assert(more > 0);
    n += (size_t)more;
  }
}

static void exchange(int fd, int reads_first)
{
  char *text = calloc(1, LARGE);
  if (reads_first)
    get(fd, text);
  assert(write(fd, text, LARGE) == LARGE);
  if (!reads_first)
    get(fd, text);
  free(text);
}

static void *first(void *arg)
{
  exchange(fds[0], 0);
  return arg;
}

static void *second(void *arg)
{
#ifdef FIXED
  exchange(fds[1], 1);
#else
  exchange(fds[1], 0);
#endif
  return arg;
}

int main(void)
{
  pthread_t a, b;

  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
