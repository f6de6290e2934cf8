/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's own signals. Dispositions, masks and what is pending, for a thread or for the whole process, are tables
 * of ours; a signal that the program, one of its threads or a timer of it sends is delivered by calling its handler at
 * the receiver's next step. So that a handler can come between any two accesses that it could tell apart, memory that
 * both a handler and the code it interrupts use is a step too (memory.c). What the kernel sends is in
 * faults.c. */
#include "worlds/threads/system/signals.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/faults.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <setjmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define QUEUED 128
#define SMALLEST_ALTERNATE 2048 /* the kernel's limit; MINSIGSTKSZ of libc is larger and differs by processor */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static struct sigaction disposition[SIGNALS], disposition_at_start[SIGNALS];
static bool disposition_changed, alternate_changed;
static stack_t alternate[MAX_THREADS]; /* what the program gave to sigaltstack; the kernel's is the runtime's */

/* What came with each signal that is pending, oldest first. */
static struct {
  int receiver; /* thread, or WHOLE_PROCESS */
  siginfo_t info;
} queue[QUEUED];
static unsigned queued;

static struct vclock sent; /* what all senders of signals knew */

/* Signals that a thread which takes them at once has sent to itself, and those that others have sent to it. */
static struct {
  uint64_t by_itself, by_others;
} senders[MAX_THREADS];
static bool senders_noted;

void signals_boot(void)
{
  if (hd_own.alt_stack)
    return;
  int before = errno;
  for (int s = 1; s < SIGNALS; s++)
    REAL(sigaction)(s, NULL, &disposition[s]);
  errno = before; /* two of them are libc's own */
  memcpy(disposition_at_start, disposition, sizeof disposition);
  faults_boot();
}

void signals_reset(void)
{
  vclock_clear(&sent);
  if (senders_noted)
    fill_bytes(senders, 0, sizeof senders);
  senders_noted = false;
  queued = 0;
  rt.process_signals = 0;
  if (alternate_changed)
    fill_bytes(alternate, 0, sizeof alternate);
  alternate_changed = false;
  if (!disposition_changed)
    return;
  for (int s = 1; s < SIGNALS; s++)
    if (has_handler(s))
      faults_take_stack(s, false);
  memcpy(disposition, disposition_at_start, sizeof disposition);
  disposition_changed = false;
}

/* ---- dispositions ---- */

