/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits in a loop for memory that nobody else has touched yet would wait for ever, since private memory
 * is no scheduling point. So a thread that has run long without one is watched for a moment. If it comes back to where
 * it was with all its registers and its stack the same, only another thread can end that loop: what it reads there is
 * shared memory, and a scheduling point from now on. A loop that merely takes long has something that changes; but what
 * ends it may be another thread's doing all the same (while (!stop) n++), so it takes a step then, and others have a
 * chance.
 *
 * Also: the number for a thread's private state, by which exhaustive search knows loops that wait.
 */
#include "worlds/threads/memory/spinning.h"
#include "worlds/threads/runtime.h"

#define WATCHED 4096   /* accesses */
#define READ_MOST 64   /* words in the loop */
#define FRAMES_MOST 16 /* of ours between the program and here */

static struct {
  uint32_t left; /* accesses still to watch; 0: not watching */
  struct {
    uintptr_t pc, addr; /* pc 0: not chosen yet */
    uint64_t local;
  } anchor; /* where it was */
  uint32_t reads;
  uintptr_t read[READ_MOST];
} watch;

uint64_t hd_operand;

/* The runtime is compiled so that it leaves these registers alone (meson.build): they are still the program's. Its
 * frame pointer is in the frame of the function that the program called, and its stack begins above. */
#define KEPT(name, into) __asm__ volatile("movq %%" name ", %0" : "=r"(into))

static uint64_t mixed(uint64_t h, uint64_t word)
{
  h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
  return h ^ h >> 29;
}

static inline uint64_t folded(uint64_t a, uint64_t b)
{
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Four words at a time, by two multiplications that do not wait for each other. */
static uint64_t mixed_range(uint64_t h, const uintptr_t *at, const uintptr_t *end)
{
  uint64_t even = h, odd = ~h;
  for (; end - at >= 4; at += 4) {
    even = folded(at[0] ^ UINT64_C(0xa0761d6478bd642f), at[1] ^ even);
    odd = folded(at[2] ^ UINT64_C(0xe7037ed1a0b428db), at[3] ^ odd);
  }
  for (; at < end; at++)
    even = mixed(even, *at);
  return mixed(even, odd);
}

#ifdef HEDDLE_REGISTERS_KEPT
/* Above its frames lie its thread-local variables, then what glibc keeps of it, which is not the program's. */
static uintptr_t end_of_state(const struct fiber *fiber)
{
  uintptr_t high = (uintptr_t)fiber->stack_high;
  return fiber->fs > (uintptr_t)fiber->stack_low && fiber->fs < high ? fiber->fs : high;
}

uint64_t local_state(uintptr_t pc)
{
  memory_settle_writes();
  uint64_t h = mixed(mixed(hd_self->foreign_writes, hd_operand), rt.engine->locations), kept;
  hd_operand = 0;
  unsigned me = self_index();
  const struct fiber *fiber = rt.thread[me].fiber;
  uintptr_t high = fiber == hd_own.fiber ? hd_own.main_high : end_of_state(fiber);
  const uintptr_t *frame = __builtin_frame_address(0);
  for (unsigned n = 0; frame[1] != pc; n++) {
    const uintptr_t *up = (const uintptr_t *)frame[0];
    if (n == FRAMES_MOST || up <= frame || (uintptr_t)up >= high)
      return 0; /* called by way of something else: not known */
    frame = up;
  }
  if ((uintptr_t)frame - hd_self->stack_low >= hd_self->stack_size)
    return 0; /* in a handler on another stack */
  KEPT("rbx", kept);
  h = mixed(h, kept);
  KEPT("r12", kept);
  h = mixed(h, kept);
  KEPT("r13", kept);
  h = mixed(h, kept);
  KEPT("r14", kept);
  h = mixed(h, kept);
  KEPT("r15", kept);
  h = mixed(h, kept);
  h = mixed(h, frame[0]);
  return mixed_range(h, frame + 2, (const uintptr_t *)high) | 1;
}
#else
uint64_t local_state(uintptr_t pc)
{
  (void)pc, (void)mixed_range;
  return 0; /* not known */
}
#endif

void spinning_look(void)
{
  if (rt.engine->threads < 2 || watch.left)
    return;
  watch.left = WATCHED;
  watch.anchor.pc = 0;
  watch.reads = 0;
  rt.keeps_local |= LOCAL_FOR_SPIN;
  memory_see_all();
}

static void stop_looking(void)
{
  watch.left = 0;
  rt.keeps_local &= (uint8_t)~LOCAL_FOR_SPIN;
  memory_tag_thread(self_index());
}

void spinning_stepped(void)
{
  if (unlikely(watch.left))
    stop_looking();
}

static void remember(uintptr_t granule)
{
  if (watch.reads == READ_MOST)
    return;
  for (uint32_t i = 0; i < watch.reads; i++)
    if (watch.read[i] == granule)
      return;
  watch.read[watch.reads++] = granule;
}

/* Whether the access is the one that it was watched from, and all is as it was then. Its state is looked at nowhere
 * else, as that takes longer than most programs take between two accesses. */
static bool is_back(uintptr_t addr, uintptr_t pc)
{
  if (!watch.anchor.pc) {
    watch.anchor.pc = pc;
    watch.anchor.addr = addr;
    watch.anchor.local = local_state(pc);
    return false;
  }
  return watch.anchor.pc == pc && watch.anchor.addr == addr && watch.reads && watch.anchor.local &&
         watch.anchor.local == local_state(pc);
}

bool spinning_access(uintptr_t addr, enum op_kind kind, uintptr_t pc, bool *weary)
{
  if (likely(!watch.left))
    return false;
  if (is_back(addr, pc)) {
    for (uint32_t i = 0; i < watch.reads; i++)
      memory_share(watch.read[i]);
    stop_looking();
    return true;
  }
  if (!op_writes_memory(kind) || kind == OP_ATOMIC_RMW)
    remember(addr & ~UINT64_C(7)); /* on its own stack too, where the node of a queue lock may be */
  if (--watch.left)
    return false;
  stop_looking();
  *weary = true;
  return true;
}
