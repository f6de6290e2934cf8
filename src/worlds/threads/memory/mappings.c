/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory mappings the program makes itself: performed, counted against the limit, and unmapped after each
 * execution. */
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/memory/anonymous.h"
#include "worlds/threads/memory/hooked_modules.h"
#include "worlds/threads/memory/segments.h"
#include "worlds/threads/memory/shared_addresses.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define MAPPINGS 1024
#define PAGE 4096u
#define MOST_RENEWED (64 << 20) /* larger mappings are hardly ever made twice at one place */

static struct {
  uint32_t mappings;
  struct {
    uintptr_t start;
    size_t size;
    uintptr_t pc;
    uintptr_t home; /* where the same shared memory is mapped in others, and was first; 0: here */
    long protection;
  } mapping[MAPPINGS];
  uint64_t mapped; /* bytes of private memory this execution mapped */
  bool locked;     /* all that there is, as far as the program can tell */
} state;

/* The heap has the same limit; a program that takes all memory would take that of everybody. */
static void count_memory(const struct call *c)
{
  uint64_t limit = rt.control->config.max_memory;
  if (!(c->arg[2] & PROT_WRITE) || !(c->arg[3] & MAP_PRIVATE) || c->arg[3] & MAP_NORESERVE)
    return;
  if ((uint64_t)c->arg[1] > limit || state.mapped > limit - (uint64_t)c->arg[1])
    fail(place_in_program(0), "the program mapped more than %lu MiB in one execution; raise the limit with --memory",
         (unsigned long)(limit >> 20));
  state.mapped += (uint64_t)c->arg[1];
}

/* The first gap of that size where the program's mappings are; 0: none. */
static uintptr_t find_room(size_t size)
{
  uintptr_t at = MAPPINGS_ADDRESS;
  for (uint32_t i = 0; i < state.mappings; i++) {
    uintptr_t end = state.mapping[i].start + state.mapping[i].size;
    if (at < end && state.mapping[i].start < at + size) {
      at = (end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
      i = UINT32_MAX; /* from the start: they are in no order */
    }
  }
  return size < MAPPINGS_ROOM && at + size <= MAPPINGS_ADDRESS + MAPPINGS_ROOM ? at : 0;
}

static bool is_taken(uintptr_t start, size_t size)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (start < state.mapping[i].start + state.mapping[i].size && state.mapping[i].start < start + size)
      return true;
  return false;
}

/* Where it can be the same memory in all processes; 0: nowhere, but what is in it is known by its home. */
static uintptr_t find_shared_room(const struct call *c, uintptr_t *home)
{
  int fd = c->arg[3] & MAP_ANONYMOUS ? -1 : (int)c->arg[4];
  uintptr_t at = shared_address(fd, (uint64_t)c->arg[5], (size_t)c->arg[1]);
  if (at && !is_taken(at, (size_t)c->arg[1]))
    return at;
  lose(LOST_SHARED); /* the same memory at two addresses */
  *home = at;
  return 0;
}

/* Where the system would put it differs from process to process. */
static struct call placed(const struct call *c, uintptr_t *home)
{
  struct call here = *c;
  if (c->arg[0] || c->arg[3] & (MAP_FIXED | MAP_32BIT | MAP_HUGETLB | MAP_GROWSDOWN))
    return here;
  if ((c->arg[3] & MAP_TYPE) != MAP_PRIVATE)
    here.arg[0] = (long)find_shared_room(c, home);
  if (!here.arg[0])
    here.arg[0] = (long)find_room((size_t)c->arg[1]);
  return here;
}

#define MOST_SEEN (64 << 10) /* of a mapping that goes away: what is larger is only told to be lost */

/* What was there is gone: to others as if it had been written to. Memory that is only protected is no race, but whether
 * an access comes before or after matters. */
static void see_change(const struct call *c)
{
  bool goes = c->number == SYS_munmap || c->number == SYS_mmap || c->number == SYS_mremap ||
              (c->number == SYS_madvise && c->arg[2] == MADV_DONTNEED);
  if ((!goes && c->number != SYS_mprotect) || rt.engine->threads == 1)
    return;
  if (rt.engine->processes > 1 && space_of((uintptr_t)c->arg[0]) == SPACE_SHARED) {
    step_on_everything(c->number, c->pc); /* to the other processes nothing goes */
    return;
  }
  if (c->arg[1] > MOST_SEEN) {
    lose(LOST_CALLS);
    return;
  }
  if (goes) {
    memory_range((void *)c->arg[0], (size_t)c->arg[1], OP_ATOMIC_STORE, c->pc);
    return;
  }
  for (long at = c->arg[0]; at < c->arg[0] + c->arg[1]; at += 8)
    memory_share((uintptr_t)at);
  step_on_everything(c->number, c->pc);
}