static bool ignored_by_default(int signal)
{
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

static bool stops_by_default(int signal)
{
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

bool has_handler(int signal)
{
  return disposition[signal].sa_handler != SIG_DFL && disposition[signal].sa_handler != SIG_IGN;
}

static bool ignored(int signal)
{
  const struct sigaction *action = &disposition[signal];
  return action->sa_handler == SIG_IGN || (action->sa_handler == SIG_DFL && ignored_by_default(signal));
}

static bool blocks(unsigned thread, int signal)
{
  return rt.thread[thread].signal_mask & SIGNAL_BIT(signal);
}

static bool blocked_by_all(int signal)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (!rt.thread[t].finished && !rt.thread[t].system && !blocks(t, signal))
      return false;
  return true;
}

bool signal_is_taken(int signal)
{
  return !blocks(self_index(), signal);
}

bool signal_kills(int signal)
{
  return !has_handler(signal) && !ignored(signal) && !blocked_by_all(signal);
}

/* ---- what is pending ---- */

static uint64_t *pending_of(int receiver)
{
  return receiver < 0 ? &rt.process_signals : &rt.thread[receiver].pending_signals;
}

uint64_t signals_pending(unsigned thread)
{
  return rt.thread[thread].pending_signals | rt.process_signals;
}

/* The first one queued, taken out; false: nothing came with it. */
static bool unqueue(int receiver, int signal, siginfo_t *info)
{
  unsigned i = 0;
  while (i < queued && (queue[i].receiver != receiver || queue[i].info.si_signo != signal))
    i++;
  if (i == queued)
    return false;
  *info = queue[i].info;
  timers_signal_taken(info);
  for (queued--; i < queued; i++)
    queue[i] = queue[i + 1];
  return true;
}

static bool still_queued(int receiver, int signal)
{
  for (unsigned i = 0; i < queued; i++)
    if (queue[i].receiver == receiver && queue[i].info.si_signo == signal)
      return true;
  return false;
}

int take_signal(uint64_t set, siginfo_t *info)
{
  unsigned me = self_index();
  uint64_t own = rt.thread[me].pending_signals & set, ready = own ? own : rt.process_signals & set;
  if (!ready)
    return 0;
  int receiver = own ? (int)me : WHOLE_PROCESS, signal = __builtin_ctzll(ready) + 1;
  siginfo_t none = {.si_signo = signal, .si_code = SI_USER};
  if (!unqueue(receiver, signal, info))
    *info = none;
  if (!still_queued(receiver, signal))
    *pending_of(receiver) &= ~SIGNAL_BIT(signal);
  acquire_from(&sent);
  kernel_state_changed();
  return signal;
}

/* It does not block it, or waits for it. */
static bool takes(unsigned thread, int signal)
{
  const struct thread_state *t = &rt.engine->thread[thread];
  bool waits = t->alive && (t->pending.kind == OP_SIGNAL_WAIT || t->pending.kind == OP_SIGNAL_TIMEDWAIT);
  return !blocks(thread, signal) || (waits && t->pending.arg & SIGNAL_BIT(signal));
}

/* Who takes a signal to the whole process, as the kernel chooses: main if it does not block it, else the first one that
 * does not, or that waits for it; else it waits until somebody does. */
static int receiver_of(int signal)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (!rt.thread[t].finished && !rt.thread[t].system && takes(t, signal))
      return (int)t;
  return WHOLE_PROCESS;
}

/* Nobody will ever know that it was sent. */
static bool discarded(int receiver, int signal)
{
  return ignored(signal) && !(receiver < 0 ? blocked_by_all(signal) : blocks((unsigned)receiver, signal));
}

/* A thread is inside the system while it sends a signal to itself. One that comes just then becomes one with it, which
 * no order of steps shows: there a handler runs before or after. */
static void note_sender(int receiver, int signal)
{
  if (receiver < 0 || signal >= SIGRTMIN || !has_handler(signal) || blocks((unsigned)receiver, signal))
    return;
  bool own = hd_self && receiver == (int)self_index();
  uint64_t *by = own ? &senders[receiver].by_itself : &senders[receiver].by_others;
  *by |= SIGNAL_BIT(signal);
  senders_noted = true;
  if (senders[receiver].by_itself & senders[receiver].by_others & SIGNAL_BIT(signal))
    lose(LOST_LATE_SIGNALS);
}

long post_signal(int receiver, int signal, const siginfo_t *info)
{
  if (signal < 0 || signal >= SIGNALS)
    return -EINVAL;
  if (signal == 0 || discarded(receiver, signal))
    return 0;
  if (receiver < 0)
    receiver = receiver_of(signal);
  note_sender(receiver, signal);
  uint64_t *pending = pending_of(receiver);
  bool again = *pending & SIGNAL_BIT(signal);
  if (again && signal < SIGRTMIN) /* one is enough; only real-time signals queue */
    return 0;
  *pending |= SIGNAL_BIT(signal);
  if (queued < QUEUED) {
    siginfo_t plain = {.si_signo = signal, .si_code = receiver < 0 ? SI_USER : SI_TKILL};
    plain.si_pid = VIRTUAL_PID;
    plain.si_uid = (uid_t)sys(SYS_getuid);
    queue[queued].receiver = receiver;
    queue[queued].info = info ? *info : plain;
    queue[queued++].info.si_signo = signal;
  } else if (again) {
    return -EAGAIN;
  }
  release_to(&sent);
  kernel_state_changed();
  if (receiver >= 0 && rt.engine->thread[receiver].alive && !blocks((unsigned)receiver, signal))
    rt.engine->thread[receiver].pending.traits |= OP_SIGNALLED;
  return 0;
}

