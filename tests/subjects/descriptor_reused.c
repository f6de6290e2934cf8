/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger looks up the number of the log and writes to it. Between the two, another thread closes the log, and what
 * it makes next has the same number: the line goes there. The twin holds the lock until it has written.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fds[2], letter[2], log_fd;

static void *logger(void *arg)
{
  pthread_mutex_lock(&lock);
  int fd = log_fd;
#ifdef FIXED
  if (fd >= 0)
    assert(write(fd, "l", 1) == 1);
  pthread_mutex_unlock(&lock);
#else
  pthread_mutex_unlock(&lock);
  if (fd >= 0 && write(fd, "l", 1) != 1)
    return arg; /* it was closed: nothing is lost */
#endif
  return arg;
}

static void *closer(void *arg)
{
  pthread_mutex_lock(&lock);
  close(log_fd);
  log_fd = -1;
  pthread_mutex_unlock(&lock);
  int copy = dup(letter[1]); /* the lowest number: that of the log */
  assert(write(copy, "x", 1) == 1);
  close(copy);
  return arg;
}

int main(void)
{
  pthread_t a, b;
  char all[4];

  assert(pipe(log_fds) == 0 && pipe(letter) == 0);
  log_fd = log_fds[1];
  pthread_create(&a, NULL, logger, NULL);
  pthread_create(&b, NULL, closer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(read(letter[0], all, 4) == 1 && all[0] == 'x');
  close(log_fds[0]);
  close(letter[0]);
  close(letter[1]);
  return 0;
}
