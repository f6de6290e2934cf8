/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of the program. A fork is real: the kernel copies the memory, and the runtime's own state with it; the
 * system's state is shared (system_memory.h), and the copy is another task of the one engine. To the kernel all are
 * children of the first, whoever forked them, which ends them after the execution. Who is whose child, who has ended
 * and how is kept here, not asked of the kernel.
 */
#include "worlds/threads/process/processes.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/pidfd.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/model/sem.h"
#include "worlds/threads/model/sysv_semaphores.h"
#include "worlds/threads/process/borrowing.h"
#include "worlds/threads/process/job_control.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/slots.h"
#include "worlds/threads/process/turn.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define NOBODY 255 /* the parent of a process whose parent has ended */

/* ---- who is who ---- */

int process_id(unsigned process)
{
  return process == NOBODY ? 1 : VIRTUAL_PID + rt.process[process].first;
}

unsigned process_of_id(int id)
{
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (rt.process[p].exists && process_id(p) == id)
      return p;
  return PROCESSES;
}

int process_id_of_kernel(int real)
{
  if (real == (int)sys(SYS_getpid))
    return process_id(hd_own.process);
  if (rt.engine->processes > 1 && real == rt.first_process)
    return process_id(0);
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (real > 0 && rt.process[p].real == real)
      return process_id(p);
  return real;
}

int process_kernel_id(unsigned process)
{
  int real = rt.process[process].real;
  return process == hd_own.process ? (int)sys(SYS_getpid) : real ? real : (int)rt.first_process;
}

/* As little as can be: it is done for every execution. */
void processes_begin(void)
{
  struct process *first = &rt.process[0];
  first->exists = true;
  first->ended = false;
  first->parent = NOBODY;
  first->first = first->seat = 0;
  first->group = first->session_id = VIRTUAL_PID - 1;
  first->real = first->status = 0;
  first->changed = false;
  first->signals = first->began = first->used = first->by_waited = 0;
  first->stopping = first->stopped = first->stop_untold = first->continue_untold = 0;
  signals_begin_process();
}

void processes_reset(void)
{
  for (unsigned p = 0; p < rt.engine->processes; p++) {
    if (!slot_keeps(p))
      slot_empty(p);
    slot_reap(p);
    rt.process[p].real = 0;
    rt.turn[rt.process[p].seat] = TURN_NONE;
  }
}

void processes_forget(void)
{
  for (unsigned p = 0; p < PROCESSES; p++) {
    rt.process[p].real = rt.turn[p] = 0;
    slot_filled(p, 0);
  }
}

bool process_is_last(void)
{
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (p != hd_own.process && rt.process[p].exists && !rt.process[p].ended)
      return false;
  return true;
}

/* ---- the beginning ---- */

static bool step_taken; /* fork() took it */

static void step_to_fork(uintptr_t pc)
{
  struct operation op = {.kind = OP_CREATE, .traits = OP_FAR, .arg = rt.engine->threads, .pc = pc};
  step(&op);
}

/* Whose end this thread knows of, so that all it did came before. */
static bool is_past(unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  return t->finished && self_thread()->clock.at[thread] + 1 >= t->clock.at[thread];
}

/* Also if they have ended: then their writes came before the fork only by chance. */
static bool had_other_threads(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (t != self_index() && rt.thread[t].process == hd_own.process && !is_past(t))
      return true;
  return false;
}

void process_fork_begins(uintptr_t pc)
{
  step_to_fork(pc);
  performed(0);
  step_taken = true;
}

/* All on one processor, where the turn changes hands fastest; workers on different ones. */
static void stay_on_one_processor(void)
{
  static bool done;
  cpu_set_t may, one;
  if (done || sys(SYS_sched_getaffinity, 0, sizeof may, &may) < 0)
    return;
  done = true;
  uint64_t skip = rt.control->config.first % rt.control->config.stride % (uint64_t)CPU_COUNT(&may);
  CPU_ZERO(&one);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
    if (CPU_ISSET(cpu, &may) && skip-- == 0)
      CPU_SET(cpu, &one);
  sys(SYS_sched_setaffinity, 0, sizeof one, &one);
}

