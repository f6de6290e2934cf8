/* SPDX-License-Identifier: Apache-2.0
 *
 * Main waits for the other thread by looking at its flag and at the clock in turns, and takes it for granted that it will not be
 * the clock that ends the loop. Nobody sleeps: time passes by itself.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int done;

static void *worker(void *unused)
{
  done = 1;
  return unused;
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  double deadline = seconds() + 0.0005;
  while (!done && seconds() < deadline)
    ;
  int in_time = done;
  pthread_join(thread, NULL);
  assert(in_time);
  return 0;
}
