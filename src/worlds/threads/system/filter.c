/* SPDX-License-Identifier: Apache-2.0
 *
 * The system call filter. Every system call that the program makes, by whatever path through libc or by itself, traps
 * (seccomp) and is decided on here: modelled (futex, sleep, signals), performed and undone after the execution
 * (descriptors.c, mappings.c), performed because it is harmless, or taken as the reason to go on in another reset mode.
 * So nothing the program does to the kernel can leak from one execution into the next unnoticed.
 */
#include "core/calls.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/model/futex.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/footprint.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

long raw_syscall(long number, long a, long b, long c, long d, long e, long f);

long sys_array(long number, const long arg[6])
{
  return raw_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
void raw_syscall_end(void);

static long under_way = -1;

long system_call_under_way(void)
{
  return under_way;
}

static long alone_fd = -1;

void be_alone(void)
{
  if (alone_fd >= 0)
    return;
  long fd = sys(SYS_open, "/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
  alone_fd = fd < 0 ? fd : sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1000); /* out of the way of the program's */
  sys(SYS_close, fd);
  while (alone_fd >= 0 && sys(SYS_flock, alone_fd, LOCK_EX | LOCK_NB) == -EAGAIN) {
    rt.control->heartbeat++;
    sys(SYS_poll, NULL, 0L, 1L);
  }
}

static uint64_t changes = 1;

uint64_t kernel_state(void)
{
  return changes;
}

void kernel_state_changed(void)
{
  changes++;
  engine_touch(rt.engine); /* descriptors may be ready for others now, or not any more */
}

long perform(const struct call *c)
{
  const long *a = c->arg;
  touch_outputs(c);
  under_way = c->number;
  long result = raw_syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]);
  under_way = -1;
  kernel_state_changed();
  return result;
}

/* ---- processes ---- */

/* POSIX lets vfork be fork. A child that shares our memory would be taken for the program itself: its _exit for the end
 * of the execution. */
EXPORT pid_t vfork(void)
{
  return fork();
}

static long do_process(const struct call *c)
{
  bool thread = (c->number == SYS_clone && c->arg[0] & CLONE_THREAD) ||
                (c->number == SYS_clone3 && ((struct clone_args *)c->arg[0])->flags & CLONE_THREAD);
  if (thread)
    fail(in_program(c->pc) ? c->pc : 0,
         "the program starts a thread with a raw clone() call, past pthread_create; heddle cannot control it");
  uintptr_t pc = in_program(c->pc) ? c->pc : 0;
  if (c->number == SYS_execve || c->number == SYS_execveat)
    fail(pc,
         "the program replaces itself by another one (%s); heddle cannot follow it there: check that one "
         "instead",
         (const char *)c->arg[c->number == SYS_execveat]);
  rt.control->wish.no_filter = 1;
  lose(LOST_PROCESSES);
  change_reset(RESET_EXEC, pc, "the program starts other processes; they run uncontrolled");
}

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

/* The thread of that id, virtual or the kernel's; WHOLE_PROCESS if there is none. */
static int thread_of_tid(long tid)
{
  for (unsigned i = 0; i < rt.engine->threads; i++)
    if ((rt.thread[i].fiber->tid == tid || tid == (long)(VIRTUAL_PID + i)) && !rt.thread[i].system)
      return (int)i;
  return WHOLE_PROCESS;
}

/* By this libc tells each thread to take over a new identity. Ours are all one thread to the kernel, which has it
 * already. */
#define TAKE_IDENTITY 33

static long do_kill(const struct call *c, const struct sender *s)
{
  int signal = (int)c->arg[s->signal];
  long process = s->process < 0 ? VIRTUAL_PID : (int)c->arg[s->process];
  const siginfo_t *info = s->info < 0 ? NULL : (const siginfo_t *)c->arg[s->info];
  if (signal < 0 || signal >= SIGNALS)
    return -EINVAL;
  if (process != VIRTUAL_PID && process != 0 && process != -VIRTUAL_PID && process != sys(SYS_getpid))
    return signal == 0 || rt.control->wish.no_filter ? perform(c) : -EPERM;
  if (s->thread < 0)
    return send_in_turn(WHOLE_PROCESS, signal, info, c->pc);
  int thread = thread_of_tid(c->arg[s->thread]);
  if (thread < 0 || rt.thread[thread].finished || signal == TAKE_IDENTITY)
    return -ESRCH;
  return send_in_turn(thread, signal, info, c->pc);
}

