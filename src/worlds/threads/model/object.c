/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects of one execution, found by address. Kept apart from the program's memory: what the program does to the
 * bytes of a mutex cannot confuse the model, and a reset is one counter.
 */
#include "core/key.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"

#define TABLE_BITS 20              /* twice as many slots as objects */
#define DESTROYED_MARK 0xdeadc10cu /* in the first bytes of what the program destroyed */

struct slot {
  uint32_t generation, id;
};

static struct {
  uint32_t used, generation;
  struct slot *table;
  struct object *objects; /* [0] is never used */
} state SYSTEM;

void objects_boot(void)
{
  state.used = state.generation = 1;
  state.table = system_memory(sizeof *state.table << TABLE_BITS);
  state.objects = system_memory(sizeof *state.objects * OBJECTS_MOST);
}

void objects_reset(void)
{
  state.used = 1;
  state.generation++;
}

struct object *object_by_id(uint32_t id)
{
  return &state.objects[id];
}

struct object *object_known(uint32_t id)
{
  return id < state.used ? &state.objects[id] : NULL;
}

/* One address can be several objects: a word that is an atomic variable and a futex. */
static inline struct slot *slot_in(uint8_t space, uintptr_t addr, enum object_kind kind)
{
  uint32_t at = (uint32_t)((addr + kind + space * 64u) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS));
  while (state.table[at].generation == state.generation &&
         (state.objects[state.table[at].id].addr != addr || state.objects[state.table[at].id].kind != kind ||
          state.objects[state.table[at].id].space != space))
    at = (at + 1) & ((1u << TABLE_BITS) - 1);
  return &state.table[at];
}

static struct object *find_in(uint8_t space, uintptr_t addr, enum object_kind kind)
{
  struct slot *slot = slot_in(space, addr, kind);
  return slot->generation == state.generation && !state.objects[slot->id].forgotten ? &state.objects[slot->id] : NULL;
}

struct object *object_find(const void *addr, enum object_kind kind)
{
  uintptr_t home = home_of((uintptr_t)addr);
  return find_in(space_of(home), home, kind);
}

static void object_clear(struct object *o, uint32_t id, uint8_t space, uintptr_t addr, enum object_kind kind)
{
  o->addr = addr;
  o->id = id;
  o->kind = (uint8_t)kind;
  o->space = space;
  o->type = 0;
  o->robust = o->dead_owner = o->unrecoverable = o->destroyed = o->forgotten = o->copied = false;
  o->owner = -1;
  o->count = o->limit = o->phase = o->waiters_mutex = 0;
  o->owner_pc = 0;
  o->clock_id = CLOCK_REALTIME;
  o->waiters = o->signalled = o->readers = (struct threadset){{0}};
  vclock_clear(&o->clock);
  vclock_clear(&o->readers_clock);
}

static struct object *add_at(struct slot *slot)
{
  if (state.used == OBJECTS_MOST)
    fail(0, "the program uses more than %u locks and atomic variables in one execution", OBJECTS_MOST);
  *slot = (struct slot){state.generation, state.used};
  return &state.objects[state.used++];
}

struct object *object_at(const void *addr, enum object_kind kind, void (*setup)(struct object *))
{
  uintptr_t home = home_of((uintptr_t)addr);
  uint8_t space = space_of(home);
  struct slot *slot = slot_in(space, home, kind);
  struct object *o;
  if (likely(slot->generation == state.generation)) {
    o = &state.objects[slot->id];
    if (unlikely(o->destroyed) && *(const uint32_t *)addr != DESTROYED_MARK)
      o->forgotten = true; /* a static initialiser has made it anew */
    if (likely(!o->forgotten))
      return o;
  } else {
    o = add_at(slot);
  }
  object_clear(o, (uint32_t)(o - state.objects), space, home, kind);
  if (setup) {
    o->addr = (uintptr_t)addr; /* home may not be mapped here */
    setup(o);
    o->addr = home;
  }
  return o;
}

