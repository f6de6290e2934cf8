/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory accesses: the functions that the compiler's -fsanitize=thread puts before each one.
 *
 * An access is a scheduling point only if its location is used by two threads with at least one write, learnt while
 * running. What is known of eight bytes of memory is one shadow word:
 *
 *     63..32 generation   31..24 owner   23..4 location   3 watched   2 in a handler   1 a block ends inside   0 owner
 * wrote
 *
 * A signal handler counts as another owner than the code of the thread it interrupts: it may come between any two
 * accesses of that, so what both use matters as if two threads did. What a handler uses that others may interrupt is
 * nobody's own.
 *
 * A word of an old generation means "not touched yet". While a run is recorded, what is private may turn out to be
 * shared, so observers keep its accesses (observer.h: unseen): words have the generation before the current one until
 * nobody keeps those of theirs any more. A location is given once, when sharing is
 * seen, and is kept for all later executions. The first path below is the hot one: memory that only this thread has
 * touched costs a load and a comparison.
 */
#include "core/rng.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/memory/names.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/spinning.h"
#include "worlds/threads/memory/stack_ends.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/process/watch.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/priorities.h"
#include <errno.h>
#include <sys/syscall.h>

#define READERS 255u /* owner: several threads, none of which wrote */
#define OWNER_WROTE 1u
#define MAIN_STACK (UINT64_C(8) << 20) /* what is on it below main() belongs to main's own state */
#define SCOUTING_STEPS 1000            /* far fewer than an execution may have */
#define PARTIAL 2u                     /* never private: every access must be checked against the block's end */
#define HANDLER 4u                     /* the owner is a signal handler of the thread */
#define WATCHED 8u /* what is written is compared with what was there (rt.keeps_local): not in the first path below */

/* While every step is asked for, nothing counts as private. */
static bool nothing_private;
static uint64_t readers_tag; /* memory that several threads read and none has written yet */
static unsigned scouted;     /* steps that were taken only to see who else comes, in this execution */
static bool keeping;         /* accesses of private memory are told to observers */

static void tag_readers(void)
{
  readers_tag =
      nothing_private || priorities_decide() ? UINT64_MAX : ((uint64_t)hd_own.generation << 8 | READERS) << 24;
}

void memory_see_all(void)
{
  hd_self->tag = hd_self->write_tag = readers_tag = UINT64_MAX;
}

void memory_steps_everywhere(void)
{
  nothing_private = true;
  memory_see_all();
}

static void tag_thread(unsigned t)
{
  struct thread_state *thread = &rt.engine->thread[t];
  uint64_t tag = ((uint64_t)hd_own.generation << 8 | t) << 24 | (thread->handler_sp ? HANDLER : 0);
  bool slowly = nothing_private || thread->handler_nests || rt.thread[t].bound_to;
  thread->tag = slowly ? UINT64_MAX : tag;
  thread->write_tag = slowly ? UINT64_MAX : tag | OWNER_WROTE;
  const struct fiber *fiber = rt.thread[t].fiber;
  bool initial = fiber == hd_own.fiber; /* on the stack of the process */
  thread->stack_low = initial ? (uintptr_t)hd_own.main_sp - MAIN_STACK : (uintptr_t)fiber->stack_low;
  uintptr_t high = initial ? hd_own.main_high : (uintptr_t)fiber->stack_high;
  thread->stack_size = high - thread->stack_low;
}

/* Tags of shadow words must never repeat while the shadow lives, so the counter is in the shared mapping. */
void memory_retag(void)
{
  const struct strategy *s = rt.engine->strategy;
  nothing_private = s->private_steps && !(s->passes_private && s->passes_private(rt.engine->strategy_state));
  scouted = 0;
  keeping = rt.engine->watchers.keeping && rt.engine->threads > 1 && !hd_own.process;
  hd_own.generation = rt.engine->generation += 1 + rt.recording;
  tag_readers();
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.thread[t].process == hd_own.process)
      tag_thread(t);
}

void memory_tag_thread(unsigned t)
{
  tag_readers();
  tag_thread(t);
}

void memory_renew(uintptr_t addr, size_t size)
{
  memory_forget(addr, size);
  if (property_asks_addresses)
    lose(LOST_REUSED);
  watchers_renew(&rt.engine->watchers, rt.engine, addr, size);
}

