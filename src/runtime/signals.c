/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals. The kernel's are the runtime's: faults that track dirty pages, crashes, system calls caught by the filter,
 * and the command line asking where the program is stuck. The program's own dispositions are a table of ours; a
 * signal it sends to itself or to one of its threads is delivered by calling its handler at that thread's next step.
 */
#include "runtime/signals.h"
#include "runtime/loop.h"
#include "runtime/runtime.h"
#include "runtime/testing.h"
#include "runtime/util.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unwind.h>

#define ALT_STACK (128 << 10)
#define SIGNALS 65
#define ANSWER_HELD_MS 3000L

static struct sigaction disposition[SIGNALS], disposition_at_start[SIGNALS];
static bool disposition_changed, alternate_changed;
static stack_t
    alternate[MAX_THREADS]; /* what the program gave to sigaltstack; the kernel's is the runtime's */

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

uintptr_t place_in_program(uintptr_t otherwise)
{
  uintptr_t stack[BUG_STACK];
  unsigned n = unwind_stack(stack, BUG_STACK);
  for (unsigned i = 0; i < n; i++)
    if (in_program(stack[i]))
      return stack[i];
  return otherwise ? otherwise : n ? stack[0] : 0;
}

/* ---- faults ---- */

/* The kernel puts no guard below the initial thread's stack; it just does not let it grow any more. */
static bool leaves_main_stack(const ucontext_t *context, uintptr_t addr)
{
  uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  uintptr_t base = (uintptr_t)rt.main_sp;
  return self_index() == 0 && sp < base && base - sp > (256 << 10) && addr < sp + (64 << 10) &&
         addr > sp - (64 << 10);
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
  struct bug *bug = bug_new(BUG_CRASH, bug_key_of(BUG_CRASH, pc, (uintptr_t)signal));
  bug_text(bug, "%s", fault_text(signal, addr, context, text, sizeof text));
  bug->detail = signal;
  bug_add_party(bug, self_index(), OP_NONE, signal == SIGSEGV || signal == SIGBUS ? addr : 0, 0, pc);
  for (unsigned i = 0; i < depth; i++)
    bug->party[0].stack[i] = stack[i];
  bug->party[0].depth = (uint16_t)depth;
  bug_declare(bug);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
  uintptr_t addr = (uintptr_t)info->si_addr;
  if (signal == SIGSEGV && snapshot_fault(addr))
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

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | flags};
  REAL(sigaction)(signal, &action, NULL);
}

void signals_boot(void)
{
  if (rt.alt_stack)
    return;
  rt.alt_stack = private_memory(ALT_STACK);
  stack_t alt = {.ss_sp = rt.alt_stack, .ss_size = ALT_STACK};
  sys(SYS_sigaltstack, &alt, NULL);
  for (int s = 1; s < SIGNALS; s++)
    REAL(sigaction)(s, NULL, &disposition[s]);
  memcpy(disposition_at_start, disposition, sizeof disposition);
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    install(faults[i], on_fault, SA_ONSTACK);
  install(SIGURG, on_question, SA_ONSTACK | SA_RESTART);
  install(SIGSYS, on_system_call, 0);
  uintptr_t warm[4];
  unwind_stack(warm, 4); /* the unwinder's own set-up belongs to the state at the start */
}

static struct vclock sent; /* what all senders of signals knew */

void signals_reset(void)
{
  vclock_clear(&sent);
  if (alternate_changed)
    fill_bytes(alternate, 0, sizeof alternate);
  alternate_changed = false;
  if (!disposition_changed)
    return;
  memcpy(disposition, disposition_at_start, sizeof disposition);
  disposition_changed = false;
}

/* ---- the program's own signals ---- */

