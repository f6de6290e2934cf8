/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations: the compiler turns them into these calls and we perform them. Each is a step if two threads use
 * the location; memory orders decide what happens before what, for the race observer. Values are always those of
 * sequential consistency: the interleaving is what is explored, not the weak memory.
 */
#include "worlds/threads/memory/atomics.h"
#include "core/rng.h"
#include "worlds/threads/memory/spinning.h"
#include "worlds/threads/runtime.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef unsigned __int128 u128;

static bool acquires(int order)
{
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

void note_weak_stores(unsigned kind)
{
  if (rt.control->weak_stores & kind)
    return;
  rt.control->weak_stores |= kind;
  if (hd_self)
    watchers_choose(&rt.engine->watchers, rt.engine);
}

void atomic_loaded(const volatile void *addr, int order)
{
  const struct object *o = object_find((const void *)addr, OBJECT_MEMORY);
  if (!o || !o->clock.count)
    return;
  if (acquires(order))
    acquire_from(&o->clock);
  else
    vclock_join(&self_thread()->acquirable, &o->clock);
}

void atomic_stored(const volatile void *addr, int order, bool continues)
{
  struct thread *t = self_thread();
  bool has_clock = releases(order) || t->released.count;
  if (!has_clock && (continues || !object_find((const void *)addr, OBJECT_MEMORY)))
    return;
  struct object *o = object_at((const void *)addr, OBJECT_MEMORY, NULL);
  if (!continues)
    vclock_clear(&o->clock);
  if (releases(order))
    release_to(&o->clock);
  else if (t->released.count)
    vclock_join(&o->clock, &t->released);
}

static inline void before(const volatile void *addr, size_t size, enum op_kind kind, int order, uintptr_t pc)
{
  memory_access(addr, size, kind, (uint8_t)order, pc);
}

/* One to one, but for sixteen bytes. */
#define FOLDED(value) ((u64)((value) ^ (value) >> 4 * sizeof(value)))

/* The same with the value that is stored or added: it is part of the thread's own state, but in no register that it
 * keeps. */
static inline void before_with(u64 value, const volatile void *addr, size_t size, enum op_kind kind, int order,
                               uintptr_t pc)
{
  if (unlikely(rt.keeps_local))
    hd_operand = value;
  memory_access(addr, size, kind, (uint8_t)order, pc);
  hd_operand = 0;
}

#define LOAD_STORE(bits)                                                                                               \
  EXPORT u##bits __tsan_atomic##bits##_load(const volatile u##bits *addr, int order)                                   \
  {                                                                                                                    \
    if (!hd_self) {                                                                                                    \
      stress_point();                                                                                                  \
      return load_##bits(addr);                                                                                        \
    }                                                                                                                  \
    before(addr, sizeof *addr, OP_ATOMIC_LOAD, order, RETURN_ADDRESS());                                               \
    u##bits value = load_##bits(addr);                                                                                 \
    atomic_loaded(addr, order);                                                                                        \
    return value;                                                                                                      \
  }                                                                                                                    \
  EXPORT void __tsan_atomic##bits##_store(volatile u##bits *addr, u##bits value, int order)                            \
  {                                                                                                                    \
    if (hd_self) {                                                                                                     \
      if (order != __ATOMIC_SEQ_CST)                                                                                   \
        note_weak_stores(WEAK_ATOMIC);                                                                                 \
      before_with(FOLDED(value), addr, sizeof *addr, OP_ATOMIC_STORE, order, RETURN_ADDRESS());                        \
    } else {                                                                                                           \
      stress_point();                                                                                                  \
    }                                                                                                                  \
    exchange_##bits(addr, value);                                                                                      \
    if (hd_self)                                                                                                       \
      atomic_stored(addr, order, false);                                                                               \
  }

#define UPDATE(bits, name, expression)                                                                                 \
  static inline u##bits update_##name##_##bits(volatile u##bits *addr, u##bits value, int order, uintptr_t pc)         \
  {                                                                                                                    \
    if (hd_self)                                                                                                       \
      before_with(FOLDED(value), addr, sizeof *addr, OP_ATOMIC_RMW, order, pc);                                        \
    else                                                                                                               \
      stress_point();                                                                                                  \
    u##bits old = load_##bits(addr);                                                                                   \
    while (!swap_##bits(addr, &old, (u##bits)(expression)))                                                            \
      ;                                                                                                                \
    if (hd_self) {                                                                                                     \
      atomic_loaded(addr, order);                                                                                      \
      atomic_stored(addr, order, true);                                                                                \
    }                                                                                                                  \
    return old;                                                                                                        \
  }                                                                                                                    \
  EXPORT u##bits __tsan_atomic##bits##_##name(volatile u##bits *addr, u##bits value, int order)                        \
  {                                                                                                                    \
    return update_##name##_##bits(addr, value, order, RETURN_ADDRESS());                                               \
  }

/* Whether what the thread did before cannot be known to others by its update, so that they cannot tell which of several
 * came first: then it makes no difference to races either. */
static bool tells_nobody(int order)
{
  const struct control_config *config = &rt.control->config;
  bool asked = config->races != RACES_IGNORE && config->detectors != RACE_BY_PENDING;
  return !asked || (!releases(order) && !self_thread()->released.count);
}

/* The same where nobody reads the result (src/assemble). Which of several updates came first is then known by no
 * register either. */
#define UPDATE_UNREAD(bits, name, kind, by)                                                                            \
  EXPORT void __heddle_atomic##bits##_##name(volatile u##bits *addr, u##bits value, int order)                         \
  {                                                                                                                    \
    bool commutes = hd_self && ((uintptr_t)addr & 7) + sizeof *addr <= 8 && tells_nobody(order);                       \
    if (commutes)                                                                                                      \
      memory_update(kind, (u##bits)(by));                                                                              \
    update_##name##_##bits(addr, value, order, RETURN_ADDRESS());                                                      \
    if (commutes)                                                                                                      \
      memory_update(UPDATE_NONE, 0);                                                                                   \
  }

/* Freed memory is not given out again in one execution, so an address that comes back (ABA) never does. */
static inline void note_failure(uint64_t looked_for)
{
  struct block_info block;
  uint64_t address = looked_for & UINT64_C(0x0000fffffffffff8); /* there may be tags in the other bits */
  if (unlikely(heap_contains(address)) && heap_find(address, &block) && block.freed && address == block.start)
    lose(LOST_REUSE);
}

#define COMPARE(bits)                                                                                                  \
  static bool compare_##bits(volatile u##bits *addr, u##bits *expected, u##bits value, int order, int failure_order,   \
                             uintptr_t pc)                                                                             \
  {                                                                                                                    \
    if (hd_self) {                                                                                                     \
      memory_seek(sizeof *addr, (u64)*expected);                                                                       \
      before_with(FOLDED(value) ^ mix64(FOLDED(*expected)), addr, sizeof *addr, OP_ATOMIC_RMW, order, pc);             \
      memory_seek(sizeof(u128), 0);                                                                                    \
    } else                                                                                                             \
      stress_point();                                                                                                  \
    u##bits looked_for = *expected;                                                                                    \
    bool swapped = swap_##bits(addr, expected, value);                                                                 \
    if (hd_self) {                                                                                                     \
      atomic_loaded(addr, swapped ? order : failure_order);                                                            \
      if (swapped)                                                                                                     \
        atomic_stored(addr, order, true);                                                                              \
      else {                                                                                                           \
        note_failure(looked_for);                                                                                      \
        hd_self->failed = hd_self->operations;                                                                         \
        memory_note_write(expected);                                                                                   \
      }                                                                                                                \
      if (!swapped && unlikely(rt.engine->performing))                                                                 \
        engine_only_read(rt.engine, (uintptr_t)addr, failure_order);                                                   \
    }                                                                                                                  \
    return swapped;                                                                                                    \
  }                                                                                                                    \
  EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile u##bits *addr, u##bits *expected, u##bits value,   \
                                                           int order, int failure_order)                               \
  {                                                                                                                    \
    return compare_##bits(addr, expected, value, order, failure_order, RETURN_ADDRESS());                              \
  }                                                                                                                    \
  EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile u##bits *addr, u##bits *expected, u##bits value,     \
                                                         int order, int failure_order)                                 \
  {                                                                                                                    \
    return compare_##bits(addr, expected, value, order, failure_order, RETURN_ADDRESS());                              \
  }                                                                                                                    \
  EXPORT u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits *addr, u##bits expected, u##bits value,   \
                                                            int order, int failure_order)                              \
  {                                                                                                                    \
    compare_##bits(addr, &expected, value, order, failure_order, RETURN_ADDRESS());                                    \
    return expected;                                                                                                   \
  }

