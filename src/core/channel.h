/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on channels: what tasks talk to each other through, such as pipes and sockets, known by numbers that are
 * the same in every execution. One operation touches several: a write to a socket that somebody polls, a close, a poll.
 * They are in the fields of the operation, which go from process to process as they are:
 *
 *     addr    the first three, 16 bits each; the first is what it is about
 *     arg     four more
 *     length  which of them it changes (7 bits), parts of the system that it changes, and that it reads (system.h, 12
 *             bits each)
 *
 * What does not fit there may concern anything (OP_FAR).
 */
#ifndef HEDDLE_CORE_CHANNEL_H
#define HEDDLE_CORE_CHANNEL_H

#include "core/operation.h"

#define CHANNELS_TOUCHED 7
#define CHANNEL_PARTS_BITS 12

struct channel_touch {
  uint16_t channel[CHANNELS_TOUCHED]; /* 0: none */
  uint8_t count;
  uint8_t changes;                       /* a set of those */
  uint32_t system_changes, system_reads; /* SYSTEM_* */
};

static inline uint16_t op_channel(const struct operation *op, unsigned i)
{
  return (uint16_t)(i < 3 ? op->addr >> 16 * i : op->arg >> 16 * (i - 3));
}

static inline bool op_changes_channel(const struct operation *op, unsigned i)
{
  return op->length >> i & 1;
}

static inline uint32_t op_channel_system_changes(const struct operation *op)
{
  return op->length >> CHANNELS_TOUCHED & ((1u << CHANNEL_PARTS_BITS) - 1);
}

static inline uint32_t op_channel_system_reads(const struct operation *op)
{
  return op->length >> (CHANNELS_TOUCHED + CHANNEL_PARTS_BITS) & ((1u << CHANNEL_PARTS_BITS) - 1);
}

/* Waits that several others can end, each by itself, whose steps need not depend on each other. */
static inline bool op_waits_for_any(const struct operation *op)
{
  switch (op->kind) {
  case OP_FD_WAIT:
  case OP_FD_TIMEDWAIT:
    return op->length > 1; /* descriptors */
  case OP_CHANNEL_POLL:
  case OP_CHANNEL_TIMEDPOLL:
    return op_channel(op, 1) || op->traits & OP_FAR;
  default:
    return false;
  }
}

static inline void op_set_channels(struct operation *op, const struct channel_touch *touch)
{
  op->addr = op->arg = 0;
  for (unsigned i = 0; i < touch->count; i++)
    if (i < 3)
      op->addr |= (uintptr_t)touch->channel[i] << 16 * i;
    else
      op->arg |= (uint64_t)touch->channel[i] << 16 * (i - 3);
  op->length = touch->changes | touch->system_changes << CHANNELS_TOUCHED |
               touch->system_reads << (CHANNELS_TOUCHED + CHANNEL_PARTS_BITS);
}

#endif
