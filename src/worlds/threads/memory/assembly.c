/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline assembly: `as` (src/assemble) puts a hook before each instruction of it that accesses memory. The hook comes
 * here by way of assembly_entry.S; when it returns, the instruction is performed at once, as after a hook of the
 * compiler's.
 *
 * People write assembly to synchronise. So an aligned load or store of a word is atomic, with the order that the
 * processor gives to all of them: acquire and release. What is locked is sequentially consistent.
 *
 * What nobody will read in the registers that a call may change is cleared for the time of the step, or what our own
 * functions left there would make two visits of a loop look different (spinning.c).
 */
#include "core/assembly.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/atomics.h"
#include "worlds/threads/memory/hooked_modules.h"
#include "worlds/threads/runtime.h"
#include <elf.h>
#include <link.h>

/* What assembly_entry.S leaves on the stack. */
struct hook_frame {
  uintptr_t rbp, pc; /* as if the program had called */
  uintptr_t r11, r10, r9, r8, rsi, rdx, rcx, rax;
  uintptr_t extended; /* a number for what is live in other registers */
  uintptr_t flags;
  uintptr_t return_address;
  uintptr_t word;
  uintptr_t first; /* %rdi, or a bit's number, which %rdi is above of; then comes the program's own stack */
};

static uintptr_t *saved_rdi(struct hook_frame *f)
{
  return &f->first + (f->word & ASSEMBLY_BIT ? 1 : 0);
}

/* assembly_entry.S knows these. */
_Static_assert(ASSEMBLY_PLAIN == 0x10000000, "PLAIN");
_Static_assert(offsetof(struct thread_state, stack_low) == 40, "STACK_LOW");
_Static_assert(offsetof(struct thread_state, stack_size) == 48, "STACK_SIZE");

bool assembly_xsave; /* vectors are saved by it */

__attribute__((constructor)) static void find_xsave(void)
{
  __builtin_cpu_init();
  assembly_xsave = __builtin_cpu_supports("avx");
}

/* ---- registers ---- */

/* What xsave and fxsave have in common. */
struct saved_extended {
  uint64_t control[4];
  uint64_t floats[16];
  uint64_t vector[16][2];
};

static uint64_t mixed(uint64_t h, const uint64_t *words, unsigned n)
{
  while (n-- > 0)
    h = mix64(h ^ *words++);
  return h;
}

static uint64_t number_of(const struct saved_extended *saved, unsigned live)
{
  uint64_t h = 0;
  if (live & ASSEMBLY_FLOATS_LIVE)
    h = mixed(h, saved->floats, 16);
  for (unsigned i = 0; i < 16; i++)
    if (i < 8 ? live >> (ASSEMBLY_VECTOR_SHIFT + i) & 1 : live & ASSEMBLY_UPPER_LIVE)
      h = mixed(h, saved->vector[i], 2);
  return h;
}

static void clear_dead(struct hook_frame *f, unsigned live, const struct saved_extended *saved)
{
  uintptr_t *const slot[ASSEMBLY_REGISTERS] = {&f->rax, &f->rcx, &f->rdx, &f->rsi, saved_rdi(f),
                                               &f->r8,  &f->r9,  &f->r10, &f->r11};
  for (unsigned i = 0; i < ASSEMBLY_REGISTERS; i++)
    if (!(live & 1u << i))
      *slot[i] = 0;
  if (!(live & ASSEMBLY_FLAGS_LIVE))
    f->flags = 2; /* the bit that is always set */
  if (live & ASSEMBLY_EXTENDED_LIVE)
    f->extended = number_of(saved, live);
  if (live & ASSEMBLY_WIDE_LIVE)
    memory_note_unknown(); /* not all of its state is known, so it counts as new */
}

/* ---- accesses ---- */

static bool is_atomic(uintptr_t addr, size_t size)
{
  return size <= 8 && !(addr & (size - 1));
}

static void load(uintptr_t addr, size_t size, bool plain, uintptr_t pc)
{
  bool atomic = !plain && is_atomic(addr, size);
  memory_access((void *)addr, size, atomic ? OP_ATOMIC_LOAD : OP_READ, __ATOMIC_ACQUIRE, pc);
  if (atomic)
    atomic_loaded((void *)addr, __ATOMIC_ACQUIRE);
}

static void store(uintptr_t addr, size_t size, bool plain, uintptr_t pc)
{
  bool atomic = !plain && is_atomic(addr, size);
  if (atomic)
    note_weak_stores(WEAK_ATOMIC);
  memory_access((void *)addr, size, atomic ? OP_ATOMIC_STORE : OP_WRITE, __ATOMIC_RELEASE, pc);
  if (atomic)
    atomic_stored((void *)addr, __ATOMIC_RELEASE, false);
}

/* With a lock, so it is a full barrier as well, whatever it touches: people lock an addition of 0 to their stack for
 * that. */