/* POSIX: if it is the sender who takes it, before the call returns. */
static long send_signal(int receiver, int signal, const siginfo_t *info)
{
  long result = post_signal(receiver, signal, info);
  run_signals();
  return result;
}

void send_to_self(int signal)
{
  send_signal((int)self_index(), signal, NULL);
}

/* When it is sent decides where the receiver is interrupted. */
long send_in_turn(int receiver, int signal, const siginfo_t *info, uintptr_t pc)
{
  bool alone = rt.engine->threads == 1 || receiver == (int)self_index();
  if (alone || signal <= 0)
    return send_signal(receiver, signal, info);
  step_on(OP_SIGNAL_SEND, thread_object(receiver < 0 ? 0 : (unsigned)receiver), (uint64_t)signal, pc);
  bool gone = receiver >= 0 && rt.thread[receiver].finished;
  return performed(gone ? -ESRCH : (int)send_signal(receiver, signal, info));
}

/* ---- handlers ---- */

static uint64_t mask_during(const struct sigaction *action, int signal)
{
  uint64_t also;
  memcpy(&also, &action->sa_mask, sizeof also);
  return also | (action->sa_flags & SA_NODEFER ? 0 : SIGNAL_BIT(signal));
}

/* Whether the handler of another signal, or its own again, may come while the thread has that mask. */
static bool handlers_come(uint64_t mask)
{
  for (int s = 1; s < SIGNALS; s++)
    if (has_handler(s) && !(mask & SIGNAL_BIT(s)))
      return true;
  return false;
}

void call_handler(int signal, siginfo_t *info, void *context)
{
  struct sigaction action = disposition[signal];
  struct thread *self = self_thread();
  if (action.sa_flags & SA_RESETHAND)
    disposition[signal].sa_handler = SIG_DFL;
  int saved = errno;
  uint64_t before = self->signal_mask;
  uintptr_t outer = hd_self->handler_sp;
  bool outer_nests = hd_self->handler_nests;
  self->signal_mask |= mask_during(&action, signal);
  hd_self->handler_sp = (uintptr_t)__builtin_frame_address(0);
  hd_self->handler_nests = handlers_come(self->signal_mask);
  memory_tag_thread(self_index());
  if (action.sa_flags & SA_SIGINFO) {
    siginfo_t plain = {.si_signo = signal, .si_code = SI_TKILL};
    ucontext_t nowhere;
    memset(&nowhere, 0, sizeof nowhere);
    action.sa_sigaction(signal, info ? info : &plain, context ? context : &nowhere);
  } else {
    action.sa_handler(signal);
  }
  hd_self->handler_sp = outer;
  hd_self->handler_nests = outer_nests;
  memory_tag_thread(self_index());
  self->signal_mask = before;
  if (errno != saved) /* which the code it interrupts may look at anywhere, not only at its steps */
    lose(LOST_LATE_SIGNALS);
  errno = saved;
}

void handlers_left(void)
{
  self_thread()->let_through = 0;
  if (!hd_self->handler_sp)
    return;
  hd_self->handler_sp = 0;
  hd_self->handler_nests = false;
  memory_tag_thread(self_index());
}

