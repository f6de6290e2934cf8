/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors in words; see words.c.
 */
#ifndef HEDDLE_RUNTIME_KERNEL_WORDS_H
#define HEDDLE_RUNTIME_KERNEL_WORDS_H

#include "core/world.h"
#include "worlds/threads/kernel/kernel.h"

/* What it is; writes: somebody would write to it. */
void describe_descriptor(long fd, bool writes, struct channel_view *out);
/* A FIFO whose other end is waited for. */
void describe_opening(const struct description *d, struct channel_view *out);

#endif
