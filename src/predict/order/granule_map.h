/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a recorded run in granules of eight bytes: who wrote each byte last, and whatever an analysis notes.
 * A granule lives from the first access of it until that memory is freed, so what comes to lie at the same place
 * later has nothing to do with it.
 */
#ifndef HEDDLE_PREDICT_GRANULE_MAP_H
#define HEDDLE_PREDICT_GRANULE_MAP_H

#include "predict/order/shared_clock.h"
#include <stddef.h>

/* What an atomic write hands on to those who read from it. */
struct handover {
  struct stamp happens_before; /* by memory orders */
  struct stamp must;
};

struct granule_writer {
  uint32_t bytes;            /* of the granule, a bit each: those that nobody wrote since */
  struct stamp data;         /* the write and all that it rests on */
  struct handover *handover; /* NULL if it is not atomic */
};

struct granule {
  uint64_t number; /* address / 8 */
  struct granule_writer *writer;
  uint32_t writers, writer_room;
  void *notes; /* the analysis's */
};

#define GRANULES_MOST                                                                                                  \
  (UINT32_C(1) << 21) /* more than the runtime records of one run; a gigabyte, with what they hold */

struct granule_map {
  struct granule **slot;
  size_t slots, count;
  void (*drop_notes)(void *notes);
};

/* The granule of that number; NULL if there is none, and `make` is false or there is no room. */
struct granule *granule_map_at(struct granule_map *map, uint64_t number, bool make);
/* Visits those that there are of the granules from `first` on, so many: by number or by going through all, whatever
 * is less. */
void granule_map_each(struct granule_map *map, uint64_t first, uint64_t count,
                      void (*visit)(void *context, struct granule *granule), void *context);
/* Forgets the granules from `first` on, so many. */
void granule_map_remove(struct granule_map *map, uint64_t first, uint64_t count);
void granule_map_free(struct granule_map *map);

/* From first to the one before end. */
struct granule_range {
  uint64_t first, end;
};

/* Those that [addr, addr + length) touches. None at the end of all addresses, where no memory can be. */
static inline struct granule_range granule_range_of(uint64_t addr, uint32_t length)
{
  if (!length || addr > UINT64_MAX - UINT32_MAX - 8)
    return (struct granule_range){0, 0};
  return (struct granule_range){addr / 8, (addr + length + 7) / 8};
}

/* Bytes of the granule that lie in [addr, addr + length), a bit each; it is one of those. */
static inline uint32_t granule_bytes(uint64_t number, uint64_t addr, uint64_t length)
{
  uint64_t start = number * 8, end = addr + length;
  uint32_t from = addr > start ? (uint32_t)(addr - start) : 0;
  uint32_t to = end < start + 8 ? (uint32_t)(end - start) : 8;
  return (1u << to) - (1u << from);
}

/* A write of these bytes: earlier writers of them are forgotten. NULL when there is no memory. */
struct granule_writer *granule_written(struct granule *granule, uint32_t bytes);

#endif
