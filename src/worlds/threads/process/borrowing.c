/* SPDX-License-Identifier: Apache-2.0
 *
 * vfork() and posix_spawn(): the thread that makes the child waits until that runs a program of its own, or ends, as if
 * it had lent it its memory. The child has a copy of that memory here, as POSIX allows for vfork(). What posix_spawn()
 * needs to know from the child, the error by which it could not run its program, libc would leave in the memory that
 * they share; it is kept beside the process instead.
 */
#include "worlds/threads/process/borrowing.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPAWN_FAILED 127 /* the status by which libc's child ends then */

static bool wanted_by_vfork;

/* Until nobody has the other end any more: the child has closed it by running another program, or by its end. */
static void wait_until_closed(int end)
{
  char nothing;
  while (REAL(read)(end, &nothing, 1) < 0 && errno == EINTR)
    ;
}

/* Where heddle does not control the program. Without a pipe it is a fork. */
static pid_t fork_and_wait(void)
{
  int ends[2], before = errno;
  bool piped = REAL(pipe2)(ends, O_CLOEXEC) == 0;
  pid_t pid = fork();
  if (!piped)
    return pid;
  int after = pid < 0 ? errno : before;
  if (pid)
    REAL(close)(ends[1]); /* the child keeps it */
  if (pid > 0)
    wait_until_closed(ends[0]);
  REAL(close)(ends[0]);
  errno = after;
  return pid;
}

EXPORT pid_t vfork(void)
{
  if (!hd_self)
    return fork_and_wait();
  wanted_by_vfork = true;
  return fork();
}

bool borrowing_is_wanted(const struct call *clone)
{
  bool wanted = wanted_by_vfork || clone->arg[0] & CLONE_VFORK;
  wanted_by_vfork = false;
  return wanted;
}

/* As the kernel has it: whatever signals come, but for the one that ends the process, wait until then. */
static void without_signals(void (*what)(unsigned process, uintptr_t pc), unsigned process, uintptr_t pc)
{
  uint64_t mask = self_thread()->signal_mask;
  self_thread()->signal_mask = ~SIGNAL_BIT(SIGKILL);
  what(process, pc);
  self_thread()->signal_mask = mask;
}

static void wait_until_over(unsigned process, uintptr_t pc)
{
  struct operation op = {.kind = OP_PROCESS_LEND,
                         .space = (uint8_t)hd_own.process,
                         .arg = (uint32_t)process_id(process),
                         .pc = place_in_program(pc)};
  step(&op);
  acquire_from(&rt.process[process].clock);
  performed(0);
}

void borrowing_await(unsigned process, uintptr_t pc)
{
  rt.process[process].borrows = true;
  rt.process[process].spawned = self_thread()->spawns;
  without_signals(wait_until_over, process, pc);
}

bool borrowing_is_over(const struct operation *op)
{
  unsigned process = process_of_id((int)op->arg);
  return process == PROCESSES || !rt.process[process].borrows;
}

void borrowing_ends(void)
{
  struct process *p = &rt.process[hd_own.process];
  if (!p->borrows)
    return;
  p->borrows = false;
  vclock_clear(&p->clock);
  release_to(&p->clock);
  engine_touch(rt.engine);
}

void borrowing_fails(int status)
{
  struct process *p = &rt.process[hd_own.process];
  if (p->borrows && p->spawned && status == SPAWN_FAILED)
    p->spawn_error = errno ? errno : ECHILD;
}

void borrowing_of_spawn(bool begins)
{
  self_thread()->spawns = begins;
}

static void wait_for_end(unsigned process, uintptr_t pc)
{
  process_wait(&(struct call){.number = SYS_wait4, .arg = {process_id(process)}, .pc = pc});
}

int borrowing_error(int id, uintptr_t pc)
{
  unsigned process = process_of_id(id);
  int error = process == PROCESSES ? 0 : rt.process[process].spawn_error;
  if (error)
    without_signals(wait_for_end, process, pc);
  return error;
}
