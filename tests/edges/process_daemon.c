/* SPDX-License-Identifier: Apache-2.0
 *
 * The program becomes a daemon and the daemon has a lost update; the process that was started ends at once with status
 * 0, so natively nobody sees the daemon's abort.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int jobs;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&jobs, atomic_load(&jobs) + 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  if (daemon(1, 0) != 0)
    return 1;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&jobs) == 2);
  return 0;
}
