/* SPDX-License-Identifier: Apache-2.0
 *
 * The snapshot: putting the program's memory back to its start, in place.
 *
 * All writable private mappings but the runtime's own are made read-only. The first write to a page faults once; its
 * clean copy is kept and it stays writable from then on. A restore copies back every page that was dirtied, so
 * after a few executions there are no faults any more. Now and then, ever more rarely, those that need not be copied
 * after all are protected again: what only the first executions wrote to. Not tracked but always copied: the initial
 * stack just above main. Stacks of other threads are not put back at all; each thread finds the top of its stack
 * zeroed. Fresh heap memory is filled by the allocator, so only the heap in use at the snapshot is tracked.
 */
#include "worlds/threads/memory/snapshot.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/heap.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/process/maps.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/thread/fiber.h"
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096u
#define REGIONS (512 + MAX_THREADS)
#define PAGES (1u << 18) /* dirty pages at most: 1 GiB */

struct saved_region {
  uintptr_t start, end;
};

struct copy { /* always copied */
  uintptr_t start;
  size_t size;
  char *saved;
};

static struct {
  struct saved_region region[REGIONS];
  size_t regions;
  uintptr_t *page; /* addresses of the dirty pages */
  char *page_saved;
  uint32_t pages;
  uint64_t restores;
  struct copy main_stack;
  struct saved_region tls[MAX_THREADS]; /* of each fiber */
  struct saved_region own[4];           /* libheddle.so's writable segments */
  uintptr_t own_constant;               /* what is below it of them is only read */
  size_t owns;
  uintptr_t stack_top; /* of the initial thread */
  bool taken;
} snap;

static int note_own_segments(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_GNU_RELRO && (uintptr_t)&op_table >= start && (uintptr_t)&op_table < start + p->p_memsz)
      snap.own_constant = (start + p->p_memsz) & ~(uintptr_t)(PAGE - 1);
    if (p->p_type == PT_LOAD && (uintptr_t)&snap >= start && (uintptr_t)&snap < start + p->p_memsz)
      snap.own[snap.owns++] = (struct saved_region){start & ~(uintptr_t)(PAGE - 1), start + p->p_memsz};
  }
  return 0;
}

static void find_own_segments(void)
{
  if (!snap.owns)
    dl_iterate_phdr(note_own_segments, NULL);
}

static bool overlaps(uintptr_t start, uintptr_t end, uintptr_t low, uintptr_t high)
{
  return start < high && low < end;
}

/* A fiber's TLS, and where it is; MAX_THREADS if the mapping holds none. */
static unsigned fiber_in(const struct mapping *m)
{
  for (unsigned i = 1; i < hd_own.fibers; i++)
    if (hd_own.fiber[i].fs >= m->start && hd_own.fiber[i].fs < m->end)
      return i;
  return MAX_THREADS;
}

static void save_copy(struct copy *c, uintptr_t start, size_t size)
{
  if (!c->saved || c->size < size)
    c->saved = private_memory(size);
  c->start = start;
  c->size = size;
  copy_bytes(c->saved, (void *)start, size);
}

