/* SPDX-License-Identifier: Apache-2.0
 *
 * Fibers: stacks and thread-local storage to run virtual threads on. Each is borrowed from a real thread that glibc
 * made and that parks for ever, so that TLS, errno, the locale and pthread_self() are as glibc set them up. main
 * (fiber 0) keeps the stack and TLS of the initial thread.
 */
#include "worlds/threads/thread/fiber.h"
#include "core/without_libc.h"
#include "worlds/threads/runtime.h"
#include <errno.h>
#include <linux/futex.h>
#include <linux/rseq.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

void fiber_first_frame(void);
_Noreturn void park_thread(uint32_t *parked, uint32_t all);

static size_t stack_size;
size_t fiber_stack_size(void)
{
  return stack_size;
}

void fiber_settle(struct fiber *fiber, char *low, size_t size)
{
  fiber->stack_low = low ? low : fiber->home_low;
  fiber->stack_high = low ? low + size : fiber->home_high;
}

void unregister_rseq(void)
{
  if (__rseq_size)
    sys(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, 32L, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

static uint32_t parked;     /* how many are */
static uint32_t all_parked; /* how many are to be */

/* Several of these run at once: nothing here may allocate. */
static void *park(void *arg)
{
  struct fiber *fiber = arg;
  uint64_t all = ~UINT64_C(0);
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
  unregister_rseq();
  fiber->tid = (int)sys(SYS_gettid);
  fiber->fs = tls_base();
  fiber->home_low = (char *)fiber->fs - stack_size; /* nearly: only to recognise an overflow */
  /* What is below this frame is free for the fiber; the parked thread never wakes up to miss it. The fiber shares no
   * page with it, nor with the thread-local variables above, so that these need not be put back unless written to. */
  fiber->home_high = (char *)(((uintptr_t)__builtin_frame_address(0) - 1024) & ~UINT64_C(4095));
  fiber_settle(fiber, NULL, 0);
  park_thread(&parked, all_parked);
}

/* Below the end of its room, so that stacks of all sizes end at the same address, and never reach a whole huge page.
 * Not all of them at the same place of it: few of many would fit into the caches of addresses, which go by the last
 * bits. */
#define ABOVE_STACK (64 << 10)
#define STACK_PLACES 256

static void place_stack(pthread_attr_t *attr, uint32_t i)
{
  size_t size = (stack_size + 4095) & ~(size_t)4095;
  uintptr_t low = STACKS_ADDRESS + (i + 1) * STACK_ROOM - ABOVE_STACK - i % STACK_PLACES * 4096 - size;
  long got = size < STACK_ROOM - 2 * ABOVE_STACK
                 ? sys(SYS_mmap, low, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0)
                 : -1;
  if (got != (long)low || pthread_attr_setstack(attr, (void *)low, size))
    fail(0, "no address space for the stacks of threads (see ulimit -v)");
}

void boot_pool(void)
{
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  if (rt.control->wish.stack_size)
    pthread_attr_setstacksize(&attr, rt.control->wish.stack_size);
  pthread_attr_getstacksize(&attr, &stack_size);
  hd_own.fiber[0].tid = (int)sys(SYS_gettid);
  hd_own.fiber[0].fs = tls_base();
  uint32_t wanted = rt.control->wish.pool_threads;
  uint32_t before = hd_own.fibers ? hd_own.fibers : 1;
  all_parked = wanted - 1;
  for (uint32_t i = before; i < wanted; i++) {
    pthread_t thread;
    place_stack(&attr, i);
    int error = REAL(pthread_create)(&thread, &attr, park, &hd_own.fiber[i]);
    if (error == EPERM)
      fail(0, "cannot start threads: the system call clone3 is not permitted");
    if (error)
      fail(0, "cannot start %u threads: the system's limit of processes or memory is reached", wanted);
  }
  pthread_attr_destroy(&attr);
  for (uint32_t now; (now = __atomic_load_n(&parked, __ATOMIC_SEQ_CST)) < all_parked;)
    sys(SYS_futex, &parked, FUTEX_WAIT_PRIVATE, (long)now, NULL, NULL, 0);
  hd_own.fibers = wanted;
}

#define MAIN_DEPTH (8 << 20)
#define SCRUBBED 4096 /* bytes at least that are filled, which costs less than the kernel does */
#define FILLED_MOST (64 << 10)

/* Fills what was used of a stack so far; below is nothing but zeros that the kernel would give. */
static void fill_used(struct fiber *fiber, char *high)
{
  char *from = high - SCRUBBED;
  if (rt.keeps_local)
    from = fiber->used_from && fiber->used_from < from ? fiber->used_from : (char *)((uintptr_t)from & ~UINT64_C(4095));
  fill_bytes(from, 0, (size_t)(high - from));
}

/* What was used beyond that by an execution is filled from now on; what is too far down is given back. */
static void find_used(struct fiber *fiber, char *low, char *high)
{
  unsigned char there[FILLED_MOST / 4096];
  char *top = (char *)(((uintptr_t)high - SCRUBBED) & ~UINT64_C(4095));
  char *page = top - FILLED_MOST, *lowest = (char *)(((uintptr_t)low + 4095) & ~UINT64_C(4095));
  page = page < lowest ? lowest : page;
  if (page >= top)
    return;
  fiber->used_from = fiber->used_from ? fiber->used_from : top;
  if (sys(SYS_mincore, page, top - page, there) == 0)
    for (size_t i = 0; page < fiber->used_from && !(there[i] & 1); i++)
      page += 4096;
  if (page < fiber->used_from)
    fiber->used_from = page;
  sys(SYS_madvise, lowest, fiber->used_from - lowest, MADV_DONTNEED);
}

/* A page that was never used, or given back, is there only after a fault. */
static bool faulted(void)
{
  static long before;
  struct rusage used;
  sys(SYS_getrusage, RUSAGE_THREAD, &used);
  long faults = used.ru_minflt + used.ru_majflt;
  bool more = faults != before;
  before = faults;
  return more;
}

void stacks_scrub(void)
{
  char *main_high = hd_own.main_sp, *main_low = (char *)((uintptr_t)main_high & ~UINT64_C(4095)) - MAIN_DEPTH;
  if (!rt.keeps_local)
    return; /* those of other threads when they begin */
  if (faulted()) {
    find_used(&hd_own.fiber[0], main_low, main_high);
    for (uint32_t i = 1; i < hd_own.fibers; i++)
      find_used(&hd_own.fiber[i], hd_own.fiber[i].home_low, hd_own.fiber[i].home_high);
  }
  fill_used(&hd_own.fiber[0], main_high);
}

void fiber_prepare(struct fiber *fiber, void (*entry)(void))
{
  if (fiber->stack_high == fiber->home_high)
    fill_used(fiber, fiber->stack_high);
  void **sp = (void **)((uintptr_t)fiber->stack_high & ~UINT64_C(15));
  *--sp = NULL; /* two words: calls are made from an aligned stack */
  *--sp = NULL;
  struct left_stack *left = (struct left_stack *)sp - 1;
  left->returns_to = (uintptr_t)fiber_first_frame; /* which calls what is in r12 */
  left->r12 = (uintptr_t)entry;
  /* how to round and so on: as the creator does */
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(left->mxcsr), "=m"(left->x87));
  fiber->sp = left;
}
