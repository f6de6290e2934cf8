/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool of channels. Numbers are the lowest that are free: whoever makes or ends one touches the descriptors of the
 * process, so that the order in which they are made, and with it every number, is the same in equivalent executions.
 * The other direction of a connection has its number from the start, since connecting makes no descriptor.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/memory/system_memory.h"

#define PAIRS 4096

static struct {
  struct channel channel[2 * PAIRS]; /* [0] and [1] are never used */
  uint16_t end;                      /* pairs from there on were never used in this execution */
} pool SYSTEM;

void channels_reset(void)
{
  for (unsigned i = 2; i < 2u * pool.end; i++)
    pool.channel[i].kind = CHANNEL_NONE;
  pool.end = 1;
}

uint16_t channels_end(void)
{
  return (uint16_t)(2 * pool.end);
}

struct channel *channel_at(uint16_t id)
{
  return &pool.channel[id];
}

static void clear(struct channel *c, enum channel_kind kind, uintptr_t pc)
{
  fill_bytes(c, 0, sizeof *c);
  c->kind = kind;
  c->references = 1;
  c->made_at = in_image(pc);
}

uint16_t channel_new(enum channel_kind kind, uintptr_t pc)
{
  unsigned pair = 1;
  while (pair < pool.end && (pool.channel[2 * pair].kind || pool.channel[2 * pair + 1].kind))
    pair++;
  if (pair == PAIRS)
    fail(pc, "the program has more than %u pipes, sockets and the like at once; heddle has no room for more",
         PAIRS - 1);
  if (pair == pool.end)
    pool.end++;
  clear(&pool.channel[2 * pair], kind, pc);
  return (uint16_t)(2 * pair);
}

uint16_t channel_twin(uint16_t id, enum channel_kind kind, uintptr_t pc)
{
  clear(&pool.channel[id ^ 1], kind, pc);
  return id ^ 1;
}

void channel_release(uint16_t id)
{
  struct channel *c = channel_at(id);
  if (--c->references)
    return;
  bytes_drop(&c->bytes);
  c->kind = CHANNEL_NONE;
}

void channel_filled(uint16_t id, uint64_t amount, uint64_t room)
{
  struct channel *c = channel_at(id);
  release_to(&c->clock);
  c->ever = c->ever + amount < amount ? UINT64_MAX : c->ever + amount;
  if (c->ever > room)
    acquire_from(&c->drained);
}

void channel_drained(uint16_t id)
{
  acquire_from(&channel_at(id)->clock);
  release_to(&channel_at(id)->drained);
}

void channel_changed(uint16_t id)
{
  channel_at(id)->version++;
  engine_touch(rt.engine);
}
