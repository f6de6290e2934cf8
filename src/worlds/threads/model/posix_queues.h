/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX message queues: what others need; see the source.
 */
#ifndef HEDDLE_RUNTIME_POSIX_QUEUES_H
#define HEDDLE_RUNTIME_POSIX_QUEUES_H

#include "worlds/threads/system/call.h"

long posix_queue_call(const struct call *call);
/* The program closed that descriptor. */
void queue_descriptor_closed(long fd);
/* A copy of a process has its descriptors; one that ends, or goes on as another program, has none. */
void posix_queues_fork(unsigned process, unsigned copy);
void posix_queues_process_ended(unsigned process);
/* It is one of a queue's: whether it is ready, the system does not know. */
bool is_queue_descriptor(long fd);
/* Nobody in this process could end the wait: it has no descriptor for the other end. */
bool queue_wait_is_outside(const struct operation *op);
void posix_queues_reset(void);

#endif