static void update(uintptr_t addr, size_t size, uintptr_t pc)
{
  memory_access((void *)addr, size, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
  atomic_loaded((void *)addr, __ATOMIC_SEQ_CST);
  atomic_fence(__ATOMIC_SEQ_CST);
  atomic_stored((void *)addr, __ATOMIC_SEQ_CST, true);
}

/* Whether the compare-and-exchange that follows will find what it expects; nobody else runs until then. */
static bool will_swap(uintptr_t addr, size_t size, const struct hook_frame *f)
{
  switch (size) {
  case 1:
    return *(volatile uint8_t *)addr == (uint8_t)f->rax;
  case 2:
    return *(volatile uint16_t *)addr == (uint16_t)f->rax;
  case 4:
    return *(volatile uint32_t *)addr == (uint32_t)f->rax;
  case 8:
    return *(volatile uint64_t *)addr == f->rax;
  default:
    return ((volatile uint64_t *)addr)[0] == f->rax && ((volatile uint64_t *)addr)[1] == f->rdx;
  }
}

static void compare(uintptr_t addr, size_t size, const struct hook_frame *f)
{
  memory_access((void *)addr, size, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, f->pc);
  atomic_loaded((void *)addr, __ATOMIC_SEQ_CST);
  atomic_fence(__ATOMIC_SEQ_CST);
  if (will_swap(addr, size, f))
    atomic_stored((void *)addr, __ATOMIC_SEQ_CST, true);
  else if (unlikely(rt.engine->performing))
    engine_only_read(rt.engine, addr, __ATOMIC_SEQ_CST);
}

/* The word of memory that the bit lies in: its number is signed, of the operand's size. */
static uintptr_t word_of_bit(uintptr_t addr, size_t size, uintptr_t bit)
{
  int64_t number = size == 8 ? (int64_t)bit : size == 4 ? (int32_t)bit : (int16_t)bit;
  return addr + (uintptr_t)((number >> 3) & -(int64_t)size);
}

static void announce(uintptr_t addr, size_t size, const struct hook_frame *f)
{
  switch ((enum assembly_kind)(f->word >> ASSEMBLY_KIND_SHIFT & 7)) {
  case ASSEMBLY_LOAD:
    load(addr, size, f->word & ASSEMBLY_PLAIN, f->pc);
    break;
  case ASSEMBLY_STORE:
    store(addr, size, f->word & ASSEMBLY_PLAIN, f->pc);
    break;
  case ASSEMBLY_UPDATE:
    update(addr, size, f->pc);
    break;
  case ASSEMBLY_COMPARE:
    compare(addr, size, f);
    break;
  case ASSEMBLY_FENCE:
    atomic_fence(size == FENCE_OF_ALL ? __ATOMIC_SEQ_CST : __ATOMIC_ACQ_REL);
    break;
  case ASSEMBLY_COPY:
    memory_range((void *)f->rsi, f->rcx * size, OP_READ, f->pc);
    memory_range((void *)f->first, f->rcx * size, OP_WRITE, f->pc);
    break;
  case ASSEMBLY_FILL:
    memory_range((void *)f->first, f->rcx * size, OP_WRITE, f->pc);
    break;
  case ASSEMBLY_UNSEEN:
    if (rt.engine->threads > 1)
      assembly_unseen((const char *)addr);
    break;
  }
}

__attribute__((used)) void assembly_hook(uintptr_t addr, struct hook_frame *f, const struct saved_extended *saved)
{
  unsigned word = (unsigned)f->word;
  size_t size = (size_t)1 << (word >> ASSEMBLY_SIZE_SHIFT & 7);
  if (!hd_self) {
    stress_point();
    return;
  }
  const struct hook_frame real = *f;
  const uintptr_t rdi = *saved_rdi(f);
  if (word & ASSEMBLY_BIT)
    addr = word_of_bit(addr, size, real.first);
  clear_dead(f, word, saved);
  announce(addr, size, &real);
  *f = real;
  *saved_rdi(f) = rdi;
}

/* ---- what is unseen ---- */

void assembly_unseen(const char *where)
{
  lose(LOST_ASSEMBLY);
  if (!rt.control->unseen_assembly[0])
    print_text(rt.control->unseen_assembly, sizeof rt.control->unseen_assembly, "%s", where);
}

static uintptr_t aligned(uintptr_t at)
{
  return (at + 3) & ~(uintptr_t)3;
}

void assembly_read_notes(uintptr_t at, size_t size)
{
  uintptr_t end = at + size;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
    uintptr_t name = at + sizeof *note, text = aligned(name + note->n_namesz);
    at = aligned(text + note->n_descsz);
    if (at > end || note->n_namesz != sizeof ASSEMBLY_NOTE || text_compare((const char *)name, ASSEMBLY_NOTE))
      continue;
    if (note->n_type == ASSEMBLY_NOTE_TYPE)
      assembly_unseen((const char *)text);
    else if (note->n_type == UNHOOKED_NOTE_TYPE)
      note_unhooked((const char *)text);
  }
}

bool assembly_is_hooked(const unsigned char *instruction)
{
  static const unsigned char ends[][6] = {ASSEMBLY_HOOK_END, ASSEMBLY_BIT_HOOK_END};
  for (unsigned i = 0; i < 2; i++) {
    unsigned n = 0;
    while (n < 6 && instruction[(int)n - 6] == ends[i][n])
      n++;
    if (n == 6)
      return true;
  }
  return false;
}
