/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers by number: an open hash table that only grows. The key 0 is allowed. Nothing is ever taken
 * out. */
#ifndef HEDDLE_PREDICT_NUMBER_MAP_H
#define HEDDLE_PREDICT_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_slot {
  uint64_t key, value;
  bool used;
};

struct number_map { /* all zero is an empty one */
  struct number_slot *slot;
  size_t count, room;
};

/* The value of the key, a new one being 0; NULL when there is no memory. Valid until the next call. */
uint64_t *number_map_at(struct number_map *map, uint64_t key);
/* The same, NULL if the key is not there. */
uint64_t *number_map_find(const struct number_map *map, uint64_t key);
void number_map_free(struct number_map *map);

#endif