#define PRIMITIVES(bits)                                                                                               \
  static inline u##bits load_##bits(const volatile u##bits *addr)                                                      \
  {                                                                                                                    \
    return __atomic_load_n(addr, __ATOMIC_SEQ_CST);                                                                    \
  }                                                                                                                    \
  static inline void exchange_##bits(volatile u##bits *addr, u##bits value)                                            \
  {                                                                                                                    \
    __atomic_store_n(addr, value, __ATOMIC_SEQ_CST);                                                                   \
  }                                                                                                                    \
  static inline bool swap_##bits(volatile u##bits *addr, u##bits *expected, u##bits value)                             \
  {                                                                                                                    \
    return __atomic_compare_exchange_n(addr, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);              \
  }

PRIMITIVES(8)
PRIMITIVES(16)
PRIMITIVES(32)
PRIMITIVES(64)

/* Sixteen bytes by one instruction, without libatomic; rbx is the program's (spinning.c). */
static inline bool swap_128(volatile u128 *addr, u128 *expected, u128 value)
{
  u64 low = (u64)*expected, high = (u64)(*expected >> 64);
  u64 low_value = (u64)value;
  bool swapped;
  __asm__ volatile("xchgq %%rbx, %4\n\tlock cmpxchg16b %1\n\txchgq %%rbx, %4"
                   : "=@ccz"(swapped), "+m"(*addr), "+a"(low), "+d"(high), "+r"(low_value)
                   : "c"((u64)(value >> 64))
                   : "memory");
  *expected = (u128)high << 64 | low;
  return swapped;
}

