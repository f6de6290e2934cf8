/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue of numbers for several producers and consumers, of fixed capacity.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>

struct queue;

struct queue *queue_create(int capacity);
void queue_destroy(struct queue *queue);
void queue_put(struct queue *queue, int value);
/* False when the queue is closed and empty. */
bool queue_take(struct queue *queue, int *value);
void queue_close(struct queue *queue);

#endif
