/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads send main the same signal: it comes once if the second was sent while the first still waited, else
 * twice. No failure in 200 native runs.
 *
 * verdict: complete
 * options: --reset fork
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t signals;
static pthread_t main_thread;

static void count(int number)
{
  (void)number;
  signals = signals + 1;
}

static void *sender(void *unused)
{
  pthread_kill(main_thread, SIGUSR1);
  return unused;
}

int main(void)
{
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  pthread_t one, two;
  main_thread = pthread_self();
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&one, NULL, sender, NULL);
  pthread_create(&two, NULL, sender, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  int seen = signals;
  assert(seen == 1 || seen == 2);
  return 0;
}