static void add_region(uintptr_t start, uintptr_t end)
{
  for (size_t i = 0; i < snap.owns; i++)
    if (overlaps(start, end, snap.own[i].start, snap.own[i].end)) {
      /* Ours may share a mapping with others only at its edges. */
      if (start < snap.own[i].start)
        add_region(start, snap.own[i].start);
      uintptr_t after = (snap.own[i].end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
      if (end > after)
        add_region(after, end);
      return;
    }
  if (snap.regions == REGIONS)
    fail(0, "the program has more than %d writable mappings; use --reset fork", REGIONS - MAX_THREADS);
  snap.region[snap.regions++] = (struct saved_region){start, end};
}

/* Two adjacent stacks may be one mapping, so a mapping with fibers is cut at each fiber's own top. */
static void consider(const struct mapping *m)
{
  if (!m->writable || m->shared || overlaps(m->start, m->end, PRIVATE_ADDRESS, PRIVATE_ADDRESS + PRIVATE_SIZE))
    return;
  if (m->stack) {
    /* Signal frames are written by the kernel, below where main's frames begin: that page cannot be protected. */
    uintptr_t near = (hd_own.main_high + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    near = near < m->end ? near : m->end;
    snap.stack_top = m->end;
    save_copy(&snap.main_stack, (uintptr_t)hd_own.main_sp, near - (uintptr_t)hd_own.main_sp);
    if (near < m->end)
      add_region(near, m->end);
    return;
  }
  if (heap_contains(m->start)) {
    uintptr_t start;
    size_t used = heap_used(&start);
    if (used)
      add_region(start, start + ((used + PAGE - 1) & ~(size_t)(PAGE - 1)));
    return;
  }
  unsigned fiber = fiber_in(m);
  if (fiber == MAX_THREADS) {
    add_region(m->start, m->end);
    return;
  }
  snap.tls[fiber] = (struct saved_region){(uintptr_t)hd_own.fiber[fiber].home_high, m->end};
  add_region(snap.tls[fiber].start, m->end);
}

static void protect(void)
{
  for (size_t i = 0; i < snap.regions; i++)
    sys(SYS_mprotect, snap.region[i].start, snap.region[i].end - snap.region[i].start, PROT_READ);
}

void snapshot_take(void)
{
  static struct mapping mapping[4096];
  if (!snap.page) {
    snap.page = private_memory(PAGES * sizeof *snap.page);
    snap.page_saved = private_memory((size_t)PAGES * PAGE);
    find_own_segments();
    unregister_rseq();
  }
  snap.regions = snap.pages = 0;
  size_t n = maps_read(mapping, sizeof mapping / sizeof *mapping);
  for (size_t i = 0; i < n; i++)
    consider(&mapping[i]);
  protect();
  snap.taken = true;
}

static bool tracked(uintptr_t page)
{
  for (size_t i = 0; i < snap.regions; i++)
    if (page >= snap.region[i].start && page < snap.region[i].end)
      return true;
  return false;
}

static char *clean_copy(uint32_t i)
{
  return snap.page_saved + (size_t)i * PAGE;
}

bool snapshot_fault(uintptr_t addr)
{
  uintptr_t page = addr & ~(uintptr_t)(PAGE - 1);
  if (!snap.taken || !tracked(page))
    return false;
  for (uint32_t i = 0; i < snap.pages; i++)
    if (snap.page[i] == page)
      return false; /* it is writable already: a real fault */
  if (snap.pages == PAGES)
    fail(0, "the program changes more than 1 GiB of memory; use --reset fork");
  copy_bytes(clean_copy(snap.pages), (void *)page, PAGE);
  snap.page[snap.pages++] = page;
  sys(SYS_mprotect, page, (long)PAGE, PROT_READ | PROT_WRITE);
  return true;
}

void snapshot_touch(uintptr_t addr, size_t size)
{
  if (!snap.taken || !size)
    return;
  for (uintptr_t page = addr & ~(uintptr_t)(PAGE - 1); page < addr + size; page += PAGE)
    if (tracked(page))
      snapshot_fault(page);
}

static void restore_copy(const struct copy *c)
{
  copy_bytes((void *)c->start, c->saved, c->size);
}

static bool is_clean(uint32_t i)
{
  const uint64_t *now = (const uint64_t *)snap.page[i], *then = (const uint64_t *)clean_copy(i);
  for (size_t word = 0; word < PAGE / sizeof *now; word++)
    if (now[word] != then[word])
      return false;
  return true;
}

static void protect_clean_pages(void)
{
  for (uint32_t i = snap.pages; i-- > 0;) {
    if (!is_clean(i))
      continue;
    sys(SYS_mprotect, snap.page[i], (long)PAGE, PROT_READ);
    snap.page[i] = snap.page[--snap.pages];
    if (i != snap.pages)
      copy_bytes(clean_copy(i), clean_copy(snap.pages), PAGE);
  }
}

#define FIRST_REVIEW 64 /* then twice as many executions later each time: what it costs is soon forgotten */

void snapshot_restore(void)
{
  snap.restores++;
  if (snap.restores >= FIRST_REVIEW && !(snap.restores & (snap.restores - 1)))
    protect_clean_pages();
  for (uint32_t i = 0; i < snap.pages; i++)
    copy_bytes((void *)snap.page[i], clean_copy(i), PAGE);
  restore_copy(&snap.main_stack);
  heap_reset();
}

uintptr_t main_stack_top(void)
{
  return snap.stack_top;
}

/* A thread that has ended leaves its TLS behind, and what it knew is known to nobody any more. */
static bool is_of_fiber(uintptr_t page)
{
  return page - STACKS_ADDRESS < MAX_THREADS * STACK_ROOM;
}

void snapshot_each_root(part_visitor *visit)
{
  if (snap.taken) {
    for (uint32_t i = 0; i < snap.pages; i++)
      if (!is_of_fiber(snap.page[i]))
        visit(snap.page[i], PAGE);
    for (uint32_t i = 1; i < rt.engine->threads; i++) {
      if (rt.thread[i].finished)
        continue;
      const struct saved_region *tls = &snap.tls[rt.thread[i].fiber - hd_own.fiber];
      visit(tls->start, tls->end - tls->start);
    }
    return;
  }
  static struct mapping mapping[4096];
  size_t n = maps_read(mapping, sizeof mapping / sizeof *mapping);
  find_own_segments();
  for (size_t i = 0; i < n; i++) {
    const struct mapping *m = &mapping[i];
    if (overlaps(m->start, m->end, snap.own[0].start, snap.own[0].end))
      continue;
    if (m->stack)
      snap.stack_top = m->end;
    if (!m->writable || m->shared || m->stack || heap_contains(m->start) ||
        overlaps(m->start, m->end, PRIVATE_ADDRESS, PRIVATE_ADDRESS + PRIVATE_SIZE))
      continue;
    unsigned fiber = fiber_in(m);
    if (fiber < MAX_THREADS && (fiber >= rt.engine->threads || rt.thread[fiber].finished))
      continue;
    uintptr_t start = fiber < MAX_THREADS ? (uintptr_t)hd_own.fiber[fiber].home_high : m->start;
    visit(start, m->end - start);
  }
}

/* ---- copies of processes ---- */

void snapshot_each_part(part_visitor *visit)
{
  for (uint32_t i = 0; i < snap.pages; i++)
    visit(snap.page[i], PAGE);
}

void snapshot_renew(bool (*is_known)(uint32_t nth, uintptr_t start))
{
  for (uint32_t i = 0; i < snap.pages; i++)
    if (!is_known(i, snap.page[i]))
      copy_bytes((void *)snap.page[i], clean_copy(i), PAGE);
}

uintptr_t snapshot_stack_end(void)
{
  return snap.main_stack.start + snap.main_stack.size;
}

void snapshot_variables(uintptr_t *start, uintptr_t *end)
{
  *start = snap.own_constant ? snap.own_constant : snap.own[0].start;
  *end = (uintptr_t)__start_heddle_system;
}

void snapshot_own_variables(uintptr_t *start, uintptr_t *end)
{
  *start = (uintptr_t)&snap;
  *end = (uintptr_t)(&snap + 1);
}