static unsigned add_process(unsigned thread, uintptr_t pc)
{
  unsigned p = rt.engine->processes, parent = hd_own.process;
  if (p == PROCESSES)
    fail(place_in_program(0), "the program starts more than %d processes in one execution", PROCESSES);
  rt.engine->processes++;
  rt.process[p] = (struct process){.exists = true,
                                   .handled = rt.process[parent].handled,
                                   .ignored = rt.process[parent].ignored,
                                   .leaves_no_zombies = rt.process[parent].leaves_no_zombies,
                                   .hears_of_ends_only = rt.process[parent].hears_of_ends_only,
                                   .parent = (uint8_t)parent,
                                   .first = (uint8_t)thread,
                                   .seat = (uint8_t)p,
                                   .began = rt.now,
                                   .group = rt.process[parent].group,
                                   .session_id = rt.process[parent].session_id};
  rt.control->thread[thread].process = p;
  rt.control->thread[thread].made_at = in_image(place_in_program(pc));
  rt.control->thread[thread].image = hd_own.image;
  return p;
}

/* Ends with the first process, even if that has ended already. */
static void live_with_first(void)
{
  sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (sys(SYS_getppid) != rt.first_process)
    sys(SYS_exit_group, 0L);
}

/* A process of the kernel's that is to be that one, from now on as often as it is kept. Comes back with the turn. */
static void begin_process(unsigned process, bool changed)
{
  live_with_first();
  filter_again();
  hd_own.process = hd_own.seat = process;
  shadow_of_process(process);
  rt.process[process].changed = changed;
  hd_self = NULL;
  turn_await();
}

/* The copy goes on where its thread has the turn for the first time. */
static long begin_copy(unsigned process, unsigned thread, const struct origin_of_copy *from)
{
  hd_own.process = hd_own.seat = process;
  shadow_of_parent(from);
  hd_self = &rt.engine->thread[thread];
  thread_is_copy(thread, from->thread);
  memory_retag();
  engine_about(rt.engine, &hd_self->pending);
  if (signals_wait_for(thread)) /* sent before it ran: not at its first step, which replay has elsewhere */
    run_signals();
  return 0;
}

/* A debugger knows a process from a thread by the signal for its parent. */
static unsigned long signal_for_parent(void)
{
  return rt.control->debugger.attached ? SIGCHLD : 0;
}

/* What the program asks for, as clone() has it. */
static struct call as_clone(const struct call *c)
{
  struct clone_args args;
  if (c->number == SYS_clone)
    return *c;
  if (c->number != SYS_clone3)
    return (struct call){.number = SYS_clone, .arg = {c->number == SYS_vfork ? CLONE_VFORK : 0}};
  copy_bytes(&args, (void *)c->arg[0], sizeof args < (size_t)c->arg[1] ? sizeof args : (size_t)c->arg[1]);
  return (struct call){.number = SYS_clone,
                       .arg = {(long)args.flags, 0, (long)args.parent_tid, (long)args.child_tid, (long)args.tls}};
}

static long start_copy(const struct call *clone)
{
  struct call now = *clone;
  unsigned long kept = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;
  unsigned long parents = hd_own.process ? CLONE_PARENT : 0;
  now.arg[0] = (long)(((unsigned long)now.arg[0] & kept) | parents | signal_for_parent());
  now.arg[1] = 0;
  return sys_array(now.number, now.arg);
}

/* What the kernel does to memory in a fork. */
static void name_copy(const struct call *clone)
{
  if (clone->arg[0] & CLONE_CHILD_SETTID)
    *(int *)clone->arg[3] = (int)sys(SYS_gettid);
}