void memory_forget(uintptr_t addr, size_t size)
{
  for (uintptr_t at = addr & ~UINT64_C(7); at < addr + size; at += 8) {
    uint64_t *word = shadow_word((void *)at);
    if (!shadow_location(*word) && *word)
      *word = 0;
  }
}

/* Of the current thread, in use. */
static bool is_on_own_stack(uintptr_t addr)
{
  const struct fiber *f = self_thread()->fiber;
  uintptr_t high = (uintptr_t)(f == &hd_own.fiber[0] ? hd_own.main_sp : f->stack_high);
  return addr >= (uintptr_t)__builtin_frame_address(0) && addr < high;
}

/* Asks the kernel, which looks at the set before it finds that there is no such way to change a mask. */
bool memory_is_readable(uintptr_t granule)
{
  return is_on_own_stack(granule) || sys(SYS_rt_sigprocmask, -1L, granule, NULL, 8L) != -EFAULT;
}

uint64_t memory_content(uintptr_t granule)
{
  bool own_affair = unlikely(rt.unmapped || has_handler(SIGSEGV) || has_handler(SIGBUS));
  return (own_affair || unlikely(heap_seals())) && !memory_is_readable(granule) ? 0 : *(const uint64_t *)granule;
}

/* What was there before is kept until the state of the thread is looked at: a write that changes nothing leaves it
 * where it stood. */
__attribute__((noinline)) static void keep_before(uintptr_t addr)
{
  struct thread *t = self_thread();
  uintptr_t granule = addr & ~UINT64_C(7);
  for (uint32_t i = 0; i < t->writes; i++)
    if (t->written[i].granule == granule)
      return;
  if (t->writes == THREAD_WRITES && rt.keeps_local & LOCAL_FOR_SPIN)
    memory_settle_writes();                                 /* it may be long before the state is looked at */
  if (t->writes == THREAD_WRITES || has_handler(SIGSEGV)) { /* it may be protected, and that the program's affair */
    memory_note_unknown();
    return;
  }
  uint64_t before = *(const uint64_t *)granule;
  t->written[t->writes].granule = granule;
  t->written[t->writes++].before = before;
}

static inline void note_write(struct thread_state *self, const volatile void *addr)
{
  self->foreign_writes += (uintptr_t)addr - self->stack_low >= self->stack_size;
}

static void note_write_slowly(struct thread_state *self, uintptr_t addr, size_t size)
{
  bool elsewhere = addr - self->stack_low >= self->stack_size;
  if (elsewhere && rt.keeps_local && (addr & 7) + size <= 8)
    keep_before(addr);
  else
    memory_note_write((void *)addr);
}

/* It is done already: what was there before is gone. */
void memory_note_write(const volatile void *addr)
{
  if ((uintptr_t)addr - hd_self->stack_low >= hd_self->stack_size)
    memory_note_unknown();
}

/* It is the same in executions that were the same up to here. */
void memory_note_unknown(void)
{
  hd_self->foreign_writes += mix64(rt.engine->hash ^ mix64(hd_self->operations));
}

/* Contents, wherever they came from: in another execution the same number means the same too. */
void memory_settle_writes(void)
{
  struct thread *t = self_thread();
  for (uint32_t i = 0; i < t->writes; i++) {
    uint64_t now = *(const uint64_t *)t->written[i].granule, before = t->written[i].before;
    uint64_t place = mix64(t->written[i].granule);
    if (now != before)
      hd_self->foreign_writes += mix64(place ^ now) - mix64(place ^ before);
  }
  t->writes = 0;
}

/* Of this generation, or kept, which is that before it. */
static bool is_touched(uint64_t word, uint32_t generation)
{
  return (uint32_t)(generation - (word >> 32)) <= rt.recording;
}

static bool is_kept(uint64_t word)
{
  return keeping && !shadow_location(word) && word >> 32 == hd_own.generation - 1;
}

/* Numbers are handed out for good and survive the process. All further ones share the last: scheduled, not checked. */
static uint32_t new_location(void)
{
  if (rt.engine->locations + 1 >= WORLD_LOCATIONS - 1)
    return WORLD_LOCATIONS - 1;
  return ++rt.engine->locations;
}

void memory_learnt(void)
{
  new_location();
}