/* Whether a signal comes before or after matters, if there is somebody to send it. */
static void step_to_mask(const struct call *c)
{
  if (c->arg[1] && rt.engine->threads > 1)
    step_on_system(c->number, 0, SYSTEM_SIGNALS, place_in_program(c->pc));
}

static long read_clock(const struct call *c)
{
  switch (c->number) {
  case SYS_clock_gettime:
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

/* Of the files and the process, but not undone by putting memory back. */
static bool undone_by_nobody(const struct call *c)
{
  const struct call_rule *rule = call_rule(c->number);
  return !rule || !rule->looks;
}

/* Calls that name a process or a thread by the number it has to the program: the kernel is to take its own. */
static bool names_thread(long number)
{
  /* clang-format off */
  static const short calls[] = {
      SYS_sched_getparam, SYS_sched_setparam, SYS_sched_getscheduler, SYS_sched_setscheduler, SYS_sched_getattr,
      SYS_sched_setattr, SYS_sched_rr_get_interval, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_prlimit64,
      SYS_getpgid, SYS_getsid, SYS_setpgid, SYS_get_robust_list};
  /* clang-format on */
  return LISTED(number, calls);
}

static bool is_virtual(long id)
{
  return id >= VIRTUAL_PID && id < VIRTUAL_PID + MAX_THREADS;
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
  bool own = c->arg[0] == 0 || is_virtual((int)c->arg[0]);
  if (!own || which < 0 || which >= LIMITS || sys(SYS_prlimit64, 0, which, NULL, &now))
    return false;
  return !to || to->rlim_max >= now.rlim_max || !in_place() || comes_up_again(which, to, &now);
}

static long do_limit(const struct call *c)
{
  struct call own = *c;
  long which = c->arg[1];
  own.arg[0] = 0;
  if (c->arg[2] && !(before.limited >> which & 1)) {
    sys(SYS_prlimit64, 0, which, NULL, &before.limit[which]);
    before.limited |= 1u << which;
  }
  return perform(&own);
}

static void put_back(void)
{
  if (before.masked)
    sys(SYS_umask, before.mask);
  for (long i = 0; i < LIMITS; i++)
    if (before.limited >> i & 1)
      sys(SYS_prlimit64, 0, i, &before.limit[i], NULL);
  before.masked = false;
  before.limited = 0;
}

static long do_other(const struct call *original)
{
  struct call c = *original;
  bool by_who = c.number == SYS_getpriority || c.number == SYS_setpriority;
  long *id = &c.arg[by_who];
  if ((by_who || names_thread(c.number)) && is_virtual((int)*id))
    *id = 0;
  if ((c.number == SYS_process_vm_readv || c.number == SYS_process_vm_writev || c.number == SYS_pidfd_open) &&
      c.arg[0] == VIRTUAL_PID)
    c.arg[0] = sys(SYS_getpid);
  bool unknown = !call_rule(c.number);
  const char *name = system_call_name(c.number);
  if (undone_by_nobody(&c) && in_place() && name)
    change_reset(RESET_FORK, c.pc, "the program calls %s(), which restoring its memory does not undo", name);
  if (undone_by_nobody(&c) && in_place())
    change_reset(RESET_FORK, c.pc, "the program makes system call %ld, which restoring its memory does not undo",
                 c.number);
  if (c.number == SYS_getrusage || c.number == SYS_sysinfo || c.number == SYS_statfs || c.number == SYS_fstatfs ||
      c.number == SYS_getcpu)
    lose(LOST_MACHINE);
  if (unknown)
    lose(LOST_CALLS);
  else if (call_rule(c.number)->changes & SYSTEM_FILES)
    lose(LOST_FILES);
  if (undone_by_nobody(&c))
    be_alone();
  long result = perform(&c);
  bool asks = c.number == SYS_semctl && c.arg[2] == GETPID;
  return asks && result == sys(SYS_getpid) ? VIRTUAL_PID : result;
}

/* What follows the beginning of a path; NULL: it has another. */
static const char *after(const char *path, const char *beginning)
{
  while (*beginning && *path == *beginning)
    path++, beginning++;
  return *beginning || (*path && *path != '/') ? NULL : path;
}

/* /proc/PID and /proc/self/task/TID, with the numbers that the process and its threads have to the program. */
static void print_own_file(const char *path, char *out, size_t size)
{
  char own[32];
  print_text(own, sizeof own, "/proc/%d", VIRTUAL_PID);
  const char *rest = after(path, own), *of_task = after(path, "/proc/self/task");
  *out = '\0';
  if (rest)
    print_text(out, size, "/proc/self%s", rest);
  else if (!of_task || *of_task != '/')
    return;
  of_task = after(rest ? out : path, "/proc/self/task");
  for (unsigned t = 0; of_task && *of_task == '/' && t < rt.engine->threads; t++) {
    char task[32], left[200];
    print_text(task, sizeof task, "/%d", VIRTUAL_PID + (int)t);
    const char *in_task = after(of_task, task);
    if (!in_task)
      continue;
    print_text(left, sizeof left, "%s", in_task);
    print_text(out, size, "/proc/self/task/%d%s", rt.thread[t].fiber->tid, left);
    return;
  }
}

static void name_own_files(struct call *c, char *out, size_t size)
{
  static const short at_first[] = {SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_statfs};
  static const short at_second[] = {SYS_openat,     SYS_newfstatat, SYS_faccessat,
                                    SYS_faccessat2, SYS_readlinkat, SYS_statx};
  bool first = LISTED(c->number, at_first);
  const char *path = (const char *)c->arg[!first];
  if ((!first && !LISTED(c->number, at_second)) || (uintptr_t)path < 4096)
    return;
  print_own_file(path, out, size);
  if (*out)
    c->arg[!first] = (long)out;
}

/* The number of the process is what the program knows it by. */
static bool reads_own_number(const struct call *c)
{
  const char *path = (const char *)c->arg[c->number == SYS_readlinkat];
  return (c->number == SYS_readlink || c->number == SYS_readlinkat) && !text_compare(path, "/proc/self");
}

static long read_own_number(const struct call *c)
{
  bool at = c->number == SYS_readlinkat;
  char text[16];
  size_t n = print_text(text, sizeof text, "%d", VIRTUAL_PID), room = (size_t)c->arg[at + 2];
  n = n < room ? n : room;
  snapshot_touch((uintptr_t)c->arg[at + 1], n);
  copy_bytes((void *)c->arg[at + 1], text, n);
  return (long)n;
}

static int64_t real_now(void)
{
  struct timespec now;
  sys(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Files that came or changed since heddle began did so in virtual time; so did those heddle made for the program. A
 * date that is still to come was given to the file by the program. */
static bool has_virtual_date(bool own, int64_t seconds, int64_t nanoseconds)
{
  int64_t at = seconds * INT64_C(1000000000) + nanoseconds;
  return own || (at >= rt.control->config.began && at <= real_now());
}

static void date_stat(struct stat *s, bool own)
{
  struct timespec *times[] = {&s->st_atim, &s->st_mtim, &s->st_ctim};
  for (int i = 0; i < 3; i++)
    if (has_virtual_date(own, times[i]->tv_sec, times[i]->tv_nsec))
      *times[i] = virtual_now(CLOCK_REALTIME);
}

static void date_statx(struct statx *s, bool own)
{
  struct statx_timestamp *times[] = {&s->stx_atime, &s->stx_btime, &s->stx_ctime, &s->stx_mtime};
  struct timespec now = virtual_now(CLOCK_REALTIME);
  for (int i = 0; i < 4; i++)
    if (has_virtual_date(own, times[i]->tv_sec, times[i]->tv_nsec)) {
      times[i]->tv_sec = now.tv_sec;
      times[i]->tv_nsec = (uint32_t)now.tv_nsec;
    }
}

static long do_stat(const struct call *c)
{
  long result = perform(c);
  if (result != 0)
    return result;
  bool at = c->number == SYS_newfstatat, x = c->number == SYS_statx;
  bool by_descriptor = c->number == SYS_fstat || ((at || x) && c->arg[x ? 2 : 3] & AT_EMPTY_PATH);
  bool own = by_descriptor && descriptor_is_standard((int)c->arg[0]);
  if (x)
    date_statx((struct statx *)c->arg[4], own);
  else
    date_stat((struct stat *)c->arg[1 + at], own);
  return 0;
}

static long do_affinity(const struct call *c)
{
  int thread = c->arg[0] ? thread_of_tid((int)c->arg[0]) : (int)self_index();
  if (thread < 0)
    return -ESRCH;
  return c->number == SYS_sched_setaffinity
             ? thread_set_affinity((unsigned)thread, (size_t)c->arg[1], (const void *)c->arg[2])
             : thread_get_affinity((unsigned)thread, (size_t)c->arg[1], (void *)c->arg[2]);
}

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

/* By libc's functions, not by syscall(). Those that wait see to it while they do. */
static bool is_cancellation_point(long number)
{
  /* clang-format off */
  static const short calls[] = {
      SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_open, SYS_openat, SYS_creat, SYS_close, SYS_pread64, SYS_pwrite64,
      SYS_preadv, SYS_pwritev, SYS_fsync, SYS_fdatasync, SYS_msync};
  /* clang-format on */
  return LISTED(number, calls);
}

static long decide(struct call *c)
{
  long result;
  char own_path[256];
  self_thread()->call = c->number;
  name_own_files(c, own_path, sizeof own_path);
  step_to_call(c);
  if (reads_own_number(c))
    return read_own_number(c);
  if (timer_call(c, &result) || descriptor_call(c, &result) || mapping_call(c, &result))
    return result;
  switch (c->number) {
  case SYS_futex:
    return futex_call((uint32_t *)c->arg[0], (int)c->arg[1], (uint32_t)c->arg[2], c->arg[3], (uint32_t *)c->arg[4],
                      (uint32_t)c->arg[5], c->pc);
  case SYS_exit_group:
    execution_exit((int)c->arg[0] & 255);
  case SYS_exit:
    thread_vanish((int)c->arg[0] & 255);
  case SYS_clone:
  case SYS_clone3:
  case SYS_fork:
  case SYS_vfork:
  case SYS_execve:
  case SYS_execveat:
    return do_process(c);
  case SYS_kill:
  case SYS_tkill:
  case SYS_tgkill:
  case SYS_rt_sigqueueinfo:
  case SYS_rt_tgsigqueueinfo:
    return do_kill(c, sender_of(c->number));
  case SYS_rt_sigpending:
    *(uint64_t *)c->arg[0] = signals_pending(self_index()) & self_thread()->signal_mask;
    return 0;
  case SYS_getpid:
    return VIRTUAL_PID;
  case SYS_getppid:
    return VIRTUAL_PID - 1;
  case SYS_gettid:
    return VIRTUAL_PID + self_index();
  case SYS_rt_sigprocmask:
    step_to_mask(c);
    return change_mask((int)c->arg[0], (const uint64_t *)c->arg[1], (uint64_t *)c->arg[2]);
  case SYS_rt_sigaction:
    return change_action((int)c->arg[0], (const void *)c->arg[1], (void *)c->arg[2]);
  case SYS_sigaltstack:
    return change_alternate_stack((const stack_t *)c->arg[0], (stack_t *)c->arg[1]);
  case SYS_pause:
  case SYS_rt_sigsuspend:
    return suspend_for_signal(c->number == SYS_rt_sigsuspend ? (const uint64_t *)c->arg[0] : NULL, c->pc);
  case SYS_rt_sigtimedwait:
    return wait_for_signal((const uint64_t *)c->arg[0], (siginfo_t *)c->arg[1], (const struct timespec *)c->arg[2],
                           c->pc);
  case SYS_prctl:
    return do_prctl(c);
  case SYS_stat:
  case SYS_lstat:
  case SYS_fstat:
  case SYS_newfstatat:
  case SYS_statx:
    return do_stat(c);
  case SYS_umask:
    return do_umask(c);
  case SYS_prlimit64:
    return can_be_undone(c) ? do_limit(c) : do_other(c);
  case SYS_sched_setaffinity:
  case SYS_sched_getaffinity:
    return do_affinity(c);
  case SYS_seccomp:
    return c->arg[0] == SECCOMP_SET_MODE_STRICT || c->arg[0] == SECCOMP_SET_MODE_FILTER ? 0 : perform(c);
  case SYS_getrandom:
    random_bytes((void *)c->arg[0], (size_t)c->arg[1]);
    return c->arg[1];
  case SYS_clock_gettime:
  case SYS_time:
  case SYS_gettimeofday:
    return read_clock(c);
  case SYS_nanosleep:
  case SYS_clock_nanosleep: {
    bool clock = c->number == SYS_clock_nanosleep;
    return -virtual_sleep(clock ? (clockid_t)c->arg[0] : CLOCK_REALTIME, clock && c->arg[1] & TIMER_ABSTIME,
                          (const struct timespec *)c->arg[clock ? 2 : 0], (struct timespec *)c->arg[clock ? 3 : 1],
                          c->pc);
  }
  case SYS_sched_yield: {
    struct operation op = {.kind = OP_YIELD, .pc = c->pc};
    step(&op);
    return performed(0);
  }
  case SYS_io_uring_setup:
    return -ENOSYS;
  case SYS_mq_notify:
    if (c->arg[1])
      fail(c->pc,
           "the program wants to be told by the kernel when a message comes (mq_notify); heddle cannot control that");
    break;
  }
  if (!call_rule(c->number) && rt.engine->threads > 1)
    step_on_everything(c->number, place_in_program(c->pc)); /* nothing is known of it */
  return do_other(c);
}

static bool wants_place(long number)
{
  /* clang-format off */
  static const short frequent[] = {
      SYS_write, SYS_exit_group, SYS_getpid, SYS_gettid, SYS_rt_sigprocmask, SYS_mmap, SYS_fstat,
      SYS_newfstatat, SYS_lseek, SYS_close};
  /* clang-format on */
  const struct call_rule *rule = call_rule(number);
  return !(rule && rule->looks) && !LISTED(number, frequent);
}

/* With the memory it reads and writes. */
static long make_call(struct call *c)
{
  struct transfer transfer;
  struct call original = *c;
  transfer_begin(&transfer, c);
  long result = decide(c);
  original.pc = c->pc;
  transfer_end(&transfer, &original, result);
  return result;
}

long system_call(const long number, const long *arg, uintptr_t pc)
{
  struct call c = {.number = number, .pc = pc};
  for (int i = 0; i < 6; i++)
    c.arg[i] = arg[i];
  return make_call(&c);
}

void on_system_call(int signal, siginfo_t *info, void *context)
{
  (void)signal;
  ucontext_t *u = context;
  greg_t *g = u->uc_mcontext.gregs;
  struct call c = {.number = info->si_syscall,
                   .arg = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]}};
  if (!hd_self) {
    g[REG_RAX] = raw_syscall(c.number, c.arg[0], c.arg[1], c.arg[2], c.arg[3], c.arg[4], c.arg[5]);
    return;
  }
  c.pc = wants_place(c.number) ? place_in_program((uintptr_t)g[REG_RIP]) : (uintptr_t)g[REG_RIP];
  if (rt.cancels && rt.engine->threads > 1 && is_cancellation_point(c.number))
    cancellation_point(place_in_program(c.pc));
  g[REG_RAX] = make_call(&c);
}

void filter_reset(void)
{
  put_back();
  descriptors_reset();
  transfer_reset();
  mappings_reset();
  if (alone_fd >= 0) /* only now is nothing of it left for others to see */
    sys(SYS_close, alone_fd);
  alone_fd = -1;
}

void filter_boot(void)
{
  if (rt.control->wish.no_filter || rt.filter)
    return;
  uintptr_t ip = (uintptr_t)raw_syscall_end;
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 4, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ip, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(ip >> 32), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  struct sock_fprog filter = {sizeof program / sizeof *program, program};
  if (sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) || sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0L, &filter))
    fail(0, "cannot install the system call filter (seccomp); is it denied in this container?");
  rt.filter = true;
}
