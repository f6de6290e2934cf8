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
#include "worlds/threads/memory/stack_ends.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/job_control.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/alternate_stack.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/faults.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signal_queue.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/system/unsafe_calls.h"
#include "worlds/threads/thread/priorities.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <setjmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction disposition[SIGNALS], disposition_at_start[SIGNALS];
static bool disposition_changed;

static struct {
  struct vclock sent; /* what all senders of signals knew */
  /* Signals that a thread which takes them at once has sent to itself, and those that others have sent to it. */
  struct {
    uint64_t by_itself, by_others;
  } senders[MAX_THREADS];
  bool senders_noted;
} state SYSTEM;

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
  vclock_clear(&state.sent);
  if (state.senders_noted)
    fill_bytes(state.senders, 0, sizeof state.senders);
  state.senders_noted = false;
  signal_queue_reset();
  alternate_stacks_reset();
  hd_own.handled_signals = 0;
  if (!disposition_changed)
    return;
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

const struct sigaction *handler_of(int signal)
{
  return &disposition[signal];
}

bool has_handler(int signal)
{
  return disposition[signal].sa_handler != SIG_DFL && disposition[signal].sa_handler != SIG_IGN;
}

void signals_describe_process(void)
{
  struct process *p = &rt.process[hd_own.process];
  p->handled = p->ignored = 0;
  for (int s = 1; s < SIGNALS; s++) {
    p->handled |= has_handler(s) ? SIGNAL_BIT(s) : 0;
    p->ignored |= disposition[s].sa_handler == SIG_IGN ? SIGNAL_BIT(s) : 0;
  }
  p->leaves_no_zombies = p->ignored & SIGNAL_BIT(SIGCHLD) || disposition[SIGCHLD].sa_flags & SA_NOCLDWAIT;
  p->hears_of_ends_only = disposition[SIGCHLD].sa_flags & SA_NOCLDSTOP;
}

/* The same at the start of an execution, where all is as it was when the program was started. */
void signals_begin_process(void)
{
  static bool known;
  static struct process at_start;
  struct process *p = &rt.process[0];
  rt.signalled = false;
  if (!known || disposition_changed) {
    signals_describe_process();
    at_start.handled = p->handled;
    at_start.ignored = p->ignored;
    at_start.leaves_no_zombies = p->leaves_no_zombies;
    at_start.hears_of_ends_only = p->hears_of_ends_only;
  }
  known = !disposition_changed;
  p->handled = at_start.handled;
  p->ignored = at_start.ignored;
  p->leaves_no_zombies = at_start.leaves_no_zombies;
  p->hears_of_ends_only = at_start.hears_of_ends_only;
}

static bool ignored_by(unsigned process, int signal)
{
  const struct process *p = &rt.process[process];
  return p->ignored & SIGNAL_BIT(signal) || (!(p->handled & SIGNAL_BIT(signal)) && ignored_by_default(signal));
}

static bool ignored(int signal)
{
  return ignored_by(hd_own.process, signal);
}

static unsigned process_of(int receiver)
{
  return receiver < 0 ? (unsigned)(-1 - receiver) : rt.thread[receiver].process;
}

/* A thread of the process that can have signals. */
static bool is_of(unsigned thread, unsigned process)
{
  return rt.thread[thread].process == process && !rt.thread[thread].finished && !rt.thread[thread].system;
}

static bool blocks(unsigned thread, int signal)
{
  return rt.thread[thread].signal_mask & SIGNAL_BIT(signal);
}

static bool blocked_by_all(unsigned process, int signal)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_of(t, process) && !blocks(t, signal))
      return false;
  return true;
}

bool signal_is_taken(int signal)
{
  return !blocks(self_index(), signal);
}

bool signal_kills(int signal)
{
  return !has_handler(signal) && !ignored(signal) && !blocked_by_all(hd_own.process, signal);
}

/* ---- what is pending ---- */

static uint64_t *pending_of(int receiver)
{
  return receiver < 0 ? &rt.process[process_of(receiver)].signals : &rt.thread[receiver].pending_signals;
}

uint64_t signals_pending(unsigned thread)
{
  return rt.thread[thread].pending_signals | rt.process[rt.thread[thread].process].signals;
}