static inline u128 load_128(const volatile u128 *addr)
{
  u128 value = 0;
  swap_128((volatile u128 *)addr, &value, 0);
  return value;
}

static inline void exchange_128(volatile u128 *addr, u128 value)
{
  u128 old = load_128(addr);
  while (!swap_128(addr, &old, value))
    ;
}

#define ATOMICS(bits)                                                                                                  \
  LOAD_STORE(bits)                                                                                                     \
  UPDATE(bits, exchange, value)                                                                                        \
  UPDATE(bits, fetch_add, old + value)                                                                                 \
  UPDATE(bits, fetch_sub, old - value)                                                                                 \
  UPDATE(bits, fetch_and, old &value)                                                                                  \
  UPDATE(bits, fetch_or, old | value)                                                                                  \
  UPDATE(bits, fetch_xor, old ^ value)                                                                                 \
  UPDATE(bits, fetch_nand, ~(old & value))                                                                             \
  COMPARE(bits)

#define ATOMICS_UNREAD(bits)                                                                                           \
  UPDATE_UNREAD(bits, fetch_add, UPDATE_ADD, value)                                                                    \
  UPDATE_UNREAD(bits, fetch_sub, UPDATE_ADD, -value)                                                                   \
  UPDATE_UNREAD(bits, fetch_and, UPDATE_AND, value)                                                                    \
  UPDATE_UNREAD(bits, fetch_or, UPDATE_OR, value)                                                                      \
  UPDATE_UNREAD(bits, fetch_xor, UPDATE_XOR, value)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMICS(128)
ATOMICS_UNREAD(8)
ATOMICS_UNREAD(16)
ATOMICS_UNREAD(32)
ATOMICS_UNREAD(64)

void atomic_fence(int order)
{
  struct thread *t = self_thread();
  hd_self->fences += order == __ATOMIC_SEQ_CST;
  if (acquires(order))
    acquire_from(&t->acquirable);
  if (releases(order)) {
    vclock_copy(&t->released, &t->clock);
    t->clock.at[self_index()]++;
  }
}

EXPORT void __tsan_atomic_thread_fence(int order)
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (hd_self)
    atomic_fence(order);
}

EXPORT void __tsan_atomic_signal_fence(int order)
{
  (void)order;
}