static uint32_t share(uint64_t *word, uintptr_t granule, unsigned process)
{
  uint32_t location = new_location();
  rt.engine->unkept |= *word >> 32 == hd_own.generation;
  *word = (uint64_t)location << 4;
  uint64_t *found = rt.engine->job.answer[ANSWER_LOCATIONS];
  volatile uint64_t *bytes = &rt.control->answer_bytes[ANSWER_LOCATIONS];
  if (*bytes + sizeof *found <= ANSWER_LOCATIONS_MOST) {
    found[*bytes / sizeof *found] = shadow_location_name(granule, process);
    *bytes += sizeof *found;
  }
  return location;
}

/* In whose shadow it is. */
static unsigned shadow_process(uintptr_t granule)
{
  return hd_own.process && space_of_access(granule) != SPACE_SHARED ? hd_own.process : 0;
}

void memory_share_in(unsigned process, uint64_t *word, uintptr_t granule)
{
  if (!shadow_location(*word))
    share(word, granule, process);
}

void memory_share(uintptr_t granule)
{
  memory_share_in(shadow_process(granule), shadow_word((void *)granule), granule);
}

/* One more operation that is no step. */
static inline void count_private(struct thread_state *self)
{
  if (unlikely(!(++self->operations & SPINNING_EVERY)))
    spinning_look();
}

static unsigned watched(uintptr_t granule)
{
  return unlikely(rt.keeps_local) && granule - hd_self->stack_low >= hd_self->stack_size ? WATCHED : 0;
}

void memory_was_read(uint64_t *word, uintptr_t granule, const struct origin_of_copy *by)
{
  uint64_t w = *word;
  unsigned owner = w >> 24 & 255;
  if (shadow_location(w))
    return;
  if (!is_touched(w, by->generation))
    *word = ((uint64_t)by->generation << 8 | by->thread) << 24;
  else if (owner != by->thread && owner != READERS && w & OWNER_WROTE)
    share(word, granule, by->process);
  else if (owner != by->thread)
    *word = ((uint64_t)by->generation << 8 | READERS) << 24 | (w & PARTIAL);
}

/* First touch of this generation. */
static uint64_t claim(uint64_t *word, uintptr_t granule, unsigned context, bool writes)
{
  if (unlikely(hd_own.process))
    shadow_inherited(granule);
  struct block_info block;
  bool ends_inside = heap_contains(granule) && !heap_known(granule, 8) && heap_find(granule, &block) &&
                     block.start + block.size < granule + 8;
  *word = ((uint64_t)(hd_own.generation - keeping) << 8 | self_index()) << 24 | context | (ends_inside ? PARTIAL : 0) |
          (writes ? OWNER_WROTE : 0) | watched(granule);
  return *word;
}

/* Whether a handler makes the access to memory that is not its own: its own frames are below where it began. */
static unsigned context_of(uintptr_t granule)
{
  uintptr_t began = hd_self->handler_sp;
  bool own_frame = granule < began && granule >= hd_self->stack_low;
  return began && !own_frame ? HANDLER : 0;
}

/* The location of the granule if it matters to others, else 0; takes note of the access. */
static uint32_t look_up(uintptr_t granule, bool writes)
{
  uint64_t *word = shadow_word((void *)granule);
  uint64_t w = *word;
  if (shadow_location(w))
    return shadow_location(w);
  if (unlikely(rt.engine->processes > 1) && space_of_access(granule) == SPACE_SHARED)
    return share(word, granule, 0); /* whoever else may have touched it is not known here */
  unsigned context = context_of(granule);
  bool own = !context || !hd_self->handler_nests;
  if (!is_touched(w, hd_own.generation)) {
    w = claim(word, granule, context, writes);
    if (own)
      return 0;
  }
  unsigned owner = w >> 24 & 255;
  if (own && owner == self_index() && (w & HANDLER) == context) {
    *word = w | (writes ? OWNER_WROTE : 0);
    return 0;
  }
  if (!writes && (owner == READERS || !(w & OWNER_WROTE))) {
    *word = (w >> 32 << 8 | READERS) << 24 | (w & PARTIAL);
    return 0;
  }
  return share(word, granule, hd_own.process);
}

/* Whoever frees it later meets who used an object there, as if that had read it. */
void memory_stands_on(uintptr_t addr)
{
  look_up(addr & ~UINT64_C(7), false);
}