/* Faults come before all others, then the lowest number. */
static int first_of(uint64_t set)
{
  static const uint64_t faults = SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) |
                                 SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSYS);
  return __builtin_ctzll(set & faults ? set & faults : set) + 1;
}

/* Nobody will know any more that it was sent. */
static void forget_pending(int receiver, int signal)
{
  siginfo_t info;
  *pending_of(receiver) &= ~SIGNAL_BIT(signal);
  while (signal_queue_take(receiver, signal, &info))
    timers_signal_taken(&info);
}

int take_signal(uint64_t set, siginfo_t *info)
{
  unsigned me = self_index();
  uint64_t own = rt.thread[me].pending_signals & set, ready = own ? own : rt.process[hd_own.process].signals & set;
  if (!ready)
    return 0;
  int receiver = own ? (int)me : WHOLE_PROCESS, signal = first_of(ready);
  siginfo_t none = {.si_signo = signal, .si_code = SI_USER};
  if (signal_queue_take(receiver, signal, info))
    timers_signal_taken(info);
  else
    *info = none;
  if (!signal_queue_has(receiver, signal))
    *pending_of(receiver) &= ~SIGNAL_BIT(signal);
  if (receiver < 0)
    unsafe_calls_note_own();
  acquire_from(&state.sent);
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

/* Who takes a signal to the whole process: any thread that does not block it, or that waits for it, but
 * for those that more important ones keep from running. If all block it, it
 * waits until somebody does not, and whoever waits for it may have it. So it does where one that waits might have it
 * and others do not block it, and who comes first is not searched. */
static int receiver_of(unsigned process, int signal)
{
  struct threadset takers = {0};
  bool unblocked = false;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_of(t, process) && takes(t, signal) && priorities_admit(t)) {
      threadset_add(&takers, t);
      unblocked |= !blocks(t, signal);
    }
  if (!unblocked)
    return TO_PROCESS(process);
  unsigned taker = threadset_nth(&takers, engine_choose(rt.engine, threadset_count(&takers)));
  if (!blocks(taker, signal))
    return (int)taker;
  lose(LOST_LATE_SIGNALS);
  return TO_PROCESS(process);
}

/* Nobody will ever know that it was sent. */
static bool discarded(int receiver, int signal)
{
  unsigned process = process_of(receiver);
  return ignored_by(process, signal) &&
         !(receiver < 0 ? blocked_by_all(process, signal) : blocks((unsigned)receiver, signal));
}

/* A thread is inside the system while it sends a signal to itself. One that comes just then becomes one with it, which
 * no order of steps shows: there a handler runs before or after. */
static void note_sender(int receiver, int signal)
{
  if (receiver < 0 || signal >= SIGRTMIN || !(rt.process[process_of(receiver)].handled & SIGNAL_BIT(signal)) ||
      blocks((unsigned)receiver, signal))
    return;
  bool own = hd_self && receiver == (int)self_index();
  uint64_t *by = own ? &state.senders[receiver].by_itself : &state.senders[receiver].by_others;
  *by |= SIGNAL_BIT(signal);
  state.senders_noted = true;
  if (state.senders[receiver].by_itself & state.senders[receiver].by_others & SIGNAL_BIT(signal))
    lose(LOST_LATE_SIGNALS);
}

/* What stops the process and what lets it go on take each other back. */
static void take_back_opposite(unsigned process, int signal)
{
  for (int s = SIGCONT; s <= SIGTTOU; s++) {
    bool opposite = signal == SIGCONT ? s != SIGCONT : stops_by_default(signal) && s == SIGCONT;
    if (opposite)
      forget_pending(TO_PROCESS(process), s);
    for (unsigned t = 0; opposite && t < rt.engine->threads; t++)
      if (rt.thread[t].process == process)
        forget_pending((int)t, s);
  }
}

/* As the kernel has it: one of a kind is enough but for real-time signals and those of timers, and what comes with a
 * signal that anybody may send is left out if too much of that waits. */
