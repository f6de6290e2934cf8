/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls about the process and its threads: who it is, signals, time, limits, its end. They are modelled, or performed
 * and undone after the execution. Knows nothing of descriptors (descriptor_calls.c) and of memory (mappings.c).
 */
#include "worlds/threads/system/process_calls.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/heap.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/model/futex.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/model/sysv.h"
#include "worlds/threads/process/borrowing.h"
#include "worlds/threads/process/exec.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/alternate_stack.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/own_files.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/thread/scheduling.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- processes, and the end of this one ---- */

static long do_process(const struct call *c)
{
  bool thread = (c->number == SYS_clone && c->arg[0] & CLONE_THREAD) ||
                (c->number == SYS_clone3 && ((struct clone_args *)c->arg[0])->flags & CLONE_THREAD);
  if (thread)
    fail(in_program(c->pc) ? c->pc : 0,
         "the program starts a thread with a raw clone() call, past pthread_create; heddle cannot control it");
  if (c->number == SYS_execve || c->number == SYS_execveat)
    return process_exec(c);
  return process_fork(c);
}

static long do_exit(const struct call *c)
{
  int status = (int)c->arg[0] & 255;
  borrowing_fails(status);
  if (c->number == SYS_exit_group)
    execution_exit(status);
  thread_vanish(status);
}

static long do_identity(const struct call *c)
{
  unsigned parent = rt.process[hd_own.process].parent;
  self_thread()->told_apart |= c->number == SYS_gettid;
  return c->number == SYS_getpid    ? process_id(hd_own.process)
         : c->number == SYS_getppid ? (hd_own.process ? process_id(parent) : VIRTUAL_PID - 1)
                                    : (long)(VIRTUAL_PID + self_index());
}

/* ---- signals ---- */

/* Calls that send a signal: which argument is the process, the thread, the signal, what comes with it; -1 for none. */
struct sender {
  short number;
  signed char process, thread, signal, info;
};

static const struct sender sender[] = {
    {SYS_kill, 0, -1, 1, -1},           {SYS_tkill, -1, 0, 1, -1},           {SYS_tgkill, 0, 1, 2, -1},
    {SYS_rt_sigqueueinfo, 0, -1, 1, 2}, {SYS_rt_tgsigqueueinfo, 0, 1, 2, 3},
};

static const struct sender *sender_of(long number)
{
  for (size_t i = 0; i < sizeof sender / sizeof *sender; i++)
    if (sender[i].number == number)
      return &sender[i];
  return NULL;
}

/* By this libc tells each thread to take over a new identity. Ours are all one thread to the kernel, which has it
 * already. */
#define TAKE_IDENTITY 33

static long do_kill(const struct call *c)
{
  const struct sender *s = sender_of(c->number);
  int signal = (int)c->arg[s->signal];
  const siginfo_t *info = s->info < 0 ? NULL : (const siginfo_t *)c->arg[s->info];
  if (signal < 0 || signal >= SIGNALS)
    return -EINVAL;
  if (s->thread < 0) {
    int process = (int)c->arg[s->process];
    bool known = process <= 0 || process_of_id(process) < PROCESSES;
    if (known)
      return processes_signal(process, signal, info, c->pc);
    long unknown = sys(SYS_kill, process, 0L);
    return signal == 0 || unknown ? unknown : -EPERM; /* nobody outside gets any from us */
  }
  int thread = thread_of_number((int)c->arg[s->thread]);
  if (thread == NO_THREAD || signal == TAKE_IDENTITY)
    return -ESRCH;
  return send_in_turn(thread, signal, info, c->pc);
}

static long do_pending(const struct call *c)
{
  *(uint64_t *)c->arg[0] = signals_pending(self_index()) & self_thread()->signal_mask;
  return 0;
}

/* Whether a signal comes before or after matters, if there is somebody to send it. */
static long do_mask(const struct call *c)
{
  if (c->arg[1] && rt.engine->threads > 1)
    step_on_system(c->number, 0, SYSTEM_SIGNALS, place_in_program(c->pc));
  return change_mask((int)c->arg[0], (const uint64_t *)c->arg[1], (uint64_t *)c->arg[2]);
}

static long do_action(const struct call *c)
{
  return change_action((int)c->arg[0], (const void *)c->arg[1], (void *)c->arg[2]);
}

static long do_alternate_stack(const struct call *c)
{
  return change_alternate_stack((const stack_t *)c->arg[0], (stack_t *)c->arg[1]);
}

