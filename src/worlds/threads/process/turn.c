/* SPDX-License-Identifier: Apache-2.0
 *
 * See turn.h. Each process sleeps on a word of its own in the shared memory; whoever gives it the turn wakes it. All
 * run on one processor, where that takes a microsecond or two.
 */
#include "worlds/threads/process/turn.h"
#include "core/finding.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/slots.h"
#include "worlds/threads/runtime.h"
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const struct timespec patience = {.tv_nsec = 100 * 1000 * 1000};

static void give(unsigned seat, enum turn what)
{
  uint32_t *word = &rt.turn[seat];
  __atomic_store_n(word, (uint32_t)what, __ATOMIC_RELEASE);
  sys(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0); /* one that is being ended may still wait there, too */
}

/* Whoever has the turn died, and nothing in it could tell. */
static void look_for_dead(void)
{
  unsigned current = rt.engine->current;
  int real = rt.process[rt.thread[current].process].real, status = 0;
  if (!real || sys(SYS_wait4, real, &status, WNOHANG | __WALL, NULL) != real)
    return;
  rt.process[rt.thread[current].process].real = 0;
  slot_filled(rt.thread[current].process, 0);
  struct bug *bug = bug_new(rt.engine, BUG_CRASH, bug_key_of(rt.engine, BUG_CRASH, (uintptr_t)WTERMSIG(status), 0));
  bug->detail = WTERMSIG(status);
  const char *name = sigabbrev_np(WTERMSIG(status));
  bug_text(bug, name ? "a process of the program was killed by SIG%s" : "a process of the program ended unseen", name);
  bug_declare(rt.engine, bug);
  execution_end();
}

unsigned turn_await(void)
{
  uint32_t *word = &rt.turn[hd_own.seat];
  uint32_t why;
  while (!(why = __atomic_load_n(word, __ATOMIC_ACQUIRE)))
    if (sys(SYS_futex, word, FUTEX_WAIT, TURN_NONE, hd_own.seat ? NULL : &patience, NULL, 0) == -ETIMEDOUT)
      look_for_dead();
  *word = TURN_NONE;
  slot_look();
  if (why == TURN_LEAVE)
    leave_process();
  if (why == TURN_OVER)
    back_to_loop(NULL);
  return rt.engine->current;
}

unsigned turn_hand_over(unsigned thread)
{
  give(rt.process[rt.thread[thread].process].seat, TURN_YOURS);
  return turn_await();
}

/* What it has open others may need (overlay_contents.c): it is ended with the execution, or kept to be another one. */
static _Noreturn void rest_here(void)
{
  turn_await();
  __builtin_unreachable();
}

void turn_give_away(unsigned thread)
{
  if (!hd_own.seat) {
    turn_hand_over(thread);
    __builtin_unreachable();
  }
  give(rt.process[rt.thread[thread].process].seat, TURN_YOURS);
  rest_here();
}

void turn_to_first(enum turn why)
{
  give(0, why);
  rest_here();
}
