/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel sends to the process: faults, which track dirty pages, are the program's own affair or are crashes;
 * and the command line asking where the program is stuck. Also where a thread is, by unwinding its stack. The signals
 * that the program sends itself are in signals.c.
 */
#include "worlds/threads/system/faults.h"
#include "core/finding.h"
#include "core/hash.h"
#include "core/without_libc.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/alternate_stack.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unwind.h>

#define ALT_STACK (128 << 10)
#define ANSWER_HELD_MS 3000L

/* ---- where a thread is, by unwinding ---- */

struct backtrace {
  uintptr_t *pc;
  unsigned depth, max;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *arg)
{
  struct backtrace *b = arg;
  int interrupted = 0;
  uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
  if (!pc)
    return _URC_END_OF_STACK;
  if (interrupted)
    b->depth =
        0; /* the frames so far are a signal handler's: ours, since the program's are called without the kernel */
  if (!in_runtime(pc) && b->depth < b->max)
    b->pc[b->depth++] = pc;
  return b->depth < b->max ? _URC_NO_REASON : _URC_END_OF_STACK;
}

unsigned unwind_stack(uintptr_t *pc, unsigned max)
{
  struct backtrace b = {pc, 0, max};
  struct thread_state *self = hd_self;
  hd_self = NULL; /* what the unwinder calls is not the program's doing */
  _Unwind_Backtrace(note_frame, &b);
  hd_self = self;
  return b.depth;
}

/* ---- places in the program, remembered ----
 *
 * Unwinding takes microseconds, and executions come to the same calls again and again. Where each return address lies
 * follows from the stack pointer and from the return addresses below it; so if a place was asked for at this very frame
 * before and they are all where they were, innermost first, the answer is the same. */

#define PLACES 256
#define PLACE_CALLS 28

struct walked_place {
  uintptr_t frame, otherwise, place; /* frame 0: none */
  unsigned depth;                    /* of libraries' functions above it */
  unsigned calls;
  struct {
    const uintptr_t *slot;
    uintptr_t pc;
  } call[PLACE_CALLS];
};

struct place_search {
  struct backtrace stack;
  struct walked_place *known;
  uintptr_t frame, last_cfa;
  bool known_fits;
};

static struct walked_place known_places[PLACES];

/* Where the unwinder has the address from: what the call pushed or, if a signal came, what the kernel saved. */
static const uintptr_t *slot_of_return(const struct place_search *s, uintptr_t cfa, bool interrupted)
{
  return interrupted ? (const uintptr_t *)&((const ucontext_t *)s->last_cfa)->uc_mcontext.gregs[REG_RIP]
                     : (const uintptr_t *)cfa - 1;
}

static _Unwind_Reason_Code note_call(struct _Unwind_Context *context, void *arg)
{
  struct place_search *s = arg;
  struct walked_place *k = s->known;
  int interrupted = 0;
  uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted), cfa = _Unwind_GetCFA(context);
  if (pc && cfa > s->frame) { /* not the calls of the unwinder itself */
    const uintptr_t *slot = slot_of_return(s, cfa, interrupted);
    bool on_same_stack = cfa > s->last_cfa;
    s->known_fits = s->known_fits && on_same_stack && k->calls < PLACE_CALLS && *slot == pc;
    if (s->known_fits) {
      k->call[k->calls].slot = slot;
      k->call[k->calls++].pc = pc;
    }
  }
  s->last_cfa = cfa;
  return note_frame(context, &s->stack);
}

static bool still_there(const struct walked_place *k)
{
  for (unsigned i = 0; i < k->calls; i++)
    if (*k->call[i].slot != k->call[i].pc)
      return false;
  return true;
}