/* As look_up() would find, but without taking note. */
static bool granule_is_met(uintptr_t granule, bool writes)
{
  uint64_t w = *shadow_word((void *)granule);
  unsigned owner = w >> 24 & 255;
  if (shadow_location(w) || (rt.engine->processes > 1 && space_of_access(granule) == SPACE_SHARED))
    return true;
  unsigned context = context_of(granule);
  bool own = !context || !hd_self->handler_nests;
  if (!is_touched(w, hd_own.generation) || (own && owner == self_index() && (w & HANDLER) == context))
    return false;
  return writes || (owner != READERS && w & OWNER_WROTE);
}

bool memory_is_met(const volatile void *addr, size_t size, bool writes)
{
  const bool alone = rt.engine->processes == 1; /* what no thread has touched is met by nobody: most of a large block */
  for (uintptr_t g = (uintptr_t)addr & ~UINT64_C(7); g < (uintptr_t)addr + size; g += 8)
    if ((!alone || *shadow_word((void *)g)) && granule_is_met(g, writes))
      return true;
  return false;
}

/* What a compare-and-swap that is about to come looks for, or an update brings; nothing once it is announced, since
 * others run then. */
static struct coming {
  uint16_t traits;
  enum update update;
  uint64_t value;
} coming;

/* In the first execution of all nothing is known to be shared yet, and what one thread does before another has come
 * near would be one step. So there the first touch of memory that others could reach is one of its own. */
static bool scouts(uintptr_t addr)
{
  const struct thread_state *self = hd_self;
  return rt.control->execution == 0 && !rt.control->config.record_events && rt.engine->threads > 1 &&
         !rt.engine->strategy->exhaustive && addr - self->stack_low >= self->stack_size &&
         *shadow_word((void *)addr) >> 32 != hd_own.generation && scouted++ < SCOUTING_STEPS;
}

/* Who keeps accesses is told of one of memory that is private so far; if nobody does any more, those that follow take
 * the first path. */
static void tell_unseen(uintptr_t addr, size_t size, enum op_kind kind, uint8_t order, uintptr_t pc)
{
  const struct operation op = {.kind = kind,
                               .space = space_of_access(addr),
                               .order = order,
                               .length = (uint32_t)size,
                               .addr = addr,
                               .pc = in_image(pc)};
  bool kept = false;
  uintptr_t first = addr & ~UINT64_C(7), end = addr + size;
  for (uintptr_t g = first; g < end && !kept; g += 8)
    kept = is_kept(*shadow_word((void *)g));
  if (!kept || watchers_unseen(&rt.engine->watchers, rt.engine, self_index(), &op))
    return;
  for (uintptr_t g = first; g < end; g += 8)
    if (is_kept(*shadow_word((void *)g)))
      *shadow_word((void *)g) += UINT64_C(1) << 32;
}

/* Whether the access would take the first path if nobody kept it. */
static bool is_own_and_kept(uintptr_t addr, size_t size, bool writes)
{
  uint64_t word = *shadow_word((void *)addr) + (UINT64_C(1) << 32);
  return (addr & 7) + size <= 8 && hd_self->tag != UINT64_MAX &&
         (writes ? word == hd_self->write_tag : (word & ~(uint64_t)(OWNER_WROTE | WATCHED)) == hd_self->tag);
}

/* That the memory is there. */
static void check_life(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc)
{
  if (heap_contains(addr))
    heap_check_access(addr, size, kind, pc);
  else if (is_on_stacks(addr) && addr - hd_self->stack_low >= hd_self->stack_size)
    stack_touch(addr, size, kind, pc);
}

