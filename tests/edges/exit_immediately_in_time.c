/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread ends the process by _exit while main waits for it: nothing can go wrong, and status 0 is the only one. No
 * failure in 100 native runs with pauses.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  _exit(0);
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 1;
}