/* A file that is given to the program, as any that it reads. */
static bool only_reads(int fd)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

/* Where other processes can have it too (slots.c), it is no change of what the kernel keeps of this one. */
static long map(const struct call *c)
{
  bool plain = c->arg[3] == (MAP_SHARED | MAP_ANONYMOUS) && !hd_own.image;
  if (!plain || !c->arg[1] || !anonymous_may_be((uintptr_t)c->arg[0]))
    return perform(c);
  kernel_state_changed();
  return anonymous_map((uintptr_t)c->arg[0], (size_t)c->arg[1], c->arg[2]);
}

static long do_mmap(const struct call *call)
{
  uintptr_t home = 0;
  const struct call here = placed(call, &home), *c = &here;
  bool of_file = !(c->arg[3] & MAP_ANONYMOUS) && (int)c->arg[4] >= 0;
  bool ours = of_file && overlay_maps((int)c->arg[4], c->arg[2], c->arg[3]);
  count_memory(c);
  if (c->arg[3] & MAP_FIXED) {
    see_change(c);
    memory_settle_writes();
  }
  if (c->arg[3] & MAP_FIXED && in_place())
    change_reset(RESET_FORK, c->pc, "the program maps memory at a fixed address");
  if (c->arg[2] & PROT_EXEC && c->arg[3] & MAP_ANONYMOUS)
    note_generated_code();
  else if (c->arg[2] & PROT_EXEC)
    note_mapped_code((int)c->arg[4]);
  long got = map(c);
  bool done = got > 0 || got < -4095,
       own = of_file && done && segment_mapped(c->arg[4], (uintptr_t)got, (size_t)c->arg[1]);
  if (of_file && !own && !ours && !only_reads((int)c->arg[4]))
    lose(LOST_SHARED); /* its contents are a file's, and anybody's; to a private mapping, too, until it writes there */
  if (done && c->arg[1] <= MOST_RENEWED)
    memory_renew((uintptr_t)got, (size_t)c->arg[1]);
  if (done) {
    if (state.mappings == MAPPINGS && in_place())
      change_reset(RESET_FORK, c->pc, "the program makes more than %d memory mappings", MAPPINGS);
    if (state.mappings < MAPPINGS) {
      state.mapping[state.mappings].start = (uintptr_t)got;
      state.mapping[state.mappings].pc = rt.tracing || rt.naming ? place_in_program(c->pc) : 0;
      state.mapping[state.mappings].home = home;
      state.mapping[state.mappings].protection = c->arg[2];
      hd_own.elsewhere += home != 0;
      state.mapping[state.mappings++].size = (size_t)c->arg[1];
    }
  }
  return got;
}

#define LOOKED_AT 4096 /* pages of a shadow at a time */

/* What was touched has a page of the shadow. */
static void unclaim(uintptr_t start, size_t size)
{
  unsigned char there[LOOKED_AT];
  uintptr_t end = start + ((size + PAGE - 1) & ~(size_t)(PAGE - 1));
  while (start < end) {
    size_t pages = (end - start) / PAGE < LOOKED_AT ? (end - start) / PAGE : LOOKED_AT;
    bool known = sys(SYS_mincore, shadow_word((void *)start), pages * PAGE, there) == 0;
    for (size_t i = 0; i < pages; i++)
      if (!known || there[i] & 1)
        memory_forget(start + i * PAGE, PAGE);
    start += pages * PAGE;
  }
}

bool mapping_find(uintptr_t addr, struct block_info *out)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (addr - state.mapping[i].start < state.mapping[i].size && state.mapping[i].pc) {
      *out = (struct block_info){
          .start = state.mapping[i].start, .size = state.mapping[i].size, .alloc_pc = state.mapping[i].pc};
      return true;
    }
  return false;
}

uintptr_t mapping_home(uintptr_t addr)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (state.mapping[i].home && addr - state.mapping[i].start < state.mapping[i].size)
      return addr - state.mapping[i].start + state.mapping[i].home;
  return addr;
}

uintptr_t mapping_here(uintptr_t home)
{
  for (uint32_t i = 0; hd_own.elsewhere && i < state.mappings; i++)
    if (state.mapping[i].home && home - state.mapping[i].home < state.mapping[i].size)
      return home - state.mapping[i].home + state.mapping[i].start;
  return home;
}

void mappings_unclaim_shared(void)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (space_of(state.mapping[i].start) == SPACE_SHARED)
      unclaim(state.mapping[i].start, state.mapping[i].size);
}

