/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler ends the process by _exit with status 0; a worker that is half way through is seen by nobody, but main's
 * check before may fail. Natively, with pauses, it failed in 27 of 600 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int sent;

static void leave(int number)
{
  (void)number;
  _exit(0);
}

static void *sender(void *target)
{
  atomic_store(&sent, 1);
  pthread_kill(*(pthread_t *)target, SIGTERM);
  return NULL;
}

int main(void)
{
  pthread_t self = pthread_self(), thread;
  signal(SIGTERM, leave);
  pthread_create(&thread, NULL, sender, &self);
  assert(!atomic_load(&sent));
  pthread_join(thread, NULL);
  return 0;
}
