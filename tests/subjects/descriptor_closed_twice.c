/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads may both be the one that closes a connection: each looks whether it is still open, and closes it.
 * Between the two closes a third thread makes a descriptor, gets the number, and loses it. The twin takes the number
 * out in one step.
 *
 * verdict: assertion
 * threads: 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int fds[2], other[2];
static atomic_int connection;

static void *hang_up(void *arg)
{
#ifdef FIXED
  int fd = atomic_exchange(&connection, -1);
#else
  int fd = atomic_load(&connection);
  atomic_store(&connection, -1);
#endif
  if (fd >= 0)
    close(fd);
  return arg;
}

static void *stranger(void *arg)
{
  int copy = dup(other[1]);
  assert(write(copy, "x", 1) == 1);
  close(copy);
  return arg;
}

int main(void)
{
  pthread_t a, b, c;

  assert(pipe(fds) == 0 && pipe(other) == 0);
  connection = fds[1];
  pthread_create(&a, NULL, hang_up, NULL);
  pthread_create(&b, NULL, hang_up, NULL);
  pthread_create(&c, NULL, stranger, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  close(fds[0]);
  close(other[0]);
  close(other[1]);
  return 0;
}
