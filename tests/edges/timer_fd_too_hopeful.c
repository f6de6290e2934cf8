/* SPDX-License-Identifier: Apache-2.0
 *
 * Main takes it for granted that the worker is through when ten milliseconds are over. Natively, with pauses, it
 * failed in 65 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static atomic_int done;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&done, 1);
  return NULL;
}

int main(void)
{
  struct itimerspec once = {{0, 0}, {0, 100000}};
  pthread_t thread;
  uint64_t expirations;
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &once, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  read(timer, &expirations, sizeof expirations);
  assert(atomic_load(&done));
  pthread_join(thread, NULL);
  return 0;
}
