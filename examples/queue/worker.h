/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKER_H
#define WORKER_H

#include "queue.h"

struct worker {
  struct queue *queue;
  int sum;
};

/* For pthread_create, with a struct worker. */
void *worker_run(void *worker);

#endif
