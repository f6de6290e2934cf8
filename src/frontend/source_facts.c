/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of facts about sources; see the header. What they are read from is in source_walk.c.
 */
#include "frontend/source_facts.h"
#include "core/hash.h"
#include <stdlib.h>
#include <string.h>

bool source_facts_open(struct source_facts *f, const char *folder)
{
  *f = (struct source_facts){.folder = strdup(folder)};
  return f->folder;
}

void source_facts_close(struct source_facts *f)
{
  for (size_t i = 0; i < f->texts; i++)
    free(f->text[i]);
  free(f->text);
  free(f->slot);
  free(f->function);
  free(f->item);
  free(f->region);
  free(f->folder);
  *f = (struct source_facts){0};
}

/* Room for one more; false: no memory. */
static bool grow(struct source_facts *f, void **list, size_t count, size_t *room, size_t size)
{
  if (count < *room)
    return true;
  size_t more = *room ? 2 * *room : 64;
  void *grown = realloc(*list, more * size);
  f->failed |= !grown;
  if (!grown)
    return false;
  *list = grown;
  *room = more;
  return true;
}

/* The slot that has the text, or is free for it. */
static uint32_t *slot_of(const struct source_facts *f, const char *text)
{
  size_t at = hash_string(HASH_START, text) & (f->slots - 1);
  while (f->slot[at] && strcmp(f->text[f->slot[at] - 1], text) != 0)
    at = (at + 1) & (f->slots - 1);
  return &f->slot[at];
}

uint32_t source_facts_find(const struct source_facts *f, const char *text)
{
  return f->slots ? *slot_of(f, text) - 1 : UINT32_MAX; /* of a free one: UINT32_MAX */
}

/* At least half of the slots are free. */
static bool grow_slots(struct source_facts *f)
{
  if (2 * f->texts < f->slots)
    return true;
  size_t slots = f->slots ? 2 * f->slots : 256;
  uint32_t *slot = calloc(slots, sizeof *slot);
  f->failed |= !slot;
  if (!slot)
    return false;
  free(f->slot);
  f->slot = slot;
  f->slots = slots;
  for (size_t i = 0; i < f->texts; i++)
    *slot_of(f, f->text[i]) = (uint32_t)i + 1;
  return true;
}

uint32_t source_facts_text(struct source_facts *f, const char *text)
{
  uint32_t known = source_facts_find(f, text);
  if (known != UINT32_MAX || !grow_slots(f) || !grow(f, (void **)&f->text, f->texts, &f->text_room, sizeof *f->text))
    return known;
  char *copy = strdup(text);
  f->failed |= !copy;
  if (!copy)
    return UINT32_MAX;
  f->text[f->texts] = copy;
  *slot_of(f, text) = (uint32_t)f->texts + 1;
  return (uint32_t)f->texts++;
}

void source_facts_put_item(struct source_facts *f, struct source_item item)
{
  if (grow(f, (void **)&f->item, f->items, &f->item_room, sizeof *f->item))
    f->item[f->items++] = item;
}

void source_facts_put_function(struct source_facts *f, struct source_function function)
{
  if (grow(f, (void **)&f->function, f->functions, &f->function_room, sizeof *f->function))
    f->function[f->functions++] = function;
}

void source_facts_put_region(struct source_facts *f, struct source_region region)
{
  if (grow(f, (void **)&f->region, f->regions, &f->region_room, sizeof *f->region))
    f->region[f->regions++] = region;
}

/* ---- order ---- */

#define COMPARE(a, b)                                                                                                  \
  if ((a) != (b))                                                                                                      \
  return (a) < (b) ? -1 : 1

static int by_line(const void *left, const void *right)
{
  const struct source_item *a = left, *b = right;
  COMPARE(a->file, b->file);
  COMPARE(a->line, b->line);
  COMPARE(a->kind, b->kind);
  COMPARE(a->what, b->what);
  COMPARE(a->id, b->id);
  return 0;
}

static int by_extent(const void *left, const void *right)
{
  const struct source_function *a = left, *b = right;
  COMPARE(a->file, b->file);
  COMPARE(a->first, b->first);
  COMPARE(b->last, a->last); /* the outer one first */
  COMPARE(a->id, b->id);
  return 0;
}

static int by_bounds(const void *left, const void *right)
{
  const struct source_region *a = left, *b = right;
  COMPARE(a->file, b->file);
  COMPARE(a->first, b->first);
  COMPARE(a->last, b->last);
  return 0;
}

/* Sorted, and each once. How many are left. */
static size_t tidy(void *list, size_t count, size_t size, int (*compare)(const void *, const void *))
{
  char *at = list;
  size_t kept = 0;
  if (count)
    qsort(list, count, size, compare);
  for (size_t i = 0; i < count; i++)
    if (!kept || compare(at + (kept - 1) * size, at + i * size) != 0)
      memmove(at + kept++ * size, at + i * size, size);
  return kept;
}

bool source_facts_finish(struct source_facts *f)
{
  f->items = tidy(f->item, f->items, sizeof *f->item, by_line);
  f->functions = tidy(f->function, f->functions, sizeof *f->function, by_extent);
  f->regions = tidy(f->region, f->regions, sizeof *f->region, by_bounds);
  return !f->failed;
}

/* ---- questions ---- */

static size_t first_at(const struct source_facts *f, uint32_t file, uint32_t line)
{
  size_t low = 0, high = f->items;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct source_item *i = &f->item[middle];
    if (i->file < file || (i->file == file && i->line < line))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct source_item *source_facts_lines(const struct source_facts *f, uint32_t file, uint32_t first, uint32_t last,
                                             size_t *count)
{
  size_t from = first_at(f, file, first);
  *count = first_at(f, file, last + 1) - from;
  return f->item + from;
}

const struct source_function *source_facts_function(const struct source_facts *f, uint32_t file, uint32_t line)
{
  size_t low = 0, high = f->functions; /* the first that begins behind it */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct source_function *at = &f->function[middle];
    if (at->file < file || (at->file == file && at->first <= line))
      low = middle + 1;
    else
      high = middle;
  }
  const struct source_function *found = low ? &f->function[low - 1] : NULL;
  return found && found->file == file && line <= found->last ? found : NULL;
}
