/* SPDX-License-Identifier: Apache-2.0
 *
 * The system call filter. Every system call that the program makes, by whatever path through libc or by itself, traps
 * (syscall user dispatch, or seccomp in older systems) and is decided on here: modelled or performed and undone after
 * the execution by those who know what it is about (descriptor_calls.c, process_calls.c, mappings.c, timers.c),
 * performed because it is harmless, or taken as the reason to go on in another reset mode. So nothing the program does
 * to the kernel can leak from one execution into the next unnoticed. What a particular call means is not known here.
 */
#include "core/calls.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/cancellation_points.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/effects.h"
#include "worlds/threads/system/own_files.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/proc_files.h"
#include "worlds/threads/system/process_calls.h"
#include "worlds/threads/system/signals.h"
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
#include <sys/syscall.h>
#include <ucontext.h>

long raw_syscall(long number, long a, long b, long c, long d, long e, long f);

long sys_array(long number, const long arg[6])
{
  effect_of_own_call(number, arg);
  return raw_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
void raw_syscall_end(void);
void calls_end(void);

static long under_way = -1;

long system_call_under_way(void)
{
  return under_way;
}

static long alone_fd = -1;
static bool alone SYSTEM; /* one of the processes has the lock, until it is ended */

/* The same for all workers, whatever its processes go on as. */
static long open_first_program(void)
{
  char path[32] = "/proc/self/exe";
  if (hd_own.seat)
    print_text(path, sizeof path, "/proc/%d/exe", rt.first_process);
  return sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
}

void be_alone(void)
{
  if (alone)
    return;
  long fd = open_first_program();
  alone_fd = fd < 0 ? fd : sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1000); /* out of the way of the program's */
  sys(SYS_close, fd);
  while (alone_fd >= 0 && sys(SYS_flock, alone_fd, LOCK_EX | LOCK_NB) == -EAGAIN) {
    rt.control->heartbeat++;
    sys(SYS_poll, NULL, 0L, 1L);
  }
  alone = true;
}

static uint64_t changes SYSTEM; /* so many calls were made, from one on */

uint64_t kernel_state(void)
{
  return changes + 1;
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
  effect_of_call(c->number);
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

static long do_other(const struct call *original)
{
  struct call c = with_real_numbers(original);
  bool unknown = !call_rule(c.number);
  const char *name = system_call_name(c.number);
  if (undone_by_nobody(&c) && in_place() && name)
    change_reset(RESET_FORK, c.pc, "the program calls %s(), which restoring its memory does not undo", name);
  if (undone_by_nobody(&c) && in_place())
    change_reset(RESET_FORK, c.pc, "the program makes system call %ld, which restoring its memory does not undo",
                 c.number);
  if (c.number == SYS_getrusage || c.number == SYS_sysinfo || c.number == SYS_statfs || c.number == SYS_fstatfs)
    lose(LOST_MACHINE);
  if (unknown)
    lose(LOST_CALLS);
  else if (call_rule(c.number)->changes & SYSTEM_FILES && !rt.control->config.put_back)
    lose(LOST_FILES);
  if (undone_by_nobody(&c))
    be_alone();
  return perform(&c);
}

static long decide(struct call *c)
{
  char own_path[OWN_PATH];
  self_thread()->call = c->number;
  name_own_files(c, own_path);
  if (rt.tracing)
    overlay_note_subject(c);
  long result;
  if (kernel_call(c, &result))
    return result;
  step_to_call(c);
  if (kernel_call_by_now(c, &result))
    return result;
  result = read_own_number(c);
  if (result == UNKNOWN)
    result = proc_file_call(c);
  if (result != UNKNOWN || overlay_call(c, &result) || timer_call(c, &result) || descriptor_call(c, &result) ||
      mapping_call(c, &result) || process_call(c, &result))
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

/* Another thread's call may have that number already without there being anything behind it yet: the kernel gives
 * numbers before files, here both come at once. */
static bool meets_number(const struct call *c, long result)
{
  return result == -EBADF && rt.engine->threads > 1 && c->number != SYS_waitid && descriptor_is_free((int)c->arg[0]);
}

/* With the memory it reads and writes. */
static long make_call(struct call *c)
{
  struct transfer transfer;
  struct call original = *c;
  transfer_begin(&transfer, c);
  long result = decide(c);
  overlay_addresses(c, result);
  if (meets_number(c, result))
    lose(LOST_CALLS);
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

/* Which may be a cancellation point. */
static long make_call_at(struct call *c, bool point)
{
  struct thread *self = self_thread();
  bool outer = self->at_point; /* of a call that a handler interrupts */
  self->at_point = point;
  if (point && (rt.engine->threads > 1 || cancel_wanted(self_index())))
    cancellation_point(place_in_program(c->pc));
  check_cancel_in_call(c->pc);
  long result = make_call(c);
  self->at_point = outer;
  return result;
}

long function_call(long number, const long *arg, uintptr_t pc)
{
  struct call c = {.number = number, .pc = pc, .direct = in_program(pc)};
  for (int i = 0; i < 6; i++)
    c.arg[i] = arg[i];
  if (!c.direct && wants_place(number))
    c.pc = place_in_program(pc);
  return make_call_at(&c, hd_own.cancels && is_cancellation_point(&c, 0));
}

/* The copy of a process may begin on another stack (posix_spawn). */
static uintptr_t stack_of_copy(const struct call *c, uintptr_t now)
{
  const struct clone_args *args = (const struct clone_args *)c->arg[0];
  if (c->number == SYS_clone && c->arg[1])
    return (uintptr_t)c->arg[1];
  return c->number == SYS_clone3 && args->stack ? args->stack + args->stack_size : now;
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
  unsigned process = hd_own.process;
  g[REG_RAX] = make_call_at(&c, hd_own.cancels && is_cancellation_point(&c, (uintptr_t)g[REG_RIP]));
  if (hd_own.process != process)
    g[REG_RSP] = (greg_t)stack_of_copy(&c, (uintptr_t)g[REG_RSP]);
}

void filter_reset(void)
{
  process_reset();
  descriptors_reset();
  transfer_reset();
  mappings_reset();
  overlay_reset();
  if (alone_fd >= 0) /* only now is nothing of it left for others to see */
    sys(SYS_close, alone_fd);
  alone_fd = -1;
  alone = false;
}

void filter_exec(void)
{
  if (alone_fd >= 0)
    sys(SYS_fcntl, alone_fd, F_SETFD, 0L);
}

/* By seccomp, which stays on in another program that the process goes on with, and kills it there. */
static bool filter_for_good(void)
{
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
  return sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0L, &filter) == 0;
}

static bool dispatched; /* not filtered for good */

bool filter_ends_with_program(void)
{
  return dispatched;
}

/* The kernel's way to have system calls dispatched by the program itself: for this kernel thread only. */
static bool dispatch(void)
{
  uintptr_t start = (uintptr_t)raw_syscall, end = (uintptr_t)calls_end;
  return sys(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start, end - start + 1, 0L) == 0;
}

void filter_again(void)
{
  if (dispatched && !dispatch())
    fail(0, "cannot install the system call filter in another process");
}

void filter_boot(void)
{
  if (hd_own.filter)
    return;
  if (hd_own.cancels)
    cancellation_points_boot();
  descriptors_boot();
  sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L); /* what it starts must load our library */
  dispatched = dispatch();
  if (!dispatched && !filter_for_good())
    fail(0, "cannot install the system call filter (seccomp); is it denied in this container?");
  hd_own.filter = true;
}