__attribute__((noinline)) static void access_slowly(uintptr_t addr, size_t size, enum op_kind kind, uint8_t order,
                                                    uintptr_t pc)
{
  if (unlikely(keeping) && is_own_and_kept(addr, size, op_writes_memory(kind))) {
    count_private(hd_self);
    if (op_writes_memory(kind))
      note_write(hd_self, (void *)addr);
    tell_unseen(addr, size, kind, order, pc);
    return;
  }
  if (unlikely(property_watches_memory)) {
    struct coming kept = coming; /* others run meanwhile */
    property_access(addr, size, kind, pc);
    coming = kept;
  }
  bool scouted_now = !nothing_private && kind != OP_FREE && scouts(addr);
  bool shared = false, writes = op_writes_memory(kind);
  check_life(addr, size, kind, pc);
  for (uintptr_t g = addr & ~UINT64_C(7); g < addr + size; g += 8)
    shared |= look_up(g, writes) != 0;
  bool outranked = unlikely(self_thread()->bound_to) && !priorities_admit(self_index());
  bool matters = nothing_private || scouted_now || shared || outranked, weary = false;
  if (!matters && spinning_access(addr, kind, pc, &weary))
    matters = true;
  if (!matters || (rt.engine->threads == 1 && !rt.tracing)) {
    count_private(hd_self);
    if (writes)
      note_write_slowly(hd_self, addr, size);
    if (unlikely(keeping))
      tell_unseen(addr, size, kind, order, pc);
    return;
  }
  struct operation op = {
      .kind = kind, .space = space_of_access(addr), .order = order, .length = (uint32_t)size, .addr = addr, .pc = pc};
  op.traits = ((nothing_private || outranked) && !shared ? OP_PRIVATE : 0) | (weary ? OP_WEARY : 0);
  if (kind == OP_ATOMIC_RMW) {
    op.traits |= coming.traits;
    op.second = coming.update;
    op.arg = coming.value;
    coming = (struct coming){0}; /* others update memory while this one waits for its turn */
  }
  step(&op);
  check_async_cancel();
  check_life(addr, size, kind, pc); /* it may have been freed while we waited */
}

void memory_seek(size_t size, uint64_t value)
{
  bool known = size <= sizeof value && rt.keeps_local & LOCAL_FOR_SEARCH;
  coming.traits = known ? OP_COMPARES : 0;
  coming.value = known ? value : 0;
}

void memory_update(enum update update, uint64_t value)
{
  bool known = rt.keeps_local & LOCAL_FOR_SEARCH;
  coming.update = known ? update : UPDATE_NONE;
  coming.value = known && update ? value : 0;
}

void memory_access(const volatile void *addr, size_t size, enum op_kind kind, uint8_t order, uintptr_t pc)
{
  struct thread_state *self = hd_self;
  if (size == 0)
    return;
  if (((uintptr_t)addr & 7) + size <= 8) {
    uint64_t word = *shadow_word(addr);
    if (likely(op_writes_memory(kind) ? word == self->write_tag
                                      : (word & ~(uint64_t)(OWNER_WROTE | WATCHED)) == self->tag)) {
      count_private(self);
      if (op_writes_memory(kind))
        note_write(self, addr);
      return;
    }
  }
  access_slowly((uintptr_t)addr, size, kind, order, pc);
}

void memory_range(const volatile void *addr, size_t size, enum op_kind kind, uintptr_t pc)
{
  memory_access(addr, size, kind, 0, pc);
}

/* ---- the hooks ---- */

/* Whether the word of the next granule fits too, for accesses of sixteen bytes. */
#define NEXT_FITS(addr, size, mask, tag)                                                                               \
  (((uintptr_t)(addr)&7) + (size) <= 8 ||                                                                              \
   ((size) == 16 && !((uintptr_t)(addr)&7) && (shadow_word(addr)[1] & (mask)) == (tag)))

#define READ_HOOK(name, size)                                                                                          \
  EXPORT void __tsan_##name(void *addr)                                                                                \
  {                                                                                                                    \
    struct thread_state *self = hd_self;                                                                               \
    if (!self) {                                                                                                       \
      stress_point();                                                                                                  \
      return;                                                                                                          \
    }                                                                                                                  \
    if (likely((*shadow_word(addr) & ~(uint64_t)(OWNER_WROTE | WATCHED)) == self->tag &&                               \
               NEXT_FITS(addr, size, ~(uint64_t)(OWNER_WROTE | WATCHED), self->tag))) {                                \
      count_private(self);                                                                                             \
      return;                                                                                                          \
    }                                                                                                                  \
    if (*shadow_word(addr) == readers_tag && NEXT_FITS(addr, size, UINT64_MAX, readers_tag)) {                         \
      count_private(self);                                                                                             \
      return;                                                                                                          \
    }                                                                                                                  \
    access_slowly((uintptr_t)addr, size, OP_READ, 0, RETURN_ADDRESS());                                                \
  }

