/* SPDX-License-Identifier: Apache-2.0
 *
 * Footprints: what an operation touches, as a list. Operations of different tasks can depend on each other only where
 * their footprints meet (dependence.c), and a search finds what may depend on a step by them (explore/order.c). Nothing
 * else knows which fields of an operation mean which object.
 *
 * Operations that may concern anything (op_is_global) have no list: they meet all others.
 */
#ifndef HEDDLE_CORE_FOOTPRINT_H
#define HEDDLE_CORE_FOOTPRINT_H

#include "core/channel.h"
#include "core/key.h"
#include "core/operation.h"
#include "core/system.h"

/* Where the object lives: in a process, by its number, in memory that processes share, or in the system. */
enum space { SPACE_PROCESS, SPACE_SHARED = 126, SPACE_SYSTEM };

enum touch {
  TOUCH_STANDS_ON, /* memory that must not be freed, whatever it holds */
  TOUCH_READS,
  TOUCH_CHANGES,
  TOUCH_ENDS /* memory that is free from now on */
};

struct footprint {
  uint8_t space; /* enum space */
  uint8_t touch; /* enum touch */
  uint64_t key;  /* the object; of memory, its first word (key.h) */
  uint64_t addr; /* memory: so many bytes from there on */
  uint32_t length;
};

#define FOOTPRINTS_MOST SYSTEM_BITS

static inline unsigned footprints_of_system(uint64_t reads, uint64_t changes, struct footprint *out, unsigned most)
{
  unsigned n = 0;
  for (uint64_t set = changes | reads; set && n < most; set &= set - 1) {
    unsigned bit = (unsigned)__builtin_ctzll(set);
    out[n++] = (struct footprint){
        .space = SPACE_SYSTEM, .touch = changes >> bit & 1 ? TOUCH_CHANGES : TOUCH_READS, .key = key_of_system(bit)};
  }
  return n;
}

static inline unsigned footprints_of_channels(const struct operation *op, struct footprint *out)
{
  unsigned n = 0;
  for (unsigned i = 0; i < CHANNELS_TOUCHED && op_channel(op, i); i++)
    out[n++] = (struct footprint){.space = SPACE_SYSTEM,
                                  .touch = op_changes_channel(op, i) ? TOUCH_CHANGES : TOUCH_READS,
                                  .key = key_of_object(OBJECT_CHANNEL, SPACE_PROCESS, op_channel(op, i))};
  return n +
         footprints_of_system(op_channel_system_reads(op), op_channel_system_changes(op), out + n, FOOTPRINTS_MOST - n);
}

static inline struct footprint footprint_of_memory(enum touch touch, uint8_t space, uintptr_t addr, uint32_t length)
{
  return (struct footprint){.space = space,
                            .touch = touch,
                            .key = key_of_word(space, addr),
                            .addr = addr,
                            .length = length ? length : 1}; /* blocks of no bytes */
}

static inline struct footprint footprint_of_object(enum touch touch, uint8_t space, uint64_t key)
{
  return (struct footprint){.space = space, .touch = touch, .key = key};
}

static inline enum touch touch_of_memory(enum op_kind kind)
{
  return kind == OP_FREE ? TOUCH_ENDS : op_writes_memory(kind) ? TOUCH_CHANGES : TOUCH_READS;
}

/* Of an operation on memory. */
static inline struct footprint footprint_of_access(const struct operation *op)
{
  return footprint_of_memory(touch_of_memory(op->kind), op->space, op->addr, op->length);
}

/* The address of an operation as it is written down for others: with its space, where it is one of memory. */
static inline uint64_t op_address(const struct operation *op)
{
  return op_has_address(op->kind) ? key_in_space(op->space, op->addr) : op->addr;
}

/* How many there are. */
static inline unsigned op_footprints(const struct operation *op, struct footprint out[FOOTPRINTS_MOST])
{
  unsigned n = 0;
  if (op_is_memory(op->kind)) {
    out[n++] = footprint_of_access(op);
    return n;
  }
  if (op->kind == OP_SYSTEM)
    return footprints_of_system(op->arg, op->addr, out, FOOTPRINTS_MOST);
  if (op_is_on_channels(op->kind))
    return footprints_of_channels(op, out);
  if (op->kind == OP_PROPERTY) { /* its monitors */
    out[n++] = footprint_of_object(TOUCH_CHANGES, SPACE_SYSTEM,
                                   key_of_object(OBJECT_NOTHING, SPACE_PROCESS, PROPERTY_EVENT_OF(op->length) + 1));
    return n;
  }
  if (op->kind == OP_CREATE || op->kind == OP_AIO_SUBMIT) /* threads are numbered in the order of their creation */
    out[n++] = footprint_of_object(TOUCH_CHANGES, SPACE_SYSTEM, KEY_CREATION);
  if (!op->object)
    return n;
  out[n++] = footprint_of_object(op_only_looks(op->kind) ? TOUCH_READS : TOUCH_CHANGES, op->space,
                                 key_of_object(op_table[op->kind].object, op->space, op->addr));
  if (op->second) /* the mutex of a wait */
    out[n++] = footprint_of_object(TOUCH_CHANGES, op->space, key_of_object(OBJECT_MUTEX, op->space, op->arg));
  if (op->kind == OP_FUTEX_WAIT) /* it compares its word */
    out[n++] = footprint_of_memory(TOUCH_READS, op->space, op->addr, 4);
  else
    out[n++] = footprint_of_memory(TOUCH_STANDS_ON, op->space, op->addr, 1);
  return n;
}

/* Whether they are of one object, or of bytes that both have. */
static inline bool footprints_overlap(const struct footprint *a, const struct footprint *b)
{
  if (a->space != b->space || !a->length != !b->length)
    return false;
  return a->length ? a->addr < b->addr + b->length && b->addr < a->addr + a->length : a->key == b->key;
}

/* Whether two touches of the same must stay in their order, as far as it is known by what they do to it. */
static inline bool touches_conflict(enum touch a, enum touch b)
{
  enum touch less = a < b ? a : b, more = a < b ? b : a;
  return more == TOUCH_ENDS || (more == TOUCH_CHANGES && less != TOUCH_STANDS_ON);
}

#endif
