/* SPDX-License-Identifier: Apache-2.0
 *
 * What the threads do: take numbers until there are no more, and add them up.
 */
#include "worker.h"
#include <stddef.h>

void *worker_run(void *arg)
{
  struct worker *worker = arg;
  int value;
  while (queue_take(worker->queue, &value))
    worker->sum += value;
  return NULL;
}