/* By a process that was kept, or a new one. True in the copy. */
static bool copy_process(const struct call *clone, unsigned process)
{
  bool copied = false, changed = rt.process[hd_own.process].changed;
  int real = slot_real(process);
  if (slot_copy(process, &copied)) {
    if (copied)
      name_copy(clone);
    else
      rt.process[process].real = real;
    return copied;
  }
  slot_empty(process);
  real = (int)start_copy(clone);
  if (real < 0)
    fail(place_in_program(clone->pc), "cannot fork: the system's limit of processes or memory is reached");
  if (!real) {
    begin_process(process, changed);
    return true;
  }
  rt.process[process].real = real;
  slot_filled(process, real);
  return false;
}

/* CLONE_PIDFD. */
static void tell_descriptor(const struct call *c, unsigned process)
{
  const struct clone_args *args = (const struct clone_args *)c->arg[0];
  bool three = c->number == SYS_clone3, one = c->number == SYS_clone;
  if (!(three && args->flags & CLONE_PIDFD) && !(one && c->arg[0] & CLONE_PIDFD))
    return;
  int *out = (int *)(three ? (long)args->pidfd : c->arg[2]);
  snapshot_touch((uintptr_t)out, sizeof *out);
  *out = (int)pidfd_new(process, 0, c->pc);
}

long process_fork(const struct call *c)
{
  unsigned me = self_index();
  struct call clone = as_clone(c);
  clone.pc = c->pc;
  if (clone.arg[0] & CLONE_VM && !(clone.arg[0] & CLONE_VFORK))
    fail(place_in_program(c->pc),
         "the program starts a process that shares its memory (clone() with CLONE_VM); heddle cannot control that");
  if (!step_taken)
    step_to_fork(place_in_program(c->pc));
  bool counted = step_taken, borrows = borrowing_is_wanted(&clone);
  step_taken = false;
  stay_on_one_processor();
  if (!hd_own.seat)
    rt.first_process = (int)sys(SYS_getpid);
  unsigned thread = thread_add_copy(c->pc), process = add_process(thread, c->pc);
  rt.thread[thread].process = (uint8_t)process;
  objects_fork(hd_own.process, process, me, thread);
  posix_queues_fork(hd_own.process, process);
  sem_fork(hd_own.process, process);
  descriptors_fork(hd_own.process, process);
  overlay_fork(hd_own.process, process);
  mappings_unclaim_shared();
  struct origin_of_copy from = {hd_own.process, me, hd_own.generation, had_other_threads()};
  if (copy_process(&clone, process))
    return begin_copy(process, thread, &from);
  tell_descriptor(c, process);
  if (!counted)
    performed(0);
  if (borrows)
    borrowing_await(process, c->pc);
  return process_id(process);
}

/* ---- the end ---- */

static void abandon_children(void)
{
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (rt.process[p].exists && rt.process[p].parent == hd_own.process) {
      rt.process[p].parent = NOBODY;
      rt.process[p].exists = !rt.process[p].ended;
    }
}

static bool is_awaited(const struct process *p)
{
  return p->parent != NOBODY && !rt.process[p->parent].leaves_no_zombies;
}

static void stop_others(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.thread[t].process == hd_own.process && t != self_index()) {
      rt.thread[t].finished = true;
      engine_cut_off(rt.engine, t);
    }
}

/* What it had is gone, but whoever waits for it does not see yet that it has ended. */
static void step_to_be_seen(void)
{
  struct operation op = {.kind = OP_PROCESS_END, .arg = END_IS_SEEN, .pc = place_in_program(0)};
  self_thread()->signal_mask = ~UINT64_C(0);
  self_thread()->let_through = 0;
  step(&op);
  performed(0);
  if (process_is_last())
    execution_end();
}

