/* SPDX-License-Identifier: Apache-2.0
 *
 * What accesses of memory order; internal to order.c.
 */
#ifndef HEDDLE_PREDICT_ORDER_MEMORY_H
#define HEDDLE_PREDICT_ORDER_MEMORY_H

#include "predict/order/order.h"

/* The thread learns what a point stands for; true if that was new. */
bool order_learn(struct order *o, uint32_t me, enum relation relation, const struct stamp *stamp);

/* A read of these bytes; `order` counts if it is atomic. */
void order_read(struct order *o, uint32_t me, uint64_t addr, uint32_t length, int order, bool atomic);

/* The event is an access of memory. */
void order_memory(struct order *o, const struct event *e);

#endif
