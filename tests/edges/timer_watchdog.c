/* SPDX-License-Identifier: Apache-2.0
 *
 * A watchdog alarm of a minute that is switched off in time, over work that takes no time.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  alarm(60);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  alarm(0);
  return 0;
}
