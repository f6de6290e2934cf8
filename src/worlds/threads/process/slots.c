/* SPDX-License-Identifier: Apache-2.0
 *
 * See slots.h.
 */
#include "worlds/threads/process/slots.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/heap.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/thread/fiber.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096u
#define PARTS 1024
#define ROOM (UINT64_C(2) << 20) /* with more memory to copy the kernel is as fast */
#define STACK (64 << 10)
#define VARIABLES_PAGES 4096

/* What a process was when it forked. */
struct image {
  struct context context;
  uintptr_t fs;
  struct shared_mappings mapped;
  unsigned char used[VARIABLES_PAGES]; /* of the runtime's variables */
  uint32_t first_page;                 /* the first part that is the snapshot's */
  uint32_t parts;
  uint64_t bytes_used;
  struct {
    uintptr_t at;
    size_t size;
    uint64_t place; /* in bytes */
  } part[PARTS];
  char bytes[ROOM];
};

static struct slot {
  int real;    /* the kernel's number; 0: none is kept */
  int ended;   /* of the one that was; the first process has to reap it */
  bool staged; /* it is to become what the image says */
  struct image *image;
} slots[PROCESSES] SYSTEM;

/* Of each process alone: never copied. */
static struct {
  char *stack;          /* to become another one on */
  unsigned char *there; /* pages of the runtime's variables that are used */
  long faults;          /* when that was asked: a page is used only after a fault */
} own;

/* ---- who is kept ---- */

int slot_real(unsigned process)
{
  return slots[process].real;
}

void slot_filled(unsigned process, int real)
{
  slots[process].real = real;
  slots[process].staged = false;
}

void slot_empty(unsigned process)
{
  if (slots[process].real)
    sys(SYS_kill, slots[process].real, SIGKILL);
  slots[process].ended = slots[process].real;
  slot_filled(process, 0);
}

void slot_reap(unsigned process)
{
  while (slots[process].ended && sys(SYS_wait4, slots[process].ended, NULL, __WALL, NULL) == -EINTR)
    ;
  slots[process].ended = 0;
}

static bool is_possible(void)
{
  return rt.control->reset == RESET_SNAPSHOT && !hd_own.embedded && !hd_own.image && !rt.naming;
}

bool slot_keeps(unsigned process)
{
  return process && slots[process].real && is_possible() && !rt.process[process].changed;
}

/* ---- the variables of the runtime ---- */

extern char __bss_start[] __attribute__((visibility("hidden")));

struct range {
  uintptr_t start, end;
};

/* Without what is each process's alone, however it began. */
static void visit_but(struct range r, const struct range *except, unsigned n, part_visitor *visit)
{
  for (; n && (except->end <= r.start || except->start >= r.end); n--)
    except++;
  if (!n) {
    if (r.start < r.end)
      visit(r.start, r.end - r.start);
    return;
  }
  visit_but((struct range){r.start, except->start > r.start ? except->start : r.start}, except + 1, n - 1, visit);
  visit_but((struct range){except->end < r.end ? except->end : r.end, r.end}, except + 1, n - 1, visit);
}

static void find_used(uintptr_t start, size_t pages)
{
  struct rusage used;
  sys(SYS_getrusage, RUSAGE_THREAD, &used);
  if (own.faults == used.ru_minflt)
    return;
  own.faults = used.ru_minflt;
  if (pages > VARIABLES_PAGES || sys(SYS_mincore, start, pages * PAGE, own.there))
    fail(0, "the kernel does not say which memory is used (mincore)");
  for (size_t i = 0; start + i * PAGE < (uintptr_t)__bss_start; i++)
    own.there[i] = 1;
}

/* In pages that are used, but for those that somebody else has. */
static void each_variable(const unsigned char *but, part_visitor *visit)
{
  struct range all, except[2] = {{(uintptr_t)&own, (uintptr_t)(&own + 1)}};
  snapshot_variables(&all.start, &all.end);
  snapshot_own_variables(&except[1].start, &except[1].end);
  size_t pages = (all.end - all.start) / PAGE;
  find_used(all.start, pages);
  for (size_t i = 0; i < pages; i++)
    if (own.there[i] & 1 && !(but && but[i] & 1)) {
      uintptr_t page = all.start + i * PAGE;
      visit_but((struct range){page, page + PAGE}, except, 2, visit);
    }
}

/* ---- leaving what it is ---- */

