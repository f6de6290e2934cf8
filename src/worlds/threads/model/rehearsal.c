/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX allows a wait on a condition variable to end though nobody signalled, so what it is for is looked at again, in
 * a loop. A search does not try such ends (unless with --spurious), and where they could make a difference, its end is
 * no proof.
 *
 * They cannot where the thread is in the same wait again at once. What it waits for has just been looked at, under the
 * mutex: so if the wait ended on the spot, nothing could have changed, and whoever looks again waits again. That is
 * rehearsed, once for each place that waits, by a copy of the process: there the call returns at once, and the thread
 * alone goes on, until it is back, with nothing changed but what is on its own stack; or is about to do anything that
 * others could see. (That a wait ends for no reason later, when what it is for has come and the signal has not, is as
 * if the thread had come later.) Nothing of the copy stays, so that executions are as they are without.
 *
 * If it is back twice in a row as it was the time before, it will be back always: the first time a variable may have
 * got its first value, such as the result of the rehearsal.
 */
#include "worlds/threads/model/rehearsal.h"
#include "core/rng.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/spinning.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PLACES 256
#define ROUNDS 3
#define STEPS 100000
#define COMES_BACK 77 /* its status; any other means that it does not */

bool rehearsing;

static struct {
  uint64_t place[PLACES];
  uint32_t places;
} rehearsed SYSTEM;

static struct {
  uint32_t condition, steps, rounds;
  uintptr_t pc;
  uint64_t state;
} rehearsal;

static _Noreturn void leave_with(int status)
{
  for (;;)
    sys(SYS_exit_group, status);
}

void rehearsal_ends(void)
{
  leave_with(0);
}

/* The copy has all that it is made of for itself; and an end, if it does not come to one. */
static void be_copy(void)
{
  const struct rlimit most = {1, 1};
  sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  sys(SYS_prlimit64, 0, RLIMIT_CPU, &most, NULL);
  if (!system_memory_is_own() || !shadow_is_own())
    rehearsal_ends();
  rehearsing = true;
  filter_again();
  memory_steps_everywhere();
}

static bool come_back(uintptr_t pc)
{
  const uint64_t state = local_state(pc);
  if (rehearsal.rounds && state == rehearsal.state)
    leave_with(COMES_BACK);
  if (rehearsal.rounds++ == ROUNDS)
    rehearsal_ends();
  rehearsal.state = state;
  return true;
}

/* Callers of a function that waits for them are told apart by where they are on the stack. */
static bool is_new_place(uintptr_t pc)
{
  const uintptr_t high = hd_self->stack_low + hd_self->stack_size;
  const uint64_t place =
      mix64(stable_place(place_in_program(pc)) ^ mix64(high - (uintptr_t)__builtin_frame_address(0)));
  for (uint32_t i = 0; i < rehearsed.places; i++)
    if (rehearsed.place[i] == place)
      return false;
  if (rehearsed.places == PLACES)
    lose(LOST_UNASKED);
  else
    rehearsed.place[rehearsed.places++] = place;
  return rehearsed.places < PLACES;
}

bool rehearsal_of_wait(uint32_t condition, uintptr_t pc)
{
  if (unlikely(rehearsing)) {
    if (rehearsal.condition != condition || rehearsal.pc != pc)
      rehearsal_ends();
    return come_back(pc);
  }
  if (!rt.engine->strategy->exhaustive || rt.control->config.spurious || rt.control->losses & LOST_UNASKED ||
      rt.engine->threads == 1 || !is_new_place(pc))
    return false;
  const long copy = sys(SYS_clone, 0L, 0L, 0L, 0L, 0L);
  if (copy == 0) {
    be_copy();
    rehearsal.condition = condition;
    rehearsal.pc = pc;
    return come_back(pc);
  }
  int status = 0;
  while (copy > 0 && sys(SYS_wait4, copy, &status, __WCLONE, NULL) < 0)
    ;
  if (copy < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != COMES_BACK)
    lose(LOST_UNASKED);
  return false;
}

/* Whoever comes for a mutex that is held for a moment is only later, and what it does then is looked at again. */
static bool is_harmless(const struct operation *op)
{
  if (op->kind == OP_MUTEX_LOCK || op->kind == OP_MUTEX_UNLOCK)
    return world_enabled(self_index(), op);
  const bool own = op->addr - hd_self->stack_low < hd_self->stack_size;
  return op_is_access(op->kind) && (own || !op_writes_memory(op->kind));
}

void rehearsal_step(const struct operation *op)
{
  if (!is_harmless(op) || ++rehearsal.steps == STEPS)
    rehearsal_ends();
}