void process_end(int status)
{
  struct process *p = &rt.process[hd_own.process];
  sem_process_ended(hd_own.process);
  semaphores_process_ended(hd_own.process);
  posix_queues_process_ended(hd_own.process);
  descriptors_process_ended(hd_own.process);
  timers_process_ended(hd_own.process);
  mutexes_die(hd_own.process);
  stop_others();
  borrowing_ends();
  if (is_awaited(p))
    step_to_be_seen();
  process_leaves_groups();
  p->ended = true;
  p->status = status;
  pidfds_process_ended(hd_own.process);
  p->used = rt.now - p->began + p->by_waited;
  p->exists = is_awaited(p); /* else there is nobody to wait for it */
  abandon_children();
  vclock_clear(&p->clock);
  release_to(&p->clock);
  self_thread()->finished = true;
  bool killed = WIFSIGNALED(status);
  send_child_news(hd_own.process, killed ? CLD_KILLED : CLD_EXITED, killed ? WTERMSIG(status) : WEXITSTATUS(status));
  engine_end_thread(rt.engine);
  unsigned next = engine_turn(rt.engine);
  if (next == NEXT_DIVERGED)
    schedule_left();
  if (next >= MAX_THREADS)
    execution_end();
  turn_give_away(next);
}

/* ---- another program ---- */

#define LATER_SEAT PROCESSES /* of the first process, when its kernel process has only the loop left */

void processes_exec(void)
{
  stop_others();
  posix_queues_process_ended(hd_own.process);
  descriptors_exec();
  timers_exec();
  contents_exec();
  filter_exec();
  if (hd_own.seat)
    return;
  stay_on_one_processor();
  rt.first_process = (int)sys(SYS_getpid);
  rt.process[0].seat = LATER_SEAT;
  long real = sys(SYS_clone, signal_for_parent(), 0L, 0L, 0L, 0L);
  if (real < 0)
    fail(place_in_program(0), "cannot fork: the system's limit of processes or memory is reached");
  if (real) {
    rt.process[0].real = (int)real;
    slot_filled(0, (int)real);
    turn_await(); /* until the execution is over */
    __builtin_unreachable();
  }
  live_with_first();
  filter_again();
  hd_own.seat = LATER_SEAT;
}

/* ---- signals and groups ---- */

/* Whom kill() means by its first argument. */
static bool is_target(const struct process *p, unsigned number, int id)
{
  int own = rt.process[hd_own.process].group;
  return p->exists && ((id > 0 && process_id(number) == id) || (id == 0 && p->group == own) ||
                       (id == -1 && number != hd_own.process) || (id < -1 && p->group == -id));
}

static unsigned first_target(int id)
{
  unsigned p = 0;
  while (p < rt.engine->processes && !is_target(&rt.process[p], p, id))
    p++;
  return p < rt.engine->processes ? p : PROCESSES;
}

/* To all at once, and to whoever is there by then. */
static long send_to_all(int id, int signal, const siginfo_t *info)
{
  long result = -ESRCH;
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (is_target(&rt.process[p], p, id) && p != hd_own.process)
      result = post_signal(TO_PROCESS(p), signal, info);
  if (is_target(&rt.process[hd_own.process], hd_own.process, id)) /* the last, since it may be its end */
    result = post_signal(WHOLE_PROCESS, signal, info);
  run_signals();
  return result;
}

long processes_signal(int id, int signal, const siginfo_t *info, uintptr_t pc)
{
  if (signal == 0 || first_target(id) == PROCESSES) /* it only looks who is there */
    step_on_system(SYS_kill, SYSTEM_IDENTITY, 0, pc);
  unsigned target = first_target(id);
  if (signal == 0 || target == PROCESSES)
    return target == PROCESSES ? -ESRCH : 0;
  if (rt.engine->threads == 1)
    return send_to_all(id, signal, info);
  step_to_send(TO_PROCESS(target), id <= 0, signal, pc);
  return performed((int)send_to_all(id, signal, info));
}

static bool group_exists(int group)
{
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (rt.process[p].exists && rt.process[p].group == group)
      return true;
  return false;
}

