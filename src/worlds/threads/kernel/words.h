/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors in words; see words.c.
 */
#ifndef HEDDLE_RUNTIME_KERNEL_WORDS_H
#define HEDDLE_RUNTIME_KERNEL_WORDS_H

#include "core/world.h"
#include "worlds/threads/kernel/kernel.h"
#include <stdbool.h>

/* What the number is in that process; writes: somebody would write to it. */
void describe_descriptor(long fd, unsigned process, bool writes, struct channel_view *out);
/* A FIFO whose other end is waited for. */
void describe_opening(const struct description *d, struct channel_view *out);

/* Which bytes a transfer would move now. */
void describe_transfer(long fd, unsigned process, bool writes, const struct transfer_call *t, struct channel_view *out);

#endif