static void search_place(struct walked_place *known, uintptr_t frame, uintptr_t otherwise)
{
  uintptr_t pc[BUG_STACK];
  struct place_search s = {.stack = {pc, 0, BUG_STACK}, .known = known, .frame = frame, .known_fits = true};
  struct thread_state *self = hd_self;
  hd_self = NULL; /* what the unwinder calls is not the program's doing */
  known->frame = known->calls = 0;
  _Unwind_Backtrace(note_call, &s);
  hd_self = self;
  unsigned i = 0;
  while (i < s.stack.depth && !in_program(pc[i]))
    i++;
  known->otherwise = otherwise;
  known->place = i < s.stack.depth ? pc[i] : otherwise ? otherwise : s.stack.depth ? pc[0] : 0;
  known->depth = i;
  known->frame = s.known_fits ? frame : 0;
}

__attribute__((noinline)) uintptr_t place_of_call(uintptr_t otherwise, unsigned *depth)
{
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  struct walked_place *known = &known_places[mix64(frame ^ otherwise) % PLACES];
  if (known->frame != frame || known->otherwise != otherwise || !still_there(known))
    search_place(known, frame, otherwise);
  *depth = known->depth;
  return known->place;
}

uintptr_t place_in_program(uintptr_t otherwise)
{
  unsigned depth;
  return in_program(otherwise) ? otherwise : place_of_call(otherwise, &depth);
}

/* ---- faults ---- */

/* The kernel puts no guard below the initial thread's stack; it just does not let it grow any more. */
static bool leaves_main_stack(const ucontext_t *context, uintptr_t addr)
{
  uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  uintptr_t base = (uintptr_t)hd_own.main_sp;
  return self_index() == 0 && sp < base && base - sp > (256 << 10) && addr < sp + (64 << 10) && addr > sp - (64 << 10);
}

static const char *fault_text(int signal, uintptr_t addr, const ucontext_t *context, char *out, size_t size)
{
  struct block_info block;
  const struct fiber *fiber = self_thread()->fiber;
  switch (signal) {
  case SIGFPE:
    return "arithmetic error (SIGFPE), for example a division by zero";
  case SIGILL:
    return "illegal instruction (SIGILL)";
  case SIGBUS:
    return "bus error (SIGBUS)";
  case SIGTRAP:
    return "trap (SIGTRAP)";
  }
  if (addr < 4096)
    print_text(out, size, "access through a null pointer (SIGSEGV at address 0x%lx)", addr);
  else if (heap_contains(addr) && heap_find(addr, &block) && block.freed)
    print_text(out, size, "access to freed memory (SIGSEGV)");
  else if ((fiber->stack_low && addr >= (uintptr_t)fiber->stack_low - (1 << 16) &&
            addr < (uintptr_t)fiber->stack_low + 4096) ||
           leaves_main_stack(context, addr))
    print_text(out, size, "stack overflow (SIGSEGV)");
  else
    print_text(out, size, "access to an invalid address (SIGSEGV at address 0x%lx)", addr);
  return out;
}

static bool crashing; /* a fault while the first one's stack is unwound: let the process die */

static void crash(int signal, uintptr_t addr, const ucontext_t *context)
{
  uintptr_t rip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  uintptr_t stack[BUG_STACK];
  unsigned depth = unwind_stack(stack, BUG_STACK);
  uintptr_t pc = depth ? stack[0] : rip;
  crashing = false;
  if (signal == SIGTRAP)
    test_failed_as_printed();
  char text[128];
  struct bug *bug = bug_new(rt.engine, BUG_CRASH, bug_key_of(rt.engine, BUG_CRASH, pc, (uintptr_t)signal));
  bug_text(bug, "%s", fault_text(signal, addr, context, text, sizeof text));
  bug->detail = signal;
  bug_add_party(rt.engine, bug, self_index(), OP_NONE, signal == SIGSEGV || signal == SIGBUS ? addr : 0, 0,
                in_image(pc));
  for (unsigned i = 0; i < depth; i++)
    bug->party[0].stack[i] = in_image(stack[i]);
  bug->party[0].depth = (uint16_t)depth;
  bug_declare(rt.engine, bug);
}

