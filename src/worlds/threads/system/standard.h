/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard input and output; see standard.c.
 */
#ifndef HEDDLE_RUNTIME_STANDARD_H
#define HEDDLE_RUNTIME_STANDARD_H

#include "worlds/threads/system/call.h"

/* 0, 1 or 2 as heddle set them up. */
bool descriptor_is_standard(long fd);
/* The program closed one of those, so that the next it opens may have its number. */
bool descriptors_have_room_at_standard(void);

bool standard_is_closed(long fd);

/* Calls on one of those. */
long standard_read(const struct call *call);
long standard_write(const struct call *call);
long standard_close(long fd);
long standard_flags(const struct call *call);      /* F_GETFL, F_SETFL */
size_t standard_take_input(void *to, size_t size); /* what is left of it */
void standard_reset(void);
/* Another program goes on with those that were left open. */
void standard_go_on(void);

#endif