static long enqueue(int receiver, int signal, const siginfo_t *info)
{
  bool again = *pending_of(receiver) & SIGNAL_BIT(signal), of_timer = timers_signal_waits(info);
  if (again && signal < SIGRTMIN && !of_timer)
    return 0;
  if (!signal_queue_put(receiver, info, of_timer) && signal >= SIGRTMIN && info->si_code != SI_USER)
    return -EAGAIN;
  if (receiver >= 0) {
    const struct thread_state *t = &rt.engine->thread[receiver];
    bool stands = t->alive && receiver != (int)self_index(); /* before an operation that is still to come */
    bool lasts = timers_come_late() || has_begun_to_wait((unsigned)receiver);
    bool in_wait = lasts && stands && world_waits((unsigned)receiver, &t->pending);
    rt.thread[receiver].signalled_in_wait |= in_wait;
    unsafe_calls_note_sender((unsigned)receiver, in_wait);
  }
  *pending_of(receiver) |= SIGNAL_BIT(signal);
  rt.signalled = true;
  release_to(&state.sent);
  kernel_state_changed();
  if (receiver >= 0 && rt.engine->thread[receiver].alive && !blocks((unsigned)receiver, signal))
    rt.engine->thread[receiver].pending.traits |= OP_SIGNALLED;
  return 0;
}

long post_signal(int receiver, int signal, const siginfo_t *info)
{
  if (signal < 0 || signal >= SIGNALS)
    return -EINVAL;
  if (signal == 0 || rt.process[process_of(receiver)].ended)
    return 0;
  take_back_opposite(process_of(receiver), signal);
  if (signal == SIGCONT)
    process_continue(process_of(receiver));
  if (discarded(receiver, signal))
    return 0;
  siginfo_t came = {.si_signo = signal, .si_code = receiver < 0 ? SI_USER : SI_TKILL};
  came.si_pid = process_id(hd_own.process);
  came.si_uid = (uid_t)sys(SYS_getuid);
  if (info)
    came = *info;
  came.si_signo = signal;
  if (receiver < 0)
    receiver = receiver_of(process_of(receiver), signal);
  note_sender(receiver, signal);
  return enqueue(receiver, signal, &came);
}

