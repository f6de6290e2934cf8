/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers by number; see number_map.h.
 */
#include "predict/trace/number_map.h"
#include "core/rng.h"
#include <stdlib.h>

static struct number_slot *slot_of(struct number_slot *slot, size_t room, uint64_t key)
{
  size_t at = mix64(key) & (room - 1);
  while (slot[at].used && slot[at].key != key)
    at = (at + 1) & (room - 1);
  return &slot[at];
}

static bool grow(struct number_map *map)
{
  size_t room = map->room ? 2 * map->room : 64;
  struct number_slot *slot = calloc(room, sizeof *slot);
  if (!slot)
    return false;
  for (size_t i = 0; i < map->room; i++)
    if (map->slot[i].used)
      *slot_of(slot, room, map->slot[i].key) = map->slot[i];
  free(map->slot);
  map->slot = slot;
  map->room = room;
  return true;
}

uint64_t *number_map_at(struct number_map *map, uint64_t key)
{
  if (4 * map->count >= 3 * map->room && !grow(map))
    return NULL;
  struct number_slot *slot = slot_of(map->slot, map->room, key);
  if (!slot->used) {
    *slot = (struct number_slot){.key = key, .used = true};
    map->count++;
  }
  return &slot->value;
}

uint64_t *number_map_find(const struct number_map *map, uint64_t key)
{
  struct number_slot *slot = map->room ? slot_of(map->slot, map->room, key) : NULL;
  return slot && slot->used ? &slot->value : NULL;
}

void number_map_free(struct number_map *map)
{
  free(map->slot);
  *map = (struct number_map){0};
}
