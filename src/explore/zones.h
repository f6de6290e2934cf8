/* SPDX-License-Identifier: Apache-2.0
 *
 * Where accesses of many words of memory find those that they overlap with, and are found. Each has a place in every
 * zone (a stretch of memory) that it touches, in a chain of its class there, instead of one in the chain of each word
 * (order.h). A place remembers the last ones of all classes at that time, so that what came before an event is found
 * again when others came after it.
 *
 * Small accesses have places too, from the first large one on; before that nobody pays for it.
 */
#ifndef HEDDLE_EXPLORE_ZONES_H
#define HEDDLE_EXPLORE_ZONES_H

#include "core/operation.h"
#include <stdbool.h>
#include <stdint.h>

#define ZONE_SHIFT 9
#define ZONE_BITS 20
#define ZONE_PLACES (1u << 25)
#define ZONES_MOST 4096u /* of one access; an even larger one is not placed */

enum zone_class { ZONE_SMALL_LOOKS, ZONE_SMALL_CHANGES, ZONE_LARGE_LOOKS, ZONE_LARGE_CHANGES, ZONE_CLASSES };

struct zone_place {
  uint32_t event;
  uint32_t before[ZONE_CLASSES]; /* the last place of each class in the zone, + 1 */
};

struct zone_slot {
  uint64_t key;
  uint32_t last[ZONE_CLASSES]; /* + 1 */
};

struct zones {
  bool in_use;
  uint32_t places;
  uint32_t ahead; /* beyond those of events: places of steps that have not come */
  uint32_t keys;
  struct zone_slot slot[1u << ZONE_BITS];
  struct zone_place place[ZONE_PLACES];
};

/* The memory an operation touches, as far as others can overlap with it. length 0: none. */
struct zone_range {
  uint8_t space;
  bool changes;
  uint64_t addr;
  uint64_t length;
};

struct zone_range zone_range_of(const struct operation *op);
/* Whether it has places: it touches memory, and not too much of it. */
bool zones_have(const struct zone_range *r);

/* Gives the event its places; the first of them, how many are in *places. full: set if there is no room. */
uint32_t zones_add(struct zones *z, const struct operation *op, bool large, uint32_t event, uint16_t *places,
                   bool *full);
/* The same for a step that has not come: nobody finds it. */
uint32_t zones_look(struct zones *z, const struct operation *op, uint32_t event, uint16_t *places, bool *full);
/* Takes those of the last event away. */
void zones_remove(struct zones *z, const struct operation *op, uint32_t first, uint16_t places);
/* While there are no events: the table is emptied when it is half full. */
void zones_tidy(struct zones *z);

/* The way back through all that may conflict with an access, zone by zone, class by class. */
struct zone_walk {
  const struct zones *z;
  struct zone_range range; /* of the access */
  bool large, ends;        /* it is large; it frees */
  uint32_t first, places;  /* of the access */
  uint32_t zone;           /* this one of them */
  uint32_t at;             /* where the walk is on the chain, + 1 */
  unsigned class;
  uint32_t floor; /* events before that are not wanted */
  uint32_t bound; /* the same, of this zone */
};

struct zone_walk zones_walk(const struct zones *z, const struct operation *op, bool large, uint32_t first,
                            uint16_t places, uint32_t floor);
/* The next event, + 1; 0: there is none. */
uint32_t zones_next(struct zone_walk *w);
/* Nothing before that event, which was the last one, is wanted of this zone if it changes all that the access touches
 * of it. */
void zones_cover(struct zone_walk *w, const struct operation *f);

#endif
