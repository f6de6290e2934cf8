/* SPDX-License-Identifier: Apache-2.0
 *
 * What accesses of memory order; internal to run_order.c.
 */
#ifndef HEDDLE_PREDICT_RUN_ORDER_MEMORY_H
#define HEDDLE_PREDICT_RUN_ORDER_MEMORY_H

#include "predict/order/run_order.h"

/* The thread learns what a point stands for; true if that was new. */
bool run_order_learn(struct run_order *o, uint32_t me, enum relation relation, const struct stamp *stamp);

/* A read of these bytes; `order` counts if it is atomic. */
void run_order_read(struct run_order *o, uint32_t me, uint64_t addr, uint32_t length, int order, bool atomic);

/* The event is an access of memory. */
void run_order_memory(struct run_order *o, const struct event *e);

#endif
