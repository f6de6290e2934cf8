/* SPDX-License-Identifier: Apache-2.0
 *
 * Light-weight execution indexing: every call on the shadow stack has with it how often its call site was executed in
 * this activation of its caller, and so has the statement that makes something. The first few counts are kept with the
 * call, all others in one table for each thread, by activation and site; entries of activations that are over are taken
 * for others. When a thread's own
 * calls are at their end, those that led to the creation of the thread follow.
 *
 * An object in static data is its own name. One in a heap block is named by the block and its place in it. Others are
 * named by the call that initialised them, or used them first.
 */
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/system/signals.h"

#define COUNTS 4096 /* of one thread; a power of two */
#define PROBES 16
#define BLOCKS (1u << 18)

struct count {
  uint64_t activation, site;
  uint32_t depth, count;
};

static struct count *counts[MAX_THREADS];
static uint64_t activations; /* numbers for them; never reused */
static struct origin thread_origins[MAX_THREADS];
static struct origin *blocks; /* by number; 0 is none */
static uint32_t block_count;
static uint64_t executions = 1;
static struct {
  uint64_t execution; /* in which it was noted */
  struct origin origin;
} * objects; /* by number */

void origins_reset(void)
{
  block_count = 0;
  executions++;
  thread_origins[0] = (struct origin){.fixed = 1};
  for (unsigned t = 0; t < MAX_THREADS; t++)
    for (unsigned i = 0; counts[t] && i < COUNTS; i++)
      counts[t][i].activation = 0;
}

/* Still on the stack. */
static bool is_live(const struct thread *t, const struct count *c)
{
  return c->activation && (c->depth == 0 || (c->depth <= t->frames && c->depth <= FRAMES &&
                                             t->frame[c->depth - 1].activation == c->activation));
}

/* A thread's outermost activation, which no call is known of, has number 1. */
static uint64_t count_in_table(struct thread *t, uintptr_t pc)
{
  unsigned me = (unsigned)(t - rt.thread);
  uint32_t depth = t->frames < FRAMES ? t->frames : FRAMES;
  uint64_t activation = depth ? t->frame[depth - 1].activation : 1, site = stable_place(pc);
  if (!counts[me])
    counts[me] = private_memory(COUNTS * sizeof *counts[me]);
  struct count *table = counts[me], *victim = NULL;
  uint32_t at = (uint32_t)mix64(activation ^ mix64(site));
  for (unsigned i = 0; i < PROBES; i++) {
    struct count *c = &table[(at + i) % COUNTS];
    if (c->activation == activation && c->site == site && c->depth == depth)
      return ++c->count;
    if (!victim && !is_live(t, c))
      victim = c;
  }
  victim = victim ? victim : &table[at % COUNTS];
  *victim = (struct count){activation, site, depth, 1};
  return 1;
}

static uint64_t count_at(struct thread *t, uintptr_t pc)
{
  uint32_t depth = t->frames < FRAMES ? t->frames : FRAMES;
  if (!depth)
    return count_in_table(t, pc);
  struct frame *f = &t->frame[depth - 1];
  for (uint32_t i = 0; i < f->sites; i++)
    if (f->made[i].pc == pc)
      return ++f->made[i].count;
  if (f->sites == FRAME_SITES)
    return count_in_table(t, pc);
  f->made[f->sites].pc = pc;
  f->made[f->sites++].count = 1;
  return 1;
}

void origin_of_call(struct frame *frame, uintptr_t pc)
{
  frame->sites = 0;
  frame->count = count_at(self_thread(), pc);
  frame->activation = ++activations + 1;
}

static void here(struct origin *o, uintptr_t pc)
{
  struct thread *t = self_thread();
  const struct origin *own = &thread_origins[self_index()];
  uint32_t n = 1;
  *o = (struct origin){0};
  o->index[0].site = stable_place(pc);
  o->index[0].count = count_at(t, pc);
  for (uint32_t i = t->frames < FRAMES ? t->frames : FRAMES; i-- > 0 && n < ORIGIN_DEPTH;) {
    if (in_runtime(t->frame[i].pc))
      continue;
    o->index[n].site = stable_place(t->frame[i].pc);
    o->index[n++].count = t->frame[i].count;
  }
  for (uint32_t i = 0; i < own->index_length && n < ORIGIN_DEPTH; i++)
    o->index[n++] = own->index[i];
  o->index_length = n;
  o->chain[0] = o->index[0].site;
  for (n = 1; n <= own->chain_length && n < ORIGIN_DEPTH; n++)
    o->chain[n] = own->chain[n - 1];
  o->chain_length = n;
}

void origin_of_thread(unsigned thread, uintptr_t pc)
{
  here(&thread_origins[thread], pc);
}

uint32_t origin_of_block(uintptr_t pc)
{
  if (!blocks)
    blocks = private_memory(BLOCKS * sizeof *blocks);
  if (!hd_self || block_count + 1 >= BLOCKS)
    return 0;
  here(&blocks[++block_count], pc);
  return block_count;
}

static void note_object(const struct object *object, uintptr_t pc)
{
  struct block_info block;
  struct origin *o = &objects[object->id].origin;
  objects[object->id].execution = executions;
  if (in_static_data(object->addr)) {
    *o = (struct origin){.fixed = stable_place(object->addr) | 1};
  } else if (heap_contains(object->addr) && heap_find(object->addr, &block) && block.origin) {
    *o = blocks[block.origin];
    o->inside = object->addr - block.start;
  } else {
    here(o, pc);
  }
}

void origin_of_objects(const struct operation *op)
{
  const uint32_t ids[] = {op->object, op->second};
  if (op_is_memory(op->kind) || op_table[op->kind].object == OBJECT_FD)
    return;
  if (!objects)
    objects = private_memory(OBJECTS_MOST * sizeof *objects);
  for (unsigned i = 0; i < 2; i++)
    if (ids[i] && (objects[ids[i]].execution != executions || (i == 0 && op_makes_object(op))))
      note_object(object_by_id(ids[i]), op->pc);
}

const struct origin *thread_origin(unsigned thread)
{
  return &thread_origins[thread];
}

/* Nothing is known of a predicate, nor of what only another process used. */
const struct origin *object_origin(uint32_t id)
{
  static const struct origin unknown;
  return objects ? &objects[id].origin : &unknown;
}