static bool mapped_by_execution(uintptr_t start, size_t size)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (start >= state.mapping[i].start && start + size <= state.mapping[i].start + state.mapping[i].size)
      return true;
  return false;
}

/* The whole of it was unmapped: there is room again. */
static void forget_mapping(uintptr_t start, size_t size)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    if (state.mapping[i].start == start && state.mapping[i].size <= size) {
      hd_own.elsewhere -= state.mapping[i].home != 0;
      state.mapping[i] = state.mapping[--state.mappings];
      return;
    }
}

static long do_mapping_change(const struct call *c)
{
  see_change(c);
  if (c->number == SYS_munmap)
    overlay_settle_mapped();
  memory_settle_writes(); /* it may not be readable any more */
  if (c->number == SYS_mprotect && c->arg[2] & PROT_EXEC &&
      mapped_by_execution((uintptr_t)c->arg[0], (size_t)c->arg[1]))
    note_generated_code();
  if (in_place() && !mapped_by_execution((uintptr_t)c->arg[0], (size_t)c->arg[1]))
    change_reset(RESET_FORK, c->pc, "the program changes memory mappings it was started with");
  if (c->number == SYS_mremap && c->arg[1] == 0)
    lose(LOST_SHARED); /* the same memory at two addresses */
  long result = perform(c);
  rt.unmapped |= c->number != SYS_madvise && c->number != SYS_brk;
  if (c->number == SYS_munmap && result == 0) {
    segment_unmapped((uintptr_t)c->arg[0]);
    forget_mapping((uintptr_t)c->arg[0], (size_t)c->arg[1]);
  }
  if (c->number == SYS_munmap && result == 0)
    state.mapped -= (uint64_t)c->arg[1] < state.mapped ? (uint64_t)c->arg[1] : state.mapped;
  return result;
}

/* Most of what is mapped here is heddle's, and more than there is memory; none of it is ever waited for. */
static long lock_all(const struct call *c)
{
  struct rlimit limit = {0};
  long flags = c->arg[0];
  if (c->number == SYS_munlockall) {
    state.locked = false;
    return 0;
  }
  if (!(flags & (MCL_CURRENT | MCL_FUTURE)) || flags & ~(long)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
    return -EINVAL;
  sys(SYS_prlimit64, 0, RLIMIT_MEMLOCK, NULL, &limit);
  state.locked = limit.rlim_cur || has_capability(CAP_IPC_LOCK);
  return state.locked ? 0 : -EPERM;
}

bool mapping_call(const struct call *c, long *result)
{
  switch (c->number) {
  case SYS_mmap:
    *result = do_mmap(c);
    return true;
  case SYS_munmap:
  case SYS_mprotect:
  case SYS_madvise:
  case SYS_mremap:
  case SYS_brk:
    *result = do_mapping_change(c);
    return true;
  case SYS_mlockall:
  case SYS_munlockall:
    *result = lock_all(c);
    return true;
  case SYS_msync:
    overlay_settle_mapped();
    *result = -EBUSY;
    return state.locked && c->arg[2] & MS_INVALIDATE;
  }
  return false;
}

void mappings_reset(void)
{
  for (uint32_t i = 0; i < state.mappings; i++)
    sys(SYS_munmap, state.mapping[i].start, state.mapping[i].size);
  state.mappings = hd_own.elsewhere = 0;
  state.mapped = 0;
  state.locked = false;
  rt.unmapped = false;
}

/* ---- a process that becomes the copy of another ---- */

bool mappings_shared(struct shared_mappings *out)
{
  if (state.mappings > MAPPED_MOST)
    return false;
  out->count = state.mappings;
  for (uint32_t i = 0; i < state.mappings; i++) {
    out->mapping[i].start = state.mapping[i].start;
    out->mapping[i].size = state.mapping[i].size;
    out->mapping[i].protection = state.mapping[i].protection;
  }
  return true;
}

void mappings_become(const struct shared_mappings *before, const struct shared_mappings *now)
{
  uint32_t same = 0;
  while (same < before->count && same < now->count && before->mapping[same].start == now->mapping[same].start &&
         before->mapping[same].size == now->mapping[same].size &&
         before->mapping[same].protection == now->mapping[same].protection)
    same++;
  for (uint32_t i = same; i < before->count; i++)
    sys(SYS_munmap, before->mapping[i].start, before->mapping[i].size);
  for (uint32_t i = same; i < now->count; i++)
    if (anonymous_map(now->mapping[i].start, now->mapping[i].size, now->mapping[i].protection) < 0)
      fail(0, "no memory for another process of the program");
}