long process_group_call(const struct call *c)
{
  bool own = c->number == SYS_setsid || c->number == SYS_getpgrp || !(int)c->arg[0];
  unsigned n = own ? hd_own.process : process_of_id((int)c->arg[0]);
  if (n == PROCESSES && c->number != SYS_setpgid && (int)c->arg[0] == VIRTUAL_PID - 1)
    return VIRTUAL_PID - 1; /* whoever started it */
  if (n == PROCESSES)
    return -ESRCH;
  struct process *p = &rt.process[n];
  int id = process_id(n), to = (int)c->arg[1] ? (int)c->arg[1] : id;
  switch (c->number) {
  case SYS_setsid:
    if (p->group == id)
      return -EPERM;
    p->session_id = p->group = id;
    return id;
  case SYS_getsid:
    return p->session_id;
  case SYS_setpgid:
    if ((int)c->arg[1] < 0)
      return -EINVAL;
    if (p->session_id == id || p->session_id != rt.process[hd_own.process].session_id ||
        (to != id && !group_exists(to)))
      return -EPERM;
    p->group = to;
    return 0;
  default:
    return p->group;
  }
}

/* ---- waiting for it ---- */

/* Whom waitpid() means by its first argument. */
static bool is_meant(const struct process *p, unsigned number, unsigned parent, int id)
{
  if (!p->exists || p->parent != parent)
    return false;
  return id == -1 || (id > 0 && process_id(number) == id) || (id == 0 && p->group == rt.process[parent].group) ||
         (id < -1 && p->group == -id);
}

/* What there is to tell of it, of what these options ask for: as si_code, 0 for nothing. */
static int news_of(const struct process *p, int options)
{
  if (p->ended)
    return !(options & WEXITED) ? 0 : WIFSIGNALED(p->status) ? CLD_KILLED : CLD_EXITED;
  if (options & WSTOPPED && p->stop_untold)
    return CLD_STOPPED;
  return options & WCONTINUED && p->continue_untold ? CLD_CONTINUED : 0;
}

/* Of those that are meant and of which there are news, the nth; PROCESSES: there are not so many. any: there is one at
 * all. */
static unsigned child_with_news(unsigned parent, int id, int options, unsigned nth, bool *any)
{
  unsigned found = PROCESSES;
  *any = false;
  for (unsigned n = 0; n < rt.engine->processes; n++) {
    const struct process *p = &rt.process[n];
    if (!is_meant(p, n, parent, id))
      continue;
    *any = true;
    if (found == PROCESSES && news_of(p, options) && nth-- == 0)
      found = n;
  }
  return found;
}

static unsigned children_with_news(unsigned parent, int id, int options)
{
  bool any;
  unsigned n = 0;
  while (child_with_news(parent, id, options, n, &any) != PROCESSES)
    n++;
  return n;
}

/* What is waited for, as an operation has it. */
static uint64_t wait_argument(int id, int options)
{
  return (uint32_t)id | (uint64_t)(options & (WEXITED | WSTOPPED | WCONTINUED)) << 32;
}

bool process_has_news(unsigned thread, const struct operation *op)
{
  bool any;
  unsigned found = child_with_news(rt.thread[thread].process, (int)op->arg, (int)(op->arg >> 32), 0, &any);
  return found != PROCESSES || !any;
}

int process_awaited(const struct operation *op)
{
  int thread = -1;
  unsigned children = 0;
  for (unsigned n = 0; n < rt.engine->processes; n++)
    children += is_meant(&rt.process[n], n, op->space, (int)op->arg) && !rt.process[n].ended;
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    unsigned n = rt.thread[t].process;
    if (rt.thread[t].finished || rt.thread[t].system || !is_meant(&rt.process[n], n, op->space, (int)op->arg))
      continue;
    if (thread >= 0)
      return -1; /* one of several may end it */
    thread = (int)t;
  }
  return children == 1 ? thread : -1;
}