static void act_on(int signal, siginfo_t *info)
{
  if (ignored(signal))
    return;
  if (has_handler(signal)) {
    call_handler(signal, info, NULL);
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

/* As the kernel does: of several that are pending, each one's handler begins on top of those before it, so the last one
 * runs first, as far as the others do not block it. */
static enum interruption run_one(void)
{
  struct thread *t = self_thread();
  siginfo_t info;
  int signal = take_signal(~t->signal_mask, &info);
  if (!signal)
    return NOT_INTERRUPTED;
  enum interruption how = NOT_INTERRUPTED;
  if (has_handler(signal)) {
    uint64_t before = t->signal_mask;
    t->signal_mask |= mask_during(&disposition[signal], signal);
    bool restarts = disposition[signal].sa_flags & SA_RESTART;
    how = run_one() == INTERRUPTED || !restarts ? INTERRUPTED : RESTARTED;
    t->signal_mask = before;
  }
  act_on(signal, &info);
  return how;
}

enum interruption run_signals(void)
{
  enum interruption how = NOT_INTERRUPTED;
  while (signals_wait_for(self_index())) {
    enum interruption one = run_one();
    how = one > how ? one : how;
  }
  return how;
}

/* ---- system calls ---- */

long change_mask(int how, const uint64_t *set, uint64_t *old)
{
  struct thread *t = self_thread();
  uint64_t wanted = set ? *set : 0, before = t->signal_mask; /* both may be one */
  if (set && how == SIG_BLOCK)
    t->signal_mask |= wanted;
  else if (set && how == SIG_UNBLOCK)
    t->signal_mask &= ~wanted;
  else if (set && how == SIG_SETMASK)
    t->signal_mask = wanted;
  else if (set)
    return -EINVAL;
  if (old)
    *old = before;
  t->signal_mask &= ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
  if (set)
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

/* What is pending of a signal that is ignored from now on is forgotten. But who does not block it may have taken it
 * just before: it still finds it at its next step, as it would have. */
static void discard(int signal)
{
  rt.process_signals &= ~SIGNAL_BIT(signal);
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (!takes(t, signal))
      rt.thread[t].pending_signals &= ~SIGNAL_BIT(signal);
  unsigned kept = 0;
  for (unsigned i = 0; i < queued; i++)
    if (*pending_of(queue[i].receiver) & SIGNAL_BIT(queue[i].info.si_signo))
      queue[kept++] = queue[i];
  queued = kept;
  engine_touch(rt.engine);
}

static void set_disposition(int signal, const struct sigaction *action)
{
  disposition[signal] = *action;
  disposition_changed = true;
  if (ignored(signal))
    discard(signal);
  faults_take_stack(signal, has_handler(signal) && !(action->sa_flags & SA_ONSTACK));
}

long change_action(int signal, const void *action, void *old)
{
  const struct kernel_action *in = action;
  struct kernel_action *out = old;
  if (signal < 1 || signal >= SIGNALS || (in && (signal == SIGKILL || signal == SIGSTOP)))
    return -EINVAL;
  struct sigaction *d = &disposition[signal], wanted = {0};
  if (in) {
    wanted.sa_handler = (sighandler_t)in->handler;
    wanted.sa_flags = (int)in->flags;
    memcpy(&wanted.sa_mask, &in->mask, sizeof in->mask);
  }
  if (out) {
    *out = (struct kernel_action){(void *)d->sa_handler, (unsigned long)d->sa_flags, NULL, 0};
    memcpy(&out->mask, &d->sa_mask, sizeof out->mask);
  }
  if (in)
    set_disposition(signal, &wanted);
  return 0;
}

long change_alternate_stack(const stack_t *stack, stack_t *old)
{
  stack_t *mine = &alternate[self_index()], wanted = stack ? *stack : (stack_t){0};
  if (stack && stack->ss_flags & ~(SS_DISABLE | (int)SS_AUTODISARM))
    return -EINVAL;
  if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < SMALLEST_ALTERNATE)
    return -ENOMEM;
  if (old)
    *old = mine->ss_sp ? *mine : (stack_t){.ss_flags = SS_DISABLE};
  alternate_changed |= stack != NULL;
  if (stack)
    *mine = wanted.ss_flags & SS_DISABLE ? (stack_t){0} : wanted;
  return 0;
}

bool signal_ready(unsigned thread, const struct operation *op)
{
  return signals_pending(thread) & op->arg;
}

/* pause, sigsuspend: until a handler has run. A signal that comes before pause() is entered does not end it. */
long suspend_for_signal(const uint64_t *mask, uintptr_t pc)
{
  struct thread *t = self_thread();
  uint64_t before = t->signal_mask;
  check_cancel(pc);
  if (mask) {
    t->signal_mask = *mask & ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
  } else {
    struct operation enter = {.kind = OP_PAUSE, .pc = pc};
    step(&enter);
    performed(0);
  }
  struct operation op = {.kind = OP_SIGNAL_WAIT, .arg = ~t->signal_mask, .pc = pc};
  do
    step(&op); /* which runs the handlers */
  while (!t->interrupted && !cancel_wanted(self_index()));
  t->interrupted = false;
  acquire_from(&sent);
  t->signal_mask = before;
  check_cancel(pc);
  run_signals();
  return performed(-EINTR);
}

/* sigwait and its like: takes a pending signal of the set, blocked or not, without running its handler. */
long wait_for_signal(const uint64_t *set, siginfo_t *info, const struct timespec *timeout, uintptr_t pc)
{
  struct thread *t = self_thread();
  int64_t deadline = timeout ? (int64_t)rt.now + timeout->tv_sec * 1000000000 + timeout->tv_nsec : -1;
  uint64_t before = t->signal_mask, wanted = *set & ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
  if (timeout && (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000 || timeout->tv_sec < 0))
    return -EINVAL;
  struct operation op = {.kind = timeout ? OP_SIGNAL_TIMEDWAIT : OP_SIGNAL_WAIT, .arg = wanted, .pc = pc};
  check_cancel(pc);
  t->signal_mask |= wanted; /* so that no handler runs meanwhile */
  if (timeout)
    ends_at(deadline);
  step(&op);
  bool interrupted = t->interrupted;
  t->interrupted = false;
  siginfo_t taken;
  int signal = take_signal(wanted, &taken);
  for (enum wait_end end = WAIT_GOES_ON; !signal && timeout && !interrupted && end == WAIT_GOES_ON;) {
    end = time_goes_on(deadline);
    interrupted = end == WAIT_INTERRUPTED;
    signal = take_signal(wanted, &taken);
  }
  t->signal_mask = before;
  if (!signal) {
    check_cancel(pc);
    return performed(interrupted ? -EINTR : -EAGAIN);
  }
  if (info)
    *info = taken;
  return performed(signal);
}

/* ---- libc's functions ---- */

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
  if (!hd_self)
    return REAL(sigaction)(signal, action, old);
  if (signal < 1 || signal >= SIGNALS || signal == 32 || signal == 33 ||
      (action && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  reads_for(action, sizeof *action, CALLER());
  step_on_action(action, CALLER());
  struct sigaction before = disposition[signal];
  if (action)
    set_disposition(signal, action);
  if (old) {
    writes_for(old, sizeof *old, CALLER());
    *old = before;
  }
  return 0;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

EXPORT int pthread_kill(pthread_t id, int signal)
{
  if (!hd_self)
    return REAL(pthread_kill)(id, signal);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS || rt.thread[t].joined)
    misuse(NULL, OP_SIGNAL_SEND, CALLER(), "sends a signal to a thread that does not exist");
  if (signal < 0 || signal >= SIGNALS || signal == 32 || signal == 33)
    return EINVAL;
  long result = send_in_turn((int)t, signal, NULL, CALLER());
  return result == -ESRCH ? 0 : (int)-result; /* it has ended, but is still known */
}

/* A jump out of a handler ends it. */
#define JUMP(name)                                                                                                     \
  EXPORT void name(struct __jmp_buf_tag buffer[1], int value)                                                          \
  {                                                                                                                    \
    static void (*real)(struct __jmp_buf_tag *, int);                                                                  \
    if (hd_self)                                                                                                       \
      handlers_left();                                                                                                 \
    if (!real)                                                                                                         \
      real = (void (*)(struct __jmp_buf_tag *, int))real_symbol(#name);                                                \
    real(buffer, value);                                                                                               \
    __builtin_unreachable();                                                                                           \
  }

void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value) __attribute__((noreturn));
JUMP(siglongjmp)
JUMP(__longjmp_chk)
