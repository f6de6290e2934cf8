/* SPDX-License-Identifier: Apache-2.0
 *
 * raise runs the handler before it returns.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static __thread volatile sig_atomic_t got;

static void note(int number)
{
  (void)number;
  got = 1;
}

static void *worker(void *unused)
{
  (void)unused;
  raise(SIGUSR1);
  assert(got);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  raise(SIGUSR1);
  assert(got);
  pthread_join(thread, NULL);
  return 0;
}
