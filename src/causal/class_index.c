/* SPDX-License-Identifier: Apache-2.0
 *
 * Which classes have a thread that begins with certain steps: an index of the executions that were run, so that it
 * takes little time to see that a course is subsumed by one of many (classes.c).
 *
 * A key stands for such a beginning. Its classes are bits, 64 of them in a chunk, the chunks of a key in a chain, the
 * newest first; who is to have several keys is in the intersection of their chains. A course has a beginning for each
 * thread, and each alone is that of many executions, but all together of few. Chains that are much longer than the
 * shortest are left out: it takes less time to look at the few that are in the others.
 */
#include "causal/causal.h"

#define MUCH_LONGER 8

static uint32_t slot_of(const struct causal_index *index, uint64_t key)
{
  uint32_t mask = (1u << CAUSAL_KEY_BITS) - 1, at = (uint32_t)(key >> 20) & mask;
  while (index->slot[at].key && index->slot[at].key != key)
    at = (at + 1) & mask;
  return at;
}

void causal_index_clear(struct causal_index *index)
{
  for (uint32_t i = 0; i < index->used_count; i++)
    index->slot[index->used[i]] = (typeof(index->slot[0])){0};
  index->used_count = index->chunk_count = 0;
}

bool causal_index_add(struct causal_index *index, uint64_t key, uint32_t class)
{
  uint32_t at = slot_of(index, key), block = class / 64, newest = index->slot[at].newest;
  if (index->chunk_count + 1 >= CAUSAL_CHUNKS || index->used_count >= (1u << CAUSAL_KEY_BITS) / 2)
    return false;
  if (!index->slot[at].key)
    index->used[index->used_count++] = at;
  index->slot[at].key = key;
  if (!newest || index->chunk[newest - 1].block != block) {
    index->chunk[index->chunk_count] = (struct causal_chunk){.block = block, .older = newest};
    index->slot[at].newest = newest = ++index->chunk_count;
    index->slot[at].chunks++;
  }
  index->chunk[newest - 1].classes |= UINT64_C(1) << class % 64;
  return true;
}

void causal_common_add(struct causal_common *common, const struct causal_index *index, uint64_t key)
{
  uint32_t at = slot_of(index, key);
  unsigned place = common->keys++;
  if (place && index->slot[at].chunks < common->length[0]) {
    common->chain[place] = common->chain[0];
    common->length[place] = common->length[0];
    place = 0;
  }
  common->chain[place] = index->slot[at].newest;
  common->length[place] = index->slot[at].chunks;
}

/* The classes of the chain in that block; from here on only older ones are asked for. */
static uint64_t classes_in(const struct causal_index *index, uint32_t *chain, uint32_t block)
{
  while (*chain && index->chunk[*chain - 1].block > block)
    *chain = index->chunk[*chain - 1].older;
  return *chain && index->chunk[*chain - 1].block == block ? index->chunk[*chain - 1].classes : 0;
}

uint32_t causal_common_next(struct causal_common *common, const struct causal_index *index)
{
  while (!common->classes && common->chain[0]) {
    const struct causal_chunk *chunk = &index->chunk[common->chain[0] - 1];
    common->block = chunk->block;
    common->classes = chunk->classes;
    common->chain[0] = chunk->older;
    for (unsigned i = 1; i < common->keys && common->classes; i++)
      if (common->length[i] / MUCH_LONGER <= common->length[0])
        common->classes &= classes_in(index, &common->chain[i], common->block);
  }
  if (!common->classes)
    return UINT32_MAX;
  unsigned newest = 63 - (unsigned)__builtin_clzll(common->classes);
  common->classes &= ~(UINT64_C(1) << newest);
  return 64 * common->block + newest;
}
