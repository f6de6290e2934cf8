/* SPDX-License-Identifier: Apache-2.0
 *
 * Granules of memory by hashing with linear probing; see cells.h.
 */
#include "predict/order/cells.h"
#include "core/rng.h"
#include "predict/trace/room.h"
#include <stdlib.h>

static void drop_handover(struct handover *h)
{
  if (!h)
    return;
  past_drop(h->happens_before.past);
  past_drop(h->must.past);
  free(h);
}

static void drop_writer(struct writer *w)
{
  past_drop(w->data.past);
  drop_handover(w->handover);
}

static void cell_free(struct cells *cells, struct cell *cell)
{
  for (uint32_t i = 0; i < cell->writers; i++)
    drop_writer(&cell->writer[i]);
  free(cell->writer);
  if (cell->notes)
    cells->drop_notes(cell->notes);
  free(cell);
}

static size_t place_of(const struct cells *cells, uint64_t granule)
{
  size_t i = mix64(granule) & (cells->slots - 1);
  while (cells->slot[i] && cells->slot[i]->granule != granule)
    i = (i + 1) & (cells->slots - 1);
  return i;
}

static bool rehash(struct cells *cells)
{
  struct cells larger = *cells;
  larger.slots = cells->slots ? 2 * cells->slots : 256;
  larger.slot = calloc(larger.slots, sizeof(struct cell *));
  if (!larger.slot)
    return false;
  for (size_t i = 0; i < cells->slots; i++)
    if (cells->slot[i])
      larger.slot[place_of(&larger, cells->slot[i]->granule)] = cells->slot[i];
  free(cells->slot);
  *cells = larger;
  return true;
}

struct cell *cells_at(struct cells *cells, uint64_t granule, bool make)
{
  if (make && cells->count >= CELLS_MOST)
    make = false;
  if (make && 2 * (cells->count + 1) > cells->slots && !rehash(cells))
    return NULL;
  if (!cells->slots)
    return NULL;
  size_t i = place_of(cells, granule);
  if (cells->slot[i] || !make)
    return cells->slot[i];
  struct cell *cell = calloc(1, sizeof *cell);
  if (!cell)
    return NULL;
  cell->granule = granule;
  cells->slot[i] = cell;
  cells->count++;
  return cell;
}

void cells_each(struct cells *cells, uint64_t first, uint64_t count, void (*visit)(void *context, struct cell *cell),
                void *context)
{
  struct cell *cell;
  for (uint64_t g = first; count <= cells->slots && g < first + count; g++)
    if ((cell = cells_at(cells, g, false)))
      visit(context, cell);
  for (size_t i = 0; count > cells->slots && i < cells->slots; i++)
    if (cells->slot[i] && cells->slot[i]->granule - first < count)
      visit(context, cells->slot[i]);
}

static void remove_at(struct cells *cells, size_t hole)
{
  size_t mask = cells->slots - 1;
  cell_free(cells, cells->slot[hole]);
  cells->slot[hole] = NULL;
  cells->count--;
  for (size_t i = (hole + 1) & mask; cells->slot[i]; i = (i + 1) & mask) {
    size_t home = mix64(cells->slot[i]->granule) & mask;
    if (((i - home) & mask) < ((i - hole) & mask))
      continue; /* it would come to lie before its home */
    cells->slot[hole] = cells->slot[i];
    cells->slot[i] = NULL;
    hole = i;
  }
}

void cells_remove(struct cells *cells, uint64_t first, uint64_t count)
{
  if (count <= cells->slots) {
    for (uint64_t g = first; g < first + count; g++)
      if (cells_at(cells, g, false))
        remove_at(cells, place_of(cells, g));
    return;
  }
  for (size_t i = 0; i < cells->slots;)
    if (cells->slot[i] && cells->slot[i]->granule - first < count)
      remove_at(cells, i); /* another one may lie here now */
    else
      i++;
}

void cells_free(struct cells *cells)
{
  for (size_t i = 0; i < cells->slots; i++)
    if (cells->slot[i])
      cell_free(cells, cells->slot[i]);
  free(cells->slot);
  cells->slot = NULL;
  cells->slots = cells->count = 0;
}

struct writer *cell_written(struct cell *cell, uint32_t bytes)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < cell->writers; i++) {
    struct writer w = cell->writer[i];
    w.bytes &= ~bytes;
    if (w.bytes)
      cell->writer[kept++] = w;
    else
      drop_writer(&w);
  }
  cell->writers = kept;
  if (!make_room((void **)&cell->writer, &cell->writer_room, kept, sizeof *cell->writer))
    return NULL;
  cell->writer[kept] = (struct writer){.bytes = bytes};
  cell->writers++;
  return &cell->writer[kept];
}
