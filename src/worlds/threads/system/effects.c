/* SPDX-License-Identifier: Apache-2.0
 *
 * See effects.h. What is not listed counts as a change.
 */
#include "worlds/threads/system/effects.h"
#include "worlds/threads/system/call_rules.h"
#include <fcntl.h>
#include <sys/syscall.h>

/* Mappings are here since those who make them for the runtime know what they did (snapshot.c, slots.c, mappings.c). */
static const bool leaves_nothing[] = {
    [SYS_futex] = true,          [SYS_getpid] = true,         [SYS_gettid] = true,      [SYS_getppid] = true,
    [SYS_getuid] = true,         [SYS_geteuid] = true,        [SYS_getgid] = true,      [SYS_getegid] = true,
    [SYS_getgroups] = true,      [SYS_getrusage] = true,      [SYS_mincore] = true,     [SYS_clock_gettime] = true,
    [SYS_clock_getres] = true,   [SYS_stat] = true,           [SYS_fstat] = true,       [SYS_lstat] = true,
    [SYS_newfstatat] = true,     [SYS_readlink] = true,       [SYS_faccessat] = true,   [SYS_faccessat2] = true,
    [SYS_poll] = true,           [SYS_nanosleep] = true,      [SYS_sched_yield] = true, [SYS_sched_getaffinity] = true,
    [SYS_sched_getparam] = true, [SYS_getpriority] = true,    [SYS_pread64] = true,     [SYS_sched_getscheduler] = true,
    [SYS_pwrite64] = true,       [SYS_wait4] = true,          [SYS_kill] = true,        [SYS_process_vm_readv] = true,
    [SYS_getcwd] = true,         [SYS_capget] = true,         [SYS_getsockopt] = true,  [SYS_getsockname] = true,
    [SYS_getpeername] = true,    [SYS_rt_sigprocmask] = true, [SYS_clone] = true,       [SYS_arch_prctl] = true,
    [SYS_mprotect] = true,       [SYS_mmap] = true,           [SYS_munmap] = true,      [SYS_fallocate] = true,
};

static bool is_question(long number, const long arg[6])
{
  if (number == SYS_fcntl)
    return arg[1] == F_GETFD || arg[1] == F_GETFL;
  return number == SYS_prlimit64 && !arg[2];
}

void effect_of_own_call(long number, const long arg[6])
{
  if ((size_t)number < sizeof leaves_nothing && leaves_nothing[number])
    return;
  if (!is_question(number, arg))
    effect_made();
}

void effect_of_call(long number)
{
  const struct call_rule *rule = call_rule(number);
  if (!rule || !rule->looks || number == SYS_prctl || number == SYS_mlock || number == SYS_mlockall)
    effect_made();
}