static struct image *leaving; /* NULL: there was not enough room */

/* Where in a page it comes from, there in a page it goes: to the processor stores that are a little ahead of loads look
 * like stores to the same memory, and the copy would be several times as slow. */
static void leave_part(uintptr_t at, size_t size)
{
  if (!leaving || !size)
    return;
  uint64_t place = leaving->bytes_used + ((at - (uintptr_t)(leaving->bytes + leaving->bytes_used)) & (PAGE - 1));
  if (leaving->parts == PARTS || place > ROOM || size > ROOM - place) {
    leaving = NULL;
    return;
  }
  copy_bytes(leaving->bytes + place, (void *)at, size);
  leaving->bytes_used = place + size;
  leaving->part[leaving->parts].at = at;
  leaving->part[leaving->parts].place = place;
  leaving->part[leaving->parts++].size = size;
}

/* What the thread has on its stack; false: it runs on another one. */
static bool leave_stack(unsigned thread, uintptr_t from)
{
  const struct fiber *f = rt.thread[thread].fiber;
  const struct thread_state *state = &rt.engine->thread[thread];
  if (from - state->stack_low >= state->stack_size)
    return false;
  if (f == &hd_own.fiber[0])
    leave_part(from, snapshot_stack_end() - from);
  else if (f->stack_high == f->home_high)
    leave_part(from, (uintptr_t)f->home_high - from);
  return true;
}

static bool leave_stacks(uintptr_t sp)
{
  unsigned me = self_index();
  bool main_left = false;
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    const struct thread *thread = &rt.thread[t];
    if (thread->process != hd_own.process || thread->finished || thread->system)
      continue;
    if (!leave_stack(t, t == me ? sp : (uintptr_t)thread->fiber->sp))
      return false;
    main_left |= thread->fiber == &hd_own.fiber[0];
  }
  if (!main_left)
    leave_part((uintptr_t)hd_own.main_sp, snapshot_stack_end() - (uintptr_t)hd_own.main_sp);
  return true;
}

static bool leave_image(struct image *image)
{
  leaving = image;
  image->parts = 0;
  image->bytes_used = 0;
  image->fs = rt.thread[self_index()].fiber->fs;
  if (!mappings_shared(&image->mapped) || !leave_stacks(image->context.sp))
    return false;
  image->first_page = image->parts;
  snapshot_each_part(leave_part);
  heap_each_part(leave_part);
  each_variable(NULL, leave_part);
  copy_bytes(image->used, own.there, sizeof image->used);
  return leaving;
}

static bool is_ready(struct slot *slot)
{
  if (!slot->real || rt.process[hd_own.process].changed || !is_possible())
    return false;
  slot->image = slot->image ? slot->image : system_memory(sizeof *slot->image);
  return slot->image;
}

bool slot_copy(unsigned process, bool *copied)
{
  struct slot *slot = &slots[process];
  if (!own.stack) { /* also for those that are forked from here */
    own.stack = private_memory(STACK);
    own.there = private_memory(VARIABLES_PAGES);
  }
  if (!is_ready(slot))
    return false;
  if (capture_context(&slot->image->context)) {
    *copied = true;
    return true;
  }
  return slot->staged = leave_image(slot->image);
}

/* ---- becoming it ---- */

static void clear(uintptr_t at, size_t size)
{
  fill_bytes((void *)at, 0, size);
}

static bool is_left(uint32_t nth, uintptr_t start)
{
  const struct image *image = slots[hd_own.seat].image;
  uint32_t part = image->first_page + nth;
  return part < image->parts && image->part[part].at == start;
}

static void become(void)
{
  struct slot *slot = &slots[hd_own.seat];
  const struct image *image = slot->image;
  struct shared_mappings before;
  mappings_shared(&before);
  heap_reset();
  snapshot_renew(is_left);
  each_variable(image->used, clear);
  for (uint32_t i = 0; i < image->parts; i++) {
    snapshot_touch(image->part[i].at, image->part[i].size);
    copy_bytes((void *)image->part[i].at, image->bytes + image->part[i].place, image->part[i].size);
  }
  mappings_become(&before, &image->mapped);
  slot->staged = false;
  set_tls_base(image->fs);
  resume_context(&image->context);
}

void slot_look(void)
{
  if (hd_own.seat && hd_own.seat < PROCESSES && slots[hd_own.seat].staged)
    run_on_stack(own.stack + STACK, become);
}