static long do_suspend(const struct call *c)
{
  return suspend_for_signal(c->number == SYS_rt_sigsuspend ? (const uint64_t *)c->arg[0] : NULL, c->pc);
}

static long do_signal_wait(const struct call *c)
{
  return wait_for_signal((const uint64_t *)c->arg[0], (siginfo_t *)c->arg[1], (const struct timespec *)c->arg[2],
                         c->pc);
}

/* ---- time and turns ---- */

static long do_clock(const struct call *c)
{
  switch (c->number) {
  case SYS_clock_gettime:
    if (!clock_exists((clockid_t)c->arg[0]))
      return -EINVAL;
    *(struct timespec *)c->arg[1] = virtual_time((clockid_t)c->arg[0]);
    return 0;
  case SYS_time:
    if (c->arg[0])
      *(time_t *)c->arg[0] = virtual_time(CLOCK_REALTIME).tv_sec;
    return virtual_time(CLOCK_REALTIME).tv_sec;
  default: {
    struct timespec now = virtual_time(CLOCK_REALTIME);
    struct timeval *out = (struct timeval *)c->arg[0];
    if (out)
      *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
  }
  }
}

static long do_set_clock(const struct call *c)
{
  if (c->number == SYS_clock_settime) {
    const struct timespec *to = (const struct timespec *)c->arg[1];
    return c->arg[0] != CLOCK_REALTIME ? -EINVAL : set_wall_clock(to);
  }
  const struct timeval *to =
      (const struct timeval *)c->arg[0]; /* settimeofday; a time zone alone changes nothing here */
  struct timespec precise = {to ? to->tv_sec : 0, to ? to->tv_usec * 1000 : 0};
  return to ? set_wall_clock(&precise) : 0;
}

/* To be told how the machine's clock goes does no harm; to have it go otherwise is for the machine's owner. */
static long do_adjust_clock(const struct call *c)
{
  const unsigned *modes =
      (const unsigned *)c->arg[c->number == SYS_clock_adjtime]; /* the first field of struct timex */
  lose(LOST_CLOCK);
  return modes && *modes ? -EPERM : UNKNOWN;
}

static long do_sleep(const struct call *c)
{
  bool clock = c->number == SYS_clock_nanosleep;
  return -virtual_sleep(clock ? (clockid_t)c->arg[0] : CLOCK_REALTIME, clock && c->arg[1] & TIMER_ABSTIME,
                        (const struct timespec *)c->arg[clock ? 2 : 0], (struct timespec *)c->arg[clock ? 3 : 1],
                        c->pc);
}

static long do_yield(const struct call *c)
{
  struct operation op = {.kind = OP_YIELD, .pc = c->pc};
  step(&op);
  return performed(0);
}

static long do_futex(const struct call *c)
{
  return futex_call((uint32_t *)c->arg[0], (int)c->arg[1], (uint32_t)c->arg[2], c->arg[3], (uint32_t *)c->arg[4],
                    (uint32_t)c->arg[5], c->pc);
}

static long do_affinity(const struct call *c)
{
  int thread = c->arg[0] ? thread_of_number((int)c->arg[0]) : (int)self_index();
  if (thread == NO_THREAD)
    return is_virtual((int)c->arg[0]) ? -ESRCH : UNKNOWN;
  return c->number == SYS_sched_setaffinity
             ? thread_set_affinity((unsigned)thread, (size_t)c->arg[1], (const void *)c->arg[2])
             : thread_get_affinity((unsigned)thread, (size_t)c->arg[1], (void *)c->arg[2]);
}

/* ---- what is put back after an execution in place ---- */

#define LIMITS 16

static struct {
  bool masked;
  long mask; /* of new files */
  uint32_t limited;
  struct rlimit limit[LIMITS];
} before;

static long do_umask(const struct call *c)
{
  long old = perform(c);
  if (!before.masked)
    before.mask = old;
  before.masked = true;
  return old;
}

/* Everybody may lower a hard limit, only some may raise it, and no number of a user tells whom the kernel lets. So try:
 * if it stays down, the process has to begin anew anyway. */
static bool comes_up_again(long which, const struct rlimit *low, const struct rlimit *now)
{
  bool refused = sys(SYS_prlimit64, 0, which, low, NULL) != 0;
  return refused || sys(SYS_prlimit64, 0, which, now, NULL) == 0;
}

