/* SPDX-License-Identifier: Apache-2.0
 *
 * Main reads until the end of a pipe, which comes when its writing end is closed. The last of two writers is to
 * close it, and each looks first whether the other is done and says then that it is: both find the other at work,
 * nobody closes, and main waits for ever. The twin looks and says so in one step.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int fds[2];
static atomic_int left = 2;

static void *writer(void *arg)
{
  assert(write(fds[1], "x", 1) == 1);
#ifdef FIXED
  int before = atomic_fetch_sub(&left, 1);
#else
  int before = atomic_load(&left);
  atomic_fetch_sub(&left, 1);
#endif
  if (before == 1)
    close(fds[1]);
  return arg;
}

int main(void)
{
  pthread_t a, b;
  char c;
  int n = 0;

  assert(pipe(fds) == 0);
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, writer, NULL);
  while (read(fds[0], &c, 1) == 1)
    n++;
  assert(n == 2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  close(fds[0]);
  return 0;
}