/* A fault that the program itself has a handler for, and not our doing. */
static bool on_programs_fault(int signal, siginfo_t *info, void *context)
{
  if (!hd_self || crashing || !has_handler(signal) || !signal_is_taken(signal))
    return false; /* also in our code, which accesses memory for the program */
  if (!enter_handler_of_fault(handler_of(signal), signal, context))
    return false;
  call_handler(signal, info, context);
  return true;
}

/* The processor's time stamp counter traps (faults_boot) and counts virtual time: rdtsc, rdtscp. */
static bool on_time_stamp(ucontext_t *context)
{
  greg_t *g = context->uc_mcontext.gregs;
  const unsigned char *code = (const unsigned char *)g[REG_RIP];
  bool plain = code[0] == 0x0f && code[1] == 0x31,
       with_processor = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
  if (!plain && !with_processor)
    return false;
  lose(LOST_MACHINE);
  struct timespec now = virtual_time(CLOCK_MONOTONIC);
  uint64_t ticks = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  g[REG_RAX] = (greg_t)(ticks & UINT32_MAX);
  g[REG_RDX] = (greg_t)(ticks >> 32);
  if (with_processor)
    g[REG_RCX] = 0;
  g[REG_RIP] += plain ? 2 : 3;
  return true;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
  uintptr_t addr = (uintptr_t)info->si_addr;
  if (signal == SIGSEGV && info->si_code == SI_KERNEL && !addr && on_time_stamp(context))
    return;
  if (signal == SIGSEGV && snapshot_fault(addr))
    return;
  if (on_programs_fault(signal, info, context))
    return;
  if (hd_self && !crashing) {
    crashing = true;
    crash(signal, addr, context);
  }
  struct sigaction none = {.sa_handler = SIG_DFL};
  REAL(sigaction)
  (signal, &none, NULL); /* not in the program's code: let it die, the command line will tell */
}

/* ---- "where are you?" ---- */

static void on_question(int signal, siginfo_t *info, void *context)
{
  (void)info;
  if (waiting_for_child()) {
    forward_signal_to_child(signal);
    return;
  }
  struct control *c = rt.control;
  const ucontext_t *u = context;
  c->stuck = (struct bug_party){.thread = rt.engine->current, .holder = -1};
  c->stuck.op = rt.engine->thread[rt.engine->current].pending.kind;
  c->stuck_syscall = system_call_under_way();
  c->stuck.depth = (uint16_t)unwind_stack(c->stuck.stack, BUG_STACK);
  c->stuck.pc = place_in_program((uintptr_t)u->uc_mcontext.gregs[REG_RIP]);
  c->stuck_answered = 1;
  if (hd_self) /* being asked must not end the wait: the process is about to be killed */
    sys(SYS_poll, NULL, 0L, ANSWER_HELD_MS);
}

/* As the kernel has it. */
struct kernel_action {
  void *handler;
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};
#define WITH_RESTORER 0x04000000

void __restore_rt(void); /* switch.S: libc's way back would be a system call of the program's */

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
  struct kernel_action action = {handler, (unsigned long)(SA_SIGINFO | SA_NODEFER | WITH_RESTORER | flags),
                                 __restore_rt, 0};
  sys(SYS_rt_sigaction, signal, &action, NULL, sizeof action.mask);
}

static const int fault[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

void faults_boot(void)
{
  hd_own.alt_stack = private_memory(ALT_STACK);
  stack_t alt = {.ss_sp = hd_own.alt_stack, .ss_size = ALT_STACK};
  sys(SYS_sigaltstack, &alt, NULL);
  for (size_t i = 0; i < sizeof fault / sizeof *fault; i++)
    install(fault[i], on_fault, SA_ONSTACK);
  install(SIGURG, on_question, SA_ONSTACK | SA_RESTART);
  install(SIGSYS, on_system_call, 0);
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  REAL(sigaction)
  (SIGPIPE, &ignore, NULL); /* who writes to a pipe that nobody reads is told by us (ready.c) */
  sys(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0L, 0L, 0L);
  uintptr_t warm[4];
  unwind_stack(warm, 4); /* the unwinder's own set-up belongs to the state at the start */
}
