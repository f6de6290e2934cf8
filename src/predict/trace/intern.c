/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of sequences; see intern.h. Open addressing with linear probing, at most half full.
 */
#include "predict/trace/intern.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

static uint32_t hash_of(const uint32_t *words, uint32_t length)
{
  uint64_t h = length;
  for (uint32_t i = 0; i < length; i++)
    h = mix64(h ^ words[i]);
  return (uint32_t)mix64(h);
}

static bool same(const struct intern *t, uint32_t number, const uint32_t *words, uint32_t length)
{
  const struct intern_entry *e = &t->entry[number];
  return e->length == length && (length == 0 || memcmp(t->words + e->start, words, length * sizeof *words) == 0);
}

static uint32_t free_slot(const uint32_t *slot, uint32_t slot_count, uint32_t hash)
{
  uint32_t i = hash & (slot_count - 1);
  while (slot[i])
    i = (i + 1) & (slot_count - 1);
  return i;
}

static bool grow_slots(struct intern *t)
{
  if (2 * (t->count + 1) <= t->slot_count)
    return true;
  uint32_t slot_count = t->slot_count ? 2 * t->slot_count : FIRST_SLOTS;
  uint32_t *slot = calloc(slot_count, sizeof *slot);
  if (!slot)
    return false;
  for (uint32_t n = 1; n <= t->count; n++)
    slot[free_slot(slot, slot_count, t->entry[n].hash)] = n;
  free(t->slot);
  t->slot = slot;
  t->slot_count = slot_count;
  return true;
}

static bool grow_entries(struct intern *t)
{
  if (t->count + 1 < t->entry_room)
    return true;
  uint32_t room = t->entry_room ? 2 * t->entry_room : FIRST_SLOTS / 2;
  struct intern_entry *grown = realloc(t->entry, room * sizeof *grown);
  if (!grown)
    return false;
  t->entry = grown;
  t->entry_room = room;
  return true;
}

static bool grow_words(struct intern *t, uint32_t length)
{
  if (t->word_count + length <= t->word_room)
    return true;
  size_t room = 2 * t->word_room + length + FIRST_SLOTS;
  uint32_t *grown = realloc(t->words, room * sizeof *grown);
  if (!grown)
    return false;
  t->words = grown;
  t->word_room = room;
  return true;
}

static uint32_t add(struct intern *t, const uint32_t *words, uint32_t length, uint32_t hash)
{
  if (!grow_slots(t) || !grow_entries(t) || !grow_words(t, length)) {
    t->failed = true;
    return 0;
  }
  uint32_t number = ++t->count;
  t->entry[number] = (struct intern_entry){t->word_count, length, hash};
  if (length)
    memcpy(t->words + t->word_count, words, length * sizeof *words);
  t->word_count += length;
  t->slot[free_slot(t->slot, t->slot_count, hash)] = number;
  return number;
}

uint32_t intern_number(struct intern *t, const uint32_t *words, uint32_t length)
{
  uint32_t hash = hash_of(words, length);
  if (t->failed)
    return 0;
  for (uint32_t i = hash; t->slot_count; i++) {
    uint32_t number = t->slot[i & (t->slot_count - 1)];
    if (!number)
      break;
    if (t->entry[number].hash == hash && same(t, number, words, length))
      return number;
  }
  return add(t, words, length, hash);
}

const uint32_t *intern_words(const struct intern *t, uint32_t number, uint32_t *length)
{
  *length = t->entry[number].length;
  return t->words + t->entry[number].start;
}

size_t intern_bytes(const struct intern *t)
{
  return t->entry_room * sizeof *t->entry + t->slot_count * sizeof *t->slot + t->word_room * sizeof *t->words;
}

void intern_free(struct intern *t)
{
  free(t->entry);
  free(t->words);
  free(t->slot);
  *t = (struct intern){0};
}
