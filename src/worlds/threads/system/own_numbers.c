/* SPDX-License-Identifier: Apache-2.0
 *
 * Who the process is. The program has numbers for itself and its threads that are the same in every execution and on
 * every machine; the kernel has others, and all threads are one to it. This is the one table of the calls that name a
 * process or a thread, for those that the kernel is to make.
 */
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <time.h>

long own_group(void)
{
  return rt.process[hd_own.process].group;
}

long own_session(void)
{
  return rt.process[hd_own.process].session_id;
}

int thread_of_number(long number)
{
  for (unsigned i = 0; i < rt.engine->threads; i++)
    if (((rt.thread[i].process == hd_own.process && rt.thread[i].fiber->tid == number) ||
         number == (long)(VIRTUAL_PID + i)) &&
        !rt.thread[i].system)
      return rt.thread[i].finished ? NO_THREAD : (int)i;
  return NO_THREAD;
}

bool has_capability(int capability)
{
  struct __user_cap_header_struct who = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct has[2] = {{0}};
  return sys(SYS_capget, &who, has) == 0 && has[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

/* ---- for the kernel ---- */

/* Arguments that are such numbers, as bits. */
static const struct {
  short number;
  uint8_t arguments;
} naming[] = {
    {SYS_sched_rr_get_interval, 1 << 0},
    {SYS_prlimit64, 1 << 0},
    {SYS_get_robust_list, 1 << 0},
    {SYS_process_vm_readv, 1 << 0},
    {SYS_process_vm_writev, 1 << 0},
    {SYS_pidfd_open, 1 << 0},
    {SYS_kcmp, 1 << 0 | 1 << 1},
    {SYS_ioprio_get, 1 << 1},
    {SYS_ioprio_set, 1 << 1},
    {SYS_migrate_pages, 1 << 0},
    {SYS_move_pages, 1 << 0},
    {SYS_perf_event_open, 1 << 1},
    {SYS_tkill, 1 << 0},
    {SYS_tgkill, 1 << 0 | 1 << 1},
};

struct call with_real_numbers(const struct call *call)
{
  struct call c = *call;
  for (size_t i = 0; i < sizeof naming / sizeof *naming; i++)
    for (int at = 0; naming[i].number == c.number && at < 6; at++)
      if (naming[i].arguments >> at & 1 && thread_of_number((int)c.arg[at]) != NO_THREAD)
        c.arg[at] = sys(SYS_getpid);
  return c;
}

/* ---- clocks ---- */

/* A clock of a process or a thread has its number in its own, above these bits. */
#define CLOCK_BITS 3
#define CLOCK_KIND 3 /* which of its times; or that it is no number, but a descriptor */
#define CLOCK_DESCRIPTOR 3
#define CLOCK_RUNNING 2
#define CLOCK_OF_THREAD 4

static bool is_number_of_ours(long number)
{
  for (unsigned i = 0; i < hd_own.fibers; i++)
    if (hd_own.fiber[i].tid == number)
      return true;
  return number == 0 || is_virtual(number);
}

static bool clock_is_own(clockid_t clock)
{
  return (clock & CLOCK_KIND) != CLOCK_DESCRIPTOR && is_number_of_ours(~(clock >> CLOCK_BITS));
}

bool process_clock_exists(clockid_t clock)
{
  long number = ~(clock >> CLOCK_BITS);
  if (!clock_is_own(clock))
    return sys(SYS_clock_getres, clock, NULL) == 0;
  return number == 0 ||
         (clock & CLOCK_OF_THREAD ? thread_of_number(number) != NO_THREAD : process_of_id((int)number) != PROCESSES);
}

uint64_t process_clock_began(clockid_t clock)
{
  long number = ~(clock >> CLOCK_BITS);
  if (!clock_is_own(clock))
    return 0;
  if (!(clock & CLOCK_OF_THREAD))
    return rt.process[number ? process_of_id((int)number) : hd_own.process].began;
  int thread = number ? thread_of_number(number) : (int)self_index();
  return thread == NO_THREAD ? 0 : rt.thread[thread].began;
}

long clock_resolution_call(const struct call *c)
{
  clockid_t clock = (clockid_t)c->arg[0];
  struct timespec *out = (struct timespec *)c->arg[1];
  if (clock >= 0 || !clock_is_own(clock))
    return UNKNOWN;
  if (!process_clock_exists(clock))
    return -EINVAL;
  if (out) {
    snapshot_touch((uintptr_t)out, sizeof *out);
    *out = (struct timespec){0, 1};
  }
  return 0;
}

EXPORT int pthread_getcpuclockid(pthread_t id, clockid_t *out)
{
  if (!hd_self)
    return REAL(pthread_getcpuclockid)(id, out);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS || rt.thread[t].finished)
    return ESRCH;
  writes_for(out, sizeof *out, CALLER());
  *out = (clockid_t)((~(VIRTUAL_PID + t) << CLOCK_BITS) | CLOCK_OF_THREAD | CLOCK_RUNNING);
  return 0;
}
