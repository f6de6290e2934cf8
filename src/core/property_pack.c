/* SPDX-License-Identifier: Apache-2.0
 *
 * Packing sets of properties; see property_pack.h: sizes that tell versions apart, the counts, and of each array what
 * is used.
 */
#include "core/property_pack.h"
#include "core/without_libc.h"

#define COUNTS 7

/*  X(array, count) */
#define ARRAYS(X)                                                                                                      \
  X(property, properties)                                                                                              \
  X(rule, rules)                                                                                                       \
  X(code, codes)                                                                                                       \
  X(edge, edges)                                                                                                       \
  X(category, states)                                                                                                  \
  X(state_name, states)                                                                                                \
  X(symbol, symbols)                                                                                                   \
  X(name, name_bytes)

static void counts_of(const struct property_set *set, uint32_t out[COUNTS])
{
  const uint32_t counts[COUNTS] = {set->properties, set->rules,   set->codes,     set->edges,
                                   set->states,     set->symbols, set->name_bytes};
  copy_bytes(out, counts, sizeof counts);
}

static const uint32_t versions[] = {sizeof(struct property_set), sizeof(struct property), sizeof(struct property_rule)};

size_t property_pack(const struct property_set *set, unsigned char *out, size_t size)
{
  uint32_t counts[COUNTS];
  size_t bytes = sizeof versions + sizeof counts;
#define X(array, count) bytes += set->count * sizeof *set->array;
  ARRAYS(X)
#undef X
  if (bytes > size)
    return bytes;
  counts_of(set, counts);
  copy_bytes(out, versions, sizeof versions);
  out += sizeof versions;
  copy_bytes(out, counts, sizeof counts);
  out += sizeof counts;
#define X(array, count)                                                                                                \
  copy_bytes(out, set->array, set->count * sizeof *set->array);                                                        \
  out += set->count * sizeof *set->array;
  ARRAYS(X)
#undef X
  return bytes;
}

static bool has_room(const struct property_set *set)
{
  bool room = true;
#define X(array, count) room &= set->count <= sizeof set->array / sizeof *set->array;
  ARRAYS(X)
#undef X
  return room;
}

bool property_unpack(const unsigned char *bytes, size_t size, struct property_set *set)
{
  uint32_t version[sizeof versions / sizeof *versions], counts[COUNTS];
  const unsigned char *at = bytes;
  if (size < sizeof version + sizeof counts)
    return false;
  copy_bytes(version, at, sizeof version);
  at += sizeof version;
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    if (version[i] != versions[i])
      return false;
  copy_bytes(counts, at, sizeof counts);
  at += sizeof counts;
  set->properties = counts[0];
  set->rules = counts[1];
  set->codes = counts[2];
  set->edges = counts[3];
  set->states = counts[4];
  set->symbols = counts[5];
  set->name_bytes = counts[6];
  if (!has_room(set) || property_pack(set, NULL, 0) != size)
    return false;
#define X(array, count)                                                                                                \
  copy_bytes(set->array, at, set->count * sizeof *set->array);                                                         \
  at += set->count * sizeof *set->array;
  ARRAYS(X)
#undef X
  return true;
}