static int id_of_waitid(const struct call *c)
{
  switch (c->arg[0]) {
  case P_ALL:
    return -1;
  case P_PID:
    return (int)c->arg[1];
  case P_PGID:
    return c->arg[1] ? -(int)c->arg[1] : 0;
  default:
    return process_id(pidfd_process((int)c->arg[1]));
  }
}

static int status_of(const struct process *p, int news)
{
  return news == CLD_STOPPED ? W_STOPCODE(p->stopping) : news == CLD_CONTINUED ? __W_CONTINUED : p->status;
}

static void tell_status(const struct call *c, unsigned child, int news)
{
  const struct process *p = &rt.process[child];
  int *status = (int *)c->arg[1];
  siginfo_t *info = (siginfo_t *)c->arg[2];
  struct rusage *usage = (struct rusage *)c->arg[c->number == SYS_wait4 ? 3 : 4];
  if (usage)
    fill_bytes(usage, 0, sizeof *usage);
  if (c->number == SYS_wait4 && status)
    *status = status_of(p, news);
  if (c->number == SYS_wait4 || !info)
    return;
  fill_bytes(info, 0, sizeof *info);
  info->si_signo = SIGCHLD;
  info->si_code = news;
  info->si_pid = process_id(child);
  info->si_status = news == CLD_EXITED      ? WEXITSTATUS(p->status)
                    : news == CLD_KILLED    ? WTERMSIG(p->status)
                    : news == CLD_CONTINUED ? SIGCONT
                                            : p->stopping;
}

/* Each is told once. */
static void take_news(unsigned child, int news)
{
  struct process *p = &rt.process[child];
  if (news == CLD_STOPPED) {
    p->stop_untold = false;
  } else if (news == CLD_CONTINUED) {
    p->continue_untold = false;
  } else {
    p->exists = false;
    rt.process[hd_own.process].by_waited += p->used;
  }
}

long process_wait(const struct call *c)
{
  bool four = c->number == SYS_wait4, by_descriptor = !four && c->arg[0] == P_PIDFD;
  if (!four && (unsigned long)c->arg[0] > P_PIDFD)
    return -EINVAL;
  if (by_descriptor && pidfd_process((int)c->arg[1]) == PROCESSES)
    return -EBADF;
  bool looks = by_descriptor && pidfd_does_not_block((int)c->arg[1]);
  int id = four ? (int)c->arg[0] : id_of_waitid(c), options = (int)c->arg[four ? 2 : 3];
  unsigned me = hd_own.process;
  bool any;
  if (four)
    options |= WEXITED;
  else if (!(options & (WEXITED | WSTOPPED | WCONTINUED)))
    return -EINVAL;
  struct operation op = {.kind = looks || options & WNOHANG ? OP_PROCESS_POLL : OP_PROCESS_WAIT,
                         .space = (uint8_t)hd_own.process,
                         .arg = wait_argument(id, options),
                         .pc = place_in_program(c->pc)};
  check_cancel_in_call(c->pc);
  step(&op);
  check_cancel_in_call(c->pc);
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  if (interrupted)
    return performed(-EINTR);
  unsigned ready = children_with_news(me, id, options);
  unsigned child = child_with_news(me, id, options, ready > 1 ? engine_choose(rt.engine, ready) : 0, &any);
  if (child == PROCESSES) {
    if (looks && any && !(options & WNOHANG))
      return performed(-EAGAIN);
    if (!four && any && c->arg[2])
      fill_bytes((void *)c->arg[2], 0, sizeof(siginfo_t));
    return performed(any ? 0 : -ECHILD);
  }
  int news = news_of(&rt.process[child], options);
  acquire_from(&rt.process[child].clock);
  tell_status(c, child, news);
  if (!(options & WNOWAIT) || four)
    take_news(child, news);
  return performed(four ? process_id(child) : 0);
}