void object_destroyed(struct object *o)
{
  o->destroyed = true;
  *(uint32_t *)mapping_here(o->addr) = DESTROYED_MARK;
}

void object_forget(struct object *o)
{
  o->forgotten = true; /* the next use at this address makes it anew */
}

bool object_awaited(const struct object *o)
{
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    const struct thread_state *s = &rt.engine->thread[t];
    if (t != self_index() && s->alive && s->may_block && (s->pending.object == o->id || s->pending.second == o->id))
      return true;
  }
  return false;
}

static bool is_copied(const struct object *o, unsigned process)
{
  bool has_state = o->kind != OBJECT_MEMORY && o->kind != OBJECT_THREAD && o->kind != OBJECT_FUTEX;
  return o->space == process && has_state && !o->forgotten;
}

void objects_fork(unsigned process, unsigned copy, unsigned thread, unsigned its_copy)
{
  for (uint32_t id = 1, last = state.used; id < last; id++) {
    const struct object *o = &state.objects[id];
    if (!is_copied(o, process))
      continue;
    struct object *n = add_at(slot_in((uint8_t)copy, o->addr, o->kind));
    uint32_t number = (uint32_t)(n - state.objects);
    *n = *o;
    n->id = number;
    n->space = (uint8_t)copy;
    n->copied = true;
    n->waiters = n->signalled = (struct threadset){{0}};
    if (n->owner == (int)thread)
      n->owner = (int)its_copy;
    if (threadset_has(&n->readers, thread)) {
      threadset_remove(&n->readers, thread);
      threadset_add(&n->readers, its_copy);
      n->read_depth[its_copy] = n->read_depth[thread];
    }
  }
}

/* ---- what models have in common ---- */

const struct object *object_of(const struct operation *op, uint64_t key)
{
  uintptr_t addr = key_address(key);
  enum object_kind kind = key_kind(key);
  bool on_it = op->object && op->addr == addr && op_table[op->kind].object == kind;
  return on_it ? object_by_id(op->object) : find_in(key_space(key), addr, kind);
}

uint64_t lock_is_free(void *self, const struct operation *op, uint64_t key)
{
  (void)self;
  const struct object *lock = object_of(op, key);
  return lock && lock->owner < 0;
}

int lock_owner(void *self, const struct operation *op, uintptr_t *pc)
{
  (void)self;
  const struct object *lock = object_by_id(op->object);
  *pc = lock->owner_pc;
  return lock->owner;
}

static uint64_t set_number(const struct threadset *set)
{
  uint64_t h = 0;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    h = mix64(h ^ set->word[i]);
  return h;
}

uint64_t waiters_number(void *self, const struct operation *op, uint64_t key)
{
  (void)self;
  const struct object *o = object_of(op, key);
  if (!o)
    return 0;
  struct threadset asleep;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    asleep.word[i] = o->waiters.word[i] & ~o->signalled.word[i];
  return (set_number(&o->waiters) + set_number(&o->signalled)) * (WORLD_WAITERS + 1) + threadset_count(&asleep);
}

bool is_signalled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  return threadset_has(&object_by_id(op->object)->signalled, thread);
}

void object_view(const struct object *o, struct object_view *out)
{
  uint64_t h = mix64((uint64_t)(uint32_t)o->owner << 32 | o->count) + mix64(o->phase) + o->destroyed;
  h += set_number(&o->waiters) + mix64(set_number(&o->signalled)) + mix64(set_number(&o->readers) + 1);
  *out = (struct object_view){.addr = o->addr,
                              .space = o->space,
                              .kind = o->kind,
                              .type = o->type,
                              .recursive = o->kind == OBJECT_MUTEX && o->type == PTHREAD_MUTEX_RECURSIVE,
                              .owner = o->owner,
                              .count = o->count,
                              .state = h};
}
