/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap of the tested program. Every thread allocates from an arena of its own, upwards, so that the addresses a
 * thread gets depend on what it did and not on the others; freed blocks rest until an arena has handed out
 * QUARANTINE bytes. All bookkeeping is outside the program's reach, in memory of the runtime. Fresh memory is filled
 * with a pattern, so no execution sees what another one left; between two blocks there is a gap that nobody owns.
 *
 * The malloc family that calls this is in malloc.c.
 */
#include "worlds/threads/memory/heap.h"
#include "core/finding.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/effects.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define ARENAS MAX_THREADS
#define ARENA_SIZE (HEAP_ROOM / ARENAS)
#define BLOCKS (1u << 22) /* an arena */
#define GAP 16u
#define LARGE (UINT64_C(256) << 10)
#define QUARANTINE (UINT64_C(64) << 20)
#define CLASSES 512
#define FREED 0xdd

struct block {
  uint64_t offset; /* in its arena */
  uint64_t size, capacity;
  uintptr_t alloc_pc, free_pc;
  uint32_t next_free;
  uint32_t origin;
  bool freed, reached;
  uint32_t calls; /* that led to its allocation, by number; 0: not known */
};

struct arena {
  uint64_t top;
  uint32_t blocks, blocks_at_snapshot;
  uint64_t top_at_snapshot;
  uint64_t live, live_at_snapshot; /* blocks */
  uint64_t freed_bytes;
  uint32_t free_first[CLASSES], free_last[CLASSES]; /* queues of block numbers + 1 */
  struct block *block;                              /* its part of all of them; NULL: it has none yet */
};

static struct arena *arenas;
static struct block *blocks;
static uint64_t total_top; /* bytes handed out by all arenas */
static uint32_t used_arenas;

/* The calls that led to allocations, where a trace is kept: [0] is of none. A library's block is known by its caller.
 */
#define CALLS_KEPT 65536
static uintptr_t (*calls)[BLOCK_CALLS];
static uint32_t calls_used;

/* Blocks of before the snapshot that this execution freed. */
#define JOURNAL 65536
static uint32_t *journal, journal_used;

/* Large freed blocks without access, to be given back at a reset. */
static uint32_t sealed;

/* Leak search: blocks reached, still to be searched. */
#define FRONTIER (1u << 22)
static struct block **frontier;
static size_t frontier_used;

void heap_boot(void)
{
  long got = sys(SYS_mmap, HEAP_ADDRESS, ARENAS * ARENA_SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != (long)HEAP_ADDRESS)
    fail(0, "cannot reserve address space for the heap");
  arenas = private_memory(ARENAS * sizeof *arenas);
  blocks = private_memory(ARENAS * BLOCKS * sizeof *blocks);
  journal = private_memory(JOURNAL * sizeof *journal);
  frontier = private_memory(FRONTIER * sizeof *frontier);
  calls = private_memory(CALLS_KEPT * sizeof *calls);
}

static struct arena *arena_of(uintptr_t addr)
{
  return &arenas[(addr - HEAP_ADDRESS) / ARENA_SIZE];
}

static uintptr_t arena_base(const struct arena *a)
{
  return HEAP_ADDRESS + (uintptr_t)(a - arenas) * ARENA_SIZE;
}