static bool ignored_by_default(int signal)
{
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

static bool stops_by_default(int signal)
{
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void call_handler(int signal)
{
  struct sigaction action = disposition[signal];
  if (action.sa_flags & SA_RESETHAND)
    disposition[signal].sa_handler = SIG_DFL;
  int saved = errno;
  uint64_t *mask = &self_thread()->signal_mask, before = *mask, also;
  memcpy(&also, &action.sa_mask, sizeof also);
  *mask |= also | (action.sa_flags & SA_NODEFER ? 0 : UINT64_C(1) << (signal - 1));
  if (action.sa_flags & SA_SIGINFO) {
    siginfo_t info = {.si_signo = signal, .si_code = SI_TKILL};
    ucontext_t context;
    memset(&context, 0, sizeof context);
    action.sa_sigaction(signal, &info, &context);
  } else {
    action.sa_handler(signal);
  }
  *mask = before;
  errno = saved;
}

static bool ignored(int signal)
{
  const struct sigaction *action = &disposition[signal];
  return action->sa_handler == SIG_IGN || (action->sa_handler == SIG_DFL && ignored_by_default(signal));
}

/* Nobody will ever know that it was sent. */
static bool discarded(unsigned thread, int signal)
{
  return ignored(signal) && !(rt.thread[thread].signal_mask >> (signal - 1) & 1);
}

static void act_on(int signal)
{
  const struct sigaction *action = &disposition[signal];
  if (ignored(signal))
    return;
  if (action->sa_handler != SIG_DFL) {
    call_handler(signal);
    return;
  }
  const char *name = sigabbrev_np(signal);
  bug_here(BUG_CRASH, 0, place_in_program(0),
           signal == SIGABRT          ? "abort (SIGABRT)"
           : stops_by_default(signal) ? "stopped by SIG%s"
           : name                     ? "killed by SIG%s"
                                      : "killed by a real-time signal",
           name);
}

bool has_handler(int signal)
{
  return disposition[signal].sa_handler != SIG_DFL && disposition[signal].sa_handler != SIG_IGN;
}

bool run_signals(void)
{
  struct thread *t = self_thread();
  bool interrupts = false;
  uint64_t ready;
  acquire_from(&sent);
  while ((ready = t->pending_signals & ~t->signal_mask)) {
    int signal = __builtin_ctzll(ready) + 1;
    t->pending_signals &= ~(UINT64_C(1) << (signal - 1));
    interrupts |= has_handler(signal) && !(disposition[signal].sa_flags & SA_RESTART);
    act_on(signal);
  }
  return interrupts;
}

long send_signal(unsigned thread, int signal)
{
  if (signal < 0 || signal >= SIGNALS)
    return -EINVAL;
  if (signal == 0 || discarded(thread, signal))
    return 0;
  rt.thread[thread].pending_signals |= UINT64_C(1) << (signal - 1);
  release_to(&sent);
  engine_touch(rt.engine);
  if (thread == self_index())
    run_signals();
  return 0;
}

long change_mask(int how, const uint64_t *set, uint64_t *old)
{
  struct thread *t = self_thread();
  if (old)
    *old = t->signal_mask;
  if (!set)
    return 0;
  if (how == SIG_BLOCK)
    t->signal_mask |= *set;
  else if (how == SIG_UNBLOCK)
    t->signal_mask &= ~*set;
  else if (how == SIG_SETMASK)
    t->signal_mask = *set;
  else
    return -EINVAL;
  t->signal_mask &= ~(UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1));
  run_signals();
  return 0;
}

/* The kernel's own shape of struct sigaction. */
struct kernel_action {
  void *handler;
  unsigned long flags;
  void *restorer;
  uint64_t mask;
};

long change_action(int signal, const void *action, void *old)
{
  const struct kernel_action *in = action;
  struct kernel_action *out = old;
  if (signal < 1 || signal >= SIGNALS || (in && (signal == SIGKILL || signal == SIGSTOP)))
    return -EINVAL;
  struct sigaction *d = &disposition[signal];
  if (out) {
    *out = (struct kernel_action){(void *)d->sa_handler, (unsigned long)d->sa_flags, NULL, 0};
    memcpy(&out->mask, &d->sa_mask, sizeof out->mask);
  }
  if (in) {
    *d = (struct sigaction){.sa_handler = (sighandler_t)in->handler, .sa_flags = (int)in->flags};
    memcpy(&d->sa_mask, &in->mask, sizeof in->mask);
    disposition_changed = true;
  }
  return 0;
}

long change_alternate_stack(const stack_t *stack, stack_t *old)
{
  stack_t *mine = &alternate[self_index()];
  if (old)
    *old = mine->ss_sp ? *mine : (stack_t){.ss_flags = SS_DISABLE};
  alternate_changed |= stack != NULL;
  if (stack)
    *mine = stack->ss_flags & SS_DISABLE ? (stack_t){0} : *stack;
  return 0;
}

bool signal_ready(unsigned thread, const struct operation *op)
{
  return rt.thread[thread].pending_signals & op->arg;
}

/* Who takes a signal to the whole process: one that waits for it, else one that does not block it, else the sender. */
unsigned signal_receiver(int signal)
{
  uint64_t bit = UINT64_C(1) << (signal - 1);
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    enum op_kind kind = (enum op_kind)e->thread[t].pending.kind;
    if (e->thread[t].alive && (kind == OP_SIGNAL_WAIT || kind == OP_SIGNAL_TIMEDWAIT) &&
        e->thread[t].pending.arg & bit)
      return t;
  }
  if (!(rt.thread[e->current].signal_mask & bit))
    return e->current;
  for (unsigned t = 0; t < e->threads; t++)
    if (!rt.thread[t].finished && !(rt.thread[t].signal_mask & bit))
      return t;
  return e->current;
}

/* pause, sigsuspend: until a handler has run. */
long suspend_for_signal(const uint64_t *mask, uintptr_t pc)
{
  struct thread *t = self_thread();
  uint64_t before = t->signal_mask;
  if (mask)
    t->signal_mask = *mask;
  struct operation op = {.kind = OP_SIGNAL_WAIT, .arg = ~t->signal_mask, .pc = pc};
  step(&op); /* which runs the handlers */
  acquire_from(&sent);
  t->signal_mask = before;
  return performed(-EINTR);
}

/* sigwait and its like: takes a pending signal of the set, blocked or not, without running its handler. */
long wait_for_signal(const uint64_t *set, siginfo_t *info, const struct timespec *timeout, uintptr_t pc)
{
  struct thread *t = self_thread();
  int64_t deadline = timeout ? (int64_t)rt.now + timeout->tv_sec * 1000000000 + timeout->tv_nsec : -1;
  uint64_t before = t->signal_mask;
  struct operation op = {.kind = timeout ? OP_SIGNAL_TIMEDWAIT : OP_SIGNAL_WAIT, .arg = *set, .pc = pc};
  t->signal_mask |= *set; /* so that no handler runs meanwhile */
  step(&op);
  t->signal_mask = before;
  uint64_t ready = t->pending_signals & op.arg;
  if (!ready) {
    time_pass_until(deadline);
    return performed(-EAGAIN);
  }
  int signal = __builtin_ctzll(ready) + 1;
  t->pending_signals &= ~(UINT64_C(1) << (signal - 1));
  acquire_from(&sent);
  if (info)
    *info = (siginfo_t){.si_signo = signal, .si_code = SI_TKILL};
  return performed(signal);
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
  if (!hd_self)
    return REAL(sigaction)(signal, action, old);
  if (signal < 1 || signal >= SIGNALS || (action && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  if (old)
    *old = disposition[signal];
  if (action) {
    disposition[signal] = *action;
    disposition_changed = true;
  }
  return 0;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}