#define WRITE_HOOK(name, size)                                                                                         \
  EXPORT void __tsan_##name(void *addr)                                                                                \
  {                                                                                                                    \
    struct thread_state *self = hd_self;                                                                               \
    if (!self) {                                                                                                       \
      stress_point();                                                                                                  \
      return;                                                                                                          \
    }                                                                                                                  \
    if (likely(*shadow_word(addr) == self->write_tag && NEXT_FITS(addr, size, UINT64_MAX, self->write_tag))) {         \
      count_private(self);                                                                                             \
      note_write(self, addr);                                                                                          \
      return;                                                                                                          \
    }                                                                                                                  \
    access_slowly((uintptr_t)addr, size, OP_WRITE, 0, RETURN_ADDRESS());                                               \
  }

/* A load and a store by one instruction of the source: two steps, as other threads can come in between. */
#define READ_WRITE_HOOK(name, size)                                                                                    \
  EXPORT void __tsan_##name(void *addr)                                                                                \
  {                                                                                                                    \
    if (!hd_self) {                                                                                                    \
      stress_point();                                                                                                  \
      return;                                                                                                          \
    }                                                                                                                  \
    memory_access(addr, size, OP_READ, 0, RETURN_ADDRESS());                                                           \
    memory_access(addr, size, OP_WRITE, 0, RETURN_ADDRESS());                                                          \
  }

#define HOOKS(size)                                                                                                    \
  READ_HOOK(read##size, size)                                                                                          \
  WRITE_HOOK(write##size, size)                                                                                        \
  READ_HOOK(volatile_read##size, size)                                                                                 \
  WRITE_HOOK(volatile_write##size, size)                                                                               \
  READ_WRITE_HOOK(read_write##size, size)

#define UNALIGNED_HOOKS(size)                                                                                          \
  READ_HOOK(unaligned_read##size, size)                                                                                \
  WRITE_HOOK(unaligned_write##size, size)                                                                              \
  READ_HOOK(unaligned_volatile_read##size, size)                                                                       \
  WRITE_HOOK(unaligned_volatile_write##size, size)                                                                     \
  READ_WRITE_HOOK(unaligned_read_write##size, size)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

EXPORT void __tsan_read_range(void *addr, unsigned long size)
{
  if (hd_self)
    memory_range(addr, size, OP_READ, RETURN_ADDRESS());
}

EXPORT void __tsan_write_range(void *addr, unsigned long size)
{
  if (hd_self)
    memory_range(addr, size, OP_WRITE, RETURN_ADDRESS());
}

EXPORT void __tsan_vptr_read(void **vptr)
{
  if (hd_self)
    memory_access(vptr, sizeof *vptr, OP_READ, 0, RETURN_ADDRESS());
}

/* A store of the value that is there already, as constructors make, is no write to others. */
EXPORT void __tsan_vptr_update(void **vptr, void *value)
{
  if (hd_self && *vptr != value)
    memory_access(vptr, sizeof *vptr, OP_WRITE, 0, RETURN_ADDRESS());
}

EXPORT void __tsan_init(void)
{
}

/* The shadow call stack. An entry whose stack pointer is not above ours belongs to a function
 * that was left by longjmp or by an exception. */
EXPORT void __tsan_func_entry(void *caller)
{
  if (likely(!rt.calls) || !hd_self)
    return;
  struct thread *t = self_thread();
  uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
  while (t->frames && t->frames <= FRAMES && t->frame[t->frames - 1].sp <= sp)
    t->frames--;
  if (t->frames < FRAMES) {
    struct frame *f = &t->frame[t->frames];
    f->pc = caller_behind((uintptr_t)caller);
    f->sp = sp;
    f->own = RETURN_ADDRESS();
    f->cfa = *(uintptr_t *)sp + 2 * sizeof(void *);
    f->activation = f->count = 0;
    if (rt.naming)
      origin_of_call(f, f->pc);
  }
  t->frames++;
}

EXPORT void __tsan_func_exit(void)
{
  if (unlikely(stacks_are_met) && hd_self)
    stack_frame_ends(__builtin_frame_address(0));
  if (likely(!rt.calls) || !hd_self)
    return;
  struct thread *t = self_thread();
  if (t->frames)
    t->frames--;
  parts_returned(t->frames);
}
