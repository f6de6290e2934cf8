/* SPDX-License-Identifier: Apache-2.0
 *
 * A race nobody cares about, and the user said so: nothing to report.
 *
 * verdict: quiet
 * options: --races ignore
 */
#include <pthread.h>

static volatile int statistics;

static void *worker(void *unused)
{
  (void)unused;
  statistics++;
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