/* The last block that starts at or before the address, or NULL. */
static struct block *block_before(struct arena *a, uint64_t offset)
{
  uint32_t low = 0, high = a->blocks;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (a->block[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &a->block[low - 1] : NULL;
}

/* The live block that was looked up last: accesses come in runs. */
static uintptr_t known_start, known_end;

bool heap_known(uintptr_t addr, size_t size)
{
  return addr >= known_start && addr + size <= known_end;
}

/* Whether it is the one that block_before() would find. */
static bool is_before(const struct arena *a, const struct block *b, uint64_t offset)
{
  return b >= a->block && b < a->block + a->blocks && b->offset <= offset &&
         (b + 1 == a->block + a->blocks || b[1].offset > offset);
}

static struct block *find_block(uintptr_t addr)
{
  static struct block *last; /* that was found: a free looks for its block three times */
  struct arena *a = arena_of(addr);
  uint64_t offset = addr - arena_base(a);
  if (!is_before(a, last, offset))
    last = block_before(a, offset);
  return last;
}

bool heap_find(uintptr_t addr, struct block_info *out)
{
  struct block *b = find_block(addr);
  if (!b)
    return false;
  *out = (struct block_info){
      arena_base(arena_of(addr)) + b->offset, b->size, b->alloc_pc, b->free_pc, b->freed, b->origin, calls[b->calls]};
  return true;
}

bool heap_is_readable(uintptr_t addr)
{
  const struct block *b = sealed ? find_block(addr) : NULL;
  return !b || !b->freed || b->capacity < LARGE;
}

/* ---- sizes that can be used again ---- */

/* Capacities come in steps of 16 up to 1 KiB, then eight steps for each doubling. */
static uint64_t round_capacity(uint64_t size, unsigned *class)
{
  if (size <= 1024) {
    *class = (unsigned)((size + 15) / 16);
    return (uint64_t) * class * 16;
  }
  unsigned log = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^log < size <= 2^(log+1) */
  uint64_t step = (UINT64_C(1) << log) / 8;
  uint64_t capacity = (size + step - 1) / step * step;
  *class = 65 + (log - 10) * 8 + (unsigned)(capacity / step - 9);
  return capacity;
}

static struct block *take_rested(struct arena *a, unsigned class, uint64_t capacity, uint64_t align)
{
  if (a->freed_bytes < QUARANTINE || class >= CLASSES || !a->free_first[class] || align > 16)
    return NULL;
  struct block *b = &a->block[a->free_first[class] - 1];
  a->free_first[class] = b->next_free;
  if (!b->next_free)
    a->free_last[class] = 0;
  a->freed_bytes -= capacity;
  memory_renew(arena_base(a) + b->offset, capacity);
  return b;
}

static void lay_to_rest(struct arena *a, struct block *b)
{
  unsigned class;
  round_capacity(b->size ? b->size : 1, &class);
  a->freed_bytes += b->capacity;
  if (unlikely(property_asks_addresses && a->freed_bytes >= QUARANTINE))
    lose(LOST_REUSED); /* by allocations that are no steps: not all orders with events are tried */
  if (class >= CLASSES || b->capacity >= LARGE || (uint32_t)(b - a->block) < a->blocks_at_snapshot)
    return;
  uint32_t number = (uint32_t)(b - a->block) + 1;
  b->next_free = 0;
  if (a->free_last[class])
    a->block[a->free_last[class] - 1].next_free = number;
  else
    a->free_first[class] = number;
  a->free_last[class] = number;
}

/* ---- allocation ---- */

#define RESERVE (132 << 10) /* what libc has of the system already, if the limit comes later */
static uint64_t programs_limit = UINT64_MAX;

/* What rests after it was freed could be had again natively. */
static uint64_t in_use(void)
{
  uint64_t freed = 0;
  for (unsigned i = 0; i < used_arenas; i++)
    freed += arenas[i].freed_bytes;
  return total_top - freed;
}

void heap_set_limit(uint64_t bytes)
{
  uint64_t had = in_use() + RESERVE;
  programs_limit = bytes > had ? bytes : had; /* what it has it keeps */
}

bool heap_has_room(uint64_t bytes)
{
  return programs_limit == UINT64_MAX || in_use() + bytes <= programs_limit;
}

/* NULL if the program may have no more. */
static struct block *take_fresh(struct arena *a, uint64_t capacity, uint64_t align, uintptr_t pc)
{
  if (capacity >= LARGE && align < 4096)
    align = 4096;
  uint64_t offset = (a->top + GAP + align - 1) & ~(align - 1);
  uint64_t top = capacity >= LARGE ? (offset + capacity + 4095) & ~UINT64_C(4095) : offset + capacity;
  uint64_t limit = rt.control->config.max_memory;
  if (unlikely(!heap_has_room(top - a->top)))
    return NULL;
  if (offset + capacity > ARENA_SIZE - 4096 || (limit && total_top + (top - a->top) > limit))
    fail(pc, "the program allocated more than %lu MiB in one execution; raise the limit with --memory",
         limit ? limit >> 20 : ARENA_SIZE >> 20);
  if (a->blocks == BLOCKS)
    fail(pc,
         "a thread allocated more than %u blocks in one execution, which is as many as heddle can keep; give the "
         "program "
         "less to do",
         BLOCKS);
  total_top += top - a->top;
  a->top = top;
  if (!a->block) /* only now: an arena that nobody uses costs no page */
    a->block = blocks + (size_t)(a - arenas) * BLOCKS;
  struct block *b = &a->block[a->blocks++];
  b->offset = offset;
  return b;
}

bool heap_is_of(unsigned thread, uintptr_t addr)
{
  return addr - arena_base(&arenas[thread]) < ARENA_SIZE;
}

/* The calls in which the current thread is. Returns their number, 0 when there is no room for more. */
static uint32_t note_calls(void)
{
  const struct thread *t = self_thread();
  unsigned depth = 0;
  if (calls_used + 1 >= CALLS_KEPT)
    return 0;
  uintptr_t *out = calls[++calls_used];
  for (uint32_t i = t->frames < FRAMES ? t->frames : FRAMES; i-- > 0 && depth < BLOCK_CALLS;)
    if (!in_runtime(t->frame[i].pc))
      out[depth++] = in_image(t->frame[i].pc);
  return calls_used;
}

void *heap_allocate(size_t size, size_t align, bool zero, uintptr_t pc)
{
  unsigned me = hd_self ? self_index() : 0;
  struct arena *a = &arenas[me];
  if (me >= used_arenas)
    used_arenas = me + 1;
  if (size > ARENA_SIZE)
    return NULL;
  unsigned class;
  uint64_t capacity = round_capacity(size ? size : 1, &class);
  struct block *b = take_rested(a, class, capacity, align);
  if (!b)
    b = take_fresh(a, capacity, align < 16 ? 16 : align, pc);
  if (!b)
    return NULL;
  b->size = size;
  b->capacity = capacity;
  b->alloc_pc = pc;
  b->free_pc = 0;
  b->origin = rt.naming ? origin_of_block(pc) : 0;
  b->freed = b->reached = false;
  b->calls = rt.tracing && hd_self ? note_calls() : 0;
  a->live++;
  char *p = (char *)arena_base(a) + b->offset;
  fill_bytes(p, zero ? 0 : HEAP_FRESH, size);
  return p;
}

static void report_free(uintptr_t addr, uintptr_t pc, const struct block *b, const char *text)
{
  struct bug *bug = bug_new(rt.engine, BUG_MEMORY, bug_key_of(rt.engine, BUG_MEMORY, pc, b && b->freed));
  bug_text(bug, "%s", text);
  bug_add_party(rt.engine, bug, self_index(), OP_NONE, addr, 0, pc);
  bug_declare(rt.engine, bug);
}

static void unmake(struct arena *a, struct block *b, uintptr_t pc)
{
  b->freed = true;
  b->free_pc = pc;
  known_end = 0;
  a->live--;
  if ((uint32_t)(b - a->block) < a->blocks_at_snapshot && a == arenas) {
    if (journal_used == JOURNAL)
      change_reset(RESET_FORK, pc, "the program frees too many blocks of before main");
    journal[journal_used++] = (uint32_t)(b - a->block);
  }
  uintptr_t start = arena_base(a) + b->offset;
  if (b->capacity >= LARGE && hd_self) {
    memory_settle_writes(); /* nothing can be read there any more */
    sys(SYS_mprotect, start, (b->capacity + 4095) & ~UINT64_C(4095), PROT_NONE);
    effect_made();
    sealed++;
  } else {
    fill_bytes((void *)start, FREED, b->size);
    memory_forget(start, b->size);
  }
  lay_to_rest(a, b);
}

/* The live block that starts there; anything else is a bug, and NULL. */
static struct block *freeable(uintptr_t addr, uintptr_t pc)
{
  struct block *b = find_block(addr);
  bool starts_here = b && arena_base(arena_of(addr)) + b->offset == addr;
  if (likely(starts_here && !b->freed))
    return b;
  if (hd_self)
    report_free(addr, pc, b, starts_here ? "double free" : "free of an address that is not the start of a block");
  return NULL;
}

bool heap_seals(void)
{
  return sealed;
}

/* To others a free is a write to the whole block, and their turn may come just before it. All of a large one is noted
 * only if others have been there. */
void heap_free(void *p, uintptr_t pc)
{
  struct block *b = freeable((uintptr_t)p, pc);
  if (b && hd_self && b->size && (b->capacity < LARGE || memory_is_met(p, b->size, true))) {
    memory_range(p, b->size, OP_FREE, pc);
    b = freeable((uintptr_t)p, pc);
  }
  if (b)
    unmake(arena_of((uintptr_t)p), b, pc);
}

size_t heap_size(const void *p)
{
  struct block *b = find_block((uintptr_t)p);
  return b ? b->size : 0;
}

/* ---- accesses ---- */

static void report_access(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  struct bug *bug = bug_new(rt.engine, BUG_MEMORY, bug_key_of(rt.engine, BUG_MEMORY, pc, 0));
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
  bug_add_party(rt.engine, bug, self_index(), kind, addr, (uint32_t)size, pc);
  bug_declare(rt.engine, bug);
}

/* Whether an address behind the block is more likely meant to be before the one that follows. */
static bool nearer_to_next(const struct arena *a, const struct block *b, uint64_t offset)
{
  return b + 1 < a->block + a->blocks && b[1].offset - b->offset - offset <= offset - b->capacity;
}

void heap_check_access(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc)
{
  if (likely(heap_known(addr, size)))
    return;
  struct block *b = find_block(addr);
  const char *verb = op_writes_memory(kind) ? "write" : "read";
  if (!b) {
    report_access(addr, size, kind, pc, "%s before the first heap block", verb);
    return;
  }
  uint64_t offset = addr - arena_base(arena_of(addr)) - b->offset;
  if (b->freed && offset < b->capacity && kind == OP_FREE)
    report_access(addr, size, kind, pc, "double free");
  else if (b->freed && offset < b->capacity)
    report_access(addr, size, kind, pc, "use after free: %s of %lu byte%s", verb, size, size == 1 ? "" : "s");
  else if (offset >= b->capacity && nearer_to_next(arena_of(addr), b, offset))
    report_access(addr, size, kind, pc,
                  "heap underflow: %s of %lu byte%s, %lu before the start of a block of %lu byte%s", verb, size,
                  size == 1 ? "" : "s", b[1].offset - b->offset - offset, b[1].size, b[1].size == 1 ? "" : "s");
  else if (offset + size > b->size)
    report_access(addr, size, kind, pc, "heap overflow: %s of %lu byte%s, %lu past the end of a block of %lu byte%s",
                  verb, size, size == 1 ? "" : "s", offset + size - b->size, b->size, b->size == 1 ? "" : "s");
  known_start = addr - offset;
  known_end = known_start + b->size;
}

/* ---- the snapshot ---- */

void heap_snapshot(void)
{
  for (unsigned i = 0; i < used_arenas; i++) {
    struct arena *a = &arenas[i];
    a->top_at_snapshot = a->top;
    a->blocks_at_snapshot = a->blocks;
    a->live_at_snapshot = a->live;
  }
  journal_used = 0;
}

size_t heap_used(uintptr_t *start)
{
  *start = HEAP_ADDRESS;
  return arenas[0].top;
}

static void unseal(struct arena *a)
{
  for (uint32_t i = a->blocks_at_snapshot; i < a->blocks && sealed; i++) {
    struct block *b = &a->block[i];
    if (b->freed && b->capacity >= LARGE) {
      sys(SYS_mprotect, arena_base(a) + b->offset, (b->capacity + 4095) & ~UINT64_C(4095), PROT_READ | PROT_WRITE);
      sealed--;
    }
  }
}

static void arena_reset(struct arena *a)
{
  unseal(a);
  total_top -= a->top - a->top_at_snapshot;
  a->top = a->top_at_snapshot;
  a->blocks = a->blocks_at_snapshot;
  a->live = a->live_at_snapshot;
  if (!a->freed_bytes)
    return;
  a->freed_bytes = 0;
  fill_bytes(a->free_first, 0, sizeof a->free_first);
  fill_bytes(a->free_last, 0, sizeof a->free_last);
}

void heap_reset(void)
{
  known_end = 0;
  for (unsigned i = 0; i < used_arenas; i++)
    arena_reset(&arenas[i]);
  for (uint32_t i = 0; i < journal_used; i++) {
    arenas[0].block[journal[i]].freed = false;
    arenas[0].block[journal[i]].free_pc = 0;
  }
  journal_used = 0;
}

void heap_each_part(void (*visit)(uintptr_t start, size_t size))
{
  for (unsigned i = 0; i < used_arenas; i++) {
    struct arena *a = &arenas[i];
    visit((uintptr_t)a, sizeof *a);
    visit((uintptr_t)(a->block + a->blocks_at_snapshot), (a->blocks - a->blocks_at_snapshot) * sizeof *a->block);
    visit(arena_base(a) + a->top_at_snapshot, a->top - a->top_at_snapshot);
  }
  visit((uintptr_t)journal, journal_used * sizeof *journal);
  for (uint32_t i = 0; i < journal_used; i++)
    visit((uintptr_t)&arenas[0].block[journal[i]], sizeof(struct block));
}

/* ---- leaks: blocks of this execution that nothing points to at its end ---- */

static uint32_t unreached; /* so many could be leaks: when all are found, nobody looks on */

static bool could_leak(const struct arena *a, const struct block *b)
{
  return !b->freed && b - a->block >= a->blocks_at_snapshot && !in_linker(b->alloc_pc);
}

static void count_unreached(void)
{
  unreached = 0;
  for (unsigned i = 0; i < used_arenas; i++)
    for (uint32_t j = arenas[i].blocks_at_snapshot; j < arenas[i].blocks; j++)
      unreached += could_leak(&arenas[i], &arenas[i].block[j]);
}

static void reach(uintptr_t value)
{
  if (!heap_contains(value))
    return;
  struct arena *a = arena_of(value);
  struct block *b = block_before(a, value - arena_base(a));
  if (!b || b->freed || b->reached || value - arena_base(a) - b->offset > b->capacity)
    return;
  b->reached = true;
  unreached -= could_leak(a, b);
  if (frontier_used < FRONTIER)
    frontier[frontier_used++] = b;
}

static uintptr_t block_start(const struct block *b)
{
  for (unsigned i = 0; i < used_arenas; i++)
    if (b >= arenas[i].block && b < arenas[i].block + BLOCKS)
      return arena_base(&arenas[i]) + b->offset;
  return 0;
}

static void reach_from(uintptr_t start, size_t size)
{
  for (uintptr_t at = (start + 7) & ~UINT64_C(7); at + 8 <= start + size && unreached; at += 8)
    reach(*(uintptr_t *)at);
}

/* libc frees what it keeps for a thread, as the text of strerror(), when that really ends, which fibers do not. Its
 * control block is the last thing in the thread's mapping. */
static void reach_from_control_block(uintptr_t fs)
{
  reach_from(fs, 4096 - fs % 4096);
}

static void reach_on(void)
{
  while (frontier_used) {
    const struct block *b = frontier[--frontier_used];
    reach_from(block_start(b), b->size);
  }
}

static bool anything_live(void)
{
  for (unsigned i = 0; i < used_arenas; i++)
    if (arenas[i].live > arenas[i].live_at_snapshot)
      return true;
  return false;
}

static void report_leak(const struct arena *a, const struct block *b)
{
  struct bug *bug = bug_new(rt.engine, BUG_LEAK, bug_key_of(rt.engine, BUG_LEAK, b->alloc_pc, 0));
  bug->detail = (int64_t)b->size;
  bug_text(bug,
           b->size == 1 ? "%lu byte is never freed and nothing points to it"
                        : "%lu bytes are never freed and nothing points to them",
           b->size);
  bug_add_party(rt.engine, bug, (unsigned)(a - arenas), OP_NONE, arena_base(a) + b->offset, (uint32_t)b->size,
                b->alloc_pc);
  bug_declare(rt.engine, bug);
}

void heap_check_leaks(void)
{
  if (!anything_live())
    return;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  count_unreached();
  snapshot_each_root(reach_from);
  for (unsigned i = 0; i < rt.engine->threads; i++) {
    const struct thread *t = &rt.thread[i];
    if (!t->joined)
      reach((uintptr_t)t->result);
    if (t->finished) {
      reach_from_control_block(t->fiber->fs);
      continue;
    }
    reach((uintptr_t)t->arg);
    uintptr_t from = i == self_index() ? here : (uintptr_t)t->fiber->sp;
    if (i == 0 && hd_own.main_returned) /* its frame is gone, though its values may still lie there */
      from = (uintptr_t)hd_own.main_sp;
    if (from - rt.engine->thread[i].stack_low >= rt.engine->thread[i].stack_size) /* in a handler on another stack */
      from = rt.engine->thread[i].handler_sp;
    uintptr_t to = i ? (uintptr_t)t->fiber->stack_high : hd_own.main_strings ? hd_own.main_strings : main_stack_top();
    if (from < to)
      reach_from(from, to - from);
  }
  reach_on();
  for (unsigned i = 0; i < used_arenas; i++)
    for (uint32_t j = 0; j < arenas[i].blocks; j++) {
      struct block *b = &arenas[i].block[j];
      if (!b->reached && could_leak(&arenas[i], b))
        report_leak(&arenas[i], b);
      b->reached = false;
    }
}
