/* SPDX-License-Identifier: Apache-2.0
 *
 * Job control: SIGSTOP and its like stop a process, SIGCONT lets it go on. As in the kernel, its threads stop one by
 * one, each at its next step, and only when all of them have does its parent hear of it, by SIGCHLD and wait(). A
 * stopped thread takes no signal but SIGKILL. A group of processes none of which has its parent in another group of
 * the session is orphaned: nobody would let it go on, so terminal stops are ignored there, and when it becomes so while
 * one of it is stopped, all get SIGHUP and SIGCONT. The first process was started by somebody who looks after it.
 */
#include "worlds/threads/process/job_control.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <sys/wait.h>

#define NOBODY PROCESSES

static bool is_alive(unsigned process)
{
  return rt.process[process].exists && !rt.process[process].ended;
}

/* ---- groups ---- */

/* leaving: a process that counts no more. */
static bool is_orphaned(int group, unsigned leaving)
{
  for (unsigned p = 0; p < rt.engine->processes; p++) {
    unsigned parent = rt.process[p].parent;
    if (p == leaving || !is_alive(p) || rt.process[p].group != group)
      continue;
    if (p == 0)
      return false;
    bool cared_for = parent < PROCESSES && parent != leaving && is_alive(parent);
    if (cared_for && rt.process[parent].session_id == rt.process[p].session_id && rt.process[parent].group != group)
      return false;
  }
  return true;
}

void process_leaves_groups(void)
{
  for (unsigned stopped = 0; stopped < rt.engine->processes; stopped++) {
    int group = rt.process[stopped].group;
    if (!is_alive(stopped) || !rt.process[stopped].stopped || is_orphaned(group, NOBODY) ||
        !is_orphaned(group, hd_own.process))
      continue;
    for (unsigned p = 0; p < rt.engine->processes; p++)
      if (p != hd_own.process && is_alive(p) && rt.process[p].group == group) {
        post_signal(TO_PROCESS(p), SIGHUP, NULL);
        post_signal(TO_PROCESS(p), SIGCONT, NULL);
      }
  }
}

/* ---- stopping ---- */

static bool is_other_thread(unsigned t)
{
  return t != self_index() && rt.thread[t].process == hd_own.process && !rt.thread[t].finished && !rt.thread[t].system;
}

static void tell_threads(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_other_thread(t)) {
      rt.thread[t].pending_signals |= SIGNAL_BIT(SIGSTOP);
      rt.engine->thread[t].pending.traits |= OP_SIGNALLED;
      rt.signalled = true;
    }
  kernel_state_changed();
}

static bool all_stand(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_other_thread(t) && rt.engine->thread[t].pending.kind != OP_PROCESS_GO_ON)
      return false;
  return true;
}

static void have_stopped(struct process *p)
{
  p->stopped = p->stop_untold = true;
  p->continue_untold = false;
  vclock_clear(&p->clock);
  release_to(&p->clock);
  send_child_news(hd_own.process, CLD_STOPPED, p->stopping);
}

/* Waits that go on afterwards here, while the kernel's fail with EINTR (signal(7)): epoll's, which are not told from
 * others that poll, and a few more. */
static bool may_be_given_up(enum op_kind wait)
{
  switch (wait) {
  case OP_CHANNEL_POLL:
  case OP_CHANNEL_TIMEDPOLL:
  case OP_CHANNEL_TIMEDRECEIVE:
  case OP_CHANNEL_TIMEDSEND:
  case OP_CHANNEL_TIMEDACCEPT:
  case OP_SEMSET_OPERATE:
  case OP_SEMSET_TIMEDOPERATE:
  case OP_SIGNAL_WAIT:
  case OP_SIGNAL_TIMEDWAIT:
    return true;
  default:
    return false;
  }
}

void process_stop(int signal)
{
  struct process *p = &rt.process[hd_own.process];
  struct thread *t = self_thread();
  uint64_t mask = t->signal_mask, let_through = t->let_through;
  struct operation stop = {.kind = OP_PROCESS_STOP, .arg = (uint64_t)signal, .pc = place_in_program(0)};
  struct operation go_on = {.kind = OP_PROCESS_GO_ON, .pc = stop.pc};
  if (signal != SIGSTOP && is_orphaned(p->group, NOBODY))
    return;
  if (may_be_given_up(hd_self->pending.kind))
    lose(LOST_LATE_SIGNALS);
  t->signal_mask = ~SIGNAL_BIT(SIGKILL);
  t->let_through = 0;
  if (!p->stopping) {
    p->stopping = (uint8_t)signal;
    tell_threads();
  }
  step(&stop);
  if (p->stopping && all_stand())
    have_stopped(p);
  performed(signal);
  step(&go_on);
  performed(0);
  t->signal_mask = mask;
  t->let_through = let_through;
}

void process_continue(unsigned process)
{
  struct process *p = &rt.process[process];
  bool stopped = p->stopped;
  int signal = p->stopping;
  if (!signal)
    return;
  p->stopping = 0;
  p->stopped = p->stop_untold = false;
  p->continue_untold = stopped;
  send_child_news(process, stopped ? CLD_CONTINUED : CLD_STOPPED, stopped ? SIGCONT : signal);
  kernel_state_changed();
}