/* Whether what it was can be had again. */
static bool can_be_undone(const struct call *c)
{
  const struct rlimit *to = (const struct rlimit *)c->arg[2];
  struct rlimit now;
  long which = c->arg[1];
  bool own = c->arg[0] == 0 || thread_of_number((int)c->arg[0]) != NO_THREAD;
  if (!own || which < 0 || which >= LIMITS || sys(SYS_prlimit64, 0, which, NULL, &now))
    return false;
  return !to || to->rlim_max >= now.rlim_max || !in_place() || comes_up_again(which, to, &now);
}

/* The lower one of those that memory is counted by. */
static void limit_heap(void)
{
  struct rlimit data = {.rlim_cur = RLIM_INFINITY}, all = {.rlim_cur = RLIM_INFINITY};
  if (before.limited >> RLIMIT_DATA & 1)
    sys(SYS_prlimit64, 0, RLIMIT_DATA, NULL, &data);
  if (before.limited >> RLIMIT_AS & 1)
    sys(SYS_prlimit64, 0, RLIMIT_AS, NULL, &all);
  rlim_t least = data.rlim_cur < all.rlim_cur ? data.rlim_cur : all.rlim_cur;
  heap_set_limit(least == RLIM_INFINITY ? UINT64_MAX : least);
}

static long do_limit(const struct call *c)
{
  descriptor_limit_changed();
  if (!can_be_undone(c))
    return UNKNOWN;
  struct call own = *c;
  long which = c->arg[1];
  own.arg[0] = 0;
  if (c->arg[2] && !(before.limited >> which & 1)) {
    sys(SYS_prlimit64, 0, which, NULL, &before.limit[which]);
    before.limited |= 1u << which;
  }
  long result = perform(&own);
  if (result == 0 && c->arg[2] && (which == RLIMIT_DATA || which == RLIMIT_AS))
    limit_heap();
  return result;
}

void process_reset(void)
{
  if (before.masked)
    sys(SYS_umask, before.mask);
  for (long i = 0; i < LIMITS && before.limited; i++)
    if (before.limited >> i & 1)
      sys(SYS_prlimit64, 0, i, &before.limit[i], NULL);
  if (before.limited)
    descriptor_limit_changed();
  before.masked = false;
  before.limited = 0;
  heap_set_limit(UINT64_MAX);
}

/* ---- what the process asks of the kernel ---- */

/* A filter of the program's own would hit our calls, a death signal of its own would replace ours. */
static long do_prctl(const struct call *c)
{
  char *name = rt.control->thread[self_index()].name;
  if (c->arg[0] == PR_SET_NAME) {
    print_text(name, sizeof rt.control->thread[0].name, "%s", (const char *)c->arg[1]);
    return 0;
  }
  if (c->arg[0] == PR_GET_NAME && *name) {
    snapshot_touch((uintptr_t)c->arg[1], 16);
    print_text((char *)c->arg[1], 16, "%s", name);
    return 0;
  }
  bool kept = c->arg[0] == PR_SET_SECCOMP || c->arg[0] == PR_SET_PDEATHSIG;
  if (!kept && c->arg[0] == PR_SET_DUMPABLE && in_place())
    change_reset(RESET_FORK, c->pc, "the program changes what restoring its memory does not undo (prctl)");
  return kept ? 0 : perform(c);
}

static long do_filter(const struct call *c)
{
  return c->arg[0] == SECCOMP_SET_MODE_STRICT || c->arg[0] == SECCOMP_SET_MODE_FILTER ? 0 : perform(c);
}

static long do_random(const struct call *c)
{
  random_bytes((void *)c->arg[0], (size_t)c->arg[1]);
  return c->arg[1];
}

/* There may be others. */
static long do_processor(const struct call *c)
{
  lose(LOST_MACHINE);
  for (int i = 0; i < 2; i++)
    if (c->arg[i]) {
      snapshot_touch((uintptr_t)c->arg[i], sizeof(unsigned));
      *(unsigned *)c->arg[i] = 0;
    }
  return 0;
}

/* Its rings are memory that the kernel reads and writes whenever it likes. Programs that can do without it find, as on
 * an older kernel, that there is none. */
static long do_ring(const struct call *c)
{
  (void)c;
  lose(LOST_RINGS);
  return -ENOSYS;
}

