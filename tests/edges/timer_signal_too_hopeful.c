/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of an interval timer takes it for granted that the worker has begun. Natively, with pauses, it failed in
 * 281 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>

static atomic_int begun, early;

static void tick(int number)
{
  (void)number;
  if (!atomic_load(&begun))
    atomic_store(&early, 1);
}

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&begun, 1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = tick};
  struct itimerval once = {{0, 0}, {0, 50}};
  pthread_t thread;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &once, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(!atomic_load(&early));
  return 0;
}
