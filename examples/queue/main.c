/* SPDX-License-Identifier: Apache-2.0
 *
 * Two workers add up the numbers from 1 to 4. Try it: it works. Then `heddle check` it.
 */
#include "worker.h"
#include <assert.h>
#include <pthread.h>

int main(void)
{
  struct queue *queue = queue_create(2);
  struct worker worker[2] = {{queue, 0}, {queue, 0}};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker_run, &worker[i]);
  for (int i = 1; i <= 4; i++)
    queue_put(queue, i);
  queue_close(queue);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(worker[0].sum + worker[1].sum == 10);
  queue_destroy(queue);
  return 0;
}
