/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler reads a table that the thread it interrupts is half way through changing, under a lock the handler
 * cannot take. Natively, with pauses, it failed in 8 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int debit, credit;

static void audit(int number)
{
  (void)number;
  assert(debit + credit == 0);
}

static void *booker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  debit -= 5;
  credit += 5;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = audit};
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, booker, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
