/* SPDX-License-Identifier: Apache-2.0
 *
 * Main returns 0, a thread calls exit(1): the process ends with the status of whoever comes first. Natively, with
 * pauses, it failed in 120 of 300 runs.
 *
 * verdict: noproof
 * kind: exit
 */
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *unused)
{
  (void)unused;
  exit(1);
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  return 0;
}