static call_maker *const calls[] = {
    [SYS_clone] = do_process,
    [SYS_clone3] = do_process,
    [SYS_fork] = do_process,
    [SYS_vfork] = do_process,
    [SYS_execve] = do_process,
    [SYS_execveat] = do_process,
    [SYS_wait4] = process_wait,
    [SYS_waitid] = process_wait,
    [SYS_setpgid] = process_group_call,
    [SYS_getpgid] = process_group_call,
    [SYS_getpgrp] = process_group_call,
    [SYS_setsid] = process_group_call,
    [SYS_getsid] = process_group_call,
    [SYS_exit] = do_exit,
    [SYS_exit_group] = do_exit,
    [SYS_getpid] = do_identity,
    [SYS_getppid] = do_identity,
    [SYS_gettid] = do_identity,

    [SYS_kill] = do_kill,
    [SYS_tkill] = do_kill,
    [SYS_tgkill] = do_kill,
    [SYS_rt_sigqueueinfo] = do_kill,
    [SYS_rt_tgsigqueueinfo] = do_kill,
    [SYS_rt_sigpending] = do_pending,
    [SYS_rt_sigprocmask] = do_mask,
    [SYS_rt_sigaction] = do_action,
    [SYS_sigaltstack] = do_alternate_stack,
    [SYS_pause] = do_suspend,
    [SYS_rt_sigsuspend] = do_suspend,
    [SYS_rt_sigtimedwait] = do_signal_wait,

    [SYS_clock_gettime] = do_clock,
    [SYS_time] = do_clock,
    [SYS_gettimeofday] = do_clock,
    [SYS_clock_settime] = do_set_clock,
    [SYS_settimeofday] = do_set_clock,
    [SYS_adjtimex] = do_adjust_clock,
    [SYS_clock_adjtime] = do_adjust_clock,
    [SYS_nanosleep] = do_sleep,
    [SYS_clock_nanosleep] = do_sleep,
    [SYS_sched_yield] = do_yield,
    [SYS_futex] = do_futex,
    [SYS_clock_getres] = clock_resolution_call,
    [SYS_sched_setaffinity] = do_affinity,
    [SYS_sched_getaffinity] = do_affinity,
    [SYS_sched_getscheduler] = scheduling_call,
    [SYS_sched_setscheduler] = scheduling_call,
    [SYS_sched_getparam] = scheduling_call,
    [SYS_sched_setparam] = scheduling_call,
    [SYS_sched_getattr] = scheduling_call,
    [SYS_sched_setattr] = scheduling_call,
    [SYS_sched_rr_get_interval] = scheduling_call,
    [SYS_getpriority] = nice_call,
    [SYS_setpriority] = nice_call,

    [SYS_mq_open] = posix_queue_call,
    [SYS_mq_unlink] = posix_queue_call,
    [SYS_mq_timedsend] = posix_queue_call,
    [SYS_mq_timedreceive] = posix_queue_call,
    [SYS_mq_getsetattr] = posix_queue_call,
    [SYS_mq_notify] = posix_queue_call,
    [SYS_msgget] = sysv_message_call,
    [SYS_msgsnd] = sysv_message_call,
    [SYS_msgrcv] = sysv_message_call,
    [SYS_msgctl] = sysv_message_call,
    [SYS_semget] = sysv_semaphore_call,
    [SYS_semop] = sysv_semaphore_call,
    [SYS_semtimedop] = sysv_semaphore_call,
    [SYS_semctl] = sysv_semaphore_call,
    [SYS_shmget] = sysv_segment_call,
    [SYS_shmat] = sysv_segment_call,
    [SYS_shmdt] = sysv_segment_call,
    [SYS_shmctl] = sysv_segment_call,

    [SYS_umask] = do_umask,
    [SYS_prlimit64] = do_limit,
    [SYS_prctl] = do_prctl,
    [SYS_seccomp] = do_filter,
    [SYS_getrandom] = do_random,
    [SYS_getcpu] = do_processor,
    [SYS_io_uring_setup] = do_ring,
    [SYS_io_uring_enter] = do_ring,
    [SYS_io_uring_register] = do_ring,

    [SYS_stat] = stat_call,
    [SYS_lstat] = stat_call,
    [SYS_fstat] = stat_call,
    [SYS_newfstatat] = stat_call,
    [SYS_statx] = stat_call,
};

bool process_call(const struct call *c, long *result)
{
  call_maker *make = CALL_IN(c->number, calls);
  *result = make ? make(c) : UNKNOWN;
  return *result != UNKNOWN;
}