/* To the process of a thread that another process has, or to all of one: its first thread stands for it. */
void step_to_send(int receiver, bool others, int signal, uintptr_t pc)
{
  unsigned thread = receiver < 0 ? rt.process[process_of(receiver)].first : (unsigned)receiver;
  struct operation op = {
      .kind = OP_SIGNAL_SEND, .arg = (uint64_t)signal, .length = SENT_TO(thread, receiver < 0, others), .pc = pc};
  if (rt.thread[thread].process == hd_own.process) {
    op.object = thread_object(thread)->id;
    op.addr = thread_object(thread)->addr;
    op.space = thread_object(thread)->space;
  }
  step(&op);
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

void send_child_news(unsigned child, int code, int status)
{
  unsigned parent = rt.process[child].parent;
  bool ended = code != CLD_STOPPED && code != CLD_CONTINUED;
  siginfo_t info = {.si_signo = SIGCHLD, .si_code = code};
  if (parent >= PROCESSES || (!ended && rt.process[parent].hears_of_ends_only))
    return;
  info.si_pid = process_id(child);
  info.si_uid = (uid_t)sys(SYS_getuid);
  info.si_status = status;
  post_signal(TO_PROCESS(parent), SIGCHLD, &info);
}

/* When it is sent decides where the receiver is interrupted. */
long send_in_turn(int receiver, int signal, const siginfo_t *info, uintptr_t pc)
{
  bool alone = rt.engine->threads == 1 || receiver == (int)self_index();
  if (alone || signal <= 0)
    return send_signal(receiver, signal, info);
  step_to_send(receiver, false, signal, pc);
  bool gone = receiver >= 0 && rt.thread[receiver].finished;
  return performed(gone ? -ESRCH : (int)send_signal(receiver, signal, info));
}

/* ---- handlers ---- */

static uint64_t mask_during(const struct sigaction *action, int signal)
{
  uint64_t also;
  memcpy(&also, &action->sa_mask, sizeof also);
  also &= ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
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
  int outer_signal = self->handler_signal;
  uint64_t outer_knows = self->handler_knows;
  self->handler_signal = signal;
  self->handler_knows = context ? UINT64_MAX : unsafe_calls_known();
  bool outer_nests = hd_self->handler_nests;
  self->signal_mask |= mask_during(&action, signal);
  hd_self->handler_sp = (uintptr_t)__builtin_frame_address(0);
  hd_self->handler_nests = handlers_come(self->signal_mask);
  memory_tag_thread(self_index());
  siginfo_t plain = {.si_signo = signal, .si_code = SI_TKILL};
  ucontext_t nowhere;
  memset(&nowhere, 0, sizeof nowhere);
  memcpy(&nowhere.uc_sigmask, &before, sizeof before);
  call_on_alternate_stack(&action, signal, info ? info : &plain, context ? context : &nowhere);
  memcpy(&before, &nowhere.uc_sigmask, sizeof before); /* the handler may change what it returns to */
  hd_self->handler_sp = outer;
  hd_self->handler_nests = outer_nests;
  self->handler_signal = outer_signal;
  self->handler_knows = outer_knows;
  memory_tag_thread(self_index());
  self->signal_mask = before & ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
  if (errno != saved) /* which the code it interrupts may look at anywhere, not only at its steps */
    lose(LOST_LATE_SIGNALS);
  errno = saved;
}

void handlers_left(void)
{
  self_thread()->let_through = 0;
  alternate_stack_left();
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
  if (stops_by_default(signal) && rt.engine->processes > 1) {
    process_stop(signal);
    return;
  }
  if (hd_own.process) { /* to the others it has ended, as they may have wanted */
    step_to_end();
    process_end(W_EXITCODE(0, signal));
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
  forget_pending(WHOLE_PROCESS, signal);
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.thread[t].process == hd_own.process && !takes(t, signal))
      forget_pending((int)t, signal);
  engine_touch(rt.engine);
}

static void set_disposition(int signal, const struct sigaction *action)
{
  disposition[signal] = *action;
  disposition_changed = true;
  hd_own.handled_signals &= ~SIGNAL_BIT(signal);
  hd_own.handled_signals |= has_handler(signal) ? SIGNAL_BIT(signal) : 0;
  signals_describe_process();
  if (ignored(signal))
    discard(signal);
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

bool signal_ready(unsigned thread, const struct operation *op)
{
  return signals_pending(thread) & op->arg;
}

/* pause, sigsuspend: until a handler has run. A signal that comes before pause() is entered does not end it. */
long suspend_for_signal(const uint64_t *mask, uintptr_t pc)
{
  struct thread *t = self_thread();
  uint64_t before = t->signal_mask;
  check_cancel_in_call(pc);
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
  while (!t->interrupted && !cancel_wanted_in_call(self_index()));
  t->interrupted = false;
  acquire_from(&state.sent);
  t->signal_mask = before;
  check_cancel_in_call(pc);
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
  check_cancel_in_call(pc);
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
    check_cancel_in_call(pc);
    return performed(interrupted ? -EINTR : -EAGAIN);
  }
  if (info)
    *info = taken;
  return performed(signal);
}

/* ---- libc's functions ---- */

static int act(int signal, const struct sigaction *action, struct sigaction *old, uintptr_t pc)
{
  if (signal < 1 || signal >= SIGNALS || signal == 32 || signal == 33 ||
      (action && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  reads_for(action, sizeof *action, pc);
  step_on_action(action, pc);
  struct sigaction before = disposition[signal];
  if (action)
    set_disposition(signal, action);
  if (old) {
    writes_for(old, sizeof *old, pc);
    *old = before;
  }
  return 0;
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
  return hd_self ? act(signal, action, old, CALLER()) : REAL(sigaction)(signal, action, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  int failed = hd_self ? act(number, &action, &old, CALLER()) : REAL(sigaction)(number, &action, &old);
  return failed ? SIG_ERR : old.sa_handler;
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

/* A jump out of a handler ends it, and one out of functions ends them. */
#define JUMP(name)                                                                                                     \
  EXPORT void name(struct __jmp_buf_tag buffer[1], int value)                                                          \
  {                                                                                                                    \
    static void (*real)(struct __jmp_buf_tag *, int);                                                                  \
    if (hd_self) {                                                                                                     \
      handlers_left();                                                                                                 \
      stack_is_left(buffer, CALLER());                                                                                 \
    }                                                                                                                  \
    if (!real)                                                                                                         \
      real = (void (*)(struct __jmp_buf_tag *, int))real_symbol(#name);                                                \
    real(buffer, value);                                                                                               \
    __builtin_unreachable();                                                                                           \
  }

void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value) __attribute__((noreturn));
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
