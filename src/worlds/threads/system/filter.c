/* SPDX-License-Identifier: Apache-2.0
 *
 * The system call filter. Every system call that the program makes, by whatever path through libc or by itself, traps
 * (seccomp) and is decided on here: modelled or performed and undone after the execution by those who know what it is
 * about (descriptor_calls.c, process_calls.c, mappings.c, timers.c), performed because it is harmless, or taken as the
 * reason to go on in another reset mode. So nothing the program does to the kernel can leak from one execution into the
 * next unnoticed. What a particular call means is not known here.
 */
#include "core/calls.h"
#include "core/system.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/own_files.h"
#include "worlds/threads/system/process_calls.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <ucontext.h>

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

/* ---- calls of no particular kind ---- */

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
  char own_path[OWN_PATH];
  self_thread()->call = c->number;
  name_own_files(c, own_path);
  long result;
  if (kernel_call(c, &result))
    return result;
  step_to_call(c);
  result = read_own_number(c);
  if (result != UNKNOWN || timer_call(c, &result) || descriptor_call(c, &result) || mapping_call(c, &result) ||
      process_call(c, &result))
    return result;
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
  struct call c = {.number = number, .pc = pc, .direct = in_program(pc)};
  for (int i = 0; i < 6; i++)
    c.arg[i] = arg[i];
  return make_call(&c);
}

long function_call(long number, const long *arg, uintptr_t pc)
{
  struct call c = {.number = number, .pc = pc, .direct = in_program(pc)};
  for (int i = 0; i < 6; i++)
    c.arg[i] = arg[i];
  if (!c.direct && wants_place(number))
    c.pc = place_in_program(pc);
  if (rt.cancels && rt.engine->threads > 1 && is_cancellation_point(number))
    cancellation_point(place_in_program(c.pc));
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
  process_reset();
  descriptors_reset();
  transfer_reset();
  mappings_reset();
  if (alone_fd >= 0) /* only now is nothing of it left for others to see */
    sys(SYS_close, alone_fd);
  alone_fd = -1;
}

void filter_boot(void)
{
  descriptors_boot();
  if (rt.control->wish.no_filter || hd_own.filter)
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
  hd_own.filter = true;
}
