/* SPDX-License-Identifier: Apache-2.0
 *
 * Granules of memory by hashing with linear probing; see granule_map.h.
 */
#include "predict/order/granule_map.h"
#include "core/rng.h"
#include "predict/trace/grow_array.h"
#include <stdlib.h>

static void drop_handover(struct handover *h)
{
  if (!h)
    return;
  shared_clock_drop(h->happens_before.clock);
  shared_clock_drop(h->must.clock);
  free(h);
}

static void drop_writer(struct granule_writer *w)
{
  shared_clock_drop(w->data.clock);
  drop_handover(w->handover);
}

static void granule_free(struct granule_map *map, struct granule *granule)
{
  for (uint32_t i = 0; i < granule->writers; i++)
    drop_writer(&granule->writer[i]);
  free(granule->writer);
  if (granule->notes)
    map->drop_notes(granule->notes);
  free(granule);
}

static size_t place_of(const struct granule_map *map, uint64_t number)
{
  size_t i = mix64(number) & (map->slots - 1);
  while (map->slot[i] && map->slot[i]->number != number)
    i = (i + 1) & (map->slots - 1);
  return i;
}

static bool rehash(struct granule_map *map)
{
  struct granule_map larger = *map;
  larger.slots = map->slots ? 2 * map->slots : 256;
  larger.slot = calloc(larger.slots, sizeof(struct granule *));
  if (!larger.slot)
    return false;
  for (size_t i = 0; i < map->slots; i++)
    if (map->slot[i])
      larger.slot[place_of(&larger, map->slot[i]->number)] = map->slot[i];
  free(map->slot);
  *map = larger;
  return true;
}

struct granule *granule_map_at(struct granule_map *map, uint64_t number, bool make)
{
  if (make && map->count >= GRANULES_MOST)
    make = false;
  if (make && 2 * (map->count + 1) > map->slots && !rehash(map))
    return NULL;
  if (!map->slots)
    return NULL;
  size_t i = place_of(map, number);
  if (map->slot[i] || !make)
    return map->slot[i];
  struct granule *granule = calloc(1, sizeof *granule);
  if (!granule)
    return NULL;
  granule->number = number;
  map->slot[i] = granule;
  map->count++;
  return granule;
}

void granule_map_each(struct granule_map *map, uint64_t first, uint64_t count,
                      void (*visit)(void *context, struct granule *granule), void *context)
{
  struct granule *granule;
  for (uint64_t g = first; count <= map->slots && g < first + count; g++)
    if ((granule = granule_map_at(map, g, false)))
      visit(context, granule);
  for (size_t i = 0; count > map->slots && i < map->slots; i++)
    if (map->slot[i] && map->slot[i]->number - first < count)
      visit(context, map->slot[i]);
}

static void remove_at(struct granule_map *map, size_t hole)
{
  size_t mask = map->slots - 1;
  granule_free(map, map->slot[hole]);
  map->slot[hole] = NULL;
  map->count--;
  for (size_t i = (hole + 1) & mask; map->slot[i]; i = (i + 1) & mask) {
    size_t home = mix64(map->slot[i]->number) & mask;
    if (((i - home) & mask) < ((i - hole) & mask))
      continue; /* it would come to lie before its home */
    map->slot[hole] = map->slot[i];
    map->slot[i] = NULL;
    hole = i;
  }
}

void granule_map_remove(struct granule_map *map, uint64_t first, uint64_t count)
{
  if (count <= map->slots) {
    for (uint64_t g = first; g < first + count; g++)
      if (granule_map_at(map, g, false))
        remove_at(map, place_of(map, g));
    return;
  }
  for (size_t i = 0; i < map->slots;)
    if (map->slot[i] && map->slot[i]->number - first < count)
      remove_at(map, i); /* another one may lie here now */
    else
      i++;
}

void granule_map_free(struct granule_map *map)
{
  for (size_t i = 0; i < map->slots; i++)
    if (map->slot[i])
      granule_free(map, map->slot[i]);
  free(map->slot);
  map->slot = NULL;
  map->slots = map->count = 0;
}

struct granule_writer *granule_written(struct granule *granule, uint32_t bytes)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < granule->writers; i++) {
    struct granule_writer w = granule->writer[i];
    w.bytes &= ~bytes;
    if (w.bytes)
      granule->writer[kept++] = w;
    else
      drop_writer(&w);
  }
  granule->writers = kept;
  if (!grow_array((void **)&granule->writer, &granule->writer_room, kept, sizeof *granule->writer))
    return NULL;
  granule->writer[kept] = (struct granule_writer){.bytes = bytes};
  granule->writers++;
  return &granule->writer[kept];
}
